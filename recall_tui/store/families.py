"""Sessions that belong together: copies of each other's beginnings, and subagents of a main one.

**Copies.** Resuming, forking and archiving copy history into new files. Sessions of one harness
are compared when their first native record is the same; where the program writes no record ids,
when one calls the other its origin, or when they share a native id and a start. The copied part of
a session is the longest common beginning of its messages (record and content) with an earlier
session of its family; it counts once, there.

**Which one is the original?** What a fork names as its origin. Else the session that ends where
the other goes on. Else, when both go on, the one whose own part begins earlier: whoever resumed the
copy did so after that. Equal sessions: the one whose source is present, then the first indexed.

**Belonging.** A subagent or fork names its parent by native id, often before the parent is indexed;
the key is filled in whenever either arrives, and leads to the main session also from a nested
subagent. A copy that names nobody belongs to its original.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from typing import TYPE_CHECKING, Final, NamedTuple

from recall_tui.store.block import Meta
from recall_tui.store.ingest import searchable

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

_MEMBER: Final = """id, key, native_id, parent_native, kind, first_record, messages, presence,
started_ms, ended_ms"""


_FEW: Final = 16
"""Sessions whose families are looked up one by one, rather than found by a scan of all."""


class Member(NamedTuple):
    """A session as its family sees it."""

    id: int
    key: str
    native_id: str
    parent_native: str
    kind: str
    first_record: int
    messages: int
    presence: str
    started_ms: int
    ended_ms: int


def records(metas: Iterable[bytes]) -> array[int]:
    """Return what identifies each message of a session, by position.

    Record hash and content digest together: files that use the same simple ids for different
    texts are no copies.

    Args:
        metas: The packed metas of its blocks.
    """
    parts = [Meta.unpack(data) for data in metas]
    found = array("Q", bytes(8 * (1 + max((m.positions[-1] for m in parts), default=-1))))
    for meta in parts:
        columns = zip(meta.positions, meta.records, meta.digests, strict=True)
        for position, record, digest in columns:
            found[position] = record << 16 | digest
    return found


def metas_of(connection: sqlite3.Connection, session: int) -> list[bytes]:
    """Return the packed metas of a session's blocks."""
    rows = connection.execute("SELECT meta FROM block WHERE session=?", (session,))
    return [row[0] for row in rows]


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


def update(connection: sqlite3.Connection, touched: Iterable[int]) -> None:
    """Bring copies, parents and counts of children up to date, in the transaction that is open.

    Args:
        connection: The writer's.
        touched: Sessions that were written or removed since the last call; only their families
            are looked at.
    """
    sessions = set(touched)
    if len(sessions) > _FEW:
        sessions &= _suspects(connection)
    seen: set[int] = set()
    for session in sorted(sessions):
        if session not in seen:
            family = _family(connection, session)
            seen.update(member.id for member in family)
            if family:
                _mark_copies(connection, family)
    _resolve_parents(connection)
    _count_children(connection)


def _suspects(connection: sqlite3.Connection) -> set[int]:
    """Return the sessions that may share messages with another, by three index scans."""
    queries = (
        """SELECT id FROM session JOIN (SELECT native_id, harness FROM session
           GROUP BY native_id, harness HAVING count(*) > 1) USING (native_id, harness)""",
        """SELECT id FROM session JOIN (SELECT first_record, harness FROM session
           WHERE first_record <> 0 GROUP BY first_record, harness HAVING count(*) > 1)
           USING (first_record, harness) WHERE first_record <> 0""",
        "SELECT id FROM session WHERE parent_native <> '' AND kind = 'fork'",
        "SELECT id FROM session WHERE original <> 0",
    )
    return {row[0] for query in queries for row in connection.execute(query)}


def _family(connection: sqlite3.Connection, session: int) -> list[Member]:
    """Return the sessions linked to one, itself included; empty when it is not there."""
    found: dict[int, Member] = {}
    queue = _members(connection, "id=?", session)
    followed: set[tuple[str, str | int, str]] = set()
    while queue:
        member = queue.pop()
        if member.id in found:
            continue
        found[member.id] = member
        harness = member.key.partition(":")[0]
        links: list[tuple[str, str | int]] = [
            ("native_id=?", member.native_id),
            ("kind='fork' AND parent_native <> '' AND parent_native=?", member.native_id),
        ]
        if member.first_record:
            links.append(("first_record <> 0 AND first_record=?", member.first_record))
        if member.kind == "fork" and member.parent_native:
            links.append(("native_id=?", member.parent_native))
        for where, value in links:
            # Each link once: thousands of sessions may share one simple id.
            if (where, value, harness) not in followed:
                followed.add((where, value, harness))
                queue += _members(connection, f"{where} AND harness=?", value, harness)
    return list(found.values())


def relatives(connection: sqlite3.Connection, harness: str, marks: Iterable[int | str]) -> set[int]:
    """Return the sessions that have one of these ids, name it as their origin, or begin with it.

    Args:
        connection: A reader's.
        harness: Theirs.
        marks: Native ids; hashes of a first record, never 0.
    """
    found: set[int] = set()
    for mark in marks:
        wheres = ["first_record <> 0 AND first_record=?"]
        if isinstance(mark, str):
            wheres = ["native_id=?", "kind='fork' AND parent_native <> '' AND parent_native=?"]
        for where in wheres:
            members = _members(connection, f"{where} AND harness=?", mark, harness)
            found.update(member.id for member in members)
    return found


def _members(connection: sqlite3.Connection, where: str, *values: object) -> list[Member]:
    rows = connection.execute(f"SELECT {_MEMBER} FROM session WHERE {where}", values)
    return [Member._make(row) for row in rows]


