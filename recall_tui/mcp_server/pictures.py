"""Pictures as an agent gets them: pixels, and none of the words a file carries beside them.

A comment, EXIF or XMP is text that nobody sees and no rule for secrets has read.
"""

from __future__ import annotations

import struct
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PNG: Final = b"\x89PNG\r\n\x1a\n"
_PNG_WORDS: Final = {b"tEXt", b"zTXt", b"iTXt", b"eXIf"}
_JPEG_WORDS: Final = {0xE1, 0xED, 0xFE}
"""EXIF and XMP, what Photoshop notes down, comments."""
_JPEG_SCAN: Final = 0xDA
_WEBP_WORDS: Final = {b"EXIF", b"XMP "}
_WEBP_HAS_WORDS: Final = 0x0C
"""Flags of the extended header that say so."""


def wordless(data: bytes) -> bytes:
    """Return a picture without its words; what is no PNG, JPEG, WebP or GIF as it is.

    What is broken is given as far as it is whole.
    """
    for begins, parts in _PARTS.items():
        if data.startswith(begins) and (begins != b"RIFF" or data[8:12] == b"WEBP"):
            kept = bytearray()
            with suppress(IndexError, struct.error):
                for part in parts(data):
                    kept += part
            if begins == b"RIFF":
                struct.pack_into("<I", kept, 4, len(kept) - 8)
            return bytes(kept)
    return data


def _png(data: bytes) -> Iterator[bytes]:
    yield data[:8]
    at = 8
    while at + 8 <= len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        end = at + 12 + size
        if kind not in _PNG_WORDS:
            yield data[at:end]
        if kind == b"IEND":
            return
        at = end


def _jpeg(data: bytes) -> Iterator[bytes]:
    yield data[:2]
    at = 2
    while data[at] == 0xFF and data[at + 1] != _JPEG_SCAN:
        if data[at + 1] == 0xFF:  # a marker may have any number of them ahead
            at += 1
            continue
        (size,) = struct.unpack_from(">H", data, at + 2)
        if data[at + 1] not in _JPEG_WORDS:
            yield data[at : at + 2 + size]
        at += 2 + size
    end = data.rfind(b"\xff\xd9", at)
    yield data[at : end + 2 if end >= 0 else len(data)]


def _webp(data: bytes) -> Iterator[bytes]:
    yield data[:12]
    at = 12
    last = min(len(data), 8 + struct.unpack_from("<I", data, 4)[0])
    while at + 8 <= last:
        kind, size = struct.unpack_from("<4sI", data, at)
        end = at + 8 + size + size % 2
        if kind == b"VP8X":
            yield data[at : at + 8] + bytes([data[at + 8] & ~_WEBP_HAS_WORDS]) + data[at + 9 : end]
        elif kind not in _WEBP_WORDS:
            yield data[at:end]
        at = end


def _gif(data: bytes) -> Iterator[bytes]:
    at = 13 + _colours(data[10])
    yield data[:at]
    while data[at] != 0x3B:
        start = at
        image = data[at] == 0x2C
        at += 11 + _colours(data[at + 9]) if image else 2
        while data[at]:  # a part in pieces, each with its size
            at += 1 + data[at]
        at += 1
        repeats = data[start + 1 : start + 14] == b"\xff\x0bNETSCAPE2.0"
        if image or data[start + 1] == 0xF9 or repeats:
            yield data[start:at]
    yield b"\x3b"


def _colours(flags: int) -> int:
    """Return the bytes of a table of colours."""
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


_PARTS: Final[dict[bytes, Callable[[bytes], Iterator[bytes]]]] = {
    _PNG: _png,
    b"\xff\xd8": _jpeg,
    b"RIFF": _webp,
    b"GIF8": _gif,
}
