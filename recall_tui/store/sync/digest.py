"""What proves that the bytes of a source are still those that were read.

Size and times only hint. Two proofs of content: `ends`, cheap, says whether a grown file still
begins with what was read; `digests`, one a MiB, says whether any byte changed.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import stringzilla

if TYPE_CHECKING:
    from typing import IO

ENDS_BYTES: Final = 4096
"""Read at either end of the consumed part (S3-43)."""

CHUNK: Final = 1 << 20
"""Bytes a digest covers. Chunks lie at fixed offsets, so that growth recomputes only the last."""

_WIDTH: Final = 8


def ends(stream: IO[bytes], offset: int) -> bytes:
    """Return the fingerprint of the first `offset` bytes: 16 bytes, of their two ends."""
    stream.seek(0)
    first = stream.read(min(ENDS_BYTES, offset))
    stream.seek(max(0, offset - ENDS_BYTES))
    last = stream.read(min(ENDS_BYTES, offset))
    return _hash(first) + _hash(last)


def digests(stream: IO[bytes], size: int, known: bytes = b"", trusted: int = 0) -> bytes:
    """Return the digests of the first `size` bytes, 8 bytes a started MiB.

    Args:
        stream: The open file; fewer bytes than `size` give another digest, not an error.
        size: Bytes to cover.
        known: Digests of an earlier read.
        trusted: Bytes of the file that are certainly still the same; whole chunks of them are
            taken from `known`.
    """
    keep = min(trusted // CHUNK, len(known) // _WIDTH)
    stream.seek(keep * CHUNK)
    fresh = [
        _hash(stream.read(min(CHUNK, size - start))) for start in range(keep * CHUNK, size, CHUNK)
    ]
    return known[: keep * _WIDTH] + b"".join(fresh)


def same(path: str, size: int, known: bytes) -> bool:
    """Whether the first `size` bytes of a file still have these digests; stops at a difference.

    Raises:
        OSError: The file cannot be read.
    """
    with open(path, "rb", buffering=0) as stream:
        if os.fstat(stream.fileno()).st_size < size:
            return False
        for index, start in enumerate(range(0, size, CHUNK)):
            piece = stream.read(min(CHUNK, size - start))
            if _hash(piece) != known[index * _WIDTH : (index + 1) * _WIDTH]:
                return False
    return True


def _hash(data: bytes) -> bytes:
    value: int = stringzilla.hash(data)
    return value.to_bytes(_WIDTH, "little")
