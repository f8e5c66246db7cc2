"""Reading another program's SQLite store: with its `-wal`, leaving nothing beside it."""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from pathlib import Path
from typing import Final

from recall_tui.errors import SourceError

_TIMEOUT_S: Final = 1.0
"""Wait for a writer that holds the whole store (a checkpoint takes milliseconds)."""

_NO_LOCKS: Final = "win32-none" if os.name == "nt" else "unix-none"

_SHARED: Final = ("", "")
"""With SQLite's locks and shared memory: for a store that a program has open."""
_PRIVATE: Final = (f"&vfs={_NO_LOCKS}", "PRAGMA locking_mode = exclusive")
"""Without either; the `-wal` is indexed in our own memory. For a store nobody has open, for a
folder that cannot be written, and for a store locked as a whole. A page torn by a writer in just
that moment is an error of SQLite or a row that does not decode; its next update is read again."""
_STILL: Final = ("&immutable=1", "")
"""As if it could not change: right when there is no `-wal` and nobody has the store open."""


FAULTS: Final = (sqlite3.Error, UnicodeDecodeError)
"""What a damaged store raises; an error may quote bytes of it that are no text."""

_LOCKED_S: Final = 10.0
_locked: dict[str, float] = {}
"""Stores that somebody held as a whole, and when: nobody waits `_TIMEOUT_S` for each session."""


def connect(path: str) -> sqlite3.Connection:
    """Open a store read-only, with what lies in its `-wal`, without writing anything beside it.

    Raises:
        SourceError: The file cannot be opened or is no database.
    """
    uri = f"{Path(path).absolute().as_uri()}?mode=ro"
    problem: Exception | None = None
    for option, first in _ways(path):
        try:
            connection = _opened(f"{uri}{option}", first)
        except sqlite3.OperationalError as error:
            problem = error
            if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_BUSY:
                _locked[path] = time.monotonic()
        except FAULTS as error:
            problem = error
            break
        else:
            return connection
    raise SourceError(f"{path}: {words_of(problem)}") from problem


def words_of(error: Exception | None) -> str:
    """Return what a fault of a store says to a person."""
    if isinstance(error, UnicodeDecodeError):
        return "database disk image is malformed"
    return str(error)


def _ways(path: str) -> list[tuple[str, str]]:
    """Return the ways to open a store, best first.

    Opening a store in WAL mode the usual way creates `-shm` and `-wal` files beside it. A program
    that has it open has created them already; otherwise we must not.
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # opening a pipe would wait for ever
            raise SourceError(f"{path}: not a file")
        with open(path, "rb", buffering=0) as stream:
            wal_mode = stream.read(20)[18:20] == b"\2\2"
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror or error}") from error
    if not wal_mode or os.path.exists(f"{path}-shm"):
        waited = time.monotonic() - _locked.get(path, -_LOCKED_S) < _LOCKED_S
        return [_PRIVATE] if waited else [_SHARED, _PRIVATE]
    return [_PRIVATE] if file_size(f"{path}-wal") else [_STILL]


def _opened(uri: str, first: str) -> sqlite3.Connection:
    """Return a connection that has read the schema, so that every refusal shows here."""
    connection = sqlite3.connect(uri, uri=True, timeout=_TIMEOUT_S, isolation_level=None)
    try:
        if first:
            connection.execute(first)
        connection.execute("PRAGMA query_only = 1")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        connection.close()
        raise
    connection.text_factory = _text
    return connection


def _text(raw: bytes) -> str:
    """Decode a text column; bad bytes must not end a session."""
    return raw.decode("utf-8", "replace")


def columns(connection: sqlite3.Connection, table: str) -> set[str]:
    """Return the columns of a table, empty when there is none of that name."""
    return {
        name for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
    }


def file_size(path: str) -> int:
    """Return the size of a file, 0 when there is none."""
    try:
        return os.path.getsize(path)
    except OSError:
        return 0
