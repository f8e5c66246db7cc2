"""The one box: a query and its typed filters, edited with readline keys, moving the list below."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from textual.message import Message
from textual.widgets import Input

from recall_tui.tui.completion import FilterSuggester
from recall_tui.tui.keymap import Scope, bindings
from recall_tui.tui.lines import clean

if TYPE_CHECKING:
    from textual import events
    from textual.binding import BindingType


MOST_CHARS: Final = 4000
"""Characters of a box: more is a file pasted by mistake, and every key would draw all of it."""


class CleanInput(Input):
    """A one-line input that no control character gets into, pasted or put there."""

    def validate_value(self, value: str) -> str:
        """Return a value fit for the terminal."""
        return clean(value[:MOST_CHARS])

    def _on_paste(self, event: events.Paste) -> None:
        """Take all lines of what is pasted as one: Textual's own box keeps the first only."""
        event.prevent_default()
        event.stop()
        room = MOST_CHARS - len(self.value) + len(self.selected_text)
        text = clean(event.text[:room].strip("\r\n"))
        if len(event.text) > room:
            self.notify(f"Only the first {room:,} characters fit into the box.", markup=False)
        self.replace(text, *sorted(self.selection))


class SearchBox(CleanInput):
    """A one-line input that tells the screen where the list should go."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.BOX)]

    @dataclass
    class Move(Message):
        """The list should move: by rows, or by pages."""

        by: int
        pages: bool

    @dataclass
    class Peeled(Message):
        """Escape in an empty box."""

    @property
    def completion(self) -> str | None:
        """The content with its last word completed, None when nothing completes it.

        What is drawn comes a moment later: a key that was typed meanwhile must not miss it.
        """
        if isinstance(self.suggester, FilterSuggester) and self.cursor_at_end:
            return self.suggester.completed(self.value)
        return None

    def action_complete(self) -> None:
        """Take the completion that is offered; without one go to the list, as tab does."""
        if (whole := self.completion) is not None:
            self.value = whole
            self.cursor_position = len(self.value)
        else:
            self.screen.focus_next()

    def action_move(self, by: int) -> None:
        """Move the list without leaving the box."""
        self.post_message(self.Move(by, pages=False))

    def action_page(self, by: int) -> None:
        """Page the list without leaving the box."""
        self.post_message(self.Move(by, pages=True))

    def action_peel(self) -> None:
        """Clear the query; in an empty box, tell the screen."""
        if self.value:
            self.value = ""
        else:
            self.post_message(self.Peeled())


class FindBox(CleanInput):
    """The box for finding inside one session."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.FIND)]

    @dataclass
    class Step(Message):
        """Go to the next hit (1) or the previous one (-1)."""

        by: int

    @dataclass
    class Closed(Message):
        """The person is done."""

    def action_next(self) -> None:
        """Ask for the next hit."""
        self.post_message(self.Step(1))

    def action_last(self) -> None:
        """Ask for the previous hit."""
        self.post_message(self.Step(-1))

    def action_close(self) -> None:
        """Close the box."""
        self.post_message(self.Closed())
