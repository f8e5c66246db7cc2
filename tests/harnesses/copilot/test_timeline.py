"""Sessions of Copilot CLI from before it wrote events."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from recall_tui.harnesses.copilot import Copilot
from recall_tui.model import Kind
from tests.harnesses.copilot.build import SESSION, START, timeline
from tests.harnesses.steps import source_of

NAME = f"session_{SESSION}_{START}.json"
LIST = {"callId": "c1", "name": "bash", "intentionSummary": "List files"}


@pytest.fixture
def old(home: Path) -> Path:
    folder = home / ".copilot" / "history-session-state"
    folder.mkdir(parents=True)
    return folder


def read(path: Path) -> tuple[list[Any], Any]:
    transcript = Copilot().open(source_of(Copilot(), path))
    return list(transcript), transcript


def test_they_are_found_from_any_root_and_cannot_be_resumed(home: Path, old: Path) -> None:
    path = old / NAME
    path.write_bytes(timeline({"type": "user", "text": "go"}))
    copilot = Copilot()
    assert str(old) in copilot.roots({}, str(home))
    for root in (home, home / ".copilot", old, path):
        (source,) = copilot.discover(str(root), [])
        assert (source.path, source.native_id) == (str(path), SESSION)
    elsewhere = home / "copy.json"
    elsewhere.write_bytes(path.read_bytes())
    assert source_of(copilot, elsewhere).native_id == SESSION
    (home / "session_a_1.json").write_text("{}")
    assert not list(copilot.discover(str(home / "session_a_1.json"), []))


def test_what_the_screen_showed(old: Path) -> None:
    path = old / NAME
    path.write_bytes(
        timeline(
            {"type": "info", "text": "Logged in"},
            {"type": "user", "text": "list the files"},
            {"type": "copilot", "text": "Here they are."},
            {
                "type": "tool_call_completed",
                "arguments": {"command": "ls"},
                "result": {"type": "success", "log": "a.py"},
            }
            | LIST,
            {
                "type": "tool_call_completed",
                "arguments": {"command": "rm a.py"},
                "result": {"type": "denied", "log": ""},
            }
            | LIST,
            {"type": "tool_call_requested", "arguments": {"command": "top"}} | LIST,
            {"type": "error", "text": "503"},
            {"type": "hologram", "text": "x"},
            chat=({"role": "user", "content": "zqtwice"},),
        )
    )
    messages, transcript = read(path)
    assert [(m.kind, m.text, m.failed) for m in messages] == [
        (Kind.NOTICE, "Logged in", False),
        (Kind.PROMPT, "list the files", False),
        (Kind.ANSWER, "Here they are.", False),
        (Kind.TOOL_CALL, "ls\nList files", False),
        (Kind.TOOL_RESULT, "a.py", False),
        (Kind.TOOL_CALL, "rm a.py\nList files", False),
        (Kind.TOOL_RESULT, "denied", True),
        (Kind.TOOL_CALL, "top\nList files", False),
        (Kind.NOTICE, "503", True),
    ]
    assert (messages[1].time_ms, messages[2].model) == (START + 1000, "claude-sonnet-4.5")
    assert dict(transcript.unknown) == {"timeline/hologram": 1}
    assert transcript.facts.models == ["claude-sonnet-4.5"]
    assert (transcript.facts.started_ms, transcript.facts.ended_ms) == (START, START + 6000)


def test_a_run_without_a_screen_is_read_from_what_the_model_saw(old: Path) -> None:
    path = old / NAME
    function = {"name": "bash", "arguments": '{"command": "ls"}'}
    path.write_bytes(
        timeline(
            chat=(
                {"role": "system", "content": "zqsystem"},
                {"role": "user", "content": "list files\n\n<reminder>zq</reminder>"},
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [{"id": "c1", "type": "function", "function": function}],
                },
                {"role": "tool", "tool_call_id": "c1", "content": "a.py"},
                {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
            )
        )
    )
    messages, _ = read(path)
    assert [(m.kind, m.text, m.call) for m in messages] == [
        (Kind.PROMPT, "list files", ""),
        (Kind.TOOL_CALL, "ls", "c1"),
        (Kind.TOOL_RESULT, "a.py", "c1"),
        (Kind.ANSWER, "Done.", ""),
    ]
    assert {m.time_ms for m in messages} == {START}


def test_a_file_that_is_being_rewritten_is_torn(old: Path) -> None:
    path = old / NAME
    path.write_bytes(timeline({"type": "user", "text": "go"})[:-40])
    messages, transcript = read(path)
    assert (messages, transcript.torn) == ([], True)


@pytest.mark.parametrize("shown", [True, False])
def test_edits_are_marked(old: Path, shown: bool) -> None:
    arguments = {"path": "f", "old_str": "a", "new_str": "b"}
    call = {"callId": "c1", "name": "edit", "arguments": arguments}
    entry = {"type": "tool_call_requested"} | call
    function = {"name": "edit", "arguments": json.dumps(arguments)}
    chat = {"role": "assistant", "tool_calls": [{"id": "c1", "function": function}]}
    said = ({"type": "user", "text": "go"}, entry) if shown else ()
    path = old / NAME
    path.write_bytes(timeline(*said, chat=(chat,)))
    assert [m.changes for m in read(path)[0] if m.kind is Kind.TOOL_CALL] == [(3, 1, 1, 1)]
