"""Lines, blocks and tables for a person: styled and fitted on a terminal, plain elsewhere.

Every text that passes here loses what could act on a terminal (X-8) and has its secret marks made
readable. Rich is loaded only for a terminal.
"""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TextIO, TypeAlias

from recall_tui.named import NamedTuple
from recall_tui.text.cells import cell_width
from recall_tui.text.cut import cut_cells
from recall_tui.text.marks import shown
from recall_tui.text.sanitize import sanitize

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

Piece: TypeAlias = "str | tuple[str, str]"
"""A text, or a text with the name of its style."""

STYLES: Final = {
    "": "",
    "title": "bold",
    "muted": "dim",
    "match": "bold underline cyan",
    "accent": "cyan",
    "you": "bold cyan",
    "good": "green",
    "warn": "yellow",
    "bad": "bold red",
    "head": "dim underline",
}
"""One accent, one warning tone, everything else shades: a match is underlined as well, so that it
survives a terminal without colour."""

_HUES: Final = ("yellow", "green", "magenta", "blue", "cyan", "red")
PROSE_CELLS: Final = 100
"""Prose is not set wider than this: longer lines are hard to read."""


def plain(text: str) -> str:
    """Return foreign text fit for any output: secret marks readable, no control sequences."""
    return sanitize(shown(text))


def one_line(text: str) -> str:
    """Return foreign text on one line, white space collapsed."""
    return " ".join(plain(text).split())


def harness_style(harness: str) -> str:
    """Return the style of a harness's mark: always the same hue for the same name."""
    return f"bold {_HUES[sum(harness.encode()) % len(_HUES)]}"


class Column(NamedTuple):
    """A column of a table. The last one takes what is left of the width."""

    head: str
    right: bool = False
    most: int = 0
    """Cells it may take at most of 80 on a terminal, more on a wider one; 0: what it needs."""
    spare: bool = False
    """On a narrow terminal it makes room for the last column, the rightmost one first."""


LAST_CELLS: Final = 24
"""What the last column should have before others are left out for it."""


