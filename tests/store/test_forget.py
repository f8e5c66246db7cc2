"""Forgotten means: in no file of ours, and never read again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from recall_tui.harnesses.base import Facts
from recall_tui.model import Filter
from recall_tui.search.cold import ColdCorpus
from recall_tui.store.forget import forget
from recall_tui.store.kept import Kept
from recall_tui.store.sync.pending import pending
from recall_tui.store.user import UserStore, mark_of
from tests.store.test_sync import counts
from tests.store.toy import Toy, line

T = 1_700_000_000_000
WORD = "Unforgettable"


@pytest.fixture
def user(desk):
    made = UserStore(str(Path(desk.index).parent / "user.db"))
    yield made
    made.close()


def traces(desk, *words: str) -> list[str]:
    """Files of ours that hold one of the words in any case."""
    found = []
    for folder, _, names in os.walk(Path(desk.index).parent):
        for name in names:
            data = Path(folder, name).read_bytes().lower()
            found += [name for word in words if word.lower().encode() in data]
    return found


def noise(seed: int) -> str:
    """Text that zstd cannot shorten, so that stored bodies show it."""
    import hashlib

    return "".join(hashlib.sha256(f"{seed} {n}".encode()).hexdigest() for n in range(40))


@pytest.mark.contract("X-10")
def test_no_byte_remains_after_many_rewritings(desk, user):
    meta = f'{{"meta": {{"title": "{WORD} title", "cwd": "/{WORD}"}}}}\n'
    desk.write("a.jsonl", meta, line(text=f"{WORD} zero", t=T))
    desk.write("b.jsonl", line(text="stays", t=T))
    desk.sync()
    # Every append replaces the tail block: each leaves its text in freed pages unless cleared.
    for n in range(6):
        desk.append("a.jsonl", line("answer", f"{WORD} {n} {noise(n)}", t=T + n, call=WORD))
        desk.sync()
    desk.sync(rebuild=True)
    assert "index.db" in traces(desk, WORD)
    user.add_note("toy:a", 0, f"note on {WORD}")
    desk.corpus.close()
    desk._corpora.clear()
    result = forget(desk.index, user, ["toy:a", "toy:unknown"])
    assert result.keys == ["toy:a"]
    assert result.left == [str(desk.source / "a.jsonl")]
    assert result.clean
    assert traces(desk, WORD, noise(3)[:40]) == []
    assert desk.names() == ["b"]
    assert user.notes() == []


@pytest.mark.contract("X-10")
def test_it_does_not_come_back(desk, user):
    path = desk.write("a.jsonl", line(text=WORD, t=T))
    desk.write("b.jsonl", line(text="stays", t=T))
    desk.sync()
    forget(desk.index, user, ["toy:a"])
    for options in ({}, {"verify": True}, {"rebuild": True}):
        progress = desk.sync(Kept(user.tombstones()), **options)
        assert progress.seen == 1
        assert desk.names() == ["b"]
    path.rename(desk.source / "moved.jsonl")
    (desk.source / "x").mkdir()
    (desk.source / "moved.jsonl").rename(desk.source / "x" / "a.jsonl")
    desk.append("x/a.jsonl", line(text="more", t=T))
    desk.sync(Kept(user.tombstones()))
    assert desk.names() == ["b"]
    assert user.tombstones().mark.split()[0] == "1"
    assert traces(desk, WORD) == []


def test_a_tombstone_holds_no_text(desk, user):
    desk.write("private-name.jsonl", line(text=WORD, t=T))
    desk.sync()
    forget(desk.index, user, ["toy:private-name"])
    assert traces(desk, "private-name", WORD) == []
    assert mark_of("toy", "private-name") != mark_of("box", "private-name")


def test_one_of_two_sessions_of_an_id_can_be_forgotten(desk, user):
    desk.write("x/a.jsonl", line(text="one", t=T))
    desk.write("y/a.jsonl", line(text="two", t=T))
    desk.sync()
    first, second = desk.corpus.find("a")
    forget(desk.index, user, [first.key])
    desk.sync(Kept(user.tombstones()))
    assert [s.path for s in desk.corpus.sessions(Filter())] == [second.path]


def test_all_sessions_of_an_id_are_forgotten_wherever_they_go(desk, user):
    """As a session that moved and changed between two looks: its old state is kept beside it."""
    path = desk.write("x/a.jsonl", line(text="one", t=T))
    desk.write("y/a.jsonl", line(text="two", t=T))
    desk.sync()
    forget(desk.index, user, [session.key for session in desk.corpus.find("a")])
    path.rename(desk.source / "a.jsonl")
    desk.sync(Kept(user.tombstones()))
    assert desk.names() == []


def test_a_killed_forget_is_finished_by_the_next_sync(desk, user):
    """The tombstone is written first."""
    desk.write("a.jsonl", line(text=WORD, t=T))
    desk.sync()
    user.bury([(mark_of("toy", "a"), b"")])
    assert counts(desk.sync(Kept(user.tombstones()))) == {"removed": 1}
    assert traces(desk, WORD) == []


def test_copies_in_other_sessions_are_named(desk, user):
    desk.write("a.jsonl", line(text=WORD, t=T, id="r1"))
    desk.write("b.jsonl", line(text=WORD, t=T, id="r1"), line(text="own", t=T + 1, id="r2"))
    desk.sync()
    result = forget(desk.index, user, ["toy:a"])
    assert result.copies == ["toy:b"]
    assert desk.session("b").copied == 0


def test_the_original_of_a_copy_is_named(desk, user):
    desk.write("a.jsonl", line(text=WORD, t=T, id="r1"))
    desk.write("b.jsonl", line(text=WORD, t=T, id="r1"), line(text="own", t=T + 1, id="r2"))
    desk.sync()
    assert forget(desk.index, user, ["toy:b"]).copies == ["toy:a"]


def test_a_reader_that_holds_an_old_state_is_told_of(desk, user):
    desk.write("a.jsonl", line(text=WORD, t=T))
    desk.write("b.jsonl", line(text="stays", t=T))
    desk.sync()
    blocks = desk.corpus.blocks(Filter())
    next(blocks)
    result = forget(desk.index, user, ["toy:a"])
    assert not result.clean
    blocks.close()
    desk.sync(Kept(user.tombstones()))
    assert traces(desk, WORD) == []


def test_a_vanished_session_can_be_forgotten(desk, user):
    path = desk.write("a.jsonl", line(text=WORD, t=T))
    desk.sync()
    path.unlink()
    desk.sync()
    assert forget(desk.index, user, ["toy:a"]).left == []
    assert traces(desk, WORD) == []


# ---------------------------------------------------------------- under another name


def stated(name: str) -> str:
    return f'{{"meta": {{"stated_id": "{name}"}}}}\n'


@pytest.mark.contract("X-10")
@pytest.mark.parametrize("copied", [False, True])
def test_it_does_not_come_back_under_another_name(desk, user, copied):
    path = desk.write("a.jsonl", stated("a"), line(text=WORD, t=T))
    desk.write("b.jsonl", line(text="stays", t=T))
    desk.sync()
    forget(desk.index, user, ["toy:a"])
    desk.write("other.jsonl", path.read_text("utf-8"), line(text="more", t=T + 1))
    if not copied:
        path.unlink()
    for options in ({}, {"verify": True}, {"rebuild": True}):
        kept = Kept(user.tombstones())
        assert desk.sync(kept, **options).seen == 1
        assert desk.names() == ["b"]
        assert pending(desk.index, desk.places, kept).sources == []  # looked into once
        assert desk.sync(kept).seen == 1
    desk.append("other.jsonl", line(text=f"{WORD} again", t=T + 2))
    desk.sync(Kept(user.tombstones()))
    assert desk.names() == ["b"]
    assert traces(desk, WORD) == []


@pytest.mark.contract("X-10")
@pytest.mark.parametrize("forgotten", ["forget", "killed", "rebuild"])
def test_known_by_the_name_of_its_file_it_does_not_come_back_under_its_own(desk, user, forgotten):
    path = desk.write("copy.jsonl", stated("a"), line(text=WORD, t=T))
    desk.write("b.jsonl", line(text="stays", t=T))
    desk.sync()
    forget(desk.index, user, ["toy:copy"])
    if forgotten == "killed":  # as if only the tombstones had been written
        Path(desk.index).unlink()
        desk.sync()
        assert desk.sync(Kept(user.tombstones())).seen == 1
    path.rename(desk.source / "a.jsonl")
    desk.sync(Kept(user.tombstones()), rebuild=forgotten == "rebuild")
    assert desk.names() == ["b"]


def test_of_two_files_of_an_id_the_one_forgotten_stays_so_wherever_it_goes(desk, user):
    """As two of Gemini's: the second is known by the name of its file while the first is there."""
    first = desk.write("a.jsonl", stated("a"), line(text="one", t=T, id="r1"))
    second = desk.write("session-2.jsonl", stated("a"), line(text=WORD, t=T, id="r2"))
    desk.sync()
    forget(desk.index, user, ["toy:session-2"])
    for options in ({}, {"rebuild": True}):
        desk.sync(Kept(user.tombstones()), **options)
        assert desk.names() == ["a"]
    second.rename(desk.source / "session-3.jsonl")
    desk.sync(Kept(user.tombstones()))
    assert desk.names() == ["a"]
    first.unlink()
    (desk.source / "x").mkdir()
    (desk.source / "session-3.jsonl").rename(desk.source / "x" / "a.jsonl")
    for options in ({}, {"rebuild": True}):
        desk.sync(Kept(user.tombstones()), **options)
        assert desk.texts("a") == ["one"]  # the other's, whose file is gone


