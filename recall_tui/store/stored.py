"""A block in the form the store holds: compressed, with the columns a choice of blocks needs."""

from __future__ import annotations

import threading
from typing import Final

from recall_tui.named import NamedTuple
from recall_tui.store.block import SEPARATOR, BlockKind, Meta
from recall_tui.store.build import BuiltBlock
from recall_tui.store.expand import Facts, expand


class StoredBlock(NamedTuple):
    """The columns of one row of `block` and its `body`, ids and session apart."""

    kind: int
    first: int
    """Position of its first message."""
    last: int
    first_ms: int
    """Earliest time, 0 as soon as one message has none: such a block passes every `since`."""
    last_ms: int
    meta: bytes
    fold: bytes
    raw: bytes
    attributes: bytes

    @property
    def weight(self) -> int:
        """Bytes it takes in memory and on disk."""
        return len(self.meta) + len(self.fold) + len(self.raw) + len(self.attributes)


LEVEL: Final = 1
"""Level 3 saves half a percent of the sources' size and costs a twentieth of the ingest."""

_local = threading.local()
"""Each thread's own compressor: zstandard's must not be shared."""


def _compress(data: bytes) -> bytes:
    if not hasattr(_local, "compressor"):
        import zstandard  # noqa: PLC0415 - only writing needs it

        _local.compressor = zstandard.ZstdCompressor(level=LEVEL)
    packed: bytes = _local.compressor.compress(data)
    return packed


def store(built: BuiltBlock) -> StoredBlock:
    """Compress a built block."""
    import msgspec  # noqa: PLC0415 - 30 ms that only writing needs

    meta = built.meta
    return StoredBlock(
        int(built.kind),
        meta.positions[0],
        meta.positions[-1],
        min(meta.times),
        max(meta.times),
        meta.pack(),
        built.fold,
        _compress(built.raw),
        _compress(msgspec.json.encode(built.attributes)) if built.attributes else b"",
    )


def load(block: StoredBlock) -> BuiltBlock:
    """Return the block as it was built."""
    return BuiltBlock(
        BlockKind(block.kind),
        Meta.unpack(block.meta),
        block.fold,
        expand(block.raw),
        Facts(block.attributes).all,
    )


def head(block: BuiltBlock, count: int) -> BuiltBlock:
    """Return a block of its first `count` messages, at least one."""
    old, new = block.meta, Meta()
    for name in ("times", "positions", "horizons", "records", "digests", "kinds", "flags"):
        setattr(new, name, getattr(old, name)[:count])
    new.fold_offsets = old.fold_offsets[: count + 1]
    new.raw_offsets = old.raw_offsets[: count + 1]
    return BuiltBlock(
        block.kind,
        new,
        block.fold[: new.fold_offsets[count] - 1],
        block.raw[: new.raw_offsets[count] - 1],
        {index: facts for index, facts in block.attributes.items() if index < count},
    )


def join(left: BuiltBlock, right: BuiltBlock) -> BuiltBlock:
    """Return one block with the messages of both, which are of one kind and session."""
    meta = Meta()
    count = len(left.meta)
    for name in ("times", "positions", "horizons", "records", "digests", "kinds", "flags"):
        setattr(meta, name, getattr(left.meta, name) + getattr(right.meta, name))
    for name in ("fold_offsets", "raw_offsets"):
        offsets = getattr(left.meta, name)[:]
        shift = offsets[-1]
        offsets.extend(shift + offset for offset in getattr(right.meta, name)[1:])
        setattr(meta, name, offsets)
    return BuiltBlock(
        left.kind,
        meta,
        left.fold + SEPARATOR + right.fold,
        left.raw + SEPARATOR + right.raw,
        {**left.attributes, **{count + i: facts for i, facts in right.attributes.items()}},
    )
