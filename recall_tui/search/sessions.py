"""Which sessions a filter admits, and which ones a few typed words mean."""

from __future__ import annotations

import os
from bisect import bisect_left
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Protocol, TypeVar

from recall_tui.model import SessionKind
from recall_tui.paths import absolute
from recall_tui.store.choice import PREFIX_CHARS
from recall_tui.text.fold import fold

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recall_tui.model import Filter, Session


class Named(Protocol):
    """What a person can name: a session, or a source that was not read yet."""

    @property
    def key(self) -> str: ...  # noqa: D102
    @property
    def native_id(self) -> str: ...  # noqa: D102
    @property
    def path(self) -> str: ...  # noqa: D102


N = TypeVar("N", bound=Named)


def named(name: str, known: Sequence[N]) -> list[N]:
    """Return those a name means: by key, else native id, else path, else beginning of an id.

    A beginning has at least `PREFIX_CHARS` characters, and may follow `<harness>:`.
    """
    harness, colon, rest = name.partition(":")
    prefix = rest if colon else name
    path = absolute(name) if os.sep in name else ""
    found = (
        [one for one in known if one.key == name]
        or [one for one in known if one.native_id == name]
        or [one for one in known if path and one.path == path]
    )
    if found or len(prefix) < PREFIX_CHARS:
        return found
    alike = [one for one in known if one.native_id.startswith(prefix)]
    return [one for one in alike if not colon or one.key.startswith(f"{harness}:")]


def too_short(name: str) -> str:
    """Return what helps when nothing has a name that is too short to be the beginning of an id.

    Returns:
        A sentence for the person who gave it; empty when it is long enough.
    """
    beginning = name.partition(":")[2] or name
    short = 0 < len(beginning) < PREFIX_CHARS
    return f"give at least {PREFIX_CHARS} characters of an id" if short else ""


def admitted(sessions: Sequence[Session], chosen: Filter) -> list[Session]:
    """Return the sessions a filter admits, in order; naming one admits it even if it is a copy."""
    if chosen.sessions:
        wanted = {s.id for name in chosen.sessions for s in named(name, sessions)}
        return [s for s in sessions if s.id in wanted and admits(s, chosen)]
    return [
        session
        for session in sessions
        if admits(session, chosen)
        and (chosen.include_copies or not 0 < session.messages <= session.copied)
    ]


def admits(session: Session, chosen: Filter) -> bool:
    """Whether a session has what a filter asks for, names and copies apart.

    A session passes the time bounds when its span touches them; its messages are tested one by one
    later. `cwd`, `branch` and `model` are literal substrings compared folded.
    """
    return (
        (not chosen.harnesses or session.harness in chosen.harnesses)
        and (chosen.since_ms is None or not 0 < session.ended_ms < chosen.since_ms)
        and (chosen.until_ms is None or session.started_ms <= chosen.until_ms)
        and not (chosen.mains_only and session.kind is SessionKind.SUBAGENT)
        and (not chosen.roots or any(under(session.path, root) for root in chosen.roots))
        and (not chosen.cwd or fold(chosen.cwd) in fold(session.cwd))
        and (not chosen.branch or fold(chosen.branch) in fold(session.branch))
        and (not chosen.model or fold(chosen.model) in fold("\n".join(session.models)))
    )


def under(path: str, root: str) -> bool:
    """Whether a path is a root or lies below it."""
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


class Titles:
    """Finds sessions by what they are called, while a person types.

    Titles are folded into one text when the first one is looked for: a keystroke over 100,000
    sessions costs one `find` and a look at each title that holds the longest word.
    """

    def __init__(self, sessions: Sequence[Session]) -> None:
        self._sessions = sessions
        self._text = ""
        self._ends: list[int] = []
        """Where in the text each title ends; a separator follows."""

    def called(self, typed: str, chosen: Filter, limit: int) -> list[Session]:
        """Return the first sessions a filter admits whose title holds every typed word."""
        if not self._ends:
            folded = [fold(session.title) for session in self._sessions]
            self._text = "\0".join(folded)
            self._ends = list(accumulate((len(title) + 1 for title in folded), initial=-1))[1:]
        words = fold(typed).split()
        return list(islice(self._holding(words, chosen), limit)) if words else []

    def _holding(self, words: Sequence[str], chosen: Filter) -> Iterator[Session]:
        longest = max(words, key=len)
        at = self._text.find(longest)
        while at >= 0:
            row = bisect_left(self._ends, at)
            end = self._ends[row]
            title = self._text[self._ends[row - 1] + 1 if row else 0 : end]
            if all(word in title for word in words) and admits(self._sessions[row], chosen):
                yield self._sessions[row]
            at = self._text.find(longest, end)
