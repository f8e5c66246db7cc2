"""What playbooks need of whoever holds the history. `history.History` fits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recall_tui.harnesses.base import ResumeCommand
    from recall_tui.model import Filter, Message, Session
    from recall_tui.search.results import GrepQuery, GrepUpdate


class Outline(Protocol):
    """A session without its text: one entry a message, by position."""

    @property
    def kinds(self) -> Sequence[int]:
        """`model.Kind` of each message."""
        ...

    @property
    def flags(self) -> Sequence[int]:
        """`model.Flag` bits of each message."""
        ...


class Found(Protocol):
    """What a reference leads to."""

    @property
    def state(self) -> str:
        """Same | changed | gone | session."""
        ...

    @property
    def message(self) -> Message | None:
        """The message at the position now."""
        ...


class Past(Protocol):
    """Sessions and their messages, as `history.History` gives them."""

    def sessions(self, chosen: Filter | None = None) -> list[Session]:
        """Return sessions newest first."""
        ...

    def find(self, name: str) -> list[Session]:
        """Return the sessions a key, native id, unique prefix or path names."""
        ...

    def children(self, session: Session) -> list[Session]:
        """Return what is folded under a session, oldest first."""
        ...

    def messages(self, session: Session, start: int = 0, stop: int | None = None) -> list[Message]:
        """Return messages by position, in order."""
        ...

    def skeleton(self, session: Session) -> Outline:
        """Return a session's outline."""
        ...

    def resume(self, session: Session) -> ResumeCommand | None:
        """Return the program's own resume command."""
        ...

    def resolve(self, reference: str) -> Found:
        """Look a reference up.

        Raises:
            BadReferenceError: No such session.
        """
        ...

    def grep(self, query: GrepQuery) -> Iterator[GrepUpdate]:
        """Search literally, newest first; the last update has `done` set."""
        ...
