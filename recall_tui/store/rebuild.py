"""A new index beside the old one, which keeps answering until the two are exchanged.

What the sources no longer tell comes along: sessions whose source is gone, or of places this run
does not look at. Their text is redacted and folded anew, so that new rules hold for it as well.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from recall_tui.harnesses.base import Source
from recall_tui.model import Kind
from recall_tui.store import ingest, schema
from recall_tui.store.block import BlockKind
from recall_tui.store.build import BlockBuilder
from recall_tui.store.connect import open_reader, open_writer, remove, swap_in
from recall_tui.store.database import BUILDING, NEXT_SESSION
from recall_tui.store.stored import StoredBlock, load, store
from recall_tui.store.sync.plan import wishes
from recall_tui.store.writer import Former, Writer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recall_tui.store.build import BuiltBlock
    from recall_tui.store.kept import Kept

_SOURCES: Final = "SELECT * FROM source WHERE session IS NOT NULL"
_BLOCKS: Final = """SELECT kind, first, last, first_ms, last_ms, meta, fold, raw, attributes
FROM block JOIN body USING (id) WHERE session=? ORDER BY no"""


@dataclass(slots=True)
class Beside:
    """An index that is being made."""

    writer: Writer
    complete: bool = False
    """Set when it holds everything: then it takes the place of the old one."""


@contextmanager
def beside(index: str) -> Iterator[Beside]:
    """Make a new index; at the end it replaces the old one in one step, or is thrown away.

    The caller holds the writer lock of `index`, which may be missing or broken.
    """
    path = index + BUILDING
    remove(path)
    try:
        new = Beside(Writer(path))
        with closing(new.writer):
            _keep_names(index, new.writer)
            yield new
            if new.complete:
                new.writer.fold_journal()
        if new.complete:
            _exchange(index, path)
    finally:
        remove(path)


def _exchange(index: str, new: str) -> None:
    if os.path.exists(index):
        _fold_old_journal(index)
    swap_in(new, index)


def _fold_old_journal(index: str) -> None:
    """Empty the journal of the old index if no reader is in the way; its content is replaced."""
    with suppress(sqlite3.Error), closing(open_writer(index)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextmanager
def _old(index: str) -> Iterator[sqlite3.Connection | None]:
    """Yield a reader of the old index, None when there is none or it cannot be understood."""
    connection = None
    try:
        if os.path.exists(index):
            connection = open_reader(index)
            if not schema.OLDEST_READABLE <= schema.version(connection) <= schema.VERSION:
                connection.close()
                connection = None
    except sqlite3.Error:
        connection = None
    try:
        if connection is not None:
            connection.row_factory = sqlite3.Row
            connection.execute("BEGIN")
        yield connection
    finally:
        if connection is not None:
            connection.close()


def _keep_names(index: str, writer: Writer) -> None:
    """Let keys and row ids of the old index go on: references hold, and so does an open view.

    Whoever reads while the two are exchanged holds row ids of the old one. A session keeps its own,
    and no other id is used again.
    """
    with _old(index) as old, suppress(sqlite3.Error):
        if old is None:
            return
        rows = old.execute("SELECT harness, path, part, key, id FROM session").fetchall()
        used = "SELECT value FROM meta WHERE key=?"
        (session,) = old.execute(used, (NEXT_SESSION,)).fetchone() or (1,)
        sequence = "SELECT seq + 1 FROM sqlite_sequence WHERE name='block'"
        (block,) = old.execute(sequence).fetchone() or (1,)
        session = max(session, *(row["id"] + 1 for row in rows), 1)
        writer.number_from(session, block)
        writer.keep_names({tuple(row[:3]): Former(*row[3:]) for row in rows})


def carry_over(index: str, writer: Writer, kept: Kept) -> None:
    """Copy what only the old index holds into a new one that has read all its sources.

    Args:
        index: The old index.
        writer: Of the new one.
        kept: What is kept.
    """
    query = "SELECT id, state, session FROM source WHERE harness=? AND path=? AND part=?"
    with _old(index) as old:
        if old is None:
            return
        writer.begin()
        out = wishes(old, kept).out
        for row in old.execute(_SOURCES).fetchall():
            if row["session"] in out:
                continue
            source = Source(*(row[name] for name in Source._fields))
            place = (source.harness, source.path, source.part)
            found = writer.connection.execute(query, place).fetchone()
            failed = "failed" in (row["state"], found[1] if found else "")
            if found is not None and found[2] is None and failed:
                # It cannot be read now: its last good copy is the old index's.
                _copy_session(old, writer, row["session"])
                writer.update("source", found[0], {"session": row["session"], "state": "failed"})
            elif found is None and not kept.refuses(source):
                _copy_session(old, writer, row["session"])
                new = writer.insert("source", {**dict(row), "id": None})
                known = old.execute("SELECT * FROM proof WHERE id=?", (row["id"],)).fetchone()
                if known is not None:
                    writer.insert("proof", {**dict(known), "id": new})
        last = old.execute("SELECT value FROM meta WHERE key='generation'").fetchone()
        writer.put("generation", last[0] if last else 0)


def _copy_session(old: sqlite3.Connection, writer: Writer, row: int) -> None:
    """Copy a session; its blocks are made anew from the text that is shown."""
    session = old.execute("SELECT * FROM session WHERE id=?", (row,)).fetchone()
    writer.insert("session", dict(session))
    blocks = old.execute(_BLOCKS, (row,))
    counts = ingest.Counts()
    for no, block in enumerate(_anew(StoredBlock._make(row) for row in blocks)):
        counts.add(block)
        writer.insert_block(row, no, store(block))
    writer.update("session", row, {"searchable": counts.searchable})
    writer.date_untimed(row, session["ended_ms"])
    writer.touched.add(row)


def _anew(blocks: Iterator[StoredBlock]) -> Iterator[BuiltBlock]:
    """Prepare stored messages again under the rules of today."""
    builders = {kind: BlockBuilder(kind) for kind in BlockKind}
    for stored in blocks:
        block = load(stored)
        builder = builders[block.kind]
        for index, position in enumerate(block.meta.positions):
            start, end = block.meta.raw_span(index)
            message = ingest.prepare_again(
                Kind(block.meta.kinds[index]),
                block.raw[start:end].decode("utf-8", "replace"),
                block.meta.times[index],
                block.meta.flags[index],
                block.meta.records[index],
                block.attributes.get(index),
            )
            if builder.full and (built := builder.take()):
                yield built
            builder.add(position, message)
    for builder in builders.values():
        if built := builder.take():
            yield built
