"""Opening a rollout, compressed or not, as one seekable stream of lines."""

from __future__ import annotations

import io
from typing import IO, TYPE_CHECKING, Final

from recall_tui.harnesses.streams import BUFFER, Lines, open_lines

if TYPE_CHECKING:
    from typing_extensions import Buffer


def open_rollout(path: str) -> IO[bytes]:
    """Open the (uncompressed) bytes of a rollout.

    Raises:
        OSError: It cannot be opened. A broken `.zst` raises it while reading.
    """
    if path.endswith(".zst"):
        return Lines(_Unpacked(path), BUFFER)
    return open_lines(path)


_FRAME_HEAD: Final = 18
"""Bytes of the longest header of a zstd frame."""
_SKIPPED: Final = range(0x184D2A50, 0x184D2A60)
"""Magic numbers of frames that hold no content; their length follows."""
_REPEATED: Final = 1
"""Type of a block that is one byte, however long it unpacks to."""


def is_whole(path: str) -> bool:
    """Return whether a `.zst` file ends with a frame of it: unpacking a cut one ends silently.

    Only headers are looked at. What is no zstd at all is no matter of this.

    Raises:
        OSError: It cannot be read.
    """
    import zstandard  # noqa: PLC0415 - few sessions are compressed

    with open(path, "rb") as file:
        size = file.seek(0, io.SEEK_END)
        at = 0
        while at < size:
            file.seek(at)
            head = file.read(_FRAME_HEAD)
            if int.from_bytes(head[:4], "little") in _SKIPPED:
                at += 8 + int.from_bytes(head[4:8], "little")
                continue
            try:
                at += zstandard.frame_header_size(head)
                checked = zstandard.get_frame_parameters(head).has_checksum
            except zstandard.ZstdError:
                return len(head) == _FRAME_HEAD
            last = False
            while not last:
                file.seek(at)
                block = file.read(3)
                if len(block) < 3:
                    return False
                number = int.from_bytes(block, "little")
                last = bool(number & 1)
                at += 3 + (1 if number >> 1 & 3 == _REPEATED else number >> 3)
            at += 4 if checked else 0
    return at == size


class _Unpacked(io.RawIOBase):
    """The content of a `.zst` file; seeking back starts anew."""

    def __init__(self, path: str) -> None:
        self._file = open(path, "rb")  # noqa: SIM115 - closed by close()
        self._start()

    def _start(self) -> None:
        import zstandard  # noqa: PLC0415 - few sessions are compressed

        self._broken = zstandard.ZstdError
        self._reader = zstandard.ZstdDecompressor().stream_reader(
            self._file, read_across_frames=True, closefd=False
        )
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        try:
            count = self._reader.readinto(buffer)
        except self._broken as error:
            raise OSError(f"damaged zstd stream: {error}") from error
        self._at += count
        return count

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        if whence == io.SEEK_CUR:
            offset += self._at
        elif whence != io.SEEK_SET:
            raise io.UnsupportedOperation("the end of a compressed stream is not known")
        if offset < self._at:
            self._file.seek(0)
            self._start()
        scratch = bytearray(BUFFER)
        while self._at < offset:
            if not self.readinto(memoryview(scratch)[: offset - self._at]):
                break
        return self._at

    def tell(self) -> int:
        return self._at

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()
