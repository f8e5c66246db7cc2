"""Cutting: within the limit, never through a character, never through a mark."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_tui.text.cells import cell_width
from recall_tui.text.cut import (
    ELLIPSIS,
    cut_bytes,
    cut_cells,
    excerpt,
    excerpt_spans,
    grapheme_start,
)
from recall_tui.text.marks import CLOSE, OPEN

CLUSTERS = [
    "a",
    " ",
    "é",
    "狐",
    "e\u0301",
    "👩‍💻",
    "❤️",
    "🇩🇪",
    "👍🏽",
    "각",
    "𝄞",
    "x\u0323\u0307",
    "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
]
clusters = st.lists(st.sampled_from(CLUSTERS), max_size=20)


@pytest.mark.contract("S0-92")
@given(st.text(max_size=40), st.integers(-2, 120))
def test_bytes_stay_within_the_limit_and_are_whole_characters(text, limit):
    cut, was_cut = cut_bytes(text, limit)
    data = cut.encode("utf-8", "replace")
    assert len(data) <= max(0, limit)
    assert was_cut == (cut != text)
    if was_cut:
        assert cut == "" or cut.endswith(ELLIPSIS)
        assert text.startswith(cut.removesuffix(ELLIPSIS))


@pytest.mark.contract("S0-92")
@pytest.mark.parametrize("limit", [0, 1, 2, 3])
def test_a_budget_of_three_bytes_or_less_is_empty(limit):
    assert cut_bytes("four", limit) == ("", True)
    assert cut_bytes("狐狐", limit) == ("", True)


def test_a_text_that_fits_is_not_cut():
    assert cut_bytes("狐", 3) == ("狐", False)
    assert cut_bytes("", 0) == ("", False)
    assert cut_bytes("abcd", 4) == ("abcd", False)


@given(clusters, st.integers(4, 60))
def test_no_cut_splits_what_a_person_sees_as_one(parts, limit):
    text = "".join(parts)
    kept = cut_bytes(text, limit)[0].removesuffix(ELLIPSIS)
    ends = {0}
    for part in parts:
        ends.add(max(ends) + len(part))
    flags = text.count("🇩🇪") > 1  # a row of flags pairs up from the left, whatever we call one
    assert len(kept) in ends or flags


@given(st.lists(st.sampled_from([*CLUSTERS, "\t"]), max_size=20), st.integers(-1, 30))
def test_cells_stay_within_the_limit(parts, cells):
    text = "".join(parts)
    cut = cut_cells(text, cells)
    assert cell_width(cut) <= max(0, cells)
    if cut != text:
        assert cut == "" or cut.endswith(ELLIPSIS)
        assert text.startswith(cut.removesuffix(ELLIPSIS))


def test_cells_are_used_up():
    assert [cut_cells("日本語", n) for n in range(8)] == [
        "", "…", "…", "日…", "日…", "日本…", "日本語", "日本語",
    ]  # fmt: skip
    assert cut_cells("👩‍💻👩‍💻👩‍💻", 4) == "👩‍💻…"
    assert cut_cells("a\tb", 9) == "a\tb"
    assert cut_cells("a\tb", 8) == "a…"


@given(st.text("ab \n狐é", max_size=60), st.data())
def test_an_excerpt_holds_its_span(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    before, after = data.draw(st.integers(0, 20)), data.draw(st.integers(0, 20))
    cut, low, high = excerpt(text, start, end, before, after)
    assert cut[low:high] == text[start:end]
    assert len(cut) <= (end - start) + before + after + 2
    whole = cut.removeprefix(ELLIPSIS).removesuffix(ELLIPSIS)
    assert whole in text


@given(clusters, st.integers(0, 10), st.integers(0, 10))
def test_an_excerpt_does_not_split_characters(parts, before, after):
    text = "".join(parts) + "NEEDLE" + "".join(reversed(parts))
    start = text.index("NEEDLE")
    cut, low, high = excerpt(text, start, start + 6, before, after)
    assert cut[low:high] == "NEEDLE"
    head = cut.removeprefix(ELLIPSIS)[:1]
    assert not head or unicodedata.category(head)[0] != "M"
    assert not head or head != "\u200d"


def test_an_excerpt_begins_at_a_word_when_one_begins_nearby():
    text = "the quick brown fox jumps over the lazy dog"
    assert excerpt(text, 16, 19, 8, 6) == ("…brown fox jumps…", 7, 10)


def test_the_other_spans_of_an_excerpt_are_remapped_or_left_out():
    cut, inside = excerpt_spans("aa bb cc dd ee", [(3, 5), (6, 8), (12, 14)], 10, 4)
    assert [cut[a:b] for a, b in inside] == ["bb", "cc"]


def test_a_mark_is_never_cut_through():
    mark = f"{OPEN}github-pat:ghp_…x9Zk{CLOSE}"
    text = f"key {mark} tail"
    for at in range(5, 4 + len(mark)):
        assert grapheme_start(text, at) == 4
    for limit in range(8, 40):
        cut = cut_bytes(text, limit)[0]
        assert cut.count(OPEN) == cut.count(CLOSE)


def test_a_tower_of_marks_does_not_eat_the_text():
    tower = "word " + "e" + "\u0301" * 5000
    cut, was_cut = cut_bytes(tower, 1000)
    assert was_cut
    assert len(cut) > 400
