r"""Requests that the SDK cannot read, read all the same: a client waits for an answer to each.

Half of an emoji, cut off by a model, is a lone surrogate: `"\ud83d"` is JSON and no Unicode. What
is nested deeper than the SDK reads is refused as any other wrong parameter is.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeAlias

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter
from pydantic import ValidationError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from anyio.abc import ObjectSendStream

Item: TypeAlias = SessionMessage | Exception
"""What the SDK makes of a line."""


async def mend(reading: AsyncIterator[Item], mended: ObjectSendStream[Item]) -> None:
    """Pass on what was read; of what could not be read whatever can be."""
    async with mended:
        async for item in reading:
            try:
                await mended.send(_message(item) if isinstance(item, ValidationError) else item)
            except anyio.BrokenResourceError:  # the server has ended
                return


def _message(error: ValidationError) -> Item:
    """Return the message of a line that was refused, or the error when there is none."""
    line = error.errors()[0]["input"]
    try:
        text = json.dumps(json.loads(line), ensure_ascii=False)
        # As in what is stored, half a pair is U+FFFD.
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return SessionMessage(jsonrpc_message_adapter.validate_python(json.loads(text)))
    except (ValueError, TypeError, RecursionError):
        return error
