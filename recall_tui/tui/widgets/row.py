"""One line of words with keys or switches in it: bars, heads, counts, the banner, the footer."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from rich.cells import cell_len

from recall_tui.named import NamedTuple
from recall_tui.tui.ink import Inked
from recall_tui.tui.lines import Line, clean, cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from textual import events
    from textual.dom import DOMNode
    from textual.strip import Strip


class Part(NamedTuple):
    """A stretch of a row."""

    text: str
    ink: str = ""
    action: str = ""
    """Textual action run when it is clicked, as a key would where the focus is."""


class Row(Inked):
    """A single line: some parts flush left, some flush right.

    When both do not fit, the left gives way; a row that `fits` is as wide as its parts.
    """

    ALLOW_SELECT = False

    def __init__(self, *, fits: bool = False, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._fits = fits
        self._left: Sequence[Part] = ()
        self._right: Sequence[Part] = ()

    def show(self, left: Sequence[Part], right: Sequence[Part] = ()) -> None:
        """Show other parts; nothing is drawn when they are the same."""
        left = [Part(clean(p.text), p.ink, p.action) for p in left]
        right = [Part(clean(p.text), p.ink, p.action) for p in right]
        if (left, right) == (self._left, self._right):
            return
        self._left, self._right = left, right
        if self._fits:
            self.styles.width = sum(cell_len(part.text) for part in [*left, *right])
        self.refresh()

    @property
    def text(self) -> str:
        """The words shown, without layout."""
        return "".join(part.text for part in [*self._left, *self._right])

    def _parts(self) -> list[Part]:
        """Return the parts as laid out in the present width."""
        width = self.size.width
        taken = sum(cell_len(part.text) for part in self._right)
        # A cut title that touches the edge would look as if the terminal had cut it.
        room = max(0, width - taken - (0 if self._fits else 1))
        out = list(_fitting(self._left, room))
        room -= sum(cell_len(part.text) for part in out)
        if self._right:
            out.append(Part(" " * (room + 1)))
            out.extend(self._right)
        return out

    def render_line(self, y: int) -> Strip:
        """Return the row; lines below it are blank."""
        if y:
            return self.blank(self.size.width)
        line = Line(tuple((part.text, part.ink) for part in self._parts()))
        return self.strip(line, self.size.width)

    async def on_click(self, event: events.Click) -> None:
        """Run the action of the part under the pointer."""
        at = 0
        for part in self._parts():
            at += cell_len(part.text)
            if event.x < at:
                if part.action:
                    event.stop()
                    await self.app.run_action(part.action, self._doer(part.action))
                return

    def _doer(self, action: str) -> DOMNode:
        """Return who does an action: what has the focus or lies around it, as for a key."""
        name = action.partition("(")[0]
        around = self.screen.focused.ancestors_with_self if self.screen.focused else ()
        return next((node for node in around if hasattr(node, f"action_{name}")), self.screen)


def _fitting(parts: Iterable[Part], room: int) -> Iterator[Part]:
    """Yield as many parts as there is room for; the last one may be cut.

    A key and its words have one action: without the other, or cut, neither says anything.
    """
    for action, group in groupby(parts, attrgetter("action")):
        together = list(group)
        words = "".join(part.text for part in together).rstrip()
        if action and len(together) > 1 and cell_len(words) > room:
            return
        for part in together:
            fits = cell_len(part.text) <= room
            text = part.text if fits else cut(part.text.rstrip(), room)
            yield part._replace(text=text)
            room -= cell_len(text)
            if not fits:
                return
