"""One sync from beginning to end.

Most syncs find nothing to do, and a search may wait for one. So only what compares names, sizes and
times is imported here; what reads and writes comes with `work`.
"""

from __future__ import annotations

import os
import time
from contextlib import closing
from typing import TYPE_CHECKING, Final, TypeAlias

from recall_tui import __version__, clock
from recall_tui.store import edition, reach, schema
from recall_tui.store.connect import open_writer, store_errors
from recall_tui.store.kept import Kept
from recall_tui.store.lock import WriterLock
from recall_tui.store.migrations import RebuildNeeded
from recall_tui.store.sync.discover import discover, look_at
from recall_tui.store.sync.progress import SyncProgress
from recall_tui.store.sync.step import in_step

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Sequence

    from recall_tui.model import Gap
    from recall_tui.store.sync.discover import Place
    from recall_tui.store.sync.plan import Plan

    Gaps: TypeAlias = dict[tuple[str, str], list[Gap]]
    """What could not be looked at, by (harness, root)."""

EVERYTHING: Final = Kept()


def sync(
    index: str,
    places: Sequence[Place],
    kept: Kept = EVERYTHING,
    *,
    on_progress: Callable[[SyncProgress], None] = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
    rebuild: bool = False,
    verify: bool = False,
    wait_s: float = 0.0,
) -> SyncProgress:
    """Compare the sources of some places with the index, and read what is new.

    An index that cannot be brought to this version is built anew beside the old one, as with
    `rebuild`; until both are exchanged the old one answers.

    Args:
        index: The index file; created when it is not there.
        places: Where to look. Sources of other places are left alone.
        kept: What is kept; what is indexed of the rest is removed.
        on_progress: Called from this thread at most ten times a second, and at the end.
        stop: Asked often; True ends the sync with what is finished so far committed.
        rebuild: Read everything again into a new index; if stopped, the old one stays.
        verify: Compare the content of every source, also where size and times are the same.
        wait_s: How long to wait for another writer.

    Returns:
        The last report; its `done` is False when it was stopped.

    Raises:
        StoreBusyError: Another process is writing; the message names it.
        StoreError: The index cannot be written.
    """
    with WriterLock(index + ".lock", wait_s=wait_s):
        started = time.monotonic()
        found = None
        if not (rebuild or verify) and os.path.exists(index):
            found = _in_step(index, places, kept)
        if found is None:
            from recall_tui.store.sync import plan as planning  # noqa: PLC0415 - see the module

            discovery = discover(places)
            if not rebuild:
                plan = planning.of_index(index, discovery, kept, verify=verify)
                gaps = discovery.gaps_that_matter(plan.known_paths)
                found = _of_plan(index, plan, gaps, kept)
        if found is not None:
            found.seconds = time.monotonic() - started
            on_progress(found)
            return found
        from recall_tui.store.sync.work import Sync  # noqa: PLC0415
        from recall_tui.store.writer import Writer  # noqa: PLC0415

        harnesses = [place.harness for place in places]
        if not rebuild:
            try:
                with closing(Writer(index)) as writer:
                    work = Sync(writer, harnesses, kept, on_progress, stop)
                    return work.run(plan, gaps, verify=verify)
            except RebuildNeeded:
                pass
        from recall_tui.store.rebuild import beside, carry_over  # noqa: PLC0415

        with beside(index) as new:
            plan = planning.make(discovery, (), lambda _: (), kept)
            work = Sync(new.writer, harnesses, kept, on_progress, stop)
            progress = work.run(
                plan,
                discovery.gaps_that_matter(()),
                carry=lambda: carry_over(index, new.writer, kept),
            )
            new.complete = progress.done
            return progress


def sync_paths(
    index: str,
    places: Sequence[Place],
    paths: Iterable[str],
    kept: Kept = EVERYTHING,
    *,
    on_progress: Callable[[SyncProgress], None] = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
) -> SyncProgress:
    """Bring the index up to date with some paths that changed, below places synced before.

    Arguments, result and errors as of `sync`.
    """
    from recall_tui.store.sync import plan as planning  # noqa: PLC0415 - see the module
    from recall_tui.store.sync.work import Sync  # noqa: PLC0415
    from recall_tui.store.writer import Writer  # noqa: PLC0415

    discovery = look_at(places, paths)
    with WriterLock(index + ".lock"), closing(Writer(index)) as writer:
        # A file beside a session (its titles, say) leads to the session's own path.
        below = {path for _, path in discovery.gaps} | {key[1] for key in discovery.sources}
        rows = planning.known_sources(writer.connection, below)
        plan = planning.against(writer.connection, discovery, rows, kept)
        # What a new wish means for the rest is for the next look at everything.
        work = Sync(writer, [place.harness for place in places], kept, on_progress, stop)
        return work.run(plan, {}, every=False)


def _in_step(index: str, places: Sequence[Place], kept: Kept) -> SyncProgress | None:
    """Finish a sync of sources that are all as they were; None when something may have changed."""
    with store_errors(index), closing(open_writer(index)) as connection:
        if schema.version(connection) != schema.VERSION:
            return None
        seen = in_step(connection, places, kept)
        if seen is None:
            return None
        no_gaps: Gaps = {(place.harness.id, place.root): [] for place in places}
        return _idle(connection, seen, no_gaps, kept)


def _of_plan(index: str, plan: Plan, gaps: Gaps, kept: Kept) -> SyncProgress | None:
    """Finish a sync whose plan says that there is nothing to do; None when there is something."""
    if not plan.idle:
        return None
    with store_errors(index), closing(open_writer(index)) as connection:
        if schema.version(connection) != schema.VERSION:
            return None
        return _idle(connection, plan.seen, gaps, kept)


_RULES = "SELECT value FROM meta WHERE key='text'"
_LOOSE_ENDS = "SELECT 1 FROM meta WHERE key IN ('pending', 'unsettled', 'unclean') AND value <> 0"


def _idle(connection: sqlite3.Connection, seen: int, gaps: Gaps, kept: Kept) -> SyncProgress | None:
    """Finish a sync that has nothing to read; None when there is something to do nevertheless.

    An earlier run may have left loose ends, another version of the program may have other rules,
    and what could not be looked at may have changed.
    """
    made_by = connection.execute("SELECT value FROM meta WHERE key='program'").fetchone()
    if (
        made_by != (__version__,)
        or connection.execute(_RULES).fetchone() != (edition.TEXT_RULES,)
        or not kept.is_noted(connection)
        or connection.execute(_LOOSE_ENDS).fetchone()
        or reach.noted(connection, gaps) != gaps
    ):
        return None
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('synced_ms', ?)", (clock.now_ms(),))
    progress = SyncProgress(seen=seen, unchanged=seen, done=True)
    progress.sessions, progress.messages = reach.totals(connection)
    progress.gaps = reach.gaps(connection)
    return progress
