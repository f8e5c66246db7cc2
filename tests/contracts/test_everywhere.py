"""X: what holds in every room."""

from __future__ import annotations

import os
import re
import sqlite3

import pytest

from recall_tui.errors import RecallError
from recall_tui.model import Candidates, Declined, Filter
from recall_tui.search.recall.request import RecallRequest
from recall_tui.search.workspace import WorkspaceCorpus
from recall_tui.store.user import UserStore
from tests.contracts.conftest import FINDING, Own, session_id
from tests.harnesses.claude.build import text
from tests.workspace.build import Workspace

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
HOSTILE = "a\x1b]0;owned\x07b\x1b[31mc\x9bd\u202ee\x7f"
START_MS = 1_760_000_000_000
FOREIGN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.mark.contract("S0-121", "X-1")
@pytest.mark.parametrize("find", FINDING)
def test_nothing_found_nothing_there_and_partly_unreadable_differ(machine, find: str) -> None:
    absent = machine.recall(find, "unheard of", "--json")
    machine.talk("one", "token budget")
    none = machine.recall(find, "unheard of", "--json")
    junk = machine.projects / "-w-app" / f"{session_id('junk')}.jsonl"
    junk.write_bytes(b"\x00\x01junk\n" * 50)
    partly = machine.recall(find, "unheard of", "--json")
    assert [absent.code, none.code, partly.code] == [3, 1, 3]
    assert [ran.json["reach"]["complete"] for ran in (absent, none, partly)] == [
        False, True, False
    ]  # fmt: skip
    answers = (absent.json, none.json, partly.json)
    missing = [{gap["kind"] for gap in one["gaps"] if gap["partial"]} for one in answers]
    assert missing == [{"no_sources"}, set(), {"unreadable"}]


