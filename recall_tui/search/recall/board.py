"""What scoring works on: the scan, the sessions it found, and evidence as it comes out."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from recall_tui.model import Filter, Flag, Kind
from recall_tui.named import NamedTuple
from recall_tui.search.recall.hits import name_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from recall_tui.model import Session
    from recall_tui.search.ports import Corpus
    from recall_tui.search.recall.envelope import Tier
    from recall_tui.search.recall.hits import Table
    from recall_tui.search.recall.scan import Scan
    from recall_tui.store.block import Block

Place: TypeAlias = "tuple[int, int]"
"""(corpus number, row id) of a session."""

Counts: TypeAlias = "dict[int, float]"
"""Term number -> occurrences."""


class Evidence(NamedTuple):
    """A message that may anchor a passage."""

    score: float
    tier: Tier
    time_ms: int
    position: int
    kind: int
    digest: int
    counts: Counts
    """In the evidence: the message, or for a sentence its stretch of messages."""
    kinds: frozenset[int]
    """Kinds of the messages that hold something."""
    near: frozenset[int] = frozenset()
    """Numbers of the terms of which only near forms are there."""


class Ranked(NamedTuple):
    """A session with its evidence, best first."""

    corpus: int
    session: Session
    score: float
    tier: Tier
    evidence: list[Evidence]
    kinds: bytearray
    """Kind of each message by position, 0 where none is known."""
    pushed: tuple[str, ...] = ()


class Board:
    """Everything scoring knows of one search."""

    def __init__(self, corpora: Sequence[Corpus], chosen: Filter, scan: Scan) -> None:
        """Hold a search.

        Args:
            corpora: As scanned.
            chosen: The filter of the search.
            scan: The scan, done.
        """
        self.corpora = corpora
        self.chosen = chosen
        self.found = found = scan.found
        self._scan = scan
        held = [corpus.coverage(chosen) for corpus in corpora]
        counted = [one.messages if one.searchable is None else one.searchable for one in held]
        self.population = sum(counted)
        """Messages of all eligible sessions that could be found, read or not (S0-66, S0-71)."""
        self.counted = all(one.searchable is not None for one in held)
        """False when a corpus could not say how many it holds; then it must be read whole."""
        self.size = sum(one.sessions for one in held)
        """Eligible sessions."""
        self._known = {seen.name: at for at, seen in enumerate(found.blocks)}
        self._sessions: dict[Place, Session] = {}

    def session(self, place: Place) -> Session:
        """Return a session by its place; looked up one by one, for few are ever asked for."""
        known = self._sessions.get(place)
        if known is None:
            known = self._sessions[place] = self.corpora[place[0]].session(place[1])
        return known

    def listed(self) -> Iterator[tuple[Place, Session]]:
        """Yield every eligible session with its place."""
        for number, corpus in enumerate(self.corpora):
            for session in corpus.sessions(self.chosen):
                yield (number, session.id), session

    def load(self, place: Place) -> Iterator[tuple[int, Block]]:
        """Yield the blocks of a session as they are read: (place in `found.blocks` or -1, block).

        A session may be larger than all others together, so none is held as a whole.
        """
        number, row = place
        chosen = Filter(sessions=(self.session(place).key,), include_copies=True)
        for block in self.corpora[number].blocks(chosen):
            if block.session == row and len(block.meta):
                yield self._known.get(name_of(number, block), -1), block

    def prompts(self, corpus: int, block: Block) -> Iterator[int]:
        """Yield the prompts of a block that may be found, by index."""
        admits = self._scan.admits(corpus, block)
        for index, kind in enumerate(block.meta.kinds):
            if kind == Kind.PROMPT and (admits is None or admits(index)):
                yield index

    def table(self, corpus: int, at: int, block: Block) -> Table:
        """Return the hits of a block that `load` read, complete."""
        table = self.found.table(at) if at >= 0 else {}
        self._scan.again(corpus, block, table)
        return table


def order(evidence: Evidence) -> tuple[int, float, int, int]:
    """Return what evidence is sorted by: tier, score, time, position (S0-74)."""
    return (-evidence.tier, -evidence.score, -evidence.time_ms, evidence.position)


def note_kinds(known: bytearray, block: Block) -> None:
    """Write the kind of each message of a block into a session's kinds by position.

    Who spoke into a running turn began none (S0-78): for this it counts as an answer.
    """
    meta = block.meta
    missing = max(meta.positions, default=-1) + 1 - len(known)
    if missing > 0:
        known.extend(bytes(missing))
    for position, kind, flags in zip(meta.positions, meta.kinds, meta.flags, strict=True):
        known[position] = Kind.ANSWER if flags & Flag.WITHIN else kind


def kinds_of(blocks: Iterable[Block]) -> bytearray:
    """Return the kind of each message of a session by position, from its blocks."""
    known = bytearray()
    for block in blocks:
        note_kinds(known, block)
    return known
