"""Opening sources so that no file, whatever it holds, fills the memory.

A crash leaves holes, a mistake names a disk image `.jsonl`, a small `.zst` unpacks without end: a
line or a document beyond reason is not held but counted as damaged.
"""

from __future__ import annotations

import io
import os
from typing import IO, Final

from recall_tui.errors import SourceError
from recall_tui.harnesses.base import StaleCheckpoint

BUFFER: Final = 1 << 20
"""Bytes per read call: large enough that a 200 MB session costs 200 calls."""

HELD: Final = 4 << 20
"""Bytes that are read at once: a pass looks at them twice, and lines out of memory cost half."""

LONGEST: Final = 128 << 20
"""Bytes of a line that are held; peers report lines of tens of MB."""

LARGEST: Final = 1 << 30
"""Bytes of a session that is one JSON value and must be held as a whole."""


class Overlong(bytes):
    """Stands for a line that is not held: its content is damaged, its length the line's own."""

    length: int

    def __len__(self) -> int:
        return self.length


class Lines(io.BufferedReader):
    """A stream that yields an `Overlong` for each line of more than `LONGEST` bytes."""

    def __next__(self) -> bytes:
        line = self.readline(LONGEST)
        if not line:
            raise StopIteration
        length = len(line)
        if length < LONGEST or line.endswith(b"\n"):
            return line
        end = b""
        while piece := self.readline(BUFFER):
            length += len(piece)
            if piece.endswith(b"\n"):
                end = b"\n"
                break
        overlong = Overlong(b"{" + end)
        overlong.length = length
        return overlong


def open_lines(path: str, offset: int = 0) -> IO[bytes]:
    """Open a file whose lines are read one after the other.

    Args:
        path: The file.
        offset: Of the first line wanted.

    Returns:
        A stream of the whole file that stands at that line.

    Raises:
        OSError: It cannot be opened.
        StaleCheckpoint: It ends before the offset.
    """
    file = open(path, "rb", buffering=0)  # noqa: SIM115 - the caller's
    size = os.fstat(file.fileno()).st_size
    if size <= HELD and not offset:
        with file:
            return io.BytesIO(file.read())
    if size < offset:
        file.close()
        raise StaleCheckpoint(f"{path}: shorter than it was")
    file.seek(offset)
    # No line of a file that is shorter can be too long, and this is twice as fast.
    return io.BufferedReader(file, BUFFER) if size < LONGEST else Lines(file, BUFFER)


def read_document(path: str) -> bytes:
    """Return the whole content of a file.

    Raises:
        OSError: It cannot be read.
        SourceError: It is larger than any session.
    """
    with open(path, "rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        if size > LARGEST:
            raise SourceError(f"{path}: {size >> 20} MB in one JSON value are not read")
        return stream.read()
