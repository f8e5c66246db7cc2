"""Columns that hold where the terminal and Textual disagree about the width of a character.

Emoji with a variation selector or a skin tone, joined families, Indic vowel signs, characters newer
than the terminal: programs count them differently, and a row is written from left to right. So what
is disputed is written over a blank of the width that was laid out for it, and the cursor is put
where the rest of the row belongs. What a terminal draws there may be cut; nothing after it moves.
"""

from __future__ import annotations

import re
from typing import Final

from rich.cells import cell_len, split_graphemes

_DISPUTED: Final = re.compile(
    "[\u0600-\u0605\u0900-\u0dff\u0e00-\u0eff\u0f00-\u109f\u1100-\u11ff\u1780-\u18ff\u1a00-\u1aff"
    "\u1b00-\u1c4f\u200b-\u200f\u2060-\u206f\u20d0-\u20ff\u3164\ua800-\uabff\ufd3e-\ufdff"
    "\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\uffa0\ufff0-\uffff\U00010000-\U0001ffff\U000e0000-\U0010eeed]"
)
"""Beyond the last lies the character by which kitty places pictures: it must stay as it is."""
_MOVE: Final = re.compile("(\x1b\\[\\d+;\\d+H)")
_STYLE: Final = re.compile("(\x1b\\[[0-9;:]*m)")


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
        elif column and _DISPUTED.search(part):
            part = _stretch(part, column)  # noqa: PLW2901 - the stretch, held in place
        out.append(part)
    return "".join(out)


def _stretch(part: str, column: int) -> str:
    """Return a stretch of a row from a column (from 1) on, what is disputed held in place."""
    out: list[str] = []
    for piece in _STYLE.split(part):
        if piece.startswith("\x1b"):
            out.append(piece)
        elif not _DISPUTED.search(piece):
            out.append(piece)
            column += cell_len(piece)
        else:
            for start, end, cells in split_graphemes(piece)[0]:
                text = piece[start:end]
                if _DISPUTED.search(text):
                    text = f"{' ' * cells}\x1b[{column}G{text}\x1b[{column + cells}G"
                out.append(text)
                column += cells
    return "".join(out)
