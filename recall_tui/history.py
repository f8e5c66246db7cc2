"""The composition root: opens stores, wires ports, and is all the three fronts hold.

Whatever one front can do is a method here, so that the other two can show it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from recall_tui import clock
from recall_tui.errors import BadReferenceError, SourceError
from recall_tui.harnesses import registry
from recall_tui.harnesses.base import Source
from recall_tui.holdings import Holdings
from recall_tui.model import Filter, Gap, GapKind, Reach, SessionKind
from recall_tui.named import NamedTuple
from recall_tui.paths import here, private_folder
from recall_tui.scope import scope_of
from recall_tui.store.corpus import StoreCorpus
from recall_tui.store.user import UserStore
from recall_tui.upkeep import Upkeep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from recall_tui.config import Settings
    from recall_tui.harnesses.base import ResumeCommand
    from recall_tui.model import Kind, Listed, Message, Reference, Session
    from recall_tui.paths import Paths
    from recall_tui.scope import Scope
    from recall_tui.search.raw import RawFile, Wanted
    from recall_tui.search.recall.envelope import Envelope, MaterialBytes, More
    from recall_tui.search.recall.request import MaterialRequest, MoreRequest, RecallRequest
    from recall_tui.search.results import GrepQuery, GrepUpdate
    from recall_tui.store.damage import Damaged
    from recall_tui.store.forget import Forgotten
    from recall_tui.store.skeleton import Skeleton
    from recall_tui.store.sync.discover import Place
    from recall_tui.store.sync.pending import Pending
    from recall_tui.store.sync.progress import SyncProgress
    from recall_tui.store.user import Note


class Resolved(NamedTuple):
    """What a reference leads to."""

    reference: Reference
    session: Session
    state: str
    """same | changed | gone | session (the reference names no message)"""
    message: Message | None
    moved_to: int = -1
    """Where a changed reference's content stands now, when that is certain."""


