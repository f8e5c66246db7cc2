"""Keeping the index live: what changes on disk is searchable a moment later."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Final

from recall_tui.errors import StoreBusyError
from recall_tui.store.migrations import RebuildNeeded
from recall_tui.store.sync.discover import covers
from recall_tui.store.sync.run import EVERYTHING, sync, sync_paths

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from recall_tui.store.kept import Kept
    from recall_tui.store.sync.discover import Place
    from recall_tui.store.sync.progress import SyncProgress

DEBOUNCE_MS: Final = 50
"""Changes closer together are one: agents write in batches of 100 ms at most."""

QUIET_MS: Final = 10
"""No change for so long ends a batch early."""

WAKE_MS: Final = 500
"""How often the loop looks whether it should stop when nothing happens."""

RESCAN_S: Final = 300.0
"""A full comparison now and then: events can get lost, and folders appear."""

SOON_S: Final = 2.0
"""A full comparison after a change that no harness recognises by its path alone."""


def watch(
    index: str,
    places: Sequence[Place],
    kept: Callable[[], Kept] = lambda: EVERYTHING,
    *,
    on_progress: Callable[[SyncProgress], None] = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
    rescan_s: float = RESCAN_S,
    poll: bool = False,
) -> None:
    """Sync, then keep the index live until `stop`.

    While another process writes, changes wait; they are written once it has finished.

    Args:
        index: The index file.
        places: Where to look; roots that do not exist yet are picked up when they do.
        kept: Tells what is kept, each time something changed: a person may forget a session, in
            another process, while the program that writes it goes on.
        on_progress: Called at the end of every sync that found something, and during long ones.
        stop: Asked twice a second.
        rescan_s: Seconds between full comparisons.
        poll: Look at every file twice a second instead of listening, for file systems without
            events; also done when listening is refused.

    Raises:
        StoreError: The index cannot be written.
    """
    waiting: set[str] = set()
    next_scan = 0.0
    compared: int | None = None
    for changed in _changes(places, stop, poll=poll):
        waiting |= changed
        now = time.monotonic()
        if _file(index) != compared:
            next_scan = 0.0  # removed by hand, or made by another: who knows what it lacks
        try:
            if now >= next_scan:
                sync(index, places, kept(), on_progress=on_progress, stop=stop)
                compared = _file(index)
                waiting.clear()
                next_scan = now + rescan_s
            elif waiting:
                progress = sync_paths(
                    index, places, waiting, kept(), on_progress=on_progress, stop=stop
                )
                waiting.clear()
                if not progress.seen and not progress.gone:
                    next_scan = min(next_scan, now + SOON_S)
        except StoreBusyError:
            continue
        except RebuildNeeded:
            next_scan = 0.0  # another version of the program has been here: a full sync rebuilds


def _changes(
    places: Sequence[Place], stop: Callable[[], bool], *, poll: bool
) -> Iterator[set[str]]:
    """Yield changed paths below the places until `stop`; an empty set at once, then twice a second.

    Roots that appear or vanish start the listening anew.
    """
    import watchfiles  # noqa: PLC0415 - only a live index needs it

    yield set()
    while not stop():
        roots = _existing(places)
        if not roots:
            time.sleep(WAKE_MS / 1000)
            yield set()
            continue
        try:
            for batch in watchfiles.watch(
                *roots,
                watch_filter=None,
                debounce=DEBOUNCE_MS,
                step=QUIET_MS,
                rust_timeout=WAKE_MS,
                yield_on_timeout=True,
                force_polling=poll,
                poll_delay_ms=WAKE_MS,
                raise_interrupt=True,
                ignore_permission_denied=True,
            ):
                if stop():
                    return
                yield {path for _, path in batch}
                if _existing(places) != roots:
                    break
        except OSError:
            # The system's limit on watches, or a file system without events.
            if poll:
                time.sleep(WAKE_MS / 1000)
                yield set()
            poll = True


def _file(index: str) -> int | None:
    """Return which file the index is, None when there is none."""
    try:
        return os.stat(index).st_ino
    except OSError:
        return None


def _existing(places: Sequence[Place]) -> list[str]:
    """Return the roots that are there, without those that lie inside another."""
    roots = sorted({place.root for place in places if os.path.exists(place.root)})
    return [r for r in roots if not any(other != r and covers(other, r) for other in roots)]
