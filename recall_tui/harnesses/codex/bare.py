"""Items without an envelope: the second generation, the first one's items, and chat shapes.

None of them has a time of its own. The ids the service gives begin with the second in which they
were made (`msg_68b161b6...`), which dates the answers; everything else stands between two of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from recall_tui.clock import from_iso, from_number
from recall_tui.harnesses.arguments import leaves
from recall_tui.harnesses.codex import items, origin
from recall_tui.harnesses.codex.records import Bare, Meta, decode
from recall_tui.harnesses.jsonl import BadLine

if TYPE_CHECKING:
    from recall_tui.harnesses.base import Parsed
    from recall_tui.harnesses.codex.reader import CodexTranscript

_DATED: Final = ("msg", "rs", "fc", "ctc", "ws")
_MINUTE_MS: Final = 60_000
_QUARTER_MS: Final = 90 * 86_400_000
"""An id dated further from the session's start is not a date."""


def line(reader: CodexTranscript, text: bytes) -> list[Parsed]:
    """Take a line of the second generation.

    Raises:
        BadLine: It is an object of no known shape.
    """
    found = decode(text, Bare)
    if found.record_type is not None:
        return []
    state = reader.state
    if not found.type and not found.role:
        if found.id is None or not isinstance(found.timestamp, str):
            raise BadLine
        state.bare = True
        origin.take_meta(reader, decode(text, Meta))
        state.now = state.now or reader.facts.started_ms
        return []
    state.bare = True
    return item(reader, found)


def item(reader: CodexTranscript, found: Bare) -> list[Parsed]:
    """Take one item, in the shape of either of the service's interfaces."""
    state = reader.state
    state.now = _time(reader, found)
    if found.type in ("tool_result", "function_result") or found.role == "tool":
        state.items = True
        result = found.content if found.role == "tool" else found.result
        text = result if isinstance(result, str) else "\n".join(leaves(result))
        return [items.resulting(reader, found.tool_call_id or found.call_id or "", text)]
    if found.function is not None:
        state.items = True
        arguments = found.arguments if found.arguments is not None else found.function.arguments
        name = found.function.name or ""
        return [items.calling(reader, found.call_id or "", name, arguments)]
    if found.content is None and found.message is not None:
        found.content = found.message
    said = items.item(reader, found, b"{}") if found.type or found.content else []
    for call in found.tool_calls or ():
        if call.function is not None:
            function = call.function
            said.append(
                items.calling(reader, call.id or "", function.name or "", function.arguments)
            )
    return said


def _time(reader: CodexTranscript, found: Bare) -> int:
    """Return when an item was written, or the last known time; times never go back."""
    now = reader.now
    stamp = found.created_at or found.timestamp
    if isinstance(stamp, str):
        return from_iso(stamp) or now
    if stamp:
        return from_number(stamp)
    prefix, _, tail = (found.id or "").partition("_")
    if prefix in _DATED and len(tail) >= 32:
        try:
            made = int(tail[:8], 16) * 1000
        except ValueError:
            return now
        started = reader.facts.started_ms
        if started and started - _MINUTE_MS <= made <= started + _QUARTER_MS:
            return max(made, now)
    return now
