"""Shorten text without splitting what a person sees as one character, nor a redaction mark."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Final

from recall_tui.text.cells import cell_width, chars_within

if TYPE_CHECKING:
    from collections.abc import Sequence

ELLIPSIS: Final = "…"
"""One cell, one character, three bytes."""

_ZWJ: Final = "\u200d"
_LOOK_BACK: Final = 64
"""Longest walk to a safe place, so that a tower of combining marks cannot eat a whole text."""
_MARK_CHARS: Final = 256
"""Longer than any redaction mark."""
_WORD_CHARS: Final = 12
"""How far an excerpt shrinks so that it does not begin inside a word."""


def cut_bytes(text: str, limit: int) -> tuple[str, bool]:
    """Return (text within `limit` UTF-8 bytes, whether it was cut).

    A cut text ends with an ellipsis, which counts. A text that must be cut to 3 bytes or less is
    empty (S0-92).
    """
    if not text or 4 * len(text) <= limit or len(text.encode("utf-8", "replace")) <= limit:
        return text, False
    if limit <= 3:
        return "", True
    head = text[:limit].encode("utf-8", "replace")[: limit - 3].decode("utf-8", "ignore")
    return text[: grapheme_start(text, len(head))] + ELLIPSIS, True


def cut_cells(text: str, cells: int) -> str:
    """Return one line of text within `cells` terminal cells; the last is an ellipsis when cut."""
    if cells <= 0:
        return ""
    # Nothing in one cell is longer than a person reads: a longer text is cut unmeasured.
    if len(text) <= 16 * cells and cell_width(text) <= cells:
        return text
    return text[: grapheme_start(text, chars_within(text[: 16 * cells], cells - 1))] + ELLIPSIS


def excerpt(text: str, start: int, end: int, before: int, after: int) -> tuple[str, int, int]:
    """Return (excerpt, start, end): a stretch of text around a span, and the span inside it.

    Args:
        text: The whole text.
        start: First character of the span.
        end: One past its last.
        before: Characters of context before it, at most.
        after: Characters of context after it, at most.
    """
    cut, spans = excerpt_spans(text, [(start, end)], before, after)
    return cut, *spans[0]


def excerpt_spans(
    text: str, spans: Sequence[tuple[int, int]], before: int, after: int
) -> tuple[str, list[tuple[int, int]]]:
    """Return (excerpt around the first span, the spans that lie wholly inside it, remapped).

    Args:
        text: The whole text.
        spans: Character spans, ascending, at least one; the first is always kept whole.
        before: Characters of context before the first span, at most.
        after: Characters of context after it, at most.
    """
    start, end = spans[0]
    low = _excerpt_start(text, start, before)
    high = end + after
    high = max(end, grapheme_start(text, high)) if high < len(text) else len(text)
    lead = ELLIPSIS if low else ""
    tail = ELLIPSIS if high < len(text) else ""
    shift = len(lead) - low
    inside = [(a + shift, b + shift) for a, b in spans if b <= high]
    return lead + text[low:high] + tail, inside


def _excerpt_start(text: str, start: int, before: int) -> int:
    """Where an excerpt begins: at a word when one begins nearby."""
    low = start - before
    if low <= 0:
        return 0
    for at in range(low, min(start, low + _WORD_CHARS)):
        if text[at - 1].isspace():
            return at
    at = grapheme_start(text, low)
    while at < low:  # keep the promise "at most": go forward to the next safe place instead
        low += 1
        at = grapheme_start(text, low)
        if low >= start:
            return start
    return at


def grapheme_start(text: str, at: int) -> int:
    """Return the nearest safe place to cut, at most `at`.

    Safe is: between two characters a person sees as separate, and not inside a redaction mark.
    """
    at = min(max(at, 0), len(text))
    opened = text.rfind("\ufdd0", max(0, at - _MARK_CHARS), at)
    if opened >= 0 and "\ufdd1" not in text[opened:at]:
        at = opened
    low = max(0, at - _LOOK_BACK)
    safe = at
    while safe > low and safe < len(text) and _joined(text, safe):
        safe -= 1
    return safe if safe > low or low == 0 else at


def _joined(text: str, at: int) -> bool:
    """Whether a person sees the characters on both sides of `at` as one."""
    left, right = text[at - 1], text[at]
    if right < "\u0300":
        return False
    if _is_flag(right):
        flags = at
        while flags > 0 and _is_flag(text[flags - 1]) and at - flags < _LOOK_BACK:
            flags -= 1
        return (at - flags) % 2 == 1
    return (
        _ZWJ in (left, right)
        or unicodedata.category(right)[0] == "M"
        or "\U0001f3fb" <= right <= "\U0001f3ff"  # skin tones
        or "\u1160" <= right <= "\u11ff"  # Hangul vowels and finals
        or "\U000e0020" <= right <= "\U000e007f"  # tags: the flag of Scotland
    )


def _is_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"
