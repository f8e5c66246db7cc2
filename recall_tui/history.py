"""The composition root: opens stores, wires ports, and is all the three fronts hold.

Whatever one front can do is a method here, so that the other two can show it.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recall_tui.store.sync.progress import SyncProgress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from recall_tui.harnesses.base import ResumeCommand
    from recall_tui.model import Filter, Gap, Message, Reach, Reference, Session
    from recall_tui.search.results import GrepQuery, GrepUpdate

__all__ = ["History", "Resolved", "Root", "Skeleton", "SyncProgress"]


@dataclass(slots=True, frozen=True)
class Root:
    """A place to read sessions from: one `--source`, or a harness's own default."""

    harness: str
    """Empty: recognise by content."""
    path: str
    given: bool = False
    """The person named it, so a missing one is an error, not an absence."""


class Skeleton:
    """A session without its text: what a virtual transcript needs to lay out 100k messages.

    Attributes, one entry a message by position: `kinds` ("B"), `flags` ("B"), `times` ("q"),
    `sizes` ("I", bytes of the shown text).
    """

    __slots__ = ("flags", "kinds", "sizes", "times")

    def __init__(self) -> None:
        self.kinds = array("B")
        self.flags = array("B")
        self.times = array("q")
        self.sizes = array("I")

    def __len__(self) -> int:
        return len(self.kinds)


@dataclass(slots=True, frozen=True)
class Resolved:
    """What a reference leads to."""

    reference: Reference
    session: Session
    state: str
    """same | changed | gone | session (the reference names no message)"""
    message: Message | None


class History:
    """Everything the fronts can ask. One object a process; safe to use from worker threads."""

    def __init__(self, roots: Sequence[Root], env: Mapping[str, str]) -> None:
        raise NotImplementedError

    @classmethod
    def open(
        cls,
        sources: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        *,
        demo: bool = False,
    ) -> History:
        """Open the history of this machine, of the named `--source`s, or the bundled demo."""
        raise NotImplementedError

    def close(self) -> None:
        """Close every connection."""
        raise NotImplementedError

    def sessions(self, chosen: Filter | None = None, *, limit: int = 0) -> list[Session]:
        """Return sessions newest first; 0 means all. Full copies of another session are left out."""
        raise NotImplementedError

    def find(self, name: str) -> list[Session]:
        """Return the sessions a key, native id, unique prefix, path or reference names."""
        raise NotImplementedError

    def children(self, session: Session) -> list[Session]:
        """Return the subagents, forks and copies folded under a session, oldest first."""
        raise NotImplementedError

    def grep(
        self, query: GrepQuery, stop: Callable[[], bool] = lambda: False
    ) -> Iterator[GrepUpdate]:
        """Search for a person: streaming, exact, newest first. The last update has `done` set."""
        raise NotImplementedError

    def resolve(self, reference: Reference | str) -> Resolved:
        """Look a reference up; a changed record resolves as changed, never as another.

        Raises:
            BadReferenceError: Malformed, or no such session.
        """
        raise NotImplementedError

    def messages(self, session: Session, start: int = 0, stop: int | None = None) -> list[Message]:
        """Return messages by position, in order."""
        raise NotImplementedError

    def skeleton(self, session: Session) -> Skeleton:
        """Return the arrays a virtual transcript lays out from."""
        raise NotImplementedError

    def positions_matching(self, session: Session, query: GrepQuery) -> list[int]:
        """Return every position in one session that matches (find inside)."""
        raise NotImplementedError

    def material(self, reference: Reference, material_id: str) -> bytes:
        """Read a material's bytes from its source, after checking that the message holds it."""
        raise NotImplementedError

    def resume(self, session: Session) -> ResumeCommand | None:
        """Return the harness's own resume command."""
        raise NotImplementedError

    def reach(self, chosen: Filter | None = None) -> Reach:
        """Say what is covered: sources, sessions, days, index age, gaps."""
        raise NotImplementedError

    def gaps(self) -> list[Gap]:
        """Return every known gap."""
        raise NotImplementedError

    def version(self) -> int:
        """Return a number that changes when the store does: poll it to refresh (cheap)."""
        raise NotImplementedError

    def sync(
        self,
        on_progress: Callable[[SyncProgress], None] = lambda _: None,
        stop: Callable[[], bool] = lambda: False,
        *,
        rebuild: bool = False,
        verify: bool = False,
    ) -> SyncProgress:
        """Compare the sources with the index and read what is new.

        Raises:
            StoreBusyError: Another process is writing; the message names it.
        """
        raise NotImplementedError

    def watch(
        self,
        on_progress: Callable[[SyncProgress], None],
        stop: Callable[[], bool],
    ) -> None:
        """Sync, then keep the index live until `stop`."""
        raise NotImplementedError

    def forget(self, sessions: Sequence[Session]) -> None:
        """Remove sessions from everything derived from them, and never read them again (Q3).

        The agents' own files are not touched. What stays is a tombstone that holds no text.

        Raises:
            StoreBusyError: Another process is writing; the message names it.
        """
        raise NotImplementedError
