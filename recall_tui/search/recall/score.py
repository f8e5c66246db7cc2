"""From the hits of a scan to ranked evidence: BM25 over messages for terms, more for sentences.

Explicit terms follow S0-65 ... S0-75 to the letter. A sentence is answered by what a whole session
says: its best stretch of neighbouring messages, its further ones, how often it uses the words at
all, whether they stand side by side, and whether it falls on a day that was named.
"""

from __future__ import annotations

import operator as op
from math import log
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from recall_tui.model import Filter
from recall_tui.search.recall import dates, policy
from recall_tui.search.recall.envelope import Tier
from recall_tui.search.recall.marker import own
from recall_tui.search.recall.near import side_by_side
from recall_tui.search.recall.scan import name_of
from recall_tui.store.block import BlockKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import tzinfo

    from recall_tui.model import Session
    from recall_tui.search.ports import Corpus
    from recall_tui.search.recall.dates import Span
    from recall_tui.search.recall.scan import Scanned
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


def idf(population: float, frequency: float) -> float:
    """Return the weight of a term that `frequency` of `population` documents hold (S0-68)."""
    population = max(population, frequency)
    return log((population - frequency + 0.5) / (frequency + 0.5) + 1)


def saturated(count: float, length: float, mean: float, k1: float, b: float) -> float:
    """Return BM25's term factor of a count in a document of a length."""
    return count * (k1 + 1) / (count + k1 * (1 - b + b * length / mean))


class Board:
    """Everything scoring knows of one search."""

    def __init__(self, corpora: Sequence[Corpus], chosen: Filter, found: Scanned) -> None:
        """Hold a search.

        Args:
            corpora: As scanned.
            chosen: The filter of the search.
            found: What the scan found.
        """
        self.corpora = corpora
        self.chosen = chosen
        self.found = found
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

    def load(self, place: Place) -> list[tuple[int, Block]]:
        """Read the blocks of a session: (place in `found.blocks` or -1, block).

        One session at a time, because one may be larger than all others together.
        """
        number, row = place
        chosen = Filter(sessions=(self.session(place).key,), include_copies=True)
        return [
            (self._known.get(name_of(number, block), -1), block)
            for block in self.corpora[number].blocks(chosen)
            if block.session == row and len(block.meta)
        ]


# ------------------------------------------------------------ explicit terms


def by_messages(board: Board, limit: int) -> list[Ranked]:
    """Rank sessions by their best message: plain BM25, to the letter of S0-65 ... S0-75."""
    found = board.found
    mean = found.matched_length / found.matches if found.matches else 1.0
    population = max(board.population, found.matches)
    norm, slope = policy.K1 * (1 - policy.B), policy.K1 * policy.B / (mean or 1.0)
    weights = [idf(population, len(hits)) * (policy.K1 + 1) for hits in found.hits]
    tiers = _Tiers(found)
    best: dict[Place, tuple[int, float, int]] = {}
    for at, seen in enumerate(found.blocks):
        place = (seen.corpus, seen.session)
        weight = policy.TOOL_RESULT_WEIGHT if seen.kind == BlockKind.TOOL else 1.0
        # The strongest of a block in tier and in score may be two messages: then the session is
        # looked at although it does not deserve it, which is harmless.
        tier = tiers.most(found, at)
        key = (tier, weight * found.best(at, weights, norm, slope), seen.last_ms)
        if place not in best or key > best[place]:
            best[place] = key
    shortlist = sorted(best, key=lambda place: best[place], reverse=True)
    shortlist = shortlist[: max(policy.LEAST, limit * policy.LOOKED_AT)]
    ranked = []
    for place in shortlist:
        evidence: list[Evidence] = []
        held = board.load(place)
        quotes = own([block for _, block in held])
        for (at, block), left_out in zip(held, quotes, strict=True):
            if at >= 0:
                scored = _messages(board, block, at, left_out, weights, norm, slope, tiers)
                evidence += scored
        if evidence:
            evidence.sort(key=_order)
            ranked.append(
                Ranked(place[0], board.session(place), evidence[0].score, evidence[0].tier,
                       evidence, kinds_of(block for _, block in held))
            )  # fmt: skip
    return ranked


