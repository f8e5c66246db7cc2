"""Facts workers report to the app and its screens. Widgets' own messages live in the widgets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recall_tui.model import Filter, Gap, Reach, Session
    from recall_tui.search.recall.envelope import Envelope
    from recall_tui.search.results import GrepUpdate
    from recall_tui.store.sync.progress import SyncProgress


@dataclass
class StoreChanged(Message):
    """The store has a new version."""

    version: int

    def can_replace(self, message: Message) -> bool:
        """Let only the newest of several stand in the queue."""
        return isinstance(message, StoreChanged)


@dataclass
class SyncReported(Message):
    """The sync child said where it stands."""

    progress: SyncProgress

    def can_replace(self, message: Message) -> bool:
        """Let only the newest of several stand in the queue."""
        return isinstance(message, SyncReported)


@dataclass
class SyncEnded(Message):
    """The sync child ended by itself: the list is no longer kept live by us."""

    reason: str
    """One sentence for a person; empty when another process keeps the index live."""


@dataclass
class SessionsLoaded(Message):
    """The list of sessions was read."""

    chosen: Filter
    """The filters of the box when they were asked for."""
    version: int
    """Of the store, read before the sessions were."""
    sessions: list[Session]
    reach: Reach
    gaps: list[Gap]
    pins: list[str]
    """Keys of pinned sessions, latest first."""


@dataclass
class EndsRead(Message):
    """It was looked at how the newest sessions end."""

    open_ended: set[str]
    """Keys of those whose last word is not the agent's."""


@dataclass
class RetentionRead(Message):
    """It was looked at what an agent program will delete soon."""

    gaps: list[Gap]


@dataclass
class SearchUpdated(Message):
    """A search found more, or ended."""

    generation: int
    update: GrepUpdate
    first: bool
    """No earlier update of this search came."""
    called: Sequence[Session] = ()
    """Sessions whose title holds the words; with the first update."""


@dataclass
class RecallAnswered(Message):
    """A question was answered."""

    generation: int
    answer: Envelope


@dataclass
class NameFound(Message):
    """The box holds the name of a session, or of a message in it."""

    generation: int
    sessions: list[Session]
    position: int
    """Of the message named, -1 for none."""


@dataclass
class SearchFailed(Message):
    """A search could not be made."""

    generation: int
    words: str


@dataclass
class WorkFailed(Message):
    """Something in the background went wrong; the person should know what."""

    words: str
