"""The Markdown agents write, as styled lines: forgiving, line by line, never more than one pass.

Not a CommonMark parser on purpose: a transcript is read as it was typed. Line breaks stay (of
empty lines one), a table stays a table, and broken Markdown is still text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from recall_tui.tui.code import coloured, is_diff, signed
from recall_tui.tui.lines import BLANK, Line, clean, cut, no_matches, styled, wrap

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recall_tui.tui.lines import Finder, Piece, Span


_FENCE: Final = re.compile(r"^(\s*)(`{3,}|~{3,})\s*([\w+#.-]*)")
_HEADING: Final = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$")
_ITEM: Final = re.compile(r"^(\s*)([-*+]|\d{1,3}[.)])\s+(\[[ xX]\]\s+)?(.*)$")
_QUOTE: Final = re.compile(r"^\s*>\s?(.*)$")
_RULE: Final = re.compile(r"^\s*([-*_])(?:\s*\1){2,}\s*$")
_TABLE_RULE: Final = re.compile(r"^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
_INLINE: Final = re.compile(
    r"(?P<code>(?P<tick>`{1,2})(?P<inner>[^`\n]+?)(?P=tick))"
    r"|(?P<strong>\*\*(?=\S)(?P<bold>.+?)(?<=\S)\*\*)"
    r"|(?P<em>(?<![\w*])\*(?=[^\s*])(?P<slant>[^*\n]+?)(?<=\S)\*(?![\w*]))"
    r"|(?P<link>\[(?P<label>[^\]\n]{1,300})\]\((?P<target>[^)\s]{1,500})\))"
)
_LONGEST_INLINE: Final = 4000
"""Characters of one line that are searched for emphasis; longer lines are data, not prose."""


def lines_of(text: str, width: int, find: Finder = no_matches) -> list[Line]:
    """Return Markdown as lines at most `width` cells wide.

    Args:
        text: The message, possibly cut.
        width: Cells of a row, at least 1.
        find: Returns the spans to highlight in a line of shown text.
    """
    out: list[Line] = []
    rows = text.split("\n")
    at = 0
    while at < len(rows):
        row = rows[at]
        if fence := _FENCE.match(row):
            at = _code(rows, at, fence, width, find, out)
        elif "|" in row and at + 1 < len(rows) and _is_table(rows[at + 1]):
            at = _table(rows, at, width, find, out)
        else:
            if row.strip() or (out and out[-1] is not BLANK):
                out.extend(_prose(row, width, find))
            at += 1
    return out


def inline(text: str, find: Finder = no_matches, base: str = "") -> list[Piece]:
    """Return one line of prose as pieces, emphasis and inline code as inks."""
    text = clean(text)
    spans: list[Span] = []
    if len(text) <= _LONGEST_INLINE and any(sign in text for sign in "`*["):
        text, spans = _emphasis(text)
    spans.extend((low, high, "match") for low, high in find(text))
    return styled(text, spans, base)


def _emphasis(text: str) -> tuple[str, list[Span]]:
    """Take the signs of emphasis out of a line; return what is left and its spans."""
    kept: list[str] = []
    spans: list[Span] = []
    length = at = 0

    def add(part: str, ink: str = "") -> None:
        nonlocal length
        if ink:
            spans.append((length, length + len(part), ink))
        kept.append(part)
        length += len(part)

    for match in _INLINE.finditer(text):
        add(text[at : match.start()])
        if match["code"]:
            add(match["inner"], "code")
        elif match["strong"]:
            add(match["bold"].replace("`", ""), "strong")
        elif match["em"]:
            add(match["slant"], "emphasis")
        else:
            add(match["label"].replace("`", ""), "link")
            if match["target"] != match["label"]:
                add(f" ({match['target']})", "muted")
        at = match.end()
    add(text[at:])
    return "".join(kept), spans


def _prose(row: str, width: int, find: Finder) -> list[Line]:
    """Return one source line that is not part of a block."""
    if not row.strip():
        return [BLANK]
    if heading := _HEADING.match(row):
        return _hung("", inline(heading[2], find, "heading"), width)
    if _RULE.match(row):
        return [Line((("─" * min(width, 24), "rule"),))]
    if quote := _QUOTE.match(row):
        return _hung("▏ ", inline(quote[1], find, "quote"), width, "rule", repeat=True)
    if item := _ITEM.match(row):
        indent = " " * min(12, len(item[1].expandtabs(4)))
        sign = item[2] if item[2][0].isdigit() else "•"
        if item[3]:
            sign = "☑" if "x" in item[3].lower() else "☐"
        return _hung(f"{indent}{sign} ", inline(item[4], find), width, "muted")
    lead = row[: len(row) - len(row.lstrip(" \t"))].expandtabs(4)
    return _hung(lead[: width // 3], inline(row.lstrip(" \t"), find), width)


def _hung(
    lead: str, pieces: list[Piece], width: int, ink: str = "", *, repeat: bool = False
) -> list[Line]:
    """Return pieces wrapped behind a lead; later rows hang below the text."""
    cells = cell_len(lead)
    if cells >= width - 4:
        lead, cells = "", 0
    later = lead if repeat else " " * cells
    rows = wrap(pieces, width - cells)
    return [
        Line((((later if index else lead), ink), *row) if lead else tuple(row))
        for index, row in enumerate(rows)
    ]


def _code(
    rows: list[str], at: int, fence: re.Match[str], width: int, find: Finder, out: list[Line]
) -> int:
    """Append a fenced block; return the index of the row after it."""
    sign = fence[2]
    end = at + 1
    while end < len(rows) and not (
        rows[end].strip().startswith(sign) and not rows[end].strip().strip(sign[0])
    ):
        end += 1
    indent = len(fence[1])
    body = [row[min(indent, len(row) - len(row.lstrip(" "))) :] for row in rows[at + 1 : end]]
    source = "\n".join(body)
    out.extend(block(source, fence[3], width, find))
    return end + 1


def block(source: str, language: str, width: int, find: Finder = no_matches) -> list[Line]:
    """Return a block of code as lines on their own ground, long ones wrapped."""
    if language in {"diff", "patch"} or (not language and is_diff(source)):
        return [
            Line(tuple(piece), line.fill)
            for line in signed(source.split("\n"))
            for piece in wrap(highlighted(line.pieces, find), width)
        ]
    return [
        Line(((" ", "code-block"), *row), "code-block")
        for pieces in coloured(source, language)
        for row in wrap(highlighted(pieces, find), max(1, width - 2))
    ]


def highlighted(pieces: Iterable[Piece], find: Finder) -> list[Piece]:
    """Return pieces with what a query matches in the `match` ink."""
    pieces = list(pieces)
    found = list(find("".join(text for text, _ in pieces)))
    if not found:
        return pieces
    spans: list[Span] = []
    at = 0
    for text, ink in pieces:
        spans.append((at, at + len(text), ink))
        at += len(text)
    spans.extend((low, high, "match") for low, high in found)
    return styled("".join(text for text, _ in pieces), spans)


def _is_table(row: str) -> bool:
    return "-" in row and "|" in row and _TABLE_RULE.match(row) is not None


def _table(rows: list[str], at: int, width: int, find: Finder, out: list[Line]) -> int:
    """Append a table, its columns aligned and cut to fit; return the index after it."""
    end = at + 2
    while end < len(rows) and "|" in rows[end] and rows[end].strip():
        end += 1
    cells = [_cells(rows[at]), *(_cells(row) for row in rows[at + 2 : end])]
    count = max(len(row) for row in cells)
    grid = [[inline(cell, find) for cell in row + [""] * (count - len(row))] for row in cells]
    widths = _column_widths(grid, count, width)
    for index, row in enumerate(grid):
        pieces: list[Piece] = []
        for column, cell in enumerate(row):
            if column:
                pieces.append((" │ ", "rule"))
            pieces.extend(_cell(cell, widths[column], "strong" if index == 0 else ""))
        out.append(Line(tuple(pieces)))
        if index == 0:
            bar = "─┼─".join("─" * size for size in widths)
            out.append(Line(((bar, "rule"),)))
    return end


def _cells(row: str) -> list[str]:
    inner = row.strip().removeprefix("|").removesuffix("|")
    return [cell.strip().replace("\0", "|") for cell in inner.replace("\\|", "\0").split("|")]


def _column_widths(grid: list[list[list[Piece]]], count: int, width: int) -> list[int]:
    """Return the cells of each column; the widest are narrowed until all fit."""
    widths = [
        max(1, *(sum(cell_len(text) for text, _ in row[column]) for row in grid))
        for column in range(count)
    ]
    room = max(count * 3, width - 3 * (count - 1))
    while sum(widths) > room:
        widest = max(widths)
        second = max((w for w in widths if w < widest), default=1)
        columns = [i for i, w in enumerate(widths) if w == widest]
        surplus = sum(widths) - room
        step = max(1, min(widest - second, -(-surplus // len(columns))))
        for column in columns:
            widths[column] = max(3, widest - step)
        if widest <= 3:
            break
    return widths


def _cell(pieces: list[Piece], cells: int, base: str) -> list[Piece]:
    """Return the pieces of a table cell, cut or padded to its column."""
    out: list[Piece] = []
    room = cells
    for text, ink in pieces:
        shown = cut(text, room)
        out.append((shown, ink or base))
        room -= cell_len(shown)
        if shown != text:
            break
    if room:
        out.append((" " * room, ""))
    return out
