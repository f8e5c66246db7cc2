"""Why a passage was chosen, in full: a few rows under the head of its session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from recall_tui.tui.ink import Inked
from recall_tui.tui.lines import Line, cut, wrap

if TYPE_CHECKING:
    from textual.strip import Strip

_LEAD: Final = " WHY "


class Reason(Inked):
    """A reason, wrapped; what its rows cannot hold is cut."""

    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.text = ""

    def show(self, text: str) -> None:
        """Show another reason: cleaned text, one line."""
        if text != self.text:
            self.text = text
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """Return one of the rows."""
        width = self.size.width
        room = max(8, width - len(_LEAD) - 1)
        rows = ["".join(part for part, _ in row) for row in wrap([(self.text, "")], room)]
        if y >= len(rows):
            return self.blank(width)
        words = cut(" ".join(rows[y:]), room) if y == self.size.height - 1 else rows[y]
        lead = _LEAD if y == 0 else " " * len(_LEAD)
        return self.strip(Line(((lead, "why"), (words, "dim"))), width)
