"""What is done with a session without leaving the screen for long: pin, note, copy, open."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual.app import App

from recall_tui.errors import RecallError

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo

    from recall_tui.history import History
    from recall_tui.model import Message, Session
    from recall_tui.tui.keymap import Keymap
    from recall_tui.tui.screens.main import MainScreen


class Errands(App[object]):
    """The small acts, and what the larger ones share: services, threads, the main screen."""

    keymap: Keymap
    _history: History
    _now_ms: Callable[[], int]
    _zone: tzinfo
    _home: str

    @property
    def main(self) -> MainScreen:
        """The screen at the bottom of the stack."""
        return cast("MainScreen", self.screen_stack[0])

    def in_thread(self, work: Callable[[], None], what: str) -> None:
        """Run work that reads or writes apart from the screen; its errors become a toast."""

        def guarded() -> None:
            try:
                work()
            except RecallError as error:
                self.complain(error)

        self.run_worker(
            guarded, thread=True, group=f"errand-{what}", exit_on_error=False, description=what
        )

    def complain(self, error: RecallError) -> None:
        """Say what went wrong. Safe from any thread."""
        self.notify(str(error), severity="error", markup=False)

    def read_at(self, session: Session, position: int) -> None:
        """Show a session at one of its messages, and give it the keys."""
        main = self.main
        shown = main.transcript.session
        if shown is not None and shown.key == session.key:
            main.transcript.go_to(position, centre=True)
        else:
            main.transcript.open(session, at=position)
        main.add_class("-reading")
        main.set_focus(main.transcript)

    def message_at(self, session: Session, position: int) -> Message | None:
        """Return a message by its position. Call it in a worker thread."""
        if position < 0:
            return None
        held = self._history.messages(session, position, position + 1)
        return held[0] if held else None
