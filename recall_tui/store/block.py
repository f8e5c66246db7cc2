"""The unit of storage and of search: about 512 KB of folded text with packed arrays beside it.

A block holds messages of one session and one kind (talk, or tool results), in position order.
`fold` is what a scan reads: `text.fold_bytes` of each message joined by byte 0xFF, which UTF-8
never contains, so no query can match across messages. `raw` is what is shown: the marked texts
joined the same way, as one zstd frame in the store. The same type carries the cold path's text,
which is never compressed.
"""

from __future__ import annotations

import struct
import sys
from array import array
from bisect import bisect_right
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

SEPARATOR: Final = b"\xff"
"""Between two messages of a block."""

TARGET_BYTES: Final = 512 * 1024
"""Fold bytes after which a block is closed: a tail append rewrites at most this much, and a scan
spends its time in `find`, not between rows (engine.md section 4)."""

_HEADER: Final = struct.Struct("<4sHI")
_MAGIC: Final = b"RBK1"
_WHOLE: Final = 0xFFFF_FFFF
"""`horizon` of a message the agents' path sees whole."""

_COLUMNS: Final = (
    ("times", "q"), ("positions", "I"), ("horizons", "I"), ("records", "I"), ("digests", "H"),
    ("kinds", "B"), ("flags", "B"), ("fold_offsets", "I"), ("raw_offsets", "I"),
)  # fmt: skip
_MORE: Final = {"fold_offsets": 1, "raw_offsets": 1}
"""Entries a column has beyond one a message."""

_ENTRY: Final = struct.calcsize("<" + "".join(code for _, code in _COLUMNS))
_PLACES: Final = {
    name: (code, struct.calcsize("<" + "".join(c for _, c in _COLUMNS[:number])))
    for number, (name, code) in enumerate(_COLUMNS)
}
"""Column -> its code and the bytes a message takes in the columns before it."""


class BlockKind(IntEnum):
    """Tool results have blocks of their own, so that a talk-only search reads a third. Stored."""

    TALK = 0
    TOOL = 1


class Meta:
    """Packed arrays of a block, one entry a message (offsets: one more).

    Attributes:
        times: Epoch ms, 0 when unknown.
        positions: Message index in its session.
        horizons: Fold bytes of the message the agents' path sees, `WHOLE` for all.
        records: 32-bit hash of the native record id, or of the content where there is none.
        digests: 16 bits of the content digest, the `~abcd` of a reference.
        kinds: `model.Kind` values.
        flags: `model.Flag` bits.
        fold_offsets: Start of each message in `fold`, then the end plus one.
        raw_offsets: The same for `raw`.
    """

    WHOLE: Final = _WHOLE
    __slots__ = (
        "_count", "_packed", "digests", "flags", "fold_offsets", "horizons", "kinds", "positions",
        "raw_offsets", "records", "times",
    )  # fmt: skip

    _packed: bytes
    _count: int

    def __init__(self) -> None:
        self.times = array("q")
        self.positions = array("I")
        self.horizons = array("I")
        self.records = array("I")
        self.digests = array("H")
        self.kinds = array("B")
        self.flags = array("B")
        self.fold_offsets = array("I", [0])
        self.raw_offsets = array("I", [0])

    def __len__(self) -> int:
        return len(self.kinds)

    def index_at(self, fold_offset: int, low: int = 0) -> int:
        """Return the index of the message that holds a fold offset."""
        return bisect_right(self.fold_offsets, fold_offset, low) - 1

    def fold_span(self, index: int) -> tuple[int, int]:
        """Return the [start, end) of a message in `fold`, separator excluded."""
        return self.fold_offsets[index], self.fold_offsets[index + 1] - 1

    def raw_span(self, index: int) -> tuple[int, int]:
        """Return the [start, end) of a message in `raw`, separator excluded."""
        return self.raw_offsets[index], self.raw_offsets[index + 1] - 1

    def pack(self) -> bytes:
        """Return the little-endian bytes stored in `block.meta`."""
        parts = [_HEADER.pack(_MAGIC, 1, len(self))]
        for name, _ in _COLUMNS:
            column = getattr(self, name)
            if sys.byteorder != "little":  # pragma: no cover - no big-endian machine in CI
                column = column[:]
                column.byteswap()
            parts.append(column.tobytes())
        return b"".join(parts)

    @classmethod
    def unpack(cls, data: bytes) -> Meta:
        """Read `block.meta`; each column is read when first asked for, a scan needs one or two.

        Raises:
            ValueError: The bytes are not a meta block of this version.
        """
        try:
            magic, version, count = _HEADER.unpack_from(data)
        except struct.error as error:
            raise ValueError("not a block") from error
        size = _HEADER.size + _ENTRY * count + 4 * len(_MORE)
        if magic != _MAGIC or version != 1 or len(data) != size:
            raise ValueError("not a block of this version")
        meta = cls.__new__(cls)
        meta._packed, meta._count = data, count
        return meta

    def __getattr__(self, name: str) -> array[int]:
        # Only a column of a packed meta that was not asked for before comes here.
        if name not in _PLACES:
            raise AttributeError(name)
        code, before = _PLACES[name]
        column = array(code)
        start = _HEADER.size + before * self._count + (4 if name == "raw_offsets" else 0)
        end = start + (self._count + _MORE.get(name, 0)) * column.itemsize
        column.frombytes(self._packed[start:end])
        if sys.byteorder != "little":  # pragma: no cover
            column.byteswap()
        setattr(self, name, column)
        return column


