"""Opening a rollout, compressed or not, as one seekable stream of lines."""

from __future__ import annotations

import io
from typing import IO, TYPE_CHECKING

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
