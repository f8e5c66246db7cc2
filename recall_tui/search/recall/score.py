"""From the hits of a scan to ranked evidence: BM25 over messages for terms, more for sentences.

Explicit terms follow S0-65 ... S0-75 to the letter. A sentence is answered by what a whole session
says: its best stretch of neighbouring messages, its further ones, how often it uses the words at
all, whether they stand side by side, and whether it falls on a day that was named.
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from recall_tui.search.recall import dates, policy
from recall_tui.search.recall.envelope import Tier
from recall_tui.search.recall.marker import is_asking, is_own
from recall_tui.search.recall.near import side_by_side
from recall_tui.search.recall.scan import Seen, visible
from recall_tui.model import Filter, Kind
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

    def __init__(
        self,
        corpora: Sequence[Corpus],
        sessions: Sequence[dict[int, Session]],
        found: Scanned,
        population: int,
    ) -> None:
        """Hold a search.

        Args:
            corpora: As scanned.
            sessions: The eligible sessions of each corpus by row id.
            found: What the scan found.
            population: Searchable messages of all eligible sessions (S0-66).
        """
        self.corpora = corpora
        self.sessions = sessions
        self.found = found
        self.population = population

    def session(self, place: Place) -> Session:
        """Return a session by its place."""
        return self.sessions[place[0]][place[1]]

    def load(self, places: Iterable[Place]) -> dict[Place, list[tuple[int, Block]]]:
        """Read the blocks of some sessions: per session (place in `found.blocks` or -1, block)."""
        wanted = set(places)
        known = {(seen.corpus, seen.id): at for at, seen in enumerate(self.found.blocks)}
        held: dict[Place, list[tuple[int, Block]]] = {place: [] for place in wanted}
        for number, corpus in enumerate(self.corpora):
            keys = tuple(self.sessions[n][row].key for n, row in wanted if n == number)
            if not keys:
                continue
            for block in corpus.blocks(Filter(sessions=keys, include_copies=True)):
                if (number, block.session) in wanted:
                    at = known.get((number, block.id), -1)
                    held[number, block.session].append((at, block))
        return held


# ------------------------------------------------------------ explicit terms


def by_messages(board: Board) -> list[Ranked]:
    """Rank sessions by their best message: plain BM25, to the letter of S0-65 ... S0-75."""
    found = board.found
    lengths: dict[int, int] = {}
    for hits in found.hits:
        lengths.update(zip(hits.numbers, hits.lengths, strict=True))
    mean = sum(lengths.values()) / len(lengths) if lengths else 1.0
    population = max(board.population, len(lengths))
    base = policy.K1 * (1 - policy.B)
    slope = policy.K1 * policy.B / (mean or 1.0)
    scores: dict[int, float] = {}
    masks: dict[int, int] = {}
    for number, hits in enumerate(found.hits):
        weight = idf(population, len(hits)) * (policy.K1 + 1)
        bit = 1 << number
        rows = zip(hits.numbers, hits.counts, hits.lengths, strict=True)
        for at, count, length in rows:
            scores[at] = scores.get(at, 0.0) + weight * count / (count + base + slope * length)
            masks[at] = masks.get(at, 0) | bit
    tiers = _Tiers(found)
    terms = range(len(found.terms))
    by_mask = [tiers.of({n for n in terms if mask >> n & 1}) for mask in range(1 << len(terms))]
    return _rank_messages(board, scores, {at: by_mask[mask] for at, mask in masks.items()})


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


def _rank_messages(
    board: Board, scores: dict[int, float], tiers: dict[int, Tier]
) -> list[Ranked]:
    """Return the shortlisted sessions with their messages scored."""
    found = board.found
    best: dict[Place, tuple[int, float, int]] = {}
    for at, score in scores.items():
        seen = found.blocks[found.block_of(at)]
        if seen.kind == BlockKind.TOOL:
            score *= policy.TOOL_RESULT_WEIGHT
            scores[at] = score
        place = (seen.corpus, seen.session)
        key = (tiers[at], score, board.session(place).ended_ms)
        if place not in best or key > best[place]:
            best[place] = key
    shortlist = sorted(best, key=lambda place: best[place], reverse=True)[: policy.SHORTLIST]
    held = board.load(shortlist)
    ranked = []
    for place in shortlist:
        evidence = []
        for at, block in held[place]:
            if at < 0:
                continue
            seen, meta = found.blocks[at], block.meta
            for index, counts in _counts(board, at).items():
                number = seen.base + index
                if _quotes(block, index):
                    continue
                evidence.append(
                    Evidence(
                        scores[number],
                        tiers[number],
                        meta.times[index],
                        meta.positions[index],
                        meta.kinds[index],
                        meta.digests[index],
                        counts,
                        frozenset((meta.kinds[index],)),
                    )
                )
        if evidence:
            evidence.sort(key=_order)
            top = evidence[0]
            ranked.append(
                Ranked(place[0], board.session(place), top.score, top.tier, evidence,
                       kinds_of(block for _, block in held[place]))
            )  # fmt: skip
    return ranked


def _counts(board: Board, place: int) -> dict[int, Counts]:
    """Return the hits of a block: index -> counts of the terms it holds."""
    found = board.found
    base = found.blocks[place].base
    table: dict[int, Counts] = {}
    for number, hits in enumerate(found.hits):
        start, end = hits.of_block(place)
        for at in range(start, end):
            table.setdefault(hits.numbers[at] - base, {})[number] = hits.counts[at]
    return table


def _quotes(block: Block, index: int) -> bool:
    """Whether a message is recall quoting the history, or being asked about it (Q25)."""
    start, end = block.meta.fold_span(index)
    text = block.fold[start:end]
    return is_own(text) or (block.meta.kinds[index] == Kind.TOOL_CALL and is_asking(text))


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


def by_sessions(board: Board, spans: tuple[Span, ...], zone: tzinfo) -> list[Ranked]:
    """Rank sessions by all they say about a sentence."""
    return _Sentence(board, spans, zone).ranked()


class _Sentence:
    """The scoring of one sentence."""

    def __init__(self, board: Board, spans: tuple[Span, ...], zone: tzinfo) -> None:
        self._board = board
        self._found = found = board.found
        self._spans = spans
        self._zone = zone
        self._tiers = _Tiers(found)
        places = [(n, row) for n, known in enumerate(board.sessions) for row in known]
        self._places = places
        sessions = len(places) or 1
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
        self._priors = {
            place: dates.prior(spans, s.started_ms, s.ended_ms, zone)
            for place in places
            if spans and (s := board.session(place))
        }

    def ranked(self) -> list[Ranked]:
        """Return the shortlisted sessions, scored."""
        rough = self._rough()
        shortlist = sorted(rough, key=lambda place: rough[place], reverse=True)
        shortlist = shortlist[: policy.SHORTLIST]
        held = self._board.load(shortlist)
        talks = {place: self._stretches(held[place]) for place in shortlist}
        pairs = {place: side_by_side(self._found, held[place]) for place in shortlist}
        bonus = self._adjacency(pairs)
        ranked = []
        for place in shortlist:
            evidence = talks[place]
            if evidence or self._priors.get(place):
                ranked.append(self._session(place, evidence, bonus[place], held[place]))
        return sorted(ranked, key=lambda r: (-r.tier, -r.score, -r.session.ended_ms))

    def _rough(self) -> dict[Place, float]:
        """Return what a session is worth before its messages are looked at again."""
        found = self._found
        rough = {
            place: self._whole(place) + policy.DATE_WEIGHT * self._priors.get(place, 0.0)
            for place in found.totals
        }
        best: dict[Place, float] = {}
        scores: dict[int, float] = {}
        for weight, hits in zip(self._message_idf, found.hits, strict=True):
            for at, count in zip(hits.numbers, hits.counts, strict=True):
                scores[at] = scores.get(at, 0.0) + weight * count / (count + policy.K1)
        for at, score in scores.items():
            seen = found.blocks[found.block_of(at)]
            place = (seen.corpus, seen.session)
            if score > best.get(place, 0.0):
                best[place] = score
        for place, score in best.items():
            rough[place] += score * (policy.K1 + 1)
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
        for at, block in blocks:
            if at >= 0:
                table = _counts(self._board, at)
                table = {i: row for i, row in table.items() if not _quotes(block, i)}
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
        idfs, gain = self._window_idf, policy.K1 + 1
        for centre in sorted({i + d for i in table for d in range(-reach, reach + 1)}):
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
        sessions = len(self._places)
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
        self, place: Place, evidence: list[Evidence], bonus: float, blocks: list[tuple[int, Block]]
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
        tier = max((e.tier for e in evidence), default=Tier.SOME)
        return Ranked(
            place[0], self._board.session(place), score, tier, evidence,
            kinds_of(block for _, block in blocks), tuple(pushed),
        )  # fmt: skip
