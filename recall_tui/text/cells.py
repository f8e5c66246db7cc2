"""How many terminal cells a text takes."""

from __future__ import annotations

import unicodedata


def cell_width(text: str) -> int:
    """Return the terminal cells of a text without line breaks; a tab counts as one."""
    if text.isascii():
        return len(text)
    width = 0
    last = 0
    joined = False
    for char in text:
        if char == "\ufe0f":
            width += 2 - last if last == 1 else 0
            last = 2 if last else 0
            continue
        if char == "\u200d":
            joined = True
            continue
        if joined:
            joined = False
            continue
        if unicodedata.category(char) in {"Mn", "Me", "Cf"} or "\U0001f3fb" <= char <= "\U0001f3ff":
            continue
        last = 2 if unicodedata.east_asian_width(char) in "WF" else 1
        width += last
    return width
