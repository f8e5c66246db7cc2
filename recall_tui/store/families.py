"""Sessions that belong together: copies of each other's beginnings, and subagents of a main one.

**Copies.** Sessions of one harness are compared (`copies`) when their first native record is the
same, or that of one is a summary in the other: a copy of a compacted session has nothing from
before. Where the program writes no record ids, when one calls the other its origin or both name
the same, or when they share a native id and a start.

**Belonging.** A subagent or fork names its parent by native id, often before the parent is indexed;
the key is filled in whenever either arrives, and leads to the main session also from a nested
subagent. A copy that names nobody belongs to its original.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import starmap
from typing import TYPE_CHECKING, Final

from recall_tui.model import Presence, SessionKind
from recall_tui.named import NamedTuple
from recall_tui.store.block import Meta
from recall_tui.store.copies import History, Origin, copies, summed_up
from recall_tui.store.ingest import searchable

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable

_FEW: Final = 16
"""Sessions whose families are looked up one by one, rather than found by a scan of all."""


class Member(NamedTuple):
    """A session as its family sees it."""

    id: int
    harness: str
    native_id: str
    parent_native: str
    kind: str
    first_record: int
    messages: int
    presence: str
    started_ms: int
    path: str
    part: str
    copied: int
    """Of its first messages so many count in another session, as was found out last."""

    @property
    def forked_from(self) -> str:
        """Native id of what it names as its origin, empty when it is no fork."""
        return self.parent_native if self.kind == SessionKind.FORK else ""

    @property
    def origin(self) -> Origin:
        """What tells whose copy it may be."""
        gone = self.presence != Presence.PRESENT
        place = (self.path, self.part)
        return Origin(
            self.native_id, self.forked_from, self.first_record, self.started_ms, gone, place
        )


_MEMBER: Final = ", ".join(Member._fields)

_BEGUN_MIDWAY: Final = """FROM session AS copy JOIN summary ON record = copy.first_record
JOIN block ON block.id = summary.block WHERE block.session <> copy.id"""
"""Copies that begin with a summary, and where that stands."""


def history_of(connection: sqlite3.Connection, session: int) -> History:
    """Return the messages of a session without their texts."""
    return History.of(metas_of(connection, session))


def metas_of(connection: sqlite3.Connection, session: int) -> list[Meta]:
    """Return the metas of a session's blocks."""
    rows = connection.execute("SELECT meta FROM block WHERE session=?", (session,))
    return list(starmap(Meta.unpack, rows))


def note_summaries(connection: sqlite3.Connection, block: int, meta: Meta) -> bool:
    """Note which summaries a block of talk holds; return whether it holds any."""
    rows = {(meta.records[at], block) for at in summed_up(meta)}
    connection.executemany("INSERT INTO summary VALUES (?,?)", rows)
    return bool(rows)


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
            members = family(connection, session)
            seen.update(member.id for member in members)
            if members:
                _mark_copies(connection, members)
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
        """SELECT named.id FROM session AS named JOIN session AS fork
           ON fork.parent_native = named.native_id AND fork.harness = named.harness
           WHERE fork.parent_native <> '' AND fork.kind = 'fork'""",
        "SELECT id FROM session WHERE original <> 0",
        f"SELECT copy.id {_BEGUN_MIDWAY}",
        f"SELECT block.session {_BEGUN_MIDWAY}",
    )
    return {row[0] for query in queries for row in connection.execute(query)}


def family(connection: sqlite3.Connection, session: int) -> list[Member]:
    """Return the sessions linked to one, itself included; empty when it is not there."""
    found: dict[int, Member] = {}
    queue = _members(connection, "id=?", session)
    followed: set[tuple[str, str | int, str]] = set()
    finds_summaries = _finds_summaries(connection)
    while queue:
        member = queue.pop()
        if member.id in found:
            continue
        found[member.id] = member
        marks: tuple[int | str, ...] = (member.native_id, member.forked_from, member.first_record)
        links = [
            (where, mark) for mark in marks if mark for where in _meant_by(mark, finds_summaries)
        ]
        if finds_summaries:
            links.append((_BEGINS_WITHIN, member.id))
        for where, value in links:
            # Each link once: thousands of sessions may share one simple id.
            if (where, value, member.harness) not in followed:
                followed.add((where, value, member.harness))
                queue += _members(connection, f"{where} AND harness=?", value, member.harness)
    return list(found.values())


