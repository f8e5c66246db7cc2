"""A few choices, each with a letter: what to copy, what to open."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.containers import Vertical
from textual.message import Message
from textual.screen import ModalScreen

from recall_tui.named import NamedTuple
from recall_tui.tui.ink import Inked
from recall_tui.tui.keymap import Scope, bindings
from recall_tui.tui.lines import Line, clean, cut, pad
from recall_tui.tui.screens.ask import LEAVE
from recall_tui.tui.screens.leaving import LeftOnce
from recall_tui.tui.widgets.row import Part, Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.strip import Strip

_WORDS_CELLS = 22


class Choice(NamedTuple):
    """One thing to choose."""

    key: str
    """The letter that takes it at once."""
    words: str
    detail: str
    """What it would be, as much as fits."""
    value: str


class Choices(Inked, can_focus=True):
    """The choices, one a line."""

    ALLOW_SELECT = False
    cursor = 0

    class Taken(Message):
        """A choice was clicked."""

    def __init__(self, choices: Sequence[Choice]) -> None:
        super().__init__(id="choices")
        self.choices = choices
        self.styles.height = len(choices)

    def move(self, to: int) -> None:
        """Put the cursor on a choice."""
        self.cursor = to % max(1, len(self.choices))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Return one choice."""
        width = self.size.width
        if y >= len(self.choices):
            return self.blank(width)
        one, here = self.choices[y], y == self.cursor
        detail = cut(clean(one.detail), max(0, width - _WORDS_CELLS - 6))
        line = Line(
            (
                ("▌ " if here else "  ", "bar"), (f"{one.key}  ", "strong"),
                (pad(one.words, _WORDS_CELLS), ""), (" ", ""), (detail, "muted"),
            )
        )  # fmt: skip
        return self.strip(line, width, "cursor" if here else "")

    def on_click(self, event: events.Click) -> None:
        """Take the choice under the pointer."""
        if event.y < len(self.choices):
            event.stop()
            self.move(event.y)
            self.post_message(self.Taken())


class ChooseScreen(ModalScreen[str | None], LeftOnce[str | None]):
    """Answers with the value of a choice."""

    AUTO_FOCUS = "#choices"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.CHOICE)]

    def __init__(self, title: str, choices: Sequence[Choice]) -> None:
        super().__init__()
        self._head = title
        self._choices = choices

    def compose(self) -> ComposeResult:
        """Lay the box out."""
        with Vertical(id="ask"):
            yield Row(id="ask-title")
            yield Choices(self._choices)

    def on_mount(self) -> None:
        """Say what is to be chosen."""
        self.query_one("#ask-title", Row).show([Part(self._head, "heading")], LEAVE)

    def on_key(self, event: events.Key) -> None:
        """Take a choice by its letter."""
        for one in self._choices:
            if event.character == one.key:
                event.stop()
                self.dismiss(one.value)
                return

    def action_step(self, by: int) -> None:
        """Move the cursor."""
        choices = self.query_one(Choices)
        choices.move(choices.cursor + by)

    @on(Choices.Taken)
    def action_take(self) -> None:
        """Take the choice under the cursor."""
        self.dismiss(self._choices[self.query_one(Choices).cursor].value)

    def action_close(self) -> None:
        """Leave."""
        self.dismiss(None)
