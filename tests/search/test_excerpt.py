"""What is shown of a match."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_tui.search import predicate
from recall_tui.search.excerpt import EXCERPT_CHARS, excerpt, whole
from recall_tui.search.plain import Ruler, nfc, plain, stretches
from recall_tui.search.predicate import compile_query
from recall_tui.search.results import Case, GrepQuery
from recall_tui.text.fold import fold, fold_aligned
from recall_tui.text.redact import mark
from recall_tui.text.sanitize import sanitize
from tests.search.corpora import readable

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2


def finder(pattern, **options):
    return compile_query(GrepQuery(pattern, **options))


def words(count, start=0):
    return " ".join(f"word{n}" for n in range(start, start + count))


def test_a_short_message_is_shown_whole():
    shown = excerpt("say hello", finder("HELLO", case=Case.IGNORE))
    assert shown == ("say hello", ((4, 9),), 1, False)


def test_a_long_line_is_cut_between_words():
    text = f"{words(200)} needle {words(200)}"
    shown = excerpt(text, finder("needle"))
    assert shown.cut
    assert len(shown.text) <= EXCERPT_CHARS
    assert shown.text.startswith("word")
    assert set(shown.text.split()) <= set(text.split())
    ((start, end),) = shown.spans
    assert shown.text[start:end] == "needle"
    assert start > 60


def test_a_cut_falls_on_a_line_where_one_is_near():
    lines = [f"line {n} of a longer text with some words" for n in range(40)]
    lines[20] += " needle"
    shown = excerpt("\n".join(lines), finder("needle"))
    assert set(shown.text.split("\n")) <= set(lines)
    assert lines[20] in shown.text


def test_the_end_of_a_message_fills_the_excerpt():
    text = f"{words(200)} needle"
    shown = excerpt(text, finder("needle"))
    assert shown.text.endswith("needle")
    assert len(shown.text) > EXCERPT_CHARS - 60


def test_all_matches_in_the_window_are_marked_and_all_are_counted():
    shown = excerpt("ab " * 1000, finder("ab"))
    assert shown.occurrences == 1000
    assert [shown.text[a:b] for a, b in shown.spans] == ["ab"] * len(shown.spans)
    assert len(shown.spans) > 100


def test_a_match_longer_than_the_excerpt_is_marked_to_its_end():
    shown = excerpt("x " + "a" * 5000, finder("a+", regex=True))
    assert len(shown.text) <= EXCERPT_CHARS
    assert shown.spans[-1][1] == len(shown.text)


def test_marks_are_written_out_and_spans_move_with_them():
    marked = mark(f"token {SECRET} and again {SECRET} needle")
    shown = excerpt(marked, finder("needle"))
    assert shown.text.count("[redacted:") == 2
    ((start, end),) = shown.spans
    assert shown.text[start:end] == "needle"
    assert whole(marked, finder("needle")) == (shown.text, shown.spans)


def test_many_marks_do_not_burst_the_bound():
    marked = mark(f"{SECRET} " * 60 + "needle " + f"{SECRET} " * 60)
    shown = excerpt(marked, finder("needle"))
    assert len(shown.text) <= EXCERPT_CHARS
    ((start, end),) = shown.spans
    assert shown.text[start:end] == "needle"


def test_a_picture_of_several_characters_is_not_parted():
    family = "👩‍👩‍👧"
    shown = excerpt(family * 300 + "needle" + family * 300, finder("needle"))
    left, _, right = shown.text.partition("needle")
    assert left.replace(family, "") == ""
    assert right.replace(family, "") == ""


@pytest.mark.parametrize(
    ("text", "term", "shown"),
    [
        ("die Straße hier", "STRASSE", "Straße"),
        ("xßx", "s", "ß"),
        ("na\u0308ch", "NÄCH", "näch"),
        ("İstanbul", "i", "İ"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος", "ΣΊΣΥΦΟΣ"),
        ("ﬁne", "fi", "ﬁ"),
        ("J\u030cx needle", "NEEDLE", "needle"),
        ("ßJ\u030c", "ǰ", "J\u030c"),
    ],
)
def test_a_span_covers_whole_characters(text, term, shown):
    found = excerpt(text, finder(term, case=Case.IGNORE))
    assert [found.text[a:b] for a, b in found.spans] == [shown]


def test_half_characters_count_each_and_show_once():
    found = excerpt("Maß", finder("s", case=Case.IGNORE))
    assert (found.spans, found.occurrences) == (((2, 3),), 2)


def test_a_message_is_folded_once_for_its_excerpt(monkeypatch):
    folded = []

    def counting(text):
        folded.append(text)
        return fold_aligned(text)

    asked = finder("NEEDLE", case=Case.IGNORE)
    monkeypatch.setattr(predicate, "fold_aligned", counting)
    text = "ein Ärgernis: needle " * 500
    found = excerpt(text, asked)
    assert found.occurrences == 500
    assert folded == [text]


def test_empty_matches_have_no_span():
    found = excerpt("ab", finder("x*", regex=True))
    assert (found.spans, found.occurrences) == ((), 3)


messy = st.text(
    st.sampled_from("ab \n.ßİéE\u0301\u0323J\u030c한ᄒ\u1161\u11ab上窗👩\u200d👧\u0345ﬁ")
    | st.characters(),
    max_size=1500,
)


@settings(max_examples=3 * settings.default.max_examples)
@given(messy, st.data())
def test_a_ruler_agrees_with_folding_from_the_start(raw, data):
    text = nfc(sanitize(raw))
    folded = fold(text)
    if not folded:
        return
    cuts = sorted(data.draw(st.lists(st.integers(0, len(folded)), min_size=2, max_size=8)))
    ruler = Ruler(text)
    for start, end in pairwise(cuts):
        if start < end:
            first, last = ruler.span(start, end)
            # The span holds the folded text, and no shorter one at its end would.
            assert folded[start:end] in fold(text[first:last])
            assert len(fold(text[:first])) <= start
            assert len(fold(text[:last])) >= end


@settings(max_examples=2 * settings.default.max_examples)
@given(messy, st.integers(20, 400), st.sampled_from(Case))
def test_an_excerpt_is_bounded_and_true(raw, chars, case):
    text = sanitize(raw)
    if not text:
        return
    term = text[len(text) // 2 :][:3]
    found = excerpt(mark(text), finder(term, case=case), chars)
    assert len(found.text) <= chars
    assert found.text in readable(raw)
    assert found.cut == (found.text != readable(raw))
    assert all(0 <= a < b <= len(found.text) for a, b in found.spans)


@pytest.mark.parametrize("options", [{}, {"case": Case.EXACT}, {"regex": True}, {"word": True}])
def test_a_typed_mark_matches_no_mark(options):
    text = plain(mark(f"a {SECRET} b"))
    asked = finder("\ufdd0", **options)
    assert (list(asked.spans(text)), asked.count(text)) == ([], 0)


def test_plain_text_has_one_character_for_a_mark():
    text = plain(mark(f"a {SECRET} e\u0301 {SECRET}"))
    assert text == "a \ufdd0 é \ufdd0"
    assert [text[a:b] for a, b in stretches(text)] == ["a ", " é ", ""]
