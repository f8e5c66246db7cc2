"""A session as the transcript reads it: arrays first, text in windows, laid out off the loop.

Everything here runs in worker threads. A `Pages` object is handed to the screen whole and never
changed afterwards.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from recall_tui.model import Flag
from recall_tui.tui.frame import spaced
from recall_tui.tui.heights import Estimates, Heights
from recall_tui.tui.pairs import Pairs, read_paired
from recall_tui.tui.subagents import lay_asides, placed, read_asides

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from recall_tui.history import History
    from recall_tui.model import Message, Session
    from recall_tui.search.results import GrepQuery
    from recall_tui.store.skeleton import Skeleton
    from recall_tui.tui.frame import Frame
    from recall_tui.tui.lines import Line
    from recall_tui.tui.subagents import Aside

PAGE_MESSAGES: Final = 32
"""Messages loaded and laid out together: a screenful or two, a few milliseconds."""

_AHEAD_SCREENS: Final = 2
"""Screens above and below the view whose text is fetched before it is needed."""


@dataclass(slots=True, frozen=True)
class Page:
    """A window of messages, laid out."""

    number: int
    messages: Sequence[Message]
    lines: Sequence[Sequence[Line]]
    asides: Mapping[int, Sequence[Aside]] = field(default_factory=dict)
    """Subagents below the calls that started them, by position."""
    pairs: Pairs = field(default_factory=Pairs)
    """Which output belongs to which call."""


@dataclass(slots=True, frozen=True)
class Opening:
    """A session ready to be shown: its arrays, its estimated heights, its first pages."""

    session: Session
    skeleton: Skeleton
    heights: Heights
    frame: Frame
    hits: Sequence[int]
    """Positions that match the query, or whose subagents hold a match, ascending."""
    at: int
    """Position to open at, -1 for the end."""
    pages: Sequence[Page]
    begun: Mapping[int, Sequence[Session]]
    """Subagents by the position of the call that started each."""
    estimates: Estimates

    def reframed(self, frame: Frame) -> Opening:
        """Return the session laid out otherwise, every height an estimate again."""
        heights = stacked(self.estimates, frame, self.begun)
        return replace(self, frame=frame, heights=heights)


def open_session(
    history: History,
    session: Session,
    frame: Frame,
    *,
    at: int,
    query: GrepQuery | None,
    seek: bool = False,
    known: Opening | None = None,
) -> Opening:
    """Read a session's arrays, find the hits in it and lay out the pages around `at`.

    Args:
        history: Where to read.
        session: What to open.
        frame: How to lay it out.
        at: Position to open at; -1 for the end.
        query: What to look for inside, None for nothing.
        seek: Open at the first hit from `at` on instead, around the end to the start.
        known: How it was opened before: unless it has grown only the hits are others.
    """
    if known is not None and known.session == session:
        skeleton, children, estimates = known.skeleton, known.begun, known.estimates
    else:
        skeleton = history.skeleton(session)
        children, estimates = placed(history, session, skeleton), Estimates(skeleton)
    hits, inside = _hits(history, session, children, query)
    frame = replace(frame, inside=inside)
    count = len(skeleton)
    if seek and hits:
        at = hits[bisect_left(hits, at) % len(hits)]
    at = min(at, count - 1)
    around = at if at >= 0 else count - 1
    first = max(0, around // PAGE_MESSAGES - 1)
    last = min(pages_of(count) - 1, around // PAGE_MESSAGES + 1)
    pages = [
        load_page(history, session, skeleton, number, frame, frozenset(), children)
        for number in range(first, last + 1)
    ]
    heights = stacked(estimates, frame, children)
    return Opening(session, skeleton, heights, frame, hits, at, pages, children, estimates)


def grow_session(
    history: History, opening: Opening, session: Session, query: GrepQuery | None
) -> Opening | None:
    """Read the arrays of a session that was written to; None when it has no more messages.

    Args:
        history: Where to read.
        opening: How it stands on the screen.
        session: The session as it is now.
        query: What to look for inside.
    """
    skeleton = history.skeleton(session)
    if len(skeleton) == len(opening.skeleton):
        return None
    children = opening.begun
    if session.children != opening.session.children:
        children = placed(history, session, skeleton)
    hits, inside = _hits(history, session, children, query)
    frame = replace(opening.frame, inside=inside)
    last = max(0, min(len(opening.skeleton), len(skeleton)) - 1) // PAGE_MESSAGES
    pages = [
        load_page(history, session, skeleton, number, frame, frozenset(), children)
        # From the page before on: a call at its end may have got its result.
        for number in range(max(0, last - 1), min(last + 3, pages_of(len(skeleton))))
    ]
    estimates = Estimates(skeleton)
    heights = stacked(estimates, frame, children)
    return replace(
        opening, session=session, skeleton=skeleton, heights=heights, frame=frame, hits=hits,
        pages=pages, begun=children, estimates=estimates,
    )  # fmt: skip


def _hits(
    history: History,
    session: Session,
    children: Mapping[int, Sequence[Session]],
    query: GrepQuery | None,
) -> tuple[list[int], dict[str, int]]:
    """Return the positions a query leads to, and how much of it each subagent holds, by its key.

    Those of calls whose subagents hold some are among them: from there one goes in.
    """
    if query is None or not query.pattern:
        return [], {}
    own = history.positions_matching(session, query)
    inside: dict[str, int] = {}
    for position, started in children.items():
        for child in started:
            if found := len(history.positions_matching(child, query)):
                inside[child.key] = found
                own.append(position)
    return sorted(set(own)), inside


def missing_page(opening: Opening, top: int, height: int, held: Container[int]) -> int | None:
    """Return the page to load next, None when all that matter are held.

    Args:
        opening: The session on the screen.
        top: First line in view.
        height: Lines in view.
        held: Numbers of the pages that are there.
    """
    end = opening.heights.total - 1
    height = max(1, height)
    ahead = height * _AHEAD_SCREENS
    for low, high in ((top, top + height), (top - ahead, top + height + ahead)):
        first = opening.heights.at(max(0, min(low, end)))[0] // PAGE_MESSAGES
        last = opening.heights.at(max(0, min(high, end)))[0] // PAGE_MESSAGES
        for number in range(first, last + 1):
            if number not in held:
                return number
    return None


def notes_of(history: History, session: Session) -> dict[int, list[str]]:
    """Return what a person wrote about a session's messages, by position, oldest first."""
    found: dict[int, list[str]] = {}
    for note in history.notes(session):
        found.setdefault(note.position, []).append(note.text)
    return found


