"""The only place that opens SQLite files of ours.

Readers see one committed state for as long as they hold a lease and never wait for the writer
(WAL). There is one writer at a time: `store.lock` sees to that.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from recall_tui.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

PAGE_SIZE: Final = 32768
"""A block is a chain of overflow pages: at 32 KB a scan copies them twice as fast as at 8 KB."""

BUSY_S: Final = 2.0
"""How long a statement waits for a lock of another process before it gives up."""

_READER: Final = (
    "PRAGMA query_only=1",
    "PRAGMA temp_store=MEMORY",
    # Small on purpose: a scan reads every page once, and reusing few is faster than holding many.
    "PRAGMA cache_size=-1024",
)
_WRITER: Final = (
    f"PRAGMA page_size={PAGE_SIZE}",
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=NORMAL",
    "PRAGMA temp_store=MEMORY",
    "PRAGMA cache_size=-16384",
    # A reader that lingers lets the journal grow; once it is gone the space comes back.
    f"PRAGMA journal_size_limit={64 << 20}",
    # What a person asks to forget must not survive in free pages, nor what an append replaced.
    "PRAGMA secure_delete=ON",
)


_REBUILD: Final = "recall index --rebuild makes it anew from the sources"
_HINTS: Final = {
    "SQLITE_FULL": "free some space; what was committed is safe",
    "SQLITE_IOERR": "check the disk and its free space",
    "SQLITE_BUSY": "another program holds it; try again",
    "SQLITE_LOCKED": "another program holds it; try again",
    "SQLITE_CANTOPEN": "check the folder's permissions",
    "SQLITE_READONLY": "check the folder's permissions",
    "SQLITE_PERM": "check the folder's permissions",
}


@contextmanager
def store_errors(path: str, cure: str = _REBUILD) -> Iterator[None]:
    """Turn what SQLite or the operating system raises into a `StoreError` that names the file.

    Args:
        path: The file.
        cure: What helps when it is damaged.
    """
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "")
        hint = next((words for code, words in _HINTS.items() if name.startswith(code)), cure)
        raise StoreError(f"{path}: {error}", hint) from error
    except OSError as error:
        hint = "check the folder's permissions and free space"
        raise StoreError(f"{path}: {error.strerror or error}", hint) from error


def can_write(path: str) -> bool:
    """Return whether a database that is there may be written: the file, and its folder."""
    return all(os.access(place, os.W_OK) for place in (path, os.path.dirname(path) or "."))


def open_reader(path: str) -> sqlite3.Connection:
    """Return a connection that can only read. It may move between threads, one at a time.

    Raises:
        sqlite3.Error: There is no such file, or it is no database. Callers go through
            `store_errors`.
    """
    # A journal needs a file beside it, which cannot be made where nothing can: then none writes.
    still = not os.path.exists(f"{path}-shm") and not can_write(path)
    try:
        return _reader(path, still=still)
    except sqlite3.OperationalError as error:
        name = getattr(error, "sqlite_errorname", "")
        if still or not name.startswith(_NO_ROOM) or _holds(f"{path}-wal"):
            raise
        return _reader(path, still=True)


_NO_ROOM: Final = ("SQLITE_IOERR", "SQLITE_FULL", "SQLITE_CANTOPEN")
"""Errors of a disk without space for the file beside the journal."""


def _holds(path: str) -> bool:
    """Return whether a file is there and not empty."""
    try:
        return os.path.getsize(path) > 0
    except OSError:
        return False


def _reader(path: str, *, still: bool) -> sqlite3.Connection:
    """Return a connection that has read the first page; `still`: the file does not change."""
    escaped = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    connection = sqlite3.connect(
        f"file:{escaped}?mode=ro{'&immutable=1' if still else ''}",
        uri=True,
        timeout=BUSY_S,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        for pragma in _READER:
            connection.execute(pragma)
        connection.execute("PRAGMA user_version").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def open_writer(path: str) -> sqlite3.Connection:
    """Return a connection that can write; the file (0600) and its folder (0700) are created.

    Transactions are explicit. The caller holds the writer lock, except for `user.db`, whose
    transactions are short.
    """
    os.makedirs(os.path.dirname(path) or ".", mode=0o700, exist_ok=True)
    # SQLite gives -wal and -shm the mode of the database, so creating it ourselves covers all.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    connection = sqlite3.connect(
        path, timeout=BUSY_S, isolation_level=None, check_same_thread=False
    )
    try:
        for pragma in _WRITER:
            connection.execute(pragma)
    except BaseException:
        connection.close()
        raise
    return connection


def swap_in(new: str, path: str) -> None:
    """Put a finished, closed database in the place of another, or where none was.

    Raises:
        StoreError: It cannot be put there; or its journal could not be folded in, for want of
            space.
    """
    if os.path.exists(f"{new}-wal"):
        raise StoreError(f"{path}: the disk is full", _HINTS["SQLITE_FULL"])
    # Another file's journal would be replayed into it.
    remove(path, ("-wal", "-shm"))
    with store_errors(path):
        os.replace(new, path)


def remove(path: str, parts: Iterable[str] = ("", "-wal", "-shm")) -> None:
    """Remove a database and its journal, as far as they are there."""
    for suffix in parts:
        with suppress(FileNotFoundError):
            os.unlink(path + suffix)


class Readers:
    """Read-only connections to one file: each is lent to one user at a time and used again.

    Safe to call from any thread. A file that was swapped for another (a finished rebuild) is
    noticed at the next lease.
    """

    def __init__(self, path: str, prepare: Callable[[sqlite3.Connection], None]) -> None:
        """Open nothing yet.

        Args:
            path: The database.
            prepare: Called once with each new connection: checks the schema, adds functions.
        """
        self.path = path
        self._prepare = prepare
        self._idle: list[tuple[int, sqlite3.Connection]] = []
        self._lent = 0
        self._guard = threading.Lock()
        self._closed = False

    @contextmanager
    def lease(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection.

        Raises:
            StoreError: The file is missing, broken, or of another version.
        """
        with store_errors(self.path):
            file, connection = self._take()
            with self._guard:
                self._lent += 1
            try:
                yield connection
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                with self._guard:
                    self._lent -= 1
                    keep = not self._closed
                    if keep:
                        self._idle.append((file, connection))
                if not keep:
                    connection.close()

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection that sees one committed state until it is given back."""
        with self.lease() as connection:
            connection.execute("BEGIN")
            yield connection

    def _take(self) -> tuple[int, sqlite3.Connection]:
        file = os.stat(self.path).st_ino
        stale = []
        with self._guard:
            if self._closed:
                raise StoreError(f"{self.path}: closed")
            while self._idle:
                held, connection = self._idle.pop()
                if held == file:
                    break
                stale.append(connection)
            else:
                connection = None
        for old in stale:
            old.close()
        if connection is None:
            connection = open_reader(self.path)
            try:
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
        return file, connection

    def close(self) -> None:
        """Close what is idle now, and what is lent when it comes back."""
        self._closed = True
        self.let_go()

    def let_go(self) -> bool:
        """Close what is idle; return whether no connection is open then."""
        with self._guard:
            idle, self._idle = self._idle, []
            lent = self._lent
        for _, connection in idle:
            connection.close()
        return not lent
