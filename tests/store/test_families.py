"""Copies count once, at their original; subagents find their parents."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_tui.model import Filter
from recall_tui.store.copies import common
from recall_tui.store.kept import Kept
from tests.store.toy import line

T = 1_700_000_000_000


def rows(first: int, last: int, at: int = 0, mark: str = "r") -> str:
    """Lines first..last with record ids; `at` shifts their times."""
    return "".join(
        line(text=f"{mark}{n}", t=T + at + n * 1000, id=f"{mark}{n}") for n in range(first, last)
    )


def copied(desk) -> dict[str, tuple[int, str]]:
    """(copied messages, key of the main session) of every session, folded ones too."""
    every = desk.corpus.sessions(Filter(include_copies=True))
    return {s.name: (s.copied, s.parent.removeprefix("toy:")) for s in every}


@given(st.lists(st.integers(0, 3), max_size=30), st.lists(st.integers(0, 3), max_size=30))
def test_common_beginning(left, right):
    length = 0
    for a, b in zip(left, right, strict=False):
        if a != b:
            break
        length += 1
    assert common(left, right) == length


def test_a_session_that_goes_on_after_another_ended_is_its_copy(desk):
    desk.write("fork.jsonl", rows(0, 5), rows(5, 8, mark="f"))
    desk.write("main.jsonl", rows(0, 5))
    desk.sync()
    assert copied(desk) == {"fork": (5, "main"), "main": (0, "")}
    assert desk.corpus.coverage(Filter()).messages == 8
    assert desk.sync().messages == 8


def test_the_copy_is_known_whichever_comes_first(desk):
    desk.write("main.jsonl", rows(0, 5))
    desk.sync()
    desk.write("fork.jsonl", rows(0, 5), rows(5, 8, mark="f"))
    desk.sync()
    assert copied(desk) == {"fork": (5, "main"), "main": (0, "")}
    # The original goes on, later than the fork did: both have a part of their own.
    desk.append("main.jsonl", rows(5, 7, at=100_000))
    desk.sync()
    assert copied(desk)["fork"][0] + copied(desk)["main"][0] == 5


def test_when_both_go_on_the_earlier_own_part_is_the_originals(desk):
    desk.write("a.jsonl", rows(0, 5), rows(5, 7, at=50_000, mark="a"))
    desk.write("b.jsonl", rows(0, 5), rows(5, 7, at=10_000, mark="b"))
    desk.sync()
    assert copied(desk) == {"a": (5, "b"), "b": (0, "")}


def test_a_named_origin_beats_times(desk):
    desk.write("a.jsonl", rows(0, 5), rows(5, 7, at=50_000, mark="a"))
    meta = '{"meta": {"kind": "fork", "parent": "a"}}\n'
    desk.write("b.jsonl", meta, rows(0, 5), rows(5, 7, at=10_000, mark="b"))
    desk.sync()
    assert copied(desk) == {"a": (0, ""), "b": (5, "a")}


def test_a_copy_of_a_compacted_session_begins_with_its_summary(desk):
    """As Claude Code writes it: the last messages before the summary come after it."""
    summary = line("summary", "what was said", t=T + 3000, id="s")
    main = desk.write("main.jsonl", rows(0, 3), summary, rows(4, 6))
    copy = [summary, rows(2, 3), rows(4, 6)]
    desk.write("fork.jsonl", *copy, rows(7, 9, mark="f"))
    desk.sync()
    assert copied(desk) == {"fork": (4, "main"), "main": (0, "")}
    # One that was copied from the copy, and gave its messages new times.
    desk.write("a.jsonl", summary, rows(2, 3, at=50_000), rows(4, 6), rows(7, 8, mark="f", at=900))
    desk.sync()
    assert copied(desk)["a"] == (5, "main")
    main.unlink()
    desk.sync()
    assert copied(desk)["fork"] == (4, "main")  # gone from disk, not from the index
    desk.append("fork.jsonl", rows(10, 11, mark="f"))
    desk.sync()
    assert copied(desk)["fork"] == (4, "main")


def test_what_was_taken_back_stands_only_in_the_original(desk):
    desk.write("main.jsonl", rows(0, 6))
    desk.write("fork.jsonl", rows(0, 2), rows(4, 6), rows(7, 9, mark="f"))
    desk.sync()
    assert copied(desk) == {"fork": (4, "main"), "main": (0, "")}


def test_sessions_that_hold_each_others_beginning_lose_nothing(desk):
    one, two = (line("summary", text, t=T + 1, id=text) for text in ("one", "two"))
    desk.write("a.jsonl", one, two)
    desk.write("b.jsonl", two, one)
    desk.sync()
    assert sorted(count for count, _ in copied(desk).values()) == [0, 2]


def test_a_fork_without_record_ids_is_compared_by_content(desk):
    plain = [line(text=f"text {n}", t=T + n) for n in range(4)]
    desk.write("a.jsonl", *plain)
    meta = '{"meta": {"kind": "fork", "parent": "a"}}\n'
    desk.write("b.jsonl", meta, *plain, line(text="more", t=T + 9))
    desk.sync()
    assert copied(desk)["b"] == (4, "a")


def test_equal_words_alone_make_no_family(desk):
    desk.write("a.jsonl", line(text="hi", t=T), line("answer", "hello", t=T + 1))
    desk.write("b.jsonl", line(text="hi", t=T), line("answer", "hello", t=T + 1))
    desk.sync()
    assert copied(desk) == {"a": (0, ""), "b": (0, "")}
    assert desk.names() == ["a", "b"]


def test_equal_ids_of_different_texts_make_no_copy(desk):
    desk.write("a.jsonl", line(text="one", t=T, id="1"), line(text="two", t=T + 1, id="2"))
    desk.write("b.jsonl", line(text="one", t=T, id="1"), line(text="TWO", t=T + 1, id="2"))
    desk.sync()
    assert sorted(n for n, _ in copied(desk).values()) == [0, 1]


def test_one_native_id_for_all_sessions_makes_no_copies(desk):
    """As Gemini's `a2a-server`: equal openings of different sessions."""
    meta = '{"meta": {"native_id": "everybody"}}\n'
    for n in range(3):
        desk.write(f"s{n}.jsonl", meta, line(text="hi", t=T + n), line("answer", "hello", t=T + 9))
    desk.write("same.jsonl", meta, line(text="hi", t=T), line("answer", "hello", t=T + 9))
    desk.sync()
    # Only the one with the same start as another is its copy.
    assert sorted(n for n, _ in copied(desk).values()) == [0, 0, 0, 2]


