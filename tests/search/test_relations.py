"""The cold path credits what sessions share as the index does, whatever the family."""

from __future__ import annotations

import json
import os
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_tui.harnesses.base import Source
from recall_tui.model import Filter, GapKind
from recall_tui.search import kin
from recall_tui.search.cold import ColdCorpus
from recall_tui.search.grep import grep
from recall_tui.search.kin import Kin
from recall_tui.search.results import GrepQuery
from recall_tui.search.without import Without
from recall_tui.store.corpus import StoreCorpus
from recall_tui.store.sync.discover import Place
from recall_tui.store.sync.run import sync
from tests.search.corpora import cold_corpus, drained, never, rows, store_corpus
from tests.store.toy import Toy, line

EVERYTHING = Filter(include_copies=True)


def answer(corpus, pattern="x", **chosen):
    """What a complete search says, but that it was cold."""
    query = GrepQuery(pattern, limit=1000, chosen=Filter(**chosen))
    hits, last = drained(grep([corpus], query, never))
    reach = last.reach
    gaps = {(g.kind, g.count, g.detail, g.where) for g in reach.gaps} - {
        (g.kind, g.count, g.detail, g.where) for g in reach.gaps if g.kind is GapKind.COLD
    }
    return (
        rows(hits), last.total, last.occurrences, last.sessions, reach.sources,
        reach.sessions_searched, reach.sessions_total, reach.messages_searched, gaps,
    )  # fmt: skip


def listed(corpus, chosen):
    return [session._replace(id=0) for session in corpus.sessions(chosen)]


def compare(folder: Path) -> None:
    """The index and the cold path list and find the same."""
    with store_corpus(folder) as stored:
        for copies in (False, True):
            chosen = Filter(include_copies=copies)
            assert listed(cold_corpus(folder), chosen) == listed(stored, chosen)
            expected = answer(stored, include_copies=copies)
            assert answer(cold_corpus(folder), include_copies=copies) == expected
            warm = cold_corpus(folder)
            warm.sessions(EVERYTHING)
            assert answer(warm, include_copies=copies) == expected


def write(folder: Path, name: str, messages, meta=None, written: int = 0) -> None:
    """Write a session: (record, text, time) each."""
    path = folder / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps({"meta": meta, "parent_id": meta["parent"]}) + "\n"] if meta else []
    lines += [
        line("summary" if record.startswith("sum") else "prompt", text=text, t=time, id=record)
        for record, text, time in messages
    ]
    path.write_text("".join(lines), encoding="utf-8")
    end = written or max((time for *_, time in messages), default=1)
    os.utime(path, ns=(end * 1_000_000,) * 2)


T = 1_700_000_000_000

kinds = st.sampled_from(
    [
        "same ids",
        "named fork",
        "times anew",
        "whole copy",
        "subagent",
        "alone",
        "turns",
        "compacted",
        "from summary",
    ]
)
steps = st.lists(
    st.tuples(
        kinds, st.integers(0, 9), st.integers(0, 6), st.integers(0, 4), st.integers(0, 1),
        st.integers(0, 3),
    ),
    min_size=1, max_size=7,
)  # fmt: skip


def grow(folder: Path, steps, *, ids: bool) -> None:
    """Write a family of sessions, one after the other, as programs do."""
    clock = T
    sessions: list[tuple[str, list]] = []
    for number, (kind, which, shared, own, later, place) in enumerate(steps):
        clock += 60_000
        base_name, base = sessions[which % len(sessions)] if sessions else ("", [])
        meta = None
        name = f"{'abc'[place % 3]}{number}"
        said = []
        if kind == "whole copy" and base:
            said = list(base)
            if later:
                name = f"twin/{base_name.rpartition('/')[2]}"
        elif kind in ("same ids", "named fork", "times anew"):
            said = base[:shared]
            if kind == "times anew":
                said = [(record, text, clock) for record, text, _ in said]
            if kind == "named fork":
                meta = {"kind": "fork", "parent": base_name.rpartition("/")[2]}
        elif kind == "turns":
            said = base[shared : shared + 2]
            meta = {"kind": "fork", "parent": base_name.rpartition("/")[2]}
        elif kind == "compacted" and ids:
            said = [*base[:shared], (f"sum{number}", f"x {number}", clock)]
        elif kind == "from summary":
            at = next((n for n, said in enumerate(base) if said[0].startswith("sum")), len(base))
            said = [*base[at : at + 1], *base[max(0, at - shared) : at], *base[at + 1 :]]
            if later:
                said = [(record, text, clock) for record, text, _ in said]
        elif kind == "subagent":
            meta = {"kind": "subagent", "parent": base_name.rpartition("/")[2]}
        for turn in range(own):
            clock += 1000
            said.append((f"r{number}.{turn}" if ids else "", f"x {number}.{turn}", clock))
        if said:
            write(folder, name, said, meta, clock + 10_000 * later)
            sessions.append((name, said))


