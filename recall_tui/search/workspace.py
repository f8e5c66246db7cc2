"""The ledger app's workspace as a body of sessions: read where it lies, as of each question.

A listing costs headers and counts; a session's text is read and made into blocks when its turn in
the scan comes. `candidates` names the sessions that may hold a term, so that a caller can ask for
the blocks of those alone; what it finds there is what it would have found in all of them.
"""

from __future__ import annotations

import heapq
import sqlite3
import threading
from collections import Counter, OrderedDict
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

from recall_tui.errors import SourceError, StoreError
from recall_tui.model import Candidates, Coverage, Declined, Gap, GapKind
from recall_tui.search.reach import coverage_of
from recall_tui.search.sessions import admitted, named, under
from recall_tui.store.block import Block
from recall_tui.store.rows import messages_of, newest_first
from recall_tui.text.safe import safe
from recall_tui.workspace import HARNESS, catalogue, database, narrow, transcript

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from recall_tui.harnesses.base import Source
    from recall_tui.model import Filter, Kind, Message, Session
    from recall_tui.search.raw import RawFile, Wanted
    from recall_tui.workspace.catalogue import Catalogue, Entry, Place
    from recall_tui.workspace.database import Database

KEPT: Final = 4
"""Sessions whose text is kept after it was read: a hit is shown, then its neighbours are."""

_BLOCKS: Final = 1 << 20
"""More blocks than any session has: row and number make a block's id."""


