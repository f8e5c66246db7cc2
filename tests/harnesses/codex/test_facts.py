"""What a rollout and the files beside it say about a session."""

from __future__ import annotations

import json
import os
import sqlite3
from typing import TYPE_CHECKING

import pytest

from recall_tui import clock
from recall_tui.model import SessionKind
from tests.harnesses.codex.build import NAME, PARENT, SESSION, START, Rollout
from tests.harnesses.codex.conftest import told
from tests.harnesses.steps import source_of

if TYPE_CHECKING:
    from pathlib import Path


def index(home: Path, *entries: dict[str, str]) -> None:
    lines = [json.dumps(entry) + "\n" for entry in entries]
    (home / ".codex" / "session_index.jsonl").write_text("".join(lines), "utf-8")


def threads(path: Path, *rows: tuple[str, str, str], name: str | None = None) -> None:
    with sqlite3.connect(path) as connection:
        column = ", name TEXT" if name is not None else ""
        connection.execute(
            f"CREATE TABLE threads (id TEXT, title TEXT, first_user_message TEXT{column})"
        )
        for row in rows:
            values = (*row, name) if name is not None else row
            marks = ", ".join("?" * len(values))
            connection.execute(f"INSERT INTO threads VALUES ({marks})", values)
    connection.close()


def test_where_by_what_and_how_much(read):
    rollout = Rollout().turn("/home/a/app", "gpt-x").prompt("one").answer("The first answer.")
    rollout.turn("/home/a/other", "gpt-y").tokens(100, 20).prompt("two").tokens(300, 40)
    messages, transcript = read(rollout)
    facts = transcript.facts
    assert (facts.cwd, facts.last_cwd, facts.branch) == ("/home/a/app", "/home/a/other", "main")
    assert facts.models == ["gpt-x", "gpt-y"]
    assert (facts.tokens_in, facts.tokens_out) == (300, 40)
    assert facts.version == "0.139.0"
    assert facts.kind is SessionKind.MAIN
    assert facts.started_ms == START
    assert facts.ended_ms == messages[-1].time_ms
    assert messages[1].model == "gpt-x"


def test_token_records_of_the_newest_version(read):
    rollout = Rollout().newest_prompt("one")
    usage = {"input_tokens": 7, "output_tokens": 3}
    rollout.line("token_usage_record", {"usage": usage, "thread_token_usage": usage})
    _, transcript = read(rollout)
    assert (transcript.facts.tokens_in, transcript.facts.tokens_out) == (7, 3)


def test_a_resumed_session_repeats_its_meta(read):
    rollout = Rollout().prompt("one")
    for _ in range(19):
        rollout.meta(cwd="/home/a/else", git={"branch": "next"}, cli_version="0.140.0")
    _, transcript = read(rollout)
    facts = transcript.facts
    assert facts.kind is SessionKind.MAIN
    assert facts.parent == ""
    assert (facts.cwd, facts.last_cwd) == ("/home/a/app", "/home/a/else")
    assert (facts.branch, facts.version) == ("next", "0.140.0")


def test_a_fork_names_its_origin(read):
    rollout = Rollout(forked_from_id=PARENT).prompt("one")
    _, transcript = read(rollout)
    assert (transcript.facts.kind, transcript.facts.parent) == (SessionKind.FORK, PARENT)


SEGMENT = "019a0000-5000-7000-8000-0000000000dd"


@pytest.mark.parametrize(
    ("forked_from", "base", "parent"),
    [
        (None, SESSION, SESSION),  # turns were taken back, ...
        (None, SEGMENT, f"{SESSION}_{SEGMENT}"),  # ... and once more
        (PARENT, PARENT, PARENT),
        (PARENT, SEGMENT, f"{PARENT}_{SEGMENT}"),  # a fork of what goes on there
    ],
)
def test_a_paginated_history_goes_on_from_another_file(read, day, forked_from, base, parent):
    """As 0.171 writes it: nothing is copied, and a turn that was taken back stays where it was."""
    rollout = Rollout(forked_from_id=forked_from, history_base={"thread_id": base})
    path = rollout.prompt("one").write(day, f"{NAME[:-6]}_{PARENT}.jsonl")
    _, transcript = read(path)
    facts = transcript.facts
    assert (facts.kind, facts.parent) == (SessionKind.FORK, parent)
    assert facts.native_id == f"{SESSION}_{PARENT}"


