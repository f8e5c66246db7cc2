"""Whether anything changed at all: the question before every search and every sync.

Nearly always the answer is no. It is found by one look at each file, without a row or a source
made for any; on the least doubt everything is compared in full (`plan`).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, cast

from recall_tui.harnesses.files import Known
from recall_tui.store import stamps

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from recall_tui.harnesses.base import Quick
    from recall_tui.model import Gap
    from recall_tui.store.kept import Kept
    from recall_tui.store.sync.discover import Place

_BELOW = "(path=? OR (path>=? AND path<?))"
_AMONG_ALL = "(+path=? OR (+path>=? AND +path<?))"
"""The plus: most lie below, and going through all takes half as long as going by the index."""
_AS_FOUND = f"""SELECT harness, path, part, native_id, size, mtime_ns, ctime_ns, root, parent
FROM source WHERE harness=? AND state<>'gone' AND {_AMONG_ALL}"""
_LEFT_OUT = f"""SELECT count(*) FROM source
WHERE harness=? AND state='excluded' AND {_AMONG_ALL}"""
_GAPS = "SELECT 1 FROM gap WHERE harness=? AND root=? LIMIT 1"
_MISSING = f"SELECT 1 FROM source WHERE {_BELOW} LIMIT 1"


def in_step(connection: sqlite3.Connection, places: Sequence[Place], kept: Kept) -> int | None:
    """Return how many sources there are, if they are the known ones, all as they were.

    Args:
        connection: A reader's or the writer's, of an index of this version.
        places: Where to look.
        kept: What is kept. Another wish than at the last sync is answered None; since then no
            known source is refused, so only what is not known is asked about.

    Returns:
        The number, or None when something is new, changed, gone, moved or hidden, or might be.
    """
    if not kept.is_noted(connection):
        return None
    seen = 0
    for place in places:
        found = _same(connection, place, kept)
        if found is None:
            return None
        seen += found
    return seen


def _same(connection: sqlite3.Connection, place: Place, kept: Kept) -> int | None:
    """Return how many sources lie in a place that is in step, None for one that is not."""
    harness, root = place
    if connection.execute(_GAPS, (harness.id, root)).fetchone():
        return None  # what could not be looked at then may be there to be seen now
    folder = root.rstrip(os.sep) + os.sep
    below = (root, folder, folder[:-1] + chr(ord(os.sep) + 1))
    if not os.path.lexists(root):
        return None if connection.execute(_MISSING, below).fetchone() else 0
    gaps: list[Gap] = []
    try:
        if hasattr(harness, "discover_changed"):
            files = stamps.known(connection, harness.id, root)
            if files is None:
                return None
            count = len(files)
            known = Known(files)
            if not known.still_so():
                return None
            quick = cast("Quick", harness)
            changed = quick.discover_changed(root, gaps, known)
            same = all(map(kept.refuses, changed)) and not known.unseen
        else:
            rows = connection.execute(_AS_FOUND, (harness.id, *below)).fetchall()
            count = len(rows)
            found = (s for s in harness.discover(root, gaps) if not kept.refuses(s))
            same = set(rows) == set(found)
    except Exception:  # a harness's fault: the look at everything says so
        return None
    if not same or gaps:
        return None
    if any(kept.unwanted):  # what was left out for what it holds is there, and counts for nothing
        count -= connection.execute(_LEFT_OUT, (harness.id, *below)).fetchone()[0]
    return count
