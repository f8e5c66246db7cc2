"""One message as the lines of a transcript: gutter, text, tool call, folded output, materials.

Pure functions of a message and a width, so that a worker thread can lay out a window of messages
and hand the lines to the screen. Themes do not matter here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from recall_tui.model import Flag, Kind
from recall_tui.text.redact import shown
from recall_tui.tui import markdown
from recall_tui.tui.code import diff_line, is_diff
from recall_tui.tui.frame import (
    FOLDED_PROMPT_LINES,
    PROSE_CELLS,
    Frame,
    Level,
    Outcome,
    gutter,
)
from recall_tui.tui.lines import BLANK, Line, clean, cut, justified, no_matches, wrap
from recall_tui.tui.notation import counted, duration, size

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recall_tui.model import Material, Message
    from recall_tui.tui.lines import Piece


LONGEST_CHARS: Final = 400_000
"""Characters of one message that are laid out when unfolded; the rest is named, and copied by y."""

_BEYOND_LINES: Final = 3
"""Rows around a match that would be folded away."""

_LINE_CHARS: Final = 2000
"""Characters of one line that matter while it is folded to one row."""


def lay(
    message: Message,
    frame: Frame,
    *,
    unfolded: bool = False,
    outcome: Outcome | None = None,
    spaced: bool = True,
) -> list[Line]:
    """Return the lines of a message.

    Args:
        message: What to draw.
        frame: Width, zone and highlights.
        unfolded: Show all of it.
        outcome: For a tool call: how it ended, None when no result is known.
        spaced: Begin with an empty line.
    """
    kind = message.kind
    unfolded = unfolded or (frame.level is Level.ALL and kind in {Kind.TOOL_CALL, Kind.TOOL_RESULT})
    if kind is Kind.TOOL_CALL:
        lines = _call(message, frame, outcome, unfolded=unfolded)
    elif kind is Kind.TOOL_RESULT:
        lines = _result(message, frame, unfolded=unfolded)
    elif kind in {Kind.INJECTED, Kind.NOTICE, Kind.SUMMARY, Kind.DELEGATION}:
        lines = _aside(message, frame, unfolded=unfolded)
    else:
        lines = _speech(message, frame, unfolded=unfolded)
    lines.extend(_material(item, frame) for item in message.materials)
    lines.extend(_written(frame.notes.get(message.position, ()), frame))
    if message.flags & Flag.ABANDONED:
        lines = [Line(tuple((t, "abandoned") for t, _ in line.pieces), "") for line in lines]
    return [BLANK, *lines] if spaced else lines


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
    text, more = _bounded(shown(message.text).strip("\n"), LONGEST_CHARS)
    prompt = message.kind is Kind.PROMPT
    if prompt:
        body = _plain(text, width, frame, FOLDED_PROMPT_LINES if not unfolded else 0)
    else:
        body = markdown.lines_of(text, width, frame.find)
    if more:
        body.append(_note(more))
    first = gutter(message.kind, message.time_ms, frame)
    return _hang(first, body, frame, "band" if prompt else "")


def _plain(text: str, width: int, frame: Frame, limit: int) -> list[Line]:
    """Return text as it was typed, wrapped, folded after `limit` rows (0: whole).

    A match that would be folded away is shown below them.
    """
    rows: list[Line] = []
    source = text.split("\n")
    for index, row in enumerate(source):
        head = row[: limit * _LINE_CHARS] if limit else row
        pieces = markdown.highlighted([(clean(head), "")], frame.find)
        rows.extend(Line(tuple(part)) for part in wrap(pieces, width))
        rest = len(source) - index - 1
        if limit and len(rows) > limit and (rest or len(rows) > 2 * limit):
            # A few rows more of the last line are shown rather than announced.
            more = counted(rest, "more line") if rest else "the line goes on"
            folded = [*rows[:limit], _note(f"{more} · {size(_bytes(text))}")]
            if not any(ink == "match" for line in folded for _, ink in line.pieces):
                folded += _beyond("\n".join(source[index:]), width, frame)
            return folded
    return rows


def _beyond(text: str, width: int, frame: Frame) -> list[Line]:
    """Return the rows around the first match in what was folded away, none without one."""
    rows, _ = _matching(text, _BEYOND_LINES, frame) or ([], 0)
    return [
        Line(tuple(markdown.highlighted(_windowed([(clean(row), "")], width, frame), frame.find)))
        for row in rows
    ]


def _call(message: Message, frame: Frame, outcome: Outcome | None, *, unfolded: bool) -> list[Line]:
    """Return a tool call: glyph, name, its telling argument, outcome, duration."""
    text = shown(message.text).strip("\n")
    head, _, rest = text.partition("\n")
    more = bool(rest.strip())
    first = gutter(
        message.kind, message.time_ms, frame, message.tool, "▾" if unfolded and more else "▸"
    )
    tail: list[Piece] = []
    took = duration(message.duration_ms or (outcome.duration_ms if outcome else 0))
    if outcome is not None:
        tail.append(
            ("✗ failed" if outcome.failed else "✓", "error" if outcome.failed else "success")
        )
        if took:
            tail.append((f" {took}", "muted"))
    room = frame.width - frame.lead
    argument = markdown.highlighted([(clean(head), "strong")], frame.find)
    lines = [Line((*first, *justified(argument, [*tail, (" ", "")], room)))]
    if more and not unfolded and not any(True for _ in frame.find(head)):
        # A hit beyond the telling argument: the words it was found by have to show.
        rows, _ = _matching(rest, 2, frame) or ([], 0)
        if rows:
            shown_rows = _rows("\n".join(rows), frame, wrapped=False, diff=is_diff(rest))
            lines.extend(_ruled(shown_rows, frame))
    if unfolded and more:
        body, left = _bounded(rest.strip("\n"), LONGEST_CHARS)
        lines.extend(_ruled(_rows(body, frame, wrapped=True), frame))
        if left:
            lines.extend(_ruled([_note(left)], frame))
    return lines


def _result(message: Message, frame: Frame, *, unfolded: bool) -> list[Line]:
    """Return a tool's output, folded to its first lines, behind a thin rule."""
    failed = bool(message.flags & Flag.FAILED)
    whole = shown(message.text).strip("\n")
    if not whole.strip():
        return _ruled([Line((("no output", "dim"),))], frame, failed=failed)
    if unfolded:
        text, more = _bounded(whole, LONGEST_CHARS)
        rows = _rows(text, frame, wrapped=True)
        if more:
            rows.append(_note(more))
        return _ruled(rows, frame, failed=failed)
    limit = frame.output_lines(failed=failed)
    source, above = _telling(whole, limit, frame, failed=failed)
    if limit == 1:
        return _ruled([_one_line(source[0], whole, frame, failed=failed)], frame, failed=failed)
    rows = _rows("\n".join(source), frame, wrapped=False, diff=is_diff(whole))
    total = whole.count("\n") + 1
    if above:
        rows.insert(0, _note(counted(above, "line") + " above"))
    below = total - above - len(source)
    if below > 0:
        part = sum(len(row) + 1 for row in source)
        rows.append(_note(f"{counted(below, 'more line')} · {_share(part, whole)}"))
    elif any(len(row) > 3 * frame.room for row in source):
        rows.append(_note(f"long lines are cut · {size(_bytes(whole))}"))
    return _ruled(rows, frame, failed=failed)


