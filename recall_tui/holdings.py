"""What holds sessions, and how it is kept in step: the index, the files, workspaces.

`Holdings` decides where a question is answered from; `History` asks it and hands the answer on.
"""

from __future__ import annotations

import heapq
import os
import sys
import threading
import time
from typing import TYPE_CHECKING, Final, TypeVar

from recall_tui import clock, privacy, workspace
from recall_tui.errors import SourceError, StoreBusyError, StoreError
from recall_tui.harnesses import registry
from recall_tui.model import Filter, Gap, GapKind
from recall_tui.paths import private_folder
from recall_tui.store.corpus import StoreCorpus
from recall_tui.store.kept import Kept
from recall_tui.store.user import UserStore, mark_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from recall_tui.config import Settings
    from recall_tui.model import Kind, Reach, Session
    from recall_tui.paths import Paths
    from recall_tui.search.cold import ColdCorpus
    from recall_tui.search.ports import Corpus, FactSource
    from recall_tui.search.raw import RawFile, Wanted
    from recall_tui.search.workspace import WorkspaceCorpus
    from recall_tui.store.forget import Forgotten
    from recall_tui.store.reach import Damaged
    from recall_tui.store.sync.discover import Place
    from recall_tui.store.sync.pending import Pending
    from recall_tui.store.sync.progress import SyncProgress
    from recall_tui.workspace import Files

C = TypeVar("C", bound="Corpus")

CATCH_UP_BYTES: Final = 8 << 20
"""A search first reads changes up to this size into the index (about 0.1 s); more than that is
answered from the files themselves while a background sync reads it."""

PAUSE_S: Final = 1.0
"""How often a watch looks whether a pause has ended."""


