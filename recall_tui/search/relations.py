"""Whose messages the sessions of unread sources repeat, and which main session they belong to.

The index settles both once everything is read; here it is found out for one session at a time,
with the same outcome (`store.copies`, `store.families`): only what may be related is read, twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recall_tui.model import SessionKind
from recall_tui.named import NamedTuple
from recall_tui.search.kin import Kin
from recall_tui.store import ingest
from recall_tui.store.clean import clean_facts, session_name
from recall_tui.store.copies import History, Origin, copies, identity, shared, summed_up
from recall_tui.store.families import searchable_before, topmost

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from recall_tui.harnesses.base import Facts, Harness, Source
    from recall_tui.store.block import Meta
    from recall_tui.store.copies import Indexed


class Mark(NamedTuple):
    """What a session is known by among its relatives."""

    native_id: str
    parent: str
    """Native id of the main session of a subagent, or of the origin of a fork."""
    is_fork: bool
    first_record: int
    """Hash of its first native record id, 0 without one."""
    begins: int
    """What identifies its first message among copies."""
    started_ms: int

    @property
    def forked_from(self) -> str:
        """Native id of what a fork names as its origin, empty for all others."""
        return self.parent if self.is_fork else ""

    def names(self) -> list[int | str]:
        """Return what it shares with those it may have copied, or that copied it."""
        shared = (self.native_id, self.first_record, self.forked_from)
        return [name for name in shared if name]

    def is_near(self, other: Mark) -> bool:
        """Whether two sessions have to be read and compared: a glimpse knows no more."""
        if self.begins == other.begins:
            return not set(self.names()).isdisjoint(other.names())
        forked = {self.forked_from, other.forked_from} - {""}
        return not forked.isdisjoint({self.native_id, other.native_id})

    @classmethod
    def of(cls, source: Source, facts: Facts, first_record: int, begins: int) -> Mark:
        """Return the mark of a session.

        Args:
            source: Where it lies.
            facts: What it says of itself.
            first_record: Hash of its first native record id, 0 without one.
            begins: What identifies its first message.
        """
        clean = clean_facts(facts)
        return cls(
            clean.native_id or session_name(source.native_id),
            clean.parent or session_name(source.parent),
            clean.kind is SessionKind.FORK,
            first_record,
            begins,
            clean.started_ms,
        )


class Draft(NamedTuple):
    """A session as it was read, without its texts."""

    mark: Mark
    metas: list[Meta]

    def marks(self) -> list[int | str]:
        """Return what an indexed relative has, begins with or sums up: see `Mark.names`."""
        summaries = {meta.records[at] for meta in self.metas for at in summed_up(meta)}
        return [*self.mark.names(), *summaries]


class Share(NamedTuple):
    """What of a session was written first in another one."""

    original: int = -1
    """Row of that one; -1 when there is none, or the index holds it."""
    copied: int = 0
    """Leading messages that are copies."""
    searchable: int = 0
    """Those of them that recall finds."""


NOTHING = Share()


class Relations:
    """The relations of some sources."""

    def __init__(
        self,
        sources: Sequence[tuple[Harness, Source]],
        read: Callable[[int], Draft | None],
        histories: Callable[[str, Sequence[int | str]], Mapping[int, Indexed]],
    ) -> None:
        """Look at nothing yet.

        Args:
            sources: By row.
            read: Reads a session; None when a row holds none.
            histories: Tells of sessions beside these, as `StoreCorpus.histories` does: what they
                hold counts there.
        """
        self.kin = Kin(sources)
        self._sources = sources
        self._read = read
        self._histories = histories
        self._marks: dict[int, Mark | None] = {}
        self._shares: dict[int, Share] = {}
        self.unsettled: set[int] = set()
        """Rows of which the index counts messages otherwise than it will once it holds all: in a
        session that copied them, or in two."""

    def note(self, row: int, draft: Draft | None) -> Share:
        """Take what was read of a row, and return what of it is a copy."""
        self._marks[row] = draft.mark if draft else None
        if row not in self._shares:
            self._settle(row, draft)
        return self._shares[row]

    def main(self, row: int) -> int:
        """Return the row of the main session a row belongs to: itself, or one far above."""
        return topmost(row, self._above)

    def native_id(self, row: int) -> str:
        """Return the native id of a row that holds a session."""
        mark = self._mark(row)
        return mark.native_id if mark else ""

    def _above(self, row: int) -> int | None:
        """Return the row right above one, if there is one: its parent, else its original."""
        mark = self._mark(row)
        if mark is None:
            return None
        if mark.parent:
            named = self.kin.named(self._sources[row][1].harness, mark.parent)
            there = [other for other in named if other != row and self._mark(other)]
            if there:
                return min(there, key=self._folded) if len(there) > 1 else there[0]
        if row not in self._shares and len(self._family(row)) == 1:
            return None  # without reading it
        original = self._share(row).original
        return None if original < 0 else original

    def _folded(self, row: int) -> tuple[bool, str, str]:
        """Return what an index orders the sessions of one native id by."""
        draft = self._read(row)
        share = self.note(row, draft)
        size = sum(map(len, draft.metas)) if draft else 0
        source = self._sources[row][1]
        return 0 < size <= share.copied, source.path, source.part

    def _share(self, row: int) -> Share:
        if row not in self._shares:
            self.note(row, self._read(row))
        return self._shares[row]

    def _settle(self, row: int, draft: Draft | None) -> None:
        """Find out what the relatives of a row share with each other."""
        drafts = {row: draft} if draft else {}
        for other in self._family(row) if draft else ():
            if other != row and (found := self._read(other)):
                drafts[other] = found
        shares: dict[int, Share] = {row: NOTHING}
        for other, copied in self._copied(drafts).items():
            shares[other] = Share(*copied, searchable_before(copied[1], drafts[other].metas))
        for other in drafts:
            self._shares[other] = shares.get(other, NOTHING)
        self._shares.setdefault(row, NOTHING)

    def _copied(self, drafts: dict[int, Draft]) -> dict[int, tuple[int, int]]:
        """Return row -> (row of the original, messages copied) of the copies in a family."""
        outside = {
            row: self._histories(self._sources[row][1].harness, draft.marks())
            for row, draft in drafts.items()
        }
        if len(drafts) == 1 and not any(outside.values()):
            return {}
        held = {row: History.of(draft.metas) for row, draft in drafts.items()}
        origins = {row: self._origin(row, draft.mark) for row, draft in drafts.items()}
        indexed = {number: one for found in outside.values() for number, one in found.items()}
        held |= {~number: one.history for number, one in indexed.items()}
        origins |= {~number: one.origin for number, one in indexed.items()}
        found = copies(origins, held)
        counted = {}
        for row, draft in drafts.items():
            original, settled = found.get(row, (row, 0))
            ids = draft.mark.first_record != 0
            start = 0 if original < 0 else settled
            copied = _counted_elsewhere(start, held[row], outside[row].values(), ids=ids)
            if copied != settled:
                self.unsettled.add(row)
            if copied:
                # An original in the index has a number below 0, and is none of these.
                counted[row] = (max(original, -1) if copied == settled else -1), copied
        for number, one in indexed.items():
            original, settled = found.get(~number, (-1, 0))
            if original >= 0 and settled > one.copied:
                self.unsettled.add(original)
        # What was indexed meanwhile is there twice, and no copy.
        places = {one.origin.place for one in indexed.values()}
        self.unsettled -= {row for row in drafts if origins[row].place in places}
        return counted

    def _origin(self, row: int, mark: Mark) -> Origin:
        source = self._sources[row][1]
        return Origin(
            mark.native_id,
            mark.forked_from,
            mark.first_record,
            mark.started_ms,
            gone=False,
            place=(source.path, source.part),
        )

    def _family(self, row: int) -> set[int]:
        """Return the rows that may share history with one, itself included."""
        found, queue = {row}, [row]
        while queue:
            one = queue.pop()
            mark = self._mark(one)
            if mark is None:
                continue
            near = self.kin.of(one)
            for name in (mark.native_id, mark.forked_from):
                near.update(self.kin.named(self._sources[one][1].harness, name))
            for other in near - found:
                theirs = self._mark(other)
                midway = other in self.kin.midway(one)
                if theirs is not None and (midway or mark.is_near(theirs)):
                    found.add(other)
                    queue.append(other)
        return found

    def _mark(self, row: int) -> Mark | None:
        """Return the mark of a row, by its first message alone when it was not read yet."""
        if row not in self._marks:
            self._marks[row] = _glimpse(*self._sources[row])
        return self._marks[row]


def _counted_elsewhere(start: int, mine: History, indexed: Iterable[Indexed], *, ids: bool) -> int:
    """Return how many leading messages of a session are counted in others.

    Until it holds all, the index counts of each session what it did not copy from others there: so
    many of the first messages are counted, whoever said them first.

    Args:
        start: So many of them are copies of an unread relative.
        mine: The session's messages.
        indexed: Its relatives in the index.
        ids: Whether its records have native ids.
    """
    spans = [(one.copied, shared(mine.records, one.history.records, ids=ids)) for one in indexed]
    copied = start
    while further := max((end for at, end in spans if at <= copied < end), default=0):
        copied = further
    return copied


def _glimpse(harness: Harness, source: Source) -> Mark | None:
    """Read a session as far as its first message; None when there is none."""
    try:
        transcript = harness.open(source)
        first = next(iter(transcript), None)
    except Exception:  # it is said when the session is read
        return None
    if first is None:
        return None
    message = ingest.prepare(first)
    record = message.record if first.record else 0
    return Mark.of(source, transcript.facts, record, identity(message.record, message.digest))
