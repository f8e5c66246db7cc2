"""Every second block of a scan, counted ahead of it in a child.

Both processes walk the same blocks in the same order. The one that asks takes the count of a block
that is the child's from it, and looks into the block itself only where it must know which messages
match; whatever is missing, it counts itself. So nothing depends on there being a child.
"""

from __future__ import annotations

from array import array
from itertools import chain
from time import perf_counter
from typing import TYPE_CHECKING, Final, TypeAlias

from recall_tui.search.predicate import Tally

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from recall_tui.search.ports import Stop
    from recall_tui.store.block import Block

    Numbered: TypeAlias = tuple[int, Block]
    """Number of a corpus, and a block of it."""

ALONE: Final = 16
"""Blocks at the beginning that nobody counts ahead: a page is often full by then."""

_BATCH: Final = 16
"""Counts that are sent together, ..."""

_SEND_S: Final = 0.02
"""... unless they take longer than this."""


def counted(
    blocks: Iterable[Numbered], count: Callable[[int, Block], Tally], stop: Stop
) -> Iterator[bytes]:
    """Yield, in the child, what its blocks hold, until one could not be searched to its end.

    Four numbers a block: of the corpus, the block's id, messages, occurrences.
    """
    batch = array("q")
    sent = perf_counter()
    for place, (number, block) in enumerate(blocks):
        if not _is_childs(place):
            continue
        tally = count(number, block)
        if stop() or tally.unsearched:
            break
        batch.extend((number, block.id, tally.messages, tally.occurrences))
        if len(batch) == 4 * _BATCH or perf_counter() - sent > _SEND_S:
            yield batch.tobytes()
            batch, sent = array("q"), perf_counter()
    if batch:
        yield batch.tobytes()


class Ahead:
    """The counts of a child, for whoever walks the blocks in the same order."""

    def __init__(self, batches: Iterator[bytes] | None) -> None:
        """Take over what the child yields; None: there is no child."""
        numbers = chain.from_iterable(array("q", batch) for batch in batches or ())
        self._counts = zip(numbers, numbers, numbers, numbers, strict=False)
        self._place = -1

    def of(self, number: int, block: Block) -> Tally | None:
        """Return what the next block holds if the child says so. Ask for each block, in order."""
        self._place += 1
        if not _is_childs(self._place):
            return None
        for of, id_, messages, occurrences in self._counts:
            if (of, id_) == (number, block.id):
                return Tally(messages, occurrences)
            break
        # It ended, or began in another state of the index: no count of it means anything here.
        self._counts = zip((), (), (), (), strict=True)
        return None


def _is_childs(place: int) -> bool:
    return place >= ALONE and place % 2 == 1
