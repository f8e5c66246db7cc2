"""The index opened for writing: transactions, counters, rows and blocks, and their removal."""

from __future__ import annotations

import os
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Final

from recall_tui import __version__
from recall_tui.store import edition, families, migrations, stamps
from recall_tui.store.block import BlockKind, Meta
from recall_tui.store.connect import open_writer, remove, store_errors, swap_in

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping

    from recall_tui.store.stored import StoredBlock

_INSERT_BLOCK: Final = """INSERT INTO block
(session, no, kind, first, last, first_ms, last_ms, meta, fold) VALUES (?,?,?,?,?,?,?,?,?)"""
_INSERT_BODY: Final = "INSERT INTO body (id, raw, attributes) VALUES (?,?,?)"
_UNCLEAN: Final = "unclean"
"""`meta` key: 1 while the journal may hold forgotten text."""
BUILDING: Final = ".building"
"""Suffix of a new index while it is made beside the one it will replace."""

_BEGUN: Final = ".begun"
"""Suffix of an index that has no tables yet."""

NEXT_SESSION: Final = "next_session"
"""`meta` key: row ids of sessions from here on were never used, so a stale one finds nothing."""


def _begin(path: str) -> None:
    """Make an empty index beside its place and put it there: no reader sees one without tables."""
    new = path + _BEGUN
    remove(new)
    try:
        with closing(open_writer(new)) as connection:
            migrations.bring_up_to_date(connection, edition.TEXT_RULES)
        swap_in(new, path)
    finally:
        remove(new)


