"""A file read while it grows gives what one read gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_tui.harnesses.codex import Codex
from recall_tui.model import Kind
from tests.harnesses.codex.build import NAME, Rollout
from tests.harnesses.codex.conftest import told
from tests.harnesses.steps import in_steps, source_of, whole

if TYPE_CHECKING:
    from pathlib import Path

WORDS = st.sampled_from(["go on", "yes", "why is that so, and since when?", "再来一次", "the end"])
ANSWERS = st.sampled_from(["Done.", "I looked at all of it and it is fine.", "好的,完成了。"])

ACTIONS = st.one_of(
    st.tuples(st.just("prompt"), WORDS),
    st.tuples(st.just("newest_prompt"), WORDS),
    st.tuples(st.just("answer"), ANSWERS),
    st.tuples(st.just("newest_answer"), ANSWERS),
    st.tuples(st.sampled_from(
        ["lonely item", "lonely event", "call", "lonely call", "noise", "abort", "compacted",
         "settings", "error", "rename", "runs on", "over", "poll", "turn",
         "script"]), WORDS),
)  # fmt: skip
CUTS = st.lists(st.floats(0, 1), max_size=6)


def play(rollout: Rollout, actions: list[tuple[str, str]]) -> None:
    for action, text in actions:
        match action:
            case "lonely item":
                rollout.said("user", text)
            case "lonely event":
                rollout.event("user_message", message=text)
            case "call":
                rollout.call("exec_command", {"cmd": text}).tokens(1, 1)
                rollout.event("exec_command_end", call_id=f"call_{rollout.calls}", exit_code=1)
                rollout.output(text)
            case "lonely call":
                rollout.call("exec_command", {"cmd": text})
            case "runs on":
                rollout.call("exec_command", {"cmd": text})
                rollout.output(f"Process running with session ID 7\nOutput:\n{text}\n")
            case "over":
                rollout.completed(
                    "CommandExecution", id=f"call_{rollout.calls}", process_id="7",
                    aggregated_output=f"{text}\n{text}\n", exit_code=0,
                )  # fmt: skip
            case "script":
                rollout.item("custom_tool_call", name="exec", input=text, call_id="s")
                rollout.completed(
                    "CommandExecution", id="exec-1", aggregated_output=text, exit_code=1
                )
                rollout.item("custom_tool_call_output", call_id="s", output="Script completed")
            case "poll":
                rollout.call("write_stdin", {"session_id": 7}).output(text)
            case "turn":
                rollout.event("task_complete").event("task_started")
            case "noise":
                rollout.tokens(3, 4).reasoning(text).line("world_state", {"full": True})
            case "abort":
                rollout.event("turn_aborted", reason="interrupted")
            case "compacted":
                rollout.line("compacted", {"message": text})
            case "settings":
                rollout.turn(cwd=f"/home/{len(text)}", model=text)
            case "error":
                rollout.event("error", message=text)
            case "rename":
                rollout.event("thread_name_updated", thread_name=text)
            case "rollback":
                rollout.event("thread_rolled_back", num_turns=len(text) % 3 + 1)
            case _:
                getattr(rollout, action)(text)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("steps")


@given(actions=st.lists(ACTIONS, max_size=14), shares=CUTS)
def test_steps_equal_one_read(folder, actions, shares):
    check(folder, actions, shares)


ROLLBACK = st.tuples(st.just("rollback"), WORDS)


@given(actions=st.lists(st.one_of(ACTIONS, ROLLBACK), max_size=14), shares=CUTS)
def test_steps_equal_one_read_when_turns_are_rolled_back(folder, actions, shares):
    check(folder, actions, shares)


def check(folder: Path, actions: list[tuple[str, str]], shares: list[float]) -> None:
    rollout = Rollout()
    play(rollout, actions)
    content = rollout.bytes()
    path = folder / NAME
    path.write_bytes(content)
    codex = Codex()
    source = source_of(codex, path)
    cuts = [int(share * len(content)) for share in shares]
    assert in_steps(codex, source, path, content, cuts) == whole(codex, source)


@given(
    actions=st.lists(
        st.one_of(st.tuples(st.just("prompt"), WORDS), st.tuples(st.just("answer"), ANSWERS)),
        max_size=12,
    )
)
def test_everything_said_is_shown_once_and_in_order(folder, actions):
    rollout = Rollout()
    play(rollout, actions)
    path = folder / NAME
    path.write_bytes(rollout.bytes())
    messages, _ = whole(Codex(), source_of(Codex(), path))
    assert told(messages) == actions


def test_a_prompt_is_seen_before_its_event_comes(codex, day):
    rollout = Rollout().said("user", "go on")
    source = source_of(codex, rollout.write(day))
    transcript = codex.open(source)
    assert told(list(transcript)) == [("prompt", "go on")]
    since = transcript.checkpoint
    assert since is not None
    assert since.position == 0
    rollout.event("user_message", message="go on").write(day)
    transcript = codex.open(source, since)
    assert told(list(transcript)) == [("prompt", "go on")]
    since = transcript.checkpoint
    assert since is not None
    assert since.position == 1
    rollout.said("user", "and on").write(day)
    transcript = codex.open(source, since)
    (message,) = transcript
    assert message.kind is Kind.INJECTED  # in this file prompts are confirmed; not yet this one
    rollout.event("user_message", message="and on").write(day)
    assert transcript.checkpoint is not None
    assert told(list(codex.open(source, transcript.checkpoint))) == [("prompt", "and on")]


def test_an_older_time_in_the_tail_moves_no_beginning(tmp_path: Path) -> None:
    rollout = Rollout().prompt("go").answer("Done.")
    end = len(rollout.bytes())
    rollout.time_ms -= 86_400_000
    rollout.answer("from yesterday")
    path = tmp_path / NAME
    path.write_bytes(rollout.bytes())
    source = source_of(Codex(), path)
    _, facts = in_steps(Codex(), source, path, rollout.bytes(), [end])
    assert facts == whole(Codex(), source)[1]
