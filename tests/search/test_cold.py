"""The cold path: answers from the files, before there is an index."""

from __future__ import annotations

import json
import os

import pytest

from recall_tui.clock import to_iso
from recall_tui.errors import StoreError
from recall_tui.model import Filter, GapKind, Kind
from recall_tui.search.bounds import CROWD
from recall_tui.search.cold import ColdCorpus
from recall_tui.search.grep import grep
from recall_tui.search.results import GrepQuery
from recall_tui.search.without import Without
from tests.search.corpora import (
    Said,
    Talk,
    cold_corpus,
    drained,
    never,
    rows,
    store_corpus,
    write_sources,
)
from tests.store.toy import Toy

DAY = 86_400_000
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "source"
    made.mkdir()
    return made


class Watched(Toy):
    """Notes which sessions are opened."""

    def __init__(self, opened):
        self.opened = opened

    def open(self, source, since=None):
        self.opened.append(source.native_id)
        return super().open(source, since)


def search(corpus, pattern, **options):
    return drained(grep([corpus], GrepQuery(pattern, **options), never))


def search_all(corpora, pattern):
    return drained(grep(corpora, GrepQuery(pattern), never))


@pytest.mark.contract("S3-59")
def test_the_answer_says_that_it_was_cold(folder):
    write_sources(folder, [Talk("a", [Said("x", 5)])])
    _, last = search(cold_corpus(folder), "x")
    assert last.reach.path == "cold"
    assert last.reach.complete
    assert [(gap.kind, gap.count) for gap in last.reach.gaps] == [(GapKind.COLD, 1)]


@pytest.mark.contract("X-3")
def test_a_secret_never_leaves_the_cold_path(folder):
    write_sources(folder, [Talk("a", [Said(f"use {SECRET} now", 5)])])
    corpus = cold_corpus(folder)
    assert search(corpus, SECRET)[1].total == 0
    (hit,), _ = search(corpus, "use")
    assert SECRET not in hit.text
    assert SECRET not in corpus.messages(0)[0].text


def test_the_newest_file_is_searched_and_shown_before_the_next_is_read(folder):
    talks = [Talk(f"s{n}", [Said("x", (n + 1) * DAY)]) for n in range(5)]
    sources = write_sources(folder, talks)
    opened = []
    updates = grep([ColdCorpus([(Watched(opened), s) for s in sources])], GrepQuery("x"), never)
    assert [h.session.name for h in next(updates).hits] == ["s4"]
    assert opened == ["s4"]


def test_files_that_were_all_copied_at_once_are_ordered_by_what_they_hold(folder):
    base = 1_772_000_000_000
    talks = [
        Talk(f"s{n}", [Said(f"x at {to_iso(base)}", base + n * DAY)]) for n in range(CROWD * 2)
    ]
    sources = write_sources(folder, talks)
    for source, talk in zip(
        sorted(sources, key=lambda s: int(s.native_id[1:])), talks, strict=True
    ):
        with open(source.path, "a", encoding="utf-8") as stream:
            stream.write(json.dumps({"meta": {}, "timestamp": to_iso(talk.end)}) + "\n")
        os.utime(source.path, (1_790_000_000, 1_790_000_000))
    opened = []
    corpus = ColdCorpus([(Watched(opened), s) for s in Toy().discover(str(folder), [])])
    updates = grep([corpus], GrepQuery("x", limit=100), never)
    names = [h.session.name for h in next(updates).hits]
    assert names == opened == [talks[-1].name]
    names += [h.session.name for h in drained(updates)[0]]
    assert names == [talk.name for talk in reversed(talks)]


def test_a_long_session_does_not_overtake_those_written_meanwhile(folder):
    talks = [
        Talk("long", [Said("x", 1), Said("x", 14), Said("x", 20, Kind.TOOL_RESULT)]),
        Talk("short", [Said("x", 13), Said("x", 14)]),
    ]
    write_sources(folder, talks)
    assert rows(search(cold_corpus(folder), "x")[0]) == [
        ("toy:long", 2, 1), ("toy:long", 1, 1), ("toy:short", 1, 1), ("toy:short", 0, 1),
        ("toy:long", 0, 1),
    ]  # fmt: skip


