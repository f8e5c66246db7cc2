"""One message as the lines of a transcript: gutter, text, tool call, folded output, materials.

Pure functions of a message and a width, so that a worker thread can lay out a window of messages
and hand the lines to the screen. Themes do not matter here.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from recall_tui.model import Flag, Kind
from recall_tui.text.redact import shown
from recall_tui.tui import markdown
from recall_tui.tui.excerpts import LINE_CHARS, bounded, bytes_of, matching, note, windowed
from recall_tui.tui.frame import (
    FOLDED_PROMPT_LINES,
    INSIDE_CELLS,
    PROSE_CELLS,
    Frame,
    Level,
    gutter,
    inside,
)
from recall_tui.tui.lines import BLANK, Line, clean, cut, justified, wrap
from recall_tui.tui.notation import counted, size
from recall_tui.tui.tool_lines import call, result

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recall_tui.model import Material, Message
    from recall_tui.tui.lines import Piece
    from recall_tui.tui.pairs import Outcome

_BEYOND_LINES: Final = 3
"""Rows around a match that would be folded away."""

_TAG: Final = re.compile(r"</?[A-Za-z][^<>\n]{0,80}>")
_SUMMARY: Final = re.compile(r"<summary>(.+?)</summary>", re.DOTALL)
_TELLING_CHARS: Final = 2000
"""So much of an injected text is looked at for the words that tell what it is."""


def lay(
    message: Message,
    frame: Frame,
    *,
    unfolded: bool = False,
    outcome: Outcome | None = None,
    made_by: Message | None = None,
    turned: bool = False,
    spaced: bool = True,
) -> list[Line]:
    """Return the lines of a message.

    Args:
        message: What to draw.
        frame: Width, zone and highlights.
        unfolded: Show all of it.
        outcome: For a tool call: how it ended, None when no result is known.
        made_by: For an output: the call it is of, when that does not stand right above.
        turned: An abandoned branch begins here.
        spaced: Begin with an empty line.
    """
    kind = message.kind
    aside = bool(message.flags & Flag.SIDECHAIN)
    if aside:
        frame = replace(frame, width=frame.width - INSIDE_CELLS)
    unfolded = unfolded or (frame.level is Level.ALL and kind in {Kind.TOOL_CALL, Kind.TOOL_RESULT})
    if kind is Kind.TOOL_CALL:
        lines = call(message, frame, outcome, unfolded=unfolded)
    elif kind is Kind.TOOL_RESULT:
        lines = result(message, frame, made_by, unfolded=unfolded)
    elif kind in {Kind.INJECTED, Kind.NOTICE, Kind.SUMMARY, Kind.DELEGATION}:
        lines = _aside(message, frame, unfolded=unfolded)
    else:
        lines = _speech(message, frame, unfolded=unfolded)
    lines.extend(_material(item, frame) for item in message.materials)
    lines.extend(_written(frame.notes.get(message.position, ()), frame))
    if message.flags & Flag.ABANDONED:
        lines = [_abandoned(line) for line in lines]
        if turned:
            lines.insert(0, Line((("╎ abandoned: the person went back to before this", "dim"),)))
    lines = [BLANK, *lines] if spaced else lines
    return [inside(line) for line in lines] if aside else lines


def _abandoned(line: Line) -> Line:
    """Return a line of a branch that was left: dim, and marked at its edge for want of colours."""
    pieces = [(text, ink if ink == "match" else "abandoned") for text, ink in line.pieces]
    if pieces and pieces[0][0].startswith(" "):
        pieces[0] = ("╎" + pieces[0][0][1:], "abandoned")
    return Line(tuple(pieces))


def _hang(first: list[Piece], body: list[Line], frame: Frame, fill: str = "") -> list[Line]:
    """Return body lines behind a gutter; later ones are indented as far."""
    indent = (" " * frame.lead, "")
    return [
        Line(
            (*(first if index == 0 else [indent]), *line.pieces),
            line.fill or fill,
            frame.lead if line.fill else 0,
        )
        for index, line in enumerate(body or [BLANK])
    ]


def _speech(message: Message, frame: Frame, *, unfolded: bool) -> list[Line]:
    """Return a prompt (as typed) or an answer (as Markdown)."""
    width = min(frame.room, PROSE_CELLS)
    text, more = bounded(shown(message.text).strip("\n"))
    prompt = message.kind is Kind.PROMPT
    if prompt:
        body = _plain(text, width, frame, FOLDED_PROMPT_LINES if not unfolded else 0)
    else:
        body = markdown.lines_of(text, width, frame.find)
    if more:
        body.append(note(more))
    first = gutter(message.kind, message.time_ms, frame)
    return _hang(first, body, frame, "band" if prompt else "")


def _plain(text: str, width: int, frame: Frame, limit: int) -> list[Line]:
    """Return text as it was typed, wrapped, folded after `limit` rows (0: whole).

    A match that would be folded away is shown below them.
    """
    rows: list[Line] = []
    source = text.split("\n")
    for index, row in enumerate(source):
        head = row[: limit * LINE_CHARS] if limit else row
        pieces = markdown.highlighted([(clean(head), "")], frame.find)
        rows.extend(Line(tuple(part)) for part in wrap(pieces, width))
        rest = len(source) - index - 1
        if limit and len(rows) > limit and (rest or len(rows) > 2 * limit):
            # A few rows more of the last line are shown rather than announced.
            more = counted(rest, "more line") if rest else "the line goes on"
            folded = [*rows[:limit], note(f"{more} · {size(bytes_of(text))}")]
            if not any(ink == "match" for line in folded for _, ink in line.pieces):
                folded += _beyond("\n".join(source[index:]), width, frame)
            return folded
    return rows


def _beyond(text: str, width: int, frame: Frame) -> list[Line]:
    """Return the rows around the first match in what was folded away, none without one."""
    rows, _ = matching(text, _BEYOND_LINES, frame) or ([], 0)
    return [
        Line(tuple(markdown.highlighted(windowed([(clean(row), "")], width, frame), frame.find)))
        for row in rows
    ]


def _written(notes: Iterable[str], frame: Frame) -> list[Line]:
    """Return what a person wrote about a message."""
    indent, width = " " * frame.lead, min(frame.room, PROSE_CELLS) - 2
    return [
        Line(((indent, ""), ("  " if index else "✎ ", "accent"), *part))
        for note in notes
        for index, part in enumerate(
            part for row in note.split("\n") for part in wrap([(clean(row), "emphasis")], width)
        )
    ]


def _aside(message: Message, frame: Frame, *, unfolded: bool) -> list[Line]:
    """Return what neither person nor agent said, on one muted line until it is unfolded."""
    text = shown(message.text).strip()
    failed = bool(message.flags & Flag.FAILED)
    ink = "error" if failed else "muted"
    sign = "✗" if failed else " "
    if unfolded:
        body, more = bounded(text)
        rows = _whole_aside(message.kind, body, min(frame.room, PROSE_CELLS), ink, frame)
        if more:
            rows.append(note(more))
        return _marked(
            message.kind,
            _hang(gutter(message.kind, message.time_ms, frame, sign="▾"), rows, frame),
            frame,
        )
    first = _telling(text)
    if (found := matching(text, 1, frame)) is not None:
        first = found[0][0]
    room = frame.width - frame.lead
    total = bytes_of(text)
    tail: list[Piece] = [(f"{size(total)} ", "dim")] if total > room or "\n" in text else []
    pieces = markdown.highlighted(windowed([(clean(first), ink)], room, frame), frame.find)
    sign = "▸" if tail and not failed else sign
    head = gutter(message.kind, message.time_ms, frame, sign=sign)
    return _marked(message.kind, [Line((*head, *justified(pieces, tail, room)))], frame)


def _telling(text: str) -> str:
    """Return the words by which a text is known that a program put there.

    Those are its first line; of one that only opens an element, its summary or what it holds.
    """
    rows = (row.strip() for row in text[:_TELLING_CHARS].split("\n"))
    first, *others = [row for row in rows if row] or ["(empty)"]
    if _TAG.fullmatch(first) is None:
        return first
    summary = _SUMMARY.search(text[:_TELLING_CHARS])
    held = [summary[1]] if summary else [_TAG.sub(" ", row) for row in others]
    words = [" ".join(part.split()) for part in held]
    return " · ".join([first[1:-1], *filter(None, words)])


def _whole_aside(kind: Kind, text: str, width: int, ink: str, frame: Frame) -> list[Line]:
    """Return all of a text that neither person nor agent said; a summary is Markdown."""
    if kind is Kind.SUMMARY:
        return markdown.lines_of(text, width, frame.find)
    return [
        Line(tuple(part))
        for row in text.split("\n")
        for part in wrap(markdown.highlighted([(clean(row), ink)], frame.find), width)
    ]


def _marked(kind: Kind, lines: list[Line], frame: Frame) -> list[Line]:
    """Return lines below a rule when what stands above them was summed up there."""
    if kind is not Kind.SUMMARY:
        return lines
    return [Line(((" ", ""), ("─" * (frame.width - 2), "rule"))), *lines]


def _material(item: Material, frame: Frame) -> Line:
    """Return a material as one line of facts."""
    facts = [f"{item.width}×{item.height}"] if item.width and item.height else []
    if item.bytes >= 0:
        facts.append(size(item.bytes))
    if item.kind == "image" and item.width and item.height:
        facts.append(f"~{tokens(item.width, item.height)} tokens")
    room = frame.room - 2
    name = cut(clean(item.name) or f"unnamed {clean(item.kind)}", max(8, room - 34))
    return Line(
        (
            (" " * frame.lead, ""),
            ("▣ " if item.kind == "image" else "▤ ", "accent"),
            (name, ""),
            ("  " + "  ".join(facts), "muted"),
        )
    )


def tokens(width: int, height: int) -> str:
    """Return about how many tokens a picture costs: one per 750 pixels after the usual scaling."""
    scale = min(1.0, 1568 / max(width, height, 1))
    count = width * scale * height * scale / 750
    return f"{count / 1000:.1f}k" if count >= 1000 else f"{max(1, round(count))}"