def test_a_thread_that_goes_on_in_another_file_is_resumed_and_named_by_its_id(read, day, codex):
    index(day.parents[4], {"id": SESSION, "thread_name": "the name", "updated_at": "x"})
    rollout = Rollout(history_base={"thread_id": SESSION}).prompt("one")
    _, transcript = read(rollout.write(day, f"{NAME[:-6]}_{SEGMENT}.jsonl"))
    assert transcript.facts.title == "the name"
    session = Resumable(str(day / NAME), str(day), f"{SESSION}_{SEGMENT}")
    assert codex.resume(session).argv == ("codex", "resume", SESSION)


def test_a_parents_meta_on_line_2_makes_a_fork(read):
    rollout = Rollout().meta(id=PARENT, cwd="/home/a/parent", cli_version="0.1.0")
    rollout.prompt("said in the parent").answer("An answer from the parent.").prompt("new")
    messages, transcript = read(rollout)
    facts = transcript.facts
    assert (facts.kind, facts.parent, facts.native_id) == (SessionKind.FORK, PARENT, SESSION)
    assert (facts.cwd, facts.version) == ("/home/a/app", "0.139.0")
    assert all(m.record == "" for m in messages)  # copies are known by content


def test_a_forked_subagent_stays_a_subagent(read):
    rollout = Rollout(
        source={"subagent": {"other": "guardian"}}, parent_thread_id=PARENT, forked_from_id=PARENT
    )
    _, transcript = read(rollout.prompt("one"))
    assert (transcript.facts.kind, transcript.facts.parent) == (SessionKind.SUBAGENT, PARENT)


def test_a_session_begun_by_a_script(read):
    rollout = Rollout(source="exec", originator="codex_exec").prompt("one")
    _, transcript = read(rollout)
    assert transcript.facts.kind is SessionKind.AUTOMATED
    rollout.event("task_started", turn_attribution={"turn_trigger": "user"}).prompt("two")
    _, transcript = read(rollout)
    assert transcript.facts.kind is SessionKind.MAIN


def test_the_id_is_the_file_names(read, day):
    rollout = Rollout(id="another-id-altogether").prompt("one").meta(id="another-id-altogether")
    _, transcript = read(rollout)
    assert transcript.facts.native_id == SESSION
    assert transcript.facts.kind is SessionKind.MAIN
    _, transcript = read(Rollout("given-in-the-meta").prompt("one").write(day, "copy.jsonl"))
    assert transcript.facts.native_id == "given-in-the-meta"


def test_a_name_in_the_rollout_is_the_title(read):
    rollout = Rollout().prompt("one").event("thread_name_updated", thread_name="First")
    rollout.event("thread_name_updated", thread_name="Second")
    _, transcript = read(rollout)
    assert transcript.facts.title == "Second"


def test_titles_of_the_index_win_and_are_read_anew_when_it_changes(read, home):
    rollout = Rollout().prompt("one").event("thread_name_updated", thread_name="Old")
    index(home, {"id": SESSION, "thread_name": "A"}, {"id": SESSION, "thread_name": "B"})
    assert read(rollout)[1].facts.title == "B"
    index(home, {"id": SESSION, "thread_name": "B"}, {"id": SESSION, "thread_name": "Renamed"})
    assert read(rollout)[1].facts.title == "Renamed"


def test_titles_of_the_database_with_the_highest_number(read, home):
    rollout = Rollout().prompt("one")
    index(home, {"id": SESSION, "thread_name": "from the index"})
    threads(home / ".codex" / "state_4.sqlite", (SESSION, "old", "one"), name="from the old one")
    threads(home / ".codex" / "state_10.sqlite", (SESSION, "made", "one"), name="given by hand")
    assert read(rollout)[1].facts.title == "given by hand"


@pytest.mark.parametrize(("title", "wanted"), [("Parser fix", "Parser fix"), ("one ", "")])
def test_a_title_that_is_the_first_prompt_is_none(read, home, title, wanted):
    threads(home / ".codex" / "state_5.sqlite", (SESSION, title, "one"))
    assert read(Rollout().prompt("one"))[1].facts.title == wanted


