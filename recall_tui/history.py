"""The composition root: opens stores, wires ports, and is all the three fronts hold.

Whatever one front can do is a method here, so that the other two can show it.
"""

from __future__ import annotations

import fnmatch
import heapq
import os
import subprocess
import sys
import threading
from array import array
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeVar

from recall_tui import clock, roots, workspace
from recall_tui.config import load
from recall_tui.errors import BadReferenceError, SourceError, StoreBusyError, StoreError
from recall_tui.harnesses import registry
from recall_tui.harnesses.base import Source
from recall_tui.model import Filter, Gap, GapKind, Reach, SessionKind
from recall_tui.paths import HOME, locate, private_folder
from recall_tui.store.corpus import StoreCorpus
from recall_tui.store.sync.progress import SyncProgress
from recall_tui.store.user import UserStore, mark_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from recall_tui.config import Settings
    from recall_tui.harnesses.base import ResumeCommand
    from recall_tui.model import Message, Reference, Session
    from recall_tui.paths import Paths
    from recall_tui.search.cold import ColdCorpus
    from recall_tui.search.ports import Corpus, FactSource
    from recall_tui.search.recall.envelope import Envelope, MaterialBytes, More
    from recall_tui.search.recall.request import MaterialRequest, MoreRequest, RecallRequest
    from recall_tui.search.results import GrepQuery, GrepUpdate
    from recall_tui.search.workspace import WorkspaceCorpus
    from recall_tui.store.forget import Forgotten
    from recall_tui.store.sync.discover import Place
    from recall_tui.store.sync.pending import Pending
    from recall_tui.store.user import Note
    from recall_tui.workspace import Files

C = TypeVar("C", bound="Corpus")

__all__ = ["History", "Resolved", "Skeleton", "SyncProgress"]

CATCH_UP_BYTES: Final = 8 << 20
"""A search first reads changes up to this size into the index (about 0.1 s); more than that is
answered from the files themselves while a background sync reads it."""


class Skeleton:
    """A session without its text: what a virtual transcript needs to lay out 100k messages.

    Attributes, one entry a message by position: `kinds` ("B"), `flags` ("B"), `times` ("q"),
    `sizes` ("I", bytes of the shown text).
    """

    __slots__ = ("flags", "kinds", "sizes", "times")

    def __init__(self) -> None:
        self.kinds = array("B")
        self.flags = array("B")
        self.times = array("q")
        self.sizes = array("I")

    def __len__(self) -> int:
        return len(self.kinds)


@dataclass(slots=True, frozen=True)
class Resolved:
    """What a reference leads to."""

    reference: Reference
    session: Session
    state: str
    """same | changed | gone | session (the reference names no message)"""
    message: Message | None
    moved_to: int = -1
    """Where a changed reference's content stands now, when that is certain."""


