"""The one writer: turns readings of sources into rows, a session at a time and never half of one.

Everything a reading changes (session, source, blocks) is in one transaction. Blocks of a session
that is still being read wait in memory, or, once there are many, in `stage`.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_left
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple
from zlib import crc32

from recall_tui import clock
from recall_tui.model import Gap, GapKind
from recall_tui.store import families, ingest, migrations
from recall_tui.store.block import TARGET_BYTES, BlockKind
from recall_tui.store.connect import open_writer, store_errors
from recall_tui.store.ingest import Counts
from recall_tui.store.stored import StoredBlock, head, join, load, store

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping

    from recall_tui.harnesses.base import Source
    from recall_tui.store.sync.plan import Job, Row
    from recall_tui.store.sync.worker import Reading

STAGE_BYTES: Final = 8 << 20
"""Blocks of one session held in memory before they go to the stage: keeps memory flat."""

_BLOCK: Final = "session, no, kind, first, last, first_ms, last_ms, meta, fold"
_INSERT_BLOCK: Final = f"INSERT INTO block ({_BLOCK}) VALUES (?,?,?,?,?,?,?,?,?)"
_INSERT_BODY: Final = "INSERT INTO body (id, raw, attributes) VALUES (?,?,?)"
_INSERT_STAGE: Final = (
    f"INSERT INTO stage (draft, {_BLOCK}, raw, attributes) VALUES (?,0,?,?,?,?,?,?,?,?,?,?)"
)
_STORED: Final = "kind, first, last, first_ms, last_ms, meta, fold, raw, attributes"
_TAIL: Final = f"""SELECT block.id, {_STORED} FROM block JOIN body USING (id)
WHERE block.id IN (SELECT id FROM block WHERE session=? AND kind=? AND (last>=? OR no=(
  SELECT max(no) FROM block WHERE session=? AND kind=?))) ORDER BY no"""


@dataclass(slots=True)
class Draft:
    """What has arrived of one session that is being read."""

    number: int
    blocks: list[StoredBlock] = field(default_factory=list)
    held: int = 0
    staged: int = 0
    """Blocks that went to the stage; they come before those in memory."""


class Outcome(NamedTuple):
    """What finishing a source did."""

    result: str
    """same | appended | replaced | failed | removed (it held a session and no longer does)"""
    moved: bool = False
    """A known session is now read from this path."""


class Writer:
    """Writes the index. Open one only while holding the writer lock."""

    def __init__(self, path: str) -> None:
        """Open the index at a path, creating or migrating it.

        Raises:
            StoreError: It cannot be opened, or is newer than this code.
            RebuildNeeded: It must be built anew.
        """
        self.path = path
        with store_errors(path):
            self.connection = open_writer(path)
            try:
                migrations.bring_up_to_date(self.connection, ingest.TEXT_RULES)
                # Left behind by a killed run; the one place where half a session can lie.
                self.connection.execute("DELETE FROM stage")
            except BaseException:
                self.connection.close()
                raise
        self.touched: set[int] = set()
        """Sessions written since this was emptied: families look at these."""
        self._former_keys: dict[tuple[str, str, str], str] = {}
        self._reserved: frozenset[str] = frozenset()

    # ------------------------------------------------------------ transactions

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Run statements as one transaction; an exception leaves nothing of them."""
        with store_errors(self.path):
            self.begin()
            try:
                yield self.connection
            except BaseException:
                self.connection.execute("ROLLBACK")
                raise
            self.commit()

    def begin(self) -> None:
        """Start a transaction unless one is open."""
        if not self.connection.in_transaction:
            self.connection.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Commit what is open; readers that poll `generation` see that something changed."""
        if self.connection.in_transaction:
            self.put("generation", self.get("generation", 0) + 1)
            self.connection.execute("COMMIT")

    def settle(self, now_ms: int) -> None:
        """Note that the sources were compared with the index, and commit.

        A sync that changed nothing leaves `generation` alone: nobody has to look again.
        """
        changed = self.connection.in_transaction
        with store_errors(self.path):
            self.begin()
            self.put("synced_ms", now_ms)
            self.put("pending", 0)
            self.put("unsettled", 0)
            if changed:
                self.commit()
            else:
                self.connection.execute("COMMIT")

    def close(self) -> None:
        """Roll back what is open and close; the journal is folded in when no reader is busy."""
        with store_errors(self.path):
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            self.connection.close()

    def get(self, key: str, default: int) -> int:
        """Return a number of `meta`."""
        row = self.connection.execute("SELECT value FROM meta WHERE key=?", (key,)).fetchone()
        return default if row is None else int(row[0])

    def put(self, key: str, value: int | str) -> None:
        """Set a value of `meta`."""
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES (?,?)", (key, value))

    def keep_keys(self, keys: dict[tuple[str, str, str], str]) -> None:
        """Give sources of (harness, path, part) the keys they had in the index this replaces."""
        self._former_keys = keys
        self._reserved = frozenset(keys.values())

    # ------------------------------------------------------------ drafts

    def add(self, draft: Draft, block: StoredBlock) -> None:
        """Take one more block of a session that is being read."""
        draft.blocks.append(block)
        draft.held += block.weight
        if draft.held > STAGE_BYTES:
            self.begin()
            self.connection.executemany(
                _INSERT_STAGE,
                [(draft.number, draft.staged + at, *b) for at, b in enumerate(draft.blocks)],
            )
            draft.staged += len(draft.blocks)
            draft.blocks.clear()
            draft.held = 0

    def drop(self, draft: Draft) -> None:
        """Forget a draft."""
        if draft.staged:
            self.begin()
            self.connection.execute("DELETE FROM stage WHERE draft=?", (draft.number,))
        draft.blocks.clear()

    def _blocks(self, draft: Draft) -> Iterator[StoredBlock]:
        """Yield the blocks of a draft in order, in flat memory."""
        numbers = self.connection.execute(
            "SELECT id FROM stage WHERE draft=? ORDER BY no", (draft.number,)
        ).fetchall() if draft.staged else []  # fmt: skip
        for (number,) in numbers:
            row = self.connection.execute(
                f"SELECT {_STORED} FROM stage WHERE id=?", (number,)
            ).fetchone()
            yield StoredBlock._make(row)
        yield from draft.blocks

    # ------------------------------------------------------------ readings

    def finish(self, draft: Draft, job: Job, reading: Reading) -> Outcome:
        """Write how reading a source ended, and its blocks."""
        self.begin()
        row = job.row
        outcome = reading.outcome
        if outcome == "replaced" and not reading.counts.messages and reading.unparsed:
            # Junk is no proof that the session is empty: what was read before stays.
            outcome, reading.error = "failed", f"{job.source.path}: no readable record in it"
        if outcome == "failed":
            self._fail(None if job.moved else row, job.source, reading.error)
            self.drop(draft)
            return Outcome(outcome)
        if row is not None and job.moved:
            if outcome != "replaced" or job.source.part or self._continues(row, draft):
                self._move(row, job.source)
            else:
                row = None
        session = row.session if row is not None else None
        if outcome == "appended" and session is not None:
            self._append(session, draft, job.source, reading)
        elif outcome != "same":
            session, outcome = self._replace(session, draft, job.source, reading)
        self._remember(row, job.source, session, reading)
        self.drop(draft)
        return Outcome(outcome, moved=job.moved and row is not None)

    def _replace(
        self, session: int | None, draft: Draft, source: Source, reading: Reading
    ) -> tuple[int | None, str]:
        if not reading.counts.messages:
            if session is not None:
                self.remove_session(session)
                return None, "removed"
            return None, "replaced"
        columns = self._columns(source, reading, reading.counts)
        columns["title"] = reading.title or reading.opening
        columns["first_record"] = reading.first_record
        if session is None:
            columns["key"] = self._free_key(source, str(columns["native_id"]))
            session = self.insert_row("session", columns)
        else:
            self._delete_blocks(session)
            self._update_session(session, columns)
        for no, block in enumerate(self._blocks(draft)):
            self.insert_block(session, no, block, reading.ended_ms)
        self._touch(session)
        return session, "replaced"

    def _append(self, session: int, draft: Draft, source: Source, reading: Reading) -> None:
        """Drop the messages at or after the reading's start and add those it read."""
        names = "messages, prompts, tool_calls, errors, materials"
        old = self.connection.execute(
            f"SELECT title, started_ms, ended_ms, {names} FROM session WHERE id=?", (session,)
        ).fetchone()
        counts = Counts(*old[3:])
        fresh: dict[int, list[StoredBlock]] = {kind: [] for kind in BlockKind}
        if not draft.staged:
            for block in draft.blocks:
                fresh[block.kind].append(block)
        for kind, blocks in fresh.items():
            self._cut_tail(session, kind, reading.start, blocks, counts)
        (no,) = self.connection.execute(
            "SELECT coalesce(max(no) + 1, 0) FROM block WHERE session=?", (session,)
        ).fetchone()
        added = chain(*fresh.values(), self._blocks(draft) if draft.staged else ())
        for at, block in enumerate(added, no):
            self.insert_block(session, at, block, reading.ended_ms)
        for name in Counts.__slots__:
            setattr(counts, name, getattr(counts, name) + getattr(reading.counts, name))
        # A reader's facts span the whole session; without them the blocks of the tail do not.
        if not reading.facts.started_ms:
            reading.started_ms = min(filter(None, (old[1], reading.started_ms)), default=0)
        if not reading.facts.ended_ms:
            reading.ended_ms = max(old[2], reading.ended_ms)
        columns = self._columns(source, reading, counts)
        columns["title"] = reading.title or old[0] or reading.opening
        self._update_session(session, columns)
        self._touch(session)

    def _cut_tail(
        self, session: int, kind: int, start: int, fresh: list[StoredBlock], counts: Counts
    ) -> None:
        """Remove messages from `start` on, and move a short last block into the fresh ones."""
        rows = self.connection.execute(_TAIL, (session, kind, start, session, kind)).fetchall()
        for block_id, *columns in rows:
            block = StoredBlock._make(columns)
            fits = bool(fresh) and len(block.fold) + len(fresh[0].fold) <= TARGET_BYTES
            if block.last < start and not fits:
                continue
            whole = load(block)
            keep = bisect_left(whole.meta.positions, start)
            if keep < len(whole.meta):
                counts.add(whole, -1)
                if keep:
                    whole = head(whole, keep)
                    counts.add(whole)
            self._delete_block(block_id)
            if fits and keep:
                fresh[0] = store(join(whole, load(fresh[0])))
            elif keep:
                fresh.insert(0, store(whole))

    def _touch(self, session: int) -> None:
        """Note that the families of a session and of those that copy it have to be looked at."""
        self.touched.add(session)
        copies = "SELECT id FROM session WHERE original=? AND original <> 0"
        self.touched.update(row[0] for row in self.connection.execute(copies, (session,)))

    def insert_row(self, table: str, columns: Mapping[str, object]) -> int:
        """Insert a row and return its id."""
        names, marks = ", ".join(columns), ", ".join("?" * len(columns))
        row = self.connection.execute(
            f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(columns.values())
        ).lastrowid
        assert row is not None
        return row

    def insert_block(self, session: int, no: int, block: StoredBlock, ended_ms: int) -> None:
        """Insert a block with its body.

        Args:
            session: Its session's row id.
            no: Its number in the session.
            block: What to insert.
            ended_ms: The session's end, which stands in for the time of messages without one.
        """
        kind, first, last, first_ms, last_ms, meta, fold, raw, attributes = block
        if not first_ms:
            last_ms = max(last_ms, ended_ms)
        row = self.connection.execute(
            _INSERT_BLOCK, (session, no, kind, first, last, first_ms, last_ms, meta, fold)
        ).lastrowid
        self.connection.execute(_INSERT_BODY, (row, raw, attributes))

    def _columns(
        self, source: Source, reading: Reading, counts: Counts
    ) -> dict[str, str | int | float]:
        facts = reading.facts
        native_id = facts.native_id or ingest.session_name(source.native_id)
        return {
            "harness": source.harness,
            "native_id": native_id,
            "path": source.path,
            "part": source.part,
            "root": source.root,
            "cwd": facts.cwd,
            "last_cwd": facts.last_cwd or facts.cwd,
            "branch": facts.branch,
            "models": "\n".join(facts.models),
            "kind": str(facts.kind),
            "parent_native": facts.parent or ingest.session_name(source.parent),
            "started_ms": reading.started_ms,
            "ended_ms": reading.ended_ms,
            "messages": counts.messages,
            "prompts": counts.prompts,
            "tool_calls": counts.tool_calls,
            "errors": counts.errors,
            "materials": counts.materials,
            "size": source.size,
            "tokens_in": facts.tokens_in,
            "tokens_out": facts.tokens_out,
            "cost_usd": facts.cost_usd,
            "version": facts.version,
            "presence": "present",
            "gone_ms": 0,
        }

    def _update_session(self, session: int, columns: dict[str, str | int | float]) -> None:
        # The key stays whatever the source says later: references hold.
        sets = ", ".join(f"{name}=?" for name in columns)
        self.connection.execute(
            f"UPDATE session SET {sets} WHERE id=?", (*columns.values(), session)
        )

    def _free_key(self, source: Source, native_id: str) -> str:
        """Return a key no other session has: the native id, or that and where the file lies."""
        former = self._former_keys.get((source.harness, source.path, source.part))
        if former is not None:
            return former
        key = f"{source.harness}:{native_id}"
        place = f"{os.path.relpath(source.path, source.root)}\0{source.part}"
        mark = f"{crc32(place.encode()):08x}{crc32(source.path.encode()):08x}"
        for candidate in (key, *(f"{key}@{mark[:digits]}" for digits in (4, 8, 16))):
            held = self.connection.execute("SELECT 1 FROM session WHERE key=?", (candidate,))
            if candidate not in self._reserved and held.fetchone() is None:
                return candidate
        return f"{key}@{mark}{clock.now_ms():x}"

    def _continues(self, row: Row, draft: Draft) -> bool:
        """Whether a session read from elsewhere begins with all the messages of a vanished one.

        A file that was packed, converted or archived has other bytes and the same history.
        """
        if row.session is None:
            return False
        old = families.records_of_session(self.connection, row.session)
        new = families.records(block.meta for block in self._blocks(draft))
        return bool(old) and new[: len(old)] == old

    # ------------------------------------------------------------ sources

    def _remember(
        self, row: Row | None, source: Source, session: int | None, reading: Reading
    ) -> None:
        columns: dict[str, object] = {
            **_stamp(source),
            "session": session,
            "state": "ok",
            "gone_ms": 0,
            "error": "",
        }
        if reading.outcome != "same":
            point = reading.checkpoint
            columns |= {
                "unparsed": reading.unparsed,
                "torn": int(reading.torn),
                "unknown": json.dumps(reading.unknown) if reading.unknown else "",
                "resume_at": point.offset if point else -1,
                "position": point.position if point else 0,
                "carry": point.carry if point else b"",
                "ends": reading.ends,
                "covered": reading.covered,
                "digests": reading.digests,
            }
        elif row is not None and row.state == "gone" and session is not None:
            self._present(session)
        self._put_source(row, columns)

    def _fail(self, row: Row | None, source: Source, error: str) -> None:
        """Keep what is known of a source, and leave it alone until it changes."""
        columns = {**_stamp(source), "state": "failed", "error": ingest.word(error)}
        if row is not None and row.session is not None:
            self._present(row.session)
        self._put_source(row, columns)

    def _put_source(self, row: Row | None, columns: dict[str, object]) -> None:
        if row is None:
            self.insert_row("source", columns)
        else:
            sets = ", ".join(f"{name}=?" for name in columns)
            self.connection.execute(
                f"UPDATE source SET {sets} WHERE id=?", (*columns.values(), row.id)
            )

    def _move(self, row: Row, source: Source) -> None:
        """Point a known source and its session at another path."""
        place = (source.path, source.part, source.root)
        self.connection.execute(
            "UPDATE source SET path=?, part=?, root=? WHERE id=?", (*place, row.id)
        )
        self.connection.execute(
            "UPDATE session SET path=?, part=?, root=?, presence='present', gone_ms=0 WHERE id=?",
            (*place, row.session),
        )

    def _present(self, session: int) -> None:
        self.connection.execute(
            "UPDATE session SET presence='present', gone_ms=0 WHERE id=?", (session,)
        )
        self._touch(session)

    def mark_gone(self, rows: Iterable[Row]) -> None:
        """Note that sources are no longer there; their text stays."""
        now = clock.now_ms()
        for row in rows:
            self.connection.execute(
                "UPDATE source SET state='gone', gone_ms=? WHERE id=?", (now, row.id)
            )
            if row.session is not None:
                self.connection.execute(
                    "UPDATE session SET presence='gone', gone_ms=? WHERE id=?", (now, row.session)
                )
                self._touch(row.session)

    def mark_returned(self, rows: Iterable[Row]) -> None:
        """Note that vanished sources are there again as they were."""
        for row in rows:
            self.connection.execute("UPDATE source SET state='ok', gone_ms=0 WHERE id=?", (row.id,))
            if row.session is not None:
                self._present(row.session)

    def reroot(self, rows: Iterable[tuple[Row, Source]]) -> None:
        """Note that sources are found under another root, or belong to another parent, now."""
        for row, source in rows:
            self.connection.execute(
                "UPDATE source SET root=?, parent=? WHERE id=?",
                (source.root, source.parent, row.id),
            )
            self.connection.execute(
                "UPDATE session SET root=? WHERE id=?", (source.root, row.session)
            )

    def gaps(self, places: Iterable[tuple[str, str]]) -> dict[tuple[str, str], list[Gap]]:
        """Return what is noted of these places, as `put_gaps` takes it."""
        query = "SELECT kind, count, detail, action, place FROM gap WHERE harness=? AND root=?"
        return {
            place: [
                Gap(GapKind(kind), *rest) for kind, *rest in self.connection.execute(query, place)
            ]
            for place in places
        }

    def put_gaps(self, found: dict[tuple[str, str], list[Gap]]) -> None:
        """Replace what the last look at each of these places could not see."""
        for (harness, root), gaps in found.items():
            self.connection.execute("DELETE FROM gap WHERE harness=? AND root=?", (harness, root))
            self.connection.executemany(
                "INSERT INTO gap VALUES (?,?,?,?,?,?,?)",
                [(harness, root, str(g.kind), g.count, g.detail, g.action, g.where) for g in gaps],
            )

    # ------------------------------------------------------------ removal

    def remove_source(self, row: Row) -> None:
        """Remove a source and its session."""
        if row.session is not None:
            self.remove_session(row.session)
        self.connection.execute("DELETE FROM source WHERE id=?", (row.id,))

    def remove_session(self, session: int) -> None:
        """Remove a session and its text; its source stays known, without a session."""
        self._touch(session)
        self._delete_blocks(session)
        self.connection.execute("DELETE FROM session WHERE id=?", (session,))
        self.connection.execute("UPDATE source SET session=NULL WHERE session=?", (session,))
        self.touched.discard(session)

    def _delete_blocks(self, session: int) -> None:
        self.connection.execute(
            "DELETE FROM body WHERE id IN (SELECT id FROM block WHERE session=?)", (session,)
        )
        self.connection.execute("DELETE FROM block WHERE session=?", (session,))

    def _delete_block(self, block: int) -> None:
        self.connection.execute("DELETE FROM body WHERE id=?", (block,))
        self.connection.execute("DELETE FROM block WHERE id=?", (block,))

    def forget_session(self, session: int) -> None:
        """Remove a session with all that is known of its sources."""
        self.connection.execute("DELETE FROM source WHERE session=?", (session,))
        self.remove_session(session)

    def fold_journal(self) -> bool:
        """Write the journal into the file and empty it; False when a reader is in the way."""
        with store_errors(self.path):
            busy, _, _ = self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not busy


def _stamp(source: Source) -> dict[str, object]:
    """Return the columns that say which source this is and how it looked."""
    return {
        "harness": source.harness,
        "path": source.path,
        "part": source.part,
        "native_id": source.native_id,
        "parent": source.parent,
        "root": source.root,
        "size": source.size,
        "mtime_ns": source.mtime_ns,
        "ctime_ns": source.ctime_ns,
    }
