"""What holds sessions: the index, the files it does not hold yet, workspaces.

`Holdings` decides where a question is answered from; `History` asks it and hands the answer on.
"""

from __future__ import annotations

import heapq
import os
from typing import TYPE_CHECKING, Final, TypeVar

from recall_tui import clock, privacy, workspace
from recall_tui.errors import SourceError, StoreError
from recall_tui.harnesses import registry
from recall_tui.model import Filter, Gap, GapKind, Listed
from recall_tui.store.corpus import StoreCorpus
from recall_tui.store.rows import newest_first
from recall_tui.store.user import mark_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from recall_tui.harnesses.base import Source
    from recall_tui.model import Kind, Reach, Session
    from recall_tui.scope import Scope
    from recall_tui.search.cold import ColdCorpus
    from recall_tui.search.ports import Corpus, FactSource
    from recall_tui.search.raw import RawFile, Wanted
    from recall_tui.search.workspace import WorkspaceCorpus
    from recall_tui.store.damage import Damaged
    from recall_tui.store.forget import Forgotten
    from recall_tui.store.sync.pending import Pending
    from recall_tui.store.user import UserStore
    from recall_tui.upkeep import Upkeep
    from recall_tui.workspace import Files

C = TypeVar("C", bound="Corpus")
L = TypeVar("L", "Session", Listed)

CATCH_UP_BYTES: Final = 8 << 20
"""A search first reads changes up to this size into the index (about 0.1 s); more than that is
answered from the files themselves while a background sync reads it."""


