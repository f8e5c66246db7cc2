"""Every second block of a scan, counted ahead of it in a child.

Both processes walk the same blocks in the same order. The one that asks takes the count of a block
that is the child's from it, and looks into the block itself only where it must know which messages
match; whatever is missing, it counts itself. So nothing depends on there being a child.
"""

from __future__ import annotations

from itertools import chain
from time import perf_counter
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from recall_tui.search.ports import Stop
    from recall_tui.search.predicate import Tally
    from recall_tui.store.block import Block

    Numbered: TypeAlias = tuple[int, Block]
    """Number of a corpus, and a block of it."""

    _Counted: TypeAlias = tuple[int, int, Tally]
    """Number of the corpus, id of the block, what it holds."""

ALONE: Final = 16
"""Blocks at the beginning that nobody counts ahead: a page is often full by then."""

_BATCH: Final = 16
"""Counts that are sent together, ..."""

_SEND_S: Final = 0.02
"""... unless they take longer than this."""


def counted(
    blocks: Iterable[Numbered], count: Callable[[int, Block], Tally], stop: Stop
) -> Iterator[list[_Counted]]:
    """Yield, in the child, what its blocks hold, until one could not be searched to its end."""
    batch: list[_Counted] = []
    sent = perf_counter()
    for place, (number, block) in enumerate(blocks):
        if not _is_childs(place):
            continue
        tally = count(number, block)
        if stop() or tally.unsearched:
            break
        batch.append((number, block.id, tally))
        if len(batch) == _BATCH or perf_counter() - sent > _SEND_S:
            yield batch
            batch, sent = [], perf_counter()
    yield batch


class Ahead:
    """The counts of a child, for whoever walks the blocks in the same order."""

    def __init__(self, batches: Iterator[list[_Counted]] | None) -> None:
        """Take over what the child yields; None: there is no child."""
        self._counts: Iterator[_Counted] = chain.from_iterable(batches or ())
        self._place = -1

    def of(self, number: int, block: Block) -> Tally | None:
        """Return what the next block holds if the child says so. Ask for each block, in order."""
        self._place += 1
        if not _is_childs(self._place):
            return None
        for of, id_, tally in self._counts:
            if (of, id_) == (number, block.id):
                return tally
            break
        # It ended, or began in another state of the index: no count of it means anything here.
        self._counts = iter(())
        return None


def _is_childs(place: int) -> bool:
    return place >= ALONE and place % 2 == 1
