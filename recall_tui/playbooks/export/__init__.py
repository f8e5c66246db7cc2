"""Export: sessions as Markdown, as one self-contained HTML page, or as lines of JSON.

Text streams out message by message, redacted, with everything that could act on a reader's program
made plain. An export ends where each session ended when it began; growth meanwhile is reported.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, Final

from recall_tui.model import Filter, Kind

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
    """Reference to go on after, when a limit ended a page."""


def export(
    past: Past, sessions: Sequence[Session], form: Form, *, chosen: Filter | None = None,
    limit: int = 0, after: int = -1,
) -> tuple[Iterator[str], Exported]:  # fmt: skip
    """Return (pieces of text to be written in order, what went out so far).

    Args:
        past: The history.
        sessions: Which, in order. Subagents and copies are sessions of their own (S3-72).
        form: What to make.
        chosen: Leaves messages out by kind, role and time.
        limit: Messages at most; 0 means all.
        after: Of the first session, only messages after this position.
    """
    done = Exported()
    module = import_module(f"recall_tui.playbooks.export.{form.name.lower()}")
    contents = Contents(past, chosen or Filter(), done, limit, after)
    pieces: Iterator[str] = module.pieces(sessions, contents)
    return pieces, done


class Contents:
    """The messages of sessions, as an export's filter lets them through."""

    def __init__(
        self, past: Past, chosen: Filter, done: Exported, limit: int = 0, after: int = -1
    ) -> None:
        self._past = past
        self._chosen = chosen
        self.done = done
        self._limit = limit
        self._after = after
        self.last = ""
        """Reference of the last message that went out."""

    def of(self, session: Session) -> Iterator[tuple[int, Message]]:
        """Yield (number from 1 within the session, message); the count goes on over pages."""
        self.done.sessions += 1
        number = 0
        for start in range(0, session.messages, CHUNK):
            stop = min(start + CHUNK, session.messages)
            for message in self._past.messages(session, start, stop):
                if not self._admits(message):
                    self.done.left_out += 1
                    continue
                number += 1
                if message.position <= self._after:
                    continue
                if self._limit and self.done.messages >= self._limit:
                    self.done.next = self.last
                    return
                self.done.messages += 1
                self.last = str(message.reference)
                yield number, message
        self._after = -1

    def stable(self, session: Session) -> bool:
        """Say whether a session is now as it was when the export began."""
        now = [one for one in self._past.find(session.key) if one.key == session.key]
        same = bool(now) and now[0].messages == session.messages
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
