"""The scan: every admitted block once, and for each term the messages that hold it.

The sessions are scanned in two halves that decide for themselves what they put off, so that the
answer is the same whether a second process reads one of them or not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recall_tui.search.aside import divided
from recall_tui.search.recall.admission import Admission
from recall_tui.search.recall.half import Half
from recall_tui.search.recall.hits import Scanned

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from recall_tui.search.ports import Corpus, Stop
    from recall_tui.search.predicate import Admits
    from recall_tui.search.recall.hits import Table
    from recall_tui.search.recall.request import RecallRequest
    from recall_tui.search.recall.terms import Term
    from recall_tui.store.block import Block

_MINE, _ASIDE = 0, 1


class Scan:
    """One pass over the corpora of a request.

    Attributes:
        found: What there is, once `run` is done.
    """

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
        # The best of all are about the best halves of both.
        best = (enough + 1) // 2
        self._halves = (Half(terms, best), Half(terms, best))

    def run(self, stop: Stop) -> bool:
        """Scan everything. Return False when stopped between blocks."""
        with divided(self._corpora, self._chosen, self._aside) as items:
            if items:  # 2 ms, while the child works
                import pickle  # noqa: PLC0415, TID251 - of our own child's making
            done = self._read([_MINE] if items else [_MINE, _ASIDE], stop)
            if done and items:
                found = next(items, None)
                if found is None:  # the child is dead
                    done = self._read([_ASIDE], stop)
                else:
                    self._halves[_ASIDE].take(pickle.loads(found))  # noqa: S301
        if done:
            self._join()
        return done

    def admits(self, corpus: int, block: Block) -> Admits:
        """Return the test a message of a block must pass; None when every message does."""
        return self._admission.of(corpus, block)

    def again(self, corpus: int, block: Block, table: Table) -> None:
        """Add to the hits of a block that is read again what was put off in the scan."""
        admits = self._admission.of(corpus, block)
        self._half(block).again(block, table, admits)

    def _half(self, block: Block) -> Half:
        return self._halves[block.session % len(self._halves)]

    def _read(self, halves: Collection[int], stop: Stop) -> bool:
        """Scan some halves. Return False when stopped between blocks."""
        wanted = [self._halves[number] for number in halves]
        for corpus, port in enumerate(self._corpora):
            for block in port.blocks(self._chosen):
                if stop():
                    return False
                half = self._half(block)
                if half in wanted:
                    half.scan(corpus, block, self._admission)
        return True

    def _aside(self, stop: Stop) -> Iterator[bytes]:
        """Yield what the second half found."""
        import pickle  # noqa: PLC0415, TID251

        if self._read([_ASIDE], stop):
            yield pickle.dumps(self._halves[_ASIDE].give(), -1)

    def _join(self) -> None:
        """Put the halves together."""
        first, second = self._halves
        self.found = first.found
        self.found.extend(second.found)
