"""A text to be read, wrapped to the width it has: previews, attachments, briefings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeAlias

from textual.geometry import Size
from textual.scroll_view import ScrollView

from recall_tui.tui.frame import PROSE_CELLS
from recall_tui.tui.ink import Inked
from recall_tui.tui.lines import Line, clean, wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.strip import Strip

    from recall_tui.tui.lines import Piece

Rows: TypeAlias = "Sequence[Sequence[Piece]]"
"""Logical lines, each of pieces; an empty one is an empty line."""

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


class Sheet(Inked, ScrollView, can_focus=True):
    """Logical lines, wrapped when the width is known, drawn where they show."""

    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._rows: Rows = ()
        self._lines: list[Line] = []

    @property
    def text(self) -> str:
        """The words shown."""
        return "\n".join("".join(text for text, _ in row) for row in self._rows)

    def show(self, rows: Rows, *, keep: bool = False) -> None:
        """Show other lines, from the top or from where one reads."""
        self._rows = rows
        self._lay()
        if not keep:
            self.scroll_to(y=0, animate=False, force=True)

    def _lay(self) -> None:
        width = self.scrollable_content_region.width
        room = max(8, min(width - 2 * _MARGIN, PROSE_CELLS))
        self._lines = [line for row in self._rows for line in _wrapped(row, room)]
        self.virtual_size = Size(width, len(self._lines))
        self.refresh()

    def on_resize(self) -> None:
        """Wrap anew."""
        self._lay()

    def render_line(self, y: int) -> Strip:
        """Return one line."""
        width, line = self.scrollable_content_region.width, y + self.scroll_offset.y
        return (
            self.strip(self._lines[line], width) if line < len(self._lines) else self.blank(width)
        )

    def page(self, by: int) -> None:
        """Scroll by a screenful."""
        step = max(1, self.size.height - 2)
        self.scroll_to(y=self.scroll_offset.y + by * step, animate=False, force=True)

    def step(self, by: int) -> None:
        """Scroll by lines."""
        self.scroll_to(y=self.scroll_offset.y + by, animate=False, force=True)