def test_a_file_last_written_long_before_is_not_read_at_all(folder):
    sources = write_sources(
        folder, [Talk("old", [Said("x", 5)]), Talk("new", [Said("x", 9 * DAY)])]
    )
    opened = []
    corpus = ColdCorpus([(Watched(opened), s) for s in sources])
    hits, last = search(corpus, "x", chosen=Filter(since_ms=8 * DAY))
    assert rows(hits) == [("toy:new", 0, 1)]
    assert opened == ["new"]
    assert last.reach.sessions_searched == 1


def test_a_session_is_listed_and_read_as_the_index_would(folder):
    write_sources(folder, [Talk("abcdefgh-1", [Said("first prompt", 5), Said("x", 6)], cwd="/w")])
    corpus = cold_corpus(folder)
    with store_corpus(folder) as stored:
        (mine,), (theirs,) = corpus.find("abcdefgh"), stored.find("abcdefgh")
        assert corpus.messages(mine.id) == stored.messages(theirs.id)
        assert corpus.messages(mine.id, 1, 2) == stored.messages(theirs.id, 1, 2)
        for name in ("key", "title", "cwd", "ended_ms", "messages", "prompts", "size", "root"):
            assert getattr(mine, name) == getattr(theirs, name)


def test_keys_of_two_files_with_one_id_are_those_of_the_index(folder):
    for place, at in (("one", 5), ("two", 9)):
        (folder / place).mkdir()
        write_sources(folder / place, [Talk("same", [Said(f"x {place}", at)])])
    corpus = cold_corpus(folder)
    with store_corpus(folder) as stored:
        everything = Filter(include_copies=True)
        keys = {s.path: s.key for s in stored.sessions(everything)}
        assert {s.path: s.key for s in corpus.sessions(everything)} == keys
        assert len(set(keys.values())) == 2


def test_what_two_sessions_share_counts_once(folder):
    shared = [Said(f"x {n}", n + 1, record=f"r{n}") for n in range(3)]
    talks = [
        Talk("origin", [*shared, Said("x own", 9, record="r3")]),
        Talk("resumed", [*shared, Said("x later", 20, record="r9")]),
    ]
    write_sources(folder, talks)
    hits, last = search(cold_corpus(folder), "x")
    assert last.total == 5
    with store_corpus(folder) as stored:
        theirs, stored_last = search(stored, "x")
    assert stored_last.total == 5
    assert sorted(h.text for h in hits) == sorted(h.text for h in theirs)


@pytest.mark.parametrize("newest", ["fork", "origin"])
def test_a_fork_without_record_ids_counts_once(folder, newest):
    """Codex writes none; the fork says what it was copied from."""
    shared = [Said(f"x {n}", n + 1) for n in range(3)]
    own = {"origin": [Said("x own", 9)], "fork": [Said("x later", 20)]}
    write_sources(folder, [Talk(name, [*shared, *own[name]]) for name in own])
    meta = {"kind": "fork", "parent": "origin"}
    path = folder / "fork.jsonl"
    path.write_text(json.dumps({"meta": meta}) + "\n" + path.read_text())
    os.utime(folder / f"{newest}.jsonl", (2e9, 2e9))
    sources = list(Toy().discover(str(folder), []))
    _, last = search(ColdCorpus([(Toy(), source) for source in sources]), "x")
    assert last.total == 5


@pytest.mark.parametrize("indexed", ["origin", "resumed"])
def test_what_a_file_shares_with_the_index_counts_once(folder, tmp_path, indexed):
    shared = [Said(f"x {n}", n + 1, record=f"r{n}") for n in range(3)]
    own = {"origin": [Said("x own", 9, record="r3")], "resumed": [Said("x late", 20, record="r9")]}
    for name, said in own.items():
        place = folder if name == indexed else tmp_path / "new"
        place.mkdir(exist_ok=True)
        write_sources(place, [Talk(name, [*shared, *said])])
    with store_corpus(folder) as stored:
        new = [(Toy(), source) for source in Toy().discover(str(tmp_path / "new"), [])]
        cold = ColdCorpus(new, histories=stored.histories)
        _, last = drained(grep([cold, stored], GrepQuery("x"), never))
        assert last.total == 5
        alone = ColdCorpus(new, histories=lambda *of: stored.histories(*of, without={1}))
        assert search(alone, "x")[1].total == 4


