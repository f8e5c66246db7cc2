"""Sentences: sessions ranked by all they say.

By their best stretch of neighbouring messages, their further ones, how often they use the words at
all, whether those stand side by side, and whether they fall on a day that was named.
"""

from __future__ import annotations

from heapq import nlargest
from typing import TYPE_CHECKING, Final

from recall_tui.named import NamedTuple
from recall_tui.search.recall import dates, policy
from recall_tui.search.recall.bm25 import idf, type_weight
from recall_tui.search.recall.board import Evidence, Ranked, note_kinds, order
from recall_tui.search.recall.envelope import Tier
from recall_tui.search.recall.marker import own, quotes
from recall_tui.search.recall.near import side_by_side
from recall_tui.search.recall.tiers import Tiers
from recall_tui.search.recall.weights import Rough, Weights
from recall_tui.search.recall.words import TOKEN
from recall_tui.store.block import BlockKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import tzinfo

    from recall_tui.model import Session
    from recall_tui.search.recall.board import Board, Counts, Place
    from recall_tui.search.recall.dates import Span
    from recall_tui.search.recall.hits import Table
    from recall_tui.store.block import Block


def _first(evidence: Evidence) -> tuple[float, int]:
    """Of one day the first prompt: what comes later goes on from it."""
    return -evidence.score, evidence.position


_LABEL: Final = 24
"""Bytes at the beginning of a message that may name who speaks."""


def by_sessions(
    board: Board, sentence: str, spans: tuple[Span, ...], zone: tzinfo, limit: int
) -> list[Ranked]:
    """Rank sessions by all they say about a sentence.

    Args:
        board: The search.
        sentence: What was asked.
        spans: The times it names, ...
        zone: ... in this zone.
        limit: Passages wanted.
    """
    return _Sentence(board, sentence, spans, zone, limit).ranked()


def shortlisted(limit: int) -> int:
    """Return how many sessions are looked at to answer a sentence with so many passages."""
    return policy.SPARE + limit


class _Look(NamedTuple):
    """What a close look at a session found."""

    evidence: list[Evidence]
    """Its stretches, best first, each by its best message."""
    pairs: dict[int, int]
    """Term number -> messages where it stands beside the next term."""
    kinds: bytearray
    totals: list[float]
    """Counts per term over the whole session, type weights applied."""
    strongest: list[float]
    """What its strongest messages are worth by themselves, best first."""
    prompts: list[Evidence]
    """Of a question about a time and nothing else: its prompt of that time."""


