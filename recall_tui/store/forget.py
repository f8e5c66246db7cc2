"""Forgetting: everything derived from a session is removed at once and does not come back (Q3)."""

from __future__ import annotations

import os
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from recall_tui.harnesses.base import Source
from recall_tui.model import SessionKind
from recall_tui.named import NamedTuple
from recall_tui.store import families
from recall_tui.store.database import BUILDING
from recall_tui.store.lock import WriterLock
from recall_tui.store.user import mark_beginning, mark_of, place_of
from recall_tui.store.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from recall_tui.store.user import UserStore

_SHARING = """SELECT key FROM session
WHERE original=? OR id=(SELECT original FROM session WHERE id=?)"""
_SOURCE = f"SELECT {', '.join(Source._fields)} FROM source WHERE session=?"


@dataclass(slots=True)
class Forgotten:
    """What was removed, and what could not be."""

    keys: list[str] = field(default_factory=list)
    """Sessions whose text, attributes and notes are gone."""
    left: list[str] = field(default_factory=list)
    """The agents' own files, which are never touched: paths that still hold the text."""
    copies: list[str] = field(default_factory=list)
    """Keys of other sessions that share a part of a forgotten one: its copies, its original."""
    clean: bool = True
    """No byte of the text is in our files; False while a reader elsewhere holds an old state,
    then the next sync finishes it."""


class _Known(NamedTuple):
    """A session of the index, as far as it tells which others it could be taken for."""

    id: int
    key: str
    harness: str
    native_id: str
    stated: bytes
    kind: str
    first_record: int

    @property
    def marks(self) -> set[bytes]:
        """Marks of the ids that mean it; what a subagent states is the id of its main session."""
        own = mark_of(self.harness, self.native_id)
        return {own} if self.kind == SessionKind.SUBAGENT or not self.stated else {own, self.stated}


_KNOWN = f"SELECT {', '.join(_Known._fields)} FROM session"


def _tombstones(
    one: _Known, sources: Sequence[Source], staying: Mapping[bytes, Collection[int]]
) -> Iterator[tuple[bytes, bytes]]:
    """Yield the (mark, place) by which a session is known again, whatever its file is called.

    Where another of that id stays, only the place and the beginning tell which one is meant.

    Args:
        one: The session.
        sources: Its sources.
        staying: Mark -> first records of those of that id that are not forgotten.
    """
    of_main = {one.stated} - one.marks - {b""}
    for mark in one.marks | of_main | {mark_of(s.harness, s.native_id) for s in sources}:
        others = staying.get(mark, ())
        if mark not in of_main and not others:
            yield mark, b""
            continue
        if one.first_record and one.first_record not in others:
            yield mark_beginning(mark, one.first_record), b""
        yield from ((mark, place_of(source)) for source in sources)


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
        known = {row[1]: _Known._make(row) for row in connection.execute(_KNOWN)}
        result.keys = [key for key in dict.fromkeys(keys) if key in known]
        going = [known.pop(key) for key in result.keys]
        staying: dict[bytes, set[int]] = {}
        for one in known.values():
            for mark in one.marks:
                staying.setdefault(mark, set()).add(one.first_record)
        for one in going:
            sources = [Source._make(r) for r in connection.execute(_SOURCE, (one.id,))]
            user.bury(_tombstones(one, sources, staying))
            result.left += [s.path for s in sources if os.path.exists(s.path)]
            sharing = connection.execute(_SHARING, (one.id, one.id))
            result.copies += [key for (key,) in sharing if key not in result.keys]
        for key in result.keys:
            user.drop_session(key)
        with writer.transaction():
            for one in going:
                writer.forget_session(one.id)
            families.update(connection, writer.touched)
            writer.touched.clear()
        result.clean = writer.clean_journal() and user.fold_journal()
        for suffix in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.unlink(index + BUILDING + suffix)
    return result
