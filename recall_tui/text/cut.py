"""Shorten text without splitting what a person sees as one character."""

from __future__ import annotations

import unicodedata
from typing import Final

from recall_tui.text.cells import cell_width

ELLIPSIS: Final = "…"


def cut_bytes(text: str, limit: int) -> tuple[str, bool]:
    """Return (text within `limit` UTF-8 bytes, whether it was cut).

    A cut text ends with an ellipsis, which counts; a limit of 3 bytes or less that does not hold
    the whole text yields "" (S0-92).
    """
    if len(text) <= limit and (text.isascii() or len(text.encode("utf-8", "replace")) <= limit):
        return text, False
    if limit <= 3:
        return "", True
    head = text[:limit].encode("utf-8", "replace")[: limit - 3].decode("utf-8", "ignore")
    return head[: _safe(text, len(head))] + ELLIPSIS, True


def cut_cells(text: str, cells: int) -> str:
    """Return the text within `cells` terminal cells, the last one an ellipsis when cut."""
    if cell_width(text) <= cells:
        return text
    if cells <= 0:
        return ""
    low, high = 0, min(len(text), cells * 8)
    while low < high:
        middle = (low + high + 1) // 2
        if cell_width(text[:middle]) <= cells - 1:
            low = middle
        else:
            high = middle - 1
    return text[: _safe(text, low)] + ELLIPSIS


def excerpt(text: str, start: int, end: int, before: int, after: int) -> tuple[str, int, int]:
    """Return (excerpt, start, end) around a span, the span remapped into the excerpt.

    Args:
        text: The whole text.
        start: First character of the span.
        end: One past its last character.
        before: Characters of context wanted before it.
        after: Characters of context wanted after it.
    """
    low = _safe(text, max(0, start - before)) if start > before else 0
    high = end + after
    high = max(end, _safe(text, high)) if high < len(text) else len(text)
    lead = ELLIPSIS if low else ""
    tail = ELLIPSIS if high < len(text) else ""
    shift = len(lead) - low
    return lead + text[low:high] + tail, start + shift, end + shift


def _safe(text: str, at: int) -> int:
    """Move a cut left until it lies between two characters a person sees as separate."""
    while 0 < at < len(text) and _joined(text[at - 1], text[at]):
        at -= 1
    return at


def _joined(left: str, right: str) -> bool:
    return (
        unicodedata.category(right)[0] == "M"
        or left == "\u200d"
        or right == "\u200d"
        or "\U0001f3fb" <= right <= "\U0001f3ff"
    )
