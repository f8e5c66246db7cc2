"""In which order sessions are listed, and under which headings."""

from __future__ import annotations

from bisect import bisect_right
from datetime import datetime, time
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeVar

from recall_tui.named import NamedTuple
from recall_tui.tui import notation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import date, tzinfo

    from recall_tui.model import Session

Heads = list[tuple[int, str]]
"""(First row, words) of each heading, ascending."""

C = TypeVar("C", bound=StrEnum)


class Order(StrEnum):
    """What comes first."""

    AGE = "newest first"
    SIZE = "largest first"
    PROMPTS = "most prompts first"
    TITLE = "by title"


class Group(StrEnum):
    """What a heading stands for."""

    DAY = "by day"
    PROJECT = "by project"
    HARNESS = "by harness"


class Arrangement(NamedTuple):
    """How sessions are listed."""

    order: Order = Order.AGE
    group: Group = Group.DAY


_KEYS: Final[dict[Order, Callable[[Session], tuple[object, ...]]]] = {
    Order.SIZE: lambda session: (-session.size,),
    Order.PROMPTS: lambda session: (-session.prompts,),
    Order.TITLE: lambda session: (not session.title, session.title.casefold()),
}


def arranged(
    sessions: Sequence[Session],
    how: Arrangement,
    now_ms: int,
    zone: tzinfo,
    pins: Sequence[str] = (),
) -> tuple[Sequence[Session], Heads]:
    """Return sessions in another order, and their headings; pinned ones first, whatever the order.

    Days are headings of the newest-first list only; in any other order they would say nothing.

    Args:
        sessions: Newest first.
        how: The order and the headings wanted.
        now_ms: The present, for `Today`.
        zone: The zone of days.
        pins: Keys of pinned sessions, latest first.
    """
    places = {key: place for place, key in enumerate(pins)}
    pinned = [session for session in sessions if session.key in places] if places else []
    if not pinned:
        return _grouped(sessions, how, now_ms, zone)
    pinned.sort(key=lambda session: places[session.key])
    others = [session for session in sessions if session.key not in places]
    rows, heads = _grouped(others, how, now_ms, zone)
    if others and not heads:
        heads = [(0, how.order.capitalize())]
    below = [(row + len(pinned), words) for row, words in heads]
    return [*pinned, *rows], [(0, "Pinned"), *below]


def _grouped(
    sessions: Sequence[Session], how: Arrangement, now_ms: int, zone: tzinfo
) -> tuple[Sequence[Session], Heads]:
    if how.group is Group.DAY:
        if how.order is Order.AGE:
            today = notation.day_of(now_ms, zone)
            return sessions, [
                (row, notation.day_words(day, today)) for row, day in _days(sessions, zone)
            ]
        return sorted(sessions, key=_KEYS[how.order]), []
    groups: dict[str, list[Session]] = {}
    for session in sessions:
        name = session.project if how.group is Group.PROJECT else session.harness
        groups.setdefault(name, []).append(session)
    rows: list[Session] = []
    heads: Heads = []
    for name, members in groups.items():
        heads.append((len(rows), f"{name or 'no directory'} · {len(members):,}"))
        rows += members if how.order is Order.AGE else sorted(members, key=_KEYS[how.order])
    return rows, heads


def after(value: C) -> C:
    """Return the choice that follows one, the first after the last."""
    choices = list(type(value))
    return choices[(choices.index(value) + 1) % len(choices)]


def _days(sessions: Sequence[Session], zone: tzinfo) -> list[tuple[int, date]]:
    """Return (first row, day) of each day, by bisection: 100,000 rows cost a few hundred looks."""
    days: list[tuple[int, date]] = []
    row = 0
    while row < len(sessions):
        day = notation.day_of(sessions[row].ended_ms, zone)
        days.append((row, day))
        start_ms = datetime.combine(day, time.min, zone).timestamp() * 1000
        row = bisect_right(sessions, -start_ms, row + 1, key=lambda session: -session.ended_ms)
    return days
