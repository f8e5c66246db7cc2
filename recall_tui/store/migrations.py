"""How an index of an earlier version becomes one of this version.

Ordered, named functions, each in a transaction with its number. What cannot be migrated in place
raises `RebuildNeeded`: then a new index is built beside the old one, which keeps answering.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from recall_tui.errors import StoreError
from recall_tui.store import schema, stamps

if TYPE_CHECKING:
    import sqlite3

Step: TypeAlias = Callable[["sqlite3.Connection"], None]


class RebuildNeeded(Exception):  # noqa: N818 - control flow between the writer and sync
    """The index cannot be brought to this version in place; its text says why."""


def _count_searchable(connection: sqlite3.Connection) -> None:
    """Count what recall can find apart: a score needs it of sessions that nobody reads (S0-66)."""
    from recall_tui.store.block import Meta  # noqa: PLC0415 - most starts migrate nothing
    from recall_tui.store.ingest import searchable  # noqa: PLC0415

    for column in ("searchable", "searchable_copied"):
        connection.execute(f"ALTER TABLE session ADD COLUMN {column} INTEGER NOT NULL DEFAULT 0")
    copied = dict(connection.execute("SELECT id, copied FROM session"))
    for session, data in connection.execute("SELECT session, meta FROM block").fetchall():
        meta = Meta.unpack(data)
        kinds = meta.kinds.tobytes()
        first = bisect_left(meta.positions, copied.get(session, 0))
        connection.execute(
            """UPDATE session SET searchable=searchable+?, searchable_copied=searchable_copied+?
            WHERE id=?""",
            (searchable(kinds), searchable(kinds[:first]), session),
        )


def _index_counts(connection: sqlite3.Connection) -> None:
    """Add the indices that tell the reach of an answer: before, each read every session twice."""
    for statement in schema.COUNTS:
        connection.execute(statement)


def _find_summaries(connection: sqlite3.Connection) -> None:
    """Note where summaries stand: a copy that begins with one belongs to that session."""
    from recall_tui.store import families  # noqa: PLC0415 - most starts migrate nothing
    from recall_tui.store.block import Meta  # noqa: PLC0415

    for statement in schema.SUMMARIES:
        connection.execute(statement)
    rows = connection.execute("SELECT id, session, meta FROM block WHERE kind=0").fetchall()
    found = set()
    for block, session, data in rows:
        if families.note_summaries(connection, block, Meta.unpack(data)):
            found.add(session)
    families.update(connection, found)


def _note_stated(connection: sqlite3.Connection) -> None:
    """Note the id that records state, which a session forgotten by its file's name came back under.

    What was read before has it once it is read again.
    """
    connection.execute("ALTER TABLE session ADD COLUMN stated BLOB NOT NULL DEFAULT x''")


def _pack_stamps(connection: sqlite3.Connection) -> None:
    """Keep how files looked many in a row: a search took them out of 5,000 rows one by one."""
    for statement in schema.STAMPS:
        connection.execute(statement)
    connection.execute("INSERT INTO unpacked SELECT DISTINCT id >> 6 FROM source")
    stamps.pack(connection)


STEPS: Final[tuple[Step, ...]] = (
    _count_searchable,
    _index_counts,
    _find_summaries,
    _note_stated,
    _pack_stamps,
)
"""Step n (from 0) leads from version n + 1 to n + 2; its docstring says what it does and why."""


def bring_up_to_date(
    connection: sqlite3.Connection, rules: str, steps: tuple[Step, ...] = STEPS
) -> None:
    """Create or migrate the index behind a writer's connection.

    Args:
        connection: Outside a transaction.
        rules: The text rules of this program (`edition.TEXT_RULES`).
        steps: The migrations, for tests.

    Raises:
        StoreError: The index is newer than this code, or somebody else's.
        RebuildNeeded: It must be built anew.
    """
    schema.refuse_newer(connection)
    found = schema.version(connection)
    connection.execute("BEGIN IMMEDIATE")
    try:
        if found == 0:
            if connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone():
                raise StoreError("where the index should be lies another database", "move it")
            schema.create(connection)
            connection.execute("INSERT INTO meta VALUES (?, ?)", (schema.TEXT_RULES, rules))
            found = schema.VERSION
        for number in range(found, schema.VERSION):
            steps[number - 1](connection)
            connection.execute(f"PRAGMA user_version={number + 1}")
        made = connection.execute(
            "SELECT value FROM meta WHERE key=?", (schema.TEXT_RULES,)
        ).fetchone()
        if made is None or made[0] != rules:
            raise RebuildNeeded("the rules for secrets or folding have changed since it was made")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
