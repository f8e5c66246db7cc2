"""Which sessions a filter admits, and what a few typed words mean."""

from __future__ import annotations

import pytest

from recall_tui.model import Filter, SessionKind
from recall_tui.search import sessions
from recall_tui.search.sessions import Titles, admitted, named, too_short
from tests.search.corpora import Said, Talk, session_of

TALKS = [
    Talk("aaaaaaaa-1", [Said("x", 10), Said("x", 20)], cwd="/home/Mei/Über uns"),
    Talk("aaaaaaaa-2", [Said("x", 30)], kind=SessionKind.SUBAGENT, cwd="/srv"),
    Talk("copy", [Said("x", 40)], copied=1, harness="codex"),
    Talk("timeless", [Said("x")], harness="codex"),
]
ALL = [session_of(talk, row) for row, talk in enumerate(TALKS)]


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        (Filter(), [0, 1, 3]),
        (Filter(include_copies=True), [0, 1, 2, 3]),
        (Filter(harnesses=("codex",)), [3]),
        (Filter(sessions=("copy",)), [2]),
        (Filter(mains_only=True), [0, 3]),
        (Filter(cwd="ÜBER"), [0]),
        (Filter(cwd="U\u0308ber"), [0]),
        (Filter(branch="MAI"), [0, 1, 3]),
        (Filter(branch="%"), []),
        (Filter(since_ms=21), [1, 3]),
        (Filter(since_ms=20), [0, 1, 3]),
        (Filter(until_ms=10), [0, 3]),
        (Filter(until_ms=9), [3]),
        (Filter(roots=("/history",)), [0, 1, 3]),
        (Filter(roots=("/hist",)), []),
        (Filter(roots=("/history/timeless.jsonl",)), [3]),
        (Filter(model="opus"), []),
    ],
)
def test_a_filter_admits(chosen, expected):
    assert [s.id for s in admitted(ALL, chosen)] == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("claude:aaaaaaaa-1", [0]),
        ("aaaaaaaa-1", [0]),
        ("aaaaaaaa", [0, 1]),
        ("claude:aaaaaaaa", [0, 1]),
        ("codex:aaaaaaaa", []),
        ("aaaaaaa", []),
        ("/history/copy.jsonl", [2]),
        ("cop", []),
    ],
)
def test_a_name_means_the_most_exact(name, expected):
    assert [s.id for s in named(name, ALL)] == expected


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("", []),
        ("über MEI", [0, 1]),
        ("mei uns", [0]),
        ("U\u0308ber", [0, 1]),
        ("mei gone", []),
        ("n a", [2]),
    ],
)
def test_a_title_holds_every_typed_word(typed, expected):
    titles = ["Mei über uns", "MEI ÜBER ALLES", "another", ""]
    named_so = [one._replace(title=title) for one, title in zip(ALL, titles, strict=True)]
    assert [s.id for s in Titles(named_so).called(typed, Filter(), 5)] == expected
    assert [s.id for s in Titles(named_so).called(typed, Filter(), 1)] == expected[:1]
    mains = Titles(named_so).called(typed, Filter(mains_only=True), 5)
    assert [s.id for s in mains] == [row for row in expected if row != 1], "1 is a subagent"


def test_few_of_many_titles_are_looked_at(monkeypatch: pytest.MonkeyPatch):
    titles = [f"number {row} {'rare' if row % 400 == 0 else ''}" for row in range(2000)]
    many = [ALL[0]._replace(id=row, title=title) for row, title in enumerate(titles)]
    looked = []
    monkeypatch.setattr(sessions, "admits", lambda session, _: looked.append(session.id))
    assert Titles(many).called("number rare 1", Filter(), 5) == []
    assert looked == [1200, 1600]


@pytest.mark.parametrize(
    ("name", "short"),
    [("5041", True), ("claude:5041", True), ("claude:50419c85", False), ("", False)],
)
def test_a_name_too_short_to_begin_an_id_is_told_so(name, short):
    assert bool(too_short(name)) is short
