"""A row's columns hold in a terminal that counts characters otherwise than Textual does."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from recall_tui.tui.columns import pinned
from recall_tui.tui.lines import wrap
from tests.tui.driving import main_of, rested
from tests.tui.fake import NOW, FakeHistory, Talk

if TYPE_CHECKING:
    from collections.abc import Callable

    from recall_tui.tui.app import RecallApp

DISPUTED = "⚠️ ❤️ 1️⃣ 👍🏽 👨‍👩‍👧 🇩🇪 🫱🏻‍🫲🏿 क्षि กำ \u3164 \ufdd0 \U0001fae8 ©️ a\u200db"
_PART = re.compile("\x1b\\[(\\d+);(\\d+)H|\x1b\\[(\\d+)G|\x1b\\[[0-9;:]*m|(.)", re.DOTALL)


def old_width(char: str) -> int:
    """Return the cells of a character as a C library counts them: each one alone."""
    if unicodedata.category(char) in {"Mn", "Me", "Cf"} or char in "\ufdd0\U0001fae8":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" or char == "\u3164" else 1


def written(frame: str) -> dict[tuple[int, int], str]:
    """Return what stands where in such a terminal, from row and column 1."""
    cells: dict[tuple[int, int], str] = {}
    row = column = 1
    for down, across, to, char in _PART.findall(frame):
        if down:
            row, column = int(down), int(across)
        elif to:
            column = int(to)
        elif char == "\n":
            row, column = row + 1, 1
        elif char and (width := old_width(char)):
            cells[row, column] = char
            column += width
    return cells


@pytest.mark.parametrize("text", [*DISPUTED.split(), DISPUTED])
def test_what_follows_stands_where_it_was_laid_out(text: str) -> None:
    row = f"\x1b[3;5H\x1b[1mab{text}\x1b[0m│ x"
    column = 5 + 2 + cell_len(text)
    assert written(pinned(row))[3, column] == "│"
    assert written(pinned(row))[3, column + 2] == "x"


def test_without_it_the_border_moves() -> None:
    assert written("\x1b[3;5Hab⚠️│")[3, 8] == "│", "the terminal of this test does disagree"


@given(st.text(st.sampled_from("a 上\u0301⚠️❤1⃣👍🏽‍👩🇩क्षि\u3164│é"), max_size=20))
def test_whatever_is_mixed(text: str) -> None:
    assert written(pinned(f"\x1b[1;1H{text}\x1b[2m|"))[1, 1 + cell_len(text)] == "|"


@pytest.mark.parametrize(
    "frame",
    ["\x1b[1;1Hplain", "\x1b[1;1H上下文 é │ ▀", "\x1b]52;c;8J+Yig==\x07", "👍 before a move"],
)
def test_the_rest_is_written_as_it_is(frame: str) -> None:
    assert pinned(frame) == frame


def test_letters_that_join_stay_whole_while_there_is_room() -> None:
    title = "हिन्दी में शीर्षक"
    assert title in pinned(f"\x1b[1;1H{title}{' ' * 12}│")
    held = written(pinned(f"\x1b[1;1H{title}│"))
    assert held[1, 1 + cell_len(title)] == "│", "without room its end is cut"


def test_rows_of_such_letters_are_wrapped_for_the_wider_terminal() -> None:
    rows = wrap([("हिन्दी में शीर्षक " * 20, "")], 40)
    for row in rows:
        assert sum(old_width(char) for text, _ in row for char in text) <= 40


async def test_the_panes_keep_their_border(make_app: Callable[..., RecallApp]) -> None:
    talk = Talk("pi", DISPUTED, "p", NOW, branch=DISPUTED).you(DISPUTED).agent(DISPUTED)
    app = make_app(FakeHistory([talk], []))
    async with app.run_test(size=(120, 40)) as pilot:
        await rested(pilot)
        screen = app.screen
        frame = screen._compositor.render_full_update().render_segments(app.console)
        border = main_of(pilot).pane.region.x + 1
        cells = written(pinned(frame))
        for row in range(5, 30):
            assert cells[row, border] == "│", row
