"""The parts of a record: texts, tool traffic and attachments, under each of their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from recall_tui.harnesses import fields

if TYPE_CHECKING:
    from collections.abc import Iterator

NOT_WORDS: Final = frozenset({"inlineData", "fileData"})
"""Subtrees that hold bytes."""


def attachments(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the attachments of a record in the order their locators count."""
    yield from blobs(content(record))
    for call in fields.items(record.get("toolCalls")):
        yield from blobs(fields.mapping(call).get("result"))


def blobs(value: object) -> Iterator[dict[str, Any]]:
    """Yield every `inlineData` and `fileData` inside a value, in document order."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            for key in ("inlineData", "fileData"):
                if isinstance(item.get(key), dict):
                    yield item[key]
            stack.extend(v for k, v in reversed(item.items()) if k not in NOT_WORDS)
        elif isinstance(item, list):
            stack.extend(reversed(item))


def content(record: object) -> object:
    """Return a record's content, under either of its names."""
    held = fields.mapping(record)
    return held.get("parts") if held.get("content") is None else held.get("content")


def parts_of(record: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a record's content as a list of parts: it may be a text, a part, a list of both."""
    return as_parts(content(record))


def as_parts(held: object) -> list[dict[str, Any]]:
    """Return what `content` may be as a list of parts."""
    pieces = held if isinstance(held, list) else [held]
    parts = [{"text": piece} if isinstance(piece, str) else piece for piece in pieces]
    return [part for part in parts if isinstance(part, dict)]


def words_of(record: dict[str, Any]) -> str:
    """Return the words of a record, without thoughts (Q8)."""
    return words_in(parts_of(record))


def words_in(parts: list[dict[str, Any]]) -> str:
    """Return the text of parts, without thoughts (Q8)."""
    texts = (fields.text(part.get("text")) for part in parts if not part.get("thought"))
    return "\n".join(filter(None, texts))
