"""Projects a person leaves out: nothing of them is stored, whatever the age of a pattern (Q20)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recall_tui.model import Filter, GapKind
from recall_tui.paths import matches
from recall_tui.search.cold import ColdCorpus
from recall_tui.store.kept import Kept
from recall_tui.store.sync.pending import pending
from recall_tui.store.sync.run import EVERYTHING
from tests.store.toy import Toy, line

T = 1_700_000_000_000
PRIVATE = Kept(left_out=("/work/private",))


def at(cwd: str, last: str = "") -> str:
    return json.dumps({"meta": {"cwd": cwd, "last_cwd": last or cwd}}) + "\n"


@pytest.fixture
def two(desk):
    desk.write("open.jsonl", at("/work/app"), line(text="token", t=T))
    desk.write("closed.jsonl", at("/work/private/app"), line(text="zqprivate", t=T))
    return desk


def holds(desk, text: bytes) -> bool:
    return any(text in p.read_bytes() for p in Path(desk.index).parent.iterdir() if p.is_file())


def stale(desk, kept=EVERYTHING):
    return pending(desk.index, desk.places, kept)


@pytest.mark.parametrize(
    ("path", "pattern", "is_matched"),
    [
        ("/work/private", "/work/private", True), ("/work/private/", "/work/private", True),
        ("/work/private/app", "/work/private", True), ("/work/private", "/work/private/", False),
        ("/work/private/app", "/work/private/", True), ("/work/privateer", "/work/private", False),
        ("/work/private/app", "*/private/*", True), ("/", "/", True), ("/work", "/w*", True),
    ],
)  # fmt: skip
def test_a_pattern_names_a_folder_and_what_lies_below(path, pattern, is_matched):
    assert matches(path, [pattern]) is is_matched


def test_no_text_of_such_a_project_is_ever_stored(two):
    state = two.sync(PRIVATE)
    assert two.names() == ["open"]
    assert (state.seen, state.parsed, state.removed) == (1, 1, 0)
    assert not holds(two, b"zqprivate")
    said = [gap for gap in two.corpus.gaps(Filter()) if gap.kind is GapKind.EXCLUDED]
    assert [gap.count for gap in said] == [1]
    # It is looked at no more, and read no further when it grows.
    assert not stale(two, PRIVATE).sources
    two.append("closed.jsonl", line(text="zqprivate again", t=T + 1))
    two.sync(PRIVATE)
    assert two.names() == ["open"] and not holds(two, b"zqprivate")


def test_a_new_pattern_takes_out_what_is_stored_and_an_old_one_gives_it_back(two):
    two.sync()
    assert two.names() == ["closed", "open"]
    closed = two.session("closed").id
    found = stale(two, PRIVATE)
    assert found.stale == {closed} and found.marks
    two.sync(PRIVATE)
    assert two.names() == ["open"] and not holds(two, b"zqprivate")
    found = stale(two, PRIVATE)
    assert not (found.sources or found.marks)  # what was known of it is not read to learn it again
    state = two.sync(PRIVATE)
    assert (state.seen, state.unchanged) == (1, 1)
    assert two.names() == ["open"] and not holds(two, b"zqprivate")
    assert stale(two).marks
    two.sync()
    two.sync()
    assert two.names() == ["closed", "open"]
    assert not stale(two).marks


def test_a_session_that_goes_into_such_a_project_leaves(two):
    two.sync(PRIVATE)
    two.append("open.jsonl", at("/work/app", "/work/private"), line(text="zqmore", t=T + 1))
    two.sync(PRIVATE)
    assert two.names() == []
    assert not holds(two, b"zqmore")


def test_a_rebuild_brings_nothing_of_it_back_though_its_file_is_gone(two):
    two.sync()
    (two.source / "closed.jsonl").unlink()
    two.sync()
    assert two.names() == ["closed", "open"]
    two.sync(PRIVATE, rebuild=True)
    assert two.names() == ["open"] and not holds(two, b"zqprivate")


@pytest.mark.parametrize("kept", [PRIVATE, Kept(left_out=("*/closed.jsonl",))])
def test_a_vanished_one_is_taken_out_too(two, kept):
    two.sync()
    (two.source / "closed.jsonl").unlink()
    two.sync()
    two.sync(kept)
    assert two.names() == ["open"] and not holds(two, b"zqprivate")


def test_without_an_index_it_is_not_searched_either(two):
    sources = [(Toy(), source) for source in Toy().discover(str(two.source), [])]
    corpus = ColdCorpus(sources, PRIVATE.unwanted)
    assert [s.native_id for s in corpus.sessions(Filter())] == ["open"]
    assert b"zqprivate" not in b"".join(block.fold for block in corpus.blocks(Filter()))


# ---------------------------------------------------------------- what its program deleted (Q2)


def test_what_is_gone_is_kept_unless_a_person_wants_it_dropped(two):
    two.sync()
    (two.source / "closed.jsonl").unlink()
    two.sync()
    assert two.names() == ["closed", "open"]
    state = two.sync(Kept(gone=False))
    assert state.removed == 1
    assert two.names() == ["open"] and not holds(two, b"zqprivate")
    two.sync(Kept(gone=False), rebuild=True)
    assert two.names() == ["open"]


def test_a_file_that_only_moved_is_not_dropped(two):
    two.sync()
    key = two.session("closed").key
    (two.source / "moved").mkdir()
    (two.source / "closed.jsonl").rename(two.source / "moved" / "closed.jsonl")
    two.sync(Kept(gone=False))
    assert two.session("closed").key == key
    assert two.names() == ["closed", "open"]
