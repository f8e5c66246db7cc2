"""How the files of the index looked when they were read, packed: 64 sources a row.

Before each search every file is compared with it, and rows for single files were what that cost
most. Triggers take a batch out as soon as one of its sources changes, whoever changes it, so what
is packed is always true; the end of a sync packs what is not.
"""

from __future__ import annotations

import os
from array import array
from itertools import groupby
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import sqlite3

    from recall_tui.harnesses.files import Stamp

_OF = "state<>'gone' AND part=''"
_BATCH: Final = f"""SELECT harness, root, path, size, mtime_ns, ctime_ns FROM source
WHERE id BETWEEN ?1 << 6 AND (?1 << 6) + 63 AND {_OF} ORDER BY harness, root, id"""
_PACKED: Final = """SELECT root, paths, looks FROM stamps
WHERE harness=?1 AND (root=?2 OR (last>=?3 AND first<?4) OR ?2 BETWEEN first AND last)
ORDER BY batch"""
_UNPACKED: Final = f"""SELECT root, path, size, mtime_ns, ctime_ns
FROM unpacked CROSS JOIN source ON id BETWEEN batch << 6 AND (batch << 6) + 63
WHERE harness=?1 AND {_OF} AND (root=?2 OR path=?2 OR (path>=?3 AND path<?4)) ORDER BY id"""


def pack(connection: sqlite3.Connection) -> None:
    """Pack every batch in which something changed, in the transaction that is open."""
    for (batch,) in connection.execute("SELECT batch FROM unpacked").fetchall():
        rows = connection.execute(_BATCH, (batch,)).fetchall()
        for (harness, root), held in groupby(rows, key=lambda row: row[:2]):
            paths, *looks = zip(*(row[2:] for row in held), strict=True)
            packed = b"".join(array("q", column).tobytes() for column in looks)
            connection.execute(
                "INSERT INTO stamps VALUES (?,?,?,?,?,?,?)",
                (batch, harness, root, min(paths), max(paths), "\0".join(paths).encode(), packed),
            )
    connection.execute("DELETE FROM unpacked")


def known(connection: sqlite3.Connection, harness: str, root: str) -> dict[str, Stamp] | None:
    """Return how every file of a harness below a root looked, in the order they were first read.

    Sources that are parts of a file are not among them.

    Returns:
        Path -> size, mtime_ns, ctime_ns; None where one may be known by another root than this.
    """
    folder = root.rstrip(os.sep) + os.sep
    place = (harness, root, folder, folder[:-1] + chr(ord(os.sep) + 1))
    found: dict[str, Stamp] = {}
    for held_by, paths, looks in connection.execute(_PACKED, place):
        if held_by != root:
            return None
        columns = array("q", looks)
        count = len(columns) // 3
        stamps = zip(columns[:count], columns[count : 2 * count], columns[2 * count :], strict=True)
        found.update(zip(paths.decode().split("\0"), stamps, strict=True))
    for held_by, path, *look in connection.execute(_UNPACKED, place):
        if held_by != root:
            return None
        found[path] = (look[0], look[1], look[2])
    return found
