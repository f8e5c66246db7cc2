"""What the leading bytes and the encoded length of an attachment say about it.

Transcripts carry pictures as base64, often megabytes of it. A message needs only the type, the
decoded size and the pixels, so nothing here decodes more than the head. Standard library only.
"""

from __future__ import annotations

import base64
import binascii
from hashlib import blake2b
from typing import Final
from urllib.parse import unquote_to_bytes

from recall_tui.model import Material

HEAD: Final = 64 << 10
"""Bytes worth decoding for `pixel_size`: a JPEG may hold its size behind 60 KB of EXIF data."""

_URLSAFE: Final = str.maketrans("-_", "+/")


def pixel_size(head: bytes) -> tuple[int, int]:
    """Return (width, height) in pixels of a PNG, JPEG, GIF or WebP from its leading bytes.

    (0, 0) when the bytes are another format or end before the size. Never raises.
    """
    if head.startswith(b"\x89PNG\r\n\x1a\n") and head[12:16] == b"IHDR" and len(head) >= 24:
        return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")
    if head.startswith((b"GIF87a", b"GIF89a")) and len(head) >= 10:
        return int.from_bytes(head[6:8], "little"), int.from_bytes(head[8:10], "little")
    if head.startswith(b"\xff\xd8"):
        return _jpeg(head)
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP" and len(head) >= 30:
        return _webp(head)
    return 0, 0


def _jpeg(head: bytes) -> tuple[int, int]:
    """Walk the segments to the first start-of-frame, which holds height before width."""
    at = 2
    while at + 9 <= len(head):
        if head[at] != 0xFF:
            return 0, 0
        marker = head[at + 1]
        if marker == 0xFF:  # fill byte
            at += 1
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return (
                int.from_bytes(head[at + 7 : at + 9], "big"),
                int.from_bytes(head[at + 5 : at + 7], "big"),
            )
        elif marker == 0x01 or 0xD0 <= marker <= 0xD8:  # no payload
            at += 2
        else:
            at += 2 + int.from_bytes(head[at + 2 : at + 4], "big")
    return 0, 0


def _webp(head: bytes) -> tuple[int, int]:
    """Read the first chunk: lossy, lossless or extended."""
    chunk = head[12:16]
    if chunk == b"VP8X":
        return (
            int.from_bytes(head[24:27], "little") + 1,
            int.from_bytes(head[27:30], "little") + 1,
        )
    if chunk == b"VP8L" and head[20] == 0x2F:
        bits = int.from_bytes(head[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if chunk == b"VP8 " and head[23:26] == b"\x9d\x01\x2a":
        return (
            int.from_bytes(head[26:28], "little") & 0x3FFF,
            int.from_bytes(head[28:30], "little") & 0x3FFF,
        )
    return 0, 0


def base64_size(text: str) -> int:
    """Return how many bytes a base64 text decodes to, -1 when its length is impossible."""
    letters = len(text) - text.count("=") - text.count("\n") - text.count("\r")
    return -1 if letters % 4 == 1 else letters * 3 // 4


def base64_head(text: str, count: int = HEAD) -> bytes:
    """Return about the first `count` decoded bytes of a base64 text, empty when it is none."""
    letters = count // 3 * 4
    part = text[: letters + letters // 32]  # room for line breaks
    try:
        return binascii.a2b_base64(_padded(part))[:count]
    except (binascii.Error, ValueError):
        return b""


def base64_bytes(text: str) -> bytes:
    """Decode a whole base64 text: both alphabets, with or without padding and line breaks.

    Raises:
        ValueError: It is not base64.
    """
    clean = _padded(text)
    return base64.b64decode(clean, validate=True)


def _padded(text: str) -> str:
    """Return standard, padded base64 with whole groups only where the end was cut."""
    clean = "".join(text.split()).rstrip("=").translate(_URLSAFE)
    if len(clean) % 4 == 1:
        clean = clean[:-1]
    return clean + "=" * (-len(clean) % 4)


def data_url(text: str) -> tuple[str, int, bytes]:
    """Return (mime, decoded size in bytes, leading decoded bytes) of a `data:` URL.

    The mime is without parameters, `text/plain` when the URL names none (RFC 2397). A text that is
    no data URL gives ("", -1, b""). Only the head is decoded, whatever the length.
    """
    header, body = _split(text)
    if body is None:
        return "", -1, b""
    mime = header.partition(";")[0] or "text/plain"
    if header.endswith(";base64"):
        return mime, base64_size(body), base64_head(body)
    if "%" not in body:
        raw = body.encode("utf-8", "surrogatepass")
        return mime, len(raw), raw[:HEAD]
    raw = unquote_to_bytes(body.encode("utf-8", "surrogatepass"))
    return mime, len(raw), raw[:HEAD]


def data_url_bytes(text: str) -> bytes:
    """Return the whole content of a `data:` URL.

    Raises:
        ValueError: It is no data URL, or its base64 is broken.
    """
    header, body = _split(text)
    if body is None:
        raise ValueError("not a data URL")
    if header.endswith(";base64"):
        return base64_bytes(body)
    return unquote_to_bytes(body.encode("utf-8", "surrogatepass"))


def _split(text: str) -> tuple[str, str | None]:
    """Return (lower-case header, body) of a data URL; the body is None when it is none."""
    if text[:5].lower() != "data:":
        return "", None
    comma = text.find(",", 5, 1024)  # a media type is short: do not search a megabyte
    if comma < 0:
        return "", None
    return text[5:comma].strip().lower(), text[comma + 1 :]


def material_kind(mime: str) -> str:
    """Return the kind of a material by its mime type: image | pdf | text | other."""
    if mime.startswith("image/"):
        return "image"
    if mime == "application/pdf":
        return "pdf"
    if mime.startswith("text/") or mime in ("application/json", "application/xml"):
        return "text"
    return "other"


def material_id(*names: str) -> str:
    """Return an opaque, stable id for the material these names lead to (session, record, place)."""
    return blake2b("\0".join(names).encode("utf-8", "replace"), digest_size=8).hexdigest()


def described(
    identity: str, name: str, mime: str, size: int, head: bytes, locator: str
) -> Material:
    """Return a material with what its head says about it.

    Args:
        identity: See `material_id`.
        name: What a person calls it; empty when the source does not say.
        mime: Its type, empty when the source does not say.
        size: Decoded bytes, -1 when unknown.
        head: Leading decoded bytes, possibly empty.
        locator: Where the harness finds the bytes again.
    """
    kind = material_kind(mime)
    width, height = pixel_size(head) if kind == "image" else (0, 0)
    return Material(identity, name, kind, mime, size, width, height, locator)
