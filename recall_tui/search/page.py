"""A page of matches: what may still enter it, what is final, and where the next one begins.

The order: time (a message without one takes its session's end), newest first; then session key;
then position, last first. A cursor is a place in that order, so it holds no text, and means the
same after a sync.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import TYPE_CHECKING

from recall_tui.errors import QueryError
from recall_tui.named import NamedTuple

if TYPE_CHECKING:
    from recall_tui.model import Session
    from recall_tui.store.block import Block


class Place(NamedTuple):
    """A message's place in the order; smaller comes first."""

    age: int
    """Epoch ms, negated."""
    session: str
    behind: int
    """Position, negated."""

    def cursor(self) -> str:
        """Return the place as an opaque word that a caller hands back."""
        from base64 import urlsafe_b64encode  # noqa: PLC0415 - few pages have a next one

        text = f"{-self.age}:{-self.behind}:{self.session}"
        return urlsafe_b64encode(text.encode("utf-8", "surrogatepass")).decode().rstrip("=")

    @classmethod
    def at_cursor(cls, cursor: str) -> Place:
        """Read a cursor.

        Raises:
            QueryError: It is not one of ours.
        """
        from base64 import urlsafe_b64decode  # noqa: PLC0415

        try:
            padded = cursor + "=" * (-len(cursor) % 4)
            text = urlsafe_b64decode(padded).decode("utf-8", "surrogatepass")
            time_ms, position, session = text.split(":", 2)
            return cls(-int(time_ms), session, -int(position))
        except ValueError as error:
            raise QueryError(
                f"not a cursor: {cursor[:40]!r}", "pass `next` of the page before, unchanged"
            ) from error


class Match:
    """A matching message that may become a hit. Its block's fold is no longer held.

    Attributes:
        at: Index of the message in the block.
    """

    __slots__ = ("at", "block", "place", "session")

    def __init__(self, place: Place, session: Session, block: Block, at: int) -> None:
        self.place = place
        self.session = session
        self.block = block
        self.at = at


class Page:
    """The newest matches after a cursor, no more than may still be handed out.

    Attributes:
        room: Matches the page still takes.
        more: Something lies behind the page.
        last: Place of the last match handed out.
    """

    def __init__(self, limit: int, after: Place | None) -> None:
        self.room = limit
        self.more = False
        self.last: Place | None = None
        self._after = after
        self._waiting: list[Match] = []

    def closed_to(self, newest_ms: int) -> bool:
        """Whether no match as old as this, or older, can enter the page."""
        if not self.room:
            return True
        full = len(self._waiting) >= self.room
        return full and -self._waiting[-1].place.age > newest_ms

    def offer(self, match: Match) -> None:
        """Take a match in if it is among the newest that the page has room for."""
        if self._after is not None and match.place <= self._after:
            return
        insort(self._waiting, match, key=_place)
        if len(self._waiting) > self.room:
            self._waiting.pop()
            self.more = True

    def take_final(self, next_ms: int | None) -> list[Match]:
        """Hand out the matches that are newer than all to come (None: nothing will come)."""
        if not self._waiting:
            return []
        count = len(self._waiting)
        if next_ms is not None:
            count = bisect_left(self._waiting, -next_ms, key=_age)
        final, self._waiting = self._waiting[:count], self._waiting[count:]
        if final:
            self.room -= count
            self.last = final[-1].place
        return final


def _place(match: Match) -> Place:
    return match.place


def _age(match: Match) -> int:
    return match.place.age
