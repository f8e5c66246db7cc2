"""Which sessions repeat each other's beginnings, and which of them was written first.

Resuming, forking and archiving copy history into new files. The copied part of a session is the
longest common beginning of its messages (record and content) with one that was written before it;
it counts once, there. The index and the cold path both ask here.

A fork whose program wrote its turns into the origin as well has its beginning somewhere in there,
and the copy of a compacted session begins with the summary.

**Which one was written first?** What a fork names as its origin. Else times decide, message by
message: a copy either gives its messages the time at which they were copied, or it has the
original's times and goes on later, or does not end where the original did. Equal sessions: the
one whose source is present, then the first by path, so that every machine and every order of
reading gives the same answer.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from recall_tui.model import Kind
from recall_tui.named import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from recall_tui.store.block import Meta


class Origin(NamedTuple):
    """What tells whose copy a session may be."""

    native_id: str
    forked_from: str
    """Native id of what a fork names as its origin, empty for all others."""
    first_record: int
    """Hash of its first native record id, 0 without one."""
    started_ms: int
    gone: bool
    place: tuple[str, str]
    """Path and part of its source."""


class History(NamedTuple):
    """The messages of a session by position, without their texts."""

    records: array[int]
    """What identifies each: record hash and content digest together, for files that use the same
    simple ids for different texts are no copies."""
    times: array[int]
    """Epoch ms, 0 when unknown."""
    summaries: frozenset[int] = frozenset()
    """Those of `records` that sum up what was said before."""

    @classmethod
    def of(cls, metas: Iterable[Meta]) -> History:
        """Return the history that the blocks of a session hold."""
        parts = list(metas)
        size = 8 * (1 + max((meta.positions[-1] for meta in parts), default=-1))
        found = cls(array("Q", bytes(size)), array("q", bytes(size)))
        summaries: set[int] = set()
        for meta in parts:
            columns = zip(meta.positions, meta.records, meta.digests, meta.times, strict=True)
            for position, record, digest, time_ms in columns:
                found.records[position] = identity(record, digest)
                found.times[position] = time_ms
            summaries.update(identity(meta.records[at], meta.digests[at]) for at in summed_up(meta))
        return found._replace(summaries=frozenset(summaries))


class Indexed(NamedTuple):
    """A session of the index, as far as one that is not in it may share history with it."""

    origin: Origin
    history: History
    copied: int
    """Of its first messages so many count in another session."""


def summed_up(meta: Meta) -> list[int]:
    """Return the indices of the summaries in a block."""
    kinds = meta.kinds.tobytes()
    if Kind.SUMMARY not in kinds:
        return []
    return [at for at, kind in enumerate(kinds) if kind == Kind.SUMMARY]


def identity(record: int, digest: int) -> int:
    """Return what identifies a message among copies."""
    return record << 16 | digest


def may_share(one: Origin, other: Origin) -> bool:
    """Whether equal messages of two sessions are copies, and not just equal words."""
    named = {one.forked_from, other.forked_from} - {""}
    if named & {one.native_id, other.native_id} or (one.forked_from == other.forked_from and named):
        return True
    if one.first_record or other.first_record:
        return one.first_record == other.first_record
    # Some programs give every session one id; a converted file keeps its start.
    return one.native_id == other.native_id and one.started_ms == other.started_ms


def copies(
    origins: Mapping[int, Origin], held: Mapping[int, History]
) -> dict[int, tuple[int, int]]:
    """Return row id -> (row id of the original, messages copied) of the copies of a family.

    Args:
        origins: The sessions of the family by row id.
        held: Their histories.
    """
    rows = [row for row in origins if held[row].records]
    firsts = {held[row].records[0] for row in rows}
    found: dict[int, tuple[int, int]] = {}
    earlier: dict[int, list[int]] = {first: [] for first in firsts}
    for row in _in_order(rows, origins, held):
        mine = held[row].records
        ids = origins[row].first_record != 0
        best = 0, 0
        for other in earlier[mine[0]]:
            theirs = held[other].records
            if mine[0] == theirs[0]:
                related = may_share(origins[row], origins[other])
            else:
                origin = origins[row].forked_from
                named = origin and origin == origins[other].native_id
                related = ids and bool(named or mine[0] in held[other].summaries)
            if related:
                best = max(best, (other, shared(mine, theirs, ids=ids)), key=_length)
        if best[1]:
            found[row] = best
        for mark in firsts.intersection(mine):
            earlier[mark].append(row)
    return found


def shared(mine: array[int], theirs: array[int], *, ids: bool) -> int:
    """Return how many of the first messages of a session are copies of another's.

    Records tell one by one: what a person took back stands only in the original, and a summary
    comes before the last messages it was made of, where a copy begins with it.

    Args:
        mine: What identifies the messages of the copy.
        theirs: Those of the original.
        ids: The program gives records ids. Without them only an equal beginning tells, for equal
            words are said more than once in a session.
    """
    same = common(mine, theirs)
    rest = theirs[same:]
    # Mostly a copy goes on with words of its own, which are looked for once and without a set.
    if not ids or same == len(mine) or mine[same] not in rest:
        return same
    there = frozenset(rest)
    return next((at for at in range(same, len(mine)) if mine[at] not in there), len(mine))


def _length(found: tuple[int, int]) -> int:
    return found[1]


def _in_order(
    rows: Sequence[int], origins: Mapping[int, Origin], held: Mapping[int, History]
) -> list[int]:
    """Return sessions that hold messages as the module says: an original before its copies."""
    named = {origins[row].native_id: origins[row] for row in rows}

    def depth(origin: Origin | None) -> int:
        """How often it was forked: from what is not there as well, so that a part agrees."""
        steps = 0
        while origin is not None and origin.forked_from and steps <= len(rows):
            origin = named.get(origin.forked_from)
            steps += 1
        return steps

    def rank(row: int) -> tuple[int, array[int], bool, tuple[str, str]]:
        origin = origins[row]
        return depth(origin), held[row].times, origin.gone, origin.place

    return sorted(rows, key=rank)


def common(left: Sequence[int], right: Sequence[int]) -> int:
    """Return the length of the longest common beginning."""
    limit = min(len(left), len(right))
    if left[:limit] == right[:limit]:
        return limit
    low, high = 0, limit  # left[:low] is common, left[:high] is not
    while high - low > 1:
        middle = (low + high) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle
    return low
