"""Where many literals stand in a text: in one pass where hyperscan is, else in a pass each."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias

from recall_tui.named import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_Scan: TypeAlias = Callable[[bytes], list[tuple[int, int]]]

SHORT: Final = 2048
"""Bytes of a text for which a pass each is quick enough: most commands never load hyperscan. Where
it is loaded, it is quicker for any text."""
WINDOW: Final = 1 << 20
"""Bytes of a long text that are looked at together: what is found there is held at once."""


class Sought(NamedTuple):
    """A literal, and what may follow it."""

    literal: bytes
    following: bytes = b""
    """One of these bytes must follow; none: any, or nothing."""
    unlike: tuple[bytes, ...] = ()
    """Pairs of bytes that must not, each begun by one of `following`: most words that begin like
    one sought are a few. Such a byte must then be followed by another."""


class Anchors:
    """Literals that are looked for together."""

    def __init__(self, sought: Sequence[Sought]) -> None:
        """Compile nothing yet."""
        self._sought = sought
        self._guard = threading.Lock()

    def places(self, text: bytes) -> Iterator[tuple[int, int]]:
        """Yield (index of a literal, offset) wherever one stands; those of a literal ascend.

        That it is followed as it must be is certain in a long text only.
        """
        scan = self._scan if len(text) >= SHORT or "_scan" in self.__dict__ else None
        if scan is None:
            yield from self._one_by_one(text)
            return
        reach = max(form.extent for form in self._forms) - 1
        for start in range(0, len(text), WINDOW):
            with self._guard:
                found = scan(text[start : start + WINDOW + reach])
            for index, offset in sorted(self._placed(found)):
                if offset < WINDOW:  # the next window finds it as well
                    yield index, start + offset

    def _placed(self, found: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """Yield the (literal, start) of each (form, end)."""
        forms = self._forms
        return ((forms[number].literal, end - forms[number].extent) for number, end in found)

    def _one_by_one(self, text: bytes) -> Iterator[tuple[int, int]]:
        find = text.find
        for index, literal in [(i, held) for i, held in self._literals if held in text]:
            at = find(literal)
            while at >= 0:
                yield index, at
                at = find(literal, at + 1)

    @cached_property
    def _literals(self) -> list[tuple[int, bytes]]:
        return [(index, one.literal) for index, one in enumerate(self._sought)]

    @cached_property
    def _forms(self) -> list[_Form]:
        return [form for index, one in enumerate(self._sought) for form in _forms(index, one)]

    @cached_property
    def _scan(self) -> _Scan | None:
        """What returns (form, end) of each find in no certain order; None without hyperscan."""
        try:
            import hyperscan  # noqa: PLC0415 - 20 ms with the table that few commands need
        except ImportError:  # pragma: no cover - a platform without a wheel
            return None
        expressions = [form.expression for form in self._forms]
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
            database.scan(text, lambda form, _from, end, _flags, _of: found.append((form, end)))
            return found

        return scan


class _Form(NamedTuple):
    """A literal with what may follow it, as one expression."""

    literal: int
    """Its number among the literals sought."""
    extent: int
    """Bytes of a match."""
    expression: bytes


def _forms(index: int, one: Sought) -> Iterator[_Form]:
    literal, following, unlike = one
    length = len(literal)
    firsts = {pair[0] for pair in unlike}
    others = bytes(byte for byte in following if byte not in firsts)
    if not following:
        yield _Form(index, length, _escaped(literal))
    if others:
        yield _Form(index, length + 1, b"%b[%b]" % (_escaped(literal), _escaped(others)))
    for first in sorted(firsts):
        seconds = bytes(pair[1] for pair in unlike if pair[0] == first)
        word = _escaped(literal + bytes([first]))
        yield _Form(index, length + 2, b"%b[^%b]" % (word, _escaped(seconds)))


def _escaped(literal: bytes) -> bytes:
    return b"".join(b"\\x%02x" % byte for byte in literal)
