"""Small sessions for playbooks: told as a list of events, held by the fake history."""

from __future__ import annotations

from recall_tui.model import Flag, Kind, Session
from tests.cli.fake import NOON, FakeHistory, session, talk

KEY = "claude:0a1b2c3d-0000-4000-8000-000000000001"


def prompt(text: str, **more) -> tuple:
    return (Kind.PROMPT, text, more)


def answer(text: str, **more) -> tuple:
    return (Kind.ANSWER, text, more)


def call(tool: str, text: str, name: str = "c1", *, seen: int = -1) -> tuple:
    return (Kind.TOOL_CALL, text, {"tool": tool, "call": name, "horizon": seen})


def result(text: str, name: str = "c1", *, failed: bool = False) -> tuple:
    return (Kind.TOOL_RESULT, text, {"call": name, "flags": int(Flag.FAILED) if failed else 0})


def edit(path: str, name: str = "e1") -> list[tuple]:
    return [call("Edit", f"{path}\nold\nnew", name, seen=len(path)), result("ok", name)]


def run(command: str, output: str = "", *, name: str = "r1", failed: bool = False) -> list[tuple]:
    return [call("Bash", command, name), result(output, name, failed=failed)]


def notice(text: str, *, failed: bool = False) -> tuple:
    return (Kind.NOTICE, text, {"flags": int(Flag.FAILED) if failed else 0})


def past(*events: tuple, **fields) -> tuple[FakeHistory, Session]:
    """A history of one session, and the session."""
    made = session(KEY, fields.pop("title", "A task"), **fields)
    history = FakeHistory({made: talk(KEY, NOON, *events)})
    return history, next(iter(history.held))


def several(*told: tuple[str, dict, list[tuple]]) -> FakeHistory:
    """A history of several sessions: (key, fields of the session, events)."""
    return FakeHistory(
        {
            session(key, fields.pop("title", key), **fields): talk(key, start, *events)
            for key, fields, events in told
            for start in [fields.pop("at", NOON)]
        }
    )
