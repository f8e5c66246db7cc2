"""Sentences: sessions ranked by all they say.

By their best stretch of neighbouring messages, their further ones, how often they use the words at
all, whether those stand side by side, and whether they fall on a day that was named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recall_tui.search.recall import dates, policy
from recall_tui.search.recall.bm25 import idf, type_weight
from recall_tui.search.recall.board import Evidence, Ranked, Tiers, note_kinds, order
from recall_tui.search.recall.envelope import Tier
from recall_tui.search.recall.marker import own, quotes
from recall_tui.search.recall.near import side_by_side
from recall_tui.search.recall.weights import Weights
from recall_tui.store.block import BlockKind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import tzinfo

    from recall_tui.model import Session
    from recall_tui.search.recall.board import Board, Counts, Place
    from recall_tui.search.recall.dates import Span
    from recall_tui.search.recall.hits import Table
    from recall_tui.store.block import Block


def by_sessions(board: Board, spans: tuple[Span, ...], zone: tzinfo, limit: int) -> list[Ranked]:
    """Rank sessions by all they say about a sentence."""
    return _Sentence(board, spans, zone, limit).ranked()


def shortlisted(limit: int) -> int:
    """Return how many sessions are looked at to answer a sentence with so many passages."""
    return policy.SPARE + limit * policy.LOOKED_AT


class _Look(NamedTuple):
    """What a close look at a session found."""

    evidence: list[Evidence]
    """Its stretches, best first, each by its best message."""
    pairs: dict[int, int]
    """Term number -> messages where it stands beside the next term."""
    kinds: bytearray
    totals: list[float]
    """Counts per term over the whole session, type weights applied."""


class _Sentence:
    """The scoring of one sentence."""

    def __init__(self, board: Board, spans: tuple[Span, ...], zone: tzinfo, limit: int) -> None:
        self._board = board
        self._limit = limit
        self._terms = board.found.terms
        self._spans = spans
        self._zone = zone
        self._tiers = Tiers(self._terms)
        self._weights = Weights(board.found, board.size or 1, board.population or 1)
        self._norms = []
        sizes = zip(BlockKind, board.found.bytes, board.found.messages, strict=True)
        for kind, size, count in sizes:
            mean = max(1.0, size / max(1, count)) * (policy.WINDOW if kind == BlockKind.TALK else 1)
            self._norms.append((policy.K1 * (1 - policy.B), policy.K1 * policy.B / mean))
        listed = board.listed() if spans else ()
        self._priors = {place: self._prior(session) for place, session in listed}

    def _prior(self, session: Session) -> float:
        """Return how well a session fits the times that were named."""
        return dates.prior(self._spans, session.started_ms, session.ended_ms, self._zone)

    def ranked(self) -> list[Ranked]:
        """Return the shortlisted sessions, scored."""
        rough = self._rough()
        shortlist = sorted(rough, key=lambda place: rough[place], reverse=True)
        shortlist = shortlist[: shortlisted(self._limit)]
        looked = {place: self._look(place) for place in shortlist}
        bonus = self._adjacency({place: look.pairs for place, look in looked.items()})
        ranked = [
            self._session(place, look, bonus[place])
            for place, look in looked.items()
            if look.evidence or self._priors.get(place)
        ]
        return sorted(ranked, key=lambda r: (-r.tier, -r.score, -r.session.ended_ms))

    def _look(self, place: Place, *, quoted: bool = False) -> _Look:
        """Look at a session closely.

        Args:
            place: The session.
            quoted: Whether it is known to quote recall.
        """
        look = _Look([], {}, bytearray(), [0.0] * len(self._terms))
        for at, block in self._board.load(place):
            if not quoted and quotes(block):
                return self._look(place, quoted=True)
            note_kinds(look.kinds, block)
            table = self._board.table(place[0], at, block)
            weight = type_weight(block)
            for counts in table.values():
                for number, count in counts.items():
                    look.totals[number] += count * weight
            for number, count in side_by_side(self._terms, block, table).items():
                look.pairs[number] = look.pairs.get(number, 0) + count
            for index in own(block, quoted=quoted).intersection(table):
                del table[index]
            look.evidence.extend(self._windows(block, table))
        look.evidence.sort(key=order)
        return look

    def _rough(self) -> dict[Place, float]:
        """Return what a session is worth before its messages are looked at again."""
        rough = self._weights.rough()
        if not self._terms:
            rough = dict.fromkeys((place for place, prior in self._priors.items() if prior), 0.0)
        for place in rough:
            rough[place] += policy.DATE_WEIGHT * self._priors.get(place, 0.0)
        return rough

    def _windows(self, block: Block, table: Table) -> Iterator[Evidence]:
        """Yield the stretches of one block: three neighbours in talk, one tool result."""
        meta, offsets, horizons = block.meta, block.meta.fold_offsets, block.meta.horizons
        count = len(offsets) - 1
        tool = block.kind == BlockKind.TOOL
        reach = 0 if tool else policy.WINDOW // 2
        weight = type_weight(block)
        k1, slope = self._norms[block.kind]
        own = {index: self._plain(counts) for index, counts in table.items()}
        strong = sorted(own, key=own.__getitem__, reverse=True)[: policy.STRETCHES]
        idfs, gain = self._weights.window, policy.K1 + 1
        for centre in sorted({i + d for i in strong for d in range(-reach, reach + 1)}):
            if not 0 <= centre < count:
                continue
            low, high = max(0, centre - reach), min(count, centre + reach + 1)
            sums: Counts = {}
            kinds = set()
            anchor, best = centre, own.get(centre, 0.0)
            for index in range(low, high):
                counts = table.get(index)
                if counts is not None:
                    kinds.add(meta.kinds[index])
                    for number, held in counts.items():
                        sums[number] = sums.get(number, 0.0) + held
                    if own[index] > best:
                        anchor, best = index, own[index]
            length = sum(
                min(horizons[i], offsets[i + 1] - offsets[i] - 1) for i in range(low, high)
            )
            norm = k1 + slope * length
            score = sum(idfs[n] * held * gain / (held + norm) for n, held in sums.items())
            yield Evidence(
                weight * score, self._tiers.of(sums), meta.times[anchor], meta.positions[anchor],
                meta.kinds[anchor], meta.digests[anchor], sums,
                frozenset(kinds),
            )  # fmt: skip

    def _plain(self, counts: Counts) -> float:
        """Return what one message of a stretch holds, its length aside."""
        idfs = self._weights.message
        return sum(idfs[number] * count / (count + policy.K1) for number, count in counts.items())

    def _adjacency(self, pairs: dict[Place, dict[int, int]]) -> dict[Place, float]:
        """Return what words side by side add to each session."""
        sessions = self._board.size
        terms = self._terms
        holding: dict[int, int] = {}
        for counts in pairs.values():
            for number in counts:
                holding[number] = holding.get(number, 0) + 1
        bonus = {}
        for place, counts in pairs.items():
            total = 0.0
            for number, count in counts.items():
                weight = policy.ADJACENT_WEIGHT * idf(sessions, holding[number])
                if not (terms[number].telling and terms[number + 1].telling):
                    weight *= policy.NOISE_WEIGHT
                total += weight * 2 * count / (count + 1)
            bonus[place] = total
        return bonus

    def _session(self, place: Place, look: _Look, bonus: float) -> Ranked:
        evidence = look.evidence
        best = sorted((e.score for e in evidence), reverse=True)
        score = best[0] if best else 0.0
        for step, further in enumerate(best[3:9:3], 1):
            score += policy.WINDOW_MORE * further * 0.5**step
        score += self._weights.whole(place, look.totals)
        prior = self._priors.get(place, 0.0)
        score += bonus + policy.DATE_WEIGHT * prior
        pushed = []
        if bonus:
            pushed.append("words side by side")
        if prior >= policy.SAME_MONTH:
            pushed.append("in the time asked for")
        elif prior:
            pushed.append("near the time asked for")
        if self._spans and not prior:
            # The time is one of the things that were asked for.
            evidence = [e._replace(tier=Tier.SOME) if e.tier is Tier.ALL else e for e in evidence]
            evidence.sort(key=order)
        tier = max((e.tier for e in evidence), default=Tier.SOME)
        return Ranked(
            place[0], self._board.session(place), score, tier, evidence, look.kinds, tuple(pushed)
        )