class Attributes(Protocol):
    """The sparse facts of a block's messages (`Prepared.attributes`); a dictionary is one."""

    def get(self, index: int, default: dict[str, Any], /) -> dict[str, Any]:
        """Return the facts of the message of an index."""
        ...


class Block:
    """A block as a scan sees it.

    Attributes:
        id: Row id, or a running number on the cold path.
        session: Row id of the session in its corpus.
        kind: Talk or tool results.
        last_ms: Latest message time in it (messages without a time: the session's end).
        copied: Messages at positions below this are copies of another session's; they count there.
    """

    __slots__ = (
        "_attributes", "_fold", "_meta", "_raw", "copied", "id", "kind", "last_ms", "session",
    )  # fmt: skip

    def __init__(
        self, id_: int, session: int, kind: int, last_ms: int,
        meta: Meta | bytes | Callable[[], bytes], fold: bytes | Callable[[], bytes],
        raw: Callable[[], bytes],
        attributes: Callable[[], Attributes] = dict, copied: int = 0,
    ) -> None:  # fmt: skip
        self.id = id_
        self.session = session
        self.kind = kind
        self.last_ms = last_ms
        self.copied = copied
        self._fold = fold
        self._meta = meta
        self._raw: Callable[[], bytes] | bytes = raw
        self._attributes: Callable[[], Attributes] | Attributes = attributes

    @property
    def fold(self) -> bytes:
        """The folded texts, read on first use: another process may be the one to read them."""
        if not isinstance(self._fold, bytes):
            self._fold = self._fold()
        return self._fold

    def let_go(self) -> None:
        """Drop the folded texts for good: what waits to be shown must not hold 512 KB."""
        self._fold = b""

    @property
    def meta(self) -> Meta:
        """The arrays, read and unpacked on first use: a block without a hit never pays for them."""
        if not isinstance(self._meta, Meta):
            packed = self._meta if isinstance(self._meta, bytes) else self._meta()
            self._meta = Meta.unpack(packed)
        return self._meta

    def fold_of(self, index: int) -> bytes:
        """Return the folded text of one message."""
        start, end = self.meta.fold_span(index)
        return self.fold[start:end]

    def text_of(self, index: int) -> str:
        """Return the marked text of one message (decompresses the body once)."""
        if not isinstance(self._raw, bytes):
            self._raw = self._raw()
        start, end = self.meta.raw_span(index)
        return self._raw[start:end].decode("utf-8", "replace")

    def attributes_of(self, index: int) -> dict[str, object]:
        """Return the sparse facts of one message, empty without any."""
        if callable(self._attributes):
            self._attributes = self._attributes()
        return self._attributes.get(index, {})