def stacked(
    estimates: Estimates, frame: Frame, children: Mapping[int, Sequence[Session]]
) -> Heights:
    """Return likely heights of every message of a session, subagents folded below their calls."""
    lines = estimates.lines(frame)
    for position, started in children.items():
        lines[position] += len(started)
    return Heights(lines)


def pages_of(count: int) -> int:
    """Return how many pages hold `count` messages."""
    return -(-count // PAGE_MESSAGES)


def load_page(
    history: History,
    session: Session,
    skeleton: Skeleton,
    number: int,
    frame: Frame,
    unfolded: AbstractSet[int],
    children: Mapping[int, Sequence[Session]],
    inline: Container[str] = (),
) -> Page:
    """Read one page of messages and lay it out.

    Args:
        history: Where to read.
        session: Whose page.
        skeleton: The session's arrays.
        number: Which page.
        frame: How to lay it out.
        unfolded: Positions that show all of their message.
        children: Subagents by the position of their call.
        inline: Keys of the subagents that are unfolded.
    """
    start = number * PAGE_MESSAGES
    shown, pairs = read_paired(history, session, start, start + PAGE_MESSAGES)
    here = {at: children[at] for at in range(start, start + PAGE_MESSAGES) if at in children}
    asides = read_asides(history, here, inline)
    lines = lay_all(shown, skeleton, frame, unfolded, pairs, asides)
    return Page(number, shown, lines, asides, pairs)


def lay_all(
    messages: Iterable[Message],
    skeleton: Skeleton,
    frame: Frame,
    unfolded: AbstractSet[int],
    pairs: Pairs,
    asides: Mapping[int, Sequence[Aside]],
) -> list[list[Line]]:
    """Return the lines of each message, those of its subagents below it."""
    from recall_tui.tui.layout import lay

    return [
        lay(
            message,
            frame,
            unfolded=message.position in unfolded,
            outcome=pairs.outcomes.get(message.position),
            made_by=pairs.apart(message),
            turned=_turns(skeleton, message.position),
            spaced=has_space(skeleton, message.position),
        )
        + lay_asides(asides.get(message.position, ()), frame)
        for message in messages
    ]


def has_space(skeleton: Skeleton, position: int) -> bool:
    """Return whether an empty line stands before a message."""
    before = skeleton.kinds[position - 1] if position else None
    return spaced(skeleton.kinds[position], before)


def _turns(skeleton: Skeleton, position: int) -> bool:
    """Return whether an abandoned branch begins with a message."""
    before = skeleton.flags[position - 1] if position else 0
    return bool(skeleton.flags[position] & ~before & Flag.ABANDONED)
