"""What a scan keeps of its matches: for each message and term an index and a count, nine bytes.

A count is exact for literal terms; for words it stops at `policy.TF_CAP`.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, TypeAlias

from recall_tui.named import NamedTuple
from recall_tui.store.block import BlockKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from recall_tui.search.recall.terms import Term
    from recall_tui.store.block import Block

Table: TypeAlias = "dict[int, dict[int, float]]"
"""Hits of a block: index of the message -> term number -> count."""


class Tally:
    """How common one term is."""

    __slots__ = ("beyond", "frequency", "put_off", "seen", "sessions", "share")

    def __init__(self) -> None:
        self.seen = 0
        """Messages it was found in."""
        self.frequency = 0.0
        """Messages that hold it, one with near forms only for less. An estimate when put off."""
        self.sessions = 0
        """Sessions it was found in."""
        self.beyond = 0
        """Messages that hold it beyond the horizon only. An estimate when put off."""
        self.put_off = [False for _ in BlockKind]
        """By kind of block: whether, from some block on, it was looked for in the messages of rarer
        words only."""
        self.share = 0.0
        """Share of the sessions read until then that it was found in."""

    def count(self, kind: int, counts: Iterable[float], beyond: int, sampled: int) -> None:
        """Count what a block holds.

        Args:
            kind: Of the block.
            counts: Occurrences in each of its messages that hold the term.
            beyond: Messages that hold it beyond the horizon only.
            sampled: How many blocks this one stands for where the term was put off.
        """
        times = sampled if self.put_off[kind] else 1
        weights = [count if count < 1 else 1 for count in counts]
        self.seen += len(weights)
        self.frequency += times * sum(weights)
        self.beyond += times * beyond

    def add(self, other: Tally, mine: int, theirs: int) -> None:
        """Add what another half of the sessions holds.

        Args:
            other: Of that half.
            mine: Sessions of this half.
            theirs: Sessions of the other half.
        """
        held = self.sessions_of(mine) + other.sessions_of(theirs)
        self.share = held / max(1, mine + theirs)
        self.seen += other.seen
        self.frequency += other.frequency
        self.sessions += other.sessions
        self.beyond += other.beyond
        self.put_off = [a or b for a, b in zip(self.put_off, other.put_off, strict=True)]

    @property
    def messages(self) -> int:
        """Messages that hold it."""
        return round(self.frequency) if self.estimated else self.seen

    @property
    def estimated(self) -> bool:
        """Whether it was put off, so that its numbers come from a sample."""
        return any(self.put_off)

    def sessions_of(self, sessions: float) -> float:
        """Return how many of so many sessions hold it."""
        return self.share * sessions if self.estimated else self.sessions


class Seen(NamedTuple):
    """A block with hits: where it is, and where its hits are."""

    corpus: int
    session: int
    kind: int
    first: int
    """Position of its first message."""
    size: int
    """Messages in it."""
    last_ms: int
    terms: tuple[int, ...]
    """Numbers of the terms it holds."""
    start: int
    """Place of its first hit; `end` is behind the last."""
    end: int

    @property
    def name(self) -> tuple[int, int, int, int, int]:
        """What it is known by when it is read again: ids may be running numbers."""
        return self[:5]


class Scanned:
    """What a scan found.

    Attributes:
        terms: What was looked for.
        tallies: Per term.
        blocks: The blocks with hits, in the order of the scan.
        totals: (corpus, session) -> counts per term over the whole session, type weights applied.
        sizes: (corpus, session) -> bytes of text, type weights applied.
        messages: Messages in the blocks that were looked into, by block kind.
        bytes: Their bytes, by block kind.
        matches: Messages found to hold a term.
        matched_length: Their visible lengths in characters of the folded text (S0-69).
    """

    def __init__(self, terms: Sequence[Term]) -> None:
        self.terms = terms
        self.tallies = [Tally() for _ in terms]
        self.blocks: list[Seen] = []
        self.totals: dict[tuple[int, int], list[float]] = {}
        self.sizes: dict[tuple[int, int], float] = {}
        self.messages = [0, 0]
        self.bytes = [0, 0]
        self.matches = 0
        self.matched_length = 0
        # A hit is a row of these; the hits of a term in a block stand together.
        self._indices = array("I")
        self._terms = array("B")
        self._counts = array("f")
        self._lengths = array("I")
        self._columns: tuple[array[Any], ...] = (
            self._indices,
            self._terms,
            self._counts,
            self._lengths,
        )

    def extend(self, other: Scanned) -> None:
        """Add what was found for the same terms in other sessions."""
        for tally, more in zip(self.tallies, other.tallies, strict=True):
            tally.add(more, len(self.sizes), len(other.sizes))
        at = len(self)
        self.blocks += [Seen(*s[:-2], s.start + at, s.end + at) for s in other.blocks]
        self.totals.update(other.totals)
        self.sizes.update(other.sizes)
        self.messages = [a + b for a, b in zip(self.messages, other.messages, strict=True)]
        self.bytes = [a + b for a, b in zip(self.bytes, other.bytes, strict=True)]
        self.matches += other.matches
        self.matched_length += other.matched_length
        for column, more_rows in zip(self._columns, other._columns, strict=True):
            column.extend(more_rows)

    def add(self, term: int, counts: Mapping[int, float], lengths: Mapping[int, int]) -> None:
        """Add the hits of a term in the block that is being scanned.

        Args:
            term: Number of the term.
            counts: Index of the message -> occurrences.
            lengths: Index of the message -> visible length; may be empty when nobody will ask.
        """
        self._indices.extend(counts)
        self._counts.extend(counts.values())
        self._terms.frombytes(bytes((term,)) * len(counts))
        if lengths:
            self._lengths.extend(map(lengths.__getitem__, counts))

    @property
    def estimated(self) -> bool:
        """Whether some word was counted in a sample."""
        return any(tally.estimated for tally in self.tallies)

    def __len__(self) -> int:
        """Return how many hits there are."""
        return len(self._indices)

    def rows(self, seen: Seen) -> Iterator[tuple[int, int, float]]:
        """Yield the hits of a block: (index of the message, term number, count)."""
        part = slice(seen.start, seen.end)
        return zip(self._indices[part], self._terms[part], self._counts[part], strict=True)

    def table(self, place: int) -> Table:
        """Return the hits of a block by its place."""
        table: Table = {}
        for index, term, count in self.rows(self.blocks[place]):
            table.setdefault(index, {})[term] = count
        return table

    def lengths(self, place: int) -> dict[int, int]:
        """Return the visible lengths of the messages with hits of a block, by index."""
        part = slice(*self.blocks[place][-2:])
        return dict(zip(self._indices[part], self._lengths[part], strict=True))


def name_of(corpus: int, block: Block) -> tuple[int, int, int, int, int]:
    """Return what a block with messages is known by: `Seen.name`."""
    positions = block.meta.positions
    return corpus, block.session, block.kind, positions[0], len(positions)
