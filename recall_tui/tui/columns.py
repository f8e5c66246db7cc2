"""Columns that hold where the terminal and Textual disagree about the width of a character.

Emoji with a variation selector or a skin tone, joined families, Indic vowel signs, characters newer
than the terminal: programs count them differently, and a row is written from left to right. So what
is disputed is written over a blank of the width that was laid out for it, and the cursor is put
where the rest of the row belongs. What a terminal draws there may be cut; nothing after it moves.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len, split_graphemes

from recall_tui.tui.lines import FLOWING, spare_cells

if TYPE_CHECKING:
    from collections.abc import Iterator

_FLOWING: Final = re.compile(f"[{FLOWING}]")
_DISPUTED: Final = re.compile(
    f"[{FLOWING}\u0600-\u0605\u1100-\u11ff\u200b-\u200f\u2060-\u206f\u20d0-\u20ff\u3164\ufd3e-\ufdff"
    "\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\uffa0\ufff0-\uffff\U00010000-\U0001ffff\U000e0000-\U0010eeed]"
)
"""Beyond the last lies the character by which kitty places pictures (`_PLACE`)."""

_PLACE: Final = "\U0010eeee"

_MOVE: Final = re.compile("(\x1b\\[\\d+;\\d+H)")
_STYLE: Final = re.compile("(\x1b\\[[0-9;:]*m)")
_UNIT: Final = re.compile("[^ ─-▟]+(?: [^ ─-▟]+)* *|[ ─-▟]+")
"""Words with the blanks after them; or blanks and lines."""


def pinned(frame: str) -> str:
    """Return what draws a frame, so that its columns hold in any terminal.

    Args:
        frame: Text with styles, as the compositor writes it: each stretch of a row begins with a
            move of the cursor.
    """
    if frame.isascii() or not _DISPUTED.search(frame):
        return frame
    out: list[str] = []
    column = 0
    for part in _MOVE.split(frame):
        if part.startswith("\x1b[") and part.endswith("H"):
            column = int(part[:-1].partition(";")[2])
            out.append(part)
        elif column and _DISPUTED.search(part):
            out.append(_stretch(part, column))
        else:
            out.append(part)
    return "".join(out)


def _stretch(part: str, column: int) -> str:
    """Return a stretch of a row from a column (from 1) on, what is disputed held in place."""
    out: list[str] = []
    for piece in _STYLE.split(part):
        if piece.startswith("\x1b"):
            out.append(piece)
            continue
        if _PLACE in piece:
            out.append(piece)  # kitty's pictures: their marks say which part of which one
        elif _DISPUTED.search(piece):
            out.extend(_units(piece, column))
            # Once more at the end: of a joiner that joins nothing Rich has two opinions itself.
            out.append(f"\x1b[{column + cell_len(piece)}G")
        else:
            out.append(piece)
        column += cell_len(piece)
    return "".join(out)


def _units(piece: str, column: int) -> Iterator[str]:
    """Yield a text of one style, what is disputed in it held in place."""
    for unit in _UNIT.findall(piece):
        cells = cell_len(unit)
        if _FLOWING.search(unit):
            yield _held(_within(unit, cells), column, cells)
        elif _DISPUTED.search(unit):
            yield _each_held(unit, column)
        else:
            yield unit
        column += cells


def _each_held(text: str, column: int) -> str:
    """Return a text in which every disputed character is held in place."""
    out: list[str] = []
    for start, end, cells in split_graphemes(text)[0]:
        one = text[start:end]
        out.append(_held(one, column, cells) if _DISPUTED.search(one) else one)
        column += cells
    return "".join(out)


def _held(text: str, column: int, cells: int) -> str:
    return f"{' ' * cells}\x1b[{column}G{text}\x1b[{column + cells}G"


def _within(text: str, cells: int) -> str:
    """Return as much of a text as fits where every vowel sign takes a cell of its own.

    Letters of these scripts join: one by one they would be torn apart.
    """
    text = text.rstrip(" ")
    while text and cell_len(text) + spare_cells(text) > cells:
        text = text[:-1]
    return text
