"""Health: what answers miss, what will be lost, what the doctor says; each with its next step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on
from textual.message import Message as Event

from recall_tui.errors import RecallError
from recall_tui.tui import bars, health
from recall_tui.tui.health import Deed, HealthListing, Item, Known
from recall_tui.tui.keymap import Keymap, Scope, bindings
from recall_tui.tui.screens.leaving import LeftOnce
from recall_tui.tui.widgets.notice import Notice
from recall_tui.tui.widgets.result_list import ResultList
from recall_tui.tui.widgets.row import Part, Row
from recall_tui.tui.widgets.sheet import Sheet

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from recall_tui.doctor import Check

LOOK_S: Final = 0.5
"""What a sync reports is looked at this often."""


class HealthScreen(LeftOnce[None]):
    """The list behind the banner.

    Args:
        known: Returns how far the history was read, as of now.
        examine: Returns the doctor's checks; called in a worker thread.
        keymap: The keys in force.
        home: The home directory.
    """

    AUTO_FOCUS = "#gap-list"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.HEALTH)]

    @dataclass
    class FileWanted(Event):
        """A file is to be opened in the person's editor."""

        path: str

    @dataclass
    class Wanted(Event):
        """Something is to be done that is no matter of this screen."""

        deed: Deed

    @dataclass
    class _Examined(Event):
        checks: list[Check]
        fault: str = ""

    def __init__(
        self,
        known: Callable[[], Known],
        examine: Callable[[], list[Check]],
        keymap: Keymap,
        home: str,
    ) -> None:
        super().__init__()
        self._known = known
        self._examine = examine
        self._keymap = keymap
        self._home = home
        self._checks: list[Item] | None = None
        self._shown: list[Item] = []

    def compose(self) -> ComposeResult:
        """Lay the screen out."""
        yield Row(id="gap-head")
        yield Row(id="gap-reach")
        yield ResultList(lambda: 0, id="gap-list")
        yield Notice(id="gap-none")
        yield Sheet(id="gap-whole")
        yield Row(id="keys")

    def on_mount(self) -> None:
        """Show what is known; look at the rest."""
        self.query_one("#gap-head", Row).show([Part(" Health", "heading")])
        self.query_one(Notice).show([[("Nothing is missing.", "title")]])
        self.query_one("#keys", Row).show(*bars.keys(self._keymap, Scope.HEALTH))
        self._look()
        self.set_interval(LOOK_S, self._look)
        self.action_again()

    def action_again(self) -> None:
        """Look at everything again."""
        self.run_worker(
            self._examine_in_thread, thread=True, group="examine", exclusive=True,
            exit_on_error=False, description="examine",
        )  # fmt: skip

    def _examine_in_thread(self) -> None:
        try:
            self.post_message(self._Examined(self._examine()))
        except RecallError as error:
            self.post_message(self._Examined([], str(error)))

    def on_health_screen__examined(self, event: _Examined) -> None:
        """Show what the doctor says."""
        event.stop()
        fault = [health.of_fault(event.fault)] if event.fault else []
        self._checks = [*fault, *health.of_checks(event.checks)]
        self._look()

    def _look(self) -> None:
        """Show how things stand now."""
        known = self._known()
        looking = "" if self._checks is not None else " · looking at sources, index, machine…"
        words = f" {health.progress_line(known)}{looking}"
        self.query_one("#gap-reach", Row).show([Part(words, "muted")])
        fault, note = known.coverage.fault, known.coverage.note
        items = [
            *([health.of_fault(fault)] if fault else ()),
            *([health.of_note(note)] if note else ()),
            *health.of_gaps(known.gaps, reading=known.coverage.syncing),
            *(self._checks or ()),
        ]
        if items != self._shown or not items:
            self._shown = items
            listing = HealthListing(items, self._home)
            self.set_class(not items, "-empty")
            self.query_one(ResultList).show(listing)

    def _item(self) -> Item | None:
        """Return the row under the cursor."""
        rows = self.query_one(ResultList)
        listing = rows.listing
        if isinstance(listing, HealthListing) and 0 <= rows.cursor < len(listing):
            return listing.items[rows.cursor]
        return None

    @on(ResultList.Selected)
    def _selected(self, event: ResultList.Selected) -> None:
        """Say all of the row under the cursor, which the list may have cut."""
        event.stop()
        listing = self.query_one(ResultList).listing
        inside = isinstance(listing, HealthListing) and 0 <= event.row < len(listing)
        enter = self._keymap.shown("gaps.do")
        rows = listing.whole(event.row, enter) if inside else []  # type: ignore[union-attr]
        self.query_one(Sheet).show(rows)

    @on(ResultList.Opened)
    def _opened(self, event: ResultList.Opened) -> None:
        event.stop()
        self.action_open()

    def action_copy_action(self) -> None:
        """Copy the next step of the row under the cursor."""
        item = self._item()
        if item is not None and item.copy:
            self._copy(item)

    def _copy(self, item: Item, then: Event | None = None) -> None:
        """Copy what is to be copied of a row; what comes next waits for that."""
        from recall_tui.tui.copying import copy_in_thread

        def work() -> None:
            copy_in_thread(self.app, item.copy, "next step")
            if then is not None:
                self.post_message(then)

        self.run_worker(work, thread=True, group="copy", exit_on_error=False, description="copy")

    def action_file(self) -> None:
        """Open the file the row under the cursor is about."""
        item = self._item()
        if item is None or not health.has_file(item):
            self.notify("There is no file to open for this.", timeout=2, markup=False)
        else:
            self.post_message(self.FileWanted(item.file))

    def action_open(self) -> None:
        """Do the next step of the row under the cursor, as far as Recall can."""
        item = self._item()
        deed = item.deed if item else Deed.NOTHING
        if item is None or deed is Deed.NOTHING:
            self.notify("Nothing to do for this.", timeout=2, markup=False)
        elif deed is Deed.COPY:
            self._copy(item)
        elif deed is Deed.SETTING:
            self._copy(item, self.FileWanted(item.file))
        elif deed is Deed.FILE:
            self.post_message(self.FileWanted(item.file))
        else:
            self.post_message(self.Wanted(deed))

    def action_close(self) -> None:
        """Leave."""
        self.dismiss(None)
