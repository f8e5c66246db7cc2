"""What a sync has to do: every source there is against every source that is known.

Only names, sizes and times are looked at here. A difference means "look inside", which the reader
of the source does: it may still find that nothing changed.
"""

from __future__ import annotations

import functools
import os
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from recall_tui.harnesses.base import Checkpoint, Source
from recall_tui.model import SessionKind
from recall_tui.named import NamedTuple
from recall_tui.store import schema
from recall_tui.store.connect import open_writer, store_errors

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Sequence

    from recall_tui.store.kept import Kept
    from recall_tui.store.sync.discover import Discovery


class Known(NamedTuple):
    """What an earlier read of a source left behind."""

    checkpoint: Checkpoint | None
    ends: bytes
    covered: int
    digests: bytes


class Row(NamedTuple):
    """A known source, as far as the plan needs it."""

    id: int
    harness: str
    path: str
    part: str
    native_id: str
    size: int
    mtime_ns: int
    ctime_ns: int
    root: str
    parent: str
    session: int | None
    state: str


Raw: TypeAlias = tuple[Any, ...]
"""A `Row` as SQLite gives it: thousands are compared as they are, few ever need names."""
_KEY: Final = slice(1, 4)
_SESSION: Final = Row._fields.index("session")
_SOURCE: Final = slice(1, 1 + len(Source._fields))
"""Where in a `Row` the fields of its `Source` stand, in the same order."""
_ROWS = f"SELECT {', '.join(Row._fields)} FROM source"
_ROWS_BELOW = f"{_ROWS} WHERE path=? OR (path>=? AND path<?)"
_NAMESAKES = f"{_ROWS} WHERE native_id=? AND harness=? AND session IS NOT NULL"
_PROOF = "SELECT resume_at, position, carry, ends, covered, digests FROM proof WHERE id=?"

NOT_OPENED: Final = -1
"""`mtime_ns` of a source that could not be opened: it is read as soon as it can be."""


class Wishes(NamedTuple):
    """What a person wants otherwise than at the last sync."""

    changed: bool = False
    """Something: what was left out is looked at again."""
    out: frozenset[int] = frozenset()
    """Sessions of the index that are forgotten, or took place in a project that is left out now."""


THE_SAME: Final = Wishes()


class Job(NamedTuple):
    """A source to be read."""

    source: Source
    row: Row | None
    """The known source it is, None for a new one."""
    moved: bool = False
    """`row` is of a vanished path: the same session only if the content says so."""


@dataclass(slots=True, eq=False, repr=False)
class Plan:
    """What has to be done."""

    jobs: list[Job] = field(default_factory=list)
    """Newest first."""
    unchanged: int = 0
    returned: list[Row] = field(default_factory=list)
    """Marked gone, and there again as they were."""
    gone: list[Row] = field(default_factory=list)
    rerooted: list[tuple[Row, Source]] = field(default_factory=list)
    """Unchanged, but found under another root, or with another parent or id: what lies beside a
    file may decide these."""
    excluded: list[Row] = field(default_factory=list)
    """Known, but the person wants them left out, or they are gone."""
    left_out: list[tuple[Row, Source]] = field(default_factory=list)
    """Likewise, by what they hold: noted, so that nobody reads them again to find that out."""
    seen: int = 0
    """Sources there are, without those that are excluded or forgotten."""
    known_paths: list[str] = field(default_factory=list)
    """Paths of all known sources."""

    @property
    def idle(self) -> bool:
        """Whether nothing has to be read or noted."""
        known = self.returned or self.gone or self.rerooted or self.excluded or self.left_out
        return not (self.jobs or known)


def known_sources(connection: sqlite3.Connection, below: Iterable[str] | None = None) -> list[Raw]:
    """Return every known source, or those that are or lie below some paths."""
    if below is None:
        return connection.execute(_ROWS).fetchall()
    found = {}
    for path in below:
        folder = path + os.sep
        rows = connection.execute(_ROWS_BELOW, (path, folder, folder[:-1] + chr(ord(os.sep) + 1)))
        found.update({row[0]: row for row in rows})
    return list(found.values())


def gone_sources(connection: sqlite3.Connection) -> list[Row]:
    """Return the known sources whose program has deleted them."""
    return [Row._make(row) for row in connection.execute(f"{_ROWS} WHERE state='gone'")]


def namesakes(connection: sqlite3.Connection, source: Source) -> list[Row]:
    """Return the known sources with a session that have a source's native id."""
    rows = connection.execute(_NAMESAKES, (source.native_id, source.harness))
    return [Row._make(row) for row in rows]


def proof(connection: sqlite3.Connection, row: Row) -> Known | None:
    """Return what an earlier read of a source left behind, None when it never succeeded."""
    found = connection.execute(_PROOF, (row.id,)).fetchone()
    if found is None:
        return None
    offset, position, carry, ends, covered, digests = found
    checkpoint = Checkpoint(offset, position, carry) if offset >= 0 else None
    return Known(checkpoint, ends, covered, digests)


