"""The pause switch: fail closed, and no command gets past it."""

from __future__ import annotations

import os

import pytest

from recall_tui.cli import COMMANDS
from recall_tui.errors import PausedError
from recall_tui.privacy import FILE, is_paused, pause, unpause
from tests.contracts.conftest import machine, session_id  # noqa: F401 - a fixture

KEY = f"claude:{session_id('one')}"
SILENT = {"config", "doctor", "spec", "pause", "unpause"}
"""Commands that read no history."""
READING = [
    ["search", "zqword"], ["grep", "zqword"], ["grep", "zqword", "--count"],
    ["grep", "zqword", "--raw"],
    ["sessions"], ["show", KEY], ["more", f"{KEY}#0"],
    ["material", f"{KEY}#0", "x"], ["related"], ["relations", KEY], ["continue", KEY],
    ["repeat", KEY], ["handoff", KEY], ["export", KEY], ["skill", KEY], ["index"],
    ["forget", KEY], ["mcp"],
]  # fmt: skip
BROKEN = [
    "", "{", "[]", "null", '{"paused": 0}', '{"paused": "no"}', '{"stopped": true}', "x" * 9999,
]  # fmt: skip


def test_every_command_is_one_that_reads_or_one_that_does_not() -> None:
    assert {words[0] for words in READING} | SILENT == set(COMMANDS)


@pytest.mark.contract("S0-19")
def test_only_what_says_so_is_open(tmp_path) -> None:
    assert not is_paused(str(tmp_path / "nowhere"))
    assert not is_paused(str(tmp_path))
    file = tmp_path / FILE
    file.write_text('{"paused": false}')
    assert not is_paused(str(tmp_path))
    for state in BROKEN:
        file.write_text(state)
        assert is_paused(str(tmp_path)), state
    file.unlink()
    file.symlink_to(tmp_path / "nowhere")
    assert is_paused(str(tmp_path))
    file.unlink()
    file.mkdir()
    assert is_paused(str(tmp_path))
    assert is_paused(str(tmp_path / "file" / "below")) is False
    (tmp_path / "plain").write_text("")
    assert is_paused(str(tmp_path / "plain"))


def test_pausing_is_private_and_ends_whatever_the_state(tmp_path) -> None:
    folder = str(tmp_path / "data")
    unpause(folder)
    pause(folder)
    pause(folder)
    assert is_paused(folder)
    assert os.stat(os.path.join(folder, FILE)).st_mode & 0o777 == 0o600
    (tmp_path / "data" / FILE).write_text("{")
    unpause(folder)
    assert not is_paused(folder)
    assert os.listdir(folder) == []


@pytest.mark.contract("S0-19")
@pytest.mark.parametrize("state", [None, "{"], ids=["paused", "unreadable"])
def test_every_read_command_refuses_with_one_reason(machine, state) -> None:  # noqa: F811
    machine.talk("one", "zqword")
    assert machine.recall("grep", "zqword").code == 0
    assert machine.recall("pause").code == 0
    if state is not None:
        (machine.data / FILE).write_text(state)
    before = {path: path.read_bytes() for path in machine.data.iterdir()}
    for words in READING:
        ran = machine.recall(*words)
        if words == ["mcp"]:  # its tools are asked one by one: tests/mcp_server
            assert ran.code in (2, 3)
            continue
        assert ran.code == 3, words
        assert "paused" in ran.err and "recall unpause" in ran.err, words
        assert ran.out == "" and "zqword" not in ran.err, words
    told = machine.recall("doctor", "--json")
    assert told.code == 0
    assert [c["name"] for c in told.json["checks"] if c["section"] == "privacy"] == ["paused"]
    assert "zqword" not in told.out
    assert {path: path.read_bytes() for path in machine.data.iterdir()} == before
    assert machine.recall("unpause", "--json").json["paused"] is False
    assert machine.recall("grep", "zqword").code == 0
    assert "privacy" not in machine.recall("doctor").out


def test_nothing_a_front_holds_gets_at_text(machine) -> None:  # noqa: F811
    machine.talk("one", "zqword")
    with machine.history() as history:
        (session,) = history.sessions()
        (message,) = history.messages(session)
        pause(history.paths.data)
        for call in (
            history.sessions, history.reach, history.gaps, history.sync, history.catch_up,
            history.version, lambda: history.messages(session), lambda: history.children(session),
            lambda: history.skeleton(session), lambda: history.find(session.key),
            lambda: history.resolve(message.reference),
            lambda: history.material(message.reference, "x"),
        ):  # fmt: skip
            with pytest.raises(PausedError):
                call()


def test_a_watch_waits_for_the_end_of_a_pause(machine, monkeypatch) -> None:  # noqa: F811
    machine.talk("one", "zqword")
    pause(str(machine.data))
    monkeypatch.setattr("recall_tui.upkeep.PAUSE_S", 0.01)
    asked, seen = [], []

    def stop() -> bool:
        asked.append(1)
        if len(asked) == 5:
            assert not seen
            unpause(str(machine.data))
        return bool(seen) or len(asked) > 500

    with machine.history() as history:
        history.watch(lambda done: seen.append(done.sessions) if done.done else None, stop)
    assert seen == [1]
