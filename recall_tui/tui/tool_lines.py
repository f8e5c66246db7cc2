"""A tool call as one line, and its output behind a thin rule: folded, or whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from recall_tui.model import Flag
from recall_tui.named import NamedTuple
from recall_tui.text.redact import shown
from recall_tui.tui import markdown
from recall_tui.tui.code import diff_line, is_diff, language_of
from recall_tui.tui.edits import edit
from recall_tui.tui.excerpts import (
    bounded,
    bytes_of,
    matching,
    note,
    share,
    telling,
    windowed,
)
from recall_tui.tui.frame import WIDE, gutter
from recall_tui.tui.lines import Line, clean, cut, justified, wrap
from recall_tui.tui.notation import counted, duration, size

if TYPE_CHECKING:
    from recall_tui.model import Message
    from recall_tui.tui.edits import Edit
    from recall_tui.tui.frame import Frame
    from recall_tui.tui.lines import Piece
    from recall_tui.tui.pairs import Outcome

_SERVED: Final = "mcp__"
"""So begins the name of a tool that an MCP server offers: `mcp__server__tool`."""

_COLOURED_CHARS: Final = 20_000
"""What is longer stays plain, for the sake of time."""

_PLAIN: Final = 40
"""Cells of a call's argument where its output names it."""


class Called(NamedTuple):
    """How a tool is named."""

    name: str
    server: str = ""
    """Who offers it, when the program itself does not."""


def called(tool: str) -> Called:
    """Return the name of a tool apart from that of the MCP server behind it."""
    server, _, name = tool.removeprefix(_SERVED).partition("__")
    return Called(name, server) if tool.startswith(_SERVED) and name else Called(tool)


def call(message: Message, frame: Frame, outcome: Outcome | None, *, unfolded: bool) -> list[Line]:
    """Return a tool call: glyph, name, its telling argument, outcome, duration."""
    text = shown(message.text).strip("\n")
    head, _, rest = text.partition("\n")
    name, server = called(message.tool)
    tail = _ending(message, outcome)
    changed = edit(message)
    if changed is not None:
        tail[:0] = _counts(changed)
    if server and frame.width >= WIDE:
        tail.insert(0, (f"{cut(clean(server), frame.room // 4)} ", "dim"))
    argument = markdown.highlighted([(clean(head), "strong")], frame.find)
    first = gutter(message.kind, message.time_ms, frame, name, "▸")
    room = frame.width - sum(cell_len(piece) for piece, _ in first)
    fits = cell_len(clean(head)) < room - sum(cell_len(piece) for piece, _ in tail)
    hidden = bool(rest.strip()) or not fits
    if unfolded and hidden:
        first[0] = ("▾ ", first[0][1])
    lines = [Line((*first, *justified(argument, [*tail, (" ", "")], room)))]
    if not unfolded and rest.strip() and not any(True for _ in frame.find(head)):
        # A hit beyond the telling argument: the words it was found by have to show.
        rows, _ = matching(rest, 2, frame) or ([], 0)
        if rows:
            shown_rows = _rows("\n".join(rows), frame, wrapped=False, diff=is_diff(rest))
            lines.extend(_ruled(shown_rows, frame))
    if unfolded and hidden:
        whole = [] if fits else _rows(head, frame, wrapped=True, diff=False)
        if changed is not None:
            told = _whole("\n".join(changed.rows), frame, diff=True)
        else:
            told = _arguments(head, rest, frame)
        lines.extend(_ruled([*whole, *told], frame))
    return lines


def _counts(changed: Edit) -> list[Piece]:
    """Return how many lines an edit put in and took out."""
    numbers = ((changed.put_in, "+", "success"), (changed.taken_out, "−", "error"))
    return [(f"{sign}{number} ", ink) for number, sign, ink in numbers if number]


def _arguments(head: str, rest: str, frame: Frame) -> list[Line]:
    """Return what a call asked for beyond its telling argument: as code where that is a file."""
    if not rest.strip():
        return []
    text = rest.strip("\n")
    language = language_of(head.strip()) if len(text) <= _COLOURED_CHARS else ""
    if language and not is_diff(text):
        return markdown.block(text, language, frame.room - 2, frame.find)
    return _whole(text, frame)


