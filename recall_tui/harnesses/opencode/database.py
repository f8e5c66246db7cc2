"""OpenCode's SQLite store, read in place and never written.

Only `session`, `message`, `part` and `session_message` are read: `account`, `credential` and their
like hold tokens, `event` repeats every update.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from recall_tui.errors import SourceError
from recall_tui.harnesses import sqlite
from recall_tui.named import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_NEEDED: Final = {
    "session": {"id", "directory", "title", "time_created", "time_updated"},
    "message": {"id", "session_id", "time_created", "time_updated", "data"},
    "part": {"id", "message_id", "session_id", "time_updated", "data"},
}
"""What a store must have to be read."""

_GO_EDITION: Final = {"id", "parent_session_id", "message_count"}
"""What `sessions` has where OpenCode was still written in Go: another program, of the same name."""

_EXACT_BYTES: Final = 64 << 20
"""Stores up to this size have their rows' bytes added up; in a larger one that reads every page
(1.2 s at 900 MB), so a part counts as `_PART_BYTES`."""

_PART_BYTES: Final = 4096
"""Mean bytes of a part, counted over real sessions."""

_RECENT: Final = 1000
"""Rows, newest first, that are asked for their time of update: older ones are final."""

_COUNTS: Final = f"SELECT session_id, count(*) * {_PART_BYTES} FROM part GROUP BY session_id"  # noqa: S608 - a number of ours
_SUMS: Final = """
SELECT session_id, sum(bytes) FROM (
  SELECT session_id, length(CAST(data AS BLOB)) AS bytes FROM part
  UNION ALL SELECT session_id, length(CAST(data AS BLOB)) FROM message
) GROUP BY session_id"""
_LATEST: Final = """
SELECT session_id, max(time_updated) FROM (
  SELECT * FROM (SELECT session_id, time_updated FROM part ORDER BY rowid DESC LIMIT :rows)
  UNION ALL
  SELECT * FROM (SELECT session_id, time_updated FROM message ORDER BY rowid DESC LIMIT :rows)
) GROUP BY session_id"""

_MESSAGES: Final = """
SELECT id, time_created, CAST(data AS BLOB) FROM message WHERE session_id = ?
ORDER BY time_created, id"""
_PROJECTED: Final = """
SELECT id, type, CAST(data AS BLOB) FROM session_message WHERE session_id = ? ORDER BY seq"""
_PARTS: Final = "SELECT id, CAST(data AS BLOB) FROM part WHERE message_id = ? ORDER BY id"
_PART: Final = "SELECT CAST(data AS BLOB) FROM part WHERE id = ? AND session_id = ?"
_PART_IDS: Final = "SELECT id FROM part WHERE message_id = ? ORDER BY id"
_MESSAGE_IDS: Final = """
SELECT time_created, id FROM message WHERE session_id = ? ORDER BY time_created, id"""
_NAMED: Final = """
SELECT id FROM session WHERE title = ? AND directory = ? AND time_created < ? AND id <> ?"""

FORK: Final = re.compile(r"(.*) \(fork #(\d+)\)\Z", re.S)
"""How OpenCode titles a fork; nothing else says that it is one."""


class Row(NamedTuple):
    """A session as listed."""

    id: str
    parent: str
    size: int
    """Bytes of its rows; see `_EXACT_BYTES`."""
    updated_ms: int
    """The latest update of the session, its newest messages and parts."""


def is_store(path: str) -> bool:
    """Say whether a database has the tables of OpenCode's store."""
    try:
        connection = sqlite.connect(path)
    except SourceError:
        return False
    try:
        return all(needed <= sqlite.columns(connection, name) for name, needed in _NEEDED.items())
    except sqlite.FAULTS:
        return False
    finally:
        connection.close()


def sessions(path: str) -> list[Row]:
    """Return every session of a store.

    One pass over the index of parts by session and the newest rows: 45 ms at 2,000 sessions and
    200,000 parts.

    Raises:
        SourceError: The store cannot be read or has other tables.
    """
    connection = sqlite.connect(path)
    try:
        has = sqlite.columns(connection, "session")
        if not _NEEDED["session"] <= has:
            if sqlite.columns(connection, "sessions") >= _GO_EDITION:
                raise SourceError(
                    f"{path}: written by OpenCode's Go edition, whose sessions are not read",
                    "nothing to repair: the OpenCode of today keeps its own elsewhere",
                )
            raise SourceError(f"{path}: the session table has another form than OpenCode's")
        exact = sqlite.file_size(path) + sqlite.file_size(f"{path}-wal") <= _EXACT_BYTES
        sizes = dict(connection.execute(_SUMS if exact else _COUNTS))
        latest = dict(connection.execute(_LATEST, {"rows": _RECENT}))
        parent = "parent_id" if "parent_id" in has else "''"
        rows = connection.execute(f"SELECT id, {parent}, time_updated FROM session")  # noqa: S608 - one of two names
        return [
            Row(
                name,
                origin if isinstance(origin, str) else "",
                _number(sizes.get(name)),
                max(_number(updated), _number(latest.get(name))),
            )
            for name, origin, updated in rows
            if name and isinstance(name, str)
        ]
    except sqlite.FAULTS as error:
        raise SourceError(f"{path}: {sqlite.words_of(error)}") from error
    finally:
        connection.close()