class Database:
    """The index opened for writing. Open one only while holding the writer lock."""

    def __init__(self, path: str) -> None:
        """Open the index at a path, creating or migrating it.

        Raises:
            StoreError: It cannot be opened, or is newer than this code.
            RebuildNeeded: It must be built anew.
        """
        self.path = path
        self.touched: set[int] = set()
        """Sessions written since this was emptied: `families` looks at these."""
        with store_errors(path):
            if not os.path.exists(path):
                _begin(path)
            self.connection = open_writer(path)
            try:
                migrations.bring_up_to_date(self.connection, edition.TEXT_RULES)
                self._next_session = self.get(NEXT_SESSION, 1)
                self._sweep()
            except BaseException:
                self.connection.close()
                raise

    def _sweep(self) -> None:
        """Remove what a killed run has left: sessions that never got their row, half an index."""
        for left in (_BEGUN, BUILDING, BUILDING + _BEGUN):
            remove(self.path + left)
        drafts = self.connection.execute("SELECT session FROM draft").fetchall()
        if drafts:
            with self.transaction():
                for (session,) in drafts:
                    self.delete_blocks(session)
                self.connection.execute("DELETE FROM draft")

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
        """Commit what is open; who polls `generation` sees that something changed."""
        if self.connection.in_transaction:
            self.put(NEXT_SESSION, self._next_session)
            self.put("generation", self.get("generation", 0) + 1)
            self.connection.execute("COMMIT")

    def settle(self, now_ms: int) -> None:
        """Note that the sources were compared with the index, and commit.

        A sync that changed nothing leaves `generation` alone: nobody has to look again.
        """
        changed = self.connection.in_transaction
        with store_errors(self.path):
            self.begin()
            stamps.pack(self.connection)
            self.put("synced_ms", now_ms)
            self.put("program", __version__)
            self.put("pending", 0)
            self.put("unsettled", 0)
            if changed:
                self.commit()
            else:
                self.connection.execute("COMMIT")
            if self.get(_UNCLEAN, 0):
                self.clean_journal()

    def fold_journal(self) -> bool:
        """Write the journal into the file and empty it; False when a reader is in the way."""
        with store_errors(self.path):
            busy, _, _ = self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not busy

    def soil(self) -> None:
        """Note that the journal holds text nobody wants kept: the end of the sync empties it."""
        self.put(_UNCLEAN, 1)

    def clean_journal(self) -> bool:
        """Empty the journal, which holds text that was forgotten, now or as soon as possible."""
        with self.transaction():
            self.put(_UNCLEAN, 0)
        if self.fold_journal():
            return True
        with self.transaction():
            self.soil()
        return False

    def close(self) -> None:
        """Roll back what is open and close; the last one to close folds the journal in."""
        with store_errors(self.path):
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            self.connection.close()

    # ------------------------------------------------------------ rows

    def get(self, key: str, default: int) -> int:
        """Return a number of `meta`."""
        row = self.connection.execute("SELECT value FROM meta WHERE key=?", (key,)).fetchone()
        return default if row is None else int(row[0])

    def put(self, key: str, value: int | str) -> None:
        """Set a value of `meta`."""
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES (?,?)", (key, value))

    def number_from(self, session: int, block: int) -> None:
        """Use row ids of sessions from `session` and of blocks from `block` on, in an empty index.

        The index that this one replaces used those before: who still holds one must not be given
        something else for it.
        """
        self._next_session = session
        with self.transaction():
            self.connection.execute("INSERT INTO sqlite_sequence VALUES ('block', ?)", (block - 1,))

    def new_session(self) -> int:
        """Return a row id for a session; it was never used before."""
        self._next_session += 1
        return self._next_session - 1

    def insert(self, table: str, columns: Mapping[str, object]) -> int:
        """Insert a row and return its id."""
        names, marks = ", ".join(columns), ", ".join("?" * len(columns))
        row = self.connection.execute(
            f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(columns.values())
        ).lastrowid
        assert row is not None
        return row

    def update(self, table: str, row: int, columns: Mapping[str, object]) -> None:
        """Change some columns of the row of an id."""
        sets = ", ".join(f"{name}=?" for name in columns)
        self.connection.execute(f"UPDATE {table} SET {sets} WHERE id=?", (*columns.values(), row))

    def insert_block(self, session: int, no: int, block: StoredBlock) -> None:
        """Insert a block with its body as number `no` of a session."""
        row = self.connection.execute(_INSERT_BLOCK, (session, no, *block[:-2])).lastrowid
        self.connection.execute(_INSERT_BODY, (row, block.raw, block.attributes))
        if block.kind == BlockKind.TALK:
            assert row is not None
            families.note_summaries(self.connection, row, Meta.unpack(block.meta))

    def date_untimed(self, session: int, ended_ms: int) -> None:
        """Let the session's end stand in for the time of messages that have none.

        A block that holds one is not older than that, so no lower bound of time passes it over.
        """
        self.connection.execute(
            "UPDATE block SET last_ms=? WHERE session=? AND first_ms=0 AND last_ms<?",
            (ended_ms, session, ended_ms),
        )

    def touch(self, session: int) -> None:
        """Note that the families of a session and of those that copy it have to be looked at."""
        self.touched.add(session)
        copies = "SELECT id FROM session WHERE original=? AND original <> 0"
        self.touched.update(row[0] for row in self.connection.execute(copies, (session,)))

    # ------------------------------------------------------------ removal

    def delete_blocks(self, session: int) -> None:
        """Remove the text of a session."""
        blocks = "SELECT id FROM block WHERE session=?"
        self.connection.execute(f"DELETE FROM body WHERE id IN ({blocks})", (session,))
        self.connection.execute(f"DELETE FROM summary WHERE block IN ({blocks})", (session,))
        self.connection.execute("DELETE FROM block WHERE session=?", (session,))

    def delete_block(self, block: int) -> None:
        """Remove one block."""
        self.connection.execute("DELETE FROM body WHERE id=?", (block,))
        self.connection.execute("DELETE FROM summary WHERE block=?", (block,))
        self.connection.execute("DELETE FROM block WHERE id=?", (block,))

    def delete_source(self, source: int) -> None:
        """Remove what is known of a source."""
        self.connection.execute("DELETE FROM proof WHERE id=?", (source,))
        self.connection.execute("DELETE FROM source WHERE id=?", (source,))

    def remove_session(self, session: int) -> None:
        """Remove a session and its text; its source stays known, without a session."""
        self.touch(session)
        self.delete_blocks(session)
        self.connection.execute("DELETE FROM session WHERE id=?", (session,))
        self.connection.execute("UPDATE source SET session=NULL WHERE session=?", (session,))

    def forget_session(self, session: int) -> None:
        """Remove a session with all that is known of its sources."""
        rows = self.connection.execute("SELECT id FROM source WHERE session=?", (session,))
        for (source,) in rows.fetchall():
            self.delete_source(source)
        self.remove_session(session)
