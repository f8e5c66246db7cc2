"""Cells: what a terminal, Rich and we agree on."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from recall_tui.text.cells import _PLAIN, cell_width, chars_within


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("", 0), ("abc", 3), ("日本", 4), ("ｱ", 1), ("한글", 4), ("é", 1), ("e\u0301", 1),
        ("👩\u200d💻", 2), ("👩\u200d👩\u200d👧", 2), ("❤", 1), ("❤\ufe0f", 2), ("🇩🇪", 2),
        ("👍🏽", 2),        ("1\ufe0f\u20e3", 2), ("…", 1), ("ก็", 1), ("a\u200bb", 2),
        ("\t", 8), ("a\tb", 9), ("日本語日\tx", 17), ("1234567\tx", 9),
    ],
)  # fmt: skip
def test_known_widths(text, cells):
    assert cell_width(text) == cells


@given(st.text(st.characters(exclude_categories=("Cc", "Cs")), max_size=40))
def test_we_agree_with_what_is_drawn(text):
    assert cell_width(text) == cell_len(text)


@given(st.text("ab日é\u0301👍🏽\u200d💻❤\ufe0f\t", max_size=30), st.integers(-2, 40))
def test_what_fits_is_the_longest_that_does(text, cells):
    count = chars_within(text, cells)
    assert 0 <= count <= len(text)
    assert cell_width(text[:count]) <= max(0, cells)


def test_marks_stay_with_their_letter():
    assert chars_within("e\u0301x", 1) == 2
    assert chars_within("👩‍💻x", 2) == 3
    assert chars_within("❤️x", 1) == 0
    assert chars_within("❤️x", 2) == 2


def test_a_tab_is_joined_to_nothing():
    assert chars_within("ab日👍👍\u200d\t", 14) == 6


def test_what_is_called_plain_takes_as_many_cells_as_is_said():
    for low, high, cells in _PLAIN:
        for code in range(ord(low), ord(high) + 1):
            assert cell_len(chr(code)) == cells, hex(code)


@given(st.text(st.sampled_from([*"ab—→é漢한。\u0301\ufe0f\u200d👍"]), max_size=12))
def test_plain_beside_others_is_drawn_as_we_say(text):
    assert cell_width(text) == cell_len(text)


def test_plain_text_costs_no_import_of_rich():
    program = (
        "import sys; from recall_tui.text.cut import cut_cells; cut_cells('plain — text 漢字', 5);"
        "print('rich' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
