"""The scan: every admitted block once, and for each term the messages that hold it.

A common word of a sentence is put off as soon as sessions without a rarer one have no prospects
(the bound of MaxScore): from there on it is looked for in the messages of rarer words only, and in
every `policy.SAMPLED`-th block, from which its frequency is estimated. What is then looked at
closely is searched for it again, so that only its frequency is no exact number. Explicit terms are
never put off (S0-67).
"""

from __future__ import annotations

from heapq import nlargest
from typing import TYPE_CHECKING

from recall_tui.search.recall import finders, policy
from recall_tui.search.recall.admission import Admission
from recall_tui.search.recall.bm25 import type_weight
from recall_tui.search.recall.finders import Held, Text
from recall_tui.search.recall.hits import Scanned, Seen
from recall_tui.search.recall.weights import Weights

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recall_tui.search.ports import Corpus, Stop
    from recall_tui.search.recall.hits import Table
    from recall_tui.search.recall.request import RecallRequest
    from recall_tui.search.recall.terms import Term
    from recall_tui.store.block import Block


class Scan:
    """One pass over the corpora of a request."""

    def __init__(
        self,
        corpora: Sequence[Corpus],
        request: RecallRequest,
        terms: Sequence[Term],
        running: Mapping[tuple[int, int], int],
        enough: int = 0,
    ) -> None:
        """Prepare a pass.

        Args:
            corpora: Where to look.
            request: Whose filter holds for every message.
            terms: What to look for.
            running: (corpus, session) -> first position of the turn that is asking; it and what
                follows must not match.
            enough: Sessions that will be looked at closely; 0: nothing may be put off.
        """
        self.found = Scanned(terms)
        self._corpora = corpora
        self._chosen = request.chosen
        self._admission = Admission(corpora, request.chosen, running)
        self._enough = enough
        self._scanned = 0
        self._bytes = 0
        self._finders = [finders.finder(term) for term in terms]
        # What holds another needle is looked for after it, and not where that one is absent.
        self._all = sorted(range(len(terms)), key=lambda n: max(map(len, terms[n].needles)))
        self._wanted = self._all
        needles = {needle for term in terms for needle in term.needles}
        self._parts = {n: {part for part in needles if part in n and part != n} for n in needles}

    def run(self, stop: Stop) -> bool:
        """Scan everything; `found` is what there is. Return False when stopped between blocks."""
        look = policy.FIRST_LOOK if self._enough else 0
        for corpus, port in enumerate(self._corpora):
            for block in port.blocks(self._chosen):
                if stop():
                    return False
                self._scan(corpus, block)
                if self._scanned == look:
                    look *= 2
                    self._put_off()
        return True

    def again(self, corpus: int, block: Block, table: Table) -> None:
        """Add to the hits of a block that is read again what was put off in the scan."""
        put_off = [n for n in self._all if self.found.tallies[n].put_off]
        text = Text.of(block.fold)
        admits = self._admission.of(corpus, block) if put_off else None
        for held in self._held(text, put_off):
            counts, _ = finders.everywhere(self._finders[held.term], held, block, text, admits)
            for index, count in counts.items():
                table.setdefault(index, {})[held.term] = count

    def _scan(self, corpus: int, block: Block) -> None:
        found, key = self.found, (corpus, block.session)
        found.sizes[key] = found.sizes.get(key, 0.0) + len(block.fold) * type_weight(block)
        self._scanned += 1
        self._bytes += len(block.fold)
        sampled = self._scanned % policy.SAMPLED == 0
        tallies = found.tallies
        text = Text.of(block.fold)
        wanted = self._held(text, self._all if sampled else self._wanted)
        if not wanted:
            return
        admits = self._admission.of(corpus, block)
        here: dict[int, dict[int, float]] = {}
        for held in wanted:
            finder, tally = self._finders[held.term], tallies[held.term]
            counts, beyond = finders.everywhere(finder, held, block, text, admits)
            tally.beyond += beyond
            if counts:
                here[held.term] = counts
                tally.seen += len(counts)
                tally.sessions.add(key)
                holding = sum(min(count, 1.0) for count in counts.values())
                tally.frequency += holding * policy.SAMPLED if tally.put_off else holding
        found.messages[block.kind] += len(block.meta)
        found.bytes[block.kind] += len(block.fold)
        if here:
            if not sampled:
                self._beside(block, text, here)
            self._keep(corpus, block, here)

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
        for number, tally in enumerate(self.found.tallies):
            if tally.put_off:
                needles = self.found.terms[number].needles
                counts = finders.among(self._finders[number], needles, messages, block, text)
                if counts:
                    here[number] = counts

    def _keep(self, corpus: int, block: Block, here: dict[int, dict[int, float]]) -> None:
        """Keep the hits of a block: term number -> index -> count."""
        found, meta, fold = self.found, block.meta, block.fold
        messages = set().union(*here.values())
        found.matches += len(messages)
        lengths: dict[int, int] = {}
        if not self._enough:
            spans = ((index, *finders.visible(meta, index)) for index in messages)
            lengths = {i: finders.characters(fold[start:end]) for i, start, end in spans}
            found.matched_length += sum(lengths.values())
        weight = type_weight(block)
        totals = found.totals.setdefault((corpus, block.session), [0.0] * len(found.terms))
        before = len(found)
        for term, counts in here.items():
            found.add(term, counts, lengths)
            totals[term] += sum(counts.values()) * weight
        found.blocks.append(Seen(*name_of(corpus, block), block.last_ms, before, len(found)))

    def _put_off(self) -> None:
        """Put off the commonest words that together cannot bring a session among the best."""
        found, tallies = self.found, self.found.tallies
        if not found.totals or len(self._wanted) == 1:
            return
        # Blocks that were not looked into hold about as many messages a byte as the others.
        messages = sum(found.messages) * self._bytes / sum(found.bytes)
        weights = Weights(found, len(found.sizes), messages)
        best = nlargest(self._enough, weights.rough().values())
        least = best[-1] if len(best) == self._enough else 0.0
        for number in sorted(range(len(tallies)), key=lambda n: -tallies[n].messages):
            least -= policy.PROSPECT * weights.most(number)
            if least < 0 or found.terms[number].exact:
                break
            if not tallies[number].put_off:
                tallies[number].put_off = True
                tallies[number].share = len(tallies[number].sessions) / len(found.sizes)
        self._wanted = [n for n in self._all if not tallies[n].put_off]


def name_of(corpus: int, block: Block) -> tuple[int, int, int, int, int]:
    """Return what a block with messages is known by: `Seen.name`."""
    positions = block.meta.positions
    return corpus, block.session, block.kind, positions[0], len(positions)
