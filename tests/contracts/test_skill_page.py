"""S3.A and S3.J: what the skill tells an agent, held against the commands there are."""

from __future__ import annotations

import re

import pytest

from recall_tui.cli import COMMANDS
from recall_tui.mcp_server.tools import NAMES
from tests.conftest import REPOSITORY


@pytest.fixture(scope="module")
def skill() -> str:
    """The page, its white space collapsed."""
    return " ".join((REPOSITORY / "docs" / "agents" / "SKILL.md").read_text("utf-8").split())


@pytest.mark.contract("S3-1")
def test_it_is_for_earlier_sessions_and_not_for_code_or_memory_files(skill: str) -> None:
    _, front, body = skill.split("--- ", 2)
    assert "earlier coding-agent sessions" in front
    assert "search code in the repository" in body and "memory files" in body


@pytest.mark.contract("S3-2")
def test_four_outcomes_come_first_each_with_what_does_it(skill: str) -> None:
    outcomes = skill[skill.index("First choose") : skill.index("## Find")]
    assert re.findall(r"`recall (\w+)", outcomes) == ["continue", "repeat", "skill"]
    assert "find or verify" in outcomes
    assert "ask the person only when" in outcomes


def test_every_command_and_tool_it_names_exists(skill: str) -> None:
    assert set(re.findall(r"`recall (\w+)", skill)) <= set(COMMANDS)
    assert set(re.findall(r"`(Recall\w*)`", skill)) == set(NAMES)


@pytest.mark.contract("S3-3", "S3-78")
def test_finding_is_to_search_to_read_a_window_and_to_cite(skill: str) -> None:
    find = skill[skill.index("## Find") :]
    steps = [find.index(word) for word in ("**Ask", "**Read on.**", "**Cite**", "`gaps`")]
    assert steps == sorted(steps)


@pytest.mark.contract("S3-3", "S3-78")
def test_what_is_cited_opens_with_every_command_that_reads(machine) -> None:
    machine.talk("one", "token budget")
    (passage,) = machine.recall("search", "token budget", "--json").json["passages"]
    for command in ("show", "more"):
        ran = machine.recall(command, passage["anchor_message_id"])
        assert ran.code == 0
        assert "token budget" in ran.out


@pytest.mark.contract("S3-79")
def test_one_passage_is_not_where_a_session_ended(skill: str) -> None:
    assert "One passage is not the session's last word" in skill
