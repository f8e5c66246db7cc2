"""One half of a scan: what its blocks hold, and what may be put off in it.

A word of a sentence is put off as soon as sessions without a rarer one have no prospects: enough
others hold all words, or score more than it can give (the bound of MaxScore; tool output weighs
half). From there on it is looked for in the messages of rarer words only, and in every
`policy.SAMPLED`-th block, from which its frequency is estimated. What is then looked at closely is
searched for it again, so that only its frequency is no exact number. Explicit terms are never put
off (S0-67).
"""

from __future__ import annotations

from heapq import nlargest
from typing import TYPE_CHECKING

from recall_tui.search.recall import finders, policy
from recall_tui.search.recall.bm25 import type_weight
from recall_tui.search.recall.envelope import Tier
from recall_tui.search.recall.finders import Held, Text
from recall_tui.search.recall.hits import Scanned, Seen, name_of
from recall_tui.search.recall.weights import Weights
from recall_tui.store.block import BlockKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recall_tui.search.predicate import Admits
    from recall_tui.search.recall.admission import Admission
    from recall_tui.search.recall.hits import Table
    from recall_tui.search.recall.terms import Term
    from recall_tui.store.block import Block


class Half:
    """The scan of every second session.

    Attributes:
        found: What was found.
    """

    def __init__(self, terms: Sequence[Term], enough: int) -> None:
        """Prepare.

        Args:
            terms: What to look for.
            enough: Sessions of it that will be looked at closely; 0: nothing may be put off.
        """
        self.found = Scanned(terms)
        self._enough = enough
        self._look = policy.FIRST_LOOK if enough else 0
        self._scanned = 0
        self._bytes = 0
        self._finders = [finders.finder(term) for term in terms]
        # What holds another needle is looked for after it, and not where that one is absent.
        self._all = sorted(range(len(terms)), key=lambda n: max(map(len, terms[n].needles)))
        needles = {needle for term in terms for needle in term.needles}
        self._parts = {n: {part for part in needles if part in n and part != n} for n in needles}
        self._arrange()

    def _arrange(self) -> None:
        """Note, by kind of block, which terms are looked for everywhere and which are put off."""
        tallies = self.found.tallies
        self._put_off = [[n for n in self._all if tallies[n].put_off[kind]] for kind in BlockKind]
        self._wanted = [
            [n for n in self._all if not tallies[n].put_off[kind]] for kind in BlockKind
        ]

    def scan(self, corpus: int, block: Block, admission: Admission) -> None:
        """Look for all that is wanted in a block."""
        found, key, kind, size = self.found, (corpus, block.session), block.kind, len(block.fold)
        found.sizes[key] = found.sizes.get(key, 0.0) + size * type_weight(kind)
        self._scanned += 1
        self._bytes += size
        sampled = self._scanned % policy.SAMPLED == 0
        text = Text.of(block.fold)
        wanted = self._held(text, self._all if sampled else self._wanted[kind])
        if wanted:
            meta = block.meta
            found.messages[kind] += len(meta)
            found.bytes[kind] += size
            admits = admission.of(corpus, block)
            here: dict[int, dict[int, float]] = {}
            for held in wanted:
                counts, beyond = self._finders[held.term].everywhere(held, meta, text, admits)
                found.tallies[held.term].count(kind, counts.values(), beyond, policy.SAMPLED)
                if counts:
                    here[held.term] = counts
            if here:
                if not sampled:
                    self._beside(block, text, here)
                self._keep(corpus, block, text, here)
        if self._scanned == self._look:
            self._look *= 4
            self._decide()

    def again(self, block: Block, table: Table, admits: Admits) -> None:
        """Add to the hits of a block that is read again what was put off."""
        put_off = self._put_off[block.kind]
        if not put_off:
            return
        meta, text = block.meta, Text.of(block.fold)
        for held in self._held(text, put_off):
            counts, _ = self._finders[held.term].everywhere(held, meta, text, admits)
            for index, count in counts.items():
                table.setdefault(index, {})[held.term] = count

    def give(self) -> Scanned:
        """Return what was found in a form that another process can `take`."""
        self.found.terms = ()
        return self.found

    def take(self, found: Scanned) -> None:
        """Take over what another process found for the same terms."""
        found.terms = self.found.terms
        self.found = found
        self._arrange()

    def _held(self, text: Text, terms: Sequence[int]) -> list[Held]:
        """Return those of some terms that a text seems to hold."""
        found: list[Held] = []
        absent: set[bytes] = set()
        for number in terms:
            needles = self.found.terms[number].needles
            for place, needle in enumerate(needles):
                at = -1
                if absent.isdisjoint(self._parts[needle]):
                    at = text.view.find(needle)
                if at >= 0:
                    found.append(Held(number, needles[place:], at))
                    break
                absent.add(needle)
        return found

    def _beside(self, block: Block, text: Text, here: dict[int, dict[int, float]]) -> None:
        """Look for what was put off in the messages that hold a rarer word."""
        messages = set().union(*here.values())
        for number in self._put_off[block.kind]:
            needles = self.found.terms[number].needles
            counts = finders.among(self._finders[number], needles, messages, block, text)
            if counts:
                here[number] = counts

    def _keep(
        self, corpus: int, block: Block, text: Text, here: dict[int, dict[int, float]]
    ) -> None:
        """Keep the hits of a block: term number -> index -> count."""
        found, meta = self.found, block.meta
        messages = set().union(*here.values())
        found.matches += len(messages)
        lengths: dict[int, int] = {}
        if not self._enough:
            lengths = finders.lengths(meta, text.fold, messages)
            found.matched_length += sum(lengths.values())
        weight = type_weight(block.kind)
        totals = found.totals.setdefault((corpus, block.session), [0.0] * len(found.terms))
        before = len(found)
        for term, counts in here.items():
            found.add(term, counts, lengths)
            if not totals[term]:
                found.tallies[term].sessions += 1
            totals[term] += sum(counts.values()) * weight
        found.blocks.append(
            Seen(*name_of(corpus, block), block.last_ms, tuple(here), before, len(found))
        )

    def _decide(self) -> None:
        """Put off the words that cannot bring a session among the best without a rarer one."""
        found, terms, tallies = self.found, self.found.terms, self.found.tallies
        if not found.totals or all(terms[n].exact for n in self._wanted[BlockKind.TOOL]):
            return
        # Blocks that were not looked into hold about as many messages a byte as the others.
        messages = sum(found.messages) * self._bytes / sum(found.bytes)
        weights = Weights(found, len(found.sizes), messages)
        best = nlargest(self._enough, weights.rough().values())
        if len(best) < self._enough:
            return
        outranked = best[-1].tier > Tier.SOME
        common = [n for n in self._all if not terms[n].exact and tallies[n].seen]
        common.sort(key=lambda n: -tallies[n].messages)
        # Only a session with the rarest word can hold all words, which is a tier of its own.
        open_ = [n for n in self._wanted[BlockKind.TALK] if terms[n].telling]
        rarest = min(open_, key=lambda n: tallies[n].messages, default=-1)
        for kind in BlockKind:
            left = best[-1].score / policy.PROSPECT
            for number in common:
                left -= weights.most(number, kind)
                falls_short = left >= 0
                if (outranked and falls_short) or (number != rarest and (outranked or falls_short)):
                    self._delay(number, kind)
        self._arrange()

    def _delay(self, number: int, kind: BlockKind) -> None:
        """Put a term off in a kind of block."""
        tally = self.found.tallies[number]
        if not tally.estimated:
            tally.share = tally.sessions / len(self.found.sizes)
        tally.put_off[kind] = True