def _messages(
    board: Board,
    block: Block,
    place: int,
    left_out: frozenset[int],
    weights: Sequence[float],
    norm: float,
    slope: float,
    tiers: _Tiers,
) -> Iterator[Evidence]:
    """Yield the matching messages of a block, scored."""
    meta = block.meta
    type_weight = policy.TOOL_RESULT_WEIGHT if block.kind == BlockKind.TOOL else 1.0
    lengths = board.found.lengths(place)
    for index, counts in board.found.table(place).items():
        if index in left_out:
            continue
        spread = norm + slope * lengths[index]
        score = sum(weights[n] * count / (count + spread) for n, count in counts.items())
        yield Evidence(
            type_weight * score, tiers.of(counts), meta.times[index], meta.positions[index],
            meta.kinds[index], meta.digests[index], counts, frozenset((meta.kinds[index],)),
        )  # fmt: skip


class _Tiers:
    """What a set of matched terms is worth."""

    def __init__(self, found: Scanned) -> None:
        self._exact = frozenset(n for n, term in enumerate(found.terms) if term.exact)
        self._telling = frozenset(n for n, term in enumerate(found.terms) if term.telling)

    def of(self, held: Iterable[int]) -> Tier:
        """Return the tier of the terms that are held."""
        if not self._exact.isdisjoint(held):
            return Tier.EXACT
        return Tier.ALL if self._telling and self._telling.issubset(held) else Tier.SOME

    def most(self, found: Scanned, place: int) -> Tier:
        """Return the tier that all terms of a block together would have."""
        held = [n for n, hits in enumerate(found.hits) if op.lt(*hits.of_block(place))]
        return self.of(held)


def _order(evidence: Evidence) -> tuple[int, float, int, int]:
    return (-evidence.tier, -evidence.score, -evidence.time_ms, evidence.position)


def kinds_of(blocks: Iterable[Block]) -> bytearray:
    """Return the kind of each message of a session by position, from its blocks."""
    found = bytearray()
    for block in blocks:
        meta = block.meta
        missing = max(meta.positions, default=-1) + 1 - len(found)
        if missing > 0:
            found.extend(bytes(missing))
        for position, kind in zip(meta.positions, meta.kinds, strict=True):
            found[position] = kind
    return found


# ------------------------------------------------------------ sentences


def by_sessions(board: Board, spans: tuple[Span, ...], zone: tzinfo, limit: int) -> list[Ranked]:
    """Rank sessions by all they say about a sentence."""
    return _Sentence(board, spans, zone, limit).ranked()


