"""`recall sessions`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_tui.cli.sessions import short_ids
from recall_tui.model import Gap, GapKind
from tests.cli.fake import BUDGET, CHINESE, HELPER, empty, filled


def test_text_is_a_table_newest_first(run) -> None:
    ran = run("sessions", "--unfold")
    assert ran.code == 0
    head, *rows = ran.out.splitlines()
    assert head == "age\tby\tid\tyou\tmsgs\tproject\tbranch\ttitle"
    assert [row.split("\t")[2] for row in rows] == [CHINESE, BUDGET, HELPER]
    assert rows[1].split("\t")[3:] == ["2", "6", "recall", "main", "Fix the token budget"]
    assert rows[2].endswith("(no title) · subagent · source gone")


def test_families_are_folded_and_say_so(run) -> None:
    ran = run("sessions")
    assert HELPER not in ran.out
    assert "1 subagent or fork folded: --unfold" in ran.err
    answer = run("sessions", "--json").json
    assert (answer["total"], answer["folded"]) == (2, 1)
    # An orphan has nothing to be folded into.
    assert HELPER in run("sessions", "--session", HELPER).out


def test_json_has_the_whole_session(run) -> None:
    answer = run("sessions", "--json", "--limit", "1").json
    assert answer["schema_version"] == 1
    assert (answer["total"], len(answer["sessions"])) == (2, 1)
    first = answer["sessions"][0]
    assert (first["key"], first["harness"]) == (CHINESE, "codex")
    assert (first["cwd"], first["project"], first["branch"]) == (
        "/home/ann/项目/演示",
        "演示",
        "功能",
    )
    assert first["ended"] == "2026-11-29T12:01:00.000Z"
    assert (first["prompts"], first["messages"]) == (1, 2)
    assert answer["reach"]["sessions_total"] == 3


def test_limit_all_and_paths(run) -> None:
    assert len(run("sessions", "-n", "1", "--json").json["sessions"]) == 1
    assert "1 older: --limit N or --all" in run("sessions", "-n", "1").err
    assert len(run("sessions", "--all", "--unfold", "--json").json["sessions"]) == 3
    assert run("sessions", "--paths", "-n", "1").out == (
        "/h/019a1b2c-77aa-7c3e-9d10-aaaaaaaaaaaa.jsonl\n"
    )


def test_filters(run) -> None:
    assert [s["key"] for s in run("sessions", "--harness", "codex", "--json").json["sessions"]] == [
        CHINESE
    ]
    assert HELPER not in run("sessions", "--mains-only", "--unfold").out
    assert run("sessions", "--branch", "nowhere").code == 1
    gap = Gap(GapKind.NOT_INDEXED, 37, "not indexed yet", "recall index")
    assert run("sessions", "--branch", "nowhere", history=filled([gap])).code == 3


def test_nothing_at_all_is_explained(run) -> None:
    ran = run("sessions", history=empty())
    assert (ran.code, ran.out) == (3, "")
    assert "recall --source PATH" in ran.err


@pytest.mark.parametrize("limit", ["0", "-1", "1.5", "x"])
def test_a_limit_that_is_no_positive_integer_is_refused_everywhere(run, limit) -> None:
    for words in (["sessions"], ["grep", "x"]):
        ran = run(*words, f"--limit={limit}")
        assert ran.code == 2
        assert "--limit" in ran.err
    for flag in ("--tail", "--around"):
        assert run("show", BUDGET, f"{flag}={limit}").code == 2
    assert run("grep", "x", f"--context={limit}").code == 2


def test_short_ids_are_unique_beginnings() -> None:
    ids = ["019a1b2c-77aa-1", "019a1b2c-77aa-2", "8d7c5cf2-3d0b", "8d7c5cf2-3d0b/agent-1", "short"]
    assert short_ids(ids) == {
        "019a1b2c-77aa-1": "019a1b2c-77aa-1",
        "019a1b2c-77aa-2": "019a1b2c-77aa-2",
        "8d7c5cf2-3d0b": "8d7c5cf2",
        "8d7c5cf2-3d0b/agent-1": "8d7c5cf2-3d0b/agent-1",
        "short": "short",
    }


@given(st.sets(st.text("ab/", min_size=1, max_size=12), max_size=30))
def test_a_short_id_names_one_session(ids: set[str]) -> None:
    for name, short in short_ids(ids).items():
        assert name.startswith(short)
        others = [
            i for i in ids if i.startswith(short) and i != name and i.rpartition("/")[0] not in ids
        ]
        # A name that is the beginning of another can only be given whole.
        assert not others or short == name
