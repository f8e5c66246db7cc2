"""The scan: every admitted block once, and for each term the messages that hold it.

What is kept of a match is a message number, a count and a length: twelve bytes. Message numbers
run through all blocks that hold anything, so the messages of a block are neighbours in number as
they are in the session. A count is exact for literal terms; for words it stops at `policy.TF_CAP`.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Final, NamedTuple

from recall_tui.model import SEARCHABLE
from recall_tui.search.recall import policy
from recall_tui.search.recall.words import TOKEN
from recall_tui.store.block import BlockKind
from recall_tui.text.find import searchable
from recall_tui.text.words import is_word

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from recall_tui.search.ports import Corpus, Stop
    from recall_tui.search.predicate import Admits
    from recall_tui.search.recall.request import RecallRequest
    from recall_tui.search.recall.terms import Term
    from recall_tui.store.block import Block, Meta
    from recall_tui.text.find import Searchable

_ALNUM: Final = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789")


class Hits:
    """The messages that hold one term, in the order of the scan."""

    __slots__ = ("beyond", "counts", "lengths", "numbers", "starts")

    def __init__(self) -> None:
        self.numbers = array("I")
        self.counts = array("f")
        """Occurrences; a near form counts for less than one."""
        self.lengths = array("I")
        """Length of the message the agents' path sees: characters of its folded text for literals
        (S0-69), bytes for words."""
        self.starts = array("I", [0])
        """Where the hits of each block with hits begin, and the end."""
        self.beyond = 0
        """Messages that hold the term beyond the horizon only."""

    def __len__(self) -> int:
        return len(self.numbers)

    def of_block(self, place: int) -> tuple[int, int]:
        """Return the [start, end) of the hits of the block at a place."""
        return self.starts[place], self.starts[place + 1]


class Seen(NamedTuple):
    """A block that holds something: where it is, and which numbers its messages have."""

    corpus: int
    session: int
    kind: int
    first: int
    """Position of its first message."""
    size: int
    """Messages in it."""
    base: int
    """Number of its first message."""
    last_ms: int

    @property
    def name(self) -> tuple[int, int, int, int, int]:
        """What it is known by when it is read again: ids may be running numbers."""
        return self[:5]


class Scanned:
    """What a scan found.

    Attributes:
        terms: What was looked for.
        hits: Per term.
        blocks: The blocks with hits, in the order of the scan.
        totals: (corpus, session) -> counts per term over the whole session, type weights applied.
        sizes: (corpus, session) -> bytes of text, type weights applied.
        messages: Messages in the blocks with hits, by block kind.
        bytes: Their bytes, by block kind.
        matches: Messages that hold any term.
        matched_length: Their visible lengths.
    """

    def __init__(self, terms: Sequence[Term]) -> None:
        self.terms = terms
        self.hits = [Hits() for _ in terms]
        self.blocks: list[Seen] = []
        self.totals: dict[tuple[int, int], list[float]] = {}
        self.sizes: dict[tuple[int, int], float] = {}
        self.messages = [0, 0]
        self.bytes = [0, 0]
        self.matches = 0
        self.matched_length = 0

    def table(self, place: int) -> dict[int, dict[int, float]]:
        """Return the hits of a block: index of the message -> term number -> count."""
        base = self.blocks[place].base
        table: dict[int, dict[int, float]] = {}
        for number, hits in enumerate(self.hits):
            start, end = hits.of_block(place)
            for at in range(start, end):
                table.setdefault(hits.numbers[at] - base, {})[number] = hits.counts[at]
        return table

    def lengths(self, place: int) -> dict[int, int]:
        """Return the visible bytes of the messages with hits of a block, by index."""
        base = self.blocks[place].base
        lengths: dict[int, int] = {}
        for hits in self.hits:
            start, end = hits.of_block(place)
            for at in range(start, end):
                lengths[hits.numbers[at] - base] = hits.lengths[at]
        return lengths

    def best(self, place: int, weights: Sequence[float], norm: float, slope: float) -> float:
        """Return the best sum of BM25 term scores of one message of a block.

        Args:
            place: Of the block.
            weights: Per term: idf x (k1 + 1).
            norm: k1 (1 - b).
            slope: k1 b / mean length.
        """
        parts = [
            (weight, hits, *hits.of_block(place))
            for weight, hits in zip(weights, self.hits, strict=True)
        ]
        parts = [part for part in parts if part[2] < part[3]]
        if len(parts) == 1:  # most blocks of a rare and a common word
            weight, hits, start, end = parts[0]
            rows = zip(hits.counts[start:end], hits.lengths[start:end], strict=True)
            return max(weight * count / (count + norm + slope * length) for count, length in rows)
        scores: dict[int, float] = {}
        for weight, hits, start, end in parts:
            matches = zip(
                hits.numbers[start:end], hits.counts[start:end], hits.lengths[start:end],
                strict=True,
            )  # fmt: skip
            for number, count, length in matches:
                score = weight * count / (count + norm + slope * length)
                scores[number] = scores.get(number, 0.0) + score
        return max(scores.values(), default=0.0)


class Scan:
    """One pass over the corpora of a request."""

    def __init__(
        self,
        corpora: Sequence[Corpus],
        request: RecallRequest,
        terms: Sequence[Term],
    ) -> None:
        """Prepare a pass.

        Args:
            corpora: Where to look.
            request: Whose filter holds for every message.
            terms: What to look for.
        """
        self._corpora = corpora
        self._chosen = request.chosen
        self._kinds = frozenset(request.chosen.kinds_admitted & SEARCHABLE)
        self._found = Scanned(terms)
        self._number = 0
        self._finders = [(term.needles, _finder(term)) for term in terms]

    def run(self, stop: Stop, running: Mapping[tuple[int, int], int]) -> Scanned | None:
        """Return what was found, None when stopped.

        Args:
            stop: Asked between blocks.
            running: (corpus, session) -> first position of the turn that is asking; it and what
                follows must not match.
        """
        for corpus, port in enumerate(self._corpora):
            for block in port.blocks(self._chosen):
                if stop():
                    return None
                self._scan(corpus, block, running.get((corpus, block.session), -1))
        return self._found

    def _scan(self, corpus: int, block: Block, until: int) -> None:
        found, key = self._found, (corpus, block.session)
        weight = policy.TOOL_RESULT_WEIGHT if block.kind == BlockKind.TOOL else 1.0
        found.sizes[key] = found.sizes.get(key, 0.0) + len(block.fold) * weight
        view = searchable(block.fold)
        admits: Admits = None
        held = False
        place = len(found.blocks)
        for number, (needles, finder) in enumerate(self._finders):
            first = -1
            for needle in needles:
                first = max(first, view.find(needle))
            if first < 0:
                continue
            if not held:
                held = True
                self._open(corpus, block)
                admits = self._admits(corpus, block, until)
            hits = found.hits[number]
            before = len(hits)
            finder(block, view, self._number, admits, hits)
            if len(hits) > before:
                totals = found.totals.get(key)
                if totals is None:
                    totals = found.totals[key] = [0.0] * len(found.terms)
                totals[number] += sum(hits.counts[before:]) * weight
        if held:
            for hits in found.hits:
                hits.starts.append(len(hits))
            self._count(place)
            self._number += found.blocks[-1].size

    def _count(self, place: int) -> None:
        """Count the messages of a block that hold anything."""
        found = self._found
        parts = [(hits, *hits.of_block(place)) for hits in found.hits]
        parts = [part for part in parts if part[1] < part[2]]
        if len(parts) == 1:
            hits, start, end = parts[0]
            found.matches += end - start
            found.matched_length += sum(hits.lengths[start:end])
            return
        lengths: dict[int, int] = {}
        for hits, start, end in parts:
            lengths.update(zip(hits.numbers[start:end], hits.lengths[start:end], strict=True))
        found.matches += len(lengths)
        found.matched_length += sum(lengths.values())

    def _open(self, corpus: int, block: Block) -> None:
        found = self._found
        seen = Seen(*name_of(corpus, block), self._number, block.last_ms)
        size = seen.size
        found.blocks.append(seen)
        found.messages[block.kind] += size
        found.bytes[block.kind] += len(block.fold)

    def _admits(self, corpus: int, block: Block, until: int) -> Admits:
        """Return the test a message must pass; None when every message of the block does."""
        meta, kinds, chosen = block.meta, self._kinds, self._chosen
        since, most = chosen.since_ms, chosen.until_ms
        first = 0
        if block.copied and not chosen.include_copies:
            first = bisect_left(meta.positions, block.copied)
        if since is None and most is None and not first and until < 0:
            if frozenset(meta.kinds) <= kinds:
                return None
            column = meta.kinds
            return lambda index: column[index] in kinds
        low = since if since is not None else -1
        high = most if most is not None else 1 << 62
        undated = 0
        if (since is not None or most is not None) and not all(meta.times):
            undated = self._corpora[corpus].session(block.session).ended_ms

        def admits(index: int) -> bool:
            return (
                index >= first
                and meta.kinds[index] in kinds
                and low <= (meta.times[index] or undated) <= high
                and (until < 0 or meta.positions[index] < until)
            )

        return admits


def name_of(corpus: int, block: Block) -> tuple[int, int, int, int, int]:
    """Return what a block with messages is known by: `Seen.name`."""
    positions = block.meta.positions
    return corpus, block.session, block.kind, positions[0], len(positions)


def _finder(term: Term) -> Callable[..., None]:
    if term.word is None:
        return _literal(term.needles[0])
    return _word_forms(term)


def _literal(needle: bytes) -> Callable[..., None]:
    """Return what finds a literal: counts are exact, not overlapping (S0-70)."""
    length = len(needle)

    def find(block: Block, view: Searchable, base: int, admits: Admits, hits: Hits) -> None:
        meta = block.meta
        offsets, horizons = meta.fold_offsets, meta.horizons
        numbers, counts, lengths = hits.numbers, hits.counts, hits.lengths
        index = -1
        at = view.find(needle)
        while at >= 0:
            index = bisect_right(offsets, at, index + 1) - 1
            start, after = offsets[index], offsets[index + 1]
            end = min(start + horizons[index], after - 1)
            if admits is None or admits(index):
                if at + length <= end:
                    numbers.append(base + index)
                    counts.append(view.count(needle, at, end))
                    lengths.append(_characters(block.fold[start:end]))
                else:
                    hits.beyond += 1
            at = view.find(needle, after)

    return find


def _characters(folded: bytes) -> int:
    """Return how many characters folded bytes hold; a redaction mark counts as one."""
    return len(folded) if folded.isascii() else len(folded.decode("utf-8", "replace"))


def _word_forms(term: Term) -> Callable[..., None]:
    """Return what finds a word in any of its forms: counts stop at `policy.TF_CAP`."""
    word = term.word
    assert word is not None
    known, weigh, token = word.weights, word.weight, TOKEN.match
    cap = policy.TF_CAP

    def find(block: Block, view: Searchable, base: int, admits: Admits, hits: Hits) -> None:
        fold, meta = block.fold, block.meta
        offsets, horizons = meta.fold_offsets, meta.horizons
        found: dict[int, float] = {}
        for needle in word.needles:
            step = len(needle)
            index, end, after = -1, -1, 0
            at = view.find(needle)
            while at >= 0:
                if at >= after:  # the first find in a new message
                    index = bisect_right(offsets, at, index + 1) - 1
                    after = offsets[index + 1]
                    if admits is not None and not admits(index):
                        at = view.find(needle, after)
                        continue
                    end = min(offsets[index] + horizons[index], after - 1)
                    count = found.get(index, 0.0)
                if at >= end or count >= cap:
                    if not count:
                        hits.beyond += 1
                    at = view.find(needle, after)
                    continue
                before = fold[at - 1] if at else 0
                if before not in _ALNUM and (before < 0x80 or _starts(fold, at)):
                    form = token(fold, at)[0]  # type: ignore[index]
                    weight = known.get(form)
                    if weight is None:
                        weight = weigh(form)
                    if weight:
                        count += weight
                        found[index] = count
                at = view.find(needle, at + step)
        for index in sorted(found):
            start = offsets[index]
            hits.numbers.append(base + index)
            hits.counts.append(found[index])
            hits.lengths.append(min(horizons[index], offsets[index + 1] - 1 - start))

    return find


def _starts(fold: bytes, at: int) -> bool:
    """Whether a word may begin behind a character beyond ASCII: unless that is a letter."""
    if fold[at - 1] >= 0xFE:
        return True
    low = at - 1
    while low > 0 and at - low < 4 and 0x80 <= fold[low] < 0xC0:
        low -= 1
    return not is_word(fold[low:at].decode("utf-8", "ignore")[-1:] or " ")


def visible(meta: Meta, index: int) -> tuple[int, int]:
    """Return the [start, end) of a message in `fold` as far as the agents' path sees it."""
    start = meta.fold_offsets[index]
    return start, min(start + meta.horizons[index], meta.fold_offsets[index + 1] - 1)
