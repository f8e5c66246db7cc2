"""Where many literals stand in a text: in one pass where hyperscan is, else in a pass each."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias

from recall_tui.text.find import finder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_Scan: TypeAlias = Callable[[bytes], list[tuple[int, int]]]

SHORT: Final = 2048
"""Bytes of a text for which a pass each is quick enough: most commands never load hyperscan. Where
it is loaded, it is quicker for any text."""
WINDOW: Final = 1 << 20
"""Bytes of a long text that are looked at together: what is found there is held at once."""


class Anchors:
    """Literals, and the bytes that may follow each."""

    def __init__(self, sought: Sequence[tuple[bytes, bytes]]) -> None:
        """Compile nothing yet.

        Args:
            sought: Each literal, and the bytes one of which must follow it; none: any or nothing.
        """
        self._sought = sought
        self._extents = [len(literal) + bool(following) for literal, following in sought]
        self._guard = threading.Lock()

    def places(self, text: bytes) -> Iterator[tuple[int, int]]:
        """Yield (index of a literal, offset) wherever one stands; those of a literal ascend.

        That it is followed by one of its bytes is certain in a long text only.
        """
        scan = self._scan if len(text) >= SHORT or "_scan" in self.__dict__ else None
        if scan is None:
            yield from self._one_by_one(text)
            return
        reach = max(self._extents) - 1
        for start in range(0, len(text), WINDOW):
            with self._guard:
                found = scan(text[start : start + WINDOW + reach])
            found.sort()
            for index, end in found:
                offset = end - self._extents[index]
                if offset < WINDOW:  # the next window finds it as well
                    yield index, start + offset

    def _one_by_one(self, text: bytes) -> Iterator[tuple[int, int]]:
        find = finder(text)
        for index, (literal, _) in enumerate(self._sought):
            at = find(literal, 0)
            while at >= 0:
                yield index, at
                at = find(literal, at + 1)

    @cached_property
    def _scan(self) -> _Scan | None:
        """What returns (index, end) of each find in no certain order; None without hyperscan."""
        try:
            import hyperscan  # noqa: PLC0415 - 20 ms with the table that few commands need
        except ImportError:  # pragma: no cover - a platform without a wheel
            return None
        expressions = [
            _escaped(literal) + (b"[%b]" % _escaped(following) if following else b"")
            for literal, following in self._sought
        ]
        database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
        try:
            database.compile(
                expressions=expressions,
                ids=range(len(expressions)),
                elements=len(expressions),
                flags=hyperscan.HS_FLAG_DOTALL,
            )
        except hyperscan.ArchitectureError:  # pragma: no cover - a processor it does not know
            return None

        def scan(text: bytes) -> list[tuple[int, int]]:
            found: list[tuple[int, int]] = []
            database.scan(text, lambda index, _from, end, _flags, _of: found.append((index, end)))
            return found

        return scan


def _escaped(literal: bytes) -> bytes:
    return b"".join(b"\\x%02x" % byte for byte in literal)
