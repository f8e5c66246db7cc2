"""What commands printed that no output holds: cut outputs, and commands that run on."""

from __future__ import annotations

import pytest

from recall_tui.model import Kind
from tests.harnesses.codex.build import Rollout


def head(*lines: str) -> str:
    return "\n".join(("Chunk ID: a1", "Wall time: 0.3 seconds", *lines, "Output:", ""))


RUNS = head("Process running with session ID 7")
ENDED = head("Process exited with code 0")


def over(rollout: Rollout, call: int, printed: str, code: int = 0, number: str = "7") -> Rollout:
    """The end of a command, as 0.171 tells of it."""
    return rollout.completed(
        "CommandExecution", id=f"call_{call}", process_id=number, aggregated_output=printed,
        exit_code=code, command=["bash", "-lc", "make"], duration={"secs": 2, "nanos": 0},
    )  # fmt: skip


def begun() -> Rollout:
    return Rollout().event("task_started").newest_prompt("go").call("exec_command", {"cmd": "make"})


def results(messages) -> list[str]:
    return [m.text for m in messages if m.kind is Kind.TOOL_RESULT]


def test_an_output_that_was_cut_for_the_model_is_shown_whole(read):
    rollout = over(begun(), 1, "one\ntwo\nthree\n").output(ENDED + "one\n…\nthree\n")
    rollout.call("exec_command", {"cmd": "make"})
    over(rollout, 2, "no\nway\nout\n", 2).output(head("Process exited with code 2") + "no\nout\n")
    assert results(read(rollout)[0]) == [
        "one\ntwo\nthree\n", "Process exited with code 2\nno\nway\nout\n",
    ]  # fmt: skip


def test_an_output_that_says_more_than_the_event_stays(read):
    assert results(read(over(begun(), 1, "on").output(ENDED + "one\n"))[0]) == ["one\n"]


@pytest.mark.parametrize("end", ["task_complete", "turn_aborted", "task_started"])
def test_what_a_command_prints_behind_its_output_is_shown_when_the_turn_ends(read, end):
    rollout = over(begun().output(RUNS + "one\n"), 1, "one\ntwo\n", 1)
    rollout.newest_answer("it runs").event(end)
    messages, _ = read(rollout)
    assert results(messages) == ["Process running with session ID 7\none\n", "two\n"]
    late = next(m for m in messages if m.text == "two\n")
    assert (late.tool, late.call, late.failed, late.duration_ms) == (
        "exec_command", "call_1", True, 2000,
    )  # fmt: skip


def test_a_command_that_ends_after_its_turn_is_heard(read):
    rollout = begun().output(RUNS + "one\n").newest_answer("it runs").event("task_complete")
    assert results(read(over(rollout, 1, "one\ntwo\n"))[0])[1:] == ["two\n"]


def test_a_command_of_an_interrupted_turn_is_heard_when_it_ends(read):
    rollout = begun().output("Wall time: 3.5 seconds\naborted by user").event("turn_aborted")
    rollout.event("task_started").newest_prompt("and?").event("task_complete")
    assert results(read(over(rollout, 1, "one\n"))[0])[1:] == ["one\n"]


def test_what_is_asked_for_is_shown_once(read):
    rollout = begun().output(RUNS + "one\n")
    rollout.call("write_stdin", {"session_id": 7, "chars": ""}).output(RUNS + "two\n")
    over(rollout, 1, "one\ntwo\nthree\nfour\n")
    rollout.call("write_stdin", {"session_id": 7, "chars": ""}).output(ENDED + "three\n…\n")
    rollout.event("task_complete")
    running = "Process running with session ID 7"
    assert results(read(rollout)[0]) == [f"{running}\none\n", f"{running}\ntwo\n", "three\nfour\n"]


def test_nothing_new_is_nothing_to_show(read):
    rollout = over(begun().output(RUNS + "one\n"), 1, "one\n").event("task_complete")
    over(rollout, 9, "of a call that nobody made", number="8").event("task_complete")
    assert len(results(read(rollout)[0])) == 1


@pytest.mark.parametrize("arguments", ['{"session_id":', "[7]", '{"session_id":{"a":1}}', '"7"'])
def test_whatever_a_poll_holds_it_is_read(read, arguments):
    rollout = begun().output(RUNS + "one\n").call("write_stdin", arguments).output("two")
    assert results(read(rollout)[0])[1:] == ["two"]


def test_many_commands_that_run_on_are_remembered_to_a_bound(read):
    rollout = Rollout().newest_prompt("go")
    for number in range(200):
        rollout.call("exec_command", {"cmd": "make"})
        rollout.output(head(f"Process running with session ID {number}"))
    _, transcript = read(rollout)
    assert len(transcript.state.processes.running) <= 64


SCRIPT = "Script completed\nWall time 0.1 seconds\nOutput:\n"


def scripted(shown: str, *printed: tuple[str, int]) -> Rollout:
    """A script that calls commands, as 0.171 writes it."""
    rollout = Rollout().event("task_started").newest_prompt("go")
    rollout.item("custom_tool_call", name="exec", input="text(1)", call_id="c1")
    for number, (text, code) in enumerate(printed):
        rollout.completed(
            "CommandExecution", id=f"exec-{number}", aggregated_output=text, exit_code=code,
            command=["bash", "-lc", "make"],
        )  # fmt: skip
    return rollout.item("custom_tool_call_output", call_id="c1", output=SCRIPT + shown)


def test_what_the_commands_of_a_script_print_is_shown_with_it(read):
    messages, _ = read(scripted("only this", ("one\n", 0), ("only this\n", 0), (" \n", 0)))
    assert results(messages) == ["only this\none\n"]
    assert not messages[-1].failed
    assert messages[-1].duration_ms == 100


def test_a_script_with_a_command_that_fails_has_failed(read):
    rollout = scripted("", ("no\n", 3))
    rollout.item("custom_tool_call", name="exec", input="text(2)", call_id="c2")
    rollout.item("custom_tool_call_output", call_id="c2", output=SCRIPT + "fine")
    messages, _ = read(rollout)
    ended = [(m.text, m.failed) for m in messages if m.kind is Kind.TOOL_RESULT]
    assert ended == [("no\n", True), ("fine", False)]


def test_a_command_that_outlives_its_script_is_heard_when_the_turn_ends(read):
    rollout = scripted("begun")
    rollout.completed("CommandExecution", id="exec-9", aggregated_output="late\n", exit_code=0)
    assert results(read(rollout)[0]) == ["begun"]
    assert results(read(rollout.event("task_complete"))[0]) == ["begun", "late\n"]
