"""Pictures and documents inside JSON lines: measured without decoding them, read on demand.

A locator is `<byte offset of the line>:<path to the object that holds the base64>`; the base64 is
its `data` or `base64`.
"""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from recall_tui.errors import SourceError
from recall_tui.harnesses import images, jsonl
from recall_tui.model import Material

_FIRST: Final = 4 << 10
"""Decoded bytes looked at first: enough for every format but a JPEG behind a thumbnail."""
_ESCAPE: Final = re.compile(rb"\\")
_text: Final = msgspec.json.Decoder(str)


def from_text(data: msgspec.Raw, mime: str, record: str, name: str, locator: str) -> Material:
    """Return the material of a JSON string that is the text of a document itself."""
    text = _decoded(data).encode("utf-8", "replace")
    return _material(record, name, mime or "text/plain", len(text), b"", locator)


def elsewhere(mime: str, record: str, name: str, locator: str) -> Material:
    """Return the material of a picture or document whose bytes are not in the record."""
    return _material(record, name, mime, -1, b"", locator)


def from_base64(
    data: msgspec.Raw, mime: str, record: str, name: str, locator: str
) -> Material | None:
    """Return the material of a JSON string of base64; the string is not copied.

    Args:
        data: The JSON value, quotes included.
        mime: Its type as the record says, empty when it does not.
        record: Id of the record that holds it.
        name: A file name, empty when the record says none.
        locator: See the module.
    """
    view = memoryview(data)
    if len(view) <= 2 or view[0] != ord('"'):
        return None
    if _ESCAPE.search(view):
        text = _decoded(data)
        size, head = images.base64_size(text), images.base64_head(text)
    else:
        letters = len(view) - 2 - bytes(view[-3:-1]).count(b"=")
        size = -1 if letters % 4 == 1 else letters * 3 // 4
        head = _head(view)
    return _material(record, name, mime, size, head, locator)


def _head(view: memoryview) -> bytes:
    """Decode as much of a JSON string of base64 as the picture's size needs."""
    head = b""
    for count in (_FIRST, images.HEAD):
        head = images.base64_head(str(view[1 : count * 4 // 3 + 5], "ascii", "replace").rstrip('"'))
        if images.pixel_size(head) != (0, 0) or not head.startswith(b"\xff\xd8"):
            break
    return head


def _material(record: str, name: str, mime: str, size: int, head: bytes, locator: str) -> Material:
    width, height = images.pixel_size(head)
    place = locator.partition(":")[2]
    return Material(
        images.material_id(record, place), name, images.material_kind(mime), mime, size, width,
        height, locator,
    )  # fmt: skip


def _decoded(data: msgspec.Raw) -> str:
    try:
        return _text.decode(data)
    except msgspec.MsgspecError:
        return ""


def read(path: str, locator: str) -> bytes:
    """Return the bytes a locator leads to.

    Raises:
        SourceError: The file is gone, or no such material is at that place any more.
    """
    offset, _, place = locator.partition(":")
    try:
        with open(path, "rb") as stream:
            stream.seek(int(offset))
            line = stream.readline()
    except (OSError, ValueError) as error:
        raise SourceError(f"{path}: cannot read the material: {error}") from error
    for value in jsonl.objects(line):
        data = _at(value, place.split("."))
        if isinstance(data, str):
            try:
                return images.base64_bytes(data)
            except ValueError as error:
                raise SourceError(f"{path}: the material is broken: {error}") from error
        if isinstance(data, bytes):
            return data
    raise SourceError(f"{path}: the material is no longer where it was", "run recall index")


def _at(record: dict[str, object], place: list[str]) -> str | bytes | None:
    """Follow a path; return base64 text, or the bytes of a text document."""
    value: Any = record
    try:
        for step in place:
            value = value[int(step)] if isinstance(value, list) else value[step]
    except (KeyError, IndexError, ValueError, TypeError):
        return None
    if not isinstance(value, dict):
        return None
    data = value.get("data") or value.get("base64")
    if not isinstance(data, str):
        return None
    return data.encode("utf-8", "replace") if value.get("type") == "text" else data
