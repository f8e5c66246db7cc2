"""How letters compare: one context-free fold for texts and for queries."""

from __future__ import annotations

import unicodedata
from typing import Final

from recall_tui.text.redact import plain_pieces

MARK_BYTE: Final = b"\xfe"
"""Stands for one redacted secret in folded bytes; UTF-8 never contains it."""


def fold(text: str) -> str:
    """Return NFC(casefold(NFC(text))): case and canonical form no longer matter; idempotent."""
    if text.isascii():
        return text.lower()
    return _nfc(_nfc(text).casefold())


def _nfc(text: str) -> str:
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def fold_bytes(marked: str) -> bytes:
    """Return the UTF-8 of the folded pieces of marked text, each mark one byte 0xFE."""
    if marked.isascii():
        return marked.lower().encode()
    pieces = plain_pieces(marked)
    return MARK_BYTE.join(fold(piece).encode("utf-8", "replace") for piece in pieces)


def spans(text: str, needle_folded: str) -> list[tuple[int, int]]:
    """Return the character spans in `text` of the non-overlapping matches of a folded needle.

    Spans are half-open, ascending, and cover whole original characters.
    """
    if not needle_folded:
        return []
    folded = fold(text)
    if len(folded) == len(text) and text.isascii():
        starts = ends = None
    else:
        folded, starts, ends = _mapped(text)
    found = []
    at = folded.find(needle_folded)
    while at >= 0:
        end = at + len(needle_folded)
        found.append((at, end) if starts is None or ends is None else (starts[at], ends[end - 1]))
        at = folded.find(needle_folded, end)
    return found


def _mapped(text: str) -> tuple[str, list[int], list[int]]:
    """Fold cluster by cluster and say which original characters each folded one came from."""
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    while at < len(text):
        end = at + 1
        while end < len(text) and (unicodedata.combining(text[end]) or _joins(text[end])):
            end += 1
        piece = fold(text[at:end])
        out.append(piece)
        starts.extend([at] * len(piece))
        ends.extend([end] * len(piece))
        at = end
    return "".join(out), starts, ends


def _joins(char: str) -> bool:
    """Whether NFC may merge this character into the one before (Hangul vowels and finals)."""
    return "\u1161" <= char <= "\u11ff"
