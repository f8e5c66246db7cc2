"""Bytes as something to search: SIMD where the platform has it, the same answers elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

try:
    from stringzilla import Str
except ImportError:  # slower, the same answer
    Str = bytes

if TYPE_CHECKING:
    from recall_tui.search.predicate import Searchable


def searchable(data: bytes) -> Searchable:
    """Return bytes as something to search, without a copy."""
    view: Searchable = Str(data)
    return view


def characters(data: bytes) -> int:
    """Return how many characters folded bytes hold; a redaction mark counts as one."""
    return len(data) if data.isascii() else len(data.decode("utf-8", "replace"))
