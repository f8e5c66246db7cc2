"""Whether anything changed at all: the question before every search and every sync.

Nearly always the answer is no. It is found by one look at each file, without a row or a source
made for any; on the least doubt everything is compared in full (`plan`).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, cast

from recall_tui.harnesses.base import Known
from recall_tui.store.user import nothing_forgotten

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence

    from recall_tui.harnesses.base import Quick, Source
    from recall_tui.model import Gap
    from recall_tui.store.sync.discover import Place

_BELOW = "(path=? OR (path>=? AND path<?))"
_AMONG_ALL = "(+path=? OR (+path>=? AND +path<?))"
"""The plus: most lie below, and going through all takes half as long as going by the index."""
_STAMPS = f"""SELECT path, size, mtime_ns, CASE WHEN root=? AND part='' THEN ctime_ns ELSE -1 END
FROM source WHERE harness=? AND state<>'gone' AND {_AMONG_ALL}"""
_AS_FOUND = f"""SELECT harness, path, part, native_id, size, mtime_ns, ctime_ns, root, parent
FROM source WHERE harness=? AND state<>'gone' AND {_AMONG_ALL}"""
_MISSING = f"SELECT 1 FROM source WHERE {_BELOW} LIMIT 1"


LEFT_OUT: Final = "left_out"
"""`meta` key: the patterns of projects, one a line, that the index was last made without."""


def same_projects(connection: sqlite3.Connection, left_out: Sequence[str]) -> bool:
    """Say whether the patterns of projects that are left out are those of the last sync."""
    found = connection.execute("SELECT value FROM meta WHERE key=?", (LEFT_OUT,)).fetchone()
    return bool((found[0] if found else "") == "\n".join(left_out))


def in_step(
    connection: sqlite3.Connection,
    places: Sequence[Place],
    excluded: Callable[[Source], bool],
    left_out: Sequence[str] = (),
) -> int | None:
    """Return how many sources there are, if they are the known ones, all as they were.

    Args:
        connection: A reader's or the writer's, of an index of this version.
        places: Where to look.
        excluded: As of `sync`. Who had something forgotten is answered None.
        left_out: As of `sync`. Other patterns than those of the last sync are answered None.

    Returns:
        The number, or None when something is new, changed, gone, moved or hidden, or might be.
    """
    if excluded is not nothing_forgotten or not same_projects(connection, left_out):
        return None
    seen = 0
    for place in places:
        found = _same(connection, place)
        if found is None:
            return None
        seen += found
    return seen


def _same(connection: sqlite3.Connection, place: Place) -> int | None:
    """Return how many sources lie in a place that is in step, None for one that is not."""
    harness, root = place
    folder = root.rstrip(os.sep) + os.sep
    below = (root, folder, folder[:-1] + chr(ord(os.sep) + 1))
    if not os.path.lexists(root):
        return None if connection.execute(_MISSING, below).fetchone() else 0
    gaps: list[Gap] = []
    try:
        if hasattr(harness, "discover_changed"):
            known = Known(connection.execute(_STAMPS, (root, harness.id, *below)))
            count = len(known.unseen)
            if not known.still_so():
                return None
            quick = cast("Quick", harness)
            changed = next(iter(quick.discover_changed(root, gaps, known)), None)
            same = changed is None and not known.unseen
        else:
            rows = connection.execute(_AS_FOUND, (harness.id, *below)).fetchall()
            count = len(rows)
            same = set(rows) == set(harness.discover(root, gaps))
    except Exception:  # a harness's fault: the look at everything says so
        return None
    return count if same and not gaps else None
