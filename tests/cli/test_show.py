"""`recall show`."""

from __future__ import annotations

import pytest

from recall_tui.cli.show import near
from recall_tui.model import Kind
from tests.cli.fake import BUDGET, CHINESE, HELPER, NOON, FakeHistory, empty, session, talk


def positions(run, *words: str) -> list[int]:
    return [m["position"] for m in run("show", *words, "--json").json["messages"]]


@pytest.mark.parametrize(
    "name", [BUDGET, "8d7c5cf2-3d0b-4b5e-8b3b-1f7e9a8d1c22", "8d7c5cf2",
             "/h/8d7c5cf2-3d0b-4b5e-8b3b-1f7e9a8d1c22.jsonl"]
)  # fmt: skip
def test_a_session_has_many_names(run, name) -> None:
    answer = run("show", name, "--json").json
    assert answer["session"]["key"] == BUDGET
    assert answer["state"] == "session"
    assert [m["position"] for m in answer["messages"]] == [0, 1, 2, 3, 4, 5]


@pytest.mark.contract("S3-32")
def test_a_reference_shows_three_neighbours_and_reads_no_more(run, fake) -> None:
    answer = run("show", f"{BUDGET}#1~1001", "--json").json
    assert [m["position"] for m in answer["messages"]] == [0, 1, 2, 3, 4]
    assert (answer["position"], answer["state"], answer["total"]) == (1, "same", 6)
    assert ("messages", 0, 5) in fake.asked


def test_a_reference_with_a_short_id(run) -> None:
    assert positions(run, "claude:8d7c5cf2#2", "--around", "1") == [1, 2, 3]
    assert positions(run, f"{BUDGET}#2", "--around", "1") == [1, 2, 3]


def test_tail_and_all(run) -> None:
    assert positions(run, BUDGET, "--tail", "2") == [4, 5]
    assert positions(run, BUDGET, "--tail", "99") == [0, 1, 2, 3, 4, 5]
    assert positions(run, f"{BUDGET}#0", "--all") == [0, 1, 2, 3, 4, 5]
    assert positions(run, f"{BUDGET}#0", "--tail", "1") == [5]


@pytest.mark.contract("S3-35")
def test_prompts_are_counted_before_tail_and_around(run) -> None:
    assert positions(run, BUDGET, "--prompts") == [0, 4]
    assert positions(run, BUDGET, "--prompts", "--tail", "1") == [4]
    assert positions(run, f"{BUDGET}#2", "--prompts", "--around", "1") == [0, 4]
    assert positions(run, f"{BUDGET}#0", "--prompts", "--around", "1") == [0, 4]


@pytest.mark.contract("S3-36")
def test_a_session_without_times_or_messages(run) -> None:
    assert positions(run, f"{HELPER}#0", "--around", "5") == [0]
    assert "count the context windows" in run("show", HELPER).out
    bare = FakeHistory({session("pi:bare-session", "Bare"): []})
    ran = run("show", "pi:bare-session#3", "--around", "2", history=bare)
    assert ran.code == 1
    assert "no message #3 in pi:bare-session" in ran.err
    assert run("show", "pi:bare-session", history=bare).code == 1


def test_a_changed_message_is_said_to_be_changed(run) -> None:
    ran = run("show", f"{BUDGET}#1~ffff")
    assert ran.code == 0
    assert "changed:" in ran.err
    assert run("show", f"{BUDGET}#1~ffff", "--json").json["state"] == "changed"


def test_text_marks_the_message_that_was_meant(run) -> None:
    out = run("show", f"{BUDGET}#2").out
    assert "▸ 12:02  Bash  #2~1002  40ms" in out
    assert "  12:03  output  #3~1003  failed" in out
    assert "▣ screen.png  1280×800  412 KB  image/png" in out
    assert "── 2026-11-28" in out
    assert "change it, my token is [redacted:github-pat ghp_…x9Zk]" in out


def test_long_messages_are_cut_and_say_so(run) -> None:
    cut = run("show", BUDGET)
    assert "KB in all; --full)" in cut.out
    whole = run("show", BUDGET, "--full")
    assert len(whole.out) > len(cut.out)
    assert "--full)" not in whole.out
    assert run("show", BUDGET, "--json", "--full").json["messages"][5]["cut"] is False


def test_a_part_says_what_it_is_part_of(run) -> None:
    assert "2 of 6 messages; --all" in run("show", BUDGET, "--tail", "2").err
    assert "1 of 2 prompts; --all" in run("show", BUDGET, "--prompts", "--tail", "1").err


@pytest.mark.contract("S3-33")
def test_an_unknown_name_is_an_error_on_stderr(run) -> None:
    ran = run("show", "nowhere")
    assert (ran.code, ran.out) == (1, "")
    assert "no session or message is called 'nowhere'" in ran.err
    assert run("show", "claude:nowhere#3").code == 1
    assert run("show", "x", history=empty()).code == 3


def test_a_beginning_shared_with_subagents_means_the_session(run) -> None:
    main = session("claude:abcdefgh-1", "x")
    helper = session("claude:abcdefgh-1/agent-2", "y", parent=main.key)
    family = FakeHistory({s: talk(s.key, NOON, (Kind.ANSWER, "hi")) for s in (main, helper)})
    assert run("show", "abcdefgh", "--json", history=family).json["session"]["key"] == main.key
    whole = run("show", "abcdefgh-1/agent-2#0", "--json", history=family).json
    assert whole["session"]["key"] == helper.key


def test_an_ambiguous_beginning_lists_the_sessions(run) -> None:
    two = FakeHistory({session(f"pi:abcdefgh-{n}", "x"): [] for n in range(2)})
    ran = run("show", "abcdefgh", history=two)
    assert ran.code == 2
    assert "pi:abcdefgh-0, pi:abcdefgh-1" in ran.err


@pytest.mark.parametrize("words", [["--tail", "1", "--all"], ["--around", "1", "--tail", "2"],
                                   ["--around", "2"]])  # fmt: skip
def test_options_that_exclude_each_other(run, words) -> None:
    assert run("show", CHINESE, *words).code == 2


def test_near() -> None:
    assert list(near(range(10), 4, 2)) == [2, 3, 4, 5, 6]
    assert list(near(range(10), 0, 2)) == [0, 1, 2]
    assert list(near(range(10), 99, 2)) == [8, 9]
    assert list(near([1, 5, 9], 6, 1)) == [5, 9]
    assert list(near([], 6, 1)) == []


def test_neighbours_are_read_together(run) -> None:
    long = FakeHistory({
        session("pi:long-session", "x"): talk(
            "pi:long-session", NOON, *[(Kind.ANSWER, f"line {n}") for n in range(500)]
        )
    })  # fmt: skip
    ran = run("show", "pi:long-session#250", history=long)
    assert ran.code == 0
    assert ("messages", 247, 254) in long.asked
    assert len(run("show", "pi:long-session", "--json", history=long).json["messages"]) == 30