def _one_line(row: str, whole: str, frame: Frame, *, failed: bool) -> Line:
    """Return an output's one telling line, and how many there are."""
    count = whole.count("\n") + 1
    tail: list[Piece] = [(f"{counted(count, 'line')} ", "dim")] if count > 1 else []
    room = frame.width - frame.lead - 2
    ink = "error" if failed else "muted"
    pieces = markdown.highlighted(_windowed([(clean(row), ink)], room - 12, frame), frame.find)
    return Line(justified(pieces, tail, room))


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


def _telling(whole: str, limit: int, frame: Frame, *, failed: bool) -> tuple[list[str], int]:
    """Return the lines a folded output shows, and how many stand above them.

    Those around the first match of a query; else the last ones of a failure, which say why; else
    the first ones. Only as many characters are looked at as can matter: a 20 MB output costs what
    a short one does.
    """
    head = whole[: limit * _LINE_CHARS].split("\n")[:limit]
    if any(True for row in head for _ in frame.find(row)):
        return head, 0
    if found := _matching(whole, limit, frame):
        return found
    if failed:
        tail = whole[-limit * _LINE_CHARS :].split("\n")[-limit:]
        return tail, whole.count("\n") + 1 - len(tail)
    return head, 0


def _matching(text: str, limit: int, frame: Frame) -> tuple[list[str], int] | None:
    """Return the lines around the first match and how many stand above; None without a match."""
    if frame.find is no_matches:
        return None
    rows = text[:LONGEST_CHARS].split("\n")
    for index, row in enumerate(rows):
        if any(True for _ in frame.find(row)):
            low = max(0, min(index - (limit > 1), len(rows) - limit))
            return rows[low : low + limit], low
    return None


