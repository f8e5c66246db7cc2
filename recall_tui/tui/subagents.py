"""Subagents inside the session that started them: one line each, or unfolded in place."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from recall_tui.model import Filter, Kind, SessionKind
from recall_tui.named import NamedTuple
from recall_tui.tui.frame import INSIDE_CELLS, inside, spaced
from recall_tui.tui.lines import Line, clean, justified
from recall_tui.tui.notation import counted, duration
from recall_tui.tui.pairs import pairs_of

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from recall_tui.history import History
    from recall_tui.model import Message, Session
    from recall_tui.store.skeleton import Skeleton
    from recall_tui.tui.frame import Frame
    from recall_tui.tui.lines import Piece

SHOWN_MESSAGES: Final = 200
"""Messages of a subagent that are unfolded in place; a longer one is opened by itself."""

_NEAR_MS: Final = 2_000
"""A subagent may seem to begin this long before the call that starts it: clocks of two files."""

_ROOMY_CELLS: Final = 72
"""From here a line has room for how many tools a subagent called."""

_LOOKED_UP: Final = 100
"""Subagents whose calls are looked for: a session of thousands must open at once."""

_LOOKED_THROUGH_BYTES: Final = 256 << 20
"""So much is read for it at most: each look reads the text of all tools."""

_CALL_NEAR: Final = 100
"""So many messages before what came back its call is looked for: others may run beside it."""

_TITLE_CHARS: Final = 60
_LEAST_TITLE_CHARS: Final = 6


class Aside(NamedTuple):
    """A subagent below the call that started it."""

    session: Session
    messages: Sequence[Message] = ()
    """Its first messages; none while it is folded."""


def placed(history: History, session: Session, skeleton: Skeleton) -> dict[int, list[Session]]:
    """Return the subagents of a session by the position of the call that started each."""
    if not session.children:
        return {}
    children = [one for one in history.children(session) if one.kind is SessionKind.SUBAGENT]
    looked_up = children[: min(_LOOKED_UP, _LOOKED_THROUGH_BYTES // max(1, session.size))]
    recorded, named = {}, {}
    for child in looked_up:
        if (at := _recorded(history, session, child)) is not None:
            recorded[child.key] = at
        else:
            named[child.key] = _named(history, session, child)
    return begun(children, skeleton, recorded, named)


def start_of(history: History, session: Session, child: Session) -> int:
    """Return where in a session one of its family was started: at a call, else at that time."""
    skeleton = history.skeleton(session)
    for position, started in placed(history, session, skeleton).items():
        if any(one.key == child.key for one in started):
            return position
    return max(0, bisect_right(skeleton.times, child.started_ms) - 1)


def _recorded(history: History, session: Session, child: Session) -> int | None:
    """Return the position of the call that came back with a subagent's id, None for none.

    Programs write it into what the agent is given back. The first to name it came from the call
    that started it: nobody knew it before.
    """
    from recall_tui.search.results import Case, GrepQuery

    own = child.native_id.rpartition("/")[2].removeprefix("agent-")
    results = Filter(kinds=(Kind.TOOL_RESULT,))
    query = GrepQuery(own, case=Case.EXACT, word=True, chosen=results)
    first = next(iter(history.positions_matching(session, query)), None)
    if first is None:
        return None
    *before, result = history.messages(session, max(0, first - _CALL_NEAR), first + 1)
    calls = (m for m in reversed(before) if m.kind is Kind.TOOL_CALL and m.call == result.call)
    call = next(calls, None) if result.call else None
    return call.position if call is not None else None


def _named(history: History, session: Session, child: Session) -> Sequence[int]:
    """Return where the calls stand that hold the title of a subagent."""
    from recall_tui.search.results import GrepQuery

    title = child.title.split("\n")[0][:_TITLE_CHARS]
    if len(title) < _LEAST_TITLE_CHARS:
        return ()
    calls = Filter(kinds=(Kind.TOOL_CALL,))
    return history.positions_matching(session, GrepQuery(title, chosen=calls))


def begun(
    children: Sequence[Session],
    skeleton: Skeleton,
    recorded: Mapping[str, int],
    named: Mapping[str, Sequence[int]],
) -> dict[int, list[Session]]:
    """Return the subagents of a session by the position of the call that started each.

    That is the call on record; without one, the last call before the subagent begins that names
    it; else the last one before it that has started none yet.

    Args:
        children: The subagents of the session, oldest first.
        skeleton: The session.
        recorded: Position of the call that is known to have started a subagent, by its key.
        named: Positions of the calls that hold the title of a subagent, by its key.
    """
    calls = [at for at, kind in enumerate(skeleton.kinds) if kind == Kind.TOOL_CALL]
    times = [skeleton.times[at] for at in calls]
    taken = set(recorded.values())
    found: dict[int, list[Session]] = {}
    for child in reversed(children):
        at = recorded.get(child.key)
        if at is None:
            at = _likely(child, calls, times, named.get(child.key, ()), taken)
        if at is not None:
            taken.add(at)
            found.setdefault(at, []).insert(0, child)
    return found


def _likely(
    child: Session,
    calls: Sequence[int],
    times: Sequence[int],
    named: Sequence[int],
    taken: Container[int],
) -> int | None:
    """Return the position of the call that most likely started a subagent, None for none.

    Args:
        child: The subagent.
        calls: Positions of all calls.
        times: Their times.
        named: Positions of the calls that hold its title.
        taken: Positions of the calls that started others.
    """
    latest = child.started_ms + _NEAR_MS
    last = bisect_right(times, child.started_ms) or bisect_right(times, latest)
    by_name = [
        at for at in named if at not in taken and times[bisect_left(calls, at)] <= latest
    ]  # fmt: skip
    if by_name:
        return by_name[-1]
    free = last
    while free and (calls[free - 1] in taken or times[free - 1] < child.started_ms - _NEAR_MS):
        free -= 1
    chosen = free or last
    return calls[chosen - 1] if chosen else None


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
    if hits := frame.inside.get(session.key):
        right = [(f" {counted(hits, 'hit')} inside ", "match"), (" ", ""), *right[: int(roomy)]]
    head = Line(justified(left, right, frame.width))
    if not unfolded:
        return [head]
    from recall_tui.tui.layout import lay

    inner = replace(frame, width=max(40, frame.width - INSIDE_CELLS), notes={})
    pairs = pairs_of(aside.messages)
    before: int | None = None
    lines = [head]
    for message in aside.messages:
        lines += [
            inside(line)
            for line in lay(
                message, inner, outcome=pairs.outcomes.get(message.position),
                made_by=pairs.apart(message), spaced=spaced(message.kind, before),
            )
        ]  # fmt: skip
        before = message.kind
    left_out = session.messages - len(aside.messages)
    if left_out > 0:
        words = f"… {counted(left_out, 'more message')}: a opens it by itself"
        lines.append(inside(Line(((words, "dim"),))))
    return lines