class History:
    """Everything the fronts can ask. One object a process; safe to use from worker threads."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._user = UserStore(scope.paths.user_file)
        self._upkeep = Upkeep(scope, self._user)
        self._held = Holdings(scope, self._upkeep, self._user)

    @property
    def places(self) -> Sequence[Place]:
        """Where sessions lie."""
        return self._scope.places

    @property
    def paths(self) -> Paths:
        """Where our own files lie."""
        return self._scope.paths

    @property
    def settings(self) -> Settings:
        """The person's settings."""
        return self._scope.settings

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
        return cls(scope_of(sources, env, demo=demo, live=live))

    def close(self) -> None:
        """Close every connection."""
        self._upkeep.close()
        self._user.close()

    def kept_live(self, *, on: bool) -> None:
        """Learn whether another process keeps the index live; questions look themselves if not."""
        self._upkeep.live = on

    # ------------------------------------------------------------ sessions

    def sessions(self, chosen: Filter | None = None) -> list[Session]:
        """Return sessions newest first. Full copies of another session are left out.

        What is not in the index yet is read into it first, however much it is.
        """
        self._upkeep.catch_up()
        return self._held.sessions(self._held.restricted(chosen))

    def listed(self, chosen: Filter | None = None) -> list[Listed]:
        """Return the places of what `sessions` returns, for an eighth of the time."""
        self._upkeep.catch_up()
        return self._held.listed(self._held.restricted(chosen))

    def listed_sessions(self, places: Iterable[Listed]) -> list[Session]:
        """Return the sessions of some places, newest first, without those gone meanwhile."""
        keys = {place.key for place in places}
        chosen = Filter(sessions=tuple(keys))
        found = self._held.sessions(self._held.restricted(chosen)) if keys else []
        return [session for session in found if session.key in keys]

    def find(self, name: str) -> list[Session]:
        """Return the sessions a key, native id, unique prefix, path or reference names."""
        from recall_tui.search import refs
        from recall_tui.search.sessions import under

        self._upkeep.catch_up()
        bare = name.partition("#")[0]
        found = [session for _, session in refs.find(bare, self._held.stores())]
        only = self._held.restricted(None).roots
        return [s for s in found if not only or any(under(s.path, root) for root in only)]

    def children(self, session: Session) -> list[Session]:
        """Return the subagents, forks and copies folded under a session, oldest first."""
        everyone = self._held.listed(Filter(include_copies=True))
        family = self.listed_sessions(s for s in everyone if s.parent == session.key)
        return sorted(family, key=lambda s: (s.started_ms, s.key))

    def messages(self, session: Session, start: int = 0, stop: int | None = None) -> list[Message]:
        """Return messages by position, in order."""
        corpus, row = self._held.holding(session, self._held.everything())
        return corpus.messages(row, start, stop)

    def skeleton(self, session: Session) -> Skeleton:
        """Return the arrays a virtual transcript lays out from."""
        self._upkeep.catch_up()
        corpus, row = self._held.holding(session, self._held.stores())
        if isinstance(corpus, StoreCorpus):
            return corpus.skeleton(row)
        from recall_tui.store.skeleton import Skeleton

        return Skeleton.of_messages(corpus.messages(row))

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

        query = query._replace(chosen=self._held.restricted(query.chosen))
        return self._dated(grep(self._held.corpora(), query, stop))

    def raw(
        self,
        wanted: Wanted,
        chosen: Filter,
        gaps: list[Gap],
        stop: Callable[[], bool] = lambda: False,
    ) -> Iterator[RawFile]:
        """Look for a secret in the sources themselves: places come out, never a text.

        Args:
            wanted: What to look for.
            chosen: Its harnesses, times, roles and kinds hold.
            gaps: Takes in what could not be read.
            stop: Asked between sources.
        """

        def admits(kind: Kind, time_ms: int) -> bool:
            low = -1 if chosen.since_ms is None else chosen.since_ms
            high = 1 << 62 if chosen.until_ms is None else chosen.until_ms
            return chosen.admits_kind(kind) and (not time_ms or low <= time_ms <= high)

        return self._held.raw(wanted, admits, chosen.harnesses, gaps, stop)

    def positions_matching(self, session: Session, query: GrepQuery) -> list[int]:
        """Return every position in one session that matches (find inside)."""
        from recall_tui.search.grep import positions

        corpus, row = self._held.holding(session, self._held.everything())
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
        request = request._replace(chosen=self._held.restricted(request.chosen))
        envelope = recall(
            self._held.corpora(request.current_session),
            request,
            stop,
            zone(request.zone),
            self._held.fact_sources(),
            self._held.fact_scope(request.current_session, here()),
        )
        self._held.dated(envelope.reach)
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
        return more(self._held.corpora(request.current_session), request, stop)

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
        corpora = self._held.corpora(request.current_session)
        reference, material = held_material(corpora, request, stop)
        return MaterialBytes(reference, material, self.material(reference, material.id))

    def resolve(self, reference: Reference | str) -> Resolved:
        """Look a reference up; a changed record resolves as changed, never as another.

        Raises:
            BadReferenceError: Malformed, or no such session.
        """
        from recall_tui.search import refs

        self._upkeep.catch_up()
        found = refs.resolve(reference, self._held.stores())
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
        """Return the harness's own resume command, None when it has none for this session.

        An id is what a file says it is: one that begins with a dash would be taken for an option.
        """
        if session.native_id.startswith("-"):
            return None
        return registry.get(session.harness).resume(session)

    # ------------------------------------------------------------ searches of a person

    def asked(self) -> list[str]:
        """Return the searches that were made here, latest first, as long as they are kept (Q34)."""
        from recall_tui.text.notation import DAY_MS

        kept_ms = int(self.settings.keep_searches_days * DAY_MS)
        self._user.drop_asked(clock.now_ms() - kept_ms)
        return self._user.asked()

    def note_asked(self, query: str) -> None:
        """Remember a search if a person wants that; never one that looks like a credential."""
        from recall_tui.text.redact import holds_secret

        if self.settings.keep_searches_days and not holds_secret(query):
            private_folder(self.paths.data)
            self._user.note_asked(query)

    def searches(self) -> list[str]:
        """Return the searches a person keeps, by name."""
        return [query for _, query in self._user.searches()]

    def keep_search(self, query: str, *, on: bool = True) -> bool:
        """Keep a search, or let it go; return False for one that looks like a credential."""
        from recall_tui.text.redact import holds_secret

        if on and holds_secret(query):
            return False
        private_folder(self.paths.data)
        if on:
            self._user.save_search(query, query)
        else:
            self._user.remove_search(query)
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
        """Write a note about a message, or with -1 about the session; return its id.

        A secret in it is replaced, as everywhere.
        """
        from recall_tui.text.safe import safe

        private_folder(self.paths.data)
        return self._user.add_note(session.key, position, safe(text))

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

        restricted = self._held.restricted(chosen)
        stores = self._held.stores()
        return self._held.dated(reached(stores, restricted))

    def sources(self, chosen: Filter) -> int:
        """Return how many sources the index knows of a filter's harnesses and roots."""
        return sum(corpus.coverage(chosen).sources for corpus in self._held.stores())

    def left_out(self, found: Iterable[Source], chosen: Filter) -> tuple[int, int]:
        """Return how much a person wants left out of a filter's harnesses and roots.

        Args:
            found: The sources that lie there.
            chosen: The filter.

        Returns:
            How many of them the index does not know (they were forgotten, or their paths are left
            out), and how many it only knows to be of projects that are left out.
        """
        gaps = self.reach(chosen).gaps
        noted = sum(gap.count for gap in gaps if gap.kind is GapKind.EXCLUDED)
        return self._held.refused(found), noted

    def gaps(self) -> list[Gap]:
        """Return every known gap."""
        return self.reach().gaps

    def damaged(self) -> list[Damaged]:
        """Return every source that was not, or not wholly, read: the worst first."""
        return self._held.damaged(self._held.restricted(None))

    def version(self) -> int:
        """Return a number that changes when the store does: poll it to refresh (cheap)."""
        return self._held.version()

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
        """Compare the sources with the index and read what is new; see `Upkeep.sync`."""
        return self._upkeep.sync(on_progress, stop, rebuild=rebuild, verify=verify, wait_s=wait_s)

    def watch(self, on_progress: Callable[[SyncProgress], None], stop: Callable[[], bool]) -> None:
        """Sync, then keep the index live until `stop`."""
        self._upkeep.watch(on_progress, stop)

    def forget(self, sessions: Sequence[Session]) -> Forgotten:
        """Remove sessions from everything derived, for good; see `Holdings.forget`."""
        return self._held.forget(sessions)

    def catch_up(
        self,
        limit_bytes: int | None = None,
        on_progress: Callable[[SyncProgress], None] = lambda _: None,
    ) -> Pending | None:
        """Read what changed since the index was made; see `Upkeep.catch_up`."""
        return self._upkeep.catch_up(limit_bytes, on_progress)

    def _dated(self, updates: Iterator[GrepUpdate]) -> Iterator[GrepUpdate]:
        for update in updates:
            if update.done:
                self._held.dated(update.reach)
            yield update


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
