"""Marks: what stands in stored text where a secret stood.

A mark is `U+FDD0 rule ":" kept U+FDD1`, where `kept` is the part that may stay visible (it may be
empty). `sanitize` removes both characters from sources, so every mark in stored text is ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from recall_tui.text.late import late

if TYPE_CHECKING:
    import re

OPEN: Final = "\ufdd0"
CLOSE: Final = "\ufdd1"

_MARK: Final = late(f"{OPEN}([^:{OPEN}{CLOSE}]*):([^{OPEN}{CLOSE}]*){CLOSE}")


def shown(marked: str) -> str:
    """Return marked text as a person reads it: `[redacted:github-pat ghp_…x9Zk]`."""
    if OPEN not in marked:
        return marked
    return _MARK.sub(_in_words, marked)


def _in_words(mark: re.Match[str]) -> str:
    rule, kept = mark.groups()
    return f"[redacted:{rule} {kept}]" if kept else f"[redacted:{rule}]"


def plain_pieces(marked: str) -> list[str]:
    """Return the texts between the marks, in order: one more than there are marks."""
    return _MARK.split(marked)[::3] if OPEN in marked else [marked]


_MARK_BYTES: Final = late(rb"\xef\xb7\x90[^\xef]*\xef\xb7\x91")


def mark_spans(raw: bytes) -> list[tuple[int, int]]:
    """Return where the marks of a UTF-8 text lie, in bytes, ascending."""
    return [mark.span() for mark in _MARK_BYTES.finditer(raw)]
