"""Which part of a long text stands for all of it while it is folded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from recall_tui.tui.lines import Line, cut, no_matches
from recall_tui.tui.notation import size

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recall_tui.tui.frame import Frame
    from recall_tui.tui.lines import Piece

LONGEST_CHARS: Final = 400_000
"""Characters of one message that are laid out when unfolded; the rest is named, and copied by y."""

LINE_CHARS: Final = 2000
"""Characters of one line that matter while it is folded to one row."""


def telling(whole: str, limit: int, frame: Frame, *, failed: bool) -> tuple[list[str], int]:
    """Return the lines a folded output shows, and how many stand above them.

    Those around the first match of a query; else the last ones of a failure, which say why; else
    the first ones. Only as many characters are looked at as can matter: a 20 MB output costs what
    a short one does.
    """
    head = whole[: limit * LINE_CHARS].split("\n")[:limit]
    if any(True for row in head for _ in frame.find(row)):
        return head, 0
    if found := matching(whole, limit, frame):
        return found
    if failed:
        tail = whole[-limit * LINE_CHARS :].split("\n")[-limit:]
        return tail, whole.count("\n") + 1 - len(tail)
    return head, 0


def matching(text: str, limit: int, frame: Frame) -> tuple[list[str], int] | None:
    """Return the lines around the first match and how many stand above; None without a match."""
    if frame.find is no_matches:
        return None
    rows = text[:LONGEST_CHARS].split("\n")
    for index, row in enumerate(rows):
        if any(True for _ in frame.find(row)):
            low = max(0, min(index - (limit > 1), len(rows) - limit))
            return rows[low : low + limit], low
    return None


def windowed(pieces: Iterable[Piece], room: int, frame: Frame) -> list[Piece]:
    """Return a long line cut to `room`, moved so that the first match is inside it."""
    (text, ink), *rest = pieces
    if rest or cell_len(text[: room * 2]) <= room:
        return [(cut(text, room), ink)]
    spans = list(frame.find(text))
    if spans and spans[0][1] > room - 2:
        start = max(0, spans[0][0] - room // 3)
        return [(cut("…" + text[start:], room), ink)]
    return [(cut(text, room), ink)]


def bounded(text: str, limit: int = LONGEST_CHARS) -> tuple[str, str]:
    """Return a text within `limit` characters, and words for what was left out."""
    if len(text) <= limit:
        return text, ""
    left = size(bytes_of(text[limit:]))
    return text[:limit], f"{left} more · y copies the whole message"


def share(part: int, whole: str) -> str:
    """Return `4 of 31 KB`."""
    total = size(bytes_of(whole))
    number, _, unit = size(min(part, bytes_of(whole))).partition(" ")
    return (
        f"{number} of {total}" if unit == total.partition(" ")[2] else f"{number} {unit} of {total}"
    )


def note(words: str) -> Line:
    """Return the row that says what is folded away."""
    return Line(((f"… {words}", "dim"),))


def bytes_of(text: str) -> int:
    """Return how many bytes a text is in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