@pytest.mark.contract("X-2")
def test_a_record_that_changed_is_not_taken_for_the_one_that_was_cited(machine) -> None:
    path = machine.talk("one", "token budget")
    ref = machine.recall("grep", "budget", "--json").json["hits"][0]["ref"]
    status = path.stat()
    path.write_bytes(path.read_bytes().replace(b"token", b"other"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    answer = machine.recall("show", ref, "--json").json
    assert answer["state"] == "changed"
    assert "other budget" in answer["messages"][0]["text"]


@pytest.mark.contract("X-3")
def test_a_secret_is_neither_hit_nor_told_by_any_command(machine) -> None:
    lines = Own("one", cwd=f"/w/{SECRET}", gitBranch=SECRET)
    lines.user(f"use {SECRET} now")
    lines.assistant(text(f"I used {SECRET}."))
    machine.talk("one", lines, folder=f"-w-{SECRET}"[:20])
    printed = ""
    for pattern in (SECRET, SECRET[4:], SECRET[:20], SECRET[-12:], SECRET.lower()):
        ran = machine.recall("grep", "-i", pattern, "--json")
        assert (ran.code, ran.json["total"]) == (1, 0)
        for words in (
            ["search", pattern],
            ["search", "--term", pattern],
            ["search", "--json", pattern],
        ):
            ran = machine.recall(*words)
            assert ran.code in (1, 2), words
            printed += ran.out.replace(pattern, "") + ran.err.replace(f"holds: {pattern}", "")
    for words in (["grep", "use", "--json", "-C", "2"], ["grep", "use"], ["sessions", "--json"],
                  ["search", "use now", "--json"], ["search", "what did I use", "--full"],
                  ["sessions"], ["show", session_id("one"), "--json"], ["doctor", "--json"],
                  ["show", f"claude:{session_id('one')}#0~ffff"], ["forget", session_id("one")],
                  ["grep", "use", "--session", session_id("one"), "--cwd", "/w"]):  # fmt: skip
        ran = machine.recall(*words)
        printed += ran.out + ran.err
    assert "redacted" in printed
    assert SECRET[8:30] not in printed
    for path in machine.data.rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes(), path


@pytest.mark.contract("X-4")
def test_a_deleted_index_comes_back_the_same(machine) -> None:
    machine.talk("one", "token budget")
    machine.talk("two", "token budget too")
    before = machine.recall("grep", "budget", "--json").json["hits"]
    for path in list(machine.data.iterdir()):
        if path.name.startswith("index.db"):
            path.unlink()
    assert machine.recall("grep", "budget", "--json").json["hits"] == before
    assert len(before) == 2


@pytest.mark.contract("X-5")
@pytest.mark.parametrize("limit", ["0", "-1", "1.5", "x", ""])
@pytest.mark.parametrize("words", [["grep", "budget"], ["search", "budget"], ["sessions"]])
def test_a_limit_that_is_no_positive_number_is_refused_everywhere(machine, words, limit) -> None:
    machine.talk("one", "token budget")
    ran = machine.recall(*words, f"--limit={limit}")
    assert (ran.code, ran.out) == (2, "")


@pytest.mark.contract("X-5")
def test_a_limit_counts_results_after_filters(machine) -> None:
    for number in range(4):
        lines = Own(f"s{number}", gitBranch="x" if number else "main")
        lines.time_ms -= number * 60_000
        lines.user("token budget")
        machine.talk(f"s{number}", lines)
    for held, words in (("hits", ["grep", "budget"]), ("sessions", ["sessions"]),
                        ("passages", ["search", "budget"])):  # fmt: skip
        answer = machine.recall(*words, "--branch", "main", "--limit", "1", "--json").json
        assert len(answer[held]) == 1
        assert answer.get("total", answer.get("matches")) == 1


@pytest.mark.contract("X-6", "S0-41", "S0-123", "S0-129")
@pytest.mark.parametrize(
    "words",
    [["grep", "budget"], ["search", "token budget"], ["search", "--term", "budget", "lock"]],
    ids=["grep", "sentence", "terms"],
)
def test_what_a_corpus_names_decides_neither_hits_nor_ranks(
    machine, tmp_path, monkeypatch, words
) -> None:
    workspace = Workspace(tmp_path / "app")
    for number, said in enumerate(["the token budget", "a lock", "nothing", "budget of the lock"]):
        held = workspace.session(f"s{number}", ledger=number % 2 == 0, ms=START_MS + number)
        workspace.user(held, said)
        workspace.assistant(held, "so be it")
    workspace.done()

    def answer() -> dict:
        ran = machine.recall(*words, "--json", "--source", f"maka={tmp_path / 'app'}")
        assert ran.code == 0
        shown = ran.json
        del shown["reach"]["elapsed_ms"], shown["reach"]["index_age_ms"]
        whole.append(shown.pop("searched_every_session", True))
        return shown

    whole: list[bool] = []
    narrowed = answer()
    assert narrowed.get("hits") or narrowed["passages"]
    assert whole == ["--term" not in words]
    monkeypatch.setattr(WorkspaceCorpus, "candidates", lambda *_: Declined("for the test"))
    assert answer() == narrowed
    assert whole[1:] == [True]
    monkeypatch.setattr(
        WorkspaceCorpus,
        "candidates",
        lambda own, _, chosen: Candidates(frozenset(s.id for s in own.sessions(chosen))),
    )
    assert answer() == narrowed


@pytest.mark.contract("X-7")
def test_what_a_person_wrote_survives_every_sync_and_rebuild(machine) -> None:
    path = machine.talk("one", "token budget")
    machine.recall("index")
    key = f"claude:{session_id('one')}"
    with machine.history() as history:
        user = UserStore(history.paths.user_file)
    user.add_note(key, 0, "the one that fixed it")
    kept = user.notes()
    assert len(kept) == 1
    for words in (["index", "--rebuild"], ["index", "--verify"]):
        machine.recall(*words)
    (machine.data / "index.db").unlink()
    machine.recall("index")
    path.unlink()
    machine.recall("index")
    assert user.notes() == kept
    user.close()


@pytest.mark.contract("X-8")
def test_no_title_path_text_or_file_name_acts_on_the_terminal(machine) -> None:
    lines = Own("one", cwd=f"/w/{HOSTILE}", gitBranch=HOSTILE)
    lines.user(f"{HOSTILE} token budget")
    lines.raw({"type": "summary", "summary": f"{HOSTILE} title", "leafUuid": lines.last})
    machine.talk("one", lines, folder="-w-\x1b[31mred\u202e")
    for words in (["grep", "budget"], ["grep", "budget", "--json"], ["sessions"],
                  ["sessions", "--json"], ["show", session_id("one")], ["doctor"],
                  ["show", session_id("one"), "--json"], ["forget", session_id("one")],
                  ["search", "budget"], ["search", "budget", "--full"], ["search", HOSTILE],
                  ["search", "budget", "--json"], ["index"], ["grep", HOSTILE], ["show", HOSTILE],
                  ["search", "budget", "--paths"], ["grep", "budget", "--paths"]):  # fmt: skip
        ran = machine.recall(*words)
        assert not FOREIGN.search(ran.out.replace("\0", "")), (words, ran.out)
        assert not FOREIGN.search(ran.err), (words, ran.err)


@pytest.mark.contract("X-9")
def test_no_path_that_a_caller_or_a_transcript_names_is_opened(machine) -> None:
    outside = machine.home / "outside.txt"
    outside.write_text("zqoutside " * 50, "utf-8")
    lines = Own()
    lines.user(f"read @{outside} and {outside}")
    lines.call("t1", "Read", file_path=str(outside))
    lines.result("t1", f"<persisted-output>\nFull output saved to: {outside}\n</persisted-output>")
    lines.result(
        "t2", "<persisted-output>\nFull output saved to: /tmp/saved.txt\n</persisted-output>"
    )
    lines.result("t3", "<persisted-output>\nFull output saved to: link.txt\n</persisted-output>")
    beside = machine.talk("one", lines).with_suffix("") / "tool-results"
    beside.mkdir(parents=True)
    (beside / "saved.txt").write_text("zqbeside " * 50, "utf-8")
    (beside / "link.txt").symlink_to(outside)
    assert machine.recall("grep", "zqbeside").code == 0
    assert machine.recall("grep", "zqoutside").code == 1
    for words in (["show", str(outside)], ["show", f"claude:{outside}#0"], ["show", "../outside"]):
        ran = machine.recall(*words)
        assert ran.code == 1
        assert "zqoutside" not in ran.out + ran.err
    with machine.history() as history:
        (session,) = history.sessions()
        for message in history.messages(session):
            assert "zqoutside" not in message.text
            for material in message.materials:
                with pytest.raises(RecallError):
                    history.material(message.reference, material.id)


@pytest.mark.contract("X-10")
def test_a_session_that_is_excluded_leaves_the_index_with_the_next_look(
    machine, monkeypatch
) -> None:
    path = machine.talk("one", "token budget zqprivate")
    machine.talk("two", "token budget", folder="-w-other")
    assert machine.recall("grep", "budget", "--json").json["sessions"] == 2
    monkeypatch.setenv("RECALL_EXCLUDE", str(path.parent / "*"))
    assert machine.recall("grep", "budget", "--json").json["sessions"] == 1
    with machine.history() as history:
        history.sync()
        assert [s.native_id for s in history.sessions(Filter())] == [session_id("two")]
    for own in machine.data.rglob("*"):
        assert not own.is_file() or b"zqprivate" not in own.read_bytes(), own


@pytest.mark.contract("X-1", "S0-121")
def test_a_second_question_before_there_is_an_index_is_not_answered_from_nothing(
    machine, monkeypatch
) -> None:
    monkeypatch.setattr("recall_tui.holdings.CATCH_UP_BYTES", 0)
    monkeypatch.setenv("RECALL_FRESHNESS_S", "60")
    machine.talk("one", "token budget")
    with machine.history() as history:
        for _ in range(3):
            answer = history.recall(RecallRequest(terms=("budget",)))
            assert [p.session.native_id for p in answer.passages] == [session_id("one")]
            assert answer.reach.path == "cold"
        history.sync()
        assert history.recall(RecallRequest(terms=("budget",))).reach.path == "index"


@pytest.mark.contract("S3-42")
@pytest.mark.parametrize("changed", [True, False])
def test_an_index_of_other_rules_answers_while_a_new_one_is_made_elsewhere(
    machine, monkeypatch, changed
) -> None:
    """The first question after an update does not wait for everything to be read again (Q29)."""
    machine.talk("one", "token budget")
    assert machine.recall("index").code == 0
    with sqlite3.connect(machine.data / "index.db") as db:
        db.execute("UPDATE meta SET value='of another version' WHERE key='text'")
    db.close()
    before = (machine.data / "index.db").stat().st_ino
    if changed:
        machine.talk("two", "token budget")
    total = 1 + changed
    started: list[object] = []
    monkeypatch.setattr("subprocess.Popen", lambda *words, **_: started.append(words))
    monkeypatch.setenv("RECALL_BACKGROUND", "1")
    found = machine.recall("grep", "budget", "--json")
    assert (found.code, found.json["total"]) == (0, total)
    assert "outdated" in {gap["kind"] for gap in found.json["gaps"]}
    assert "other rules for secrets" in machine.recall("search", "budget").err
    assert started and (machine.data / "index.db").stat().st_ino == before
    assert machine.recall("index").code == 0
    assert (machine.data / "index.db").stat().st_ino != before
    found = machine.recall("grep", "budget", "--json")
    assert found.json["total"] == total
    assert "outdated" not in {gap["kind"] for gap in found.json["gaps"]}
