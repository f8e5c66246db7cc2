"""How blocks are made: prepared messages of one session and kind, packed until a block is full."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from recall_tui.named import NamedTuple
from recall_tui.store.block import SEPARATOR, TARGET_BYTES, Meta

if TYPE_CHECKING:
    from recall_tui.store.block import BlockKind


class Prepared(NamedTuple):
    """One message ready to be packed: sanitised, redacted, folded. Made by `store.ingest`."""

    kind: int
    time_ms: int
    flags: int
    fold: bytes
    raw: bytes
    """UTF-8 of the marked text."""
    horizon: int
    record: int
    digest: int
    attributes: dict[str, object] | None = None
    """Sparse facts for display: tool, call, ms, model, materials; None when there are none."""


class BlockBuilder:
    """Packs prepared messages of one session and one kind into blocks."""

    __slots__ = ("_messages", "_positions", "_size", "kind")

    def __init__(self, kind: BlockKind) -> None:
        self.kind = kind
        self._messages: list[Prepared] = []
        self._positions = array("I")
        self._size = 0

    def __len__(self) -> int:
        return len(self._messages)

    @property
    def full(self) -> bool:
        """Whether the block should be closed before the next message."""
        return self._size >= TARGET_BYTES

    def add(self, position: int, message: Prepared) -> None:
        """Append a message; positions must grow."""
        self._messages.append(message)
        self._positions.append(position)
        self._size += len(message.fold) + 1

    def take(self) -> BuiltBlock | None:
        """Return what was added as one block and start anew; None when nothing was."""
        messages = self._messages
        if not messages:
            return None
        meta = Meta()
        meta.positions = self._positions
        # Nine columns at once: a comprehension for each takes twice as long.
        kinds, times, flags, folds, raws, horizons, records, digests, facts = zip(
            *messages, strict=True
        )
        meta.times = array("q", times)
        meta.horizons = array("I", horizons)
        meta.records = array("I", records)
        meta.digests = array("H", digests)
        meta.kinds = array("B", kinds)
        meta.flags = array("B", flags)
        meta.fold_offsets = array("I", accumulate([len(f) + 1 for f in folds], initial=0))
        meta.raw_offsets = array("I", accumulate([len(r) + 1 for r in raws], initial=0))
        attributes = {i: of_one for i, of_one in enumerate(facts) if of_one}
        self._messages = []
        self._positions = array("I")
        self._size = 0
        return BuiltBlock(self.kind, meta, SEPARATOR.join(folds), SEPARATOR.join(raws), attributes)


@dataclass(slots=True, eq=False, repr=False)
class BuiltBlock:
    """A closed block, uncompressed."""

    kind: BlockKind
    meta: Meta
    fold: bytes
    raw: bytes
    attributes: dict[int, dict[str, object]]
    """Index in the block -> sparse attributes."""

    @property
    def last_ms(self) -> int:
        """Latest time in the block."""
        return max(self.meta.times)

    @property
    def first_ms(self) -> int:
        """Earliest known time in the block, 0 when none is known."""
        return min(self.meta.times) or min(filter(None, self.meta.times), default=0)
