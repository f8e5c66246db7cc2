"""Export: sessions as Markdown, as one self-contained HTML page, or as lines of JSON.

Text streams out message by message, redacted, with everything that could act on a reader's program
made plain. An export ends where each session ended when it began; growth meanwhile is reported.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, Final

from recall_tui.errors import BadReferenceError
from recall_tui.model import Filter, Kind, Reference
from recall_tui.named import NamedTuple
from recall_tui.text.late import late

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recall_tui.model import Message, Session
    from recall_tui.playbooks.ports import Past

CHUNK: Final = 200
"""Messages held at a time."""


class Form(StrEnum):
    """What an export can be."""

    MARKDOWN = "md"
    HTML = "html"
    LINES = "jsonl"


EVERYTHING: Final = "*"
"""Stands for the sessions to come in a cursor of `--all`."""

_CURSOR: Final = late(r"(.+?#\d+~[0-9a-f]{4})@(\d+)(?:\+(.*))?")


class Cursor(NamedTuple):
    """Where a page ended, the boundary all pages share, what follows: `REF@messages+KEY,KEY`."""

    reference: Reference
    messages: int
    """Messages the session had when the first page was made."""
    rest: tuple[str, ...] = ()
    """Keys of the sessions that follow; `EVERYTHING` for all that come after this one."""

    def __str__(self) -> str:
        following = f"+{','.join(self.rest)}" if self.rest else ""
        return f"{self.reference}@{self.messages}{following}"

    @classmethod
    def parse(cls, text: str) -> Cursor:
        """Read a cursor.

        Raises:
            BadReferenceError: It has another form.
        """
        match = _CURSOR.fullmatch(text.strip())
        if match is None:
            raise BadReferenceError(f"not a cursor: {text[:80]!r}", "it is `next` of a page")
        reference, count, following = match.groups()
        rest = tuple(key for key in (following or "").split(",") if key)
        return cls(Reference.parse(reference), int(count), rest)


@dataclass(slots=True)
class Exported:
    """What went out; complete once the pieces are exhausted."""

    sessions: int = 0
    messages: int = 0
    unstable: int = 0
    """Sessions that changed while they were written."""
    left_out: int = 0
    """Messages that the filter or the limit left out."""
    next: str = ""
    """Cursor of the next page, when a limit ended this one: holds no text and no path."""


def export(
    past: Past, sessions: Sequence[Session], form: Form, *, chosen: Filter | None = None,
    limit: int = 0, after: Cursor | None = None, everything: bool = False,
) -> tuple[Iterator[str], Exported]:  # fmt: skip
    """Return (pieces of text to be written in order, what went out so far).

    Args:
        past: The history.
        sessions: Which, in order. Subagents and copies are sessions of their own (S3-72).
        form: What to make.
        chosen: Leaves messages out by kind, role and time.
        limit: Messages at most; 0 means all.
        after: Of the first session, only messages after this, of those the first page had.
        everything: The sessions are all that a filter lets through, from one on.
    """
    done = Exported()
    module = import_module(f"recall_tui.playbooks.export.{form.name.lower()}")
    if after is not None and after.reference.position == after.messages - 1:
        sessions = sessions[1:] or sessions  # the page before ended with it
    to_come = (EVERYTHING,) if everything else tuple(session.key for session in sessions)
    contents = Contents(past, chosen or Filter(), done, limit, after, to_come)
    pieces: Iterator[str] = module.pieces(sessions, contents)
    return pieces, done


class Contents:
    """The messages of sessions, as an export's filter lets them through."""

    def __init__(
        self,
        past: Past,
        chosen: Filter,
        done: Exported,
        limit: int,
        after: Cursor | None,
        to_come: tuple[str, ...],
    ) -> None:
        self._past = past
        self._chosen = chosen
        self.done = done
        self._limit = limit
        self._after = after
        self._to_come = to_come
        self._last: Cursor | None = None

    def boundary(self, session: Session) -> int:
        """Return how many messages of a session belong to the export: growth stays out."""
        after = self._cursor_in(session)
        return session.messages if after is None else after.messages

    def _cursor_in(self, session: Session) -> Cursor | None:
        """Return where to go on in a session, None where to begin."""
        after = self._after
        return after if after is not None and after.reference.key == session.key else None

    def of(self, session: Session) -> Iterator[tuple[int, Message]]:
        """Yield (number from 1 within the session, message); the count goes on over pages."""
        self.done.sessions += 1
        number, end = 0, self.boundary(session)
        after = self._cursor_in(session)
        position = -1 if after is None else after.reference.position
        for start in range(0, end, CHUNK):
            stop = min(start + CHUNK, end)
            for message in self._past.messages(session, start, stop):
                if not self._admits(message):
                    self.done.left_out += 1
                    continue
                number += 1
                if message.position <= position:
                    continue
                if self.full:
                    return
                self.done.messages += 1
                self._last = Cursor(message.reference, end)
                yield number, message

    def stable(self, session: Session) -> bool:
        """Say whether a session is now as it was when the export began."""
        now = [one for one in self._past.find(session.key) if one.key == session.key]
        same = bool(now) and now[0].messages == self.boundary(session)
        self.done.unstable += not same
        return same

    @property
    def full(self) -> bool:
        """Whether the limit ended the export; ask only where something follows."""
        if self._limit and self.done.messages >= self._limit and self._last is not None:
            self.done.next = str(self._last._replace(rest=self._following(self._last)))
        return bool(self.done.next)

    def _following(self, last: Cursor) -> tuple[str, ...]:
        """Return the sessions that come after that of a cursor, as a cursor names them."""
        if EVERYTHING in self._to_come:
            return self._to_come
        return self._to_come[self._to_come.index(last.reference.key) + 1 :]

    def _admits(self, message: Message) -> bool:
        chosen, time = self._chosen, message.time_ms
        if not chosen.kinds and not chosen.roles and message.kind is Kind.INJECTED:
            return False  # nobody said it; `--role system` has it
        return (
            chosen.admits_kind(message.kind)
            and (chosen.since_ms is None or time >= chosen.since_ms)
            and (chosen.until_ms is None or time <= chosen.until_ms)
        )
