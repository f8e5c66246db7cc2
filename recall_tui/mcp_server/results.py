"""Answers as tool results: one JSON text a model reads, the same object for a program."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Final

from mcp_types import CallToolResult, ImageContent, TextContent

from recall_tui.mcp_server.pictures import wordless
from recall_tui.search.recall import request, wire
from recall_tui.search.recall.marker import NOTICE
from recall_tui.text.cut import cut_bytes
from recall_tui.text.redact import mark, shown
from recall_tui.text.sanitize import sanitize

if TYPE_CHECKING:
    from recall_tui.search.recall.envelope import Envelope, MaterialBytes, More

PICTURES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""What models take as image content."""

PICTURE_BYTES: Final = 5 << 20
"""Largest picture handed to a model (sources.md 1.6: images are read up to 5 MiB)."""

TEXT_BYTES: Final = 12 << 10
"""Most of a text attachment that is shown: one passage's budget (S0-87)."""


def envelope(answer: Envelope) -> CallToolResult:
    """Return the answer of `Recall`."""
    return _json(wire.envelope(answer))


def more(answer: More) -> CallToolResult:
    """Return the answer of `RecallMore`."""
    return _json(wire.more(answer))


def material(answer: MaterialBytes) -> CallToolResult:
    """Return the answer of `RecallMaterial`: a picture as image content, text quoted.

    Raises:
        RefusedError: A kind no model can read, or too large (`invalid_query`, S0-112).
    """
    held = {
        "notice": NOTICE,
        "message_id": str(answer.reference),
        **wire.material(answer.material),
    }
    mime = answer.material.mime.partition(";")[0].strip().lower()
    if mime in PICTURES:
        if len(answer.data) > PICTURE_BYTES:
            raise _unsupported(f"the picture is larger than {PICTURE_BYTES >> 20} MiB")
        data = base64.b64encode(wordless(answer.data)).decode("ascii")
        return CallToolResult(
            content=[_text(held), ImageContent(type="image", data=data, mime_type=mime)],
            structured_content=held,
        )
    if mime.startswith("text/") or mime == "application/json":
        text = shown(mark(sanitize(answer.data.decode("utf-8", "replace"))))
        quoted, cut = cut_bytes(text, TEXT_BYTES)
        return _json({**held, "text": quoted, "cut": cut})
    raise _unsupported(f"{mime or 'a file of unknown type'} cannot be shown to a model")


def refusal(error: request.RefusedError) -> CallToolResult:
    """Return an error in its one shape (S0-8); it never repeats what was asked."""
    shape = wire.refusal(error)
    return CallToolResult(content=[_text(shape)], structured_content=shape, is_error=True)


def _unsupported(message: str) -> request.RefusedError:
    return request.RefusedError(
        request.Reason.INVALID_QUERY, message, "recall material -o saves it to a file"
    )


def _json(shape: wire.Json) -> CallToolResult:
    return CallToolResult(content=[_text(shape)], structured_content=shape)


def _text(shape: wire.Json) -> TextContent:
    return TextContent(type="text", text=json.dumps(shape, ensure_ascii=False))
