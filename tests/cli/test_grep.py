"""`recall grep`."""

from __future__ import annotations

import os

import pytest

from recall_tui.cli.hits import flattened, windowed
from recall_tui.model import Gap, GapKind
from recall_tui.search.results import Case
from tests.cli.fake import BUDGET, CHINESE, empty, filled


def test_text_groups_hits_by_session_newest_first(run) -> None:
    ran = run("grep", "context")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0][2:] == "  修复上下文窗口 🚀 的预算"
    assert "Fix the token budget" in ran.out
    assert ran.out.count("Fix the token budget") == 1
    assert "2026-11-28 12:00 you      " + BUDGET + "#0~1000" in ran.out
    assert "    how big is the context window of the new model?" in lines
    assert ran.out.index("#1~1001") < ran.out.index("#0~1000")


def test_text_says_on_stderr_how_far_it_reached(run) -> None:
    ran = run("grep", "context")
    assert "7 messages, 125 occurrences, 3 sessions" in ran.err
    assert "searched 3 sessions · 2026-11-28 to 2026-11-29 · index 3s old" in ran.err
    assert "searched" not in ran.out


def test_a_tool_call_is_named_by_its_tool(run) -> None:
    assert " Bash     " in run("grep", "rg -n").out


def test_no_text_can_act_on_the_terminal(run) -> None:
    ran = run("grep", "ok")
    assert "context window ok" in ran.out
    assert "\x1b" not in ran.out and "\x07" not in ran.out and "owned" not in ran.out


def test_secrets_stay_marks(run) -> None:
    ran = run("grep", "token is")
    assert "my token is [redacted:github-pat ghp_…x9Zk]" in ran.out
    assert "\ufdd0" not in ran.out + run("grep", "token is", "--json").out


def test_json_has_every_promised_field(run) -> None:
    answer = run("grep", "window", "--json").json
    assert answer["schema_version"] == 1
    assert (answer["total"], answer["sessions"], answer["next"]) == (7, 3, "")
    assert answer["occurrences"] > answer["total"]
    hit = answer["hits"][-2]
    assert hit["ref"] == f"{BUDGET}#0~1000"
    assert hit["session"] == {
        "key": BUDGET, "harness": "claude", "native_id": BUDGET.partition(":")[2],
        "title": "Fix the token budget", "cwd": "/home/ann/src/recall", "branch": "main",
        "path": f"/h/{BUDGET.partition(':')[2]}.jsonl", "kind": "main",
    }  # fmt: skip
    assert (hit["role"], hit["kind"]) == ("user", "prompt")
    assert hit["time"] == "2026-11-28T12:00:00.000Z"
    (start, end), *_ = hit["spans"]
    assert hit["text"][start:end] == "window"
    assert answer["reach"]["complete"] is True
    assert answer["reach"]["zone"] == "UTC"
    assert answer["gaps"] == []


def test_json_is_one_line_and_stderr_stays_silent(run) -> None:
    ran = run("grep", "window", "--json")
    assert ran.out.count("\n") == 1
    assert ran.err == ""


def test_count_prints_counts_only(run) -> None:
    assert run("grep", "context", "--count").out == "7 messages, 125 occurrences, 3 sessions\n"
    counted = run("grep", "context", "--count", "--json").json
    assert counted["total"] == 7
    assert "hits" not in counted


@pytest.mark.contract("X-1")
def test_exit_codes_tell_nothing_from_not_searched(run) -> None:
    assert run("grep", "context").code == 0
    assert run("grep", "nowhere").code == 1
    gap = Gap(GapKind.UNREADABLE, 2, "cannot read /x", "chmod u+r /x", "/x")
    partial = run("grep", "nowhere", history=filled([gap]))
    assert partial.code == 3
    assert "partial: 2 × cannot read /x → chmod u+r /x" in partial.err
    assert run("grep", "context", history=filled([gap])).code == 0
    assert run("grep", "nowhere", "--exit-zero").code == 0
    assert run("grep", "nowhere", "--exit-zero", history=filled([gap])).code == 3


def test_a_machine_without_history_explains_what_was_looked_for(run) -> None:
    ran = run("grep", "x", history=empty())
    assert ran.code == 3
    assert ran.out == ""
    assert "No sessions found. Looked for" in ran.err
    assert "recall --demo" in ran.err
    assert "/home/ann/.codex/sessions  not there" in ran.err
    assert "Codex          /  no session in it" in ran.err


@pytest.mark.parametrize(
    ("flags", "case"), [([], Case.SMART), (["-i"], Case.IGNORE), (["-s"], Case.EXACT),
                        (["-S"], Case.SMART)]
)  # fmt: skip
def test_case_flags(run, fake, flags, case) -> None:
    run("grep", "Context", *flags)
    query = next(q for q in fake.asked if hasattr(q, "pattern"))
    assert query.case is case
    assert (query.regex, query.word) == (False, False)


