"""Which sessions a filter admits, and which ones a few typed words mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from recall_tui.model import SessionKind
from recall_tui.text.fold import fold

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recall_tui.model import Filter, Session

PREFIX_CHARS: Final = 8
"""Shortest beginning of an id that names a session: as long as a short commit id."""


def admits(session: Session, chosen: Filter) -> bool:
    """Whether a filter admits a session, by everything but its messages' kinds and times.

    A session passes the time bounds when its span touches them; its messages are tested one by one
    later. `cwd`, `branch` and `model` are literal substrings compared folded.
    """
    return (
        (not chosen.harnesses or session.harness in chosen.harnesses)
        and (chosen.since_ms is None or session.ended_ms >= chosen.since_ms)
        and (chosen.until_ms is None or session.started_ms <= chosen.until_ms)
        and (not chosen.mains_only or session.kind is SessionKind.MAIN)
        and (not chosen.sessions or any(names(wanted, session) for wanted in chosen.sessions))
        and (not chosen.roots or any(under(session.path, root) for root in chosen.roots))
        and (not chosen.cwd or fold(chosen.cwd) in fold(session.cwd))
        and (not chosen.branch or fold(chosen.branch) in fold(session.branch))
        and (not chosen.model or any(fold(chosen.model) in fold(m) for m in session.models))
    )


def names(wanted: str, session: Session) -> bool:
    """Whether a key, a native id, or the first `PREFIX_CHARS` or more of one mean a session."""
    known = (session.key, session.name, session.native_id)
    return wanted in known or (
        len(wanted) >= PREFIX_CHARS and any(name.startswith(wanted) for name in known)
    )


def under(path: str, root: str) -> bool:
    """Whether a path is a root or lies below it; both slashes part folders."""
    return path == root or path.startswith((root.rstrip("/\\") + "/", root.rstrip("/\\") + "\\"))


class TypeToFilter:
    """Narrows a list of sessions while a person types: every word must occur somewhere.

    What is looked at is folded once, so that a keystroke over thousands of sessions costs
    substring tests only.
    """

    def __init__(self, sessions: Iterable[Session]) -> None:
        self._known = [(session, _visible(session)) for session in sessions]

    def matching(self, typed: str) -> list[Session]:
        """Return, in order, the sessions of which title, folder, branch or key hold every word."""
        words = fold(typed).split()
        return [s for s, visible in self._known if all(word in visible for word in words)]


def _visible(session: Session) -> str:
    """Return what a list shows of a session, folded, with no match across two fields."""
    fields = (session.title, session.cwd, session.branch, session.key, session.native_id)
    return fold("\n".join(fields))
