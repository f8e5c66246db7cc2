"""The index: whether its file is whole, what it holds, who writes it, whether it has room."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from recall_tui import clock
from recall_tui.doctor.checks import Check, Level
from recall_tui.text import notation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recall_tui.history import History
    from recall_tui.paths import Paths

DEEP_LIMIT: Final = 64 << 20
"""Bytes of an index whose every page is checked without being asked: about half a second."""

ROOM: Final = 1 << 30
"""Bytes that should be free even for a small index."""

LOW_ROOM: Final = 20 << 30
"""Bytes below which sessions and index may soon have filled the disk (S3-75)."""


def index_checks(paths: Paths, history: History | None, *, deep: bool = False) -> Iterator[Check]:
    """Yield checks of the index: file, version, integrity, coverage, writer, room on disk."""
    path = paths.index_file
    if not os.path.exists(path):
        yield Check(
            "index", Level.NOTE, "file", f"{path}: not there yet", "recall index",
            {"path": path, "exists": False},
        )  # fmt: skip
    else:
        yield _integrity(path, deep=deep)
        if history is not None:
            yield _coverage(history)
    yield from _writer(path)
    yield _room(paths.data, path)


def _integrity(path: str, *, deep: bool) -> Check:
    """Open the index read-only and check that it is whole."""
    import sqlite3

    from recall_tui.store import schema
    from recall_tui.store.connect import open_reader

    size = sum(os.path.getsize(path + end) for end in ("", "-wal") if os.path.exists(path + end))
    facts: dict[str, object] = {"path": path, "exists": True, "bytes": size}
    try:
        connection = open_reader(path)
        try:
            version = schema.version(connection)
            mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
            whole = deep or size <= DEEP_LIMIT
            checked = "every page checked" if whole else "not every page checked (--deep)"
            verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0] if whole else "ok"
            connection.execute("SELECT count(*) FROM session").fetchone()
        finally:
            connection.close()
    except sqlite3.Error as error:
        verdict, version, mode, checked = str(error), 0, "", ""
    facts |= {"version": version, "journal_mode": mode, "integrity": verdict}
    if verdict != "ok":
        return Check(
            "index", Level.FAIL, "file", f"{path} is damaged: {verdict}",
            "recall index --rebuild makes it anew from the sources", facts,
        )  # fmt: skip
    if version > schema.VERSION:
        return Check(
            "index", Level.FAIL, "file", f"{path} was made by a newer Recall (version {version})",
            "update recall-tui", facts,
        )  # fmt: skip
    detail = f"{path}: {notation.size(size)}, version {version}, {mode}, {checked}"
    return Check("index", Level.OK, "file", detail, "", facts)


def _coverage(history: History) -> Check:
    """Say what the index holds, how old it is, and what it lacks."""
    reach = history.reach()
    age = reach.index_age_ms
    words = [notation.counted(reach.sessions_total, "session")]
    days = [notation.day(ms, clock.local_zone()) for ms in (reach.oldest_ms, reach.newest_ms) if ms]
    if days:
        words.append(" to ".join(dict.fromkeys(days)))
    words.append(f"compared with the sources {notation.duration(age) or '0s'} ago"
                 if age is not None else "never compared with the sources")  # fmt: skip
    partial = [gap for gap in reach.gaps if gap.partial]
    if partial:
        words.append(f"{notation.counted(len(partial), 'gap')}: {partial[0].detail}")
    return Check(
        "index",
        Level.WARN if partial else Level.OK,
        "coverage",
        " · ".join(words),
        partial[0].action if partial else "",
        {
            "sessions": reach.sessions_total,
            "oldest": clock.to_iso(reach.oldest_ms),
            "newest": clock.to_iso(reach.newest_ms),
            "age_ms": age,
            "complete": reach.complete,
        },
    )


def _writer(path: str) -> Iterator[Check]:
    """Yield who is writing the index just now, if anybody."""
    import fcntl

    from recall_tui.store.lock import TAKEN, owner

    lock = path + ".lock"
    try:
        file = os.open(lock, os.O_RDONLY)
    except OSError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in TAKEN:
            words = f"{lock} cannot be locked: {error.strerror or error}"
            hint = "set RECALL_HOME to a folder on a local disk"
            yield Check("index", Level.WARN, "writer", words, hint, {"owner": None})
            return
        who = owner(lock)
        yield Check("index", Level.NOTE, "writer", f"being written by {who}", "", {"owner": who})
    else:
        yield Check("index", Level.OK, "writer", "nobody is writing it", "", {"owner": None})
    finally:
        os.close(file)


def _room(folder: str, index: str) -> Check:
    """Compare the free space with what a rebuild beside the old index would need."""
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    disk = os.statvfs(folder)
    free = disk.f_bavail * disk.f_frsize
    needed = max(ROOM, os.path.getsize(index) if os.path.exists(index) else 0)
    facts: dict[str, object] = {"folder": folder, "free_bytes": free, "needed_bytes": needed}
    if not os.access(folder, os.W_OK | os.X_OK):
        return Check(
            "index", Level.WARN, "disk", f"{folder} cannot be written",
            "set RECALL_HOME to a folder that can be", facts,
        )  # fmt: skip
    if free < needed:
        return Check(
            "index", Level.WARN, "disk",
            f"{notation.size(free)} free; a rebuild may need {notation.size(needed)}",
            f"make room in {folder}, or set RECALL_HOME to another disk", facts,
        )  # fmt: skip
    low = free < LOW_ROOM
    return Check(
        "index", Level.WARN if low else Level.OK, "disk", f"{notation.size(free)} free",
        f"less than {notation.size(LOW_ROOM)}: sessions and index grow" if low else "", facts,
    )  # fmt: skip
