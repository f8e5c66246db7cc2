"""`realtime_item`: what a person and the agent's voice said to each other.

What the voice hands on to the agent stands in the items as well: it is read there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from recall_tui.harnesses import fields
from recall_tui.harnesses.base import Parsed
from recall_tui.harnesses.codex.said import EVENT, ITEM, keep, known, said
from recall_tui.model import Kind

if TYPE_CHECKING:
    from recall_tui.harnesses.codex.reader import CodexTranscript

_SILENT: Final = frozenset(
    (
        "realtime_session_started", "realtime_session_closed", "bem_item_promoted",
        "turn_input_accepted", "session_end_input_saved",
    )
)  # fmt: skip


def realtime(reader: CodexTranscript, payload: object, line: bytes) -> list[Parsed]:
    """Take an item of a spoken conversation."""
    item = fields.mapping(fields.mapping(fields.decode(line)).get("payload"))
    if "type" not in item:
        item = fields.mapping(item.get("content"))
    kind = fields.text(item.get("type"))
    if kind == "frame":
        voice = fields.mapping(fields.mapping(item.get("channels")).get("voice_transcript"))
        return _heard(reader, voice, EVENT)
    if kind == "transcript_segment":
        return _heard(reader, item, ITEM)
    if kind not in _SILENT:
        reader.unknown[f"realtime_item.{kind or '(no type)'}"] += 1
    return []


def _heard(reader: CodexTranscript, voice: dict[str, object], way: int) -> list[Parsed]:
    """Return what was said, once: a frame and a segment may hold the same words."""
    text = fields.text(voice.get("text"))
    typed = voice.get("role") == "user"
    before = reader.state.prompts if typed else reader.state.answers
    if not text.strip() or known(before, text, way):
        return []
    keep(before, said(text, way))
    kind = reader.typed if typed else Kind.ANSWER
    return [Parsed(kind, text, model="" if typed else reader.state.model)]
