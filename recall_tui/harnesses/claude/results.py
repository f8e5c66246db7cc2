"""The text of a tool result: string leaves in document order, whole, wherever they were put (Q6).

Outputs over a limit are saved beside the session, `tool-results/<name>.txt`, and the record holds
a preview and the path on the machine that wrote it. The file is found by its name alone, in the
session's own folder; no other path is ever opened.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final

import msgspec

from recall_tui.harnesses import inline
from recall_tui.harnesses.arguments import leaves
from recall_tui.harnesses.claude import materials, records
from recall_tui.harnesses.claude.noise import without_reminders
from recall_tui.harnesses.saved import saved

if TYPE_CHECKING:
    from recall_tui.model import Material

PERSISTED: Final = "<persisted-output>"
_SAVED: Final = re.compile(r"saved to: (.+)")
LARGEST: Final = 32 << 20
"""Bytes of an overflow file that are read: a larger one is not held in memory."""

_NO_LEAVES: Final = frozenset({"type", "base64", "blob", "data", "originalFile"})
"""Kind tags, bytes, and a file as it was before an edit."""


class _Twin(msgspec.Struct):
    toolUseResult: object = None  # noqa: N815 - their name


_twin: Final = msgspec.json.Decoder(_Twin)


def text_of(
    block: records.Block, place: str, record: str, path: str, offset: int
) -> tuple[str, list[Material]]:
    """Return (text, pictures) of a tool_result block whose content is no plain text.

    Args:
        block: The block.
        place: Its path in the line, for locators.
        record: Id of the record.
        path: File the tool read, for the picture's name.
        offset: Byte offset of the line.
    """
    texts: list[str] = []
    found: list[Material] = []
    content = block.content if isinstance(block.content, list) else ()
    for index, raw in enumerate(content):
        try:
            piece = records.piece.decode(raw)
        except msgspec.MsgspecError:
            piece = records.Piece()
        if piece.source is not None:
            locator = f"{offset}:{place}.content.{index}.source"
            material = materials.from_source(piece.source, record, _name(path), locator)
            found.append(material)
        elif piece.type == "text":
            texts.append(piece.text)
        else:
            texts.extend(leaves(records.anything.decode(raw), _NO_LEAVES))
    return without_reminders("\n".join(texts)), found


def _name(path: str) -> str:
    """Return the last component of a path of any system."""
    return re.split(r"[\\/]", path)[-1]


def twin_text(line: bytes) -> str:
    """Return the string leaves of a line's `toolUseResult`."""
    try:
        value = _twin.decode(line).toolUseResult
    except msgspec.MsgspecError:
        return ""
    return "\n".join(leaves(value, _NO_LEAVES))


def twin_picture(file: records.TwinFile, record: str, path: str, offset: int) -> list[Material]:
    """Return the picture of a structured result, none when it holds none."""
    found = inline.from_base64(
        file.base64, file.type or "", record, _name(path), f"{offset}:toolUseResult.file"
    )
    return [found] if found else []


def overflow(text: str, folder: str) -> str | None:
    """Return the saved output a preview stands for, None when it is not beside the session.

    Args:
        text: The tool result as recorded, beginning with `<persisted-output>`.
        folder: The session's `tool-results` folder.
    """
    match = _SAVED.search(text)
    if match is None:
        return None
    name = _name(match[1].strip())
    held = saved(os.path.join(folder, name), LARGEST) if name else None
    return None if held is None else held.decode("utf-8", "replace")


def raw_leaves(raw: msgspec.Raw) -> list[str]:
    """Return the string leaves of a field that may be of any shape."""
    if not memoryview(raw):
        return []
    return list(leaves(records.anything.decode(raw), _NO_LEAVES))


def error_text(raw: msgspec.Raw) -> str:
    """Return what an API error says to a person: its innermost words, not its headers."""
    value = records.anything.decode(raw) if memoryview(raw) else None
    while isinstance(value, dict):
        words = value.get("formatted") or value.get("message")
        if isinstance(words, str) and words:
            return words
        value = value.get("error") or value.get("cause")
    return value if isinstance(value, str) else ""
