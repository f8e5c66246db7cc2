"""Where a person reads in a session: kept when they turn to something else."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual.message import Message as Event

from recall_tui.errors import RecallError
from recall_tui.tui.faults import TellsFaults
from recall_tui.tui.widgets.session_sheet import SessionSheet

if TYPE_CHECKING:
    from recall_tui.history import History
    from recall_tui.model import Session


class SessionPlace(TellsFaults, SessionSheet):
    """An opened session whose place is remembered.

    Args:
        history: Where sessions are read, and places kept.
    """

    @dataclass
    class Failed(Event):
        """The session could not be read."""

        words: str

    def __init__(self, history: History, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._history = history
        self._touched = False
        self._keeping: tuple[Session, int] | None = None

    def watch_cursor(self, old: int, new: int) -> None:
        """Note that a person reads here: they move while the keys are theirs."""
        super().watch_cursor(old, new)
        self._touched = self._touched or self.has_focus

    def on_blur(self) -> None:
        """Keep the place when a person turns to something else."""
        self._remember()

    def on_unmount(self) -> None:
        """Keep the place when the app ends: no thread would come to it any more."""
        kept = self._place() or self._keeping
        if kept is not None:
            with suppress(RecallError):
                self._history.set_position(*kept)

    def _place(self) -> tuple[Session, int] | None:
        """Return where the person stopped reading, -1 for the end; None when they did not read."""
        opening = self._opening
        if opening is None or not self._touched:
            return None
        self._touched = False
        at_end = self.cursor >= len(opening.skeleton) - 1
        return opening.session, -1 if at_end else self.cursor

    def _remember(self) -> None:
        """Keep where the person stopped reading."""
        if (kept := self._place()) is not None:
            self._keeping = kept
            self.run_worker(
                partial(self._remember_in_thread, *kept), thread=True, group="reading",
                exit_on_error=False, description="keep reading position",
            )  # fmt: skip

    def _remember_in_thread(self, session: Session, position: int) -> None:
        try:
            self._history.set_position(session, position)
        except RecallError as error:
            self.post_message(self.Failed(str(error)))
        if self._keeping == (session, position):
            self._keeping = None
