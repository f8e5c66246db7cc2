"""How letters compare: one context-free fold for texts and for queries.

`fold(x) = NFC(casefold(NFC(x)))`. casefold is context-free where `lower` is not (the final sigma)
and folds sharp s to ss. The second NFC makes the fold idempotent, and equal for texts that differ
in case and canonical form only: casefold can free a mark to combine (`ß` + circumflex is `ss` +
circumflex, whose NFC is `sŝ`; H with circumflex and line below composes otherwise when small).

Every message is folded on its own, so nothing composes across a border. A term is folded alone
too: one that begins with a combining mark, or ends where the text goes on with one, may miss
(S0-44), on every path alike.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Final

from recall_tui.text.find import beyond_ascii
from recall_tui.text.late import late
from recall_tui.text.marks import plain_pieces

if TYPE_CHECKING:
    import re

MARK_BYTE: Final = b"\xfe"
"""Stands for one redacted secret in folded bytes; UTF-8 never contains it."""

_INERT: Final = (
    "\x80-\xb4\xb6-\xbf\u2002-\u20cf\u20e2-\u20e4\u2100-\u2125\u2127-\u2129\u212c-\u2131\u2133-\u215f"
    "\u2190-\u2328\u232b-\u24b5\u24ea-\u2adb\u2add-\u2bff\u3000-\u3029\u3030-\u3098\u309b-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7a3\ue000-\uf8ff\ufe0f\uff01-\uff20\uff3b-\uffef\ufffc\ufffd"
    "\U0001f000-\U0001faff"
)
"""Characters beyond ASCII that folding neither changes nor combines: punctuation, symbols, box
drawing, kana, Han, Hangul, emoji. They are most of what transcripts hold beyond ASCII; a text of
them folds like ASCII."""
_SINGLE: Final = (
    "\xb5\xc0-\xde\xe0-\u012f\u0131-\u0148\u014a-\u01ef\u01f1-\u02ff\u0370-\u0373\u0391-\u03a1"
    "\u03a3-\u03af\u03b1-\u0482\u048a-\u052f\u1e00-\u1e95\u1e9f-\u1eff"
)
"""Letters that fold one by one and combine with nothing before them: Latin, Greek, Cyrillic.

Unicode promises that neither case folding nor NFC of assigned characters ever changes; a test
checks each character of both sets.
"""
_FEW: Final = 8
"""So many different capitals are replaced one after the other before a whole fold is quicker."""

_MOST_MARKS: Final = 30
"""Combining marks in a row, as UAX #15 allows; no language writes so many."""
_JOINER: Final = "\u034f"
_MAY_BE_MARKS: Final = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u1dff\u20d0-\u20ff\u2cef-\u2dff\u302a-\u309a\ua66f-\uabed"
    "\ufb1e\ufe20-\ufe2f\U00010000-\U0001ffff"
)

_JOINING: Final = late(
    "[\u09be\u09d7\u0b3e\u0b56\u0b57\u0bbe\u0bd7\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dcf\u0ddf\u102e"
    "\u1161-\u1175\u11a8-\u11c2\u1b35\U00011127\U0001133e\U00011357\U000113b8\U000113bb\U000113c2"
    "\U000113c9\U000114b0\U000114ba\U000114bd\U000115af\U00011930\U0001611e-\U00016120"
    "\U00016129\U00016d67]"
)
"""Vowels and finals that NFC joins to the letter before although they are no combining marks."""


def fold(text: str) -> str:
    """Return the text as it is compared: case and canonical form no longer matter; idempotent."""
    return fold_aligned(text)[0]


def fold_aligned(text: str) -> tuple[str, bool]:
    """Return `fold(text)`, and whether each character of it comes from the one at its place."""
    if text.isascii():
        return text.lower(), True
    data = text.encode("utf-8", "surrogatepass")
    beyond = beyond_ascii(data)
    kinds = set(beyond)
    few = 8 * len(beyond) < len(data) and len(kinds) <= _FEW_KINDS
    if few and all(map(_is_inert, kinds)):
        return data.lower().decode("utf-8", "surrogatepass"), True
    # Beyond ASCII are few characters of most texts, and all of a run.
    safe = text
    may_run = len(beyond) > _MOST_MARKS and any(map(unicodedata.combining, kinds))
    if may_run and _LONG_RUN.search(beyond):  # which takes 2 ms to compile
        safe = _LONG_RUN.sub(_with_joiners, text)
    composed = _nfc(safe)
    lowered = composed.casefold()
    folded = _nfc(lowered)
    # No letter folds to less than one, so in a fold of the same length each became one.
    return folded, composed is text and folded is lowered and len(folded) == len(text)