class Holdings:
    """The bodies of sessions there are. Safe to use from worker threads."""

    def __init__(self, scope: Scope, upkeep: Upkeep, user: UserStore) -> None:
        self._scope = scope
        self._upkeep = upkeep
        self._user = user
        self._cold: ColdCorpus | None = None
        self._cold_of: Pending | None = None
        """What `_cold` was made for."""
        self._files: dict[str, tuple[Files, str]] | None = None
        """Of the workspaces there are, with their roots."""
        self._opened_workspaces: list[WorkspaceCorpus] = []
        self._forgotten: str | None = None
        """What was forgotten when they were opened, as `Tombstones.mark`."""

    def forget(self, sessions: Sequence[Session]) -> Forgotten:
        """Remove sessions from everything derived from them, and never read them again (Q3).

        The agents' own files are not touched. What stays is a tombstone that holds no text.

        Raises:
            StoreBusyError: Another process is writing; the message names it.
        """
        in_place = [session for session in sessions if session.harness == workspace.HARNESS]
        keys = [session.key for session in sessions if session.harness != workspace.HARNESS]
        forgotten = self._upkeep.forget(keys)
        for session in in_place:  # nothing is derived from it but what a person wrote
            self._user.bury([(mark_of(session.harness, session.native_id), b"")])
            self._user.drop_session(session.key)
            forgotten.keys.append(session.key)
            forgotten.left.append(session.path)
        return forgotten

    def damaged(self, chosen: Filter) -> list[Damaged]:
        """Return the sources of the index that lost something."""
        return self._upkeep.store.damaged(chosen) if self._upkeep.exists() else []

    def stores(self) -> list[Corpus]:
        """Return what holds sessions for good: the index, and workspaces read in place.

        What the index could not take in (it is being written, the disk is full) is in the files.

        Raises:
            PausedError: A person paused Recall; nobody gets at a session then.
        """
        privacy.require_open(self._scope.paths.data)
        return [*self._index_and_files(self._upkeep.waiting), *self._workspaces()]

    def version(self) -> int:
        """Return a number that changes when what can be found does. Cheap: poll it."""
        privacy.require_open(self._scope.paths.data)
        of_index = self._upkeep.store.version() if self._upkeep.exists() else 0
        return of_index + sum(corpus.version() for corpus in self._workspaces())

    def _workspaces(self) -> list[WorkspaceCorpus]:
        """Return the workspaces that lie in our places, without what was forgotten, by anybody."""
        if self._files is None:
            self._files = {
                files.runtime: (files, place.root)
                for place in self._scope.places
                if place.harness.id == workspace.HARNESS
                for files in workspace.find(place.root)
            }
        if not self._files:
            return []
        kept = self._upkeep.kept()
        if kept.forgotten.mark != self._forgotten:
            from recall_tui.search.workspace import WorkspaceCorpus
            from recall_tui.workspace.catalogue import Place as Where

            self._forgotten = kept.forgotten.mark
            self._opened_workspaces = [
                WorkspaceCorpus(Where(files, root), kept.refuses)
                for files, root in self._files.values()
            ]
        return self._opened_workspaces

    def fact_sources(self) -> list[FactSource]:
        """Return the distilled layers there are."""
        if not self._workspaces():
            return []
        from recall_tui.workspace.memory import Memory

        return [Memory(corpus.place.files) for corpus in self._workspaces()]

    def fact_scope(self, session: str, folder: str = "") -> str:
        """Return the folder whose facts may be seen, empty for none but the global ones.

        Args:
            session: Key of the session that asks, empty when a person does.
            folder: Where the question is asked: it counts when no session of a workspace asks.
        """
        workspaces = self._workspaces()
        for corpus in workspaces if session else ():
            if found := corpus.workspace_root(session):
                return found
        places = [corpus.root_of(folder) for corpus in workspaces] if folder else []
        return max(places, key=lambda found: len(found[0]), default=("", ""))[1]

    def corpora(self, asking: str = "") -> Sequence[Corpus]:
        """Return the bodies of sessions that together hold everything, each session once.

        Args:
            asking: Key of the session that asks: a workspace shows it rather than a later revision
                of it (S0-23).
        """
        waiting = self._upkeep.catch_up(CATCH_UP_BYTES)
        workspaces = [corpus.asking(asking) for corpus in self._workspaces()]
        if waiting is not None:
            self._upkeep.read_in_background()
        return [*self._index_and_files(waiting), *workspaces]

    def _index_and_files(self, waiting: Pending | None) -> list[Corpus]:
        """Return the index, and before it the files that hold what it does not hold yet."""
        store, exists = self._upkeep.store, self._upkeep.exists()
        if waiting is None:
            return [store] if exists else []
        from recall_tui.search.cold import ColdCorpus
        from recall_tui.search.without import Without

        if self._cold_of is not waiting:
            unread = [(registry.get(s.harness), s) for s in waiting.sources]
            self._cold_of = waiting
            self._cold = ColdCorpus(
                unread,
                self._upkeep.kept().unwanted,
                lambda harness, marks: (
                    store.histories(harness, marks, waiting.stale) if exists else {}
                ),
            )
        files = [self._cold] if self._cold and waiting.sources else []
        return [*files, *([Without(store, waiting.stale)] if exists else [])]

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

        privacy.require_open(self._scope.paths.data)
        places = [p for p in self._scope.places if not harnesses or p.harness.id in harnesses]
        discovery = discover(places)
        gaps += [gap for of_place in discovery.gaps_that_matter(()).values() for gap in of_place]
        sources = sorted(discovery.sources.values(), key=lambda source: -source.mtime_ns)
        read = ((registry.get(source.harness), source) for source in sources)
        yield from raw(read, wanted, self._upkeep.kept(), admits, gaps, stop)
        for corpus in self._workspaces() if not harnesses or workspace.HARNESS in harnesses else ():
            try:
                yield from corpus.raw(wanted, admits)
            except SourceError as error:
                gaps.append(Gap(GapKind.UNREADABLE, 1, error.message, error.hint))

    def refused(self, sources: Iterable[Source]) -> int:
        """Return how many sources are never looked into: forgotten, or left out by their path."""
        return sum(map(self._upkeep.kept().refuses, sources))

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

    def sessions(self, chosen: Filter) -> list[Session]:
        """Return the sessions of everything that holds them for good, newest first."""
        return _merged([list(corpus.sessions(chosen)) for corpus in self.stores()])

    def listed(self, chosen: Filter) -> list[Listed]:
        """Return the places of what `sessions` returns; the index makes no session for one."""
        return _merged(
            [
                corpus.listed(chosen)
                if isinstance(corpus, StoreCorpus)
                else [Listed(s.ended_ms, s.key, s.parent) for s in corpus.sessions(chosen)]
                for corpus in self.stores()
            ]
        )

    def everything(self) -> list[Corpus]:
        """Return what holds sessions for good, and the files last searched."""
        return [*self.stores(), *filter(None, [self._cold])]

    def restricted(self, chosen: Filter | None) -> Filter:
        """Return a filter that keeps to the named sources."""
        chosen = chosen or Filter()
        return chosen._replace(roots=chosen.roots or self._scope.only)

    def dated(self, reach: Reach) -> Reach:
        """Complete a reach with what only the composition root knows."""
        exists = self._upkeep.exists()
        if exists:
            compared_ms = self._upkeep.compared_ms()
            # While the first sync runs nothing has been compared yet.
            reach.index_age_ms = max(0, clock.now_ms() - compared_ms) if compared_ms else None
        reach.add(self._upkeep.gaps)
        faults = {} if self._scope.only else registry.faults()  # what was named can be loaded
        reach.add(
            Gap(GapKind.UNREADABLE, 1, fault, "reinstall or remove that package", harness)
            for harness, fault in faults.items()
        )
        if not reach.sessions_total:
            left_out = any(gap.kind is GapKind.EXCLUDED for gap in reach.gaps)
            reach.add(self._nothing(known=exists or left_out))
        return reach

    def _nothing(self, *, known: bool) -> list[Gap]:
        """Return why there is no session at all: all are left out, or none was found, and where.

        Args:
            known: There is an index, or what lies there is already said to be left out.
        """
        if any(self._upkeep.kept().notes().values()):
            from recall_tui.store import reach
            from recall_tui.store.sync.discover import discover

            sources = discover(self._scope.places).sources.values()
            if out := reach.excluded(self.refused(sources)):
                return out
        roots = list(dict.fromkeys(place.root for place in self._scope.places))
        if known and any(map(os.path.lexists, roots)):
            return []
        words = f"no sessions in {', '.join(roots)}"
        return [Gap(GapKind.NO_SOURCES, 1, words, "recall --demo shows a sample")]


def _merged(found: list[list[L]]) -> list[L]:
    if len(found) == 1:  # no workspace: ten thousand calls less
        return found[0]
    return list(heapq.merge(*found, key=newest_first))
