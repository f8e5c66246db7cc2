"""Pictures in a rollout: what a message says about them, and their bytes when asked for.

A locator is `<byte offset of the line>/<path in its JSON>`, `4711/payload.content.1.image_url`; for
the first generation (one JSON value) the offset is 0, in a `.zst` it counts uncompressed bytes.
Most pictures are data URLs; a link or a path is only a name, nothing outside is ever opened.
"""

from __future__ import annotations

import mimetypes
from typing import TYPE_CHECKING, Any, Final

import msgspec

from recall_tui.errors import SourceError
from recall_tui.harnesses import images
from recall_tui.harnesses.codex.records import NO_RAW
from recall_tui.harnesses.codex.streams import open_rollout
from recall_tui.harnesses.images import material_id
from recall_tui.model import Material

if TYPE_CHECKING:
    from recall_tui.harnesses.base import Source
    from recall_tui.harnesses.codex.records import Part

_HEAD_CHARS: Final = images.HEAD * 4 // 3 + 256
_FIRST: Final = 2048
"""Characters that hold the size of any picture but a JPEG."""

_HOLDERS: Final = frozenset(("image_url", "images", "data", "result"))
"""Every path to a picture leads through one of these: nothing else is given out."""

_BLANK: Final = b"\0\r\n\t \xef\xbb\xbf"


def from_part(part: Part, native_id: str, locator: str) -> Material | None:
    """Return the material of a picture part, None when it holds no picture.

    Args:
        part: Any part of a content or an output.
        native_id: The session's id: makes the material's id unique.
        locator: Where the part lies.
    """
    if part.image_url is not NO_RAW:
        return from_raw(part.image_url, native_id, f"{locator}.image_url")
    if part.data is not NO_RAW:
        mime = part.mimeType or "image/png"
        return from_raw(part.data, native_id, f"{locator}.data", mime)
    return None


def from_raw(
    raw: msgspec.Raw, native_id: str, locator: str, mime: str = "", name: str = ""
) -> Material | None:
    """Return the material of an undecoded JSON value: a data URL, a link, or bare base64.

    Only the head is decoded: a picture of 20 MB is not copied.

    Args:
        raw: A JSON string, `{"url": ...}`, or null.
        native_id: The session's id.
        locator: Where the value lies.
        mime: The type of a bare base64 text; empty when the value is a URL.
        name: How the record calls it, empty when it does not.
    """
    view = memoryview(raw)
    first = bytes(view[:1])
    if first == b"{":
        url = msgspec.json.decode(raw).get("url")
        return _of_text(url, native_id, f"{locator}.url", mime, name) if url else None
    if first != b'"' or len(view) < 8:
        return None
    head = bytes(view[1:_FIRST])
    coded = bool(mime) or b";base64," in head[:256]
    if len(view) <= _FIRST or not coded or b"\\" in head:  # a "/" may be escaped: 2 KB hold some
        return _of_text(msgspec.json.decode(raw), native_id, locator, mime, name)
    material = _of_text(head.decode("utf-8", "replace"), native_id, locator, mime, name)
    if material is not None and not material.width and material.mime == "image/jpeg":
        head = bytes(view[1:_HEAD_CHARS])
        material = _of_text(head.decode("utf-8", "replace"), native_id, locator, mime, name)
    if material is None:
        return None
    start = head.find(b",") + 1 if head[:5].lower() == b"data:" else 0
    letters = len(view) - 2 - start - bytes(view[-3:-1]).count(b"=")
    return material._replace(bytes=-1 if letters % 4 == 1 else letters * 3 // 4)


def _of_text(text: object, native_id: str, locator: str, mime: str, name: str) -> Material | None:
    if not isinstance(text, str) or not text:
        return None
    size, head = -1, b""
    if text[:5].lower() == "data:":
        mime, size, head = images.data_url(text)
    elif mime:
        size, head = images.base64_size(text), images.base64_head(text)
    else:
        return named(text, native_id)
    width, height = images.pixel_size(head)
    kind = images.material_kind(mime)
    identity = material_id(native_id, locator)
    return Material(identity, name, kind, mime, size, width, height, locator)


def named(path: str, native_id: str, name: str = "") -> Material:
    """Return the material of a file or link outside the session: a name without bytes.

    Args:
        path: The path or URL; never opened.
        native_id: The session's id.
        name: How the program shows it; empty for the last part of the path.
    """
    bare = path.partition("?")[0].replace("\\", "/").rstrip("/")
    mime = mimetypes.guess_type(bare)[0] or ""
    return Material(
        material_id(native_id, path),
        name or bare.rpartition("/")[2] or "file",
        images.material_kind(mime),
        mime,
        -1,
    )


def read_back(source: Source, locator: str) -> bytes:
    """Return the bytes a locator names.

    Raises:
        SourceError: The file or the picture is gone, changed or broken.
    """
    place, _, path = locator.partition("/")
    try:
        with open_rollout(source.path) as stream:
            stream.seek(int(place))
            text = stream.read() if source.path.endswith(".json") else stream.readline()
        value: Any = msgspec.json.decode(text.strip(_BLANK))
        steps = path.split(".")
        if _HOLDERS.isdisjoint(steps):
            raise LookupError
        for step in steps:
            value = value[int(step)] if isinstance(value, list) else value[step]
        if not isinstance(value, str):
            raise TypeError
        if value[:5].lower() == "data:":
            return images.data_url_bytes(value)
        return images.base64_bytes(value)
    except OSError as error:
        raise SourceError(f"{source.path}: {error.strerror or error}") from error
    except (msgspec.MsgspecError, LookupError, ValueError, TypeError) as error:
        raise SourceError(
            f"{source.path}: no readable picture at {locator or 'no place'}",
            "the session may have changed, or never held the picture itself",
        ) from error