def wishes(connection: sqlite3.Connection, kept: Kept) -> Wishes:
    """Return what is to be kept otherwise than at the last sync."""
    if kept.is_noted(connection):
        return THE_SAME
    unwanted = kept.unwanted
    of_records = "stated" if schema.version(connection) >= schema.STATED else "x''"
    rows = connection.execute(
        f"SELECT id, harness, cwd, last_cwd, native_id, kind, parent_native, {of_records},"
        " first_record FROM session"
    )
    out = (
        session
        for session, harness, cwd, last_cwd, name, kind, parent, stated, first_record in rows
        if unwanted.leaves_out(cwd, last_cwd)
        or unwanted.knows(
            harness,
            (name, parent if kind == SessionKind.SUBAGENT else ""),
            first_record,
            stated,
        )
    )
    return Wishes(changed=True, out=frozenset(out))


def of_index(index: str, discovery: Discovery, kept: Kept, *, verify: bool = False) -> Plan:
    """Compare a discovery with an index; one that cannot be understood knows no source."""
    if not os.path.exists(index):
        return make(discovery, (), lambda _: (), kept)
    with store_errors(index), closing(open_writer(index)) as connection:
        if not schema.OLDEST_READABLE <= schema.version(connection) <= schema.VERSION:
            return make(discovery, (), lambda _: (), kept, verify=verify)
        rows = known_sources(connection)
        new = wishes(connection, kept)
        return against(connection, discovery, rows, kept, new, verify=verify)


def against(
    connection: sqlite3.Connection,
    discovery: Discovery,
    rows: Sequence[Raw],
    kept: Kept,
    wishes: Wishes = THE_SAME,
    *,
    verify: bool = False,
) -> Plan:
    """Compare a discovery with some rows of an index; arguments as of `make`."""
    known = rows or connection.execute("SELECT 1 FROM source LIMIT 1").fetchone()
    as_known = functools.partial(namesakes, connection) if known else lambda _: ()
    return make(discovery, rows, as_known, kept, wishes, verify=verify)


def make(
    discovery: Discovery,
    rows: Sequence[Raw],
    known_as: Callable[[Source], Iterable[Row]],
    kept: Kept,
    wishes: Wishes = THE_SAME,
    *,
    verify: bool = False,
) -> Plan:
    """Compare what there is with what is known.

    Args:
        discovery: What there is; known sources of places it did not look at are left alone.
        rows: What is known of these places.
        known_as: `namesakes`: the known sources that a new one may be under another path.
        kept: What is kept.
        wishes: What of it is new.
        verify: Look inside every source, also where size and times are the same.
    """
    plan = Plan(seen=len(discovery.sources), known_paths=[row[2] for row in rows])
    known = {row[_KEY]: row for row in rows}
    moved: set[int] = set()
    for key, source in discovery.sources.items():
        row = known.pop(key, None)
        if kept.refuses(source):
            plan.seen -= 1
            if row is not None:
                plan.excluded.append(Row._make(row))
        elif row is not None and row[_SESSION] in wishes.out:
            plan.seen -= 1
            plan.left_out.append((Row._make(row), source))
        elif row is None:
            former = _former(source, known_as(source), moved)
            plan.jobs.append(Job(source, former, moved=former is not None))
        elif row[-1] == "excluded" and wishes.changed:
            plan.jobs.append(Job(source, Row._make(row)))
        elif row[_SOURCE] == source and row[-1] != "gone" and not verify:
            if row[-1] == "excluded":
                plan.seen -= 1
            else:
                plan.unchanged += 1
        else:
            _compare(plan, Row._make(row), source, verify=verify)
    for found in known.values():
        row = Row._make(found)
        refused = wishes.changed and kept.refuses(Source._make(found[_SOURCE]))
        if refused or row.session in wishes.out:
            plan.excluded.append(row)
        elif row.state != "gone" and discovery.vouches_for(row.harness, row.path):
            plan.gone.append(row)
    plan.jobs.sort(key=lambda job: -job.source.mtime_ns)
    return plan


def _compare(plan: Plan, row: Row, source: Source, *, verify: bool) -> None:
    unopened = row.mtime_ns == NOT_OPENED and row.state == "failed"
    if unopened and not os.access(source.path, os.R_OK):
        plan.unchanged += 1
        return
    stamp = (source.size, source.mtime_ns, source.ctime_ns)
    if verify or stamp != (row.size, row.mtime_ns, row.ctime_ns):
        plan.jobs.append(Job(source, row))
        return
    if row.state == "gone":
        plan.returned.append(row)
    else:
        plan.unchanged += 1
    named = (row.root, row.parent, row.native_id)
    if named != (source.root, source.parent, source.native_id):
        plan.rerooted.append((row, source))


def _former(source: Source, candidates: Iterable[Row], moved: set[int]) -> Row | None:
    """Return the known source that a new one probably is: one whose file is not there any more.

    Several sessions can share an id; the one of the same file name and size comes first.
    """
    lost = [row for row in candidates if row.id not in moved and not os.path.lexists(row.path)]
    if not lost:
        return None
    name = os.path.basename(source.path)
    best = max(lost, key=lambda row: (os.path.basename(row.path) == name, row.size == source.size))
    moved.add(best.id)
    return best
