"""`recall continue`."""

from __future__ import annotations

from pathlib import Path

import pytest

from recall_tui.playbooks import programs
from tests.cli.fake import BUDGET, CHINESE, HELPER, FakeHistory


def moved(fake: FakeHistory, cwd: Path) -> FakeHistory:
    """The same sessions, in a directory that exists."""
    return FakeHistory({s._replace(last_cwd=str(cwd)): m for s, m in fake.held.items()})


def test_the_summary_and_the_command(run) -> None:
    ran = run("continue", "8d7c5cf2")
    assert ran.code == 0
    assert "Fix the token budget" in ran.out and BUDGET in ran.out
    assert "change it, my token is [redacted:github-pat ghp_…x9Zk]" in ran.out
    assert "1 tool call · 1 failed" in ran.out
    assert f"cd /home/ann/src/recall && claude --resume {BUDGET[7:]}" in ran.out
    assert "The directory /home/ann/src/recall is gone." in ran.err


@pytest.mark.contract("S3-4")
def test_json(run) -> None:
    answer = run("continue", BUDGET, "--json").json
    assert answer["session"]["key"] == BUDGET
    assert [t["tool_calls"] for t in answer["turns"]] == [1, 0]
    assert answer["command"]["argv"] == ["claude", "--resume", BUDGET[7:]]
    assert answer["place"]["exists"] is False
    assert answer["fork"]["argv"][-1] == "--fork-session"
    assert "\ufdd0" not in str(answer)


def test_the_last_one_and_its_filters(run) -> None:
    assert run("continue", "--last", "--json").json["session"]["key"] == CHINESE
    assert (
        run("continue", "--last", "--harness", "claude", "--json").json["session"]["key"] == BUDGET
    )
    ran = run("continue", "--last", "--branch", "nowhere")
    assert (ran.code, ran.out) == (1, "")
    assert run("continue").code == 2
    assert run("continue", BUDGET, "--last").code == 2
    assert run("continue", "unknown-session").code == 1


def test_a_subagent_shows_its_main_session(run) -> None:
    ran = run("continue", HELPER)
    assert BUDGET in ran.out and "A subagent cannot be resumed" in ran.err


def test_control_sequences_do_not_reach_the_terminal(run) -> None:
    ran = run("continue", CHINESE)
    assert "\x1b" not in ran.out + ran.err and "上下文窗口有多大" in ran.out


def test_nothing_runs_without_a_person(run, fake, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(programs.os, "execvp", lambda *_: pytest.fail("it ran"))
    assert run("continue", BUDGET, "--run", history=moved(fake, tmp_path)).code == 2
    gone = run("continue", BUDGET, "--run", "--yes")
    assert gone.code == 3 and "is gone" in gone.err


def test_run_becomes_the_program_in_the_directory(run, fake, tmp_path: Path, monkeypatch) -> None:
    ran: list[tuple] = []
    monkeypatch.setattr(programs.os, "chdir", lambda path: ran.append(("cd", path)))
    monkeypatch.setattr(programs.os, "execvp", lambda name, argv: ran.append((name, tuple(argv))))
    other = tmp_path / "other"
    other.mkdir()
    run("continue", BUDGET, "--run", "--yes", history=moved(fake, tmp_path))
    run("continue", BUDGET, "--fork", "--in", str(other), "--run", "--yes")
    assert ran == [
        ("cd", str(tmp_path)), ("claude", ("claude", "--resume", BUDGET[7:])),
        ("cd", str(other)), ("claude", ("claude", "--resume", BUDGET[7:], "--fork-session")),
    ]  # fmt: skip
    assert run("continue", BUDGET, "--in", str(tmp_path / "no")).code == 2


def test_copy_says_where_it_went_or_that_it_could_not(run, monkeypatch) -> None:
    copied: list[bytes] = []
    monkeypatch.setattr(
        "recall_tui.clipboard._feed",
        lambda argv, data: not copied.append(data),  # took it
    )
    ran = run("continue", BUDGET, "--copy")
    assert ran.code == 0 and "command copied" in ran.err
    assert copied[0].startswith(b"cd /home/ann/src/recall && claude --resume")
    monkeypatch.setattr("recall_tui.clipboard._feed", lambda *_: False)
    assert run("continue", BUDGET, "--copy").code == 3
