"""The text a pattern runs on: a message in NFC, each redaction mark one character out of reach.

Three shapes of a message meet here. *Marked* text is what the store keeps, *plain* text is what a
pattern is laid over, *folded* text is what letters are compared in. A span found in the fold ends
up as characters of what a person reads; `Ruler` measures between the two.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from recall_tui.text.fold import fold, joins
from recall_tui.text.late import late
from recall_tui.text.marks import OPEN, plain_pieces

if TYPE_CHECKING:
    from collections.abc import Iterator

MARK: Final = OPEN
"""Stands for a whole redaction mark in plain text. `sanitize` keeps it out of every source."""

_STEP: Final = 512
"""Characters folded at once: enough for C to do the work, few enough that looking into one stretch
cluster by cluster is not felt."""

_SAFE: Final = late(f"[\x00-\x7f{MARK}]")
"""Characters that compose with nothing before them: fold(a + b) = fold(a) + fold(b) at each."""

_TURKIC: Final = "iI\u0130\u0131"
"""The one family of letters that `regex` compares across folds when it ignores case."""


def nfc(text: str) -> str:
    """Return the text in NFC, so that an accent typed either way is the same letter."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def as_needle(folded: str) -> bytes:
    """Return folded text as bytes to look for; a lone surrogate becomes bytes no text has."""
    return folded.encode("utf-8", "surrogatepass")


def plain(marked: str) -> str:
    """Return marked text in NFC with every redaction mark replaced by `MARK`."""
    if OPEN in marked:
        marked = MARK.join(plain_pieces(marked))
    return nfc(marked)


def stretches(text: str) -> Iterator[tuple[int, int]]:
    """Yield the [start, end) of the stretches of plain text between redaction marks."""
    start = 0
    while (end := text.find(MARK, start)) >= 0:
        yield start, end
        start = end + 1
    yield start, len(text)


def solid(literal: str, *, turkic: bool) -> list[bytes]:
    """Return needles for the parts of a literal that the fold of every text holding it holds.

    Folding ends in NFC, so the fold of a letter depends on what stands beside it: `J` and a caron
    are two characters, `j` and a caron are one. Ends that could so change are cut off.

    Args:
        literal: NFC, as it stands in the text up to the case of its letters.
        turkic: Cut at every kind of i: ignoring case, `regex` takes dotted and dotless for one.
    """
    pieces = re.split(f"[{_TURKIC}]", literal) if turkic else [literal]
    return [as_needle(fold(steady)) for piece in pieces if (steady := _steady(piece))]


def _steady(piece: str) -> str:
    """Return the piece without marks at its start and without an unsteady letter at its end."""
    start, end = 0, len(piece)
    while start < end and joins(piece[start]):
        start += 1
    last = end
    while last > start and joins(piece[last - 1]):
        last -= 1
    if last > start and (last < end or _unsteady(piece[last - 1])):
        end = last - 1
    return piece[start:end]


def _unsteady(char: str) -> bool:
    """Whether the fold of a letter may compose with a mark that the letter itself does not."""
    if char.isascii():
        return char in "hjtwyHJTWY"
    return char.upper() != char.lower()


class Ruler:
    """Measures a text against its fold, which may be longer or shorter (sharp s, accents).

    Spans must be asked for in ascending order: the ruler is slid along the text, and only the
    stretches that hold an end of a span are looked into.
    """

    __slots__ = ("_base", "_chars", "_edges", "_end", "_limit", "_start", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._start = self._end = 0
        self._base = self._limit = 0
        self._edges: range | list[int] = []
        self._chars: range | list[int] = []

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the whole characters of the text that a non-empty span of its fold covers."""
        if self._text.isascii():
            return start, end
        first = self._cluster(start)[0]
        return first, self._cluster(end - 1)[1]

    def _cluster(self, offset: int) -> tuple[int, int]:
        """Return the [start, end) of the characters that made the folded one at an offset."""
        while offset >= self._limit and self._end < len(self._text):
            self._slide()
        if not self._edges:
            self._look()
        index = min(bisect_right(self._edges, offset), len(self._edges) - 1)
        return self._chars[index], self._chars[index + 1]

    def _slide(self) -> None:
        """Move on to the next stretch."""
        self._start, self._base = self._end, self._limit
        safe = _SAFE.search(self._text, self._start + _STEP)
        self._end = safe.start() if safe else len(self._text)
        self._limit = self._base + len(fold(self._text[self._start : self._end]))
        self._edges = []

    def _look(self) -> None:
        """Note where each cluster of the stretch begins, and where its fold ends."""
        text, at, folded = self._text, self._start, self._base
        stretch = text[at : self._end]
        if len(stretch) == self._limit - folded and stretch.casefold() == fold(stretch):
            # No letter became shorter than one, so each became one.
            self._edges = range(folded + 1, self._limit + 1)
            self._chars = range(at, self._end + 1)
            return
        edges, chars = [], [at]
        while at < self._end:
            end = at + 1
            while end < self._end and joins(text[end]):
                end += 1
            folded += len(fold(text[at:end]))
            edges.append(folded)
            chars.append(end)
            at = end
        self._edges, self._chars = edges, chars
