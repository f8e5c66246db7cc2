"""Lines: cleaned, cut and wrapped by cells, whatever the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from recall_tui.tui.heights import Heights
from recall_tui.tui.lines import breaks, clean, cut, justified, pad, styled, wrap
from recall_tui.tui.widgets.row import Part, Row

ANY = st.text(max_size=200)
HOSTILE = (
    "\x1b]0;owned\x07\x1b[31mred\x1b[0m [/bold] [@click=app.quit]x[/] "
    "\u202egnp.exe \x00\x9b2J\ud800"
)


@given(ANY)
def test_nothing_that_acts_on_a_terminal_is_left_in_a_row(text: str) -> None:
    cleaned = clean(text)
    assert "\n" not in cleaned and "\t" not in cleaned
    assert not any(ord(c) < 32 or 0x7F <= ord(c) <= 0x9F or c in "\u202e\u2066" for c in cleaned)


def test_escape_sequences_go_as_a_whole_and_markup_stays_text() -> None:
    assert clean(HOSTILE) == "red [/bold] [@click=app.quit]x[/] gnp.exe �"


@given(ANY, st.integers(0, 40))
def test_a_cut_text_fits(text: str, cells: int) -> None:
    assert cell_len(cut(clean(text), cells)) <= cells
    assert cell_len(pad(clean(text), cells)) == cells


@given(ANY, st.integers(1, 40))
def test_wrapping_loses_only_spaces(text: str, width: int) -> None:
    text = clean(text)
    rows = wrap([(text, "")], width)
    joined = "".join(piece for row in rows for piece, _ in row)
    assert joined.replace(" ", "") == text.replace(" ", "")
    assert all(0 < at < len(text) for at in breaks(text, width))


@given(st.text(alphabet="ab 上下文,.", max_size=120), st.integers(2, 30))
def test_wrapped_rows_fit(text: str, width: int) -> None:
    for row in wrap([(text, "")], width):
        assert sum(cell_len(piece) for piece, _ in row) <= width


def test_words_stay_whole_and_wide_scripts_break_anywhere() -> None:
    assert [r[0][0] for r in wrap([("one two three", "")], 8)] == ["one two", "three"]
    assert [r[0][0] for r in wrap([("上下文窗口", "")], 4)] == ["上下", "文窗", "口"]


def test_a_family_of_emoji_is_never_split() -> None:
    rows = wrap([("👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧", "")], 4)
    assert [row[0][0] for row in rows] == ["👨‍👩‍👧👨‍👩‍👧", "👨‍👩‍👧"]


def test_later_spans_win() -> None:
    assert styled("abcdef", [(0, 4, "x"), (2, 3, "match")]) == [
        ("ab", "x"), ("c", "match"), ("d", "x"), ("ef", ""),
    ]  # fmt: skip


@given(ANY, st.integers(10, 60))
def test_what_is_flush_right_ends_at_the_edge(text: str, width: int) -> None:
    row = justified([(clean(text), "")], [("12d", "muted")], width)
    assert sum(cell_len(t) for t, _ in row) == width
    assert row[-1] == ("12d", "muted")


@given(st.lists(st.integers(0, 9), min_size=1, max_size=80), st.data())
def test_heights_agree_with_plain_sums(heights: list[int], data: st.DataObject) -> None:
    tree = Heights(heights)
    for _ in range(5):
        index = data.draw(st.integers(0, len(heights) - 1))
        heights[index] = tree[index] = data.draw(st.integers(0, 9))
    assert tree.total == sum(heights)
    assert [tree.top(i) for i in range(len(heights) + 1)] == [
        sum(heights[:i]) for i in range(len(heights) + 1)
    ]
    lines = [(i, part) for i, height in enumerate(heights) for part in range(height)]
    assert [tree.at(line) for line in range(tree.total)] == lines


def test_a_row_leaves_out_a_key_whose_words_have_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    from textual.geometry import Size

    row = Row()
    keys = [Part("a ", "strong", "one"), Part("open   ", "muted", "one"),
            Part("b ", "strong", "two"), Part("close   ", "muted", "two")]  # fmt: skip
    monkeypatch.setattr(Row, "refresh", lambda *_: None)
    row.show(keys)
    seen = {}
    for width in range(1, 20):
        monkeypatch.setattr(Row, "size", Size(width, 1))
        seen[width] = "".join(part.text for part in row._parts()).rstrip()
    assert seen[17] == seen[19] == "a open   b close"
    assert seen[16] == seen[7] == "a open", "a cell at the edge stays free"
    assert "…" not in "".join(seen[width] for width in range(7, 20))
    row.show([*keys[:2], Part("b", "strong", "two"), Part(" c", "", "two")])
    monkeypatch.setattr(Row, "size", Size(10, 1))
    assert "".join(part.text for part in row._parts()).rstrip() == "a open", "nor half a key"
    row.show([Part("a long warning", "warning", "gaps")])
    monkeypatch.setattr(Row, "size", Size(9, 1))
    assert row._parts()[0].text == "a long …", "what is no key is cut"


def test_a_long_path_breaks_between_its_names() -> None:
    path = "/home/mira/src/tidewatch/src/tidewatch/forecast.py"
    rows = ["".join(text for text, _ in row) for row in wrap([(path, "")], 30)]
    assert rows == ["/home/mira/src/tidewatch/src/", "tidewatch/forecast.py"]
    assert breaks("x" * 50, 20) == [20, 40], "without a seam it is filled"