def _mark_copies(connection: sqlite3.Connection, family: list[Member]) -> None:
    """Set `original`, `copied`, `searchable_copied` and `folded` of a family."""
    copies = {member.id: (0, 0) for member in family}
    if len(family) > 1:
        alike: dict[int, list[Member]] = {}
        held = {member.id: records(metas_of(connection, member.id)) for member in family}
        for member in family:
            if held[member.id]:
                alike.setdefault(held[member.id][0], []).append(member)
        for group in alike.values():
            if len(group) > 1:
                copies.update(_copies(connection, group, held))
    for member in family:
        original, copied = copies[member.id]
        folded = int(0 < member.messages <= copied)
        connection.execute(
            """UPDATE session SET original=?1, copied=?2, folded=?3, searchable_copied=?4
            WHERE id=?5 AND (original, copied, folded, searchable_copied) <> (?1, ?2, ?3, ?4)""",
            (original, copied, folded, _searchable(connection, member.id, copied), member.id),
        )


def _searchable(connection: sqlite3.Connection, session: int, copied: int) -> int:
    """Return how many of the first `copied` messages of a session are of kinds recall finds."""
    if not copied:
        return 0
    metas = [Meta.unpack(data) for data in metas_of(connection, session)]
    return sum(
        searchable(meta.kinds.tobytes()[: bisect_left(meta.positions, copied)]) for meta in metas
    )


def _copies(
    connection: sqlite3.Connection, group: list[Member], held: dict[int, array[int]]
) -> dict[int, tuple[int, int]]:
    """Return (original, copied messages) of the copies among sessions that begin alike."""
    shared = {
        (one.id, other.id): common(held[one.id], held[other.id])
        for one in group
        for other in group
        if one.id != other.id and _may_share(one, other)
    }
    found: dict[int, tuple[int, int]] = {}
    earlier: list[Member] = []
    for member in _originals_first(connection, group, held, shared):
        most = max(earlier, key=lambda e: shared.get((member.id, e.id), 0), default=None)
        if most is not None and (copied := shared.get((member.id, most.id), 0)):
            found[member.id] = (most.id, copied)
        earlier.append(member)
    return found


def _may_share(one: Member, other: Member) -> bool:
    """Whether equal messages of two sessions are copies, and not just equal words."""
    origins = {m.parent_native for m in (one, other) if m.kind == "fork" and m.parent_native}
    if origins & {one.native_id, other.native_id}:
        return True
    if one.first_record or other.first_record:
        return one.first_record == other.first_record
    # Some programs give every session one id; a converted file keeps its start.
    return one.native_id == other.native_id and one.started_ms == other.started_ms


def _originals_first(
    connection: sqlite3.Connection,
    group: list[Member],
    held: dict[int, array[int]],
    shared: dict[tuple[int, int], int],
) -> list[Member]:
    """Order sessions that begin alike as the module says: an original before its copies."""
    by_native = {member.native_id: member for member in group}

    def depth(member: Member) -> int:
        steps = 0
        while member.kind == "fork" and member.parent_native in by_native and steps < len(group):
            member = by_native[member.parent_native]
            steps += 1
        return steps

    def own_start_ms(member: Member) -> int:
        most = max(shared.get((member.id, other.id), 0) for other in group)
        return _time_at(connection, member.id, most) if most < len(held[member.id]) else 0

    def rank(member: Member) -> tuple[int, int, int, bool, int]:
        gone = member.presence != "present"
        return depth(member), own_start_ms(member), len(held[member.id]), gone, member.id

    return sorted(group, key=rank)


def _time_at(connection: sqlite3.Connection, session: int, position: int) -> int:
    """Return the time of a message, or the end of its block when it has none."""
    rows = connection.execute(
        "SELECT last_ms, meta FROM block WHERE session=? AND first<=? AND last>=?",
        (session, position, position),
    )
    for last_ms, data in rows:
        meta = Meta.unpack(data)
        if position in meta.positions:
            return meta.times[meta.positions.index(position)] or int(last_ms)
    return 0


def _resolve_parents(connection: sqlite3.Connection) -> None:
    """Fill in the key of the main session of every subagent, fork and copy."""
    rows = connection.execute(
        """SELECT id, harness, parent_native, original, parent FROM session
        WHERE parent_native <> '' OR parent <> '' OR original <> 0"""
    ).fetchall()
    above = {row[0]: _above(connection, *row[:4]) for row in rows}
    for session, _, _, _, parent in rows:
        top, seen = session, {session}
        while (higher := above.get(top, 0)) and higher not in seen:
            seen.add(higher)
            top = higher
        found = ""
        if top != session:
            found = connection.execute("SELECT key FROM session WHERE id=?", (top,)).fetchone()[0]
        if found != parent:
            connection.execute("UPDATE session SET parent=? WHERE id=?", (found, session))


def _above(
    connection: sqlite3.Connection,
    session: int,
    harness: str,
    parent_native: str,
    original: int,
) -> int:
    """Return the session right above one, 0 when it is not indexed or there is none."""
    if parent_native:
        row = connection.execute(
            """SELECT id FROM session WHERE native_id=? AND harness=? AND id<>?
            ORDER BY folded, id LIMIT 1""",
            (parent_native, harness, session),
        ).fetchone()
        if row:
            return int(row[0])
    return original


def _count_children(connection: sqlite3.Connection) -> None:
    connection.execute(
        """UPDATE session SET children=(SELECT count(*) FROM session AS c WHERE c.parent=session.key
            AND c.parent <> '')
        WHERE children <> (SELECT count(*) FROM session AS c WHERE c.parent=session.key
            AND c.parent <> '')"""
    )
