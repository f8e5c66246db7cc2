"""`recall export`."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from tests.cli.fake import BUDGET, CHINESE


def test_markdown_to_stdout(run) -> None:
    ran = run("export", "8d7c5cf2")
    assert ran.code == 0 and ran.out.startswith("# Fix the token budget\n")
    assert "6 messages of 1 session" in ran.err


def test_the_form_follows_the_file(run, tmp_path: Path) -> None:
    for ending, start in (
        ("html", "<!doctype html>"),
        ("jsonl", '{"type": "session"'),
        ("md", "# "),
    ):
        file = tmp_path / f"e.{ending}"
        assert run("export", BUDGET, CHINESE, "-o", str(file)).code == 0
        assert file.read_text("utf-8").startswith(start)
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert run("export", BUDGET, "-o", str(tmp_path / "e.md")).code == 3
    assert run("export", BUDGET, "-o", str(tmp_path / "e.md"), "--force").code == 0


@pytest.mark.contract("S3-61", "S3-72")
def test_json_lines_in_pages_and_children_apart(run) -> None:
    first = [
        json.loads(x) for x in run("export", BUDGET, "--json", "--limit", "4").out.splitlines()
    ]
    assert len(first) == 6 and not first[-1]["complete"]
    ran = run("export", "--after", first[-1]["next"], "--json")
    rest = [json.loads(x) for x in ran.out.splitlines()]
    assert [x["sequence"] for x in rest[1:-1]] == [5, 6] and rest[-1]["complete"]
    with_children = run("export", BUDGET, "--children", "--json").out.splitlines()
    assert json.loads(with_children[-1])["sessions"] == 2
    changed = first[-1]["next"].replace("~", "~f")[:-1]
    assert run("export", "--after", changed, "--json").code == 2


def test_a_selection(run) -> None:
    ran = run("export", "--all", "--branch", "功能", "--role", "user")
    assert "上下文窗口有多大" in ran.out and "400k" not in ran.out
    assert run("export", "--all", "--branch", "nowhere").code == 1
    assert run("export", BUDGET, "--until", "2020-01-01").code == 1


def test_wrong_calls(run) -> None:
    for words in ([], [BUDGET, "--all"], [BUDGET, "--json", "--format", "md"]):
        assert run("export", *words).code == 2
    assert run("export", "unknown-session").code == 1
