"""Background work that ended in a fault: said, because silence looks like an empty history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message
from textual.message_pump import MessagePump
from textual.worker import WorkerState

if TYPE_CHECKING:
    from textual.worker import Worker


class WorkFaulted(Message):
    """A worker ended in an error nobody expected.

    Attributes:
        words: What was being done, and what went wrong.
        group: Of the worker.
    """

    def __init__(self, worker: Worker[object]) -> None:
        super().__init__()
        error = worker.error
        what = worker.description or "background work"
        self.words = f"{what}: {type(error).__name__}: {error}"
        self.group = worker.group


class TellsFaults(MessagePump):
    """A screen or widget with workers: Textual tells how one ended to whoever started it, alone."""

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Pass a fault on to the app."""
        if event.state is WorkerState.ERROR:
            self.log.error(event.worker.error)
            self.post_message(WorkFaulted(event.worker))
