"""The SIMD search and its stand-in answer alike."""

from __future__ import annotations

import importlib
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_tui.text import find

needles = st.binary(min_size=1, max_size=4)


@pytest.fixture(scope="module")
def plain():
    """The module as it is where stringzilla is not installed."""
    kept = sys.modules.get("stringzilla")
    sys.modules["stringzilla"] = None
    try:
        spec = importlib.util.find_spec("recall_tui.text.find")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        if kept is None:
            del sys.modules["stringzilla"]
        else:
            sys.modules["stringzilla"] = kept
    return module


def test_the_quick_search_is_in_use_and_the_other_is_not_the_same(plain):
    assert find.SIMD
    assert not plain.SIMD


@given(haystack=st.binary(max_size=200), needle=needles, start=st.integers(0, 210))
def test_both_find_the_same_offset(plain, haystack, needle, start):
    expected = haystack.find(needle, start)
    assert find.searchable(haystack).find(needle, start) == expected
    assert plain.searchable(haystack).find(needle, start) == expected


@given(text=st.binary(max_size=100), sought=needles)
def test_both_see_the_same_bytes(plain, text, sought):
    expected = any(byte in sought for byte in text)
    assert find.holds_any(text, sought) is expected
    assert plain.holds_any(text, sought) is expected


def test_ascii_text_is_taken_as_it_is(plain):
    for module in (find, plain):
        assert module.holds_any("a\x00b", b"\x00\x1b")
        assert not module.holds_any("ab\n", b"\x00\x1b")
        assert not module.holds_any("", b"\x00")