def test_the_other_of_two_files_of_an_id_stays_when_the_first_is_forgotten(desk, user):
    desk.write("a.jsonl", stated("a"), line(text=WORD, t=T, id="r1"))
    desk.write("session-2.jsonl", stated("a"), line(text="two", t=T, id="r2"))
    desk.sync()
    forget(desk.index, user, ["toy:a"])
    for options in ({}, {"rebuild": True}):
        desk.sync(Kept(user.tombstones()), **options)
        assert desk.names() == ["session-2"]
    desk.append("session-2.jsonl", line(text="more", t=T + 1, id="r3"))
    desk.sync(Kept(user.tombstones()))
    assert desk.texts("session-2") == ["two", "more"]


def test_a_subagent_that_is_forgotten_does_not_take_its_main_session_along(desk, user):
    born = '{"meta": {"kind": "subagent", "parent": "a", "stated_id": "a"}}\n'
    path = desk.write("agent.jsonl", born, line(text=WORD, t=T, id="s1"))
    desk.sync()
    forget(desk.index, user, ["toy:agent"])
    desk.write("a.jsonl", stated("a"), line(text="main", t=T, id="r1"))
    path.rename(desk.source / "other.jsonl")
    desk.sync(Kept(user.tombstones()))
    assert desk.names() == ["a"]


