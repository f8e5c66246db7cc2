"""The list of sessions, hits or passages: any number of rows, drawn only where they show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from rich.cells import cell_len
from textual.cache import LRUCache
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView

from recall_tui.tui.ink import Inked
from recall_tui.tui.keymap import Scope, bindings
from recall_tui.tui.lines import Line, clean
from recall_tui.tui.listings import Listing

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events
    from textual.binding import BindingType
    from textual.strip import Strip

    from recall_tui.model import Session

_NEAR_END_ROWS: Final = 30
"""Rows left below the cursor at which more are asked for."""

_CACHED_STRIPS: Final = 1000
"""Strips kept: a dozen screens of a tall terminal."""


class ResultList(Inked, ScrollView, can_focus=True):
    """A list over a `Listing`. The cursor stays on its row when the listing is replaced."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.ROWS)]
    ALLOW_SELECT = False

    cursor: reactive[int] = reactive(0, repaint=False, init=False)

    @dataclass
    class Selected(Message):
        """The cursor may be on another row, or its row may mean something else (-1: none)."""

        row: int

    @dataclass
    class Opened(Message):
        """A row was opened with a key or a click."""

        row: int

    @dataclass
    class NearEnd(Message):
        """The cursor or the view nears the last row."""

        rows: int

    @dataclass
    class Copied(Message):
        """The reference of a row is wanted on the clipboard."""

        row: int

    @dataclass
    class Marked(Message):
        """Other sessions are selected."""

    def __init__(self, now_ms: Callable[[], int], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._now_ms = now_ms
        self._listing: Listing | None = None
        self._strips: LRUCache[tuple[int, int, bool], Strip] = LRUCache(_CACHED_STRIPS)
        self._asked_at = -1
        self.marked: dict[str, Session] = {}
        """Selected sessions by key, in the order they were selected."""

    @property
    def listing(self) -> Listing | None:
        """What is shown."""
        return self._listing

    def show(self, listing: Listing, *, keep: bool = True) -> None:
        """Show another listing.

        Args:
            listing: What to show.
            keep: Stay on the row of the same key, and keep it where it stands on the screen.
        """
        old = self._listing
        held = old.key(self.cursor) if keep and old and 0 <= self.cursor < len(old) else None
        offset = old.top(self.cursor) - self.scroll_offset.y if old and held else 0
        self._listing = listing
        self._strips.clear()
        self._asked_at = -1
        row = listing.row_of(held) if held is not None else None
        self.virtual_size = Size(self.scrollable_content_region.width, listing.lines)
        # At the very top a person wants to see what is new, not to be held below it.
        at_top = old is not None and self.cursor == old.first and self.scroll_offset.y == 0
        target = listing.first if row is None or held is None or at_top else row
        self.set_reactive(ResultList.cursor, target if len(listing) else -1)
        top = listing.top(target) - offset
        if target == listing.first:  # what stands above it shows, as far as there is room
            height = self.scrollable_content_region.height
            top = listing.top(target) + listing.row_lines - height if height > 1 else 0
        self.scroll_to(y=max(0, top), animate=False, force=True)
        self.refresh()
        self.post_message(self.Selected(self.cursor))

    def grew(self) -> None:
        """Rows were added at the end of the listing."""
        if self._listing is not None:
            if self.cursor < 0 and len(self._listing):
                self.cursor = 0
            self.virtual_size = Size(self.scrollable_content_region.width, self._listing.lines)
            self.refresh()

    def redraw(self) -> None:
        """Draw everything again: the ages changed."""
        self._strips.clear()
        self.refresh()

    @property
    def rows_in_view(self) -> range:
        """The rows a part of which is on the screen."""
        listing = self._listing
        if listing is None or not len(listing):
            return range(0)
        top = int(self.scroll_offset.y)
        ends = (top, top + self.scrollable_content_region.height)
        first, last = (self.listing_row(*listing.locate(min(y, listing.lines - 1))) for y in ends)
        return range(first, last + 1)

    # Drawing

    def render_line(self, y: int) -> Strip:
        """Return one line of the screen."""
        listing = self._listing
        width = self.scrollable_content_region.width
        line = y + self.scroll_offset.y
        if listing is None or line >= listing.lines:
            return self.blank(width)
        here = self._is_cursor_line(line)
        state = (line, width, here)
        strip = self._strips.get(state)
        if strip is None:
            strip = self._draw(listing, line, width, here=here)
            self._strips[state] = strip
        return strip

    def _is_cursor_line(self, line: int) -> bool:
        if self._listing is None or self.cursor < 0:
            return False
        top = self._listing.top(self.cursor)
        return top <= line < top + self._listing.row_lines

    def _draw(self, listing: Listing, line: int, width: int, *, here: bool) -> Strip:
        row, part = listing.locate(line)
        if part < 0:
            words = clean(listing.heads[row][1])
            rule = "─" * max(0, width - cell_len(words) - 3)
            return self.strip(Line(((" ", ""), (words, "heading"), (" " + rule, "rule"))), width)
        drawn = listing.draw(row, width - 3, self._now_ms())[part]
        target = listing.target(row) if self.marked and not part else None
        mark = ("✓", "accent") if target and target[0].key in self.marked else (" ", "")
        lead = (("▌", "bar"), mark) if here else (mark, (" ", ""))
        line_ = Line((*lead, *drawn.pieces), drawn.fill)
        return self.strip(line_, width, "cursor" if here else "")

    def notify_style_update(self) -> None:
        """Forget strips of the old theme."""
        self._strips.clear()
        super().notify_style_update()

    def on_resize(self) -> None:
        """Fit the virtual size to the new width."""
        if self._listing is not None:
            self.virtual_size = Size(self.scrollable_content_region.width, self._listing.lines)

    # Moving

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor on a row."""
        count = len(self._listing) if self._listing else 0
        return max(0, min(cursor, count - 1)) if count else -1

    def watch_cursor(self, old: int, new: int) -> None:
        """Redraw the two rows that changed, bring the cursor into view, tell the screen."""
        listing = self._listing
        if listing is None or old == new:
            return
        for row in (old, new):
            if 0 <= row < len(listing):
                self.refresh_lines(listing.top(row), listing.row_lines)
        if new >= 0:
            self._reveal(listing, new)
            self.post_message(self.Selected(new))
            self._ask_for_more(new)

    def _reveal(self, listing: Listing, row: int) -> None:
        top = listing.top(row)
        height = self.scrollable_content_region.height
        # A heading belongs to the row below it, and is shown with it.
        above = top - 1 if listing.group(row) > listing.group(row - 1) else top
        if above < self.scroll_offset.y:
            self.scroll_to(y=max(0, above), animate=False, force=True)
        elif top + listing.row_lines > self.scroll_offset.y + height:
            self.scroll_to(y=top + listing.row_lines - height, animate=False, force=True)

    def _ask_for_more(self, row: int) -> None:
        count = len(self._listing) if self._listing else 0
        if row >= count - _NEAR_END_ROWS and self._asked_at != count:
            self._asked_at = count
            self.post_message(self.NearEnd(count))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Ask for more rows when the wheel comes near the end."""
        super().watch_scroll_y(old_value, new_value)
        if self._listing is not None and new_value > old_value:
            bottom = min(self._listing.lines - 1, int(new_value) + self.size.height)
            if bottom >= 0:
                self._ask_for_more(self.listing_row(*self._listing.locate(bottom)))

    def listing_row(self, row: int, part: int) -> int:
        """Return the row of a located line: for a heading, the row below it."""
        return row if part >= 0 or self._listing is None else self._listing.heads[row][0]

    def action_move(self, by: int) -> None:
        """Move the cursor by rows."""
        self.cursor += by

    @property
    def _row_lines(self) -> int:
        return self._listing.row_lines if self._listing else Listing.row_lines

    def action_page(self, by: int) -> None:
        """Move the cursor by a screenful."""
        self.cursor += by * max(1, self.scrollable_content_region.height // self._row_lines - 1)

    def action_edge(self, side: int) -> None:
        """Go to the first or the last row."""
        self.cursor = 0 if side < 0 else (len(self._listing) if self._listing else 0)

    def action_group(self, by: int) -> None:
        """Go to the first row of the next or the previous heading."""
        listing = self._listing
        if listing is None or not listing.heads:
            return
        group = listing.group(self.cursor)
        if by < 0 and self.cursor > listing.heads[group][0]:
            by = 0
        group = max(0, min(len(listing.heads) - 1, group + by))
        self.cursor = listing.heads[group][0]

    def action_select(self) -> None:
        """Select the session under the cursor, or let it go, and move on."""
        target = self._listing.target(self.cursor) if self._listing and self.cursor >= 0 else None
        if target is None:
            return
        session, _ = target
        if self.marked.pop(session.key, None) is None:
            self.marked[session.key] = session
        self.redraw()
        self.post_message(self.Marked())
        self.action_move(1)

    async def action_let_go(self) -> None:
        """Let the selection go; without one, leave the list."""
        if not self.marked:
            await self.run_action("screen.search")
            return
        self.marked.clear()
        self.redraw()
        self.post_message(self.Marked())

    def action_open(self) -> None:
        """Open the row under the cursor."""
        if self.cursor >= 0:
            self.post_message(self.Opened(self.cursor))

    def action_copy_reference(self) -> None:
        """Copy the reference of the row under the cursor."""
        if self.cursor >= 0:
            self.post_message(self.Copied(self.cursor))

    def on_click(self, event: events.Click) -> None:
        """Select the row under the pointer; a second click opens it."""
        listing = self._listing
        line = int(event.y) + self.scroll_offset.y
        if listing is None or line >= listing.lines:
            return
        row, part = listing.locate(line)
        if part < 0:
            return
        event.stop()
        self.cursor = row
        if event.chain >= 2:
            self.action_open()


class SessionList(ResultList):
    """A list whose rows are sessions, or stand in one: what is done with a session has a key."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.LIST)]
