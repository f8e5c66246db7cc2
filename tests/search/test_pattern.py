"""Regular expressions: safe to compile, and the literals they are narrowed by."""

from __future__ import annotations

import sys
import unicodedata

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_tui.errors import QueryError
from recall_tui.search.pattern import compile_pattern, letters, required
from recall_tui.search.plain import as_needle, nfc, solid
from recall_tui.text.fold import fold


@pytest.mark.parametrize(
    ("pattern", "needs"),
    [
        (r"def \w+_timeout\(", {b"_timeout("}),
        (r"error: .{0,40}not found", {b"not found"}),
        (r"[Ee]rror", {b"error"}),
        (r"[Ef]rror", {b"rror"}),
        (r"(?:foo)bar", {b"foobar"}),
        (r"(foo|barbaz)", {b"foo", b"barbaz"}),
        (r"xyzzy(foo|bar)", {b"xyzz"}),  # y may compose with what follows
        (r"(foo)?", set()),
        (r"(foo)*bar", {b"bar"}),
        (r"(abcd)+e", {b"abcd"}),
        (r"a|", set()),
        (r"[a-z]+\d", set()),
        (r"(?=lookahead)\w", set()),
        (r"(?!absent)present", {b"presen"}),
        (r"(?x) ver bose", {b"verbose"}),
        ("窗口", {"窗口".encode()}),
        ("Straße", {b"strasse"}),
        (r"\.py\b", {b".p"}),
    ],
)
def test_a_pattern_is_narrowed_by_what_it_cannot_do_without(pattern, needs):
    assert set(required(pattern, ignore_case=False)) == needs


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?:foobar){e<=1}",  # fuzzy: a literal brace to re
        r"(?:foobar){i<=2,s<=1}",
        r"[[:alpha:]]x",  # POSIX: a set and a literal to re
        r"[[a-z]--[aeiou]]y",
        r"\p{Lu}word",
        r"(?<name>foo)",
        r"foo(?|a|b)",
        r"\Rfoo",
    ],
)
def test_what_the_two_engines_read_differently_narrows_nothing(pattern):
    assert required(pattern, ignore_case=False) == ()
    compile_pattern(pattern, ignore_case=False, word=False)


def test_ignoring_case_cuts_at_the_letter_whose_dot_regex_ignores():
    assert regex.search("(?i)connection", "connectİon")
    assert required("connection", ignore_case=True) == (b"connec",)
    assert required("(?i)connection", ignore_case=False) == (b"connec",)
    assert required("connection", ignore_case=False) == (b"connection",)
    assert required("iİıI", ignore_case=True) == ()


def test_no_other_letter_is_compared_across_folds():
    """The superset property of narrowing rests on this fact about `regex`."""
    cased = [
        chr(c)
        for c in range(sys.maxunicode + 1)
        if not 0xD800 <= c < 0xE000 and len({chr(c).casefold(), chr(c).lower(), chr(c).upper()}) > 1
    ]
    everything = "".join(cased)
    for char in cased:
        if char in "iIİı":
            continue
        found = regex.findall(regex.escape(char), everything, regex.IGNORECASE)
        assert {one.casefold() for one in found} == {char.casefold()}


@pytest.mark.contract("S0-44", "S0-46")
@settings(max_examples=4 * settings.default.max_examples)
@given(
    st.text("aeihjtwyHJTWYßẞİıſΑΐσς\u0301\u030c\u0323\u0331\u0345한ᄒ", min_size=1, max_size=6),
    st.text("jt\u030c\u0301\u0323\u0345ι ", max_size=3),
    st.text("jt\u030c\u0301\u0323\u0345ι ", max_size=3),
    st.booleans(),
)
def test_the_fold_of_a_text_holds_what_its_literals_promise(literal, before, after, turkic):
    literal = nfc(literal)
    text = nfc(before + literal + after)
    if literal in text:
        for needle in solid(literal, turkic=turkic):
            assert needle in as_needle(fold(text))


@pytest.mark.parametrize(
    ("pattern", "column"), [("foo(", 5), ("a**b[", 3), ("[z-a]", 5), ("(?P<x", 6), ("*", 1)]
)
def test_a_bad_pattern_says_where(pattern, column):
    with pytest.raises(QueryError, match=f"column {column}:"):
        compile_pattern(pattern, ignore_case=False, word=False)


@pytest.mark.parametrize(
    "pattern",
    [
        "(((a{100}){100}){100}){100}",
        "(?:abc){50001}",
        "(" * 5000 + "a" + ")" * 5000,
        "a{99999999999}",
        "(?r)backwards",
    ],
)
def test_a_pattern_that_cannot_be_compiled_is_a_usage_error(pattern):
    with pytest.raises(QueryError):
        compile_pattern(pattern, ignore_case=False, word=False)


@pytest.mark.parametrize(
    "pattern", ["a{0,100000}", "x{3,}", "(ab){2}c{30}", "[{]{2}", r"\{9999999\}"]
)
def test_ordinary_repeats_are_no_reason_to_refuse(pattern):
    compile_pattern(pattern, ignore_case=False, word=False)


@pytest.mark.parametrize(
    ("pattern", "kept"),
    [
        (r"\S+foo", "+foo"),
        (r"\p{Lu}x", "x"),
        (r"(?P<Name>x)", "x)"),
        (r"Foo\.", "Foo"),
        (r"\x4A", ""),
    ],
)
def test_smart_case_looks_at_letters_that_stand_for_themselves(pattern, kept):
    assert letters(pattern) == kept


def test_word_and_lines():
    assert compile_pattern("^b$", ignore_case=False, word=False).findall("a\nb\nc") == ["b"]
    whole = compile_pattern("a|ab", ignore_case=True, word=True)
    assert [m.group() for m in whole.finditer("ab A aba हिa")] == ["ab", "A"]


def test_accents_typed_either_way_are_one_letter():
    decomposed = unicodedata.normalize("NFD", "é+")
    assert compile_pattern(decomposed, ignore_case=False, word=False).findall("éé") == ["éé"]


def test_a_mark_at_the_start_of_a_literal_may_belong_to_the_letter_before():
    # J and a caron stay apart in NFC, but a small j and a caron are one letter.
    text = "J\u030c"
    (needle,) = solid("\u030cx", turkic=False)
    assert needle == b"x"
    assert solid("\u030c", turkic=False) == []
    assert as_needle("\u030c") not in as_needle(fold(text))
