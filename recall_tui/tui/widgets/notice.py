"""What stands where there is nothing to show: what was looked for, where, and what to press."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recall_tui.tui.ink import Inked
from recall_tui.tui.lines import Line, clean, wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.strip import Strip

    from recall_tui.tui.lines import Piece

_MARGIN_CELLS = 3


class Notice(Inked):
    """A few wrapped lines in the upper third of a pane."""

    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._paragraphs: Sequence[Sequence[Piece]] = ()
        self._wrapped: tuple[int, Sequence[Sequence[Piece]]] | None = None

    def show(self, paragraphs: Sequence[Sequence[Piece]]) -> None:
        """Show paragraphs; an empty one is an empty line."""
        cleaned = [[(clean(text), ink) for text, ink in row] for row in paragraphs]
        if cleaned != self._paragraphs:
            self._paragraphs, self._wrapped = cleaned, None
            self.refresh()

    @property
    def text(self) -> str:
        """The words shown."""
        return "\n".join("".join(text for text, _ in row) for row in self._paragraphs)

    def render_line(self, y: int) -> Strip:
        """Return one line of the notice."""
        width = self.size.width
        room = max(8, width - 2 * _MARGIN_CELLS)
        if self._wrapped is None or self._wrapped[0] != room:
            made = [row for paragraph in self._paragraphs for row in wrap(paragraph, room)]
            self._wrapped = (room, made)
        rows = self._wrapped[1]
        index = y - max(1, (self.size.height - len(rows)) // 4)
        if not 0 <= index < len(rows):
            return self.blank(width)
        return self.strip(Line(((" " * _MARGIN_CELLS, ""), *rows[index])), width)
