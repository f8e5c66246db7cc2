"""Characters that nobody sees inside of a word: a secret that holds one still is one.

Web pages put zero-width spaces where a long word may break, and whoever copies a key from there has
them. Between letters of other scripts, and behind a picture, these characters mean something; only
between two characters of ASCII do they not.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from recall_tui.text.late import late

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_RANGES: Final = (
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x180E, 0x180E),
    (0x200B, 0x200F), (0x2060, 0x2064), (0x206A, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xE0001, 0xE007F), (0xE0100, 0xE01EF),
)  # fmt: skip
"""First and last code points of those characters: joiners, marks of direction, fillers, tags."""


def _in_utf8() -> Iterator[bytes]:
    """Yield what matches the characters in UTF-8: each pattern those with the same first bytes."""
    for first, last in _RANGES:
        for start in (first, *range((first | 0x3F) + 1, last + 1, 0x40)):
            low, high = chr(start).encode(), chr(min(last, start | 0x3F)).encode()
            yield re.escape(low[:-1]) + b"[" + low[-1:] + b"-" + high[-1:] + b"]"


_UNSEEN: Final = late(f"[{''.join(f'{chr(first)}-{chr(last)}' for first, last in _RANGES)}]")
_BETWEEN: Final = late(b"(?<=[!-~])(?:" + b"|".join(_in_utf8()) + b")+(?=[!-~])")
"""The same in UTF-8, between two characters of ASCII."""


def may_split(raw: bytes, beyond: str) -> bool:
    """Return whether one of these characters stands behind a character of ASCII.

    Args:
        raw: UTF-8.
        beyond: All its characters beyond ASCII, which are few.
    """
    for char in set(_UNSEEN.findall(beyond)):
        encoded = char.encode()
        at = raw.find(encoded)
        while at >= 0:
            if at and 0x20 < raw[at - 1] < 0x7F:
                return True
            at = raw.find(encoded, at + len(encoded))
    return False


def without(raw: bytes) -> tuple[bytes, Callable[[int], int]] | None:
    """Return a UTF-8 text without them, and what tells where an offset lies in the whole text.

    None when there are none.
    """
    if _BETWEEN.search(raw) is None:
        return None
    pieces = []
    starts, removed = [0], [0]
    at = 0
    for gap in _BETWEEN.finditer(raw):
        pieces.append(raw[at : gap.start()])
        at = gap.end()
        removed.append(removed[-1] + at - gap.start())
        starts.append(at - removed[-1] + 1)  # an end right before a gap lies before it
    pieces.append(raw[at:])

    def place(offset: int) -> int:
        return offset + removed[bisect_right(starts, offset) - 1]

    return b"".join(pieces), place
