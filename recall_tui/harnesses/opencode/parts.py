"""What one part of an OpenCode message says: tool calls with their results, and attachments."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, Final

from recall_tui.harnesses import fields, images
from recall_tui.harnesses.arguments import changes, leaves, project
from recall_tui.harnesses.base import Parsed
from recall_tui.model import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recall_tui.model import Material

_MAX_OVERFLOW_BYTES: Final = 16 << 20
"""Most bytes of an overflow file that are taken; a person's grep reads them all."""

_OVERFLOW_FOLDER: Final = "tool-output"
_GLOBAL_ID: Final = ("prt_", "msg_")
"""What makes an id the same wherever the record is copied; others are names within a session."""


def record(native_id: str) -> str:
    """Return a record's id when it is globally unique, else nothing."""
    return native_id if native_id.startswith(_GLOBAL_ID) else ""


def locator(message_id: str, part: dict[str, Any], position: int = -1) -> str:
    """Name a part, or one attachment of a tool part, for `reader.material`."""
    name = f"{message_id} {fields.text(part.get('id'))}"
    return name if position < 0 else f"{name} {position}"


def attachment(session_id: str, place: str, part: dict[str, Any], path: object = None) -> Material:
    """Return the material of a file part or of an attachment of a tool.

    Args:
        session_id: The session it belongs to.
        place: Its locator.
        part: `{mime, filename, url}`; only a data URL holds the bytes.
        path: The file a tool read, which names what has no name of its own.
    """
    url = fields.text(part.get("url"))
    mime, size, head = images.data_url(url)
    name = fields.text(part.get("filename"))
    name = name or _last(fields.text(path) if size >= 0 else url)
    mime = fields.text(part.get("mime")) or mime
    return images.described(images.material_id(session_id, place), name, mime, size, head, place)


def _last(path: str) -> str:
    """Return the last component of a path or URL, for both slashes."""
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1]


def tool(
    part: dict[str, Any], message_id: str, session_id: str, home: str, time_ms: int
) -> Iterator[Parsed]:
    """Yield the call in a tool part and, as soon as it has output, its result.

    Args:
        part: The tool part.
        message_id: The message it belongs to.
        session_id: The session it belongs to.
        home: Data folder whose overflow files may be read; empty for none.
        time_ms: The message's time, for parts without their own.
    """
    state = fields.mapping(part.get("state"))
    times = fields.mapping(state.get("time"))
    start = fields.time_ms(times.get("start")) or time_ms
    end = fields.time_ms(times.get("end"))
    name = fields.text(part.get("tool"))
    call = fields.text(part.get("callID"))
    part_id = record(fields.text(part.get("id")))
    asked = state.get("input") or state.get("raw")
    seen, rest = project(asked)
    yield Parsed(
        Kind.TOOL_CALL, seen, start, part_id, rest=rest, tool=name, call=call,
        changes=changes(asked, seen, rest),
    )  # fmt: skip
    output = _output(state, home)
    path = fields.mapping(state.get("input")).get("filePath")
    materials = tuple(
        attachment(session_id, locator(message_id, part, position), file, path)
        for position, file in enumerate(fields.items(state.get("attachments")))
        if isinstance(file, dict)
    )
    finished = state.get("status") not in ("pending", "running")
    if not finished and not output:
        return
    yield Parsed(
        Kind.TOOL_RESULT,
        output,
        end or start,
        f"{part_id}:result" if part_id else "",
        tool=name,
        call=call,
        failed=_failed(state),
        duration_ms=max(0, end - start) if end else 0,
        materials=materials,
    )


def _failed(state: dict[str, Any]) -> bool:
    """Say whether the tool reports failure: an error, or a command's exit code."""
    exit_code = fields.mapping(state.get("metadata")).get("exit")
    return state.get("status") == "error" or bool(isinstance(exit_code, int) and exit_code != 0)


def _output(state: dict[str, Any], home: str) -> str:
    """Return what the tool printed: whole, so far, or up to its error."""
    metadata = fields.mapping(state.get("metadata"))
    whole = _overflow(fields.text(metadata.get("outputPath")), home)
    output = whole or "\n".join(leaves(state.get("output")))
    if not output:
        # A tool that runs, or was stopped, has its output so far here.
        output = fields.text(metadata.get("output"))
    error = "\n".join(leaves(state.get("error")))
    return "\n".join(filter(None, (error, output)))


def _overflow(stated: str, home: str) -> str:
    """Return the output that was too long for the store, empty when its file is not ours or gone.

    The stated path may be of another machine: the file is looked for by name in our data folder,
    and nothing outside that folder is ever opened.
    """
    if not stated or not home:
        return ""
    folder = os.path.realpath(os.path.join(home, _OVERFLOW_FOLDER))
    name = _last(stated)
    path = os.path.realpath(os.path.join(folder, name))
    if not name or os.path.dirname(path) != folder or not os.path.isfile(path):
        return ""
    try:
        with open(path, "rb") as stream:
            return stream.read(_MAX_OVERFLOW_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
