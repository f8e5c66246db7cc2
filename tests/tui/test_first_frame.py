"""The first frame is the app's top bar, takes no key from the person and leaves no trace."""

from __future__ import annotations

import os
import re
import signal
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest
from rich.color import ColorSystem

from recall_tui.tui import first_frame
from tests.terminals import Terminal
from tests.tui.conftest import make
from tests.tui.driving import main_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rich.style import Style

ROWS = 24
_PART = re.compile("\x1b\\[([0-9;]*)([Hm])|([^\x1b])")


class Cell(NamedTuple):
    char: str
    colour: str
    ground: str
    bold: bool


def drawn(frame: str) -> list[Cell]:
    """Return the cells of a frame's first row."""
    cells: list[Cell] = []
    colour = ground = ""
    bold = False
    for codes, final, char in _PART.findall(frame):
        if final == "m":
            rest = re.sub(r"[34]8;(?:2;\d+;\d+;\d+|5;\d+)", "", codes)
            for attribute in filter(None, rest.split(";")):
                bold = attribute == "1"
                if attribute == "0":
                    colour = ground = ""
            for which, value in re.findall(r"([34]8);(2;\d+;\d+;\d+|5;\d+)", codes):
                colour, ground = (value, ground) if which == "38" else (colour, value)
        elif char == "\r":
            return cells
        elif char:
            cells.append(Cell(char, colour if char != " " else "", ground, bold and char != " "))
    return cells


def shown(style: Style, char: str, depth: int) -> Cell:
    """Return the cell the app draws, in a terminal of so many colours."""
    system = ColorSystem.TRUECOLOR if depth > 256 else ColorSystem.EIGHT_BIT

    def code(colour, lead: str) -> str:
        codes = colour.downgrade(system).get_ansi_codes(foreground=lead == "38")
        return ";".join(codes).removeprefix(f"{lead};")

    return Cell(
        char,
        code(style.color, "38") if char != " " else "",
        code(style.bgcolor, "48"),
        bool(style.bold) and char != " ",
    )


@pytest.mark.parametrize(
    ("columns", "depth", "grey"),
    [(120, 1 << 24, False), (120, 256, False), (80, 1 << 24, True), (80, 256, True)],
)
@pytest.mark.parametrize("theme", sorted(first_frame.PALETTES))
async def test_it_is_the_top_bar_of_the_app(
    theme: str, columns: int, depth: int, monkeypatch: pytest.MonkeyPatch, *, grey: bool
) -> None:
    if grey:
        monkeypatch.setenv("NO_COLOR", "1")
    frame = first_frame.frame(first_frame.PALETTES[theme], columns, ROWS, depth, grey=grey)
    app = make(theme=theme)
    async with app.run_test(size=(columns, ROWS)) as pilot:
        await pilot.pause()
        row = app.screen._compositor.render_strips(app.screen.size)[0]
        for line_filter in app.get_line_filters():
            row = row.apply_filter(line_filter, app.screen.background_colors[1])
        main = main_of(pilot)
        bar = sum(main.row(name).size.width for name in ("switches", "status"))
        cells = [shown(part.style, char, depth) for part in row for char in part.text]
    assert drawn(frame)[: columns - bar] == cells[: columns - bar]
    assert len(drawn(frame)) == columns
    assert frame.count("\n") == ROWS - 1


APP = ("-m", "recall_tui", "--demo")
HELD = (
    "-c",
    "import os, time; from recall_tui.tui import first_frame as f\n"
    "f.show(os.environ, 'recall')\n"
    "try: {}\n"
    "finally: f.leave()",
)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[type[Terminal]]:
    made: list[Terminal] = []

    def make(*words: str) -> Terminal:
        home = str(tmp_path)
        env = {
            **os.environ, "RECALL_HOME": home, "HOME": home, "TERM": "xterm-256color",
            "COLORTERM": "truecolor", "RECALL_BACKGROUND": "0",
        }  # fmt: skip
        made.append(Terminal([sys.executable, *words], env))
        return made[-1]

    yield make  # type: ignore[misc]
    for one in made:
        one.close()


def test_keys_typed_before_the_app_is_there_reach_the_box(terminal) -> None:
    one = terminal(*APP)
    assert one.wait_for(first_frame.PROMPT.encode())
    os.write(one.end, b"zqxj")
    assert one.wait_for("Nothing says “zqxj”".encode())
    os.write(one.end, b"\x03")
    assert one.ended() == 0
    assert one.in_order


def test_alt_keys_mean_what_they_are_bound_to_even_in_a_burst(terminal) -> None:
    one = terminal(*APP)
    assert one.wait_for(b"sessions")
    os.write(one.end, b"\x1bp\x1bo\x1bq")
    assert one.wait_for(b"by project") and one.wait_for(b"largest first")
    os.write(one.end, b"zqxj")
    assert one.wait_for("Nothing says “zqxj”".encode()), "no alt key typed its letter"
    os.write(one.end, b"\x03")
    assert one.ended() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_the_terminal_in_order(terminal, number: signal.Signals) -> None:
    one = terminal(*APP)
    assert one.wait_for(b"type to search")
    one.program.send_signal(number)
    assert one.ended() == 128 + number
    assert one.in_order


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_before_the_app_is_there_does_too(terminal, number: signal.Signals) -> None:
    one = terminal(*(word.format("time.sleep(60)") for word in HELD))
    assert one.wait_for(first_frame.PROMPT.encode())
    one.program.send_signal(number)
    assert one.ended() == 128 + number
    assert one.in_order


def test_a_crash_before_the_app_is_there_does_too(terminal) -> None:
    one = terminal(*(word.format("1 / 0") for word in HELD))
    assert one.ended() == 1
    assert one.in_order
    assert one.output.find(b"ZeroDivisionError") > one.output.find(b"[?1049l")


@pytest.mark.parametrize(
    ("env", "theme"),
    [
        ({"TERM": "xterm-256color"}, "ansi-dark"),
        ({"TERM": "linux"}, "recall"),
        ({"TERM": "xterm-256color", "TEXTUAL_DRIVER": "x:y"}, "recall"),
        ({"TERM": "xterm-256color"}, "recall"),
    ],
)
def test_it_is_not_shown_where_it_could_be_wrong(
    env: dict[str, str], theme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    monkeypatch.setattr(first_frame, "_write", written.append)
    # Not a terminal, too: the last case.
    first_frame.show(env, theme)
    first_frame.leave()
    assert not written