class WorkspaceCorpus:
    """One workspace. Safe to use from any thread; implements `search.ports.Corpus`."""

    name = "workspace"

    def __init__(
        self,
        place: Place,
        excluded: Callable[[Source], bool] = lambda _: False,
        active: str = "",
    ) -> None:
        """Open nothing yet.

        Args:
            place: Where the workspace lies, and the root it was found under.
            excluded: Whether a session must not be read.
            active: Native id of the session that is asking: of its family it is the one shown.
        """
        self.place = place
        self._excluded = excluded
        self._active = active
        self._guard = threading.RLock()
        self._rows: dict[str, int] = {}
        self._token: tuple[int, ...] = ()
        self._listed: Catalogue | None = None
        self._read: OrderedDict[int, transcript.Transcript] = OrderedDict()
        self._damage: dict[int, transcript.Damage] = {}
        self._failures: Counter[str] = Counter()
        """Why a session could not be read -> how many."""

    # ------------------------------------------------------------ the port

    def sessions(self, chosen: Filter) -> list[Session]:
        """Return the sessions a filter admits, newest first, ties by id (S0-24)."""
        listed = [entry.session for entry in self._catalogue().entries.values()]
        return sorted(admitted(listed, chosen), key=newest_first)

    def blocks(self, chosen: Filter) -> Iterator[Block]:
        """Yield the blocks that may hold an admitted message, by falling `last_ms`.

        A session is read when nothing newer than its end is left to yield. What cannot be read is
        a gap: it must not end a search that has other corpora.
        """
        waiting: list[tuple[int, int, Block]] = []
        newest = 1 << 62
        for session, blocks in self._read_each(self.sessions(chosen)):
            while waiting and -waiting[0][0] > session.ended_ms:
                newest = min(newest, -waiting[0][0])
                yield heapq.heappop(waiting)[2]
            for block in blocks:
                block.last_ms = min(block.last_ms, newest)
                heapq.heappush(waiting, (-block.last_ms, block.id, block))
        while waiting:
            yield heapq.heappop(waiting)[2]

    def divisible(self, chosen: Filter) -> bool:
        """Return False: what is read is kept, and a child could not hand it over."""
        return False

    def coverage(self, chosen: Filter) -> Coverage:
        """Return how much the sessions that a filter admits hold."""
        held = coverage_of(self.sessions(chosen))
        counted = held.messages if self._catalogue().counted else None
        return held._replace(sources=min(1, held.sessions), searchable=counted)

    def session(self, row: int) -> Session:
        """Return the session of a row id.

        Raises:
            StoreError: It is not (any more) there.
        """
        return self._entry(row).session

    def find(self, name: str) -> list[Session]:
        """Return the sessions a key, native id, path or unique prefix of an id names."""
        return named(name, [entry.session for entry in self._catalogue().entries.values()])

    def messages(self, row: int, start: int = 0, stop: int | None = None) -> list[Message]:
        """Return messages by position, `start` inclusive, `stop` exclusive, in position order."""
        session = self.session(row)
        with self._guard:
            read = self._read.get(row)
        if read is None:
            with database.opened(self.place.files.runtime) as connection:
                read = self._transcript(connection, row)
        end = 1 << 62 if stop is None else stop
        parts = (
            messages_of(session.key, b.meta, b.raw, b.attributes, start, end) for b in read.blocks
        )
        return sorted(chain.from_iterable(parts), key=lambda message: message.position)

    def candidates(self, terms: Sequence[bytes], chosen: Filter) -> Candidates | Declined:
        """Name the sessions that may hold one of the folded terms, or decline.

        Raises:
            ValueError: A term is not folded.
        """
        entries = self._catalogue().entries
        wanted = [entries[s.id] for s in self.sessions(chosen)]
        if not wanted:
            return Candidates(frozenset())
        asked = narrow.Asked(
            [e.header.id for e in wanted if e.header.ledger],
            [e.header.id for e in wanted if not e.header.ledger],
        )
        try:
            with database.opened(self.place.files.runtime) as connection:
                found = narrow.candidates(connection, terms, asked)
        except SourceError as error:
            return Declined(error.message)
        if isinstance(found, Declined):
            return found
        return Candidates(frozenset(e.session.id for e in wanted if e.header.id in found))

    def gaps(self, chosen: Filter) -> list[Gap]:
        """Return what could not be listed, and what the sessions read so far had to leave out."""
        if chosen.harnesses and HARNESS not in chosen.harnesses:
            return []
        path = self.place.files.runtime
        if chosen.roots and not any(under(path, root) for root in chosen.roots):
            return []
        with self._guard:
            damage = list(self._damage.values())
            failed = [
                Gap(GapKind.UNREADABLE, number, f"session cannot be read: {reason}", "", path)
                for reason, number in self._failures.items()
            ]
        return [*self._catalogue().gaps, *failed, *_gaps(damage, path)]

    # ------------------------------------------------------------ beyond the port

    def asking(self, session: str) -> WorkspaceCorpus:
        """Return the same workspace as a session of it sees it (S0-23).

        Args:
            session: Key of the session that is asking.
        """
        harness, _, name = session.partition(":")
        if harness != HARNESS or not name:
            return self
        return WorkspaceCorpus(self.place, self._excluded, name)

    def workspace_root(self, session: str) -> str:
        """Return the scope of the facts that belong to a session, empty when it is not here."""
        listed = self._catalogue().entries.values()
        return next((e.header.workspace_root for e in listed if e.session.key == session), "")

    def root_of(self, folder: str) -> tuple[str, str]:
        """Return the deepest place a session was in that holds a folder, and its scope of facts.

        Both are empty when no session was in the folder or above it.
        """
        places = {
            (place, entry.header.workspace_root)
            for entry in self._catalogue().entries.values()
            for place in (entry.header.workspace_root, entry.header.cwd)
            if place and entry.header.workspace_root
        }
        holding = [found for found in places if under(folder, found[0])]
        return max(holding, key=lambda found: (len(found[0]), found), default=("", ""))

    def version(self) -> int:
        """Return a number that changes when the workspace does. Cheap: poll it."""
        return hash(database.change_token(self.place.files.runtime)) & 0x7FFF_FFFF

    def raw(self, wanted: Wanted, admits: Callable[[Kind, int], bool]) -> Iterator[RawFile]:
        """Yield the sessions whose messages hold something, read as the app wrote them.

        Raises:
            SourceError: The workspace cannot be read.
        """
        from recall_tui.search.raw import RawFile, of_messages  # noqa: PLC0415 - hardly ever asked

        path = self.place.files.runtime
        with database.opened(path) as connection:
            for entry in self._catalogue().entries.values():
                found = RawFile(path, HARNESS, entry.session.key)
                said = transcript.written(connection, self.place.files.folder, entry.header)
                of_messages(found, entry.session.key, said, wanted, admits)
                if found.messages:
                    yield found

    # ------------------------------------------------------------ inside

    def _catalogue(self) -> Catalogue:
        """Return the list of sessions, read anew when the database was written."""
        with self._guard:
            token = database.change_token(self.place.files.runtime)
            if self._listed is None or token != self._token:
                self._token = token
                self._listed = catalogue.load(
                    self.place, self._row_of, self._excluded, self._active
                )
                self._read.clear()
                self._damage.clear()
                self._failures.clear()
            return self._listed

    def _row_of(self, native_id: str) -> int:
        return self._rows.setdefault(native_id, len(self._rows) + 1)

    def _entry(self, row: int) -> Entry:
        entry = self._catalogue().entries.get(row)
        if entry is None:
            raise StoreError("the session is no longer in the workspace", "search again")
        return entry

    def _read_each(self, sessions: Sequence[Session]) -> Iterator[tuple[Session, Iterator[Block]]]:
        """Read sessions in order, as of one moment; note those that cannot be read."""
        if not sessions:
            return
        try:
            with database.opened(self.place.files.runtime) as connection:
                for session in sessions:
                    try:
                        read = self._transcript(connection, session.id)
                    except (sqlite3.Error, StoreError) as error:
                        self._fail(str(error))
                        continue
                    yield session, self._blocks_of(session, read)
        except SourceError as error:
            self._fail(error.message)

    def _fail(self, reason: str) -> None:
        """Note that something could not be read."""
        with self._guard:
            self._failures[safe(reason)] += 1

    def _blocks_of(self, session: Session, read: transcript.Transcript) -> Iterator[Block]:
        """Yield the blocks of one session."""
        for number, built in enumerate(read.blocks):
            last_ms = max(time_ms or session.ended_ms for time_ms in built.meta.times)
            yield Block(
                session.id * _BLOCKS + number, session.id, built.kind, last_ms, built.meta,
                built.fold, partial(getattr, built, "raw"), partial(getattr, built, "attributes"),
                session.copied,
            )  # fmt: skip

    def _transcript(self, connection: Database, row: int) -> transcript.Transcript:
        """Read a session, and keep it for a while."""
        entry = self._entry(row)
        read = transcript.read(connection, self.place.files.folder, entry.header)
        with self._guard:
            self._damage[row] = read.damage
            self._read[row] = read
            while len(self._read) > KEPT:
                self._read.popitem(last=False)
        return read


def _gaps(damage: Sequence[transcript.Damage], path: str) -> list[Gap]:
    """Return what reading had to leave out as gaps."""
    found = [
        Gap(GapKind.UNPARSED, sum(one.unparsed for one in damage),
            "record of the workspace is damaged or incomplete", "", path),
        Gap(GapKind.GONE, sum(one.missing for one in damage),
            "archived tool result: its body is not available", "", path),
        Gap(GapKind.BROKEN_MATERIAL, sum(one.corrupt for one in damage),
            "archived tool result: its body is not the one that was archived", "", path),
    ]  # fmt: skip
    unknown = sum((one.unknown for one in damage), Counter[str]())
    if unknown:
        names = ", ".join(safe(name) for name, _ in unknown.most_common(4))
        found.append(
            Gap(GapKind.UNKNOWN_RECORDS, unknown.total(), f"content of unknown kinds: {names}",
                "update recall-tui", path)
        )  # fmt: skip
    return [gap for gap in found if gap.count]
