"""Opening a workspace's databases: found, of a version we know, never written, columns looked up.

Columns come and go between versions, so every reader asks `columns` before it names one.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Final

from recall_tui.errors import SourceError
from recall_tui.harnesses import sqlite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

RUNTIME_VERSION: Final = 12
"""Newest `user_version` of `runtime.sqlite` we read."""
MEMORY_VERSION: Final = 5
"""Newest `user_version` of `memory.sqlite`."""
METADATA_VERSION: Final = 28
"""Newest version of the session tables, which have a version table of their own."""

_SCOPES: Final = {
    "session_metadata": METADATA_VERSION,
    "runtime": RUNTIME_VERSION,
    "memory": MEMORY_VERSION,
    "artifact": 1,
    "artifacts": 1,
}
"""Scope of a migration -> newest version."""

_MAGIC: Final = b"SQLite format 3\0"


def is_runtime(path: str, head: bytes) -> bool:
    """Say whether a file (its first bytes given) is a database with the app's session table."""
    if not head.startswith(_MAGIC):
        return False
    try:
        connection = sqlite.connect(path)
    except SourceError:
        return False
    try:
        return "payload_json" in sqlite.columns(connection, "session_metadata")
    except sqlite3.Error:
        return False
    finally:
        connection.close()


class Database:
    """An open database as of one moment, whose tables are looked up once."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._columns: dict[str, set[str]] = {}

    def execute(
        self, query: str, values: Sequence[object] | Mapping[str, object] = ()
    ) -> sqlite3.Cursor:
        """Run a query."""
        return self._connection.execute(query, values)

    def columns(self, table: str) -> set[str]:
        """Return the columns of a table, empty when there is none of that name."""
        if table not in self._columns:
            self._columns[table] = sqlite.columns(self._connection, table)
        return self._columns[table]

    def register(self, name: str, function: Callable[[bytes | None], bool]) -> None:
        """Give this connection, and nobody else's, a function of one value."""
        self._connection.create_function(name, 1, function, deterministic=True)

    @cached_property
    def run_tables(self) -> list[str]:
        """The tables that say which run started which."""
        rows = self.execute(
            """SELECT m.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c
            WHERE m.type = 'table' AND c.name IN ('session_id', 'run_id', 'parent_run_id')
            GROUP BY m.name HAVING count(*) = 3"""
        )
        return [name for (name,) in rows if '"' not in name]


@contextmanager
def opened(path: str, newest: int = RUNTIME_VERSION) -> Iterator[Database]:
    """Open a database read-only as of one moment, and close it.

    Args:
        path: The file.
        newest: The newest `user_version` we read.

    Raises:
        SourceError: It cannot be opened or read, or was written by a newer version of the app.
    """
    connection = sqlite.connect(path)
    try:
        connection.execute("BEGIN")  # one moment for everything that is read
        found = Database(connection)
        _refuse_newer(found, path, newest)
        yield found
    except sqlite3.Error as error:
        raise SourceError(f"{path}: {error}") from error
    finally:
        connection.close()


def _refuse_newer(found: Database, path: str, newest: int) -> None:
    """Check every version a database states.

    Raises:
        SourceError: One is newer than we know: its meaning may have changed.
    """
    stated = [("schema", found.execute("PRAGMA user_version").fetchone()[0], newest)]
    if found.columns("session_metadata_schema") >= {"version"}:
        rows = found.execute("SELECT max(version) FROM session_metadata_schema")
        stated += [("session tables", version, METADATA_VERSION) for (version,) in rows]
    if found.columns("operational_schema_migrations") >= {"scope", "version"}:
        rows = found.execute(
            "SELECT scope, max(version) FROM operational_schema_migrations GROUP BY scope"
        )
        stated += [(s, version, _SCOPES[s]) for s, version in rows if s in _SCOPES]
    for what, version, known in stated:
        if isinstance(version, int) and version > known:
            raise SourceError(
                f"{path}: its {what} has version {version}, newer than the {known} known here",
                "update recall-tui",
            )


def change_token(path: str) -> tuple[int, ...]:
    """Return what changes whenever a database is written: sizes and times of it and its `-wal`."""
    found: list[int] = []
    for name in (path, f"{path}-wal"):
        try:
            status = os.stat(name)
        except OSError:
            found += (-1, -1)
        else:
            found += (status.st_size, status.st_mtime_ns)
    return tuple(found)
