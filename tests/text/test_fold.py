"""The fold: context free, idempotent, blind to case and canonical form, and spans map back."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recall_tui.text.fold import (
    _ALIVE,
    _JOINING,
    _TANGLED,
    MARK_BYTE,
    fold,
    fold_aligned,
    fold_bytes,
    joins,
    spans,
)
from recall_tui.text.marks import CLOSE, OPEN, plain_pieces

SEPARATOR = b"\xff"
LETTERS = "aAßẞſKkΣσςİıiIéÉeEʼnŉǰJjﬁfiǅΐΰ狐한각각ÅÅΩΩ \n-\ufe0f\u200d"
COMBINING = "\u0301\u0302\u0307\u030c\u0331\u0345\u0327\u0e38\u09be"
tricky = st.sampled_from([*LETTERS, *COMBINING, "👩\u200d💻"])
texts = st.one_of(st.lists(tricky, max_size=12).map("".join), st.text(max_size=40))
CODE_POINTS = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]


@given(texts)
@example("ß\u0302")
@example("Ĥ\u0331")
def test_folding_twice_changes_nothing(text):
    assert fold(fold(text)) == fold(text)


def test_folding_twice_changes_nothing_for_any_character():
    assert [c for c in CODE_POINTS if fold(fold(c)) != fold(c)] == []


@pytest.mark.contract("S0-39")
@given(texts)
def test_case_and_canonical_form_do_not_matter(text):
    expected = fold(text)
    assert fold(unicodedata.normalize("NFD", text)) == expected
    assert fold(unicodedata.normalize("NFC", text)) == expected
    assert fold(unicodedata.normalize("NFC", text).casefold()) == expected


@pytest.mark.contract("S0-44")
@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("ΟΔΟΣ", "οδοσ"),
        ("οδος", "οδοσ"),  # `lower` keeps the final sigma, and misses it in a longer word
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("İ", "i\u0307"),  # dotted I: two code points, not the i of `i`
        ("ﬁn", "fin"),
        ("K", "k"),  # the Kelvin sign
        ("e\u0301", "é"),
        ("각", "각"),  # Hangul letters compose
    ],
)
def test_what_the_fold_makes_of_known_cases(text, folded):
    assert fold(text) == unicodedata.normalize("NFC", folded)


@pytest.mark.contract("S0-44")
def test_a_term_at_a_border_inside_a_composed_character_misses():
    assert fold("cafe") not in fold("cafe\u0301")
    assert fold("\u0301") not in fold("cafe\u0301")


@given(st.lists(texts, max_size=5))
def test_folding_distributes_over_message_borders(messages):
    folds = [fold_bytes(message) for message in messages]
    assert not any(SEPARATOR in one for one in folds)
    assert SEPARATOR.join(folds).split(SEPARATOR) == (folds or [b""])


@given(texts)
def test_the_bytes_are_those_of_the_fold(text):
    clean = text.replace(OPEN, "").replace(CLOSE, "")
    assert fold_bytes(clean) == fold(clean).encode()


@pytest.mark.contract("S0-37")
@given(st.lists(texts, min_size=1, max_size=4))
def test_each_mark_is_one_byte_that_no_query_holds(pieces):
    pieces = [piece.replace(OPEN, "").replace(CLOSE, "") for piece in pieces]
    marked = f"{OPEN}assigned-secret:{CLOSE}".join(pieces)
    folded = fold_bytes(marked)
    assert folded == MARK_BYTE.join(fold_bytes(piece) for piece in pieces)
    assert folded.count(MARK_BYTE) == len(pieces) - 1


@pytest.mark.contract("S0-37")
def test_the_words_of_a_mark_cannot_be_found():
    folded = fold_bytes(f"export KEY={OPEN}github-pat:ghp_…x9Zk{CLOSE} done")
    assert folded == b"export key=\xfe done"


def test_the_quick_ways_are_right_for_every_character_they_take():
    def alone(char):
        return (
            unicodedata.is_normalized("NFC", char)
            and not unicodedata.combining(char)
            and not _JOINING.match(char)
        )

    inert = [char for char in CODE_POINTS[0x80:] if not _ALIVE.match(char)]
    single = [char for char in CODE_POINTS[0x80:] if not _TANGLED.match(char)]
    assert len(inert) > 40_000
    assert len(single) > len(inert) + 900
    assert all(alone(char) and char.casefold() == char for char in inert)
    assert all(len(char.casefold()) == 1 and alone(char.casefold()) for char in single)
    assert all(alone(char) for char in single)


@given(st.text("abcXYZ àÀéÉñÑüÜßΣσЖжſµ狐—✓\ufdd0", max_size=30), st.integers(0, 200))
def test_every_way_folds_alike(text, padding):
    text = text.replace(OPEN, f"{OPEN}jwt:x{CLOSE}") + "p" * padding
    expected = MARK_BYTE.join(fold(piece).encode() for piece in plain_pieces(text))
    assert fold_bytes(text) == expected


def test_every_character_that_joins_the_one_before_is_known():
    joining = set()
    for char in CODE_POINTS:
        parts = unicodedata.normalize("NFD", char)
        if len(parts) > 1 and unicodedata.is_normalized("NFC", char):
            joining.update(part for part in parts[1:] if not unicodedata.combining(part))
    assert len(joining) > 40
    assert {char for char in joining if not _JOINING.match(char)} == set()
    assert {
        char for char in CODE_POINTS if not joins(char) and unicodedata.combining(char)
    } == set()
    assert {char for char in joining if not joins(char)} == set()


@given(texts, st.text("Aa—✓é狐", max_size=3))
def test_a_text_with_few_letters_beyond_ascii_folds_by_the_rule(text, more):
    text += "J" * 8 * len(text) + more + "x" * 40
    rule = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    assert fold(text) == rule


# ---------------------------------------------------------------- spans


@given(texts, texts)
@example("ßß", "s")
@example("x각", "각")
def test_spans_are_disjoint_and_cover_the_matches(text, term):
    needle = fold(term)
    found = spans(text, needle)
    folded = fold(text)
    assert bool(found) == bool(needle and needle in folded)
    last = 0
    for start, end in found:
        assert last <= start < end <= len(text)
        last = end
        # Each span is whole characters whose fold holds the needle, or part of it where two
        # matches share an original character.
        assert needle in fold(text[start:end]) or fold(text[start:end]) in needle * 2


@given(texts, st.data())
def test_a_piece_of_a_text_is_found_where_it_is(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    needle = fold(text[start:end])
    if not needle or fold(text[:start]) + needle + fold(text[end:]) != fold(text):
        return
    assert any(fold(text[a:b]).find(needle) >= 0 for a, b in spans(text, needle))


@pytest.mark.parametrize(
    ("text", "term", "expected"),
    [
        ("The Cat sat on the cat", "cat", [(4, 7), (19, 22)]),
        ("ΑΒΣς STRASSE straße", "straße", [(5, 12), (13, 19)]),
        ("ßß", "s", [(0, 1), (1, 2)]),
        ("e\u0301E\u0301 É", "é", [(0, 2), (2, 4), (5, 6)]),
        ("İstanbul", "stanbul", [(1, 8)]),
        ("데이터베이스", "이터", [(1, 3)]),
        ("aaa", "aa", [(0, 2)]),
        ("", "x", []),
        ("x", "", []),
    ],
)
def test_where_known_terms_are(text, term, expected):
    assert spans(text, fold(term)) == expected


def test_a_long_run_of_marks_is_folded_in_linear_time_and_stays_comparable():
    zalgo = "a" + "\u0301\u0316" * 100_000  # in canonical order this would take minutes
    folded = fold(zalgo)
    assert fold(folded) == folded
    assert folded.count("\u0316") == 100_000
    assert fold("x" + zalgo).endswith(folded[1:])


@given(texts)
@example("ßa")
@example("aßᾳ\u0301ŉ")
@example("J\u030c" + "x" * 40)
def test_an_aligned_fold_has_each_character_at_its_place(text):
    folded, aligned = fold_aligned(text)
    assert folded == fold(text)
    if aligned:
        assert [c.casefold() for c in text] == list(folded)


@pytest.mark.parametrize("text", ["Łódź — ÉCOLE ✓ 上窗", "Ä" * 40, "plain"])
def test_what_composed_letters_fold_to_is_aligned(text):
    assert fold_aligned(text)[1]


@given(st.text(alphabet="a\u0301\u0316\u0345\u3099เ", max_size=200))
def test_runs_of_marks_fold_to_what_folds_to_itself(text):
    assert fold(fold(text)) == fold(text)