def forked(path: str) -> dict[str, str]:
    """Return the id of each fork, and of each session that one may be of -> the title they share.

    Raises:
        SourceError: The store cannot be opened.
    """
    connection = sqlite.connect(path)
    try:
        rows = connection.execute("SELECT id, title FROM session").fetchall()
    finally:
        connection.close()
    named = {name: title for name, title in rows if name and isinstance(title, str)}
    shared = {match[1] for title in named.values() if (match := FORK.match(title))}
    origins = {name: match[1] if (match := FORK.match(t)) else t for name, t in named.items()}
    return {name: title for name, title in origins.items() if title in shared}


def _number(value: object) -> int:
    """Return an integer column's value, 0 for anything else: SQLite's columns take any type."""
    return value if isinstance(value, int) else 0


class Store:
    """One session of an open store: the rows, still undecoded."""

    def __init__(self, path: str, session_id: str) -> None:
        self._connection = sqlite.connect(path)
        self._session = session_id
        self._connection.execute("BEGIN")  # one moment for all rows of the session

    def close(self) -> None:
        """Let the store go."""
        self._connection.close()

    def session(self) -> dict[str, Any]:
        """Return the session's row by column name, empty when it is gone."""
        wanted = sqlite.columns(self._connection, "session") & {
            "id", "parent_id", "directory", "title", "version", "time_created", "time_updated",
            "revert",
        }  # fmt: skip
        names = sorted(wanted)
        row = self._connection.execute(
            f"SELECT {', '.join(names)} FROM session WHERE id = ?",  # noqa: S608 - names above
            (self._session,),
        ).fetchone()
        return dict(zip(names, row, strict=True)) if row else {}

    def messages(self) -> Iterator[tuple[str, int, bytes]]:
        """Yield (id, time in ms, JSON) of each message in the order of the conversation."""
        yield from self._connection.execute(_MESSAGES, (self._session,))

    def projected(self) -> Iterator[tuple[str, str, bytes]]:
        """Yield (id, type, JSON) of each message of a session the new server leads."""
        if sqlite.columns(self._connection, "session_message") >= {"id", "type", "seq", "data"}:
            yield from self._connection.execute(_PROJECTED, (self._session,))

    def parts(self, message_id: str) -> list[tuple[str, bytes]]:
        """Return (id, JSON) of each part of a message, in order."""
        return self._connection.execute(_PARTS, (message_id,)).fetchall()

    def part(self, part_id: str) -> bytes:
        """Return the JSON of one part of this session, empty when there is none of that id."""
        row = self._connection.execute(_PART, (part_id, self._session)).fetchone()
        return row[0] if row else b""

    def origin(self, title: str, directory: str, created_ms: int) -> tuple[str, dict[str, str]]:
        """Find what a fork was copied from.

        A fork holds new ids, an old session's title with a number, and the times of the messages
        it copied. Of the sessions with the right title the one that shares the longest run of
        times is the origin.

        Returns:
            Its id and, for each copied message and part, the id of the original; ("", {}) when the
            session is no fork or its origin is gone.
        """
        match = FORK.match(title)
        if match is None:
            return "", {}
        base, number = match.group(1), int(match.group(2))
        titles = [base] if number == 1 else [f"{base} (fork #{number - 1})", base]
        own = self._connection.execute(_MESSAGE_IDS, (self._session,)).fetchall()
        best: tuple[str, list[tuple[str, str]]] = ("", [])
        for name in titles:
            key = (name, directory, created_ms, self._session)
            for (candidate,) in self._connection.execute(_NAMED, key).fetchall():
                theirs = self._connection.execute(_MESSAGE_IDS, (candidate,)).fetchall()
                pairs = _shared(own, theirs)
                if len(pairs) > len(best[1]):
                    best = (candidate, pairs)
        return best[0], self._originals(best[1])

    def _originals(self, pairs: list[tuple[str, str]]) -> dict[str, str]:
        """Return copied id -> original id for pairs of messages and for their parts."""
        originals = dict(pairs)
        for copy, original in pairs:
            ours = self._connection.execute(_PART_IDS, (copy,)).fetchall()
            theirs = self._connection.execute(_PART_IDS, (original,)).fetchall()
            if len(ours) == len(theirs):
                originals |= {a: b for (a,), (b,) in zip(ours, theirs, strict=True)}
        return originals


def _shared(own: list[tuple[int, str]], theirs: list[tuple[int, str]]) -> list[tuple[str, str]]:
    """Return the ids of the leading messages that two sessions have at the same times."""
    pairs: list[tuple[str, str]] = []
    for (time, name), (their_time, their_name) in zip(own, theirs, strict=False):
        if time != their_time:
            break
        pairs.append((name, their_name))
    return pairs