class _Sentence:
    """The scoring of one sentence."""

    def __init__(
        self, board: Board, sentence: str, spans: tuple[Span, ...], zone: tzinfo, limit: int
    ) -> None:
        self._board = board
        self._limit = limit
        self._terms = board.found.terms
        self._names = [number for number, term in enumerate(self._terms) if term.name]
        self._when = dates.asked(sentence)
        self._spans = spans
        self._zone = zone
        said = (term.weight > policy.NOISE_WEIGHT for term in self._terms)
        self._time_alone = bool(spans) and not any(said)
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
            if look.evidence or look.prompts
        ]
        return sorted(ranked, key=lambda r: (-r.tier, -r.score, -r.session.ended_ms))

    def _look(self, place: Place, *, quoted: bool = False) -> _Look:
        """Look at a session closely.

        Args:
            place: The session.
            quoted: Whether it is known to quote recall.
        """
        look = _Look([], {}, bytearray(), [0.0] * len(self._terms), [], [])
        for at, block in self._board.load(place):
            if not quoted and quotes(block):
                return self._look(place, quoted=True)
            note_kinds(look.kinds, block)
            table = self._board.table(place[0], at, block)
            weight = type_weight(block.kind)
            for counts in table.values():
                for number, count in counts.items():
                    look.totals[number] += count * weight
            for number, count in side_by_side(self._terms, block, table).items():
                look.pairs[number] = look.pairs.get(number, 0) + count
            for index in own(block, quoted=quoted).intersection(table):
                del table[index]
            look.evidence.extend(self._windows(block, table, self._strong(look, table)))
            if self._time_alone and block.kind == BlockKind.TALK:
                look.prompts[:] = sorted([*look.prompts, *self._of_time(place, block)], key=_first)[
                    :1
                ]
        look.evidence.sort(key=order)
        return look

    def _of_time(self, place: Place, block: Block) -> Iterator[Evidence]:
        """Yield the prompts of a block, worth what their day is worth to the question."""
        meta = block.meta
        session = self._board.session(place)
        for index in self._board.prompts(place[0], block):
            time_ms = meta.times[index]
            when = time_ms or session.ended_ms
            worth = dates.prior(self._spans, when, when, self._zone)
            yield Evidence(
                worth, Tier.SOME, time_ms, meta.positions[index], meta.kinds[index],
                meta.digests[index], {}, frozenset(),
            )  # fmt: skip

    def _strong(self, look: _Look, table: Table) -> dict[int, float]:
        """Return the messages of a block that are among the strongest of the session so far."""
        held = [(self._plain(counts), index) for index, counts in table.items()]
        most = max(policy.STRETCHES, self._limit)
        least = look.strongest[-1] if len(look.strongest) == most else 0.0
        strong = {i: s for s, i in nlargest(most, held) if s > least}
        look.strongest[:] = nlargest(most, [*look.strongest, *strong.values()])
        return strong

    def _rough(self) -> dict[Place, Rough]:
        """Return what a session is worth before its messages are looked at again."""
        rough = self._weights.rough()
        if self._time_alone:
            some = Rough(Tier.SOME, 0.0)
            rough = {place: some for place, prior in self._priors.items() if prior} | rough
        if self._spans:
            for place, (tier, score) in rough.items():
                prior = self._priors.get(place, 0.0)
                rough[place] = Rough(
                    tier if prior else Tier.SOME, score + policy.DATE_WEIGHT * prior
                )
        return rough

    def _windows(
        self, block: Block, table: Table, strong: Mapping[int, float]
    ) -> Iterator[Evidence]:
        """Yield the stretches around the strong messages of a block.

        In talk a stretch is three neighbours, in tool output one result.
        """
        meta, offsets, horizons = block.meta, block.meta.fold_offsets, block.meta.horizons
        count = len(offsets) - 1
        reach = 0 if block.kind == BlockKind.TOOL else policy.WINDOW // 2
        k1, slope = self._norms[block.kind]
        speaks = self._speakers(block, table)
        idfs = [
            weight * (policy.K1 + 1) * type_weight(block.kind) for weight in self._weights.window
        ]
        for centre in sorted({i + d for i in strong for d in range(-reach, reach + 1)}):
            if not 0 <= centre < count:
                continue
            low, high = max(0, centre - reach), min(count, centre + reach + 1)
            sums: Counts = {}
            heard: Counts = {}
            kinds = set()
            said = set()
            length = 0
            for index in range(low, high):
                length += min(horizons[index], offsets[index + 1] - offsets[index] - 1)
                if index in table:
                    kinds.add(meta.kinds[index])
                    voice = 1.0
                    if speaks:
                        voice = policy.NAMED_SPEAKER if index in speaks else policy.OTHER_SPEAKER
                    for number, held in table[index].items():
                        sums[number] = sums.get(number, 0.0) + held
                        heard[number] = heard.get(number, 0.0) + held * voice
                        if held > policy.NEAR_FORM:
                            said.add(number)
            norm = k1 + slope * length
            score = sum([idfs[n] * held / (held + norm) for n, held in heard.items()])
            if self._when and dates.told(block.fold, offsets[low], offsets[high]):
                score *= 1 + policy.TOLD_TIME
            # The strongest of them stands for the stretch.
            anchor = max(range(low, high), key=lambda i: strong.get(i, 0.0))
            yield Evidence(
                score, self._tiers.of(said), meta.times[anchor], meta.positions[anchor],
                meta.kinds[anchor], meta.digests[anchor], sums, frozenset(kinds),
                frozenset(sums.keys() - said),
            )  # fmt: skip

    def _speakers(self, block: Block, table: Table) -> frozenset[int]:
        """Return what is said by the one whom the sentence names, in a log of several people.

        There a message begins with a name and a colon. Empty when two of them are named.
        """
        said: dict[int, set[int]] = {}
        for number in self._names:
            word = self._terms[number].word
            for index, counts in table.items():
                if word is not None and number in counts:
                    start = block.meta.fold_offsets[index]
                    label, colon, _ = block.fold[start : start + _LABEL].partition(b":")
                    if colon and any(word.weight(token) == 1.0 for token in TOKEN.findall(label)):
                        said.setdefault(number, set()).add(index)
        return frozenset(*said.values()) if len(said) == 1 else frozenset()

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
        evidence = look.evidence or [look.prompts[0]._replace(score=0.0)]
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
        elif self._spans:
            pushed.append("not of the time asked for")
        if self._spans and not prior:
            # The time is one of the things that were asked for.
            evidence = [e._replace(tier=Tier.SOME) if e.tier is Tier.ALL else e for e in evidence]
            evidence.sort(key=order)
        tier = max((e.tier for e in evidence), default=Tier.SOME)
        return Ranked(
            place[0], self._board.session(place), score, tier, evidence, look.kinds, tuple(pushed)
        )
