"""One session as it stands on the screen: its pages, their heights, the current message.

What is below an upper edge must not move while pages come and go above it; this room sees to it.
Where pages come from is `session_pages`' business.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.cache import LRUCache
from textual.geometry import Size
from textual.message import Message as Event
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from recall_tui.model import Kind
from recall_tui.tui.document import PAGE_MESSAGES, has_space
from recall_tui.tui.frame import placeholder
from recall_tui.tui.ink import Inked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.selection import Selection

    from recall_tui.model import Message, Session
    from recall_tui.tui.document import Opening, Page
    from recall_tui.tui.frame import Frame
    from recall_tui.tui.lines import Line

_KEPT_PAGES: Final = 48
"""Pages of text and lines kept: 1,500 messages, a few MB of ordinary ones."""

_CACHED_STRIPS: Final = 600

_SELECTED: Final = Style(reverse=True)
"""Seen in every theme, and without colours."""

_SELECTED_LINES: Final = 20_000
"""Lines of a selection that are copied at most."""


class SessionSheet(Inked, ScrollView, can_focus=True):
    """An opened session: drawn, held still, with one message current."""

    cursor: reactive[int] = reactive(-1, repaint=False, init=False)
    """Position of the current message."""

    @dataclass
    class Moved(Event):
        """The current message, the hits or the number of messages changed."""

        position: int

        def can_replace(self, message: Event) -> bool:
            """Let only the newest of several stand in the queue."""
            return isinstance(message, SessionSheet.Moved)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._opening: Opening | None = None
        self._pages: LRUCache[int, Page] = LRUCache(_KEPT_PAGES)
        self._strips: LRUCache[tuple[int, int, bool], Strip] = LRUCache(_CACHED_STRIPS)
        self._unfolded: set[int] = set()
        self._inline: set[str] = set()
        """Keys of the subagents that are unfolded."""
        self._all_unfolded = False
        self._following = False

    @property
    def session(self) -> Session | None:
        """The session on the screen."""
        return self._opening.session if self._opening else None

    @property
    def hits(self) -> Sequence[int]:
        """Positions that match the query, ascending."""
        return self._opening.hits if self._opening else ()

    @property
    def hit_number(self) -> int:
        """Which hit the current message is, from 1; 0 when it is none."""
        at = bisect_left(self.hits, self.cursor)
        return at + 1 if at < len(self.hits) and self.hits[at] == self.cursor else 0

    # Pages

    def _take(self, page: Page) -> None:
        """Keep a page and its true heights."""
        opening = self._opening
        if opening is None:
            return
        # An LRUCache keeps the value it holds under a key: the old page must go first.
        self._pages.discard(page.number)
        self._pages[page.number] = page
        for message, lines in zip(page.messages, page.lines, strict=True):
            if message.position < len(opening.heights):
                opening.heights[message.position] = len(lines)

    def _fit(self) -> None:
        """Make the virtual size what the heights say."""
        if self._opening is not None:
            width = self.scrollable_content_region.width
            self.virtual_size = Size(width, self._opening.heights.total)

    def _in_view(self, page: Page) -> bool:
        """Return whether a part of a page is on the screen."""
        if self._opening is None or not page.messages:
            return False
        heights, top = self._opening.heights, self.scroll_offset.y
        start = heights.top(page.messages[0].position)
        end = heights.top(page.messages[-1].position + 1)
        return start < top + self.size.height and end > top

    # Holding still

    def _anchor(self) -> tuple[int, int] | None:
        """Return (position, its line on the screen) of the message that must not move."""
        opening = self._opening
        if opening is None or not opening.heights.total:
            return None
        top = self.scroll_offset.y
        bottom = top + self.size.height
        line = opening.heights.top(self.cursor) if self.cursor >= 0 else -1
        if top <= line < bottom and self.cursor // PAGE_MESSAGES in self._pages:
            return self.cursor, line - top
        position = opening.heights.at(max(0, min(top, opening.heights.total - 1)))[0]
        while position < len(opening.heights) and opening.heights.top(position) < bottom:
            if position // PAGE_MESSAGES in self._pages:
                return position, opening.heights.top(position) - top
            position += PAGE_MESSAGES - position % PAGE_MESSAGES
        position = opening.heights.at(max(0, min(top, opening.heights.total - 1)))[0]
        return position, opening.heights.top(position) - top

    def _hold(self, anchor: tuple[int, int] | None) -> None:
        """Scroll so that the anchor stands where it stood."""
        if anchor is None or self._opening is None:
            return
        if self._following:
            self.scroll_to(y=self.max_scroll_y, animate=False, force=True)
            return
        position, line = anchor
        target = self._opening.heights.top(position) - line
        if target != self.scroll_offset.y:
            self.scroll_to(y=max(0, target), animate=False, force=True)

    def _centre(self, position: int) -> None:
        """Scroll so that a message starts a third down the screen.

        When its first match would not show then, it is the match that stands there.
        """
        if self._opening is None or position < 0:
            return
        match = self._match_line(position)
        top = self._opening.heights.top(position)
        top += match if match >= self.size.height - self.size.height // 3 else 0
        self._show_line(top)

    def _match_line(self, position: int) -> int:
        """Return the line of a loaded message that has its first match, 0 when none has."""
        return next(iter(self._match_lines(position)), 0)

    def _match_lines(self, position: int) -> list[int]:
        """Return the lines of a loaded message that have a match."""
        page = self._pages.get(position // PAGE_MESSAGES)
        index = position % PAGE_MESSAGES
        lines = page.lines[index] if page and index < len(page.lines) else ()
        return [at for at, line in enumerate(lines) if any(i == "match" for _, i in line.pieces)]

    def _show_line(self, line: int) -> None:
        """Scroll so that a line of the session stands a third down the screen."""
        self.scroll_to(y=max(0, line - self.size.height // 3), animate=False, force=True)

    def _reveal(self, position: int) -> None:
        """Scroll as little as shows a message: its start, when it is taller than the screen."""
        if self._opening is None:
            return
        heights = self._opening.heights
        top, height = heights.top(position), self.size.height
        bottom = top + heights[position]
        if top < self.scroll_offset.y or bottom - top > height:
            self.scroll_to(y=top, animate=False, force=True)
        elif bottom > self.scroll_offset.y + height:
            self.scroll_to(y=bottom - height, animate=False, force=True)

    def _unfolded_on(self, number: int) -> set[int]:
        start = number * PAGE_MESSAGES
        return {p for p in range(start, start + PAGE_MESSAGES) if self._is_unfolded(p)}

    def _is_unfolded(self, position: int) -> bool:
        return (position in self._unfolded) != self._all_unfolded

    def _message(self, position: int) -> Message | None:
        page = self._pages.get(position // PAGE_MESSAGES)
        index = position % PAGE_MESSAGES
        return page.messages[index] if page and index < len(page.messages) else None

    # Drawing

    def render_line(self, y: int) -> Strip:
        """Return one line of the screen."""
        opening = self._opening
        width = self.scrollable_content_region.width
        line = y + self.scroll_offset.y
        if opening is None or line >= opening.heights.total:
            return self.blank(width)
        position, part = opening.heights.at(line)
        here = position == self.cursor
        key = (position, part, here)
        strip = self._strips.get(key)
        if strip is None:
            strip = self._draw(opening, position, part, width, here=here)
            if position // PAGE_MESSAGES in self._pages:
                self._strips[key] = strip
        return self._selected(strip, line, opening.frame).apply_offsets(0, line)

    # Selecting with the mouse

    def _selected(self, strip: Strip, line: int, frame: Frame) -> Strip:
        """Return a row with its selected characters marked."""
        selection = self.text_selection
        span = _span(selection, line, strip.text, frame) if selection is not None else None
        if span is None:
            return strip
        cells = [cell_len(strip.text[:at]) for at in span]
        before, inside, *after = strip.divide([*cells, strip.cell_length])
        marked = Strip(
            [Segment(text, (style or Style.null()) + _SELECTED) for text, style, _ in inside],
            inside.cell_length,
        )
        return Strip.join([before, marked, *after])

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return the selected text, without the gutter, and what ends it."""
        opening = self._opening
        if opening is None or not opening.heights.total:
            return None
        last = opening.heights.total - 1
        first = min(selection.start.y, last) if selection.start else 0
        final = min(selection.end.y, last) if selection.end else last
        rows = []
        for line in range(first, min(final, first + _SELECTED_LINES) + 1):
            position, part = opening.heights.at(line)
            lines = self._lines(opening, position)
            text = lines[part].text if part < len(lines) else ""
            span = _span(selection, line, text, opening.frame)
            rows.append(text[slice(*span)].rstrip() if span else "")
        return "\n".join(rows), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw what is selected by now."""
        self.refresh()

    def _lines(self, opening: Opening, position: int) -> Sequence[Line]:
        page = self._pages.get(position // PAGE_MESSAGES)
        index = position % PAGE_MESSAGES
        if page is not None and index < len(page.lines):
            return page.lines[index]
        kind = Kind(opening.skeleton.kinds[position])
        space = has_space(opening.skeleton, position)
        return placeholder(kind, opening.skeleton.times[position], opening.frame, space=space)

    def _draw(self, opening: Opening, position: int, part: int, width: int, *, here: bool) -> Strip:
        lines = self._lines(opening, position)
        if part >= len(lines):
            return self.blank(width)
        line = lines[part]
        space = has_space(opening.skeleton, position) and part == 0
        if here and not space:
            line = _with_bar(line)
        return self.strip(line, width)

    def notify_style_update(self) -> None:
        """Forget strips of the old theme."""
        self._strips.clear()
        super().notify_style_update()

    # The current message

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor on a message."""
        count = len(self._opening.skeleton) if self._opening else 0
        return max(0, min(cursor, count - 1)) if count else -1

    def watch_cursor(self, old: int, new: int) -> None:
        """Redraw the two messages, tell the screen."""
        opening = self._opening
        if opening is None or old == new:
            return
        for position in (old, new):
            if 0 <= position < len(opening.heights):
                self.refresh_lines(opening.heights.top(position), opening.heights[position])
        self.post_message(self.Moved(new))


def _span(selection: Selection, line: int, text: str, frame: Frame) -> tuple[int, int] | None:
    """Return the selected characters of a line: of its text, never of the gutter before it."""
    span = selection.get_span(line)
    if span is None:
        return None
    lead = len(text) if len(text) < frame.lead else len(set_cell_size(text, frame.lead))
    start, end = max(span[0], lead), len(text) if span[1] < 0 else min(span[1], len(text))
    return (start, end) if start < end else None


def _with_bar(line: Line) -> Line:
    """Return a line with the mark of the current message in its first cell."""
    (text, ink), *rest = line.pieces or ((" ", ""),)
    return line._replace(pieces=(("▌", "bar"), (text[1:], ink), *rest))
