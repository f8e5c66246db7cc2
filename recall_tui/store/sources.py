"""What the index notes about sources: there, gone, back, moved, failed, and what hid them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from recall_tui import clock
from recall_tui.harnesses.base import MOSTLY_DAMAGED
from recall_tui.store.clean import session_name
from recall_tui.store.sync.plan import NOT_OPENED
from recall_tui.text.safe import safe

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recall_tui.harnesses.base import Source
    from recall_tui.model import Gap
    from recall_tui.store.database import Database
    from recall_tui.store.sync.plan import Row
    from recall_tui.store.sync.worker import Reading


def remember(
    db: Database, row: Row | None, source: Source, session: int | None, reading: Reading
) -> None:
    """Note how a source looked, what it held and where a later read can go on."""
    columns: dict[str, object] = {
        **source._asdict(), "session": session, "state": "failed" if reading.error else "ok",
        "gone_ms": 0, "error": safe(reading.error),
    }  # fmt: skip
    if reading.outcome == "same":
        if row is not None and row.state == "failed" and _is_damaged(db, row):
            del columns["state"], columns["error"]
        if row is not None and row.state == "gone":
            _present(db, session)
        if session is not None:  # it was found in another state than it was read
            db.update("session", session, {"size": source.size})
            if row is not None:
                _name(db, session, row.native_id, source.native_id)
        _put(db, row, columns)
        return
    columns["unparsed"] = reading.unparsed
    columns["torn"] = int(reading.torn)
    columns["unknown"] = json.dumps(reading.unknown) if reading.unknown else ""
    point = reading.checkpoint
    db.connection.execute(
        "INSERT OR REPLACE INTO proof VALUES (?,?,?,?,?,?,?)",
        (
            _put(db, row, columns),
            point.offset if point else -1,
            point.position if point else 0,
            point.carry if point else b"",
            reading.ends,
            reading.covered,
            reading.digests,
        ),
    )


def _is_damaged(db: Database, row: Row) -> bool:
    """Whether it is the content itself, as it was read, that failed."""
    found = db.connection.execute("SELECT error FROM source WHERE id=?", (row.id,)).fetchone()
    return found is not None and MOSTLY_DAMAGED in found[0]


def fail(db: Database, row: Row | None, source: Source, reading: Reading) -> None:
    """Keep what is known of a source, and leave it alone until it changes or can be opened."""
    if row is not None and row.state == "gone":
        _present(db, row.session)
    columns = {**source._asdict(), "state": "failed", "error": safe(reading.error)}
    _put(db, row, columns | {"mtime_ns": NOT_OPENED} if reading.passing else columns)


def leave_out(db: Database, row: Row | None, source: Source) -> None:
    """Note a source that is not wanted for what it holds, and remove its session.

    It is read no further until what is wanted changes, or it does.
    """
    if row is not None and row.session is not None:
        db.remove_session(row.session)
    number = _put(db, row, {**source._asdict(), "session": None, "state": "excluded"})
    db.connection.execute("DELETE FROM proof WHERE id=?", (number,))


def _put(db: Database, row: Row | None, columns: dict[str, object]) -> int:
    """Write a source and return its row id."""
    if row is None:
        return db.insert("source", columns)
    db.update("source", row.id, columns)
    return row.id


def move(db: Database, row: Row, source: Source) -> None:
    """Point a known source and its session at another path."""
    place = {"path": source.path, "part": source.part, "root": source.root}
    db.update("source", row.id, place)
    if row.session is not None:
        db.update("session", row.session, place)
        _present(db, row.session)


def mark_gone(db: Database, rows: Iterable[Row]) -> None:
    """Note that sources are no longer there; their text stays."""
    now = clock.now_ms()
    for row in rows:
        db.update("source", row.id, {"state": "gone", "gone_ms": now})
        if row.session is not None:
            db.update("session", row.session, {"presence": "gone", "gone_ms": now})
            db.touch(row.session)


def mark_returned(db: Database, rows: Iterable[Row]) -> None:
    """Note that vanished sources are there again as they were: read, or unreadable."""
    for row in rows:
        db.connection.execute(
            """UPDATE source SET gone_ms=0, state=CASE error WHEN '' THEN 'ok' ELSE 'failed' END
            WHERE id=?""",
            (row.id,),
        )
        _present(db, row.session)


def _present(db: Database, session: int | None) -> None:
    if session is not None:
        db.update("session", session, {"presence": "present", "gone_ms": 0})
        db.touch(session)


def reroot(db: Database, rows: Iterable[tuple[Row, Source]]) -> None:
    """Note that sources are found under another root, or with another parent or id, now."""
    for row, source in rows:
        names = {"root": source.root, "parent": source.parent, "native_id": source.native_id}
        db.update("source", row.id, names)
        if row.session is not None:
            db.update("session", row.session, {"root": source.root})
            _name(db, row.session, row.native_id, source.native_id)
            db.touch(row.session)


def _name(db: Database, session: int, old: str, new: str) -> None:
    """Let a session follow the id of its source, unless its content told another."""
    if old != new:
        db.connection.execute(
            "UPDATE session SET native_id=? WHERE id=? AND native_id=?",
            (session_name(new), session, session_name(old)),
        )


def remove(db: Database, row: Row) -> None:
    """Remove a source and its session."""
    if row.session is not None:
        db.remove_session(row.session)
    db.delete_source(row.id)


def put_gaps(db: Database, found: dict[tuple[str, str], list[Gap]]) -> None:
    """Replace what the last look at each of these (harness, root) could not see."""
    for (harness, root), noted in found.items():
        db.connection.execute("DELETE FROM gap WHERE harness=? AND root=?", (harness, root))
        db.connection.executemany(
            "INSERT INTO gap VALUES (?,?,?,?,?,?,?)",
            [
                (harness, root, str(gap.kind), gap.count, gap.detail, gap.action, gap.where)
                for gap in noted
            ],
        )