class Screen:
    """Plain lines to a stream that is no terminal: nothing is cut, wrapped or coloured."""

    terminal = False
    width = 0
    """Cells of a line; 0 means that nothing is cut."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> None:
        """Write text as it is."""
        self.stream.write(text)

    def line(self, *pieces: Piece) -> None:
        """Write pieces as one line; each loses its line breaks, the line is cut to the width."""
        self.write("".join(_flat(piece)[0] for piece in pieces).rstrip() + "\n")

    def uncut(self, *pieces: Piece) -> None:
        """Write pieces as one line that is whole on any terminal: it is there to be copied."""
        self.line(*pieces)

    def block(self, *pieces: Piece, lead: Piece = "", indent: int = 0, lines: int = 0) -> None:
        """Write pieces that keep their line breaks; a terminal wraps them.

        Args:
            pieces: Texts with their styles.
            lead: What stands in the indent of the first line.
            indent: Cells before each line.
            lines: Lines to write at most on a terminal; 0 means all.
        """
        text = plain("".join(_pair(piece)[0] for piece in pieces))
        before = f"{_flat(lead)[0]:{indent}}"
        for line in text.split("\n"):
            self.write(f"{before}{line}".rstrip() + "\n")
            before = " " * indent

    def table(self, columns: Sequence[Column], rows: Iterable[Sequence[Piece]]) -> None:
        """Write a table: aligned and fitted on a terminal, tab-separated under its heads else."""
        self.write("\t".join(column.head.lower() for column in columns) + "\n")
        for row in rows:
            self.write("\t".join(_flat(cell)[0] for cell in row) + "\n")

    def flush(self) -> None:
        """Hand everything on."""
        self.stream.flush()


class TerminalScreen(Screen):
    """Styled lines fitted to a terminal."""

    terminal = True

    def __init__(self, stream: TextIO, console: "Console") -> None:
        super().__init__(stream)
        self._console = console
        self.width = console.width

    def line(self, *pieces: Piece) -> None:
        """Write pieces as one line, cut to the width."""
        self._print(self._assemble(map(_flat, pieces)))

    def uncut(self, *pieces: Piece) -> None:
        """Write pieces as one line; what does not fit goes on in the next."""
        self._print(self._assemble(map(_flat, pieces)), whole=True)

    def block(self, *pieces: Piece, lead: Piece = "", indent: int = 0, lines: int = 0) -> None:
        """Write pieces that keep their line breaks, wrapped to the width."""
        whole = self._assemble((plain(text), style) for text, style in map(_pair, pieces))
        width = max(20, min(self.width - indent, PROSE_CELLS))
        wrapped = list(whole.wrap(self._console, width, tab_size=4))
        kept = wrapped[: lines or None]
        words, style = _flat(lead)
        before = self._assemble([(f"{words:{indent}}", style)])
        for number, line in enumerate(kept):
            if number == len(kept) - 1 and len(kept) < len(wrapped):
                line.truncate(width - 1)
                line.append("…", STYLES["muted"])
            before.append_text(line)
            self._print(before)
            before = self._assemble([(" " * indent, "")])

    def table(self, columns: Sequence[Column], rows: Iterable[Sequence[Piece]]) -> None:
        """Write a table; the last column takes the rest of the width."""
        cells = [[_flat(cell) for cell in row] for row in rows]
        widths = self._widths(columns, cells)
        heads = [(column.head, "muted") for column in columns]
        for row in [heads, *cells]:
            fitted: list[tuple[str, str]] = []
            for at, width in widths.items():
                words, style = row[at]
                kept = cut_cells(words, width)
                gap = " " * (width - cell_width(kept))
                pair = (
                    [(gap, ""), (kept, style)] if columns[at].right else [(kept, style), (gap, "")]
                )
                fitted += [*pair, ("  ", "")]
            self._print(self._assemble(fitted))

    def _widths(
        self, columns: Sequence[Column], rows: Sequence[Sequence[tuple[str, str]]]
    ) -> dict[int, int]:
        """Return the cells of each column there is room for, by its place."""
        widths = {
            at: min(
                max([cell_width(column.head), *(cell_width(row[at][0]) for row in rows)]),
                column.most * max(self.width, 80) // 80 or self.width,
            )
            for at, column in enumerate(columns[:-1])
        }
        for at in reversed([at for at in widths if columns[at].spare]):
            if self._rest(widths) < LAST_CELLS:
                del widths[at]
        return widths | {len(columns) - 1: max(8, self._rest(widths))}

    def _rest(self, widths: dict[int, int]) -> int:
        """Return the cells that some columns leave, each with its gutter."""
        return self.width - sum(width + 2 for width in widths.values())

    def _assemble(self, pieces: Iterable[tuple[str, str]]) -> "Text":
        from rich.text import Text

        text = Text()
        for words, style in pieces:
            text.append(words, STYLES.get(style, style))
        return text

    def _print(self, text: "Text", *, whole: bool = False) -> None:
        """Write one line, cut to the width unless it must stay whole."""
        text.rstrip()
        if not whole:
            text.truncate(self.width, overflow="ellipsis")
        self._console.print(text, soft_wrap=True, highlight=False, markup=False, emoji=False)


def emphasised(text: str, spans: Sequence[tuple[int, int]], style: str = "") -> list[Piece]:
    """Return a text as pieces, its spans (characters, ascending) in the style of a match."""
    pieces: list[Piece] = []
    at = 0
    for start, end in spans:
        pieces += [(text[at:start], style), (text[start:end], "match")]
        at = end
    return [*pieces, (text[at:], style)]


def _pair(piece: Piece) -> tuple[str, str]:
    return (piece, "") if isinstance(piece, str) else piece


def _flat(piece: Piece) -> tuple[str, str]:
    """Return a piece safe and without line breaks; blanks that align it stay."""
    text, style = _pair(piece)
    text = plain(text)
    return (re.sub(r"\s+", " ", text) if "\n" in text or "\t" in text else text), style


def screen_for(stream: TextIO, env: Mapping[str, str] | None = None) -> Screen:
    """Return the screen that fits a stream: styled for a terminal or when FORCE_COLOR is set."""
    environment = os.environ if env is None else env
    styled = environment.get("TERM") != "dumb" and stream.isatty()
    if not styled and not environment.get("FORCE_COLOR"):
        return Screen(stream)
    from rich.console import Console

    class Quiet(Console):
        """A console that leaves a closed pipe to whoever called it."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return TerminalScreen(stream, Quiet(file=stream, highlight=False, legacy_windows=False))
