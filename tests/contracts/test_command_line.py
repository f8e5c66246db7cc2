"""S3: the skill's command line: searching, showing, the index, the cold path, doctor."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from datetime import UTC

import pytest

from recall_tui.model import GapKind, SessionKind
from recall_tui.search.recall import recall, wire
from recall_tui.search.recall.request import RecallRequest
from tests.contracts.conftest import FINDING, Own, session_id
from tests.harnesses.claude.build import text, thinking
from tests.search.corpora import MemoryCorpus, Said, Talk, never

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2


# ---------------------------------------------------------------- S3.B searching


@pytest.mark.contract("S3-8")
@pytest.mark.parametrize("find", FINDING)
def test_every_filter_narrows_and_paths_are_bare(machine, find: str) -> None:
    lines = Own("one", cwd="/w/App", gitBranch="feat/x")
    lines.user("token budget")
    path = machine.talk("one", lines)
    machine.talk("two", "token budget")
    for words in (
        ["--cwd", "w/app", "--branch", "FEAT"], ["--branch", "feat/x", "--harness", "claude"],
        ["--since", "2026-05-04", "--until", "2026-05-04", "--branch", "feat"],
    ):  # fmt: skip
        ran = machine.recall(find, "budget", "--paths", *words)
        assert (ran.code, ran.out) == (0, f"{path}\n"), words
    assert len(machine.recall(find, "budget", "--paths").out.splitlines()) == 2
    assert len(machine.recall(find, "budget", "--paths", "--limit", "1").out.splitlines()) == 1
    for words in (["--since", "2026-05-05"], ["--harness", "codex"], ["--cwd", "/nowhere"]):
        assert machine.recall(find, "budget", "--paths", *words).code == 1, words


@pytest.mark.contract("S3-9")
def test_a_harness_is_a_known_name_and_a_page_has_a_default_size(machine) -> None:
    lines = Own()
    for number in range(70):
        lines.user(f"token budget {number}")
    machine.talk("one", lines)
    ran = machine.recall("grep", "budget", "--harness", "clod")
    assert (ran.code, ran.out) == (2, "")
    assert "claude" in ran.err
    found = machine.recall("grep", "budget", "--harness", "claude", "--json").json
    assert (found["total"], len(found["hits"])) == (70, 50)
    assert machine.recall("search", "budget", "--harness", "clod").code == 2
    found = machine.recall("search", "budget", "--harness", "claude", "--json").json
    assert len(found["passages"]) == 10


@pytest.mark.contract("S3-10")
@pytest.mark.parametrize("option", ["--source-id", "--source-family", "--source-alias"])
@pytest.mark.parametrize("find", FINDING)
def test_nothing_routes_a_question_to_another_machine(machine, find: str, option: str) -> None:
    ran = machine.recall(find, "x", option, "y")
    assert (ran.code, ran.out) == (2, "")
    assert not machine.data.exists()


@pytest.mark.contract("S3-11", "S3-12")
def test_a_row_is_file_then_when_and_where_then_a_short_text_then_why(machine) -> None:
    lines = Own("one", cwd="/w/app", gitBranch="feat/x")
    lines.user("a title of its own")
    lines.assistant(text("the token budget\n\tis kept " + "in many words " * 60))
    path = machine.talk("one", lines)
    ran = machine.recall("search", "token budget")
    at = ran.out.splitlines().index(f"1. {path}")
    when, title, said, reference, why = (line.strip() for line in ran.out.splitlines()[at + 1 :])
    assert re.fullmatch(r"2026-05-04 08:00 UTC  /w/app  main  feat/x", when)
    assert title == "a title of its own"
    assert said.startswith("agent: the token budget is kept in many")
    assert len(said) <= len("agent: ") + 200
    assert reference.startswith(f"claude:{session_id('one')}#1~")
    assert why.startswith('WHY phrase "token budget"')


@pytest.mark.contract("S3-15")
@pytest.mark.parametrize("find", FINDING)
def test_an_empty_answer_says_what_was_searched(machine, find: str) -> None:
    machine.talk("one", "token budget")
    ran = machine.recall(find, "unheard of")
    assert (ran.code, ran.out) == (1, "")
    assert "searched 1 session" in ran.err and "2026-05-04" in ran.err
    reach = machine.recall(find, "unheard of", "--json").json["reach"]
    assert (reach["complete"], reach["sessions_searched"]) == (True, 1)
    assert (reach["oldest"][:10], reach["newest"][:10]) == ("2026-05-04", "2026-05-04")


@pytest.mark.contract("S3-17", "X-1")
@pytest.mark.parametrize("find", FINDING)
def test_no_index_is_no_reason_for_an_empty_answer(machine, find: str) -> None:
    nothing = machine.recall(find, "budget", "--paths")
    assert (nothing.code, nothing.out) == (3, "")
    path = machine.talk("one", "token budget")
    assert not machine.data.joinpath("index.db").exists()
    found = machine.recall(find, "budget", "--paths")
    assert (found.code, found.out) == (0, f"{path}\n")
    none = machine.recall(find, "unheard of", "--paths")
    assert (none.code, none.out) == (1, "")


@pytest.mark.contract("S3-19")
@pytest.mark.parametrize("find", FINDING)
def test_a_bare_until_takes_the_day_in(machine, find: str) -> None:
    machine.talk("one", "token budget")  # 2026-05-04, 08:00 UTC
    assert machine.recall(find, "budget", "--until", "2026-05-04").code == 0
    assert machine.recall(find, "budget", "--until", "2026-05-03").code == 1


@pytest.mark.contract("S3-20")
def test_a_vanished_session_is_found_and_marked_and_a_forgotten_one_is_not(machine) -> None:
    path = machine.talk("one", "token budget")
    machine.talk("two", "something else")
    machine.recall("index")
    path.unlink()
    found = machine.recall("grep", "budget", "--json").json
    assert found["total"] == 1
    assert GapKind.GONE.value in {gap["kind"] for gap in found["gaps"]}
    assert "source gone" in machine.recall("sessions").out
    (passage,) = machine.recall("search", "budget", "--json").json["passages"]
    assert passage["session"]["presence"] == "gone"
    assert machine.recall("forget", session_id("one"), "--yes").code == 0
    assert machine.recall("grep", "budget").code == 1
    assert machine.recall("search", "budget").code == 1


@pytest.mark.contract("S3-46", "S3-50")
def test_every_file_that_was_seen_is_counted_once(machine) -> None:
    path = machine.talk("one", "token budget")
    machine.talk("two", "something else")
    away = machine.home / "away"

    def files() -> dict[str, int]:
        counts = machine.recall("index", "--json").json["files"]
        held = sum(counts[name] for name in ("parsed", "appended", "unchanged", "failed"))
        assert held == counts["seen"], counts
        return {name: count for name, count in counts.items() if count}

    assert files() == {"seen": 2, "parsed": 2}
    path.rename(away)
    assert files() == {"seen": 1, "unchanged": 1, "gone": 1}
    away.rename(path)
    assert files() == {"seen": 2, "unchanged": 2}  # it came back as it was
    folder = path.parent
    folder.rename(folder.with_name("-w-moved"))
    assert files() == {"seen": 2, "unchanged": 2}


@pytest.mark.contract("S3-22")
@pytest.mark.parametrize(
    "query",
    ['"', "'; DROP TABLE session; --", 'a" OR "b', "NEAR(a b)", "a AND NOT b", "col:x*", "(", "\0",
     "x\0y", "^", "--", "-1", "%s", "{}", "\\"],
)  # fmt: skip
def test_no_text_is_an_operator(machine, query: str) -> None:
    machine.talk("one", f"zebra {query} quokka")
    ran = machine.recall("grep", "--json", "--", query)
    assert (ran.code, ran.json["total"]) == ((1, 0) if "\0" in query else (0, 1))
    for words in (["search", "--json", "--"], ["search", "--json", "--term", "--"]):
        asked = machine.recall(*words, query, "quokka")
        assert (asked.code, asked.err) == (0, ""), words
        assert asked.json["reach"]["complete"] is True
    assert machine.recall("grep", "--json", "--", "xyzzy").json["reach"]["sessions_total"] == 1


# ---------------------------------------------------------------- S3.D show


@pytest.mark.contract("S3-34")
def test_a_message_is_its_time_its_speaker_and_its_redacted_text(machine) -> None:
    lines = Own()
    lines.user(f"use {SECRET} now")
    lines.assistant(text("done"), timestamp=None)
    machine.talk("one", lines)
    ran = machine.recall("show", session_id("one"))
    assert ran.code == 0
    assert SECRET not in ran.out
    assert "use [redacted:github-pat" in ran.out
    first, second = machine.recall("show", session_id("one"), "--json").json["messages"]
    assert (first["time"][:19], first["role"]) == ("2026-05-04T08:00:01", "user")
    assert second["role"] == "assistant"
    heads = [line for line in ran.out.splitlines() if "#0~" in line or "#1~" in line]
    assert "08:00" in heads[0] and "you" in heads[0]
    assert "agent" in heads[1]


@pytest.mark.contract("S3-37")
def test_show_needs_no_file(machine) -> None:
    path = machine.talk("one", "token budget")
    machine.recall("index")
    ref = machine.recall("grep", "budget", "--json").json["hits"][0]["ref"]
    path.unlink()
    for words in (["show", ref], ["show", session_id("one"), "--tail", "1"]):
        ran = machine.recall(*words)
        assert ran.code == 0
        assert "token budget" in ran.out


# ---------------------------------------------------------------- S3.F the index


@pytest.mark.contract("S3-55")
def test_doctor_names_every_program_that_is_read(machine) -> None:
    machine.talk("one", "token budget")
    checks = machine.recall("doctor", "--json").json["checks"]
    found: Counter[str] = Counter()
    for check in checks:
        if "harness" in check["facts"]:
            found[check["facts"]["harness"]] += check["facts"].get("found", 0)
    assert found.keys() >= {"claude", "codex", "pi", "opencode", "gemini", "copilot"}
    assert found["claude"] == found.total() == 1


# ---------------------------------------------------------------- S3.G the cold path


@pytest.fixture
def cold(machine, monkeypatch):
    """More to read than a question may read into the index first; starts of processes are noted."""
    from recall_tui import holdings

    started: list[tuple[list[str], dict]] = []
    monkeypatch.setattr(holdings, "CATCH_UP_BYTES", 0)
    monkeypatch.setenv("RECALL_BACKGROUND", "1")
    monkeypatch.setattr(
        subprocess, "Popen", lambda words, **options: started.append((words, options))
    )
    machine.started = started
    return machine


@pytest.mark.contract("S3-58")
def test_without_an_index_files_are_searched_and_a_process_of_its_own_builds_it(cold) -> None:
    cold.talk("old", "token budget")
    lines = Own("new")
    lines.time_ms += 86_400_000
    lines.user("token budget again")
    cold.talk("new", lines)
    found = cold.recall("grep", "budget", "--json").json
    assert [hit["session"]["native_id"] for hit in found["hits"]] == [
        session_id("new"), session_id("old")
    ]  # fmt: skip
    ((words, options),) = cold.started
    assert words[0] == sys.executable
    assert "index" in words
    assert options["start_new_session"] is True
    assert not (cold.data / "index.db").exists()


@pytest.mark.contract("S3-59")
def test_an_answer_from_the_files_says_so(cold) -> None:
    cold.talk("one", "token budget")
    for find in FINDING:
        found = cold.recall(find, "budget", "--json").json
        assert found["reach"]["path"] == "cold"
        assert GapKind.COLD.value in {gap["kind"] for gap in found["gaps"]}


@pytest.mark.contract("S3-60", "X-3")
def test_the_cold_path_shows_no_thinking_and_no_secret(cold) -> None:
    lines = Own()
    lines.user(f"use {SECRET} for the token budget")
    lines.assistant(thinking("zqthought of the budget"), text("the budget is kept"))
    cold.talk("one", lines)
    printed = ""
    for words in (
        ["budget"],
        ["budget", "--json", "-C", "3"],
        [SECRET],
        ["zqthought"],
        [SECRET[:9]],
    ):
        ran = cold.recall("grep", *words)
        printed += ran.out
        assert ran.code == (0 if words[0] == "budget" else 1), words
    for words in (
        ["how is the budget kept"],
        ["zqthought"],
        ["budget", "--json"],
        ["--full", "kept"],
    ):
        printed += cold.recall("search", *words).out
    assert len(cold.started) == 9
    assert "zqthought" not in printed
    assert SECRET not in printed and SECRET[8:30] not in printed


# ---------------------------------------------------------------- S3.J trust


@pytest.mark.contract("S3-81")
def test_forget_takes_a_name_and_nothing_is_inferred_from_text(machine) -> None:
    machine.talk("one", "token budget")
    machine.talk("two", "token budget")
    machine.recall("index")
    for words in (["forget", "token budget", "--yes"], ["forget", "budget", "--yes"],
                  ["forget", session_id("one")[:4], "--yes"], ["forget", "", "--yes"]):  # fmt: skip
        assert machine.recall(*words).code in (1, 2), words
    assert machine.recall("forget", session_id("one")).code == 0
    assert machine.recall("grep", "budget", "--json").json["sessions"] == 2
    assert machine.recall("forget", session_id("one"), "--yes").code == 0
    assert machine.recall("grep", "budget", "--json").json["sessions"] == 1


@pytest.mark.contract("S3-84")
def test_a_hit_says_why_and_where_from_and_origin_moves_no_rank() -> None:
    origins = (("claude", SessionKind.MAIN), ("pi", SessionKind.AUTOMATED))
    talks = [
        Talk(f"{harness}-session", [Said("the token budget", 5)], harness=harness, kind=kind)
        for harness, kind in origins
    ]
    request = RecallRequest(terms=("budget",))
    answer = wire.envelope(recall([MemoryCorpus(talks)], request, never, UTC))
    passages = answer["passages"]
    assert {(p["session"]["harness"], p["session"]["kind"]) for p in passages} == {
        ("claude", "main"), ("pi", "automated"),
    }  # fmt: skip
    assert len({p["score"] for p in passages}) == 1
    assert all(p["why"]["tier"] and p["why"]["fields"] == ["you"] for p in passages)
    assert any("automated" in p["why"]["line"] for p in passages)


@pytest.mark.contract("S3-85", "X-4")
def test_nothing_outside_our_own_folder_changes(machine) -> None:
    (machine.home / ".claude").mkdir()
    (machine.home / ".claude" / "settings.json").write_text("{}", "utf-8")
    (machine.home / ".claude" / "CLAUDE.md").write_text("rules", "utf-8")
    machine.talk("one", "token budget")
    before = machine.files()
    for words in (["index"], ["grep", "budget"], ["sessions"], ["show", session_id("one")],
                  ["doctor"], ["index", "--rebuild"], ["config", "show"],
                  ["forget", session_id("one"), "--yes"]):  # fmt: skip
        machine.recall(*words)
    assert machine.files() == before
    assert sorted(os.listdir(machine.home)) == [".claude", "recall"]
