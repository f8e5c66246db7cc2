"""What counts as part of a word, for the whole-word check of every search."""

from __future__ import annotations

import unicodedata


def is_word(char: str) -> bool:
    """Return whether one character belongs to a word.

    Letters, digits, the underscore and combining marks, in any script. Scripts without spaces are
    no exception: a Chinese word inside a longer run of Chinese is not a whole word.
    """
    return char == "_" or char.isalnum() or unicodedata.category(char)[0] == "M"


def whole_word(folded: bytes, start: int, end: int) -> bool:
    """Return whether a match [start, end) of folded bytes touches no word character outside it.

    The edges of a message (byte 0xFF) and a redacted secret (byte 0xFE) are no word characters.
    """
    return not (
        (start > 0 and is_word(_before(folded, start)))
        or (end < len(folded) and is_word(_after(folded, end)))
    )


def _before(data: bytes, at: int) -> str:
    """The character that ends at an offset; a space for a byte that is none."""
    low = at - 1
    while low > 0 and at - low < 4 and 0x80 <= data[low] < 0xC0:
        low -= 1
    return data[low:at].decode("utf-8", "ignore")[-1:] or " "


def _after(data: bytes, at: int) -> str:
    """The character that starts at an offset; a space for a byte that is none."""
    lead = data[at]
    length = 1 if lead < 0xC0 or lead > 0xF7 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
    return data[at : at + length].decode("utf-8", "ignore")[:1] or " "
