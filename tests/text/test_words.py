"""Whole words, in every script, at the edges of messages and marks."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_tui.text.words import is_word, whole_word


@pytest.mark.parametrize("char", [*"aZ0_éßλ狐あ한ق", "\u0301", "\u093f"])
def test_letters_digits_underscore_and_marks_are_word_characters(char):
    assert is_word(char)


@pytest.mark.parametrize("char", [*" -.:/\\'\"()…—，。👍", "\ufdd0", "\u200d", "�"])
def test_everything_else_is_not(char):
    assert not is_word(char)


@given(st.text("ab_1é狐 -.", max_size=20), st.sampled_from(["ab", "狐", "é", "-a"]))
def test_the_check_agrees_with_a_regular_expression(text, term):
    data, needle = text.encode(), term.encode()
    expected = [m.start() for m in re.finditer(rf"(?<!\w){re.escape(term)}(?!\w)", text)]
    found = [
        len(data[:at].decode())
        for at in range(len(data))
        if data.startswith(needle, at) and whole_word(data, at, at + len(needle))
    ]
    assert found == expected


@pytest.mark.parametrize(
    ("folded", "term", "whole"),
    [
        (b"x\xffcat\xffy", b"cat", True),  # message borders
        (b"\xfecat\xfe", b"cat", True),  # redacted neighbours
        ("é".encode() + b"cat", b"cat", False),
        (b"cat" + "狐".encode(), b"cat", False),
        (b"cat" + "\u0301".encode(), b"cat", False),
        (b"cat", b"cat", True),
        (b"concat", b"cat", False),
        ("，cat。".encode(), b"cat", True),
    ],
)
def test_edges(folded, term, whole):
    at = folded.index(term)
    assert whole_word(folded, at, at + len(term)) is whole
