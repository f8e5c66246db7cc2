"""A list to pick from: notes, subagents; `outline` has prompts. Answers with the row."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.message import Message

from recall_tui.named import NamedTuple
from recall_tui.tui import bars
from recall_tui.tui.keymap import Scope, bindings
from recall_tui.tui.lines import Line, clean, cut, justified
from recall_tui.tui.listings import Listing
from recall_tui.tui.screens.leaving import LeftOnce
from recall_tui.tui.widgets.notice import Notice
from recall_tui.tui.widgets.result_list import ResultList
from recall_tui.tui.widgets.row import Part, Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from recall_tui.tui.keymap import Keymap
    from recall_tui.tui.lines import Piece


class Place(NamedTuple):
    """Somewhere in a session one may go to."""

    position: int
    words: str
    """What stands there, one line."""
    when: str = ""
    about: str = ""
    """What followed it."""
    sign: str = ""
    reference: str = ""


class PlaceListing(Listing):
    """Places of one session, in order."""

    def __init__(self, places: Sequence[Place]) -> None:
        self.places = list(places)

    def __len__(self) -> int:
        return len(self.places)

    def key(self, row: int) -> str:
        """Return the place's reference."""
        return self.places[row].reference or str(row)

    def draw(self, row: int, width: int, now_ms: int) -> tuple[Line, Line]:
        """Return the words and the time; what followed."""
        return drawn(self.places[row], row, width)


def drawn(place: Place, row: int, width: int) -> tuple[Line, Line]:
    """Return the lines of a place: its sign or number, its words, when; what it is about."""
    left: list[Piece] = [(f"{place.sign or row + 1:>4} ", "accent"), (clean(place.words), "")]
    first = justified(left, [(place.when, "muted")], width)
    return Line(first), Line((("     ", ""), (cut(clean(place.about), width - 5), "dim")))


class PickScreen(LeftOnce[int | None]):
    """A listing over the whole screen.

    Args:
        title: What is listed.
        listing: The rows.
        keymap: The keys in force.
        row: Where the cursor begins.
        empty: What to say when there is nothing; on a second line, what helps.
    """

    AUTO_FOCUS = "#picks"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.PICK)]

    def __init__(
        self, title: str, listing: Listing, keymap: Keymap, *, row: int = 0, empty: str = ""
    ) -> None:
        super().__init__()
        self._head = title
        self._listing = listing
        self._keymap = keymap
        self._row = row
        self._empty = empty
        self.scopes: tuple[Scope, ...] = (Scope.PICK,)

    def compose(self) -> ComposeResult:
        """Lay the screen out."""
        yield Row(id="pick-head")
        yield ResultList(lambda: 0, id="picks")
        yield Notice(id="pick-none")
        yield Row(id="keys")

    def on_mount(self) -> None:
        """Show the rows."""
        self.query_one("#pick-head", Row).show([Part(f" {self._head}", "heading")])
        words, _, hint = self._empty.partition("\n")
        self.query_one(Notice).show([[(words, "title")], [], [(hint, "muted")]])
        self._list()
        rows = self.query_one(ResultList)
        if self._row:
            self.call_after_refresh(partial(setattr, rows, "cursor", self._row))

    def _list(self) -> None:
        """Show the rows there are."""
        idle = () if len(self._listing) else ("pick.open", "notes.remove")
        self.query_one("#keys", Row).show(*bars.keys(self._keymap, *self.scopes, idle=idle))
        self.set_class(not len(self._listing), "-empty")
        self.query_one(ResultList).show(self._listing)

    @on(ResultList.Opened)
    def _opened(self, event: ResultList.Opened) -> None:
        event.stop()
        self.dismiss(event.row)

    def action_open(self) -> None:
        """Take the row under the cursor."""
        row = self.query_one(ResultList).cursor
        self.dismiss(row if row >= 0 else None)

    def action_close(self) -> None:
        """Leave."""
        self.dismiss(None)


class NotesScreen(PickScreen):
    """A person's notes, which a key removes: pressed once it asks, pressed again it does."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.NOTES)]

    @dataclass
    class Removed(Message):
        """A note is to go."""

        place: Place

    def __init__(
        self, title: str, listing: Listing, keymap: Keymap, *, row: int = 0, empty: str = ""
    ) -> None:
        super().__init__(title, listing, keymap, row=row, empty=empty)
        self.scopes = (Scope.PICK, Scope.NOTES)
        self._armed = ""

    def action_remove(self) -> None:
        """Ask, then remove the note under the cursor."""
        listing, row = self._listing, self.query_one(ResultList).cursor
        if not isinstance(listing, PlaceListing) or not 0 <= row < len(listing):
            return
        place = listing.places[row]
        head = self.query_one("#pick-head", Row)
        if self._armed != place.reference:
            self._armed = place.reference
            key = self._keymap.shown("notes.remove")
            head.show([Part(f" {key} again removes “{place.words}”", "warning")])
            return
        self._armed = ""
        del listing.places[row]
        head.show([Part(f" {self._head}", "heading")])
        self._list()
        self.post_message(self.Removed(place))
