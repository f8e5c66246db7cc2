"""A session as turns, in bounded memory."""

from __future__ import annotations

from recall_tui.model import Flag, Kind
from recall_tui.playbooks.acts import Doing, touched
from recall_tui.playbooks.turns import HEAD_CHARS, all_turns, last_turns, positions_of
from tests.playbooks.build import answer, call, edit, notice, past, prompt, result, run


def test_turns_begin_with_prompts_and_pair_calls_with_results() -> None:
    history, session = past(
        prompt("one"), call("Bash", "a", "1"), call("Bash", "b", "2"), result("B", "2"),
        result("A", "1"), answer("done"), prompt("two"), call("Bash", "c", "3"),
    )  # fmt: skip
    first, second = last_turns(history, session, 30, 100)
    assert [(a.call.text, a.result.text) for a in first.acts if a.result] == [
        ("a", "A"),
        ("b", "B"),
    ]
    assert first.answer is not None and first.answer.text == "done"
    assert second.acts[0].result is None


def test_only_the_last_turns_are_read() -> None:
    history, session = past(*[prompt(f"p{n}") for n in range(100)])
    history.asked.clear()
    turns = last_turns(history, session, 30, 1000)
    assert [t.prompt.text for t in turns if t.prompt] == [f"p{n}" for n in range(70, 100)]
    assert min(a[1] for a in history.asked if a[2] is not None) == 70


def test_of_an_endless_turn_the_prompt_and_the_end_are_kept() -> None:
    history, session = past(prompt("go"), *[answer(f"a{n}") for n in range(3000)])
    (turn,) = last_turns(history, session, 30, 50)
    assert turn.prompt is not None and turn.prompt.text == "go"
    assert turn.answers[-1].text == "a2999"
    assert len(turn.answers) == 50


def test_what_was_rewound_or_said_aside_is_left_out() -> None:
    history, session = past(
        prompt("kept"), prompt("rewound", flags=int(Flag.ABANDONED)),
        answer("by a subagent", flags=int(Flag.SIDECHAIN)), answer("said"),
    )  # fmt: skip
    (turn,) = last_turns(history, session, 30, 100)
    assert [a.text for a in turn.answers] == ["said"]


def test_copies_are_no_turns_of_their_own() -> None:
    history, session = past(prompt("theirs"), answer("a"), prompt("mine"), copied=2)
    turns, rest = all_turns(history, session, 100)
    assert [t.prompt.text for t in turns if t.prompt] == ["mine"]
    assert rest == 0
    assert positions_of(history, session, [Kind.PROMPT]) == [2]


def test_what_the_program_puts_in_opens_no_turn() -> None:
    history, session = past((Kind.INJECTED, "context"), notice("started"), prompt("go"))
    (turn,) = last_turns(history, session, 30, 100)
    assert turn.prompt is not None and turn.prompt.text == "go"


def test_a_long_text_keeps_its_ends_and_a_long_patch_its_files() -> None:
    patch = "*** Update File: a.py\n" + "x\n" * 9000 + "*** Update File: z.py\n" + "y\n" * 9000
    history, session = past(
        prompt("p" * 50_000), call("apply_patch", patch, seen=0), result("E" * 9000 + "the error")
    )
    (turn,) = last_turns(history, session, 30, 100)
    act = turn.acts[0]
    assert touched(act.call, "/w") == ("/w/a.py", "/w/z.py")
    assert act.result is not None and act.result.text.endswith("the error")
    assert turn.prompt is not None and len(turn.prompt.text) < HEAD_CHARS + 3000


def test_edited_files_come_once_and_failures_not_at_all() -> None:
    history, session = past(
        prompt("go"), *edit("/w/a.py"), *edit("/w/a.py"),
        call("Edit", "/w/b.py", "f"), result("no match", "f", failed=True), *run("ls"),
    )  # fmt: skip
    (turn,) = last_turns(history, session, 30, 100)
    assert turn.edited("/w") == ("/w/a.py",)
    assert turn.deeds("/w") == "4 tool calls · 1 failed · edited a.py"
    assert len(turn.did(Doing.RUN)) == 1