def test_a_broken_index_costs_only_the_titles(read, home):
    (home / ".codex" / "session_index.jsonl").write_bytes(b'{"id": \xff\n[]\n{"id":1}\n')
    (home / ".codex" / "state_5.sqlite").write_bytes(b"not a database")
    assert read(Rollout().prompt("one"))[1].facts.title == ""


def test_titles_leave_nothing_beside_the_database(read, home):
    path = home / ".codex" / "state_5.sqlite"
    threads(path, (SESSION, "made", "one"))
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    before = sorted(os.listdir(home / ".codex"))
    assert read(Rollout().prompt("one"))[1].facts.title == "made"
    assert sorted(os.listdir(home / ".codex")) == before


def test_resume(codex, day, home):
    rollout = Rollout(cwd=str(home)).prompt("one")
    source = source_of(codex, rollout.write(day))
    transcript = codex.open(source)
    list(transcript)
    session = Resumable(source.path, transcript.facts.cwd)
    command = codex.resume(session)
    assert command is not None
    assert command.argv == ("codex", "resume", SESSION)
    assert (command.cwd, command.warning) == (str(home), "")


class Resumable:
    """The part of a session that `resume` needs."""

    def __init__(self, path: str, cwd: str, native_id: str = SESSION) -> None:
        self.native_id, self.path, self.cwd, self.last_cwd = native_id, path, cwd, cwd


def test_resume_warns(codex, home):
    gone = codex.resume(Resumable("/x/sessions/rollout-1.jsonl", "/nowhere/at/all"))
    assert gone is not None
    assert gone.cwd == ""
    assert "/nowhere/at/all is gone" in gone.warning
    archived = codex.resume(Resumable("/x/archived_sessions/rollout-1.jsonl", str(home)))
    assert archived is not None
    assert "archived" in archived.warning
    assert codex.resume(Resumable("/x/sessions/rollout-1.json", str(home))) is None


def test_times_are_the_records_not_the_names(read, day):
    rollout = Rollout().prompt("one")
    messages, _ = read(rollout.write(day))
    assert messages[0].time_ms == clock.from_iso("2026-02-03T10:00:01Z")


def _given_history(mode: str) -> Rollout:
    """A subagent's file as 0.171 writes it for `fork_turns="all"` or, older, `fork_context`."""
    own, old = "019a0000-9000-7000-8000-000000000001", "019a0000-1000-7000-8000-0000000000bb"
    spawn = {"parent_thread_id": PARENT, "depth": 1}
    spawn |= {"agent_path": "/root/look_up"} if mode == "all" else {}
    source = {"subagent": {"thread_spawn": spawn}}
    rollout = Rollout(own, source=source, parent_thread_id=PARENT, forked_from_id=PARENT)
    rollout.meta(id=PARENT)
    rollout.event("task_started", turn_id=old)
    rollout.said("user", "<environment_context>\n<cwd>/home/a/app</cwd>\n</environment_context>")
    rollout.line("turn_context", {"turn_id": old, "cwd": "/home/a/app", "model": "gpt-x"})
    rollout.newest_prompt("the person's prompt")
    if mode == "all":
        rollout.call("shell", {"command": "ls"}).output("a.py").newest_answer("old answer")
    rollout.event("turn_aborted", turn_id=old, reason="interrupted")
    new = "019a0000-9001-7000-8000-0000000000cc"
    rollout.event("task_started", turn_id=new)
    rollout.line("turn_context", {"turn_id": new, "cwd": "/home/a/app", "model": "gpt-x"})
    return rollout.newest_prompt("look it up").newest_answer("found")


@pytest.mark.parametrize("mode", ["all", "context"])
def test_the_history_a_subagent_is_given_is_its_parents(mode, read, day):
    messages, transcript = read(
        _given_history(mode).write(day, "rollout-2026-02-03T11-00-00-x.jsonl")
    )
    assert told(messages) == [("delegation", "look it up"), ("answer", "found")]
    facts = transcript.facts
    assert (facts.kind, facts.parent) == (SessionKind.SUBAGENT, PARENT)
    assert facts.title == ("look_up" if mode == "all" else "")
