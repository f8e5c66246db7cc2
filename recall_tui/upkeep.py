"""The index, and how it is kept in step with the sources: by a sync, live, or just in time."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING, Final

from recall_tui import clock, privacy
from recall_tui.errors import StoreBusyError, StoreError
from recall_tui.model import Gap, GapKind
from recall_tui.paths import PROGRAM, private_folder
from recall_tui.store import edition
from recall_tui.store.corpus import StoreCorpus
from recall_tui.store.kept import Kept

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recall_tui.scope import Scope
    from recall_tui.store.forget import Forgotten
    from recall_tui.store.sync.pending import Pending
    from recall_tui.store.sync.progress import SyncProgress
    from recall_tui.store.user import UserStore

PAUSE_S: Final = 1.0
"""How often a watch looks whether a pause has ended."""

CALL_S: Final = 1.0
"""How long a look of our own counts for what is listed and shown: a command asks several times."""


_OTHER_RULES: Final = Gap(
    GapKind.OUTDATED,
    1,
    "the index was made by other rules for secrets; until it is made anew it may show one",
    "recall index waits for it",
)


class Upkeep:
    """The index of a scope's places. Safe to use from worker threads.

    Attributes:
        store: What the index holds; look at `exists` before asking it.
        gaps: What the last look at the sources could not see.
        waiting: What the last look that wanted everything in the index could not bring there.
        live: Somebody else keeps the index in step: no question looks at the sources.
    """

    def __init__(self, scope: Scope, user: UserStore) -> None:
        self._scope = scope
        self._user = user
        self._data = scope.paths.data
        self._index = scope.paths.index_file
        self._left_out = tuple(map(os.path.expanduser, scope.settings.exclude))
        self.store = StoreCorpus(self._index, scope.only)
        self.gaps: list[Gap] = []
        self.waiting: Pending | None = None
        self.live = scope.live
        self._compared_ms = 0
        self._looked_ms = 0
        """When the look was that `waiting` is of, 0 for none that counts for later questions."""
        self._catching_up = threading.Lock()

    def close(self) -> None:
        """Close every connection to the index."""
        self.store.close()

    def exists(self) -> bool:
        """Return whether there is an index."""
        return os.path.exists(self._index)

    def compared_ms(self) -> int:
        """Return when the sources were last compared with the index, by us or anybody."""
        return max(self._compared_ms, self.store.synced_ms() if self.exists() else 0)

    def outdated(self) -> bool:
        """Whether other rules for secrets or folding made the index: a sync would make it anew."""
        return self.exists() and self.store.text_rules() not in ("", edition.TEXT_RULES)

    def kept(self) -> Kept:
        """Return what is kept, by what was forgotten and by the settings."""
        return Kept(self._user.tombstones(), self._left_out, self._scope.settings.keep_gone)

    def sync(
        self,
        on_progress: Callable[[SyncProgress], None] = lambda _: None,
        stop: Callable[[], bool] = lambda: False,
        *,
        rebuild: bool = False,
        verify: bool = False,
        wait_s: float = 0.0,
    ) -> SyncProgress:
        """Compare the sources with the index and read what is new.

        Raises:
            StoreBusyError: Another process is writing; the message names it.
            PausedError: A person paused Recall.
        """
        from recall_tui.store.sync.run import sync

        privacy.require_open(self._data)
        private_folder(self._data)
        progress = sync(
            self._index,
            self._scope.places,
            self.kept(),
            on_progress=on_progress,
            stop=lambda: stop() or self._paused(),
            rebuild=rebuild,
            verify=verify,
            wait_s=wait_s,
        )
        self.waiting = None
        self._compared_ms = self._looked_ms = clock.now_ms()
        return progress

    def watch(self, on_progress: Callable[[SyncProgress], None], stop: Callable[[], bool]) -> None:
        """Sync, then keep the index live until `stop`; a pause is waited out."""
        from recall_tui.store.watch import watch

        private_folder(self._data)
        while not stop():
            if self._paused():
                time.sleep(PAUSE_S)
                continue
            watch(
                self._index,
                self._scope.places,
                self.kept,
                on_progress=on_progress,
                stop=lambda: stop() or self._paused(),
            )

    def forget(self, keys: Sequence[str]) -> Forgotten:
        """Remove sessions of the index for good, with all that was derived from them (Q3).

        Raises:
            StoreBusyError: Another process is writing; the message names it.
        """
        from recall_tui.store.forget import Forgotten, forget

        private_folder(self._data)
        return forget(self._index, self._user, keys) if keys else Forgotten()

    def catch_up(
        self,
        limit_bytes: int | None = None,
        on_progress: Callable[[SyncProgress], None] = lambda _: None,
    ) -> Pending | None:
        """Read what changed since the index was made, unless it is more than a limit.

        Args:
            limit_bytes: Leave more than this alone; None reads everything.
            on_progress: As of `sync`.

        Returns:
            What is still not in the index; None when it is up to date.
        """
        privacy.require_open(self._data)
        if self.live or self._fresh(self.compared_ms()):
            self.waiting = None
            return None
        if limit_bytes is None and self._fresh(self._looked_ms, CALL_S):
            return self.waiting
        found = self._caught_up(limit_bytes, on_progress)
        # What was left alone for its size is no answer to who wants everything a moment later.
        self.waiting = found if limit_bytes is None else None
        self._looked_ms = clock.now_ms() if self.waiting is found else 0
        return found

    def _caught_up(
        self, limit_bytes: int | None, on_progress: Callable[[SyncProgress], None]
    ) -> Pending | None:
        """Look at the sources, and read what changed; arguments and result as of `catch_up`."""
        found = self._pending()
        if found is None:
            self._compared_ms = clock.now_ms()
            return None
        if limit_bytes is not None and (found.bytes > limit_bytes or self.outdated()):
            return found
        try:
            self.sync(on_progress)
        except StoreBusyError:
            return found
        except StoreError as error:  # a full disk, a home that is read-only: the files answer
            words = f"the index takes nothing in: {error.message}"
            left = self._pending()  # some of it may have been committed
            self.gaps = [*self.gaps, Gap(GapKind.LOCKED, 1, words, error.hint)]
            return left
        self.gaps = []  # the index notes them now
        return None

    def read_in_background(self) -> None:
        """Start `recall index` on its own; it ends at once when another is writing already."""
        env, places = self._scope.env, self._scope.places
        if env.get("RECALL_BACKGROUND") == "0":
            return
        import subprocess  # 4 ms that an index in step does not need

        named = [f"{place.harness.id}={place.root}" for place in places] if self._scope.only else []
        command = [*PROGRAM, *(part for source in named for part in ("--source", source))]
        subprocess.Popen(  # noqa: S603 - our own program and its own arguments
            [*command, "index", "--quiet"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=env,
            start_new_session=True,
        )

    # ------------------------------------------------------------ inside

    def _pending(self) -> Pending | None:
        """Return what a sync would have to do, None when that is nothing."""
        places, kept = self._scope.places, self.kept()
        with self._catching_up:
            outdated = self.outdated()
            if not outdated and self.exists() and self.store.in_step(places, kept):
                self.gaps = []
                return None
            from recall_tui.store.sync.pending import pending

            found = pending(self._index, places, kept)
        self.gaps = [*found.gaps, _OTHER_RULES] if outdated else found.gaps
        return found if found.sources or found.marks or outdated else None

    def _fresh(self, at_ms: int, at_least_s: float = 0.0) -> bool:
        """Whether a look at that time is recent enough to spare another."""
        # A look in the future was before the clock was set back: nobody knows how long ago.
        window_s = max(self._scope.settings.freshness_s, at_least_s)
        return 0 <= clock.now_ms() - at_ms < window_s * 1000

    def _paused(self) -> bool:
        return privacy.is_paused(self._data)
