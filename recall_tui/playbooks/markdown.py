"""Foreign text inside Markdown: quoted, fenced, or on one line, and never able to break out."""

from __future__ import annotations

import re

from recall_tui.text.cut import cut_bytes
from recall_tui.text.marks import shown
from recall_tui.text.sanitize import sanitize

_RUN = re.compile(r"`+")


def plain(marked: str) -> str:
    """Return marked text as readable text without anything that acts."""
    return sanitize(shown(marked))


def line(marked: str, limit_bytes: int = 200) -> str:
    """Return a text as one line of at most some bytes, safe in a list or a heading."""
    words = " ".join(plain(marked[: 4 * limit_bytes + 64]).split())
    cut, _ = cut_bytes(words, limit_bytes)
    return cut.replace("<", "&lt;").lstrip("#>|").strip()


def code(text: str, limit_bytes: int = 200) -> str:
    """Return a text as inline code on one line."""
    words, _ = cut_bytes(" ".join(plain(text[: 4 * limit_bytes + 64]).split()), limit_bytes)
    ticks = "`" * (_longest(words) + 1)
    space = " " if words.startswith("`") or words.endswith("`") or not words else ""
    return f"{ticks}{space}{words}{space}{ticks}"


def fence(text: str, language: str = "") -> str:
    """Return a text as a code block whose fence is longer than any in it."""
    ticks = "`" * max(3, _longest(text) + 1)
    return f"{ticks}{language}\n{text.rstrip()}\n{ticks}"


def quote(text: str) -> str:
    """Return a text as a block quote: every line of it, whatever stands at its start."""
    return "\n".join(f"> {one}".rstrip() for one in text.strip("\n").split("\n"))


def indented(text: str, spaces: int) -> str:
    """Return a text with every line moved in, as the continuation of a list item."""
    return "\n".join(" " * spaces + one if one else "" for one in text.split("\n"))


def _longest(text: str) -> int:
    """Return the length of the longest run of backticks."""
    return max((len(run) for run in _RUN.findall(text)), default=0)
