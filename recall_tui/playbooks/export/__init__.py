"""Export: sessions as Markdown, as one self-contained HTML page, or as lines of JSON.

Text streams out message by message, redacted, with everything that could act on a reader's program
made plain. An export ends where each session ended when it began; growth meanwhile is reported.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple

from recall_tui.errors import BadReferenceError
from recall_tui.model import Filter, Kind, Reference

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


class Cursor(NamedTuple):
    """Where a page ended, and the boundary all pages share: `REF@messages`."""

    reference: Reference
    messages: int
    """Messages the session had when the first page was made."""

    def __str__(self) -> str:
        return f"{self.reference}@{self.messages}"

    @classmethod
    def parse(cls, text: str) -> Cursor:
        """Read a cursor.

        Raises:
            BadReferenceError: It has another form.
        """
        reference, _, count = text.strip().rpartition("@")
        found = Reference.parse(reference)
        if not count.isascii() or not count.isdigit() or found.digest < 0:
            raise BadReferenceError(f"not a cursor: {text[:80]!r}", "it is `next` of a page")
        return cls(found, int(count))


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
    limit: int = 0, after: Cursor | None = None,
) -> tuple[Iterator[str], Exported]:  # fmt: skip
    """Return (pieces of text to be written in order, what went out so far).

    Args:
        past: The history.
        sessions: Which, in order. Subagents and copies are sessions of their own (S3-72).
        form: What to make.
        chosen: Leaves messages out by kind, role and time.
        limit: Messages at most; 0 means all.
        after: Of the first session, only messages after this, of those the first page had.
    """
    done = Exported()
    module = import_module(f"recall_tui.playbooks.export.{form.name.lower()}")
    contents = Contents(past, chosen or Filter(), done, limit, after)
    pieces: Iterator[str] = module.pieces(sessions, contents)
    return pieces, done


class Contents:
    """The messages of sessions, as an export's filter lets them through."""

    def __init__(
        self, past: Past, chosen: Filter, done: Exported, limit: int, after: Cursor | None
    ) -> None:
        self._past = past
        self._chosen = chosen
        self.done = done
        self._limit = limit
        self._after = after

    def boundary(self, session: Session) -> int:
        """Return how many messages of a session belong to the export: growth stays out."""
        return session.messages if self._after is None else self._after.messages

    def of(self, session: Session) -> Iterator[tuple[int, Message]]:
        """Yield (number from 1 within the session, message); the count goes on over pages."""
        self.done.sessions += 1
        number, last = 0, None
        end = self.boundary(session)
        position = -1 if self._after is None else self._after.reference.position
        for start in range(0, end, CHUNK):
            stop = min(start + CHUNK, end)
            for message in self._past.messages(session, start, stop):
                if not self._admits(message):
                    self.done.left_out += 1
                    continue
                number += 1
                if message.position <= position:
                    continue
                if self._limit and self.done.messages >= self._limit:
                    self.done.next = str(Cursor(last.reference, end)) if last else ""
                    return
                self.done.messages += 1
                last = message
                yield number, message

    def stable(self, session: Session) -> bool:
        """Say whether a session is now as it was when the export began."""
        now = [one for one in self._past.find(session.key) if one.key == session.key]
        same = bool(now) and now[0].messages == self.boundary(session)
        self.done.unstable += not same
        return same

    @property
    def full(self) -> bool:
        """Whether the limit ended the export."""
        return bool(self.done.next)

    def _admits(self, message: Message) -> bool:
        chosen, time = self._chosen, message.time_ms
        if not chosen.kinds and not chosen.roles and message.kind is Kind.INJECTED:
            return False  # nobody said it; `--role system` has it
        return (
            chosen.admits_kind(message.kind)
            and (chosen.since_ms is None or time >= chosen.since_ms)
            and (chosen.until_ms is None or time <= chosen.until_ms)
        )
