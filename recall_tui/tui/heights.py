"""Heights of many rows of unequal height: quick to sum up, to correct one by one, and to ask."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Final

from recall_tui.tui.frame import estimate, spaced

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from recall_tui.store.skeleton import Skeleton
    from recall_tui.tui.frame import Frame

_BLOCK: Final = 128
"""Items summed up together: a question adds up so many and looks for one of the blocks."""

_STEP_BYTES: Final = 20
"""A likely height is no line better for knowing a size more closely: no line is narrower."""


class Heights:
    """The heights of items stacked from the top, in lines.

    100,000 items cost 400 kB and a few microseconds for each question, so that a transcript can
    be laid out from estimates and corrected item by item while it is read.
    """

    __slots__ = ("_blocks", "_heights", "_tops", "total")

    def __init__(self, heights: Iterable[int]) -> None:
        self._heights = held = array("i", heights)
        self._blocks = [sum(held[at : at + _BLOCK]) for at in range(0, len(held), _BLOCK)]
        self._tops: list[int] = []
        self.total = sum(self._blocks)

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, index: int) -> int:
        return self._heights[index]

    def __setitem__(self, index: int, height: int) -> None:
        change = height - self._heights[index]
        if change:
            self._heights[index] = height
            self._blocks[index // _BLOCK] += change
            self.total += change
            self._tops.clear()

    def begun_with(self, other: Heights) -> Heights:
        """Return these heights, the first of them as another has them."""
        count = min(len(self), len(other))
        return Heights(other._heights[:count] + self._heights[count:])

    def top(self, index: int) -> int:
        """Return the line an item starts on (for `len`: the line after the last)."""
        block = index // _BLOCK
        return self._block_tops()[block] + sum(self._heights[block * _BLOCK : index])

    def at(self, line: int) -> tuple[int, int]:
        """Return (item, line inside it) for a line in 0 <= line < total."""
        tops = self._block_tops()
        block = bisect_right(tops, line) - 1
        start = block * _BLOCK
        within = list(accumulate(self._heights[start : start + _BLOCK], initial=tops[block]))
        index = bisect_right(within, line) - 1
        return start + index, line - within[index]

    def _block_tops(self) -> list[int]:
        """Return the line each block starts on, and the line after the last."""
        if not self._tops:
            self._tops = list(accumulate(self._blocks, initial=0))
        return self._tops


class Estimates:
    """What the likely heights of a session's messages follow from: their kinds and their sizes.

    Many messages are alike, so that another width or level costs a look at each sort of message,
    not at each of a hundred thousand messages.
    """

    __slots__ = ("_each", "_sorts")

    def __init__(self, skeleton: Skeleton) -> None:
        numbers: dict[tuple[int, int, int], int] = {}
        self._each = array("I", (numbers.setdefault(s, len(numbers)) for s in _sorts(skeleton)))
        self._sorts = list(numbers)

    def lines(self, frame: Frame) -> array[int]:
        """Return the likely lines of every message, the empty one above it included."""
        lines = [
            estimate(kind, steps * _STEP_BYTES, frame) + spaced(kind, before or None)
            for kind, steps, before in self._sorts
        ]
        return array("i", map(lines.__getitem__, self._each))


def _sorts(skeleton: Skeleton) -> Iterator[tuple[int, int, int]]:
    """Return (kind, size in steps, kind before; 0 for none) of every message."""
    steps = (size // _STEP_BYTES for size in skeleton.sizes)
    return zip(skeleton.kinds, steps, chain((0,), skeleton.kinds), strict=False)