def _share(part: int, whole: str) -> str:
    """Return `4 of 31 KB`."""
    total = size(_bytes(whole))
    number, _, unit = size(min(part, _bytes(whole))).partition(" ")
    return (
        f"{number} of {total}" if unit == total.partition(" ")[2] else f"{number} {unit} of {total}"
    )


def _rows(text: str, frame: Frame, *, wrapped: bool, diff: bool | None = None) -> list[Line]:
    """Return output lines: a diff in its colours, anything else as it is."""
    room = frame.room - 2
    diff = is_diff(text) if diff is None else diff
    out: list[Line] = []
    for row in text.split("\n"):
        line = diff_line(row) if diff else Line(((clean(row), "muted"),))
        if wrapped:
            pieces = markdown.highlighted(line.pieces, frame.find)
            out.extend(Line(tuple(part), line.fill) for part in wrap(pieces, room))
        else:
            pieces = markdown.highlighted(_windowed(line.pieces, room, frame), frame.find)
            out.append(Line(tuple(pieces), line.fill))
    return out


def _windowed(pieces: Iterable[Piece], room: int, frame: Frame) -> list[Piece]:
    """Return a long line cut to `room`, moved so that the first match is inside it."""
    (text, ink), *rest = pieces
    if rest or cell_len(text[: room * 2]) <= room:
        return [(cut(text, room), ink)]
    spans = list(frame.find(text))
    if spans and spans[0][1] > room - 2:
        start = max(0, spans[0][0] - room // 3)
        return [(cut("…" + text[start:], room), ink)]
    return [(cut(text, room), ink)]


def _ruled(rows: list[Line], frame: Frame, *, failed: bool = False) -> list[Line]:
    """Return lines behind the rule that ties output to its call."""
    indent = " " * frame.lead
    rule = ("┃ ", "error") if failed else ("│ ", "rule")
    return [Line(((indent, ""), rule, *row.pieces), row.fill, frame.lead + 2) for row in rows]


def _aside(message: Message, frame: Frame, *, unfolded: bool) -> list[Line]:
    """Return what neither person nor agent said, on one muted line until it is unfolded."""
    text = shown(message.text).strip()
    failed = bool(message.flags & Flag.FAILED)
    ink = "error" if failed else "muted"
    sign = "✗" if failed else " "
    if unfolded:
        body, more = _bounded(text, LONGEST_CHARS)
        width = min(frame.room, PROSE_CELLS)
        rows = [
            Line(tuple(part))
            for row in body.split("\n")
            for part in wrap(markdown.highlighted([(clean(row), ink)], frame.find), width)
        ]
        if more:
            rows.append(_note(more))
        return _hang(gutter(message.kind, message.time_ms, frame, sign="▾"), rows, frame)
    first = next((row for row in text.split("\n") if row.strip()), "(empty)")
    if (found := _matching(text, 1, frame)) is not None:
        first = found[0][0]
    room = frame.width - frame.lead
    total = _bytes(text)
    tail: list[Piece] = [(f"{size(total)} ", "dim")] if total > room or "\n" in text else []
    pieces = markdown.highlighted(_windowed([(clean(first), ink)], room, frame), frame.find)
    return [
        Line(
            (
                *gutter(
                    message.kind, message.time_ms, frame, sign="▸" if tail and not failed else sign
                ),
                *justified(pieces, tail, room),
            )
        )
    ]


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


def _bounded(text: str, limit: int) -> tuple[str, str]:
    """Return a text within `limit` characters, and words for what was left out."""
    if len(text) <= limit:
        return text, ""
    left = size(_bytes(text[limit:]))
    return text[:limit], f"{left} more · y copies the whole message"


def _note(words: str) -> Line:
    return Line(((f"… {words}", "dim"),))


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
