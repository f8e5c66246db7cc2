"""Continue: what was left open, and the command that goes on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from recall_tui.errors import ConfigError, HandoffError
from recall_tui.harnesses.base import ResumeCommand
from recall_tui.model import Presence, SessionKind
from recall_tui.playbooks import programs
from recall_tui.playbooks.continuation import Loose, continuation, latest
from tests.cli.fake import session
from tests.playbooks.build import (
    KEY,
    answer,
    call,
    notice,
    past,
    prompt,
    result,
    run,
    several,
)


def loose(*events: tuple) -> list[tuple[Loose, str]]:
    history, one = past(*events)
    return [(point.loose, point.text) for point in continuation(history, one).open]


def test_a_finished_session_leaves_nothing_open() -> None:
    assert loose(prompt("do it"), *run("make"), answer("Done.")) == []


def test_every_way_to_be_left_open() -> None:
    assert loose(prompt("do it")) == [(Loose.UNANSWERED, "do it")]
    assert loose(prompt("do it"), call("Bash", "make")) == [(Loose.UNFINISHED, "Bash: make")]
    assert loose(prompt("a"), *run("make", "boom", failed=True)) == [(Loose.FAILED, "Bash: make")]
    assert loose(prompt("a"), *run("make")) == [(Loose.SILENT, "Bash: make")]
    assert loose(prompt("a"), answer("One or two?")) == [(Loose.ASKED, "One or two?")]
    assert loose(prompt("a"), answer("hm\n\n**要吗？**")) == [(Loose.ASKED, "**要吗？**")]
    asked = loose(prompt("a"), answer("I will"), notice("[Request interrupted by user]"))
    assert asked == [(Loose.INTERRUPTED, "a")]
    assert loose(prompt("a"), answer("Left:\n- [x] one\n- [ ] two\n")) == [(Loose.UNCHECKED, "two")]


def test_a_plan_not_done_is_open_unless_it_is_old() -> None:
    plan = [call("TodoWrite", "one\ncompleted\nx\ntwo\npending\nx", seen=0), result("ok")]
    assert loose(prompt("a"), *plan, answer("Later.")) == [(Loose.PLANNED, "two")]
    assert loose(prompt("a"), *plan, answer("x"), *[prompt("b"), answer("y")] * 6) == []


@pytest.mark.contract("S3-4")
def test_the_last_thirty_turns() -> None:
    history, one = past(*[event for n in range(40) for event in (prompt(f"p{n}"), answer("a"))])
    turns = continuation(history, one).turns
    assert [t.prompt.text for t in turns if t.prompt] == [f"p{n}" for n in range(10, 40)]


def test_the_command_runs_in_the_latest_directory(tmp_path: Path) -> None:
    history, one = past(prompt("a"), cwd="/begun", last_cwd=str(tmp_path))
    found = continuation(history, one)
    assert found.resume is not None and found.resume.cwd == str(tmp_path)
    assert found.resume.line == f"cd {tmp_path} && claude --resume {one.native_id}"
    assert found.fork is not None and found.fork.argv[-1] == "--fork-session"


def test_a_line_for_the_shell_is_quoted() -> None:
    command = programs.Command(("claude", "--resume", "$(x); y"), "/a b/'c'")
    assert command.line == """cd '/a b/'"'"'c'"'"'' && claude --resume '$(x); y'"""
    assert programs.Command(("pi",), "-").line == "cd ./- && pi"


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize("name", ["a\nb'c", "esc\x1b[31m\\1", "zero\u200b9", "\udcff7", "目录 $x"])
def test_a_line_says_what_a_screen_does_not_show(name: str) -> None:
    """Copied off the screen it must mean the same directory."""
    line = programs.Command(("printf", "%s", name), "").line
    assert line.isprintable()
    said = subprocess.run(["bash", "-c", line], capture_output=True, check=True).stdout
    assert os.fsdecode(said) == name


def test_forks_where_the_program_has_them() -> None:
    def fork(harness: str, *argv: str):
        made = programs.fork(harness, ResumeCommand(argv, ""))
        return made.argv if made else None

    assert fork("claude", "claude", "--resume", "i") == (
        "claude",
        "--resume",
        "i",
        "--fork-session",
    )
    assert fork("codex", "codex", "resume", "i") == ("codex", "fork", "i")
    assert fork("pi", "pi", "--session", "/p") == ("pi", "--fork", "/p")
    assert fork("opencode", "kilo", "-s", "i") == ("kilo", "-s", "i", "--fork")
    assert fork("gemini", "gemini", "--resume", "i") is None
    assert fork("copilot", "copilot", "--resume=i") is None
    warned = programs.fork("opencode", ResumeCommand(("opencode", "-s", "i"), "/a", "it hangs"))
    assert warned is not None and warned.warning == "it hangs", "as much as of the session itself"


def test_a_subagent_offers_its_parent() -> None:
    child = "claude:agent-00000001"
    history = several(
        (KEY, {}, [prompt("main")]),
        (child, {"kind": SessionKind.SUBAGENT, "parent": KEY}, [answer("x")]),
    )
    (sub,) = history.find(child)
    found = continuation(history, sub)
    assert (found.asked.key, found.session.key) == (child, KEY)
    assert "A subagent cannot be resumed" in found.notes[0]
    orphan = sub._replace(parent="")
    assert continuation(history, orphan).session.key == child


def test_what_will_surprise_is_said() -> None:
    history, one = past(prompt("a"), last_cwd="/nowhere/at/all")
    notes = continuation(history, one).notes
    assert "The directory /nowhere/at/all is gone." in notes
    assert any("not on the PATH" in note for note in notes)
    gone = one._replace(presence=Presence.GONE)
    assert any("Its file is gone" in note for note in continuation(history, gone).notes)


def test_a_program_without_a_command_and_a_reader_that_was_removed(monkeypatch) -> None:
    history, one = past(prompt("a"))

    def removed(_):
        raise ConfigError("no such harness")

    for resume in (removed, lambda _: None):
        monkeypatch.setattr(history, "resume", resume)
        found = continuation(history, one)
        assert found.resume is None and found.fork is None
        assert any("no command to resume" in note for note in found.notes)


def test_the_latest_is_one_a_person_worked_in() -> None:
    sub = session("claude:s", "", kind=SessionKind.SUBAGENT)
    empty, used = session("claude:e", ""), session("claude:u", "", prompts=2)
    assert latest([sub, empty, used]) is used
    assert latest([sub, empty]) is empty
    assert latest([sub]) is None


def test_becoming_a_program_that_is_not_there(tmp_path: Path) -> None:
    for command in (
        programs.Command((sys.executable,), str(tmp_path / "gone")),
        programs.Command(("no-such-program-anywhere",), ""),
        programs.Command(("with\0nul",), ""),
    ):
        with pytest.raises(HandoffError):
            programs.become(command)


def test_a_question_waits_though_choices_follow_it() -> None:
    choices = "Where are you?\n- in WSL?\n- on Linux?\n\nTell me, and I go on."
    assert loose(prompt("a"), answer(choices)) == [(Loose.ASKED, "Where are you?")]
    midway = "你先告诉我是什么品牌（A？B？），这样我能帮你。"
    assert loose(prompt("a"), answer(midway)) == [(Loose.ASKED, midway)]
    coded = "Done:\n```sql\nSELECT a FROM t WHERE b = ?\n```\nIt works."
    assert loose(prompt("a"), answer(coded)) == []
    far = "Why did it fail?\n" + "Because of this.\n" * 6
    assert loose(prompt("a"), answer(far)) == []


def test_an_offer_is_open_too() -> None:
    offer = "Done.\nIf you want, I can commit this to the same branch right now."
    assert loose(prompt("a"), answer(offer)) == [(Loose.OFFERED, offer.split("\n")[1])]
    assert loose(prompt("a"), answer("Done. Let me know if you have questions.")) == []


def test_what_a_person_ran_is_nothing_the_agent_owes() -> None:
    own = [call("!", "find ."), result("./a")]
    assert loose(prompt("a"), answer("Done."), *own) == []


def test_a_prompt_that_was_stopped_is_named_once() -> None:
    stopped = loose(prompt("a"), notice("[Request interrupted by user]"))
    assert stopped == [(Loose.INTERRUPTED, "a")]


@pytest.mark.parametrize("said", ["--yolo", "- one\n- two", "@notes.md read it", "update", "/x"])
def test_a_prompt_is_no_option_file_or_command_of_the_program(said: str) -> None:
    for harness in programs.PROGRAMS:
        made = programs.start(harness, said, "")
        assert made is not None and made.argv[-1] == f" {said}"
        plain = programs.start(harness, "fix the bug", "")
        assert plain is not None and plain.argv[-1] == "fix the bug"
