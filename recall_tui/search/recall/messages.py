"""Explicit terms: messages ranked by plain BM25, to the letter of S0-65 ... S0-75."""

from __future__ import annotations

from heapq import nlargest
from typing import TYPE_CHECKING, Final

from recall_tui.search.recall import policy
from recall_tui.search.recall.bm25 import idf, type_weight
from recall_tui.search.recall.board import Evidence, Ranked, note_kinds, order
from recall_tui.search.recall.marker import own, quotes
from recall_tui.search.recall.tiers import Tiers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recall_tui.search.recall.board import Board, Place
    from recall_tui.search.recall.envelope import Tier
    from recall_tui.search.recall.hits import Seen
    from recall_tui.store.block import Block

_STEP: Final = 64
"""Blocks scored between two looks at what is still to be won."""


def by_messages(board: Board, limit: int) -> list[Ranked]:
    """Rank sessions by their best message: plain BM25, to the letter of S0-65 ... S0-75."""
    found = board.found
    mean = found.matched_length / found.matches if found.matches else 1.0
    population = max(board.population, found.matches)
    norm, slope = policy.K1 * (1 - policy.B), policy.K1 * policy.B / (mean or 1.0)
    weights = [idf(population, tally.seen) * (policy.K1 + 1) for tally in found.tallies]
    scoring = _Scoring(board, weights, norm, slope)
    looked = map(scoring.look, scoring.shortlist(max(policy.LEAST, limit * policy.LOOKED_AT)))
    return [ranked for ranked in looked if ranked is not None]


class _Scoring:
    """BM25 with the weights of one search."""

    def __init__(self, board: Board, weights: list[float], norm: float, slope: float) -> None:
        self._board = board
        self._weights = weights
        self._norm = norm
        self._slope = slope
        self._tiers = Tiers(board.found.terms)

    def shortlist(self, most: int) -> list[Place]:
        """Return so many sessions, by their best block; of one time the newer first.

        Blocks are scored from the most promising on, until none can reach the last of these.
        """
        blocks = self._board.found.blocks
        prospects = [self._most(seen) for seen in blocks]
        order = sorted(range(len(blocks)), key=prospects.__getitem__, reverse=True)
        best: dict[Place, tuple[int, float, int]] = {}
        first: list[Place] = []
        for step in range(0, len(order), _STEP):
            if len(first) == most and prospects[order[step]] < best[first[-1]]:
                break
            for at in order[step : step + _STEP]:
                place = (blocks[at].corpus, blocks[at].session)
                key = (prospects[at][0], self._best(at), blocks[at].last_ms)
                if place not in best or key > best[place]:
                    best[place] = key
            first = nlargest(most, best, key=best.__getitem__)
        return first

    def _most(self, seen: Seen) -> tuple[Tier, float]:
        """Return the tier of a block, and what the score of its messages stays below."""
        score = sum([self._weights[term] for term in seen.terms])
        return self._tiers.of(seen.terms), type_weight(seen.kind) * score

    def _best(self, place: int) -> float:
        """Return the highest score of a message of a block.

        It may be that of another message than the tier is; then its session is looked at although
        it does not deserve it, which is harmless.
        """
        found, weights, scores = self._board.found, self._weights, dict[int, float]()
        lengths, seen = found.lengths(place), found.blocks[place]
        for index, term, count in found.rows(seen):
            score = weights[term] * count / (count + self._norm + self._slope * lengths[index])
            scores[index] = scores.get(index, 0.0) + score
        return type_weight(seen.kind) * max(scores.values())

    def look(self, place: Place, *, quoted: bool = False) -> Ranked | None:
        """Return a session with its matching messages, None when recall alone wrote them.

        Args:
            place: The session.
            quoted: Whether it is known to quote recall.
        """
        evidence: list[Evidence] = []
        kinds = bytearray()
        for at, block in self._board.load(place):
            if not quoted and quotes(block):
                return self.look(place, quoted=True)
            note_kinds(kinds, block)
            if at >= 0:
                evidence.extend(self._messages(block, at, own(block, quoted=quoted)))
        if not evidence:
            return None
        evidence.sort(key=order)
        session, top = self._board.session(place), evidence[0]
        return Ranked(place[0], session, top.score, top.tier, evidence, kinds)

    def _messages(self, block: Block, place: int, left_out: frozenset[int]) -> Iterator[Evidence]:
        """Yield the matching messages of a block, scored."""
        found, weights, meta = self._board.found, self._weights, block.meta
        lengths = found.lengths(place)
        for index, counts in found.table(place).items():
            if index in left_out:
                continue
            spread = self._norm + self._slope * lengths[index]
            score = sum(weights[n] * count / (count + spread) for n, count in counts.items())
            yield Evidence(
                type_weight(block.kind) * score, self._tiers.of(counts), meta.times[index],
                meta.positions[index], meta.kinds[index], meta.digests[index], counts,
                frozenset((meta.kinds[index],)),
            )  # fmt: skip
