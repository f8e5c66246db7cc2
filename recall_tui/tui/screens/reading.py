"""A screen that reads something about a session and shows it: the frame of all playbooks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar, cast

from textual.message import Message as Event

from recall_tui.errors import RecallError
from recall_tui.tui import bars, notation
from recall_tui.tui.keymap import Keymap, Scope, bindings
from recall_tui.tui.screens.leaving import LeftOnce
from recall_tui.tui.widgets.row import Part, Row
from recall_tui.tui.widgets.sheet import Sheet

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from recall_tui.history import History
    from recall_tui.model import Session
    from recall_tui.playbooks.programs import Command
    from recall_tui.tui.widgets.sheet import Rows

Read = TypeVar("Read")


@dataclass(slots=True, frozen=True)
class Services:
    """What every screen behind a session is given."""

    history: History
    keymap: Keymap
    now_ms: Callable[[], int]
    zone: tzinfo
    home: str


class ReadingScreen(LeftOnce[None], Generic[Read]):
    """A head, a text to be read, keys. Subclasses say what is read and how it is shown.

    Args:
        services: What the screen works with.
        session: What it is about.
    """

    AUTO_FOCUS = "#sheet"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.SHEET)]
    scope: ClassVar[Scope] = Scope.SHEET
    NAME: ClassVar[str] = ""
    """What is done here, in the head."""

    @dataclass
    class _Loaded(Event):
        generation: int
        value: object
        error: str = ""

    def __init__(self, services: Services, session: Session) -> None:
        super().__init__()
        self.services = services
        self.session = session
        self.value: Read | None = None
        self._generation = 0
        self._armed = ""

    # What a subclass says

    def read(self) -> Read:
        """Return what is shown. Runs in a worker thread.

        Raises:
            RecallError: It cannot be had.
        """
        raise NotImplementedError

    def rows(self, value: Read) -> Rows:
        """Return the text for what was read."""
        raise NotImplementedError

    # The frame

    def compose(self) -> ComposeResult:
        """Lay the screen out."""
        yield Row(id="sheet-head")
        yield Row(id="sheet-facts")
        yield Sheet(id="sheet")
        yield Row(id="sheet-say")
        yield Row(id="keys")

    def on_mount(self) -> None:
        """Say what this is, and read."""
        title = self.session.title.replace("\n", " ") or "untitled"
        head = [Part(f" {self.NAME}  ", "heading"), Part(title, "title")]
        self.query_one("#sheet-head", Row).show(head)
        facts = bars.facts(
            self.session, position=0, now_ms=self.services.now_ms(), home=self.services.home
        )
        self.query_one("#sheet-facts", Row).show(facts.left)
        self.query_one("#keys", Row).show(*bars.keys(self.services.keymap, self.scope, Scope.SHEET))
        self.query_one(Sheet).show([[("Reading…", "muted")]])
        self.reload()

    def reload(self) -> None:
        """Read again."""
        self._generation += 1
        self.run_worker(
            partial(self._read_in_thread, self._generation), thread=True, group="detour",
            exclusive=True, exit_on_error=False, description=self.NAME.lower(),
        )  # fmt: skip

    def _read_in_thread(self, generation: int) -> None:
        try:
            loaded = self._Loaded(generation, self.read())
        except RecallError as error:
            loaded = self._Loaded(generation, None, str(error))
        self.post_message(loaded)

    def on_reading_screen__loaded(self, event: _Loaded) -> None:
        """Show what was read."""
        event.stop()
        if event.generation != self._generation:
            return
        if event.error:
            self.query_one(Sheet).show([[(event.error, "warning")]])
            return
        self.value = cast("Read", event.value)
        self.redraw()

    def redraw(self, *, keep: bool = False) -> None:
        """Draw what was read again."""
        if self.value is not None:
            self.query_one(Sheet).show(self.rows(self.value), keep=keep)

    def say(self, words: str, ink: str = "muted") -> None:
        """Show one line above the keys."""
        self.query_one("#sheet-say", Row).show([Part(f" {words}", ink)] if words else [])

    # Confirming, copying, leaving

    def confirmed(self, what: str, words: str) -> bool:
        """Return whether a key was pressed for the second time; the first says what it will do.

        Args:
            what: Name of the act; another one begins anew.
            words: What the second press does.
        """
        if self.armed(what):
            return True
        self.arm(what, words)
        return False

    def arm(self, what: str, words: str) -> None:
        """Take something for pressed once, and say what the next press does."""
        self._armed = what
        self.say(words, "warning")

    def armed(self, what: str) -> bool:
        """Say whether something was pressed once."""
        return self._armed == what

    def disarm(self) -> None:
        """Forget a first press."""
        self._armed = ""
        self.say("")

    def run(self, command: Command) -> None:
        """Leave Recall for a program: the caller of the app starts it in this process."""
        self.app.exit(command)

    def copy(self, text: str, what: str) -> None:
        """Put a text on the clipboard."""
        from recall_tui.tui.copying import copy_in_thread

        self.run_worker(
            partial(copy_in_thread, self.app, text, what), thread=True, group="copy",
            exit_on_error=False, description="copy",
        )  # fmt: skip

    def action_step(self, by: int) -> None:
        """Scroll by lines."""
        self.query_one(Sheet).step(by)

    def action_page(self, by: int) -> None:
        """Scroll by a screenful."""
        self.query_one(Sheet).page(by)

    def action_edge(self, side: int) -> None:
        """Go to the start or the end."""
        self.query_one(Sheet).step(side * 1_000_000)

    def action_close(self) -> None:
        """Take a first press back, or leave."""
        if self._armed:
            self.disarm()
            return
        self.dismiss(None)


def clock_of(time_ms: int, services: Services) -> str:
    """Return a message's time of day."""
    return notation.clock(time_ms, services.zone)
