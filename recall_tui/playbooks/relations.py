"""Relations: the family of a session by what its program recorded, and what is missing of it.

Only links the sources name themselves, or records they share; nothing is guessed from file names
(S3-73).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from recall_tui.model import Filter, SessionKind

if TYPE_CHECKING:
    from recall_tui.model import Session
    from recall_tui.playbooks.ports import Past

COPY: Final = "copy"
"""A session whose records stand in another as well: resumed elsewhere, or copied by hand."""


@dataclass(slots=True, frozen=True)
class Member:
    """One session of a family."""

    session: Session
    depth: int
    """0 for the oldest ancestor that is held."""
    link: str
    """How it belongs to its parent: subagent | fork | copy; empty for the first."""


@dataclass(slots=True, frozen=True)
class Family:
    """A session's ancestors and everything below the oldest of them."""

    asked: Session
    members: tuple[Member, ...]
    """Parents before children, children by time."""
    missing: tuple[str, ...]
    """Links that lead to no session that is held, each one sentence."""

    @property
    def complete(self) -> bool:
        """Whether every link leads to a session that is held."""
        return not self.missing


def family(past: Past, session: Session) -> Family:
    """Return the family of a session."""
    everyone = past.sessions(Filter(include_copies=True))
    by_key = {one.key: one for one in [*everyone, session]}
    below: dict[str, list[Session]] = {}
    for one in by_key.values():
        below.setdefault(one.parent, []).append(one)
    root, seen = session, {session.key}
    while root.parent in by_key and root.parent not in seen:
        root = by_key[root.parent]
        seen.add(root.key)
    members: list[Member] = []
    missing: list[str] = []
    stack = [(root, 0)]
    placed: set[str] = set()
    while stack:
        one, depth = stack.pop()
        if one.key in placed:
            continue
        placed.add(one.key)
        members.append(Member(one, depth, link(one) if depth else ""))
        if not depth and (gap := _gap(one, by_key)):
            missing.append(gap)
        children = sorted(below.get(one.key, ()), key=lambda s: (s.started_ms, s.key), reverse=True)
        stack += [(child, depth + 1) for child in children]
    return Family(session, tuple(members), tuple(missing))


def link(session: Session) -> str:
    """Return how a session belongs to its parent."""
    if session.kind in (SessionKind.SUBAGENT, SessionKind.FORK):
        return session.kind.value
    return COPY


def _gap(first: Session, known: dict[str, Session]) -> str:
    """Return what is missing above the oldest ancestor, empty when nothing is."""
    if first.parent and first.parent not in known:
        return f"{first.key} belongs to {first.parent}, which is not here"
    if not first.parent and first.kind in (SessionKind.SUBAGENT, SessionKind.FORK):
        return f"{first.key} is a {first.kind.value}, and the session it comes from is not here"
    return ""
