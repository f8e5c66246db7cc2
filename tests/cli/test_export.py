"""`recall export`."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from recall_tui.cli.call import Call
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


@pytest.mark.contract("S3-72")
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


@pytest.mark.contract("S3-63")
def test_a_cursor_that_does_not_fit_is_refused(run) -> None:
    for place in ("#3~9999@6", "#3~1003@2", "#3~1003@7", "#99~1003@100"):
        assert run("export", "--after", f"{BUDGET}{place}", "--json").code == 2
    assert run("export", "--after", "claude:unknown#3~1003@6", "--json").code == 3


@pytest.mark.contract("S3-69", "S3-70")
def test_the_session_it_is_run_from(fake, run, monkeypatch, tmp_path) -> None:
    monkeypatch.chdir(tmp_path)

    def ran(**env: str):
        return run("export", "--current", "--json", call=Call(env, opener=lambda *_: fake))

    mine, other = BUDGET[7:], CHINESE[6:]
    assert f'"key": "{BUDGET}"' in ran(CLAUDE_CODE_SESSION_ID=mine).out
    assert (
        f'"key": "{BUDGET}"'
        in ran(CLAUDECODE="1", CLAUDE_CODE_SESSION_ID=mine, CODEX_THREAD_ID=other).out
    )
    for env in (
        {}, {"CLAUDECODE": "1", "CODEX_THREAD_ID": other}, {"CLAUDE_CODE_SESSION_ID": mine[:12]},
        {"CLAUDE_CODE_SESSION_ID": mine, "CODEX_THREAD_ID": other}, {"CODEX_THREAD_ID": mine},
    ):  # fmt: skip
        refused = ran(**env)
        assert refused.code == 2 and refused.out == "", env
        assert "Fix the token budget" not in refused.err
    monkeypatch.setattr("os.getcwd", lambda: "/home/ann/src/recall")
    assert f"name one: {CHINESE}, {BUDGET}" in " ".join(ran().err.split())


@pytest.mark.contract("S3-68", "X-9")
def test_a_path_that_is_no_session_is_not_opened(run, tmp_path) -> None:
    file = tmp_path / "secret.jsonl"
    file.write_text("{}", "utf-8")
    ran = run("export", str(file))
    assert ran.code == 1 and ran.out == ""


def test_a_selection(run) -> None:
    ran = run("export", "--all", "--branch", "功能", "--role", "user")
    assert "上下文窗口有多大" in ran.out and "400k" not in ran.out
    assert run("export", "--all", "--branch", "nowhere").code == 1
    assert run("export", BUDGET, "--until", "2020-01-01").code == 1


@pytest.mark.contract("S3-61")
def test_exactly_one_way_to_say_what(run) -> None:
    for words in ([], [BUDGET, "--all"], [BUDGET, "--current"], ["--all", "--after", "x@1"]):
        assert run("export", *words).code == 2
    assert run("export", BUDGET, "--json", "--format", "md").code == 2
    assert run("export", "unknown-session").code == 1
