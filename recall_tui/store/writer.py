"""The one writer: turns readings of sources into rows, a session at a time and never half of one.

Everything a reading changes (session, source, blocks) is in one transaction. The blocks of a
session that is still being read wait in memory; once there are many they are stored under a row id
that `draft` lists and no question looks at, so others can be committed meanwhile.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Final

from recall_tui import clock
from recall_tui.named import NamedTuple
from recall_tui.store import families, sources
from recall_tui.store.block import TARGET_BYTES, BlockKind, Meta
from recall_tui.store.clean import session_name
from recall_tui.store.copies import History
from recall_tui.store.database import Database
from recall_tui.store.ingest import Counts
from recall_tui.store.keys import claimed, session_keys
from recall_tui.store.stored import StoredBlock, head, join, load, store
from recall_tui.store.user import mark_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recall_tui.harnesses.base import Source
    from recall_tui.store.sync.plan import Job, Row
    from recall_tui.store.sync.worker import Reading

DRAFT_BYTES: Final = 8 << 20
"""Blocks of one unfinished session held in memory: keeps memory flat."""

_STORED: Final = "kind, first, last, first_ms, last_ms, meta, fold, raw, attributes"
_TAIL: Final = f"""SELECT block.id, {_STORED} FROM block JOIN body USING (id)
WHERE block.id IN (SELECT id FROM block WHERE session=? AND kind=? AND (last>=? OR no=(
  SELECT max(no) FROM block WHERE session=? AND kind=?))) ORDER BY no"""


@dataclass(slots=True)
class Draft:
    """What has arrived of one session that is being read."""

    blocks: list[StoredBlock] = field(default_factory=list)
    held: int = 0
    """Bytes of `blocks`."""
    session: int = 0
    """Row id its earlier blocks are stored under, 0 while all are in memory."""
    stored: int = 0
    """Blocks stored."""


class Outcome(NamedTuple):
    """What finishing a source did."""

    result: str
    """same | appended | replaced | failed | removed (it held a session and no longer does)"""
    moved: bool = False
    """A known session is now read from this path."""


class Former(NamedTuple):
    """What named a session in the index that this one replaces, and names it still."""

    key: str
    id: int


class Writer(Database):
    """Writes what readers yield."""

    def __init__(self, path: str) -> None:
        """Open the index; see `Database`."""
        super().__init__(path)
        self._former: dict[tuple[str, str, str], Former] = {}
        self._reserved: frozenset[str] = frozenset()
        self._twins: dict[tuple[str, str], list[Source]] = {}

    def expect(self, sources: Iterable[Source]) -> None:
        """Take the sources that will get a session, so that chance names none of them."""
        self._twins.clear()
        for source in sources:
            name = source.harness, session_name(source.native_id)
            self._twins.setdefault(name, []).append(source)

    def keep_names(self, former: dict[tuple[str, str, str], Former]) -> None:
        """Give sources of (harness, path, part) what named them in the index this replaces."""
        self._former = former
        self._reserved = frozenset(names.key for names in former.values())

    # ------------------------------------------------------------ drafts

    def add(self, draft: Draft, block: StoredBlock) -> int:
        """Take one more block of a session that is being read; return the bytes stored for it."""
        draft.blocks.append(block)
        draft.held += block.weight
        stored = 0
        if draft.held > DRAFT_BYTES:
            self.begin()
            if not draft.session:
                draft.session = self.new_session()
                self.connection.execute("INSERT INTO draft VALUES (?)", (draft.session,))
            self._store(draft, draft.session, draft.stored)
            stored, draft.held = draft.held, 0
        return stored

    def drop(self, draft: Draft) -> None:
        """Forget a draft."""
        draft.blocks.clear()
        if draft.session:
            self.begin()
            self.delete_blocks(draft.session)
            self._accept(draft)

    def _store(self, draft: Draft, session: int, no: int) -> None:
        """Store the blocks a draft holds in memory, numbered from `no`."""
        for at, block in enumerate(draft.blocks, no):
            self.insert_block(session, at, block)
        draft.stored += len(draft.blocks)
        draft.blocks.clear()

    def _accept(self, draft: Draft) -> None:
        self.connection.execute("DELETE FROM draft WHERE session=?", (draft.session,))
        draft.session = 0

    def _adopt(self, draft: Draft, session: int, no: int) -> None:
        """Make all blocks of a draft a session's, numbered from `no`."""
        stored = draft.stored
        if draft.session:
            if draft.session != session:
                self.connection.execute(
                    "UPDATE block SET session=?, no=no+? WHERE session=?",
                    (session, no, draft.session),
                )
            self._accept(draft)
        self._store(draft, session, no + stored)

    # ------------------------------------------------------------ readings

    def finish(self, draft: Draft, job: Job, reading: Reading) -> Outcome:
        """Write how reading a source ended, and its blocks."""
        self.begin()
        row = job.row
        result = reading.outcome
        if result == "excluded":
            return self._leave_out(draft, job)
        junk = reading.unparsed or (reading.torn and row is not None and row.session is not None)
        if result == "replaced" and not reading.counts.messages and junk:
            # It is no proof that the session is empty: what was read before stays.
            result, reading.error = "failed", f"{job.source.path}: no readable record in it"
        if result == "replaced" and reading.error and self._holds_more(row, reading):
            result = "failed"
        if result == "failed":
            sources.fail(self, None if job.moved else row, job.source, reading)
            self.drop(draft)
            return Outcome(result)
        if row is not None and job.moved:
            if result != "replaced" or job.source.part or self._continues(row, draft):
                sources.move(self, row, job.source)
            else:
                row = None
        session = row.session if row is not None else None
        if result == "appended" and session is not None:
            self._append(session, draft, job.source, reading)
        elif result != "same":
            session, result = self._replace(session, draft, job.source, reading)
        sources.remember(self, row, job.source, session, reading)
        return Outcome("failed" if reading.error else result, moved=job.moved and row is not None)

    def _holds_more(self, row: Row | None, reading: Reading) -> bool:
        """Whether more was read of a source before than now."""
        query = "SELECT messages FROM session WHERE id=?"
        held = self.connection.execute(
            query, (row.session if row is not None else None,)
        ).fetchone()
        return held is not None and held[0] > reading.counts.messages

    def _leave_out(self, draft: Draft, job: Job) -> Outcome:
        """Keep nothing of a session that a person left out or had forgotten."""
        row = None if job.moved else job.row
        if draft.session or (row is not None and row.session is not None):
            self.soil()
        self.drop(draft)
        sources.leave_out(self, row, job.source)
        return Outcome("excluded")

    def _replace(
        self, session: int | None, draft: Draft, source: Source, reading: Reading
    ) -> tuple[int | None, str]:
        if not reading.counts.messages:
            if session is None:
                return None, "replaced"
            self.remove_session(session)
            return None, "removed"
        columns = _columns(source, reading, reading.counts)
        columns["title"] = reading.title or reading.opening
        columns["first_record"] = reading.first_record
        if session is None:
            former = self._former.get((source.harness, source.path, source.part))
            session = former.id if former else draft.session or self.new_session()
            columns["id"] = session
            columns["key"] = (
                former.key if former else self._free_key(source, str(columns["native_id"]))
            )
            self.insert("session", columns)
        else:
            # Its key stays whatever the source says now: references hold.
            self.delete_blocks(session)
            self.update("session", session, columns)
        self._adopt(draft, session, 0)
        self.date_untimed(session, reading.ended_ms)
        self.touch(session)
        return session, "replaced"

    def _append(self, session: int, draft: Draft, source: Source, reading: Reading) -> None:
        """Drop the messages at or after the reading's start and add those it read."""
        names = ", ".join(Counts.__slots__)
        old = self.connection.execute(
            f"SELECT title, started_ms, ended_ms, {names} FROM session WHERE id=?", (session,)
        ).fetchone()
        counts = Counts(*old[3:])
        fresh: dict[int, list[StoredBlock]] = {kind: [] for kind in BlockKind}
        if not draft.session:
            for block in draft.blocks:
                fresh[block.kind].append(block)
            draft.blocks.clear()
        for kind, blocks in fresh.items():
            self._cut_tail(session, kind, reading.start, blocks, counts)
        draft.blocks[:0] = chain(*fresh.values())
        (no,) = self.connection.execute(
            "SELECT coalesce(max(no) + 1, 0) FROM block WHERE session=?", (session,)
        ).fetchone()
        for name in Counts.__slots__:
            setattr(counts, name, getattr(counts, name) + getattr(reading.counts, name))
        # A reader's facts span the whole session; without them the blocks of the tail do not.
        if not reading.facts.started_ms:
            reading.started_ms = min(filter(None, (old[1], reading.started_ms)), default=0)
        if not reading.facts.ended_ms:
            reading.ended_ms = max(old[2], reading.ended_ms)
        self._adopt(draft, session, no)
        self.date_untimed(session, reading.ended_ms)
        columns = _columns(source, reading, counts)
        columns["title"] = reading.title or old[0] or reading.opening
        self.update("session", session, columns)
        self.touch(session)

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
            self.delete_block(block_id)
            if fits and keep:
                fresh[0] = store(join(whole, load(fresh[0])))
            elif keep:
                fresh.insert(0, store(whole))

    def _free_key(self, source: Source, native_id: str) -> str:
        """Return a key no other session has: the native id, or that and where the file lies."""
        keys = session_keys(source, native_id)
        if claimed(source, self._twins.get((source.harness, native_id), ())):
            keys = keys[1:]
        for candidate in keys:
            held = self.connection.execute("SELECT 1 FROM session WHERE key=?", (candidate,))
            if candidate not in self._reserved and held.fetchone() is None:
                return candidate
        return f"{keys[-1]}{clock.now_ms():x}"

    def _continues(self, row: Row, draft: Draft) -> bool:
        """Whether a session read from elsewhere begins with all the messages of a vanished one.

        A file that was packed, converted or archived has other bytes and the same history.
        """
        if row.session is None:
            return False
        stored = families.metas_of(self.connection, draft.session)
        old = families.history_of(self.connection, row.session).records
        drafted = (Meta.unpack(block.meta) for block in draft.blocks)
        new = History.of(chain(stored, drafted)).records
        return bool(old) and new[: len(old)] == old


def _columns(
    source: Source, reading: Reading, counts: Counts
) -> dict[str, str | int | float | bytes]:
    """Return what a session's row says, key, title and first record apart."""
    facts = reading.facts
    native_id = facts.native_id or session_name(source.native_id)
    return {
        "harness": source.harness,
        "native_id": native_id,
        "path": source.path,
        "part": source.part,
        "root": source.root,
        "stated": mark_of(source.harness, facts.known_as) if facts.known_as else b"",
        "cwd": facts.cwd,
        "last_cwd": facts.last_cwd or facts.cwd,
        "branch": facts.branch,
        "models": "\n".join(facts.models),
        "kind": str(facts.kind),
        "parent_native": facts.parent or session_name(source.parent),
        "started_ms": reading.started_ms,
        "ended_ms": reading.ended_ms,
        "messages": counts.messages,
        "prompts": counts.prompts,
        "tool_calls": counts.tool_calls,
        "errors": counts.errors,
        "materials": counts.materials,
        "searchable": counts.searchable,
        "size": source.size,
        "tokens_in": facts.tokens_in,
        "tokens_out": facts.tokens_out,
        "cost_usd": facts.cost_usd,
        "version": facts.version,
        "presence": "present",
        "gone_ms": 0,
    }
