"""A text to be read, wrapped to the width it has: previews, attachments, briefings."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from textual.cache import LRUCache
from textual.geometry import Size
from textual.scroll_view import ScrollView

from recall_tui.tui.frame import PROSE_CELLS
from recall_tui.tui.ink import Inked
from recall_tui.tui.lines import Line, clean, wrap

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from textual.strip import Strip
    from textual.timer import Timer

    from recall_tui.tui.lines import Piece

Rows: TypeAlias = "Iterable[Sequence[Piece]]"
"""Logical lines, each of pieces; an empty one is an empty line."""

_SLICE_CHARS: Final = 40_000
"""Characters laid out at a time."""

_ROW_CHARS: Final = 80
"""What a logical line costs besides its characters, in those."""

_PAUSE_S: Final = 0.005

_KEPT_ROWS: Final = 200
"""Logical lines that stay wrapped: more than a screen shows."""

_MARGIN: Final = 2
_LEAD: Final = re.compile(r"\s*(?:(?:[·⚠✓✗❯▌▣*-]|\d{1,3}\.)\s+)?")
"""What later rows of a wrapped line stand below: its indent, and the sign it begins with."""


def rows_of(text: str, ink: str = "") -> list[list[Piece]]:
    """Return a text as logical lines of one ink."""
    return [[(row, ink)] for row in text.split("\n")]


def styled_markdown(text: str) -> list[list[Piece]]:
    """Return Markdown as it is written, with the little colour that helps to read it."""
    return [[(line, _ink(line.lstrip()))] for line in text.rstrip("\n").split("\n")]


def _ink(line: str) -> str:
    if line.startswith("#"):
        return "heading"
    if line.startswith((">", "|")):
        return "muted"
    return "dim" if line.startswith(("---", "```", "~~~")) else ""


def _wrapped(row: Sequence[Piece], room: int) -> list[Line]:
    """Return a logical line as rows, later ones indented like its text."""
    pieces = [(clean(text), ink) for text, ink in row]
    lead = _LEAD.match("".join(text for text, _ in pieces))
    hang = min(lead.end() if lead else 0, room // 2)
    return [
        Line(((" " * (_MARGIN + (hang if index else 0)), ""), *part))
        for index, part in enumerate(wrap(pieces, room, hang))
    ]


class _Laid:
    """Logical lines laid out for a width: where each begins; wrapped again when it is drawn.

    The lines of a long text, kept, would be a hundred thousand things for the collector to look at.
    """

    def __init__(self, rows: Sequence[Sequence[Piece]], room: int) -> None:
        self._rows = rows
        self._room = room
        self._tops = array("L", [0])
        self._drawn: LRUCache[int, list[Line]] = LRUCache(_KEPT_ROWS)

    @property
    def rows(self) -> int:
        """How many of the logical lines are laid out."""
        return len(self._tops) - 1

    @property
    def lines(self) -> int:
        """How many lines they take."""
        return self._tops[-1]

    def add(self) -> None:
        """Lay out the next logical line."""
        lines = len(_wrapped(self._rows[self.rows], self._room))
        self._tops.append(self._tops[-1] + lines)

    def line(self, y: int) -> Line:
        """Return one of the lines."""
        row = bisect_right(self._tops, y) - 1
        drawn = self._drawn.get(row)
        if drawn is None:
            drawn = self._drawn[row] = _wrapped(self._rows[row], self._room)
        return drawn[y - self._tops[row]]


class Sheet(Inked, ScrollView, can_focus=True):
    """Logical lines, wrapped when the width is known, drawn where they show."""

    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._rows: list[Sequence[Piece]] = []
        self._source: Iterator[Sequence[Piece]] = iter(())
        self._laid = _Laid((), 1)
        self._laying: Timer | None = None

    @property
    def text(self) -> str:
        """The words shown."""
        return "\n".join("".join(text for text, _ in row) for row in self._rows)

    def show(self, rows: Rows, *, keep: bool = False) -> None:
        """Show other lines, from the top or from where one reads.

        Args:
            rows: The lines, which may be made while they are taken.
            keep: Stay where one reads.
        """
        self._rows, self._source = [], iter(rows)
        if not keep:
            self.scroll_to(y=0, animate=False, force=True)
        self._lay()

    def _lay(self) -> None:
        """Lay everything out anew; what is on the screen stays until it is there again."""
        room = max(8, min(self.scrollable_content_region.width - 2 * _MARGIN, PROSE_CELLS))
        self._lay_on(_Laid(self._rows, room))

    def _lay_on(self, laid: _Laid) -> None:
        """Lay out more, and go on later if there is more still: keys come in between."""
        if self._laying is not None:
            self._laying.stop()
            self._laying = None
        left = _SLICE_CHARS
        for row in self._rows_from(laid.rows):
            laid.add()
            left -= _ROW_CHARS + sum(len(text) for text, _ in row)
            if left < 0:
                self._laying = self.set_timer(_PAUSE_S, partial(self._lay_on, laid))
                break
        if self._laying is None or laid.lines >= self.scroll_offset.y + self.size.height:
            self._laid = laid
            self.virtual_size = Size(self.scrollable_content_region.width, laid.lines)
            self.refresh()

    def _rows_from(self, at: int) -> Iterator[Sequence[Piece]]:
        """Yield the rows from one on: those that were taken, then those that still come."""
        yield from self._rows[at:]
        for row in self._source:
            # Of tuples of texts the collector lets go, and a hundred thousand rows cost it nothing.
            self._rows.append(tuple(row))
            yield row

    def on_resize(self) -> None:
        """Wrap anew."""
        self._lay()

    def render_line(self, y: int) -> Strip:
        """Return one line."""
        width, line = self.scrollable_content_region.width, y + self.scroll_offset.y
        laid = self._laid
        return self.strip(laid.line(line), width) if line < laid.lines else self.blank(width)

    def page(self, by: int) -> None:
        """Scroll by a screenful."""
        self.step(by * max(1, self.size.height - 2))

    def step(self, by: int) -> None:
        """Scroll by lines, at once: of keys in a burst each goes on from where the last one led."""
        y = self.scroll_offset.y + by
        self.scroll_to(y=y, animate=False, force=True, immediate=True)
