"""The SIMD search means what the search of `bytes` does."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recall_tui.text.find import characters, holds_any, lower, searchable
from recall_tui.text.fold import fold_bytes
from recall_tui.text.marks import CLOSE, OPEN

needles = st.binary(min_size=1, max_size=4)


@given(
    haystack=st.binary(max_size=200),
    needle=needles,
    start=st.integers(0, 210),
    end=st.integers(0, 210),
)
def test_the_same_places_are_found(haystack, needle, start, end):
    view = searchable(haystack)
    assert view.find(needle, start) == haystack.find(needle, start)
    assert view.find(needle, start, end) == haystack.find(needle, start, end)
    assert view.count(needle, start, end) == haystack.count(needle, start, end)


@given(text=st.binary(max_size=100), sought=needles)
def test_the_same_bytes_are_seen(text, sought):
    assert holds_any(text, sought) is any(byte in sought for byte in text)


@given(st.binary(max_size=200))
def test_the_same_letters_are_lowered(data):
    assert lower(data) == data.lower()


def test_ascii_text_is_taken_as_it_is():
    assert holds_any("a\x00b", b"\x00\x1b")
    assert not holds_any("ab\n", b"\x00\x1b")
    assert not holds_any("", b"\x00")


@given(st.text(max_size=60))
def test_characters_are_counted_with_each_mark_as_one(text):
    folded = fold_bytes(f"{text}{OPEN}jwt:x{CLOSE}")
    assert characters(folded) == len(folded.decode("utf-8", "replace"))