def test_what_only_the_end_of_a_long_file_tells_leaves_no_byte_either(desk, user, monkeypatch):
    """Its first blocks are stored before its last line is read."""
    monkeypatch.setattr("recall_tui.store.writer.DRAFT_BYTES", 50_000)
    desk.write("a.jsonl", line(text=WORD, t=T))
    desk.sync()
    forget(desk.index, user, ["toy:a"])
    long = [line(text=f"{WORD} {noise(n)} " * 30, t=T + n) for n in range(40)]
    desk.write("other.jsonl", *long, stated("a"))
    desk.sync(Kept(user.tombstones()))
    assert desk.names() == []
    assert traces(desk, WORD, noise(3)[:40]) == []


def test_a_file_into_which_others_were_copied_is_none_of_them(desk, user):
    desk.write("a.jsonl", stated("a"), line(text="one", t=T))
    desk.sync()
    forget(desk.index, user, ["toy:a"])
    kept = Kept(user.tombstones())
    desk.write("b.jsonl", line(text="one", t=T), line(text="own", t=T + 1))
    facts = Facts()
    for native_id in ("a", "b", "a", ""):
        facts.saw_id(native_id)
    assert not kept.unwanted.covers("toy", facts, 0)
    desk.sync(kept)
    assert desk.names() == ["b"]


@pytest.mark.contract("X-10")
@pytest.mark.parametrize("where", ["a/sub/new.jsonl", "new.jsonl"])
def test_a_later_subagent_of_it_is_forgotten_with_it(desk, user, where):
    desk.write("a.jsonl", line(text=WORD, t=T))
    desk.write("b.jsonl", line(text="stays", t=T))
    desk.sync()
    forget(desk.index, user, ["toy:a"])
    born = '{"meta": {"kind": "subagent", "parent": "a"}}\n'
    desk.write(where, born, line(text=f"{WORD} later", t=T + 1))
    kept = Kept(user.tombstones())
    cold = ColdCorpus([(Toy(), source) for source in Toy().discover(str(desk.source), [])
                       if not kept.refuses(source)], kept.unwanted)  # fmt: skip
    assert [s.native_id for s in cold.sessions(Filter())] == ["b"]
    desk.sync(kept)
    assert desk.names() == ["b"]


def test_a_fork_of_it_is_a_session_of_its_own(desk, user):
    desk.write("a.jsonl", line(text="one", t=T))
    desk.sync()
    forget(desk.index, user, ["toy:a"])
    born = '{"meta": {"kind": "fork", "parent": "a"}}\n'
    desk.write("f.jsonl", born, line(text="two", t=T + 1))
    desk.sync(Kept(user.tombstones()))
    assert desk.names() == ["f"]
