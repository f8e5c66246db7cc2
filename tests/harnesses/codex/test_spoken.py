"""A spoken conversation, as Codex 0.171 describes it in its own schema."""

from __future__ import annotations

from typing import Any

import pytest

from recall_tui.model import Kind
from tests.harnesses.codex.build import Rollout


def frame(role: str, text: str) -> dict[str, Any]:
    return {"type": "frame", "channels": {"voice_transcript": {"role": role, "text": text}}}


@pytest.mark.parametrize("nested", [False, True])
def test_what_was_said_is_read_once(read: Any, *, nested: bool) -> None:
    rollout = Rollout()
    items = [
        {"type": "realtime_session_started"},
        frame("user", "what does the build say"),
        {"type": "transcript_segment", "role": "user", "text": "what does the build say"},
        {"type": "transcript_segment", "role": "assistant", "text": "it is red"},
        frame("user", "again"),
        frame("user", "again"),
        {
            "type": "turn_input_accepted",
            "input": "the build",
            "input_item_id": "i",
            "mode": "start",
        },
        {"type": "bem_item_promoted", "item_id": "i"},
        {"type": "session_end_input_saved", "input": "the build"},
        {"type": "realtime_session_closed", "outcome": "ended"},
    ]
    for number, item in enumerate(items):
        base = {"id": f"r{number}", "realtime_session_id": "s"}
        rollout.line("realtime_item", base | ({"content": item} if nested else item))
    messages, transcript = read(rollout)
    assert [(m.kind, m.text) for m in messages] == [
        (Kind.PROMPT, "what does the build say"),
        (Kind.ANSWER, "it is red"),
        (Kind.PROMPT, "again"),
        (Kind.PROMPT, "again"),
    ]
    assert all(m.time_ms for m in messages)
    assert not transcript.unknown


def test_another_kind_of_spoken_item_is_counted(read: Any) -> None:
    rollout = Rollout()
    rollout.line("realtime_item", {"id": "r", **frame("user", "hello")})
    for payload in ({"type": "hologram"}, {"content": 5}, {}):
        rollout.line("realtime_item", payload)
    _, transcript = read(rollout)
    assert transcript.unknown.total() == 3
