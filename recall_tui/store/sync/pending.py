"""What a sync would have to read now, without writing anything."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from recall_tui.store import reach
from recall_tui.store.connect import open_reader
from recall_tui.store.sync import plan as planning
from recall_tui.store.sync.discover import discover

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recall_tui.harnesses.base import Source
    from recall_tui.model import Gap
    from recall_tui.store.kept import Kept
    from recall_tui.store.sync.discover import Place


@dataclass(slots=True, eq=False, repr=False)
class Pending:
    """The difference between the sources and the index."""

    sources: list[Source] = field(default_factory=list)
    """New or changed, newest first."""
    stale: set[int] = field(default_factory=set)
    """Row ids of sessions the index holds in an older state than `sources` have, or should not
    hold any more."""
    bytes: int = 0
    """What a sync would read: whole files, and the tails of grown ones."""
    marks: int = 0
    """Sources that only vanished, returned or moved, and places whose gaps did: nothing to read."""
    gaps: list[Gap] = field(default_factory=list)
    """What could not be looked at, and the index does not note yet."""


def pending(index: str, places: Sequence[Place], kept: Kept) -> Pending:
    """Compare the sources of some places with the index, reading no source.

    Args:
        index: The index file.
        places: Where to look.
        kept: What is kept.
    """
    found = Pending()
    discovery = discover(places)
    if not os.path.exists(index):
        found.sources = sorted(
            (s for s in discovery.sources.values() if not kept.refuses(s)),
            key=lambda s: -s.mtime_ns,
        )
        found.bytes = sum(source.size for source in found.sources)
        found.gaps = [gap for gaps in discovery.gaps_that_matter(()).values() for gap in gaps]
        return found
    with closing(open_reader(index)) as connection:
        wishes = planning.wishes(connection, kept)
        noted = reach.noted(connection, discovery.gaps)
        rows = planning.known_sources(connection)
        plan = planning.against(connection, discovery, rows, kept, wishes)
    for job in plan.jobs:
        found.sources.append(job.source)
        grown = job.row.size if job.row is not None and job.row.size <= job.source.size else 0
        found.bytes += job.source.size - grown
        if job.row is not None and job.row.session is not None:
            found.stale.add(job.row.session)
    unwanted = [*plan.excluded, *(row for row, _ in plan.left_out)]
    found.stale.update(row.session for row in unwanted if row.session is not None)
    found.marks = len(plan.gone) + len(plan.returned) + len(plan.rerooted) + len(unwanted)
    found.marks += wishes.changed
    known = discovery.gaps_that_matter(plan.known_paths)
    found.marks += sum(noted[place] != gaps for place, gaps in known.items())
    found.gaps = [gap for place, gaps in known.items() for gap in gaps if gap not in noted[place]]
    return found