@pytest.mark.parametrize("changed", ["origin", "resumed"])
def test_what_a_changed_file_shares_with_the_index_is_not_lost(folder, changed):
    """The index says of a copy that its beginning counts in the original, which it holds no more
    in its newest state."""
    shared = [Said(f"x {n}", n + 1, record=f"r{n}") for n in range(3)]
    origin = Talk("origin", [*shared, Said("x own", 9, record="r3")])
    resumed = Talk("resumed", [*shared, Said("x late", 20, record="r9")])
    write_sources(folder, [origin, resumed])
    with store_corpus(folder) as stored:
        write_sources(folder, [t for t in (origin, resumed) if t.name == changed])
        new = [(Toy(), s) for s in Toy().discover(str(folder), []) if s.native_id == changed]
        stale = {s.id for s in stored.sessions(Filter()) if s.native_id == changed}
        cold = ColdCorpus(new, histories=lambda *of: stored.histories(*of, without=stale))
        hits, last = search_all([cold, Without(stored, stale)], "x")
        assert rows(hits) == rows(search(stored, "x")[0])
        assert last.total == 5
        assert GapKind.UNSETTLED not in {gap.kind for gap in last.reach.gaps}


def test_an_original_that_is_read_after_its_copy_was_indexed_is_said_to_be(folder, tmp_path):
    shared = [Said(f"x {n}", n + 1, record=f"r{n}") for n in range(3)]
    write_sources(folder, [Talk("resumed", [*shared, Said("x late", 20, record="r9")])])
    place = tmp_path / "new"
    place.mkdir()
    write_sources(place, [Talk("origin", [*shared, Said("x own", 9, record="r3")])])
    with store_corpus(folder) as stored:
        new = [(Toy(), source) for source in Toy().discover(str(place), [])]
        _, last = search_all([ColdCorpus(new, histories=stored.histories), stored], "x")
        assert last.total == 5
        assert [g.count for g in last.reach.gaps if g.kind is GapKind.UNSETTLED] == [1]


def test_what_was_indexed_meanwhile_counts_once_and_is_no_copy(folder):
    write_sources(folder, [Talk("a", [Said("x", 5, record="r1")])])
    with store_corpus(folder) as stored:
        new = [(Toy(), source) for source in Toy().discover(str(folder), [])]
        _, last = search_all([ColdCorpus(new, histories=stored.histories), stored], "x")
        assert last.total == 1
        assert GapKind.UNSETTLED not in {gap.kind for gap in last.reach.gaps}


@pytest.mark.contract("X-1")
def test_what_cannot_be_read_is_a_gap(folder):
    write_sources(folder, [Talk("a", [Said("x", 5)]), Talk("b", [Said("x", 6)])])
    with open(folder / "a.jsonl", "a", encoding="utf-8") as stream:
        stream.write('not json\n{"type": "strange"}\n{"kind": "pro')
    corpus = cold_corpus(folder)
    os.unlink(folder / "b.jsonl")
    hits, last = search(corpus, "x")
    assert rows(hits) == [("toy:a", 0, 1)]
    kinds = {gap.kind for gap in last.reach.gaps}
    assert kinds >= {
        GapKind.COLD, GapKind.UNREADABLE, GapKind.UNPARSED, GapKind.TORN, GapKind.UNKNOWN_RECORDS,
    }  # fmt: skip
    assert not last.reach.complete
    (row,) = (r for r in range(2) if corpus._sources[r][1].native_id == "b")
    with pytest.raises(StoreError):
        corpus.session(row)


@pytest.mark.contract("S3-45")
def test_a_file_of_mostly_damaged_lines_is_a_gap_and_what_can_be_read_is_found(folder):
    write_sources(folder, [Talk("a", [Said("x", 5)])])
    with open(folder / "a.jsonl", "a", encoding="utf-8") as stream:
        stream.write("not json\n" * 3)
    for _ in range(2):
        hits, last = search(cold_corpus(folder), "x")
        assert rows(hits) == [("toy:a", 0, 1)]
        assert not last.reach.complete
        assert "3 of " in next(g.detail for g in last.reach.gaps if g.kind is GapKind.UNREADABLE)


def test_a_fault_of_a_reader_costs_its_session_only(folder):
    class Faulty(Toy):
        def open(self, source, since=None):
            if source.native_id == "bad":
                raise RuntimeError("a fault")
            return super().open(source, since)

    sources = write_sources(folder, [Talk("bad", [Said("x", 9)]), Talk("good", [Said("x", 5)])])
    hits, last = search(ColdCorpus([(Faulty(), s) for s in sources]), "x")
    assert rows(hits) == [("toy:good", 0, 1)]
    assert not last.reach.complete
