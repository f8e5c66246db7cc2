"""What the terms of a sentence weigh, and what sessions are worth before they are looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recall_tui.named import NamedTuple
from recall_tui.search.recall import policy
from recall_tui.search.recall.bm25 import idf, type_weight
from recall_tui.search.recall.envelope import Tier
from recall_tui.search.recall.tiers import Tiers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recall_tui.search.recall.hits import Scanned


class Rough(NamedTuple):
    """What a session is worth at a glance. The two may be those of two messages."""

    tier: Tier
    score: float


class Weights:
    """Weights of the terms of a sentence, as far as a scan has come.

    Attributes, one entry a term:
        session: As a word of whole sessions.
        window: As a word of stretches of messages.
        message: As a word of single messages.
    """

    def __init__(self, found: Scanned, sessions: float, messages: float) -> None:
        """Weigh the terms.

        Args:
            found: The scan.
            sessions: How many sessions it has read.
            messages: And how many messages.
        """
        self._found = found
        self._tiers = Tiers(found.terms)
        self.session: list[float] = []
        self.window: list[float] = []
        self.message: list[float] = []
        for term, tally in zip(found.terms, found.tallies, strict=True):
            share = min(tally.frequency / messages, 1.0)
            windows = messages * (1 - (1 - share) ** policy.WINDOW)
            holding = tally.sessions_of(sessions)
            self.session.append(idf(sessions, holding) * term.weight)
            self.window.append(idf(messages, windows) * term.weight)
            self.message.append(idf(messages, tally.frequency) * term.weight)
        self._names = [number for number, term in enumerate(found.terms) if term.name]
        sizes = found.sizes.values()
        self._mean = sum(sizes) / len(sizes) if sizes else 1.0

    def whole(self, place: tuple[int, int], totals: Sequence[float]) -> float:
        """Return BM25 over a session as one document, and what the names in it are worth.

        Args:
            place: The session.
            totals: Counts per term over the whole session, type weights applied.
        """
        return self._whole(self.session, totals, self._found.sizes[place])

    def _whole(self, weights: list[float], totals: Sequence[float], size: float) -> float:
        norm = policy.SESSION_K1 * (1 - policy.B + policy.B * size / self._mean)
        held = [(w, count) for w, count in zip(weights, totals, strict=True) if count]
        score = sum([weight * count / (count + norm) for weight, count in held])
        named = sum([totals[number] >= 1 for number in self._names])
        return policy.SESSION_WEIGHT * (policy.SESSION_K1 + 1) * score + policy.NAME_WEIGHT * named

    def most(self, term: int, kind: int) -> float:
        """Return the most that a word can add to what a session is worth in a kind of block."""
        message = policy.TF_CAP * (policy.K1 + 1) / (policy.TF_CAP + policy.K1)
        session = policy.SESSION_WEIGHT * (policy.SESSION_K1 + 1)
        name = policy.NAME_WEIGHT if term in self._names else 0.0
        return (
            type_weight(kind) * message * self.message[term] + session * self.session[term] + name
        )

    def rough(self) -> dict[tuple[int, int], Rough]:
        """Return what each session is worth as far as is known: as a whole, and its best message.

        How often a session holds a word that was put off is not known, and does not count.
        """
        found = self._found
        best = dict.fromkeys(found.totals, Rough(Tier.SOME, 0.0))
        gains = [weight * (policy.K1 + 1) for weight in self.message]
        for at, seen in enumerate(found.blocks):
            scores: dict[int, float] = {}
            for index, term, count in found.rows(seen):
                gain = gains[term] * count / (count + policy.K1)
                scores[index] = scores.get(index, 0.0) + gain
            score = type_weight(seen.kind) * max(scores.values())
            place = (seen.corpus, seen.session)
            known = best[place]
            best[place] = Rough(max(known.tier, self._tier(at)), max(known.score, score))
        counted = [
            0.0 if tally.estimated else weight
            for tally, weight in zip(found.tallies, self.session, strict=True)
        ]
        return {
            place: Rough(
                tier, score + self._whole(counted, found.totals[place], found.sizes[place])
            )
            for place, (tier, score) in best.items()
        }

    def _tier(self, place: int) -> Tier:
        """Return the highest tier of a message of a block."""
        found, of = self._found, self._tiers.of
        together = of(found.blocks[place].terms)
        return together if together is Tier.SOME else max(map(of, found.table(place).values()))
