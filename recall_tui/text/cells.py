"""How many terminal cells a text takes: Rich's tables, so that we agree with what Textual draws.

Rich's table is read on the first text with a character that is not plain (4 ms): nearly all pages
of hits hold a dash, an arrow or a Han character, and few hold more.
"""

from __future__ import annotations

from typing import Final

TAB_CELLS: Final = 8
"""Tab stops of a terminal."""

_PLAIN: Final = (
    ("\xa0", "\u02ff", 1),  # Latin, phonetic
    ("\u0370", "\u0482", 1),  # Greek, Cyrillic
    ("\u2010", "\u2027", 1),  # dashes, quotes, dots
    ("\u2030", "\u205e", 1),
    ("\u2190", "\u22ff", 1),  # arrows, mathematics
    ("\u2500", "\u25a1", 1),  # lines and blocks of tables
    ("\u3001", "\u3011", 2),  # CJK punctuation, kana, Han, Hangul, full width
    ("\u3041", "\u3096", 2),
    ("\u30a1", "\u30fa", 2),
    ("\u4e00", "\u9fa5", 2),
    ("\uac00", "\ud7a3", 2),
    ("\uff01", "\uff5e", 2),
)
"""Ranges of characters, and the cells of each whatever stands beside it, if that is one as well."""

_ZWJ: Final = "\u200d"
_VS16: Final = "\ufe0f"


def cell_width(text: str) -> int:
    """Return the cells of one line of sanitised text.

    CJK and emoji take two, combining marks none, an emoji sequence joined by ZWJ the two of its
    first, VS16 widens what it follows. A tab reaches the next multiple of 8, counted from the
    start of the text.
    """
    head, tab, rest = text.partition("\t")
    width = len(head) if head.isascii() else _measured(head)
    while tab:
        width += TAB_CELLS - width % TAB_CELLS
        head, tab, rest = rest.partition("\t")
        width += len(head) if head.isascii() else _measured(head)
    return width


def _measured(text: str) -> int:
    width = len(text)
    for char in set(text):
        if char > "~":
            cells = next((cells for low, high, cells in _PLAIN if low <= char <= high), 0)
            if not cells:
                from rich.cells import cell_len  # noqa: PLC0415 - see the module

                return cell_len(text)
            width += (cells - 1) * text.count(char)
    return width


def chars_within(text: str, cells: int) -> int:
    """Return how many leading characters of one line fit into `cells`.

    What takes no cell of its own (a combining mark, VS16, the rest of a ZWJ sequence) stays with
    the character before it.
    """
    if text.isascii() and "\t" not in text:
        return min(len(text), max(0, cells))
    width = at = 0
    while at < len(text):
        end = _cluster_end(text, at)
        cluster = text[at:end]
        width += TAB_CELLS - width % TAB_CELLS if cluster == "\t" else cell_width(cluster)
        if width > cells:
            break
        at = end
    return at


def _cluster_end(text: str, at: int) -> int:
    """One past the last character that shares the cells of the one at `at`."""
    end = at + 1
    while end < len(text):
        char = text[end]
        if char == _ZWJ and text[end + 1 : end + 2] not in ("", "\t"):
            end += 2
        elif char == _VS16 or not (char.isascii() or _measured(char)):
            end += 1
        else:
            break
    return end