@settings(max_examples=settings.default.max_examples // 5)
@given(steps, st.booleans())
def test_families_are_the_same_on_both_paths(steps, ids):
    with TemporaryDirectory() as made:
        folder = Path(made) / "source"
        folder.mkdir()
        grow(folder, steps, ids=ids)
        compare(folder)


@settings(max_examples=settings.default.max_examples // 5)
@given(steps, st.booleans(), st.randoms(use_true_random=False))
def test_a_family_is_the_same_in_whatever_order_it_was_indexed(steps, ids, random):
    def shown(folder):
        with store_corpus(folder) as stored:
            found = {s.path.removeprefix(str(folder)): s for s in stored.sessions(EVERYTHING)}
            paths = {s.key: path for path, s in found.items()}
            return {
                path: (s.copied, paths.get(s.parent, s.parent), s.children, s.messages)
                for path, s in found.items()
            }

    with TemporaryDirectory() as made:
        whole, grown = Path(made) / "whole", Path(made) / "grown"
        whole.mkdir()
        grown.mkdir()
        grow(whole, steps, ids=ids)
        files = [path.relative_to(whole) for path in whole.rglob("*.jsonl")]
        random.shuffle(files)
        for name in files:
            (grown / name).parent.mkdir(exist_ok=True)
            os.rename(whole / name, grown / name)
            with store_corpus(grown):
                pass
        for name in files:
            (whole / name).parent.mkdir(exist_ok=True)
            os.link(grown / name, whole / name)
        assert shown(grown) == shown(whole)


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "source"
    made.mkdir()
    return made


def said(first, last, at=0, mark="r"):
    return [(f"{mark}{n}", f"x {mark}{n}", T + at + n * 1000) for n in range(first, last)]


def test_a_message_counts_where_it_was_first_written(folder):
    write(folder, "original", [*said(0, 3), *said(3, 4)])
    write(folder, "resumed", [*said(0, 3), *said(0, 1, 90_000, "own")])
    assert answer(cold_corpus(folder))[0] == [
        ("toy:resumed", 3, 1), ("toy:original", 3, 1), ("toy:original", 2, 1),
        ("toy:original", 1, 1), ("toy:original", 0, 1),
    ]  # fmt: skip
    compare(folder)


def test_a_copy_of_a_compacted_session_belongs_to_it(folder):
    summary = ("sum", "x summary", T + 3000)
    write(folder, "original", [*said(0, 3), summary, *said(4, 6)])
    write(folder, "copy", [summary, *said(2, 3), *said(4, 6), *said(0, 1, 90_000, "own")])
    write(folder, "far/copy of it", [summary, *said(2, 3), *said(0, 1, 99_000, "far")])
    assert [s.copied for s in cold_corpus(folder).sessions(EVERYTHING)] == [2, 4, 0]
    compare(folder)


def test_a_copy_is_told_from_the_index_that_holds_its_original(folder):
    summary = ("sum", "x summary", T + 3000)
    write(folder, "original", [*said(0, 3), summary, *said(4, 6)])
    with store_corpus(folder) as stored:
        write(folder, "copy", [summary, *said(2, 3), *said(4, 6), *said(0, 1, 90_000, "own")])
        rest = [pair for pair in cold_corpus(folder)._sources if pair[1].native_id == "copy"]
        (session,) = ColdCorpus(rest, histories=stored.histories).sessions(EVERYTHING)
        assert session.copied == 4


def test_only_what_may_be_related_is_opened_before_its_turn(folder):
    for number in range(5):
        write(folder, f"s{number}", said(0, 3, number * 60_000, f"s{number}-"))
    write(folder, "s9", [*said(0, 2, 60_000, "s1-"), *said(0, 2, 900_000, "own")])
    opened = []

    class Watched(Toy):
        def open(self, source, since=None):
            opened.append(source.native_id)
            return super().open(source, since)

    corpus = ColdCorpus([(Watched(), s) for s in Toy().discover(str(folder), [])])
    hits = next(grep([corpus], GrepQuery("x"), never)).hits
    assert [hit.session.name for hit in hits] == ["s9", "s9"]
    assert set(opened) == {"s9", "s1"}


def test_a_long_first_record_does_not_hide_what_a_file_shares(folder):
    giant = "word " * 40_000
    for name, own in (("a", said(1, 2)), ("b", said(0, 1, 90_000, "own"))):
        write(folder, name, [("r0", giant, T), *own])
    write(folder, "c", said(0, 1))
    sources = [(Toy(), source) for source in sorted(Toy().discover(str(folder), []))]
    found = Kin(sources)
    assert {row: found.of(row) for row in range(3)} == {0: {1, 2}, 1: {0, 2}, 2: {0, 1}}
    assert len(giant) > kin._HEADS[0]


def test_sessions_of_a_database_are_related_by_what_their_harness_says(monkeypatch, tmp_path):
    class Box(Toy):
        id = "box"

        def alike(self, path):
            return {"1": "talk", "3": "talk", "4": "other"}

    sources = [
        (Box(), Source("box", str(tmp_path / "db"), str(n), f"n{n}", 1, 1, 0, "/"))
        for n in range(5)
    ]
    found = Kin(sources)
    assert [found.of(row) for row in range(5)] == [set(), {3}, set(), {1}, set()]

    class Faulty(Box):
        def alike(self, path):
            raise RuntimeError("a fault")

    assert Kin([(Faulty(), source) for _, source in sources]).of(1) == set()


def test_what_was_lost_is_counted_once_however_often_a_file_is_read(folder):
    write(folder, "a", said(0, 2))
    write(folder, "b", [*said(0, 2), *said(0, 1, 90_000, "own")])
    with open(folder / "a.jsonl", "a", encoding="utf-8") as stream:
        stream.write('not json\n{"type": "later"}\n{"type": "future"}\n{"kind": "pro')
    corpus = cold_corpus(folder)
    with store_corpus(folder) as stored:
        expected = answer(stored)
        assert answer(corpus) == expected
        assert answer(corpus) == expected
        assert answer(corpus, sessions=("toy:b",)) == answer(stored, sessions=("toy:b",))


def test_a_restricted_search_says_how_many_sessions_it_left_out(folder):
    for name in ("a", "b", "c"):
        write(folder, name, said(0, 2, 0, name))
    with store_corpus(folder) as stored:
        expected = answer(stored, sessions=("toy:b",))
    assert answer(cold_corpus(folder), sessions=("toy:b",)) == expected


def test_a_nested_subagent_belongs_to_the_main_session_of_the_original(folder):
    write(folder, "main", said(0, 3))
    write(folder, "resumed", [*said(0, 3), *said(0, 1, 90_000, "own")])
    write(folder, "agent", said(0, 1, 100_000, "agent"), {"kind": "subagent", "parent": "resumed"})
    write(folder, "inner", said(0, 1, 110_000, "inner"), {"kind": "subagent", "parent": "agent"})
    parents = {s.name: s.parent for s in cold_corpus(folder).sessions(EVERYTHING)}
    assert parents == {"main": "", **dict.fromkeys(("resumed", "agent", "inner"), "toy:main")}
    compare(folder)


def test_a_session_is_named_as_the_index_names_it_before_it_is_read(folder):
    for place in ("one", "two"):
        write(folder / place, "same", said(0, 2, 0, place))
    with store_corpus(folder) as stored:
        for key in sorted(session.key for session in stored.sessions(EVERYTHING)):
            assert answer(cold_corpus(folder), sessions=(key,)) == answer(stored, sessions=(key,))


def test_a_file_without_a_readable_record_is_one_that_could_not_be_read(folder):
    write(folder, "a", said(0, 2))
    (folder / "junk.jsonl").write_text("junk\nmore junk\n")
    compare(folder)


@settings(max_examples=settings.default.max_examples // 5)
@given(steps, st.booleans(), st.integers(0, 2))
def test_one_place_is_answered_for_as_if_there_were_no_other(steps, ids, place):
    with TemporaryDirectory() as made:
        folder = Path(made) / "source"
        folder.mkdir()
        grow(folder, steps, ids=ids)
        part = folder / "abc"[place]
        part.mkdir()
        for path in list(folder.glob(f"{part.name}*.jsonl")):
            path.rename(part / path.name)
        if not list(part.iterdir()):
            return
        index = str(Path(made) / "data" / "index.db")
        sync(index, [Place(Toy(), str(folder))])
        stored = StoreCorpus(index, [str(part)])
        everything = Filter(roots=(str(part),), include_copies=True)
        for copies in (False, True):
            chosen = Filter(roots=(str(part),), include_copies=copies)
            cold = cold_corpus(part)
            known, found = stored.sessions(chosen), cold.sessions(chosen)
            assert [(s.path, s.copied) for s in known] == [(s.path, s.copied) for s in found]
            above = {session.key: session.parent for session in stored.sessions(everything)}
            for mine, theirs in zip(known, found, strict=True):
                # The index also knows a way that leads out of the place and back.
                ways = {above.get(theirs.parent)} if theirs.parent else set(above)
                assert mine.parent in {theirs.parent} | ways
                named = sum(s.parent == mine.key for s in stored.sessions(everything))
                assert mine.children == named
            mine, theirs = (
                answer(corpus, roots=(str(part),), include_copies=copies)
                for corpus in (stored, cold)
            )
            assert mine[:6] == theirs[:6]
        stored.close()


def test_a_fork_with_a_copy_elsewhere_still_repeats_what_it_forked(tmp_path):
    """Its original is that copy, which names nobody; below one root it is what it names."""
    main, fork = said(0, 2), [*said(0, 2), *said(0, 1, 90_000, "own")]
    place = tmp_path / "source" / "here"
    plain = [[("", text, time) for _, text, time in messages] for messages in (main, fork)]
    write(place, "main", plain[0])
    write(place, "fork", plain[1], {"kind": "fork", "parent": "main"})
    write(place.parent / "there", "fork", plain[1])
    index = str(tmp_path / "data" / "index.db")
    sync(index, [Place(Toy(), str(place.parent))])
    chosen = Filter(roots=(str(place),))
    with closing(StoreCorpus(index, [str(place)])) as stored:
        assert [(s.name, s.copied) for s in stored.sessions(chosen)] == [("fork", 2), ("main", 0)]
    assert [(s.name, s.copied) for s in cold_corpus(place).sessions(chosen)] == [
        ("fork", 2), ("main", 0),
    ]  # fmt: skip


@settings(deadline=None, derandomize=True)
@given(steps, st.booleans(), st.data())
def test_of_a_family_indexed_in_part_nothing_is_lost_and_a_difference_is_said(steps, ids, data):
    """Some files are new since the index was made, some were shorter then."""
    with TemporaryDirectory() as base:
        folder = Path(base) / "source"
        folder.mkdir()
        grow(folder, steps, ids=ids)
        files = {path: path.read_bytes() for path in sorted(folder.rglob("*.jsonl"))}
        times = {path: path.stat().st_mtime_ns for path in files}
        unread = set()
        for path, content in files.items():
            lines = content.splitlines(keepends=True)
            kept = data.draw(st.integers(0, len(lines)) | st.just(len(lines)))
            if kept < len(lines):
                unread.add(str(path))
                path.write_bytes(b"".join(lines[:kept])) if kept else path.unlink()
        with store_corpus(folder) as stored:
            for path, content in files.items():
                path.write_bytes(content)
                os.utime(path, ns=(times[path],) * 2)
            stale = {s.id for s in stored.sessions(EVERYTHING) if s.path in unread}
            new = [(Toy(), s) for s in Toy().discover(str(folder), []) if s.path in unread]
            cold = ColdCorpus(new, histories=lambda *of: stored.histories(*of, without=stale))
            query = GrepQuery("x", limit=1000)
            hits, last = drained(grep([cold, Without(stored, stale)], query, never))
        os.rename(Path(base) / "source.data", Path(base) / "before")
        with store_corpus(folder) as whole:
            expected, _ = drained(grep([whole], query, never))
        assert {hit.text for hit in hits} == {hit.text for hit in expected}
        if GapKind.UNSETTLED not in {gap.kind for gap in last.reach.gaps}:
            assert places(hits) == places(expected)


def places(hits):
    """Where hits stand: which of two sessions of an id has the plain key is the older index's."""
    return sorted((hit.session.path, hit.position) for hit in hits)