def test_a_simple_id_shared_by_very_many_sessions_stays_quick(desk):
    for n in range(300):
        desk.write(f"s{n}.jsonl", line(text=f"unlike {n}", t=T + n, id="1"))
    start = time.process_time()
    desk.sync()
    desk.append("s7.jsonl", line(text="more", t=T, id="2"))
    desk.sync()
    assert time.process_time() - start < 5
    assert {n for n, _ in copied(desk).values()} == {0}


def test_a_full_copy_is_folded_under_its_original(desk):
    desk.write("a.jsonl", rows(0, 5))
    desk.write("b.jsonl", rows(0, 5))
    desk.sync()
    (listed,) = desk.names()
    folded = "b" if listed == "a" else "a"
    assert copied(desk) == {listed: (0, ""), folded: (5, listed)}
    assert desk.session(listed).children == 1
    assert [s.name for s in desk.corpus.sessions(Filter(sessions=(f"toy:{folded}",)))] == [folded]
    blocks = {b.session for b in desk.corpus.blocks(Filter())}
    assert blocks == {desk.session(listed).id}
    # The original vanishes and is forgotten: the copy stands for itself.
    (desk.source / f"{listed}.jsonl").unlink()
    desk.sync()
    assert desk.names() == [folded]


def test_a_copy_stands_for_itself_once_its_original_is_removed(desk):
    desk.write("a.jsonl", rows(0, 5))
    desk.write("b.jsonl", rows(0, 5), rows(5, 6, mark="b"))
    desk.sync()
    assert copied(desk)["b"][0] == 5
    desk.sync(Kept(left_out=("*/a.jsonl",)))
    assert copied(desk) == {"b": (0, "")}


def test_three_generations(desk):
    desk.write("a.jsonl", rows(0, 4))
    desk.write("b.jsonl", rows(0, 4), rows(4, 8, at=10_000, mark="b"))
    desk.write("c.jsonl", rows(0, 4), rows(4, 8, at=10_000, mark="b"), rows(8, 9, mark="c"))
    desk.sync()
    assert {name: n for name, (n, _) in copied(desk).items()} == {"a": 0, "b": 4, "c": 8}
    assert desk.corpus.coverage(Filter()).messages == 9


@pytest.mark.contract("S3-56")
def test_subagents_know_their_parent_whichever_comes_first(desk):
    desk.write("m/sub/agent1.jsonl", line("delegation", "do", t=T))
    desk.sync()
    assert copied(desk) == {"agent1": (0, "")}
    desk.write("m.jsonl", line(text="go", t=T))
    desk.write("m/sub/agent2.jsonl", line("delegation", "do too", t=T))
    desk.sync()
    assert copied(desk) == {"agent1": (0, "m"), "agent2": (0, "m"), "m": (0, "")}
    assert desk.session("m").children == 2


