"""The command line on real files, a real index and a real search."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from recall_tui import clock
from recall_tui.cli import main
from recall_tui.errors import StoreError
from recall_tui.history import History
from recall_tui.search.recall.request import RecallRequest
from recall_tui.store.lock import WriterLock
from tests.cli.conftest import Run
from tests.conftest import REPOSITORY

SESSION = "8d7c5cf2-3d0b-4b5e-8b3b-1f7e9a8d1c22"
WHOLE_COMMANDS = (
    ["sessions"],
    ["show", SESSION],
    ["show", SESSION, "--all", "--json"],
    ["continue", "--last"],
    ["handoff", SESSION],
    ["export", SESSION],
)
"""Commands that are about whole sessions."""

SECRET = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


def record(kind: str, number: int, content: object, **more: object) -> dict[str, object]:
    """One line of a Claude Code transcript."""
    return {
        "type": kind, "uuid": f"00000000-0000-0000-0000-{number:012}", "sessionId": SESSION,
        "parentUuid": f"00000000-0000-0000-0000-{number - 1:012}" if number else None,
        "timestamp": f"2026-11-28T12:{number:02}:00.000Z", "cwd": "/home/ann/src/recall",
        "gitBranch": "main", "version": "2.1.200", "isSidechain": False, "userType": "external",
        "message": {"role": kind, "content": content}, **more,
    }  # fmt: skip


def written(path: Path, records: list[dict[str, object]]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in records)


@pytest.fixture
def projects(tmp_path: Path) -> Path:
    """A Claude Code folder with one session."""
    folder = tmp_path / "projects" / "-home-ann-src-recall"
    folder.mkdir(parents=True)
    written(
        folder / f"{SESSION}.jsonl",
        [
            record("user", 0, "how big is the context window? 上下文窗口"),
            record("assistant", 1, [{"type": "text", "text": "The context window is 400k."}]),
            record("user", 2, f"use my token {SECRET} for it\x1b]0;owned\x07"),
            record("assistant", 3, [{"type": "text", "text": "Done."}]),
        ],
    )
    return tmp_path / "projects"


@pytest.fixture
def recall(projects: Path, capsys: pytest.CaptureFixture[str]):
    """Run `recall ARGS...` on that folder."""

    def run(*args: str) -> Run:
        code = main([*args, "--source", f"claude={projects}"])
        captured = capsys.readouterr()
        return Run(code, captured.out, captured.err)

    return run


def test_from_files_to_a_hit_and_back_to_its_message(recall) -> None:
    indexed = recall("index", "--json")
    assert (indexed.code, indexed.json["sessions"], indexed.json["messages"]) == (0, 1, 4)
    assert indexed.json["files"]["parsed"] == 1
    assert recall("index", "--json").json["files"]["unchanged"] == 1

    found = recall("grep", "CONTEXT window", "-i", "--json").json
    assert (found["total"], found["sessions"]) == (2, 1)
    prompt = found["hits"][-1]
    assert (prompt["role"], prompt["kind"]) == ("user", "prompt")
    assert prompt["session"]["cwd"] == "/home/ann/src/recall"

    shown = recall("show", prompt["ref"], "--json").json
    assert shown["state"] == "same"
    assert shown["messages"][shown["position"]]["text"].endswith("上下文窗口")
    assert recall("sessions", "--json").json["sessions"][0]["prompts"] == 2


@pytest.mark.parametrize("command", ["grep", "search"])
def test_what_was_written_a_moment_ago_is_found(recall, projects: Path, command: str) -> None:
    assert recall(command, "written just now").code == 1
    (path,) = projects.rglob("*.jsonl")
    written(path, [record("user", 4, "this was written just now")])
    assert recall("sessions", "--json").json["sessions"][0]["messages"] == 5
    written(path, [record("user", 5, "and this was written just now")])
    assert recall(command, "and this was written just now").code == 0


def test_a_history_that_stays_open_looks_again_with_every_question(projects: Path) -> None:
    history = History.open([f"claude={projects}"])
    asked = RecallRequest(terms=("written just now",))
    assert history.recall(asked).passages == ()
    (path,) = projects.rglob("*.jsonl")
    written(path, [record("user", 4, "this was written just now")])
    assert len(history.recall(asked).passages) == 1
    history.close()


def test_one_command_looks_at_the_sources_once(recall, monkeypatch) -> None:
    from recall_tui.store.sync import step

    looked = []
    monkeypatch.setattr(step, "in_step", lambda *_: looked.append(1) or 1)
    recall("index")
    for words in (["show", SESSION], ["sessions"], ["continue", SESSION], ["grep", "token"]):
        looked.clear()
        recall(*words)
        assert looked == [1], words


def test_a_secret_reaches_no_output_and_no_file(recall, home: Path) -> None:
    printed = ""
    for words in (
        ["grep", "use my token"], ["grep", "use my token", "--json"], ["grep", SECRET],
        ["show", SESSION, "--full"], ["show", SESSION, "--full", "--json"], ["sessions", "--json"],
        ["doctor"],
    ):  # fmt: skip
        ran = recall(*words)
        printed += ran.out + ran.err
    assert "redacted" in printed
    assert SECRET not in printed and SECRET[8:30] not in printed
    assert "\x1b" not in printed and "owned" not in printed
    for folder, _, names in os.walk(home / "recall"):
        for name in names:
            assert SECRET.encode() not in Path(folder, name).read_bytes()


def test_a_clock_that_was_set_back_hides_nothing(
    recall, projects: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECALL_FRESHNESS_S", "60")
    now_ms = clock.now_ms()
    monkeypatch.setattr(clock, "now_ms", lambda: now_ms)
    recall("index")
    (path,) = projects.rglob("*.jsonl")
    written(path, [record("assistant", 4, [{"type": "text", "text": "after the change"}])])
    assert recall("grep", "after the change").code == 1  # it was looked a moment ago
    monkeypatch.setattr(clock, "now_ms", lambda: now_ms - 86_400_000)
    assert recall("grep", "after the change").code == 0
    assert recall("sessions", "--json").json["reach"]["index_age_ms"] == 0


def test_a_part_that_cannot_be_read_is_said(recall, projects: Path) -> None:
    (path,) = projects.rglob("*.jsonl")
    nameless = os.fsencode(path.parent) + b"/8d7c5cf2-3d0b-4b5e-8b3b-\xff.jsonl"
    Path(os.fsdecode(nameless)).write_bytes(path.read_bytes())
    ran = recall("grep", "nowhere to be found")
    assert ran.code == 3
    assert "partial: " in ran.err and "\\xff.jsonl: the name is not valid UTF-8" in ran.err
    assert recall("grep", "context window").code == 0
    assert recall("index").code == 3
    assert recall("grep", "nowhere to be found", "--json").json["gaps"][0]["partial"] is True


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every folder")
def test_a_folder_without_permission_is_said(recall, projects: Path) -> None:
    (projects / "closed").mkdir(mode=0o000)
    ran = recall("grep", "nowhere to be found")
    assert ran.code == 3
    assert f"cannot read {projects}/closed" in ran.err


def test_a_home_that_cannot_be_written_is_searched_from_the_files(
    recall, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str) -> str:
        raise StoreError(f"cannot create the folder {path}: Permission denied")

    monkeypatch.setattr("recall_tui.upkeep.private_folder", refuse)
    ran = recall("grep", "context window", "--count")
    assert ran.code == 0
    assert "read from the files" in ran.err
    assert recall("search", "context window").code == 0
    for words in WHOLE_COMMANDS:
        ran = recall(*words)
        assert ran.code == 0, words
        assert "400k" in ran.out or words[0] == "sessions"
    assert "the index takes nothing in: cannot create the folder" in recall("sessions").err
    ran = recall("index")
    assert ran.code == 3
    assert "cannot create the folder" in ran.err


def test_while_another_writes_every_command_knows_what_is_new(recall, projects: Path, home) -> None:
    assert recall("index").code == 0
    (path,) = projects.rglob("*.jsonl")
    written(path, [record("assistant", 4, [{"type": "text", "text": "No: 400k and some."}])])
    with WriterLock(str(home / "recall" / "index.db.lock")):
        for words in WHOLE_COMMANDS:
            ran = recall(*words)
            assert ran.code == 0, words
            assert "400k and some" in ran.out or words[0] == "sessions"
        ran = recall("sessions", "--json")
        assert ran.json["sessions"][0]["messages"] == 5
        assert [gap["kind"] for gap in ran.json["gaps"]] == ["cold"]
        ref = recall("grep", "and some", "--json").json["hits"][0]["ref"]
        assert "and some" in recall("show", ref).out
    assert recall("sessions", "--json").json["gaps"] == []


@pytest.mark.parametrize(
    "words",
    [
        ["grep", "window"], ["grep", "window", "--count"], ["search", "window"], ["sessions"],
        ["show", SESSION], ["continue", SESSION], ["repeat", SESSION], ["handoff", SESSION],
        ["related", SESSION], ["relations", SESSION],
    ],
)  # fmt: skip
def test_every_answer_says_how_far_it_reached(recall, projects: Path, words: list[str]) -> None:
    """Of one session only what is damaged in it, of everything also what is damaged elsewhere."""
    (path,) = projects.rglob("*.jsonl")
    path.with_name("other.jsonl").write_text(path.read_text() + "junk\n")
    said = recall(*words, "--json").json
    assert said["schema_version"] == 1
    about_one = words[0] in ("show", "continue", "repeat", "handoff")
    assert said["reach"]["complete"] is about_one
    kinds = {gap["kind"] for gap in said["gaps"]} - {"no_facts"}
    assert kinds == (set() if about_one else {"unparsed"})


@pytest.mark.contract("X-1")
def test_a_line_that_cannot_be_read_is_a_part_that_was_not_searched(recall, projects: Path) -> None:
    """A last line that is still being written is none: nobody has said it yet (Q1)."""
    (path,) = projects.rglob("*.jsonl")
    whole = path.read_text()
    path.write_text(whole + '{"type": "user", "messa')
    assert recall("grep", "zqnowhere").code == 1
    path.write_text(whole + "junk\n")
    run = recall("grep", "zqnowhere")
    assert (run.code, "partial: 1 damaged line in 1 file" in run.err) == (3, True)
    assert recall("search", "zqnowhere").code == 3
    assert recall("index").code == 3


def test_an_id_that_looks_like_an_option_is_never_given_to_a_program(
    capsys, tmp_path: Path, home: Path
) -> None:
    folder = tmp_path / "session-state" / "--yolo"
    folder.mkdir(parents=True)
    said = [
        {"type": "session.start", "id": "1", "timestamp": "2026-11-30T10:00:00Z",
         "data": {"sessionId": "--yolo", "context": {"cwd": "/tmp"}}},
        {"type": "user.message", "id": "2", "timestamp": "2026-11-30T10:00:01Z",
         "data": {"content": "hello"}},
    ]  # fmt: skip
    written(folder / "events.jsonl", said)
    words = ["continue", "--last", "--json", "--source", f"copilot={tmp_path}"]
    assert main(words) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["session"]["native_id"] == "--yolo"
    assert (said["resume"], said["fork"], said["command"]) == (None, None, None)
    assert any("no command to resume it" in note for note in said["notes"])


def test_a_forgotten_session_is_gone_for_good(recall, projects: Path, home: Path) -> None:
    assert recall("grep", "context window").code == 0
    assert "would go" in recall("forget", SESSION[:8]).out
    ran = recall("forget", SESSION[:8], "--yes")
    assert ran.code == 0
    assert str(projects) in ran.out
    assert recall("index").code in (0, 1)
    assert recall("grep", "context window").code == 1
    assert list(projects.rglob("*.jsonl"))
    assert b"context window" not in (home / "recall" / "index.db").read_bytes()


def test_what_was_indexed_elsewhere_is_no_copy_for_who_names_one_place(
    recall, projects: Path, tmp_path: Path, capsys
) -> None:
    """A backup, or a folder that was copied: all its sessions are copies of those known."""
    (path,) = projects.rglob("*.jsonl")
    fork = path.read_text().replace(SESSION, "fork")
    path.with_name("fork.jsonl").write_text(fork)
    written(path.with_name("fork.jsonl"), [record("user", 9, "the context window once more")])
    backup = tmp_path / "backup"
    counted = ["grep", "context window", "--count", "--json"]
    known = recall(*counted).json
    assert (known["total"], known["sessions"]) == (3, 2)
    shutil.copytree(projects, backup)

    def there(*words: str) -> dict:
        assert main([*words, "--json", "--source", f"claude={backup}"]) == 0
        return json.loads(capsys.readouterr().out)

    found = there(*counted)
    fields = ("total", "occurrences", "sessions")
    assert [found[name] for name in fields] == [known[name] for name in fields]
    listed = there("sessions", "--unfold")["sessions"]
    assert {Path(one["path"]).parent.parent for one in listed} == {backup}
    assert len(listed) == len(recall("sessions", "--unfold", "--json").json["sessions"])
    passage = there("search", "how big is the context window")["passages"][0]
    assert there("more", passage["anchor_message_id"])["messages"]
    assert there("show", SESSION[:8])["session"]["path"].startswith(str(backup))
    both = ["--source", f"claude={backup}"]
    assert recall(*counted, *both).json["total"] == known["total"]


def test_an_export_of_everything_in_pages_is_the_whole(recall, projects: Path) -> None:
    (path,) = projects.rglob("*.jsonl")
    for day in (1, 2, 3):
        text = path.read_text().replace("2026-11-28", f"2026-11-0{day}")
        path.with_name(f"s{day}.jsonl").write_text(
            text.replace("-00000000000", f"-{day}0000000000")
        )

    def export(*words: str) -> list[dict]:
        return [json.loads(line) for line in recall("export", *words, "--json").out.splitlines()]

    def refs(page: list[dict]) -> list[str]:
        return [line["ref"] for line in page if line["type"] == "message"]

    whole = refs(export("--all"))
    assert len(whole) == 16
    for limit in ("3", "4", "7"):
        page = export("--all", "--limit", limit)
        seen = refs(page)
        while page[-1]["next"]:
            page = export("--after", page[-1]["next"], "--limit", limit)
            seen += refs(page)
        assert seen == whole


def test_doctor_knows_what_was_left_out(recall, projects: Path, monkeypatch) -> None:
    """It is neither waiting for an index nor without messages."""
    (path,) = projects.rglob("*.jsonl")
    for name in ("b.jsonl", "c.jsonl"):
        path.with_name(name).write_text(path.read_text().replace("/home/ann/src/recall", "/x/y"))
    recall("index")
    recall("forget", SESSION, "--yes")
    monkeypatch.setenv("RECALL_EXCLUDE", "/x/y")
    (projects / "d").mkdir()
    other = path.read_text().replace(SESSION, SESSION.replace("8d", "9d"))
    (projects / "d" / "d.jsonl").write_text(other)
    recall("index")  # takes them out
    recall("index")  # looks whose they are
    (place,) = [c for c in recall("doctor", "--json").json["checks"] if c["section"] == "sources"]
    assert "4 found, 1 indexed, 3 forgotten, or left out by settings" in place["detail"]
    facts = place["facts"]
    assert (facts["left_out"], facts["waiting"], facts["skipped"]) == (3, 0, 0)
    assert place["level"] == "ok"


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize("pattern", ["*", "/home/ann/*"])
def test_what_leaves_everything_out_is_named(
    recall, projects: Path, monkeypatch, indexed, pattern
) -> None:
    """Searched completely, for nothing was to be searched; and not a machine without history."""
    monkeypatch.setenv("RECALL_EXCLUDE", pattern)
    if indexed:
        recall("index")
    run = recall("grep", "zq")
    assert run.code == 1
    assert "1 session left out by the setting exclude" in run.err
    assert "Looked for" not in run.err
    gaps = recall("grep", "zq", "--json").json["gaps"]
    assert [(gap["kind"], gap["count"]) for gap in gaps] == [("excluded", 1)]


def test_doctor_before_and_after_the_first_index(recall, home: Path) -> None:
    before = recall("doctor", "--json").json
    assert not os.path.exists(home / "recall")
    (place,) = [c for c in before["checks"] if c["section"] == "sources"]
    assert (place["facts"]["found"], place["facts"]["indexed"]) == (1, 0)
    assert place["action"] == "recall index"
    recall("index")
    after = recall("doctor", "--json").json
    (place,) = [c for c in after["checks"] if c["section"] == "sources"]
    assert (place["level"], place["facts"]["indexed"]) == ("ok", 1)


def test_a_machine_without_history(capsys, home: Path) -> None:
    """Nothing could be searched: that is no complete answer, before a first index and after."""
    for words in (["sessions"], ["index"], ["sessions"], ["grep", "x"], ["continue", "--last"]):
        assert main(words) == 3, words
        captured = capsys.readouterr()
        assert "No sessions found. Looked for" in captured.err
        assert "~/.claude/projects" in captured.err
        assert "recall --demo" in captured.err
    assert main(["index", "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["gaps"][0]["kind"] == "no_sources"


def test_the_demo_leaves_the_persons_own_history_alone(capsys, home: Path) -> None:
    assert main(["--demo", "sessions", "--json"]) == 0
    demo = json.loads(capsys.readouterr().out)
    assert len({session["harness"] for session in demo["sessions"]}) >= 3
    assert not os.path.exists(home / "recall" / "index.db")


def test_two_processes_and_a_pipe(projects: Path) -> None:
    command = [sys.executable, "-m", "recall_tui", "--source", f"claude={projects}", "grep", "the"]
    shell = f"{' '.join(command)} --all | head -n 1"
    run = subprocess.run(
        ["sh", "-c", shell], capture_output=True, text=True, cwd=REPOSITORY, check=True,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert run.stdout.count("\n") == 1
    assert "Traceback" not in run.stderr


def test_a_page_makes_the_sessions_of_a_page(
    recall, projects: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from recall_tui.store import corpus

    for number in range(12):
        (projects / f"-work-{number}").mkdir()
        record_ = record("user", number + 10, "hello") | {"sessionId": f"{number:08}{SESSION[8:]}"}
        written(projects / f"-work-{number}" / f"{number:08}{SESSION[8:]}.jsonl", [record_])
    recall("index", "--quiet")
    made = 0
    real = corpus.session_of

    def counting(*values: object) -> object:
        nonlocal made
        made += 1
        return real(*values)

    monkeypatch.setattr(corpus, "session_of", counting)
    answer = json.loads(recall("sessions", "-n", "3", "--json").out)
    assert (len(answer["sessions"]), answer["total"], made) == (3, 13, 3)
    assert len(json.loads(recall("sessions", "--all", "--json").out)["sessions"]) == 13
