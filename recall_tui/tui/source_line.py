"""Where in its source a message stands: the line an editor is opened at."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Final

from recall_tui.clock import to_iso
from recall_tui.errors import SourceError
from recall_tui.text.marks import plain_pieces

if TYPE_CHECKING:
    from recall_tui.model import Message, Session

_NEEDLE_CHARS: Final = 60
_MOST_BYTES: Final = 512 << 20
"""A source larger than this is opened at its start."""

_WORDS: Final = re.compile(r"[^\n\t]{4,}")


def line_of(session: Session, message: Message | None) -> int:
    """Return the line of a session's source that most likely holds a message, from 1.

    Sources are lines of JSON: the line is the first that holds the message's longest words as
    JSON writes them, among those of its time when any is. 1 when none does.

    Raises:
        SourceError: The source is gone or cannot be read.
    """
    try:
        size = os.stat(session.path).st_size
        if message is None or session.part or size > _MOST_BYTES:
            return 1
        needles = _needles(message)
        moment = to_iso(message.time_ms)[:19].encode() if message.time_ms else b""
        return _search(session.path, needles, moment)
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


def _search(path: str, needles: list[bytes], moment: bytes) -> int:
    first = timed = 0
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            on_time = bool(moment) and moment in line
            timed = timed or (number if on_time else 0)
            if any(needle in line for needle in needles):
                if on_time or not moment:
                    return number
                first = first or number
    return first or timed or 1
