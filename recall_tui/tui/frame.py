"""What every message of a session is laid out with: width, gutter, likely height.

Apart from `layout`, because the screen needs this before the first text comes and that only with
it: Markdown, colours and highlights are imported in the worker that lays out the first page.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from recall_tui.model import Flag, Kind
from recall_tui.tui.lines import BLANK, Line, clean, cut, no_matches, pad
from recall_tui.tui.notation import SPEAKERS, clock

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import tzinfo

    from recall_tui.model import Message
    from recall_tui.tui.lines import Finder, Piece

PROSE_CELLS: Final = 100
"""Prose wraps here however wide the terminal is: longer lines are hard to read."""

FOLDED_LINES: Final = 4
"""Lines of a tool's output that show before it is unfolded."""

FOLDED_FAILURE_LINES: Final = 8
MANY_LINES: Final = 40
"""Lines of a tool's output at the third of the four levels."""

FOLDED_PROMPT_LINES: Final = 40
"""A pasted log in a prompt is folded after this many rows."""

WIDE: Final = 64
"""Cells from which the gutter has room for clock times."""

SPEAKER_CELLS: Final = 8

_RULE: Final = ("  ┊ ", "rule")

INSIDE_CELLS: Final = len(_RULE[0])
"""Cells by which what a subagent said is set in."""

_TOOL_CELLS: Final = 24
"""Cells of a tool's name at most, where the gutter has room for clock times; else half of them."""


class Level(IntEnum):
    """How much of a tool's output shows before it is unfolded."""

    LINE = 0
    FEW = 1
    MANY = 2
    ALL = 3


@dataclass(slots=True, frozen=True)
class Frame:
    """What all messages of a session are laid out with."""

    width: int
    zone: tzinfo
    find: Finder = no_matches
    level: Level = Level.FEW
    notes: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """What a person wrote, by position; -1 for the session."""
    inside: Mapping[str, int] = field(default_factory=dict)
    """How many messages of a subagent match what is looked for, by its key; none is left out."""

    def output_lines(self, *, failed: bool) -> int:
        """Return the lines of a tool's output that show before it is unfolded."""
        few = FOLDED_FAILURE_LINES if failed else FOLDED_LINES
        return (1, few, MANY_LINES, MANY_LINES)[self.level]

    @property
    def lead(self) -> int:
        """Cells of the gutter: bar, clock, speaker."""
        return 2 + (6 if self.width >= WIDE else 0) + SPEAKER_CELLS + 1

    @property
    def room(self) -> int:
        """Cells of the text."""
        return max(12, self.width - self.lead - 1)


def foldable(message: Message, frame: Frame) -> bool:
    """Return whether unfolding a message would show more."""
    if message.kind in {Kind.TOOL_CALL, Kind.TOOL_RESULT} and frame.level is Level.ALL:
        return False
    if message.kind is Kind.TOOL_CALL:
        return "\n" in message.text.strip() or len(message.text) > 60
    if message.kind is Kind.TOOL_RESULT:
        limit = frame.output_lines(failed=bool(message.flags & Flag.FAILED))
        return message.text.count("\n") >= limit or len(message.text) > 200
    if message.kind in {Kind.INJECTED, Kind.NOTICE, Kind.SUMMARY, Kind.DELEGATION}:
        return "\n" in message.text.strip() or len(message.text) > 60
    if message.kind is Kind.ANSWER:
        return False
    return len(message.text) > 1500 or message.text.count("\n") >= FOLDED_PROMPT_LINES


def spaced(kind: int, before: int | None) -> bool:
    """Return whether a message begins with an empty line, given the kind before it."""
    if before is None:
        return False
    tools = {Kind.TOOL_CALL, Kind.TOOL_RESULT}
    asides = {Kind.INJECTED, Kind.NOTICE}
    if kind in tools:
        return before not in tools
    return not (kind in asides and before in asides)


def estimate(kind: int, size_bytes: int, frame: Frame) -> int:
    """Return the likely lines of a message that was not laid out yet, its empty line excluded."""
    if kind == Kind.TOOL_CALL or kind in {Kind.INJECTED, Kind.NOTICE, Kind.DELEGATION}:
        return 1
    if kind == Kind.SUMMARY:
        return 2
    if kind == Kind.TOOL_RESULT:
        most = frame.output_lines(failed=False)
        few = 1 if size_bytes < 60 else 3 if size_bytes < 200 else FOLDED_LINES + 1
        return min(most, few) if frame.level <= Level.FEW else min(most, 1 + size_bytes // 60)
    rows = 1 + size_bytes // max(20, int(min(frame.room, PROSE_CELLS) * 0.7))
    return min(rows, FOLDED_PROMPT_LINES + 1) if kind == Kind.PROMPT else rows


def gutter(kind: Kind, time_ms: int, frame: Frame, name: str = "", sign: str = " ") -> list[Piece]:
    """Return the pieces before a message's first line: sign, clock, speaker or the tool's name.

    A name that is longer than the column takes its room from what follows.
    """
    ink = {Kind.PROMPT: "you", Kind.ANSWER: "agent"}.get(kind, "muted")
    pieces: list[Piece] = [(f" {sign}" if sign == " " else f"{sign} ", "muted")]
    if frame.width >= WIDE:
        pieces.append((clock(time_ms, frame.zone) + " ", "dim"))
    most = _TOOL_CELLS if frame.width >= WIDE else _TOOL_CELLS // 2
    who = cut(clean(name) or SPEAKERS[kind], most)
    pieces.append((pad(who, max(SPEAKER_CELLS, cell_len(who))) + " ", ink))
    return pieces


def placeholder(kind: Kind, time_ms: int, frame: Frame, *, space: bool) -> list[Line]:
    """Return the lines of a message whose text has not come yet."""
    line = Line((*gutter(kind, time_ms, frame), ("…", "dim")))
    return [BLANK, line] if space else [line]


def inside(line: Line) -> Line:
    """Return a line behind the rule that says that a subagent wrote it."""
    return Line((_RULE, *line.pieces), line.fill, INSIDE_CELLS + line.inset if line.fill else 0)