_FEW_KINDS: Final = 64
"""So many different characters are looked at one by one before a whole fold is quicker."""


@cache
def _is_inert(char: str) -> bool:
    """Return whether a character neither folds nor combines, as those of `_INERT`.

    That set takes 10 ms to compile, which a page of hits has not.
    """
    return char.casefold() == char and unicodedata.is_normalized("NFC", char) and not joins(char)


def joins(char: str) -> bool:
    """Whether a character may compose or change places with the one before it."""
    return (
        unicodedata.combining(char) != 0
        or unicodedata.category(char)[0] == "M"
        or "\u1161" <= char <= "\u11ff"  # Hangul vowels and finals
        or char == "\U00016d67"  # a vowel of Kirat Rai, which Unicode 16 calls a letter
    )


_LONG_RUN: Final = late(f"[{_MAY_BE_MARKS}][{_MAY_BE_MARKS}]{{{_MOST_MARKS},}}")
"""A run that may be of combining marks alone (it names whole blocks). A first character that is no
repetition lets `re` pass over all others at once: half the time."""


def _with_joiners(run: re.Match[str]) -> str:
    """Break runs of combining marks as UAX #15 does for its stream-safe format.

    Putting marks into canonical order takes quadratic time: a hostile megabyte of them would hang.
    """
    safe: list[str] = []
    marks = 0
    for char in run[0]:
        marks = marks + 1 if unicodedata.combining(char) else 0
        if marks > _MOST_MARKS:
            safe.append(_JOINER)
            marks = 1
        safe.append(char)
    return "".join(safe)


_ALIVE: Final = late(f"[^{_INERT}]")
_TANGLED: Final = late(f"[^{_INERT}{_SINGLE}]")
"""A character that may combine, or fold to several."""


def folds_like_ascii(beyond: str) -> bool:
    """Return whether a text folds as `bytes.lower` does it, told by its characters beyond ASCII.

    No is not certain: it means that the text has to be folded to know.
    """
    return not _ALIVE.search(beyond)


def _nfc(text: str) -> str:
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def fold_bytes(marked: str) -> bytes:
    """Return the UTF-8 of the folded pieces of marked text, each mark one byte 0xFE."""
    return fold_encoded(marked, marked.encode("utf-8", "replace"))


def fold_encoded(marked: str, data: bytes) -> bytes:
    """Return `fold_bytes` of a text whose UTF-8 is known already."""
    if marked.isascii():
        return data.lower()
    beyond = beyond_ascii(data)
    if folds_like_ascii(beyond):
        return data.lower()
    if 8 * len(beyond) < len(data) and not _TANGLED.search(beyond):
        capitals = [char for char in set(beyond) if char.casefold() != char]
        if len(capitals) <= _FEW:
            data = data.lower()
            for char in capitals:
                data = data.replace(char.encode(), char.casefold().encode())
            return data
    pieces = plain_pieces(marked)
    return MARK_BYTE.join(fold(piece).encode("utf-8", "replace") for piece in pieces)


def spans(text: str, needle_folded: str) -> list[tuple[int, int]]:
    """Return where a folded needle occurs in a text, as character spans of the text itself.

    Matches do not overlap; spans are half-open, ascending, disjoint, and cover whole characters: a
    match of half an original character (one s of a sharp s) covers all of it.
    """
    if not needle_folded:
        return []
    folded, aligned = fold_aligned(text)
    at = folded.find(needle_folded)
    if at < 0:
        return []
    starts, ends = _origins(text, aligned=aligned)
    found: list[tuple[int, int]] = []
    last = 0
    while at >= 0:
        after = at + len(needle_folded)
        start, end = (max(last, starts[at]), ends[after - 1])
        if start < end:
            found.append((start, end))
            last = end
        at = folded.find(needle_folded, after)
    return found


def _origins(text: str, *, aligned: bool) -> tuple[range | list[int], range | list[int]]:
    """Return, for each folded character, the [start, end) of the original it came from."""
    if aligned:
        return range(len(text)), range(1, len(text) + 1)
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    joining = _JOINING.match
    while at < len(text):
        end = at + 1
        while end < len(text) and (unicodedata.combining(text[end]) or joining(text, end)):
            end += 1
        length = len(fold(text[at:end]))
        starts.extend([at] * length)
        ends.extend([end] * length)
        at = end
    return starts, ends
