"""Forgetting: everything derived from a session is removed at once and does not come back (Q3)."""

from __future__ import annotations

import os
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from recall_tui.harnesses.base import Source
from recall_tui.store import families
from recall_tui.store.database import BUILDING
from recall_tui.store.lock import WriterLock
from recall_tui.store.user import mark_of, place_of
from recall_tui.store.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recall_tui.store.user import UserStore

_NAMESAKES = "SELECT id FROM session WHERE native_id=? AND harness=?"
_SOURCE = f"SELECT {', '.join(Source._fields)} FROM source WHERE session=?"


@dataclass(slots=True)
class Forgotten:
    """What was removed, and what could not be."""

    keys: list[str] = field(default_factory=list)
    """Sessions whose text, attributes and notes are gone."""
    left: list[str] = field(default_factory=list)
    """The agents' own files, which are never touched: paths that still hold the text."""
    copies: list[str] = field(default_factory=list)
    """Keys of other sessions that repeat a part of a forgotten one."""
    clean: bool = True
    """No byte of the text is in our files; False while a reader elsewhere holds an old state,
    then the next sync finishes it."""


def forget(index: str, user: UserStore, keys: Sequence[str], *, wait_s: float = 2.0) -> Forgotten:
    """Remove sessions from everything derived from them, and never read them again.

    The tombstone comes first: whatever happens afterwards, the next sync removes the rest.

    Args:
        index: The index file.
        user: Where tombstones and notes are.
        keys: Session keys; unknown ones are passed over.
        wait_s: How long to wait for another writer.

    Raises:
        StoreBusyError: Another process is writing; the message names it.
    """
    result = Forgotten()
    with WriterLock(index + ".lock", wait_s=wait_s), closing(Writer(index)) as writer:
        connection = writer.connection
        rows = []
        for key in keys:
            row = connection.execute(
                "SELECT id, harness, native_id FROM session WHERE key=?", (key,)
            ).fetchone()
            if row is not None:
                rows.append(row)
                result.keys.append(key)
        sessions = [row[0] for row in rows]
        for session, harness, native_id in rows:
            sources = [Source._make(r) for r in connection.execute(_SOURCE, (session,))]
            namesakes = connection.execute(_NAMESAKES, (native_id, harness))
            alone = {row[0] for row in namesakes} <= set(sessions)
            user.bury(
                # Only where another of that name stays does the place tell which one is meant.
                (mark_of(harness, name), b"" if alone else place_of(source))
                for source in sources
                for name in {source.native_id, native_id}
            )
            result.left += [s.path for s in sources if os.path.exists(s.path)]
            result.copies += [
                key
                for (key,) in connection.execute(
                    "SELECT key FROM session WHERE original=? AND original <> 0", (session,)
                )
                if key not in result.keys
            ]
        for key in result.keys:
            user.drop_session(key)
        with writer.transaction():
            for session in sessions:
                writer.forget_session(session)
            families.update(connection, writer.touched)
            writer.touched.clear()
        result.clean = writer.clean_journal() and user.fold_journal()
        for suffix in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.unlink(index + BUILDING + suffix)
    return result
