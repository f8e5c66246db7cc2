"""Subagents inside the session that started them: one line each, or unfolded in place."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from recall_tui.model import Filter, Kind, SessionKind
from recall_tui.tui.frame import outcomes_of, spaced
from recall_tui.tui.lines import Line, clean, justified
from recall_tui.tui.notation import counted, duration

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from recall_tui.history import History, Skeleton
    from recall_tui.model import Message, Session
    from recall_tui.tui.frame import Frame
    from recall_tui.tui.lines import Piece

SHOWN_MESSAGES: Final = 200
"""Messages of a subagent that are unfolded in place; a longer one is opened by itself."""

_NEAR_MS: Final = 2_000
"""A subagent may seem to begin this long before the call that starts it: clocks of two files."""

_ROOMY_CELLS: Final = 72
"""From here a line has room for how many tools a subagent called."""

_LOOKED_UP: Final = 24
"""Subagents whose calls are looked for by name: a session of hundreds must open at once."""

_LARGE_BYTES: Final = 32 << 20
"""In a larger session none are: each look reads all of its tool calls."""

_TITLE_CHARS: Final = 60
_LEAST_TITLE_CHARS: Final = 6

_RULE: Final[Piece] = ("  ┊ ", "rule")


class Aside(NamedTuple):
    """A subagent below the call that started it."""

    session: Session
    messages: Sequence[Message] = ()
    """Its first messages; none while it is folded."""


def placed(history: History, session: Session, skeleton: Skeleton) -> dict[int, list[Session]]:
    """Return the subagents of a session by the position of the call that started each."""
    if not session.children:
        return {}
    children = history.children(session)
    looked_up = children[:_LOOKED_UP] if session.size < _LARGE_BYTES else []
    return begun(children, skeleton, _named(history, session, looked_up))


def _named(
    history: History, session: Session, children: Sequence[Session]
) -> dict[str, Sequence[int]]:
    """Return where the calls stand that hold the title of a subagent, by its key."""
    from recall_tui.search.results import GrepQuery

    calls = Filter(kinds=(Kind.TOOL_CALL,))
    asked = {child.key: child.title.split("\n")[0][:_TITLE_CHARS] for child in children}
    return {
        key: history.positions_matching(session, GrepQuery(title, chosen=calls))
        for key, title in asked.items()
        if len(title) >= _LEAST_TITLE_CHARS
    }


def begun(
    children: Sequence[Session], skeleton: Skeleton, named: Mapping[str, Sequence[int]]
) -> dict[int, list[Session]]:
    """Return the subagents of a session by the position of the call that started each.

    Programs write down which call that was in six ways or not at all, so it is told by what all
    have: the last call before the subagent begins that names it, else the last one that has
    started none yet.

    Args:
        children: The family of the session, oldest first; only subagents are placed.
        skeleton: The session.
        named: Positions of the calls that hold the title of a subagent, by its key.
    """
    calls = [at for at, kind in enumerate(skeleton.kinds) if kind == Kind.TOOL_CALL]
    times = [skeleton.times[at] for at in calls]
    taken: set[int] = set()
    named_taken: set[int] = set()
    found: dict[int, list[Session]] = {}
    for child in reversed(children):
        if child.kind is not SessionKind.SUBAGENT or not calls:
            continue
        last = bisect_right(times, child.started_ms) or bisect_right(
            times, child.started_ms + _NEAR_MS
        )
        by_name = [
            at for at in named.get(child.key, ())
            if at not in named_taken and skeleton.times[at] <= child.started_ms + _NEAR_MS
        ]  # fmt: skip
        if by_name:
            named_taken.add(by_name[-1])
            found.setdefault(by_name[-1], []).insert(0, child)
            continue
        free = last
        while free and (free in taken or times[free - 1] < child.started_ms - _NEAR_MS):
            free -= 1
        chosen = free or last
        if chosen:
            taken.add(chosen)
            found.setdefault(calls[chosen - 1], []).insert(0, child)
    return found


def read_asides(
    history: History, begun_here: Mapping[int, Sequence[Session]], unfolded: Container[str]
) -> dict[int, list[Aside]]:
    """Read the subagents that are unfolded, by the position of their calls. For a worker thread."""
    return {
        position: [
            Aside(
                child, history.messages(child, 0, SHOWN_MESSAGES) if child.key in unfolded else ()
            )
            for child in children
        ]
        for position, children in begun_here.items()
    }


def lay_asides(asides: Sequence[Aside], frame: Frame) -> list[Line]:
    """Return the lines of the subagents below a call."""
    return [line for aside in asides for line in _lay(aside, frame)]


def _lay(aside: Aside, frame: Frame) -> list[Line]:
    session, unfolded = aside.session, bool(aside.messages)
    roomy = frame.room >= _ROOMY_CELLS
    facts = [
        counted(session.messages, "message"),
        counted(session.tool_calls, "tool call") if session.tool_calls and roomy else "",
        duration(session.ended_ms - session.started_ms),
    ]
    title = clean(" ".join(session.title.split())) or "untitled"
    left: list[Piece] = [
        (" " * frame.lead, ""), ("▾ " if unfolded else "▸ ", "accent"), ("subagent ", "muted"),
        (title, "" if unfolded else "muted"),
    ]  # fmt: skip
    right: list[Piece] = [(" · ".join(filter(None, facts)) + " ", "dim")]
    head = Line(justified(left, right, frame.width))
    if not unfolded:
        return [head]
    from recall_tui.tui.layout import lay

    inner = replace(frame, width=max(40, frame.width - 4), notes={})
    outcomes = outcomes_of(aside.messages)
    before: int | None = None
    lines = [head]
    for message in aside.messages:
        lines += [
            _inside(line)
            for line in lay(
                message, inner, outcome=outcomes.get(message.call) if message.call else None,
                spaced=spaced(message.kind, before),
            )
        ]  # fmt: skip
        before = message.kind
    left_out = session.messages - len(aside.messages)
    if left_out > 0:
        words = f"… {counted(left_out, 'more message')}: a opens it by itself"
        lines.append(_inside(Line(((words, "dim"),))))
    return lines


def _inside(line: Line) -> Line:
    """Return a line behind the rule that says whose it is."""
    lead = len(_RULE[0]) + line.inset if line.fill else 0
    return Line((_RULE, *line.pieces), line.fill, lead)
