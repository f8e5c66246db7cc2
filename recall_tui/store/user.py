"""What a person wrote: notes, pins, saved searches, reading positions, and what they had forgotten.

`user.db` lies beside the index and survives its deletion. Everything is keyed by session key (and
position), which is stable over a rebuild. Several processes may write it: transactions are short.
"""

from __future__ import annotations

import os
import threading
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, Final

from recall_tui import clock
from recall_tui.errors import StoreError
from recall_tui.named import NamedTuple
from recall_tui.store.connect import can_write, open_reader, open_writer, store_errors

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

    from recall_tui.harnesses.base import Source

STEPS: Final[tuple[tuple[str, ...], ...]] = (
    (
        # A forgotten session: hashes only. `place` is empty when every source of that id is meant.
        """CREATE TABLE tombstone (
          mark BLOB NOT NULL, place BLOB NOT NULL, at_ms INTEGER NOT NULL,
          PRIMARY KEY (mark, place)) WITHOUT ROWID""",
        """CREATE TABLE note (
          id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, position INTEGER NOT NULL,
          text TEXT NOT NULL, at_ms INTEGER NOT NULL)""",
        "CREATE INDEX note_key ON note (key)",
        "CREATE TABLE pin (key TEXT PRIMARY KEY, at_ms INTEGER NOT NULL) WITHOUT ROWID",
        """CREATE TABLE saved_search (
          name TEXT PRIMARY KEY, query TEXT NOT NULL, at_ms INTEGER NOT NULL) WITHOUT ROWID""",
        """CREATE TABLE reading (
          key TEXT PRIMARY KEY, position INTEGER NOT NULL, at_ms INTEGER NOT NULL)
          WITHOUT ROWID""",
    ),
    ("CREATE TABLE asked (query TEXT PRIMARY KEY, at_ms INTEGER NOT NULL) WITHOUT ROWID",),
)
"""Step n leads from `user_version` n to n + 1. This file is never rebuilt: steps only add."""


_CURE: Final = (
    "it holds what you wrote and had forgotten: bring a copy back, or move it away to do without"
)

MOST_ASKED: Final = 500
"""Searches remembered, the latest ones."""


class Note(NamedTuple):
    """What a person wrote about a session (position -1) or one message of it."""

    id: int
    key: str
    position: int
    text: str
    at_ms: int


class Tombstones:
    """What a person had forgotten, as of one moment.

    Attributes:
        mark: A text that changes with each tombstone that is added; empty without any.
        everywhere: The marks of sessions that were forgotten wherever they lie.
    """

    __slots__ = ("_places", "everywhere", "mark")

    def __init__(self, rows: Iterable[tuple[bytes, bytes, int]] = ()) -> None:
        self._places: dict[bytes, set[bytes]] = {}
        count = latest = 0
        for mark, place, at_ms in rows:
            self._places.setdefault(mark, set()).add(place)
            count, latest = count + 1, max(latest, at_ms)
        self.mark = f"{count} {latest}" if count else ""
        self.everywhere = frozenset(mark for mark, held in self._places.items() if b"" in held)

    def cover(self, source: Source) -> bool:
        """Return whether a source, or the session whose subagent it is, was forgotten."""
        if not self._places:
            return False
        places = self._places.get(mark_of(source.harness, source.native_id), ())
        if b"" in places or (bool(places) and place_of(source) in places):
            return True
        return bool(source.parent) and mark_of(source.harness, source.parent) in self.everywhere