def test_a_subagent_outlives_its_parent(desk):
    desk.write("m.jsonl", line(text="go", t=T))
    desk.write("m/sub/agent1.jsonl", line("delegation", "do", t=T))
    desk.sync()
    assert copied(desk)["agent1"] == (0, "m")
    desk.sync(Kept(left_out=("*/m.jsonl",)))
    assert copied(desk) == {"agent1": (0, "")}


def test_a_nested_subagent_belongs_to_the_main_session(desk):
    def agent(name: str, parent: str) -> None:
        meta = f'{{"meta": {{"kind": "subagent", "parent": "{parent}"}}}}\n'
        desk.write(f"{name}.jsonl", meta, line("delegation", name, t=T))

    agent("deep", "middle")
    agent("middle", "top")
    desk.write("top.jsonl", line(text="go", t=T))
    agent("lost", "never indexed")
    agent("ring1", "ring2")
    agent("ring2", "ring1")
    desk.sync()
    found = copied(desk)
    assert (found["deep"][1], found["middle"][1], found["lost"][1]) == ("top", "top", "")
    assert desk.session("top").children == 2
    assert [s.name for s in desk.corpus.sessions(Filter(mains_only=True))] == ["top"]


def test_many_sessions_at_once_give_what_one_by_one_gives(desk, tmp_path):
    from recall_tui.store.sync.run import sync
    from tests.store.conftest import Desk

    for n in range(30):
        desk.write(
            f"s{n:02}.jsonl", rows(0, 3, mark=f"g{n // 3}"), rows(3, 3 + n % 3, mark=f"o{n}")
        )
        desk.sync()
    other = Desk.__new__(Desk)
    other.index, other._corpora = str(tmp_path / "x" / "index.db"), []
    sync(other.index, desk.places)
    assert {k: v[0] for k, v in copied(desk).items()} == {k: v[0] for k, v in copied(other).items()}
    other.close()


def test_of_three_copies_the_one_with_the_first_times_is_the_original(desk):
    """A resume that writes the history anew gives all of it one time, that of the resume."""

    def anew(last: int, at: int) -> list[str]:
        return [line(text=f"r{n}", t=T + at, id=f"r{n}") for n in range(last)]

    desk.write("a.jsonl", *anew(5, 300_000), rows(0, 2, at=310_000, mark="a"))
    desk.write("b.jsonl", *anew(4, 200_000), rows(4, 6, at=210_000))
    desk.write("c.jsonl", rows(0, 4), rows(0, 2, at=400_000, mark="c"))
    desk.sync()
    assert copied(desk) == {"a": (5, "c"), "b": (4, "c"), "c": (0, "")}


def test_the_middle_one_of_three_is_no_original(desk):
    """The first went on after it was resumed, and the resume was resumed."""
    desk.write("first.jsonl", rows(0, 5), rows(5, 8, at=50_000))
    desk.write("middle.jsonl", rows(0, 5), rows(0, 3, at=90_000, mark="m"))
    desk.write("last.jsonl", rows(0, 5), rows(0, 3, at=90_000, mark="m"), rows(0, 2, 200_000, "l"))
    desk.sync()
    assert copied(desk) == {"first": (0, ""), "middle": (5, "first"), "last": (8, "first")}


def test_two_forks_of_a_session_that_is_not_there_share_its_history(desk):
    """Codex writes no record ids."""
    plain = [line(text=f"text {n}", t=T + n) for n in range(4)]
    for name in "ab":
        meta = (
            f'{{"meta": {{"kind": "fork", "parent": "gone"}}}}\n{line(text=f"own {name}", t=T + 9)}'
        )
        first, own = meta.splitlines(keepends=True)
        desk.write(f"{name}.jsonl", first, *plain, own)
    desk.sync()
    assert desk.corpus.coverage(Filter()).messages == 6


@pytest.mark.parametrize("first", ["a", "b"])
def test_of_equal_sessions_the_first_by_path_counts_whichever_was_indexed_first(desk, first):
    for name in sorted("ab", key=lambda name: name != first):
        desk.write(f"{name}.jsonl", rows(0, 3))
        desk.sync()
    assert copied(desk) == {"a": (0, ""), "b": (3, "a")}


def test_an_origin_among_many_new_sessions_finds_a_fork_indexed_before(desk):
    plain = [line(text=f"text {n}", t=T + n) for n in range(4)]
    desk.write("fork.jsonl", '{"meta": {"kind": "fork", "parent": "origin"}}\n', *plain)
    desk.sync()
    for number in range(20):
        desk.write(f"s{number}.jsonl", rows(0, 2, mark=f"s{number}-"))
    desk.write("origin.jsonl", *plain, line(text="later", t=T + 9))
    desk.sync()
    assert copied(desk)["fork"] == (4, "origin")