class _Sentence:
    """The scoring of one sentence."""

    def __init__(self, board: Board, spans: tuple[Span, ...], zone: tzinfo, limit: int) -> None:
        self._board = board
        self._limit = limit
        self._found = found = board.found
        self._spans = spans
        self._zone = zone
        self._tiers = _Tiers(found)
        sessions = board.size or 1
        total = board.population or 1
        self._session_idf = []
        self._window_idf = []
        self._message_idf = []
        for number, (term, hits) in enumerate(zip(found.terms, found.hits, strict=True)):
            holding = sum(1 for totals in found.totals.values() if totals[number])
            frequency = sum(min(count, 1.0) for count in hits.counts)
            share = min(frequency / total, 1.0)
            windows = total * (1 - (1 - share) ** policy.WINDOW)
            self._session_idf.append(idf(sessions, holding) * term.weight)
            self._window_idf.append(idf(total, windows) * term.weight)
            self._message_idf.append(idf(total, frequency) * term.weight)
        sizes = found.sizes.values()
        self._mean_size = sum(sizes) / len(sizes) if sizes else 1.0
        self._norms = []
        for kind, size, count in zip(BlockKind, found.bytes, found.messages, strict=True):
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
        shortlist = shortlist[: policy.SPARE + self._limit * policy.LOOKED_AT]
        looked = {place: self._look(place) for place in shortlist}
        bonus = self._adjacency({place: pairs for place, (_, pairs, _) in looked.items()})
        ranked = []
        for place, (evidence, _, kinds) in looked.items():
            if evidence or self._priors.get(place):
                ranked.append(self._session(place, evidence, bonus[place], kinds))
        return sorted(ranked, key=lambda r: (-r.tier, -r.score, -r.session.ended_ms))

    def _look(self, place: Place) -> tuple[list[Evidence], dict[int, int], bytearray]:
        """Return a session's stretches, its words side by side, and the kinds of its messages."""
        held = self._board.load(place)
        pairs = side_by_side(self._found, held)
        return self._stretches(held), pairs, kinds_of(block for _, block in held)

    def _rough(self) -> dict[Place, float]:
        """Return what a session is worth before its messages are looked at again."""
        found = self._found
        rough = {
            place: self._whole(place) + policy.DATE_WEIGHT * self._priors.get(place, 0.0)
            for place in found.totals
        }
        weights = [weight * (policy.K1 + 1) for weight in self._message_idf]
        best: dict[Place, float] = {}
        for at, seen in enumerate(found.blocks):
            place = (seen.corpus, seen.session)
            best[place] = max(best.get(place, 0.0), found.best(at, weights, policy.K1, 0.0))
        for place, score in best.items():
            rough[place] = rough.get(place, 0.0) + score
        if not found.terms:
            rough.update({p: policy.DATE_WEIGHT * v for p, v in self._priors.items() if v})
        return rough

    def _whole(self, place: Place) -> float:
        """Return BM25 over a session as one document."""
        totals, length = self._found.totals[place], self._found.sizes[place]
        return policy.SESSION_WEIGHT * sum(
            weight * saturated(count, length, self._mean_size, policy.SESSION_K1, policy.B)
            for weight, count in zip(self._session_idf, totals, strict=True)
            if count
        )

    def _stretches(self, blocks: list[tuple[int, Block]]) -> list[Evidence]:
        """Return the scored stretches of a session, best first, each by its best message."""
        found: list[Evidence] = []
        quotes = own([block for _, block in blocks])
        for (at, block), left_out in zip(blocks, quotes, strict=True):
            if at >= 0:
                table = self._found.table(at)
                for index in left_out.intersection(table):
                    del table[index]
                found += self._windows(block, table)
        found.sort(key=_order)
        return found

    def _windows(self, block: Block, table: dict[int, Counts]) -> Iterator[Evidence]:
        """Yield the stretches of one block: three neighbours in talk, one tool result."""
        meta, offsets, horizons = block.meta, block.meta.fold_offsets, block.meta.horizons
        count = len(offsets) - 1
        tool = block.kind == BlockKind.TOOL
        reach = 0 if tool else policy.WINDOW // 2
        weight = policy.TOOL_RESULT_WEIGHT if tool else 1.0
        k1, slope = self._norms[block.kind]
        own = {index: self._plain(counts) for index, counts in table.items()}
        strong = sorted(own, key=own.__getitem__, reverse=True)[: policy.STRETCHES]
        idfs, gain = self._window_idf, policy.K1 + 1
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
        idfs = self._message_idf
        return sum(idfs[number] * count / (count + policy.K1) for number, count in counts.items())

    def _adjacency(self, pairs: dict[Place, dict[int, int]]) -> dict[Place, float]:
        """Return what words side by side add to each session."""
        sessions = self._board.size
        terms = self._found.terms
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

    def _session(
        self, place: Place, evidence: list[Evidence], bonus: float, kinds: bytearray
    ) -> Ranked:
        best = sorted((e.score for e in evidence), reverse=True)
        score = best[0] if best else 0.0
        for step, further in enumerate(best[3:9:3], 1):
            score += policy.WINDOW_MORE * further * 0.5**step
        if place in self._found.totals:
            score += self._whole(place)
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
            evidence.sort(key=_order)
        tier = max((e.tier for e in evidence), default=Tier.SOME)
        return Ranked(
            place[0], self._board.session(place), score, tier, evidence,
            kinds, tuple(pushed),
        )  # fmt: skip
