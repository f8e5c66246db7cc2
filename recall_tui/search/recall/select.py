"""Which evidence becomes a passage: one a turn, a quota a session, then fill (S0-76 ... S0-82)."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from recall_tui.model import Kind
from recall_tui.named import NamedTuple
from recall_tui.search.recall import policy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from recall_tui.search.recall.board import Evidence, Ranked
    from recall_tui.search.recall.envelope import Tier

OPENING = frozenset({Kind.PROMPT, Kind.DELEGATION})
"""What a turn begins with."""


class Choice(NamedTuple):
    """Evidence that becomes a passage."""

    ranked: Ranked
    evidence: Evidence
    turn: int
    """Position of the prompt its turn began with, -1 when it began with none."""
    after: int
    """Position the next turn begins at."""
    score: float
    tier: Tier
    family: str


def choose(
    ranked: Iterable[Ranked], limit: int, *, whole: bool, expand: bool, recent: bool
) -> list[Choice]:
    """Return at most `limit` choices, best first.

    Args:
        ranked: Sessions with their evidence.
        limit: Passages wanted.
        whole: Sessions were scored as wholes: a session's first passage has its score, further
            ones less. Else every message has its own.
        expand: Subagents and forks have quotas of their own.
        recent: Newest first inside a tier.
    """
    offered = [choice for one in ranked for choice in _of_session(one, whole=whole, expand=expand)]
    offered.sort(key=_newest if recent else _best)
    quota = max(1, limit // 3)
    taken: list[Choice] = []
    waiting: list[Choice] = []
    used: dict[str, int] = {}
    for choice in offered:
        if used.get(choice.family, 0) < quota and len(taken) < limit:
            used[choice.family] = used.get(choice.family, 0) + 1
            taken.append(choice)
        else:
            waiting.append(choice)
    taken += waiting[: limit - len(taken)]
    return sorted(taken, key=_newest if recent else _best)


def _of_session(ranked: Ranked, *, whole: bool, expand: bool) -> Iterator[Choice]:
    """Yield the best evidence of each turn of a session, best first (S0-78)."""
    session = ranked.session
    family = session.key if expand or not session.parent else session.parent
    starts = turns(ranked.kinds)
    top = ranked.evidence[0].score if ranked.evidence else 0.0
    seen: set[tuple[int, int]] = set()
    for evidence in ranked.evidence:
        turn, after = turn_of(starts, evidence.position, len(ranked.kinds))
        # Without a turn a message is a group of its own (S0-99).
        group = (turn, -1 if turn >= 0 else evidence.position)
        if group in seen:
            continue
        score = evidence.score
        if whole:
            share = policy.FOLLOWING * score / top if seen and top else 1.0
            score = ranked.score * share
        seen.add(group)
        yield Choice(ranked, evidence, turn, after, score, evidence.tier, family)


def turns(kinds: bytes | bytearray) -> list[int]:
    """Return the positions at which the turns of a session begin."""
    return [position for position, kind in enumerate(kinds) if kind in OPENING]


def turn_of(starts: Sequence[int], position: int, end: int) -> tuple[int, int]:
    """Return the [first, next) positions of the turn a message is in; (-1, next) before any."""
    place = bisect_right(starts, position)
    after = starts[place] if place < len(starts) else end
    return (starts[place - 1] if place else -1), after


def _best(choice: Choice) -> tuple[int, float, int, str, int]:
    """Tier, score, time, id (S0-74)."""
    found = choice.evidence
    key = choice.ranked.session.key
    return (-choice.tier, -choice.score, -_time(choice), key, found.position)


def _newest(choice: Choice) -> tuple[int, int, float, str, int]:
    key = choice.ranked.session.key
    return (-choice.tier, -_time(choice), -choice.score, key, choice.evidence.position)


def _time(choice: Choice) -> int:
    return choice.evidence.time_ms or choice.ranked.session.ended_ms