class Holdings:
    """The bodies of sessions there are. Safe to use from worker threads.

    Args:
        places: Where sessions lie.
        paths: Where our own files lie.
        settings: The person's settings.
        only: Restrict every answer to these roots (`--source`).
        live: Somebody else keeps the index live (the app's child), so no question looks at the
            sources itself.
        env: The environment a background sync is started with.
    """

    def __init__(
        self,
        places: Sequence[Place],
        paths: Paths,
        settings: Settings,
        *,
        only: tuple[str, ...],
        live: bool,
        env: Mapping[str, str],
    ) -> None:
        self.places = list(places)
        self.paths = paths
        self.settings = settings
        self.live = live
        self.user = UserStore(paths.user_file)
        self._only = only
        self._env = dict(env)
        self._index = paths.index_file
        self._left_out = tuple(os.path.expanduser(pattern) for pattern in settings.exclude)
        self._store = StoreCorpus(self._index)
        self._compared_ms = 0
        self._gaps_seen: list[Gap] = []
        self._catching_up = threading.Lock()
        self._cold: ColdCorpus | None = None
        self._cold_of: Pending | None = None
        """What `_cold` was made for."""
        self._waiting: Pending | None = None
        """What the last look that wanted everything in the index could not bring there."""
        self._tried_ms = 0
        self._opened_workspaces: list[WorkspaceCorpus] | None = None

    def close(self) -> None:
        """Close every connection."""
        self._store.close()
        self.user.close()

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

        privacy.require_open(self.paths.data)
        private_folder(self.paths.data)
        progress = sync(
            self._index,
            self.places,
            self._kept(),
            on_progress=on_progress,
            stop=lambda: stop() or self._paused(),
            rebuild=rebuild,
            verify=verify,
            wait_s=wait_s,
        )
        self._compared_ms = clock.now_ms()
        return progress

    def watch(self, on_progress: Callable[[SyncProgress], None], stop: Callable[[], bool]) -> None:
        """Sync, then keep the index live until `stop`; a pause is waited out."""
        from recall_tui.store.watch import watch

        private_folder(self.paths.data)
        while not stop():
            if self._paused():
                time.sleep(PAUSE_S)
                continue
            watch(
                self._index,
                self.places,
                self._kept(),
                on_progress=on_progress,
                stop=lambda: stop() or self._paused(),
            )

    def forget(self, sessions: Sequence[Session]) -> Forgotten:
        """Remove sessions from everything derived from them, and never read them again (Q3).

        The agents' own files are not touched. What stays is a tombstone that holds no text.

        Raises:
            StoreBusyError: Another process is writing; the message names it.
        """
        from recall_tui.store.forget import Forgotten, forget

        in_place = [session for session in sessions if session.harness == workspace.HARNESS]
        keys = [session.key for session in sessions if session.harness != workspace.HARNESS]
        private_folder(self.paths.data)
        forgotten = forget(self._index, self.user, keys) if keys else Forgotten()
        for session in in_place:  # nothing is derived from it but what a person wrote
            self.user.bury([(mark_of(session.harness, session.native_id), b"")])
            self.user.drop_session(session.key)
            forgotten.keys.append(session.key)
            forgotten.left.append(session.path)
        self._opened_workspaces = None
        return forgotten

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
        privacy.require_open(self.paths.data)
        if self._waiting is None or limit_bytes is not None or not self._fresh(self._tried_ms):
            waiting = self._caught_up(limit_bytes, on_progress)
            self._waiting = waiting if limit_bytes is None else None
            self._tried_ms = clock.now_ms()
            return waiting
        return self._waiting

    def _caught_up(
        self, limit_bytes: int | None, on_progress: Callable[[SyncProgress], None]
    ) -> Pending | None:
        from recall_tui.store.sync.pending import pending

        if self.live or self._fresh(self._fresh_ms()):
            return None
        with self._catching_up:
            found = pending(self._index, self.places, self._kept())
        self._gaps_seen = found.gaps
        if not found.sources and not found.marks:
            # Only then: what was left alone must not pass for up to date a moment later.
            self._compared_ms = clock.now_ms()
            return None
        if limit_bytes is not None and (found.bytes > limit_bytes or self._outdated()):
            return found
        try:
            self.sync(on_progress)
        except StoreBusyError:
            return found
        except StoreError as error:  # a full disk, a home that is read-only: the files answer
            words = f"the index takes nothing in: {error.message}"
            self._gaps_seen = [*found.gaps, Gap(GapKind.LOCKED, 1, words, error.hint)]
            return found
        self._gaps_seen = []  # the index notes them now
        return None

    # ------------------------------------------------------------ inside

    def _paused(self) -> bool:
        return privacy.is_paused(self.paths.data)

    def _exists(self) -> bool:
        return os.path.exists(self._index)

    def _fresh(self, at_ms: int) -> bool:
        """Whether a look at that time is recent enough to spare another."""
        return clock.now_ms() - at_ms < self.settings.freshness_s * 1000

    def _fresh_ms(self) -> int:
        """Return when the sources were last compared with the index, by us or anybody."""
        return max(self._compared_ms, self._store.synced_ms() if self._exists() else 0)

    def damaged(self, chosen: Filter) -> list[Damaged]:
        """Return the sources of the index that lost something."""
        return self._store.damaged(chosen) if self._exists() else []

    def stores(self) -> list[Corpus]:
        """Return what holds sessions for good: the index, and workspaces read in place.

        What the index could not take in (it is being written, the disk is full) is in the files.

        Raises:
            PausedError: A person paused Recall; nobody gets at a session then.
        """
        privacy.require_open(self.paths.data)
        return [*self._index_and_files(self._waiting), *self._workspaces()]

    def version(self) -> int:
        """Return a number that changes when what can be found does. Cheap: poll it."""
        privacy.require_open(self.paths.data)
        of_index = self._store.version() if self._exists() else 0
        return of_index + sum(corpus.version() for corpus in self._workspaces())

    def _workspaces(self) -> list[WorkspaceCorpus]:
        """Return the workspaces that lie in our places."""
        if self._opened_workspaces is None:
            found = {
                files.runtime: (files, place.root)
                for place in self.places
                if place.harness.id == workspace.HARNESS
                for files in workspace.find(place.root)
            }
            self._opened_workspaces = self._open_workspaces(list(found.values())) if found else []
        return self._opened_workspaces

    def _open_workspaces(self, found: Sequence[tuple[Files, str]]) -> list[WorkspaceCorpus]:
        from recall_tui.search.workspace import WorkspaceCorpus
        from recall_tui.workspace.catalogue import Place as Where

        refused = self._kept().refuses
        return [WorkspaceCorpus(Where(files, root), refused) for files, root in found]

    def fact_sources(self) -> list[FactSource]:
        """Return the distilled layers there are."""
        if not self._workspaces():
            return []
        from recall_tui.workspace.memory import Memory

        return [Memory(corpus.place.files) for corpus in self._workspaces()]

    def fact_scope(self, session: str) -> str:
        """Return the folder whose facts a session may see, empty for none but the global ones."""
        found = (corpus.workspace_root(session) for corpus in self._workspaces())
        return next(filter(None, found), "")

    def corpora(self, asking: str = "") -> Sequence[Corpus]:
        """Return the bodies of sessions that together hold everything, each session once.

        Args:
            asking: Key of the session that asks: a workspace shows it rather than a later revision
                of it (S0-23).
        """
        waiting = self.catch_up(CATCH_UP_BYTES)
        workspaces = [corpus.asking(asking) for corpus in self._workspaces()]
        if waiting is not None:
            self._read_in_background()
        return [*self._index_and_files(waiting), *workspaces]

    def _index_and_files(self, waiting: Pending | None) -> list[Corpus]:
        """Return the index, and before it the files that hold what it does not hold yet."""
        exists = self._exists()
        if waiting is None:
            return [self._store] if exists else []
        from recall_tui.search.cold import ColdCorpus
        from recall_tui.search.without import Without

        if self._cold_of is not waiting:
            unread = [(registry.get(s.harness), s) for s in waiting.sources]
            self._cold_of = waiting
            self._cold = ColdCorpus(
                unread,
                self._left_out,
                lambda harness, marks: (
                    self._store.histories(harness, marks, waiting.stale) if exists else ()
                ),
            )
        files = [self._cold] if self._cold and waiting.sources else []
        return [*files, *([Without(self._store, waiting.stale)] if exists else [])]

    def _outdated(self) -> bool:
        """Whether other rules for secrets or folding made the index: a sync would make it anew."""
        from recall_tui.store.ingest import TEXT_RULES

        return self._exists() and self._store.text_rules() not in ("", TEXT_RULES)

    def _read_in_background(self) -> None:
        """Start `recall index` on its own; it ends at once when another is writing already."""
        if self._env.get("RECALL_BACKGROUND") == "0":
            return
        import subprocess  # 4 ms that an index in step does not need

        named = [f"{place.harness.id}={place.root}" for place in self.places] if self._only else []
        command = [sys.executable, "-m", "recall_tui"]
        command += [part for source in named for part in ("--source", source)]
        subprocess.Popen(  # noqa: S603 - our own program and its own arguments
            [*command, "index", "--quiet"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=self._env,
            start_new_session=True,
        )

    def raw(
        self,
        wanted: Wanted,
        admits: Callable[[Kind, int], bool],
        harnesses: Sequence[str],
        gaps: list[Gap],
        stop: Callable[[], bool],
    ) -> Iterator[RawFile]:
        """Yield the sources that hold something, newest first, then workspaces; see `search.raw`.

        Raises:
            PausedError: A person paused Recall.
        """
        from recall_tui.search.raw import raw
        from recall_tui.store.sync.discover import discover

        privacy.require_open(self.paths.data)
        places = [p for p in self.places if not harnesses or p.harness.id in harnesses]
        discovery = discover(places)
        gaps += [gap for of_place in discovery.gaps_that_matter(()).values() for gap in of_place]
        kept = self._kept()
        sources = sorted(discovery.sources.values(), key=lambda source: -source.mtime_ns)
        wanted_sources = [source for source in sources if not kept.refuses(source)]
        if out := len(sources) - len(wanted_sources):
            words = "source is left out by settings, or was forgotten, and was not looked into"
            gaps.append(Gap(GapKind.EXCLUDED, out, words, "recall config show"))
        read = ((registry.get(source.harness), source) for source in wanted_sources)
        yield from raw(read, wanted, admits, gaps, stop)
        for corpus in self._workspaces() if not harnesses or workspace.HARNESS in harnesses else ():
            try:
                yield from corpus.raw(wanted, admits)
            except SourceError as error:
                gaps.append(Gap(GapKind.UNREADABLE, 1, error.message, error.hint))

    def holding(self, session: Session, corpora: Sequence[C]) -> tuple[C, int]:
        """Return the corpus that holds a session now, and its row there.

        A session is handed out by one corpus and may be asked for when another holds it: first
        found in the files, indexed a moment later.

        Raises:
            StoreError: None does any more.
        """
        for corpus in corpora:
            for found in corpus.find(session.key):
                if found.key == session.key:
                    return corpus, found.id
        raise StoreError(f"{session.key} is no longer there", "search again")

    def listed(self, chosen: Filter) -> list[Session]:
        """Return the sessions of everything that holds them for good, newest first."""
        found = [corpus.sessions(chosen) for corpus in self.stores()]
        return list(heapq.merge(*found, key=lambda session: (-session.ended_ms, session.key)))

    def everything(self) -> list[Corpus]:
        """Return what holds sessions for good, and the files last searched."""
        return [*self.stores(), *filter(None, [self._cold])]

    def restricted(self, chosen: Filter | None) -> Filter:
        """Return a filter that keeps to the named sources."""
        chosen = chosen or Filter()
        return chosen._replace(roots=chosen.roots or self._only) if self._only else chosen

    def _kept(self) -> Kept:
        """Return what is kept, by what was forgotten and by the settings."""
        return Kept(self.user.tombstones(), self._left_out, self.settings.keep_gone)

    def dated(self, reach: Reach) -> Reach:
        """Complete a reach with what only the composition root knows."""
        if self._exists():
            reach.index_age_ms = max(0, clock.now_ms() - self._fresh_ms())
        reach.add(self._gaps_seen)
        reach.add(
            Gap(GapKind.UNREADABLE, 1, fault, "reinstall or remove that package", harness)
            for harness, fault in registry.faults().items()
        )
        if not reach.sessions_total and not (
            self._exists() and any(os.path.lexists(place.root) for place in self.places)
        ):
            reach.add([self._nothing()])
        return reach

    def _nothing(self) -> Gap:
        """Return the gap for a machine without any history: what was looked for, and where."""
        places = ", ".join(dict.fromkeys(place.root for place in self.places))
        return Gap(
            GapKind.NO_SOURCES, 1, f"no sessions in {places}", "recall --demo shows a sample"
        )