_NAMED: Final = "native_id=?"
_FORKED_FROM: Final = "kind='fork' AND parent_native <> '' AND parent_native=?"
_BEGINS: Final = "first_record <> 0 AND first_record=?"
_HOLDS: Final = """id IN (
SELECT session FROM block JOIN summary ON summary.block = block.id WHERE record=?)"""
_BEGINS_WITHIN: Final = """first_record <> 0 AND first_record IN (
SELECT record FROM summary JOIN block ON block.id = summary.block WHERE session=?)"""


def relatives(
    connection: sqlite3.Connection, harness: str, marks: Iterable[int | str]
) -> dict[int, Member]:
    """Return by row id the sessions that have or name such an id, or begin with such a record.

    A session that sums up, with such a record, what was said before it counts as well.

    Args:
        connection: A reader's.
        harness: Theirs.
        marks: Native ids; hashes of a first record, never 0.
    """
    found: dict[int, Member] = {}
    finds_summaries = _finds_summaries(connection)
    for mark in marks:
        for where in _meant_by(mark, finds_summaries):
            members = _members(connection, f"{where} AND harness=?", mark, harness)
            found.update({member.id: member for member in members})
    return found


def _meant_by(mark: int | str, finds_summaries: bool) -> tuple[str, ...]:  # noqa: FBT001
    """Return the conditions on a session to be meant by a native id, or a hash of a record."""
    if isinstance(mark, str):
        return _NAMED, _FORKED_FROM
    return (_BEGINS, _HOLDS) if finds_summaries else (_BEGINS,)


def _finds_summaries(connection: sqlite3.Connection) -> bool:
    """Whether the index knows summaries; one of an earlier version is still read."""
    query = "SELECT 1 FROM sqlite_schema WHERE name='summary'"
    return connection.execute(query).fetchone() is not None


def _members(connection: sqlite3.Connection, where: str, *values: object) -> list[Member]:
    rows = connection.execute(f"SELECT {_MEMBER} FROM session WHERE {where}", values)
    return [Member._make(row) for row in rows]


def copies_among(
    connection: sqlite3.Connection, members: list[Member]
) -> dict[int, tuple[int, int]]:
    """Return row id -> (row id of the original, messages copied) of the copies among sessions."""
    if len(members) < 2:
        return {}
    held = {member.id: history_of(connection, member.id) for member in members}
    return copies({member.id: member.origin for member in members}, held)


def _mark_copies(connection: sqlite3.Connection, members: list[Member]) -> None:
    """Set `original`, `copied`, `searchable_copied` and `folded` of a family."""
    found = copies_among(connection, members)
    for member in members:
        original, copied = found.get(member.id, (0, 0))
        folded = int(0 < member.messages <= copied)
        marks = (original, copied, folded, _searchable(connection, member.id, copied))
        connection.execute(
            """UPDATE session SET original=?, copied=?, folded=?, searchable_copied=?
            WHERE id=? AND (original, copied, folded, searchable_copied) <> (?, ?, ?, ?)""",
            (*marks, member.id, *marks),
        )


def _searchable(connection: sqlite3.Connection, session: int, copied: int) -> int:
    """Return how many of the first `copied` messages of a session are of kinds recall finds."""
    return searchable_before(copied, metas_of(connection, session)) if copied else 0


def searchable_before(position: int, metas: Iterable[Meta]) -> int:
    """Return how many messages before a position of a session are of kinds recall finds."""
    return sum(
        searchable(meta.kinds.tobytes()[: bisect_left(meta.positions, position)]) for meta in metas
    )


def _resolve_parents(connection: sqlite3.Connection) -> None:
    """Fill in the key of the main session of every subagent, fork and copy."""
    rows = connection.execute(
        """SELECT id, harness, parent_native, original, parent FROM session
        WHERE parent_native <> '' OR parent <> '' OR original <> 0"""
    ).fetchall()
    above = {row[0]: _above(connection, *row[:4]) for row in rows}
    for session, _, _, _, parent in rows:
        top = topmost(session, lambda one: above.get(one) or None)
        found = ""
        if top != session:
            found = connection.execute("SELECT key FROM session WHERE id=?", (top,)).fetchone()[0]
        if found != parent:
            connection.execute("UPDATE session SET parent=? WHERE id=?", (found, session))


def topmost(row: int, above: Callable[[int], int | None]) -> int:
    """Return the row above all others over one: itself when none is; a circle has no end.

    Args:
        row: Where to begin.
        above: Returns the row right above one, None when there is none.
    """
    seen = {row}
    while (higher := above(row)) is not None and higher not in seen:
        seen.add(higher)
        row = higher
    return row


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
            ORDER BY folded, path, part LIMIT 1""",
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