class History:
    """Everything the fronts can ask. One object a process; safe to use from worker threads.

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
        only: tuple[str, ...] = (),
        live: bool = False,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.places = list(places)
        self.paths = paths
        self.settings = settings
        self.live = live
        self._only = only
        self._env = dict(os.environ if env is None else env)
        self._index = paths.index_file
        self._store = StoreCorpus(self._index)
        self._compared_ms = 0
        self._gaps_seen: list[Gap] = []
        self._catching_up = threading.Lock()
        self._cold: ColdCorpus | None = None
        self._user = UserStore(paths.user_file)
        self._opened_workspaces: list[WorkspaceCorpus] | None = None

    @classmethod
    def open(
        cls,
        sources: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        *,
        demo: bool = False,
        live: bool = False,
    ) -> History:
        """Open the history of this machine, of the named `--source`s, or the bundled demo.

        Raises:
            ConfigError: A source or a setting is wrong.
        """
        environment = dict(os.environ if env is None else env)
        settings = load(environment).settings
        if demo:
            sources, environment = _demo(locate(environment), environment)
        paths = locate(environment)
        if sources:
            places = roots.named(sources)
            only = tuple(dict.fromkeys(place.root for place in places))
            return cls(places, paths, settings, only=only, live=live, env=environment)
        home = environment.get("HOME") or os.path.expanduser("~")
        workspaces = [f"maka={settings.workspace}"] if settings.workspace else []
        named = roots.named([*settings.sources, *workspaces])
        places = [*roots.own(environment, home), *named]
        return cls(places, paths, settings, live=live, env=environment)

    def close(self) -> None:
        """Close every connection."""
        self._store.close()
        self._user.close()

    # ------------------------------------------------------------ sessions

    def sessions(self, chosen: Filter | None = None, *, limit: int = 0) -> list[Session]:
        """Return sessions newest first; 0 means all. Full copies of another session are left out.

        What is not in the index yet is read into it first, however much it is.
        """
        self.catch_up()
        found = self._list(self._restricted(chosen))
        return found[:limit] if limit else found

    def find(self, name: str) -> list[Session]:
        """Return the sessions a key, native id, unique prefix, path or reference names."""
        from recall_tui.search import refs

        self.catch_up()
        bare = name.partition("#")[0]
        return [session for _, session in refs.find(bare, self._stores())]

    def children(self, session: Session) -> list[Session]:
        """Return the subagents, forks and copies folded under a session, oldest first."""
        family = [s for s in self._list(Filter(include_copies=True)) if s.parent == session.key]
        return sorted(family, key=lambda s: (s.started_ms, s.key))

    def messages(self, session: Session, start: int = 0, stop: int | None = None) -> list[Message]:
        """Return messages by position, in order."""
        corpus, row = self._holding(session, self._everything())
        return corpus.messages(row, start, stop)

    def skeleton(self, session: Session) -> Skeleton:
        """Return the arrays a virtual transcript lays out from."""
        skeleton = Skeleton()
        if self._cold is not None:
            self.catch_up()
        corpus, row = self._holding(session, self._stores())
        arrays = corpus.arrays(row)
        skeleton.kinds, skeleton.flags = arrays.kinds, arrays.flags
        skeleton.times, skeleton.sizes = arrays.times, arrays.sizes
        return skeleton

    # ------------------------------------------------------------ a person's search

    def grep(
        self, query: GrepQuery, stop: Callable[[], bool] = lambda: False
    ) -> Iterator[GrepUpdate]:
        """Search for a person: streaming, exact, newest first. The last update has `done` set.

        What the index does not hold yet is read first, or, when it is much, searched in the files
        themselves while a background sync reads it.

        Raises:
            QueryError: The pattern, limit or cursor cannot be used; before the first update.
        """
        from recall_tui.search.grep import grep

        query = replace(query, chosen=self._restricted(query.chosen))
        return self._finishing(grep(self._corpora(), query, stop))

    def positions_matching(self, session: Session, query: GrepQuery) -> list[int]:
        """Return every position in one session that matches (find inside)."""
        from recall_tui.search.grep import positions

        corpus, row = self._holding(session, self._everything())
        return positions(corpus, corpus.session(row), query)

    # ------------------------------------------------------------ the agents' search

    def recall(self, request: RecallRequest, stop: Callable[[], bool] = lambda: False) -> Envelope:
        """Answer a question with the best passages: ranked, bounded, cited, redacted.

        Raises:
            RefusedError: The question cannot be asked (nothing was touched), recall is paused, or
                `stop` said so.
        """
        from recall_tui.config import zone
        from recall_tui.search.recall import recall
        from recall_tui.search.recall.privacy import require_open
        from recall_tui.search.recall.request import checked

        request = checked(request)
        require_open(self.paths.data)
        request = replace(request, chosen=self._restricted(request.chosen))
        envelope = recall(
            self._corpora(),
            request,
            stop,
            zone(request.zone),
            self.fact_sources(),
            self.fact_scope(request.current_session) if request.current_session else "",
        )
        self._dated(envelope.reach)
        return envelope

    def more(self, request: MoreRequest, stop: Callable[[], bool] = lambda: False) -> More:
        """Return more messages around an anchor that an answer gave.

        Raises:
            RefusedError: As of `recall`; or there is no such message (`not_found`).
        """
        from recall_tui.search.recall import more
        from recall_tui.search.recall.privacy import require_open
        from recall_tui.search.recall.request import checked_more

        checked_more(request)
        require_open(self.paths.data)
        return more(self._corpora(), request, stop)

    def fetch(
        self, request: MaterialRequest, stop: Callable[[], bool] = lambda: False
    ) -> MaterialBytes:
        """Read a material that an answer named: id, message and bytes are checked (S0-106).

        Raises:
            RefusedError: As of `more`; or the message holds no such material.
            SourceError: The source is gone, changed or broken.
        """
        from recall_tui.search.recall import held_material
        from recall_tui.search.recall.envelope import MaterialBytes
        from recall_tui.search.recall.privacy import require_open
        from recall_tui.search.recall.request import checked_material

        checked_material(request)
        require_open(self.paths.data)
        reference, material = held_material(self._corpora(), request, stop)
        return MaterialBytes(reference, material, self.material(reference, material.id))

    def resolve(self, reference: Reference | str) -> Resolved:
        """Look a reference up; a changed record resolves as changed, never as another.

        Raises:
            BadReferenceError: Malformed, or no such session.
        """
        from recall_tui.search import refs

        self.catch_up()
        found = refs.resolve(reference, self._stores())
        return Resolved(
            found.reference, found.session, found.state.value, found.message, found.moved_to
        )

    # ------------------------------------------------------------ what hangs on a session

    def material(self, reference: Reference, material_id: str) -> bytes:
        """Read a material's bytes from its source, after checking that the message holds it.

        Raises:
            BadReferenceError: The message does not hold it, or has changed.
            SourceError: The source is gone, changed or broken.
        """
        resolved = self.resolve(reference)
        held = resolved.message.materials if resolved.message is not None else ()
        for material in held:
            if material.id == material_id and resolved.state == "same":
                session = resolved.session
                harness = registry.get(session.harness)
                return harness.material(source_of(session), material.locator)
        raise BadReferenceError(f"{reference} holds no such material")

    def resume(self, session: Session) -> ResumeCommand | None:
        """Return the harness's own resume command."""
        return registry.get(session.harness).resume(session)

    # ------------------------------------------------------------ searches of a person

    def asked(self) -> list[str]:
        """Return the searches that were made here, latest first."""
        with closing(UserStore(self.paths.user_file)) as user:
            return user.asked()

    def note_asked(self, query: str) -> None:
        """Remember a search; one that looks like a credential is never written down."""
        if not holds_secret(query):
            with self._writing_user() as user:
                user.note_asked(query)

    def searches(self) -> list[str]:
        """Return the searches a person keeps, by name."""
        with closing(UserStore(self.paths.user_file)) as user:
            return [query for _, query in user.searches()]

    def keep_search(self, query: str, *, on: bool = True) -> bool:
        """Keep a search, or let it go; return False for one that looks like a credential."""
        if on and holds_secret(query):
            return False
        with self._writing_user() as user:
            if on:
                user.save_search(query, query)
            else:
                user.remove_search(query)
        return True

    # ------------------------------------------------------------ what a person wrote

    def pins(self) -> list[str]:
        """Return the keys of pinned sessions, latest first."""
        return self._user.pins()

    def pin(self, session: Session, *, on: bool = True) -> None:
        """Pin a session, or take the pin off."""
        private_folder(self.paths.data)
        self._user.pin(session.key, on=on)

    def notes(self, session: Session) -> list[Note]:
        """Return what a person wrote about a session and its messages, oldest first."""
        return self._user.notes(session.key)

    def add_note(self, session: Session, position: int, text: str) -> int:
        """Write a note about a message, or with -1 about the session; return its id."""
        private_folder(self.paths.data)
        return self._user.add_note(session.key, position, text)

    def remove_note(self, number: int) -> None:
        """Remove a note by its id."""
        self._user.remove_note(number)

    def position(self, session: Session) -> int:
        """Return where a person stopped reading a session, -1 for nowhere or its end."""
        return self._user.position(session.key)

    def set_position(self, session: Session, position: int) -> None:
        """Note where a person stopped reading a session, -1 for its end."""
        private_folder(self.paths.data)
        self._user.set_position(session.key, position)

    # ------------------------------------------------------------ reach

    def reach(self, chosen: Filter | None = None) -> Reach:
        """Say what is covered: sources, sessions, days, index age, gaps."""
        from recall_tui.search.reach import reached

        restricted = self._restricted(chosen)
        stores = self._stores()
        return self._dated(reached(stores, restricted))

    def gaps(self) -> list[Gap]:
        """Return every known gap."""
        return self.reach().gaps

    def version(self) -> int:
        """Return a number that changes when the store does: poll it to refresh (cheap)."""
        return sum(corpus.version() for corpus in self._stores())

    # ------------------------------------------------------------ the index

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
        """
        from recall_tui.store.sync.run import sync

        private_folder(self.paths.data)
        with closing(UserStore(self.paths.user_file)) as user:
            progress = sync(
                self._index,
                self.places,
                on_progress=on_progress,
                stop=stop,
                excluded=self._excluded(user),
                rebuild=rebuild,
                verify=verify,
                wait_s=wait_s,
            )
        self._compared_ms = clock.now_ms()
        return progress

    def watch(self, on_progress: Callable[[SyncProgress], None], stop: Callable[[], bool]) -> None:
        """Sync, then keep the index live until `stop`."""
        from recall_tui.store.watch import watch

        private_folder(self.paths.data)
        with closing(UserStore(self.paths.user_file)) as user:
            watch(
                self._index,
                self.places,
                on_progress=on_progress,
                stop=stop,
                excluded=self._excluded(user),
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
        with closing(UserStore(self.paths.user_file)) as user:
            forgotten = forget(self._index, user, keys) if keys else Forgotten()
            for session in in_place:  # nothing is derived from it but what a person wrote
                user.bury([(mark_of(session.harness, session.native_id), b"")])
                user.drop_session(session.key)
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
        from recall_tui.store.sync.pending import pending

        if self.live or clock.now_ms() - self._fresh_ms() < self.settings.freshness_s * 1000:
            return None
        with self._catching_up, closing(UserStore(self.paths.user_file)) as user:
            found = pending(self._index, self.places, self._excluded(user))
        self._compared_ms = clock.now_ms()
        self._gaps_seen = found.gaps
        if not found.sources and not found.marks:
            return None
        if limit_bytes is not None and found.bytes > limit_bytes:
            return found
        try:
            self.sync(on_progress)
        except StoreBusyError:
            return found
        return None

    # ------------------------------------------------------------ inside

    def _exists(self) -> bool:
        return os.path.exists(self._index)

    def _fresh_ms(self) -> int:
        """Return when the sources were last compared with the index, by us or anybody."""
        return max(self._compared_ms, self._store.synced_ms() if self._exists() else 0)

    def _stores(self) -> list[StoreCorpus | WorkspaceCorpus]:
        """Return what holds sessions for good: the index, and workspaces read in place."""
        return [*([self._store] if self._exists() else []), *self._workspaces()]

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

        with closing(UserStore(self.paths.user_file)) as user:
            excluded = self._excluded(user)
        return [WorkspaceCorpus(Where(files, root), excluded) for files, root in found]

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

    def _corpora(self) -> Sequence[Corpus]:
        """Return the bodies of sessions that together hold everything, each session once."""
        waiting = self.catch_up(CATCH_UP_BYTES)
        if waiting is None or not waiting.sources:
            return self._stores()
        from recall_tui.search.cold import ColdCorpus
        from recall_tui.search.without import Without

        self._read_in_background()
        self._cold = ColdCorpus([(registry.get(s.harness), s) for s in waiting.sources])
        index = [Without(self._store, waiting.stale)] if self._exists() else []
        return [self._cold, *index, *self._workspaces()]

    def _read_in_background(self) -> None:
        """Start `recall index` on its own; it ends at once when another is writing already."""
        if self._env.get("RECALL_BACKGROUND") == "0":
            return
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

    def _holding(self, session: Session, corpora: Sequence[C]) -> tuple[C, int]:
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

    def _list(self, chosen: Filter) -> list[Session]:
        found = [corpus.sessions(chosen) for corpus in self._stores()]
        return list(heapq.merge(*found, key=lambda session: (-session.ended_ms, session.key)))

    def _everything(self) -> list[Corpus]:
        return [*self._stores(), *filter(None, [self._cold])]

    def _restricted(self, chosen: Filter | None) -> Filter:
        """Return a filter that keeps to the named sources."""
        chosen = chosen or Filter()
        return replace(chosen, roots=chosen.roots or self._only) if self._only else chosen

    @contextmanager
    def _writing_user(self) -> Iterator[UserStore]:
        private_folder(self.paths.data)
        with closing(UserStore(self.paths.user_file)) as user:
            yield user

    def _excluded(self, user: UserStore) -> Callable[[Source], bool]:
        """Return the test for sources that must not be read: forgotten, or left out by settings."""
        forgotten = user.forgotten()
        patterns = [os.path.expanduser(pattern) for pattern in self.settings.exclude]
        if not patterns:
            return forgotten
        return lambda source: (
            forgotten(source) or any(fnmatch.fnmatch(source.path, pattern) for pattern in patterns)
        )

    def _finishing(self, updates: Iterator[GrepUpdate]) -> Iterator[GrepUpdate]:
        for update in updates:
            if update.done:
                self._dated(update.reach)
            yield update

    def _dated(self, reach: Reach) -> Reach:
        """Complete a reach with what only the composition root knows."""
        if self._exists():
            reach.index_age_ms = max(0, clock.now_ms() - self._fresh_ms())
        reach.add(self._gaps_seen)
        reach.add(
            Gap(GapKind.UNREADABLE, 1, fault, "reinstall or remove that package", harness)
            for harness, fault in registry.faults().items()
        )
        if not reach.sessions_total and not self._exists():
            reach.add([self._nothing()])
        return reach

    def _nothing(self) -> Gap:
        """Return the gap for a machine without any history: what was looked for, and where."""
        places = ", ".join(dict.fromkeys(place.root for place in self.places))
        return Gap(
            GapKind.NO_SOURCES, 1, f"no sessions in {places}", "recall --demo shows a sample"
        )


def holds_secret(query: str) -> bool:
    """Return whether a query, or a word of it, looks like a credential."""
    from recall_tui.text.redact import is_secret

    return is_secret(query) or any(is_secret(word) for word in query.split())


def source_of(session: Session) -> Source:
    """Return the source a session was read from.

    Raises:
        SourceError: It is gone.
    """
    try:
        status = os.stat(session.path)
    except OSError as error:
        raise SourceError(
            f"{session.path} is not there any more", "its text is kept, its pictures are not"
        ) from error
    return Source(
        session.harness, session.path, session.part, session.native_id, status.st_size,
        status.st_mtime_ns, status.st_ctime_ns, session.root,
        session.parent if session.kind is SessionKind.SUBAGENT else "",
    )  # fmt: skip


def _demo(paths: Paths, env: dict[str, str]) -> tuple[list[str], dict[str, str]]:
    """Return the sources of the demo and an environment in which Recall keeps to its folder."""
    from pathlib import Path

    from recall_tui import demo

    folder = private_folder(os.path.join(paths.state, f"demo-{demo.VERSION}"))
    sources = demo.ensure(Path(folder), clock.now_ms())
    return sources, {**env, HOME: os.path.join(folder, "recall")}
