"""Characters that nobody sees inside of a word: a secret that holds one still is one.

Web pages put zero-width spaces where a long word may break, and whoever copies a key from there has
them. Between letters of other scripts, and behind a picture, these characters mean something; only
between two characters of ASCII do they not.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from recall_tui.text.late import late

if TYPE_CHECKING:
    from collections.abc import Callable

_UNSEEN: Final = late(
    "[\u00ad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u2060-\u2064\u206a-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\U000e0001-\U000e007f\U000e0100-\U000e01ef]"
)
_BETWEEN: Final = late(
    rb"(?<=[!-~])(?:\xc2\xad|\xcd\x8f|\xd8\x9c|\xe1\x85[\x9f\xa0]|\xe1\xa0\x8e|\xe2\x80[\x8b-\x8f]"
    rb"|\xe2\x81[\xa0-\xa4\xaa-\xaf]|\xe3\x85\xa4|\xef\xb8[\x80-\x8f]|\xef\xbb\xbf|\xef\xbe\xa0"
    rb"|\xf3\xa0[\x80\x81\x84-\x87][\x80-\xbf])+(?=[!-~])"
)
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