def test_word_and_regex(run, fake) -> None:
    assert run("grep", "-w", "window", "--json").json["total"] == 4
    assert run("grep", "-E", "window[s?]", "--json").json["total"] == 1
    assert run("grep", "-F", "window[s?]").code == 1


@pytest.mark.parametrize(
    "words", [["x", "-E", "-F"], [""], ["x", "--all", "--cursor", "3"], ["x", "--role", "robot"],
              ["x", "--since", "soon"], ["x", "--since", "2026-02-01", "--until", "2026-01-01"],
              ["x", "--harness", "nobody"]]
)  # fmt: skip
def test_wrong_calls_end_with_two_and_say_why(run, words) -> None:
    ran = run("grep", *words)
    assert ran.code == 2
    assert ran.out == ""
    assert len(ran.err) > 20


def test_pages_follow_each_other(run) -> None:
    first = run("grep", "context", "--limit", "3", "--json").json
    second = run("grep", "context", "--limit", "4", "--cursor", first["next"], "--json").json
    assert (first["total"], second["total"]) == (7, 7)
    refs = [hit["ref"] for hit in first["hits"] + second["hits"]]
    assert refs == [hit["ref"] for hit in run("grep", "context", "--json").json["hits"]]
    assert second["next"] == ""
    assert "next page: --cursor 3" in run("grep", "context", "--limit", "3").err


def test_all_streams_one_json_value(run) -> None:
    whole = run("grep", "context", "--all", "--json").json
    assert whole == run("grep", "context", "--json").json
    assert list(whole)[:2] == ["schema_version", "hits"]


def test_paths_are_bare_and_once(run) -> None:
    ran = run("grep", "context", "--paths")
    assert ran.out.splitlines() == [
        "/h/019a1b2c-77aa-7c3e-9d10-aaaaaaaaaaaa.jsonl",
        "/h/8d7c5cf2-3d0b-4b5e-8b3b-1f7e9a8d1c22.jsonl",
        "/h/agent-a1b2c3d4.jsonl",
    ]
    assert ran.err == ""
    assert len(run("grep", "context", "--paths", "-n", "2").out.splitlines()) == 2
    assert run("grep", "context", "--paths", "-0").out.split("\0")[0] == ran.out.splitlines()[0]
    assert run("grep", "nowhere", "--paths").code == 1


def test_context_shows_neighbours(run) -> None:
    ran = run("grep", "rg -n", "-C", "1")
    assert "agent    The context window is 400k" in ran.out
    assert "output   src/limits.py:14" in ran.out
    hit = run("grep", "rg -n", "-C", "2", "--json").json["hits"][0]
    assert [m["position"] for m in hit["before"]] == [0, 1]
    assert [m["position"] for m in hit["after"]] == [3, 4]


def test_filters_reach_the_query(run, fake) -> None:
    run("grep", "x", "--cwd", "src/100%", "--branch", "MAIN", "--role", "user", "--role", "tool",
        "--session", f"{CHINESE}#1~1001", "--mains-only")  # fmt: skip
    chosen = next(q for q in fake.asked if hasattr(q, "pattern")).chosen
    assert (chosen.cwd, chosen.branch) == ("src/100%", "MAIN")
    assert [str(role) for role in chosen.roles] == ["user", "tool"]
    assert chosen.sessions == (CHINESE,)
    assert chosen.mains_only


def test_a_dot_is_the_current_folder(run, fake, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    run("grep", "x", "--cwd", ".")
    assert next(q for q in fake.asked if hasattr(q, "pattern")).chosen.cwd == os.getcwd()


@pytest.mark.parametrize("width", [50, 80, 120])
def test_on_a_terminal_every_reference_is_whole(run, monkeypatch, width: int) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", str(width))
    ran = run("grep", "context")
    assert ran.out.count(BUDGET) == 5
    assert f"{BUDGET}#0~1000" in ran.out
    assert "×100" in ran.out


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("a  b\n\tc", [(0, 1), (3, 4), (6, 7)]),
        ("  lead", [(2, 6)]),
        ("end  ", [(0, 3)]),
        ("one   two", [(0, 9)]),
        ("a \n b", [(1, 2), (4, 5)]),
        ("x", []),
        ("上下  文", [(1, 2), (4, 5)]),
    ],
)
def test_flattening_moves_spans_along(text: str, spans) -> None:
    flat, moved = flattened(text, spans)
    assert "\n" not in flat and "  " not in flat
    assert len(moved) == len(spans)
    for (start, end), (new_start, new_end) in zip(spans, moved, strict=True):
        assert flat[new_start:new_end].split() == text[start:end].split()


def test_a_window_keeps_the_first_match_in_sight() -> None:
    text = "word " * 200 + "NEEDLE" + " tail" * 200
    at = text.index("NEEDLE")
    part, spans = windowed(text, [(at, at + 6), (at + 900, at + 904)], 120)
    assert part.startswith("…word") and part.endswith("…")
    assert len(part) <= 122
    ((start, end),) = spans
    assert part[start:end] == "NEEDLE"
    assert windowed("short", [(0, 5)], 120) == ("short", [(0, 5)])
