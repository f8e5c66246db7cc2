"""A session under a person's hands: step, jump, unfold, find, copy."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from textual.message import Message as Event

from recall_tui.model import Flag, Kind
from recall_tui.tui.asked import Asked, Deed
from recall_tui.tui.document import PAGE_MESSAGES
from recall_tui.tui.frame import Level, foldable
from recall_tui.tui.keymap import Scope, bindings
from recall_tui.tui.widgets.session_view import SessionView

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events
    from textual.binding import BindingType


_NOT_HERE: Final = "Nothing in this session matches."
_NOT_ASKED: Final = "No hits here: find something in this session first."


class Transcript(SessionView):
    """A session with its keys."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.SESSION)]

    _said: tuple[str, int] = ("", -1)
    """What was last said of a key that moved nothing, and where."""

    class Closed(Event):
        """The person wants back to the list."""

    @dataclass
    class CopyWanted(Event):
        """A text is wanted on the clipboard."""

        text: str
        what: str

    # Moving

    def action_step(self, by: int) -> None:
        """Go to the next message, or a few lines on inside one that is taller than the screen."""
        opening = self._opening
        if opening is None or not len(opening.skeleton):
            return
        self._cursor_into_view()
        heights, height = opening.heights, self.size.height
        top = heights.top(self.cursor)
        bottom = top + heights[self.cursor]
        if by > 0 and bottom > self.scroll_offset.y + height:
            self.scroll_to(y=self.scroll_offset.y + 3, animate=False, force=True)
            return
        if by < 0 and top < self.scroll_offset.y:
            self.scroll_to(y=max(top, self.scroll_offset.y - 3), animate=False, force=True)
            return
        target = max(0, min(self.cursor + by, len(opening.skeleton) - 1))
        if by < 0 and heights[target] > height:
            # Coming from below, a tall message is entered at its end.
            self.cursor = target
            end = heights.top(target) + heights[target] - height
            self.scroll_to(y=max(0, end), animate=False, force=True)
            return
        self.go_to(target)

    def _cursor_into_view(self) -> None:
        """After the wheel or a page: the current message is one that can be seen."""
        opening = self._opening
        if opening is None or not opening.heights.total:
            return
        top = self.scroll_offset.y
        bottom = top + self.size.height
        start = opening.heights.top(self.cursor)
        if start < bottom and start + opening.heights[self.cursor] > top:
            return
        line = top if start < top else bottom - 1
        self.cursor = opening.heights.at(max(0, min(line, opening.heights.total - 1)))[0]

    def action_page(self, by: int) -> None:
        """Scroll by a screen; the current message comes along."""
        step = max(1, self.size.height - 2)
        self.scroll_to(y=self.scroll_offset.y + by * step, animate=False, force=True)
        self._cursor_into_view()

    def action_edge(self, side: int) -> None:
        """Go to the first message, or to the last one and follow it."""
        opening = self._opening
        if opening is None or not len(opening.skeleton):
            return
        if side < 0:
            self.go_to(0)
            self.scroll_to(y=0, animate=False, force=True)
            return
        self.cursor = len(opening.skeleton) - 1
        self._following = True
        self.scroll_to(y=self.max_scroll_y, animate=False, force=True)

    def action_hit(self, by: int) -> None:
        """Go to the next or the previous hit: of a tall message first to those out of view."""
        opening, hits = self._opening, self.hits
        if opening is None or not hits:
            if not self.opening_anew:
                self._say(_NOT_HERE if self.looks_for_something else _NOT_ASKED)
            return
        if (line := self._hit_inside(by)) is not None:
            self._show_line(line)
            return
        at = bisect_right(hits, self.cursor) if by > 0 else bisect_left(hits, self.cursor) - 1
        self.go_to(hits[at % len(hits)], centre=True)
        if by < 0 and self._hit_inside(1) is not None:
            # Coming from below, a tall message is entered at its last match.
            self._show_line(opening.heights.top(self.cursor) + self._match_lines(self.cursor)[-1])

    def _hit_inside(self, by: int) -> int | None:
        """Return the line of the next match of the current message that is out of view."""
        opening = self._opening
        if opening is None or not self.hit_number:
            return None
        top, first = opening.heights.top(self.cursor), self.scroll_offset.y
        last = first + self.size.height - 1
        if top > last or top + opening.heights[self.cursor] <= first:
            return None  # one has turned to something else
        lines = [top + line for line in self._match_lines(self.cursor)]
        if by > 0:
            return next((line for line in lines if line > last), None)
        return next((line for line in reversed(lines) if line < first), None)

    def action_prompt(self, by: int) -> None:
        """Go to the next or the previous prompt."""
        self._to_next(by, "prompt", lambda kind, _: kind == Kind.PROMPT)

    def action_failure(self, by: int) -> None:
        """Go to the next or the previous failure."""
        self._to_next(by, "failure", lambda _, flags: bool(flags & Flag.FAILED))

    def _to_next(self, by: int, what: str, wanted: Callable[[int, int], bool]) -> None:
        opening = self._opening
        if opening is None:
            return
        kinds, flags = opening.skeleton.kinds, opening.skeleton.flags
        position = self.cursor + by
        while 0 <= position < len(kinds):
            if wanted(kinds[position], flags[position]):
                self.go_to(position, centre=True)
                return
            position += by
        self._say(f"No other {what} {'below' if by > 0 else 'above'}.")

    def _say(self, words: str) -> None:
        """Say why a key moves nothing: once, however long it is held."""
        if self._said != (words, self.cursor):
            self._said = (words, self.cursor)
            self.notify(words, timeout=2, markup=False)

    # Folding

    def action_unfold(self) -> None:
        """Show all of the current message, or fold it again; a call and its output go together.

        A call that started subagents shows them instead.
        """
        message, opening = self._message(self.cursor), self._opening
        if message is None or opening is None:
            return
        if started := {child.key for child in opening.begun.get(self.cursor, ())}:
            self._inline = (
                self._inline - started if started <= self._inline else self._inline | started
            )
            self._load(opening, self.cursor // PAGE_MESSAGES)
            return
        frame = opening.frame
        chosen = [message]
        if message.kind is Kind.TOOL_CALL:
            result = self._message(self.cursor + 1)
            if result is not None and result.kind is Kind.TOOL_RESULT:
                chosen.append(result)
        chosen = [m for m in chosen if foldable(m, frame)]
        if not chosen:
            self._say("All of this message is shown.")
            return
        self._unfolded ^= {m.position for m in chosen}
        if self.hit_number:
            self._awaited = (self.cursor, True)  # what was found is to be seen in it
        self._lay_again({m.position // PAGE_MESSAGES for m in chosen}, self._anchor())

    def action_level(self, by: int) -> None:
        """Show more or less of every tool's output: four levels."""
        self.show_level(Level(max(Level.LINE, min(Level.ALL, self._level + by))))

    def action_unfold_all(self) -> None:
        """Show all of every message, or fold them all."""
        self._all_unfolded = not self._all_unfolded
        self._unfolded.clear()
        number = self.cursor // PAGE_MESSAGES
        for other in list(self._pages.keys()):
            if other != number:
                self._pages.discard(other)
        self._lay_again({number}, self._anchor())
        self._fetch()

    # Other actions

    def action_copy_message(self) -> None:
        """Copy what is selected, or the text of the current message."""
        if selected := self.screen.get_selected_text():
            self.post_message(self.CopyWanted(selected, "selection"))
            self.screen.clear_selection()
            return
        message = self._message(self.cursor)
        if message is not None:
            from recall_tui.text.redact import shown

            self.post_message(self.CopyWanted(shown(message.text), "message"))

    def action_copy_reference(self) -> None:
        """Copy the reference of the current message."""
        message = self._message(self.cursor)
        if message is not None:
            self.post_message(self.CopyWanted(str(message.reference), "reference"))

    def action_ask(self, deed: str) -> None:
        """Have something done with this session at the current message."""
        session = self.session or (self._wanted[0] if self._wanted else None)
        if session is not None:
            self.post_message(Asked(Deed(deed), session, self.cursor))

    def on_click(self, event: events.Click) -> None:
        """Make the message under the pointer the current one; a double click unfolds it."""
        event.prevent_default()  # Textual would select the whole session, too
        opening = self._opening
        line = int(event.y) + self.scroll_offset.y
        if opening is None or line >= opening.heights.total:
            return
        self.cursor = opening.heights.at(line)[0]
        if event.chain == 2:
            event.stop()
            self.action_unfold()
