"""Where in its source a message stands: the line an editor is opened at."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Final

from recall_tui.clock import to_iso
from recall_tui.errors import SourceError
from recall_tui.model import Kind
from recall_tui.text.marks import plain_pieces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recall_tui.model import Message, Session

_NEEDLE_CHARS: Final = 60
_MOST_BYTES: Final = 512 << 20
"""A source larger than this is opened at its start."""

_WORDS: Final = re.compile(r"[^\n\t]{4,}")


def line_of(session: Session, message: Message | None) -> int:
    """Return the line of a session's source that most likely holds a message, from 1.

    Sources are lines of JSON: the line is one with the id that pairs a call with its output, with
    the message's longest words as JSON writes them, and with its time; of equals the first. 1 when
    none has any of these.

    Raises:
        SourceError: The source is gone or cannot be read.
    """
    try:
        size = os.stat(session.path).st_size
        if message is None or session.part or size > _MOST_BYTES:
            return 1
        moment = to_iso(message.time_ms).encode()
        signs = [
            ([json.dumps(message.call)[1:-1].encode()] if message.call else [], 8),
            (_needles(message), 4),
            ([moment[:23]] if moment else [], 2),
            ([moment[:19]] if moment else [], 1),
        ]
        return _search(
            session.path,
            [(words, worth) for words, worth in signs if words],
            last=message.kind is Kind.TOOL_RESULT,
        )
    except OSError as error:
        raise SourceError(
            f"{session.path} cannot be read: {error.strerror or error}", "its text is kept here"
        ) from error


def _needles(message: Message) -> list[bytes]:
    """Return a message's most telling words, as JSON may write them."""
    rows = [row for piece in plain_pieces(message.text) for row in _WORDS.findall(piece)]
    if not rows:
        return []
    told = max(rows[:200], key=len)[:_NEEDLE_CHARS]
    forms = {json.dumps(told, ensure_ascii=plain)[1:-1] for plain in (True, False)}
    return [form.encode("utf-8", "replace") for form in forms]


def _search(path: str, signs: Sequence[tuple[Sequence[bytes], int]], *, last: bool) -> int:
    """Return the line that has most of some signs, the first or the last of equals.

    Args:
        path: The source.
        signs: Words of which a line has one or none, and what that is worth.
        last: Take the last of equals: the output of a call stands below it.
    """
    most = sum(worth for _, worth in signs)
    best, found = 0, 1
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            held = sum(worth for words, worth in signs if any(word in line for word in words))
            if held > best or (last and held == best > 0):
                best, found = held, number
            if held == most and not last:
                break
    return found
