"""The image and document blocks of Claude Code's messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from recall_tui.harnesses import inline
from recall_tui.harnesses.claude import records

if TYPE_CHECKING:
    from recall_tui.harnesses.claude.records import Block, Source
    from recall_tui.model import Material


def from_block(block: Block, record: str, locator: str) -> Material:
    """Return the material of an image or document block of a message."""
    try:
        source = records.source.decode(block.source)
    except msgspec.MsgspecError:
        source = records.Source()
    return from_source(source, record, block.title or "", locator)


def from_source(source: Source, record: str, name: str, locator: str) -> Material:
    """Return the material of a block's source: bytes in the record, a text, or a reference."""
    if source.type == "text":
        return inline.from_text(source.data, source.media_type, record, name, locator)
    found = inline.from_base64(source.data, source.media_type, record, name, locator)
    return found or inline.elsewhere(source.media_type, record, name, locator)