def _ending(message: Message, outcome: Outcome | None) -> list[Piece]:
    """Return how a call ended and how long it took; nothing of one that may be running."""
    if outcome is None:
        return []
    if outcome.missing:
        return [("no result", "muted")]
    ending: list[Piece] = [("✗ failed", "error") if outcome.failed else ("✓", "success")]
    if took := duration(message.duration_ms or outcome.duration_ms):
        ending.append((f" {took}", "muted"))
    return ending


def result(
    message: Message, frame: Frame, made_by: Message | None = None, *, unfolded: bool
) -> list[Line]:
    """Return a tool's output, folded to its first lines, behind a thin rule.

    Args:
        message: The output.
        frame: Width and highlights.
        made_by: The call it is of, when something stands between the two.
        unfolded: Show all of it.
    """
    failed = bool(message.flags & Flag.FAILED)
    whole = shown(message.text).strip("\n")
    origin = _origin(made_by) if made_by is not None else ""
    if not whole.strip():
        # A picture below is what came out.
        rows = [] if message.materials else [Line((("no output", "dim"),))]
        return _ruled([*_named(origin, frame), *rows], frame, failed=failed)
    if unfolded:
        return _ruled([*_named(origin, frame), *_whole(whole, frame)], frame, failed=failed)
    limit = frame.output_lines(failed=failed)
    source, above = telling(whole, limit, frame, failed=failed)
    if limit == 1:
        row = _one_line(source[0], whole, origin, frame, failed=failed)
        return _ruled([row], frame, failed=failed)
    total = whole.count("\n") + 1
    if not above and total == len(source) + 1:
        # One line more is shown rather than announced: it takes the same room.
        source = [*source, whole.rpartition("\n")[2]]
    rows = _rows("\n".join(source), frame, wrapped=False, diff=is_diff(whole))
    if above:
        rows.insert(0, note(counted(above, "line") + " above"))
    below = total - above - len(source)
    if below > 0:
        part = sum(len(row) + 1 for row in source)
        rows.append(note(f"{counted(below, 'more line')} · {share(part, whole)}"))
    elif any(len(row) > 3 * frame.room for row in source):
        rows.append(note(f"long lines are cut · {size(bytes_of(whole))}"))
    return _ruled([*_named(origin, frame), *rows], frame, failed=failed)


def _origin(made_by: Message) -> str:
    """Return what a call is known by, for an output that stands apart from it."""
    head = shown(made_by.text).strip("\n").partition("\n")[0]
    return clean(head).strip() or clean(called(made_by.tool).name)


def _named(origin: str, frame: Frame) -> list[Line]:
    """Return the row above an output that says which call it is of."""
    return [Line((("↑ ", "accent"), (cut(origin, frame.room - 4), "dim")))] if origin else []


def _one_line(row: str, whole: str, origin: str, frame: Frame, *, failed: bool) -> Line:
    """Return an output's one telling line, and how many there are."""
    count = whole.count("\n") + 1
    tail: list[Piece] = [(f"{counted(count, 'line')} ", "dim")] if count > 1 else []
    room = frame.width - frame.lead - 2
    ink = "error" if failed else "muted"
    lead: list[Piece] = [(f"↑ {cut(origin, min(_PLAIN, room // 3))}  ", "dim")] if origin else []
    left = room - 12 - sum(cell_len(text) for text, _ in lead)
    pieces = markdown.highlighted(windowed([(clean(row), ink)], left, frame), frame.find)
    return Line(justified([*lead, *pieces], tail, room))


def _whole(text: str, frame: Frame, *, diff: bool | None = None) -> list[Line]:
    """Return all lines of an unfolded text, as far as a message is laid out."""
    part, left = bounded(text)
    rows = _rows(part, frame, wrapped=True, diff=diff)
    return [*rows, note(left)] if left else rows


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
            pieces = markdown.highlighted(windowed(line.pieces, room, frame), frame.find)
            out.append(Line(tuple(pieces), line.fill))
    return out


def _ruled(rows: list[Line], frame: Frame, *, failed: bool = False) -> list[Line]:
    """Return lines behind the rule that ties output to its call."""
    indent = " " * frame.lead
    rule = ("┃ ", "error") if failed else ("│ ", "rule")
    return [Line(((indent, ""), rule, *row.pieces), row.fill, frame.lead + 2) for row in rows]