class UserStore:
    """Reads and writes `user.db`. Safe to use from any thread."""

    def __init__(self, path: str) -> None:
        """Open nothing yet; the file is made with the first thing written."""
        self.path = path
        self._guard = threading.RLock()
        self._connection: sqlite3.Connection | None = None

    def close(self) -> None:
        """Close the file."""
        with self._guard:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    # ------------------------------------------------------------ forgetting

    def bury(self, marks: Iterable[tuple[bytes, bytes]]) -> None:
        """Note that sources of these (mark, place) must never be read again."""
        now = clock.now_ms()
        with self._writing() as connection:
            connection.executemany(
                "INSERT OR IGNORE INTO tombstone VALUES (?,?,?)",
                [(mark, place, now) for mark, place in marks],
            )

    def tombstones(self) -> Tombstones:
        """Return what was forgotten, as of now."""
        return Tombstones(self._rows("SELECT mark, place, at_ms FROM tombstone"))

    def drop_session(self, key: str) -> None:
        """Remove what a person wrote about a session, and the searches that led to it (Q34)."""
        with self._writing() as connection:
            for table in ("note", "pin", "reading"):
                connection.execute(f"DELETE FROM {table} WHERE key=?", (key,))
            connection.execute("DELETE FROM asked")  # a search may quote what is forgotten

    def fold_journal(self) -> bool:
        """Empty the journal; False when another process is reading."""
        with self._guard, store_errors(self.path):
            busy, _, _ = self._open().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not busy

    # ------------------------------------------------------------ notes, pins, searches, positions

    def add_note(self, key: str, position: int, text: str) -> int:
        """Write a note about a message, or the session with position -1; returns its id."""
        with self._writing() as connection:
            number = connection.execute(
                "INSERT INTO note (key, position, text, at_ms) VALUES (?,?,?,?)",
                (key, position, text, clock.now_ms()),
            ).lastrowid
        assert number is not None
        return number

    def remove_note(self, number: int) -> None:
        """Remove a note by its id."""
        with self._writing() as connection:
            connection.execute("DELETE FROM note WHERE id=?", (number,))

    def notes(self, key: str = "") -> list[Note]:
        """Return the notes of a session, or all of them, oldest first."""
        query = "SELECT id, key, position, text, at_ms FROM note WHERE ? IN (key, '') ORDER BY id"
        return [Note._make(row) for row in self._rows(query, key)]

    def pin(self, key: str, *, on: bool = True) -> None:
        """Pin a session, or take the pin off."""
        with self._writing() as connection:
            if on:
                connection.execute("INSERT OR IGNORE INTO pin VALUES (?,?)", (key, clock.now_ms()))
            else:
                connection.execute("DELETE FROM pin WHERE key=?", (key,))

    def pins(self) -> list[str]:
        """Return the keys of pinned sessions, latest first."""
        return [row[0] for row in self._rows("SELECT key FROM pin ORDER BY at_ms DESC, key")]

    def save_search(self, name: str, query: str) -> None:
        """Keep a search under a name; the same name again replaces it."""
        with self._writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO saved_search VALUES (?,?,?)", (name, query, clock.now_ms())
            )

    def remove_search(self, name: str) -> None:
        """Remove a saved search."""
        with self._writing() as connection:
            connection.execute("DELETE FROM saved_search WHERE name=?", (name,))

    def searches(self) -> list[tuple[str, str]]:
        """Return saved searches as (name, query), by name."""
        rows = self._rows("SELECT name, query FROM saved_search ORDER BY name")
        return [(name, query) for name, query in rows]

    def note_asked(self, query: str) -> None:
        """Note that a search was made; the oldest beyond `MOST_ASKED` are dropped."""
        with self._writing() as connection:
            connection.execute("INSERT OR REPLACE INTO asked VALUES (?,?)", (query, clock.now_ms()))
            connection.execute(
                "DELETE FROM asked WHERE query NOT IN "
                "(SELECT query FROM asked ORDER BY at_ms DESC LIMIT ?)",
                (MOST_ASKED,),
            )

    def drop_asked(self, before_ms: int) -> None:
        """Forget the searches made before a moment."""
        if self._rows("SELECT 1 FROM asked WHERE at_ms<? LIMIT 1", before_ms):
            with self._writing() as connection:
                connection.execute("DELETE FROM asked WHERE at_ms<?", (before_ms,))

    def asked(self) -> list[str]:
        """Return the searches made, latest first."""
        return [row[0] for row in self._rows("SELECT query FROM asked ORDER BY at_ms DESC, query")]

    def set_position(self, key: str, position: int) -> None:
        """Note how far a person has read in a session."""
        with self._writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO reading VALUES (?,?,?)", (key, position, clock.now_ms())
            )

    def position(self, key: str) -> int:
        """Return how far a person has read in a session, -1 when they never opened it."""
        rows = self._rows("SELECT position FROM reading WHERE key=?", key)
        return next((int(row[0]) for row in rows), -1)

    # ------------------------------------------------------------ the file

    def _rows(self, query: str, *values: str | int) -> list[tuple[Any, ...]]:
        with self._guard:
            if self._connection is None and not os.path.exists(self.path):
                return []
            with store_errors(self.path, _CURE):
                if self._connection is None and not can_write(self.path):
                    with closing(open_reader(self.path)) as reader:
                        return reader.execute(query, values).fetchall()
                return self._open().execute(query, values).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._guard, store_errors(self.path, _CURE):
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            connection = open_writer(self.path)
            try:
                _bring_up_to_date(connection, self.path)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection


def _bring_up_to_date(connection: sqlite3.Connection, path: str) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        found = connection.execute("PRAGMA user_version").fetchone()[0]
        if found > len(STEPS):
            raise StoreError(
                f"{path} has version {found}, this program reads up to {len(STEPS)}",
                "update recall-tui",
            )
        for number in range(found, len(STEPS)):
            for statement in STEPS[number]:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version={number + 1}")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def mark_of(harness: str, native_id: str) -> bytes:
    """Return the content-free id of a session: 16 bytes from which nothing can be read back."""
    return _digest(f"{harness}\0{native_id}")


def mark_beginning(mark: bytes, first_record: int) -> bytes:
    """Return the mark of the one session of an id that begins with a record, of several there are.

    Args:
        mark: Of the id (`mark_of`).
        first_record: Hash of the first native record id.
    """
    return _digest(f"{mark.hex()} {first_record}")


def place_of(source: Source) -> bytes:
    """Return the same for where a source lies below its root; tells sessions of one id apart."""
    place = f"{os.path.relpath(source.path, source.root)}\0{source.part}"
    return _digest(place)


def _digest(text: str) -> bytes:
    from hashlib import blake2b  # noqa: PLC0415 - 3 ms that a person who forgot nothing does not pay

    return blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
