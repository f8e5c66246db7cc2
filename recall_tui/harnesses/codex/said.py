"""Texts that are said in several ways: as an item, an event, a completed item, a review's result.

The ways come within a few lines of each other, in any order. The first one is shown; the others
are known by its text and by the ways in which it has been said so far, so that a person who says
"continue" twice has said it twice.
"""

from __future__ import annotations

from typing import Final

import msgspec

ITEM: Final = 1
EVENT: Final = 2
COMPLETED: Final = 4
REVIEW: Final = 8

_KEY: Final = 2000
"""Characters of a text that its other forms are known by."""

_REMEMBERED: Final = 4
"""Texts whose other forms may still come."""

_LEAST: Final = 20
"""A shorter text must be equal: it may stand in another by chance."""


class Said(msgspec.Struct, array_like=True):
    """A text that was shown, and in which ways it was said so far."""

    key: str
    length: int
    ways: int

    def fits(self, text: str) -> bool:
        """Say whether a text is another form of this one: equal, or with its frame stripped."""
        other = text.strip()
        if len(other) == self.length:
            return other[:_KEY] == self.key
        if min(len(other), self.length) < _LEAST:
            return False
        return self.key in other[: 2 * _KEY] or other[:_KEY] in self.key


def said(text: str, way: int) -> Said:
    """Return what a shown text is remembered by."""
    text = text.strip()
    return Said(text[:_KEY], len(text), way)


def known(entries: list[Said], text: str, way: int) -> bool:
    """Say whether a text is another form of one that was shown, and remember that it came."""
    for entry in reversed(entries):
        if not entry.ways & way and entry.fits(text):
            entry.ways |= way
            return True
    return False


def repeated(entries: list[Said], text: str) -> bool:
    """Say whether a text is one that was shown, whichever ways it was said in."""
    return any(entry.fits(text) for entry in entries)


def keep(entries: list[Said], entry: Said) -> None:
    """Remember a text that is shown."""
    entries.append(entry)
    if len(entries) > _REMEMBERED:
        del entries[0]
