"""Styled lines: what the line-API widgets draw, before a theme turns them into colours.

A `Line` is a row of (text, ink) pieces; an ink is a name of `ink.INKS`. Lines know nothing of
themes, so they can be made in a worker thread and kept while the theme changes. Every text that
enters one passes `clean`: no control character can reach the terminal from here, whatever a
transcript, a title or a path holds.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeAlias
from unicodedata import category

from rich.cells import cell_len, split_graphemes

from recall_tui.named import NamedTuple
from recall_tui.text.cut import ELLIPSIS
from recall_tui.text.sanitize import sanitize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Piece: TypeAlias = tuple[str, str]
"""A text and the ink it is drawn with; the empty ink is plain."""

Span: TypeAlias = tuple[int, int, str]
"""Start, end (characters) and ink of a stretch of a text."""

Finder: TypeAlias = "Callable[[str], Iterable[tuple[int, int]]]"
"""Returns the spans to highlight in a line of shown text."""

TAB_CELLS: Final = 4
_SEAMS: Final = frozenset("/\\_-.,:;=&?")
_SEAM_CHARS: Final = 12
"""So far before the edge a path or a link is broken rather than in the middle of a name."""

_WORD: Final = re.compile(r"\s+|\S+")

FLOWING: Final = "\u0900-\u0dff\u0e00-\u0eff\u0f00-\u109f\u1780-\u18ff\u1a00-\u1c4f\ua800-\uabff"
"""Scripts whose letters join, as a range of a pattern: Devanagari to Thai, Burmese, Khmer."""

_FLOWS: Final = re.compile(f"[{FLOWING}]")


class Line(NamedTuple):
    """One row of the screen."""

    pieces: tuple[Piece, ...]
    fill: str = ""
    """Ink under the row (a band, a code block)."""
    inset: int = 0
    """Cells at the left that the fill leaves out; a piece ends there."""

    @property
    def text(self) -> str:
        """The characters of the row, without styles."""
        return "".join(text for text, _ in self.pieces)

    @property
    def cells(self) -> int:
        """The cells the row takes."""
        return sum(cell_len(text) for text, _ in self.pieces)


BLANK: Final = Line(())


def no_matches(_text: str) -> Iterable[tuple[int, int]]:
    """Find nothing: the finder where there is no query."""
    return ()


def clean(text: str) -> str:
    """Return untrusted text fit for one row: no control character, tabs as spaces."""
    if text.isascii() and text.isprintable():
        return text
    return sanitize(text).replace("\t", " " * TAB_CELLS).replace("\n", " ")


def cut(text: str, cells: int) -> str:
    """Return the text within `cells` cells, the last one an ellipsis when something went."""
    if len(text) <= cells and text.isascii():
        return text
    # A character is at least a third of a cell on average in any real text: bound the work.
    head = text[: cells * 4 + 8]
    if len(head) == len(text) and cell_len(text) <= cells:
        return text
    if cells <= 0:
        return ""
    used = 0
    for start, _, width in split_graphemes(head)[0]:
        if used + width > cells - 1:
            return head[:start] + ELLIPSIS
        used += width
    return head + ELLIPSIS


def pad(text: str, cells: int) -> str:
    """Return the text cut or filled with spaces to exactly `cells` cells."""
    text = cut(text, cells)
    return text + " " * (cells - cell_len(text))


def spare_cells(text: str) -> int:
    """Return the cells a text may take beyond those it is counted with.

    Terminals give a vowel sign that stands beside its letter a cell of its own; Rich does not.
    """
    if text.isascii() or not _FLOWS.search(text):
        return 0
    return sum(category(char) == "Mc" for char in text)


def breaks(text: str, width: int, hang: int = 0) -> list[int]:
    """Return the character offsets at which a text wraps: words whole, wide scripts anywhere.

    Args:
        text: Cleaned text, without line breaks.
        width: Cells of the first row, at least 1.
        hang: Cells by which later rows are narrower.
    """
    if len(text) <= width and text.isascii():
        return []
    cuts: list[int] = []
    room = width
    rest = max(1, width - hang)
    for match in _WORD.finditer(text):
        start, word = match.start(), match.group()
        spare = spare_cells(word)
        size = cell_len(word) + spare
        if size <= room:
            room -= size
            continue
        if word[0].isspace():
            room = 0
            continue
        if size <= rest and (spare or word.isascii()):
            cuts.append(start)
            room = rest - size
            continue
        if room < min(rest, 8) and word.isascii():
            cuts.append(start)
            room = rest
        if word.isascii():
            at, before = start + room, start
            while at < match.end():
                before = _seam(text, before, at)
                cuts.append(before)
                at = before + rest
            room = rest - (match.end() - cuts[-1]) if cuts else room - size
            continue
        for low, _, cells in split_graphemes(word)[0]:
            if cells > room:
                cuts.append(start + low)
                room = rest
            room -= cells
    return [at for at in dict.fromkeys(cuts) if 0 < at < len(text)]


def _seam(text: str, low: int, high: int) -> int:
    """Return where a long word breaks best: behind the last sign between names, else at `high`."""
    near = max(low + 1, high - _SEAM_CHARS)
    return next((at for at in range(high, near, -1) if text[at - 1] in _SEAMS), high)


def styled(text: str, spans: Iterable[Span], base: str = "") -> list[Piece]:
    """Return the pieces of a text; where spans overlap, the later one wins."""
    edges: list[str] | None = None
    ordered = list(spans)
    if not ordered:
        return [(text, base)] if text else []
    edges = [base] * len(text)
    for start, end, ink in ordered:
        low, high = max(0, start), min(len(text), end)
        edges[low:high] = [ink] * (high - low)
    pieces: list[Piece] = []
    at = 0
    while at < len(text):
        ink, start = edges[at], at
        while at < len(text) and edges[at] == ink:
            at += 1
        pieces.append((text[start:at], ink))
    return pieces


def wrap(pieces: Sequence[Piece], width: int, hang: int = 0) -> list[list[Piece]]:
    """Return the rows of a logical line wrapped at `width` cells; spaces at a break go.

    Args:
        pieces: The logical line.
        width: Cells of a row, at least 1.
        hang: Cells by which rows after the first are indented (the caller draws the indent).
    """
    text = "".join(piece for piece, _ in pieces)
    cuts = breaks(text, max(1, width), hang)
    if not cuts:
        return [_trimmed(list(pieces))]
    rows: list[list[Piece]] = [[]]
    at = 0
    pending = iter([*cuts, len(text) + 1])
    limit = next(pending)
    for piece, ink in pieces:
        start = 0
        while at + len(piece) - start >= limit:
            taken = limit - at
            rows[-1].append((piece[start : start + taken], ink))
            start += taken
            at += taken
            limit = next(pending)
            rows.append([])
        rows[-1].append((piece[start:], ink))
        at += len(piece) - start
    return [_trimmed(row) for row in rows]


def _trimmed(row: list[Piece]) -> list[Piece]:
    """Drop the spaces a wrapped row ends with."""
    while row and not row[-1][0].rstrip(" "):
        row.pop()
    if row:
        text, ink = row[-1]
        row[-1] = (text.rstrip(" "), ink)
    return row


def justified(
    left: Sequence[Piece], right: Sequence[Piece], width: int, *, gap: int = 1
) -> tuple[Piece, ...]:
    """Return a row with `left` cut to what `right`, set flush right, leaves of `width`."""
    taken = sum(cell_len(text) for text, _ in right)
    room = width - taken - (gap if right else 0)
    row: list[Piece] = []
    for text, ink in left:
        if room <= 0:
            break
        shown = cut(text, room)
        row.append((shown, ink))
        room -= cell_len(shown)
        if shown != text:
            break
    row.append((" " * (max(0, room) + (gap if right else 0)), ""))
    return (*row, *right)
