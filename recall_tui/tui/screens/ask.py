"""One line asked of a person: a name, a time, a note, a fresh input."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from textual import on
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from recall_tui.paths import here
from recall_tui.tui.keymap import Scope, bindings
from recall_tui.tui.screens.leaving import LeftOnce
from recall_tui.tui.widgets.row import Part, Row

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.binding import BindingType


LEAVE: Final = (Part("esc ", "strong", "close"), Part("leave", "muted", "close"))
"""How a box over the screen is left, at the right of its title."""

_DONE: Final = (Part("⏎ ", "strong"), Part("done   ", "muted"))


def new_file_hint() -> str:
    """Return what to know before a new file is named."""
    folder = here()
    where = f"in {folder}" if folder else "at its whole path: the folder you were in is gone"
    return f"A new file, readable by you alone, {where}"


class AskScreen(ModalScreen[str | None], LeftOnce[str | None]):
    """A title, one line to type in, and what is wrong with it. Answers None when left.

    Args:
        title: What is asked.
        hint: How it may be answered.
        value: What stands there already.
        wrong: Returns what is wrong with an answer, empty when it can be used.
    """

    AUTO_FOCUS = "#answer"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.ASK)]

    def __init__(
        self, title: str, hint: str, *, value: str = "", wrong: Callable[[str], str] = lambda _: ""
    ) -> None:
        super().__init__()
        self._title = title
        self._hint = hint
        self._value = value
        self._wrong = wrong

    def compose(self) -> ComposeResult:
        """Lay the box out."""
        with Vertical(id="ask"):
            yield Row(id="ask-title")
            yield Input(self._value, id="answer", compact=True, select_on_focus=False)
            yield Row(id="ask-hint")

    def on_mount(self) -> None:
        """Say what is asked."""
        self.query_one("#ask-title", Row).show([Part(self._title, "heading")], [*_DONE, *LEAVE])
        self._say("")

    def _say(self, wrong: str) -> None:
        row = [Part(f"✗ {wrong}", "warning")] if wrong else [Part(self._hint, "muted")]
        self.query_one("#ask-hint", Row).show(row)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self._say("")

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if wrong := self._wrong(event.value):
            self._say(wrong)
            return
        self.dismiss(event.value)

    def action_close(self) -> None:
        """Leave without an answer."""
        self.dismiss(None)
