"""A workspace beside everything else: named, searched, shown, cited, forgotten, through History."""

from __future__ import annotations

import sqlite3

import pytest

from recall_tui.errors import BadReferenceError
from recall_tui.history import History
from recall_tui.model import Filter
from recall_tui.search.recall.request import RecallRequest
from recall_tui.search.results import GrepQuery
from tests.harnesses.claude import build as claude
from tests.workspace.build import MemoryStore, Workspace, attachment

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 30


@pytest.fixture
def folder(tmp_path):
    workspace = Workspace(tmp_path / "maka")
    made = workspace.session("session-1", title="Token budget")
    workspace.artifact(made, "file-1", PNG)
    file = attachment("plan.png", "session-1", "file-1", size=len(PNG))
    workspace.user(made, "how large is the context window?", attachments=[file])
    workspace.assistant(made, "The context window is 400k.")
    old = workspace.session("session-2", ledger=False)
    workspace.user(old, "an older context window")
    memory = MemoryStore(tmp_path / "maka")
    memory.item("1", "Windows are large", ["window"], scope="/work/app")
    memory.done()
    return workspace.done()


@pytest.fixture
def history(folder):
    opened = History.open([f"maka={folder}"])
    yield opened
    opened.close()


def found(history: History, word: str, chosen: Filter | None = None) -> list[str]:
    updates = list(history.grep(GrepQuery(word, chosen=chosen or Filter())))
    return sorted(str(hit.reference) for update in updates for hit in update.hits)


@pytest.mark.parametrize("name", ["", "runtime.sqlite"])
def test_a_folder_or_its_database_names_the_workspace(folder, name: str) -> None:
    history = History.open([f"maka={folder / name}"])
    assert [s.key for s in history.sessions()] == ["maka:session-1", "maka:session-2"]
    history.close()


def test_a_setting_names_it(folder, monkeypatch) -> None:
    monkeypatch.setenv("RECALL_WORKSPACE", str(folder))
    history = History.open()
    assert len(found(history, "context window")) == 3
    history.close()


def test_grep_show_and_resolve_see_it(history) -> None:
    references = found(history, "context window")
    assert [ref.partition("~")[0] for ref in references] == [
        "maka:session-1#0", "maka:session-1#1", "maka:session-2#0",
    ]  # fmt: skip
    for reference in references:
        resolved = history.resolve(reference)
        assert resolved.state == "same"
        assert "context window" in resolved.message.text
    session = history.find("session-1")[0]
    assert [m.position for m in history.messages(session, 1)] == [1]
    skeleton = history.skeleton(session)
    assert list(skeleton.kinds) == [1, 4]
    assert list(skeleton.sizes) == [len(m.text.encode()) for m in history.messages(session)]
    assert history.positions_matching(session, GrepQuery("window")) == [0, 1]
    assert history.resume(session) is None
    assert not history.reach().gaps


def test_a_material_comes_only_through_the_message_that_holds_it(history) -> None:
    session = history.find("session-1")[0]
    first, second = history.messages(session)
    (material,) = first.materials
    assert history.material(first.reference, material.id) == PNG
    for reference, name in ((second.reference, material.id), (first.reference, "file-1"),
                            (first.reference, "")):  # fmt: skip
        with pytest.raises(BadReferenceError):
            history.material(reference, name)


def test_it_is_searched_beside_the_index(folder, tmp_path) -> None:
    name = "0a1b2c3d-0000-4000-8000-000000000001"
    other = claude.Lines(session=name)
    other.user("the context window of Claude Code")
    other.write(tmp_path / "claude" / "-work-app" / f"{name}.jsonl")
    history = History.open([f"maka={folder}", f"claude={tmp_path / 'claude'}"])
    for _ in range(2):  # read from the files, then from the index
        references = found(history, "context window")
        assert len(references) == 4
        history.sync()
    assert [s.harness for s in history.sessions()].count("maka") == 2
    assert len(found(history, "context window", Filter(harnesses=("maka",)))) == 3
    assert not list(folder.glob("index*"))
    history.close()


def test_what_is_written_meanwhile_is_seen_at_once(history, folder) -> None:
    assert found(history, "just now") == []
    before = history.version()
    with sqlite3.connect(folder / "runtime.sqlite") as db:
        db.execute(
            "UPDATE session_messages SET record_json = replace(record_json, 'older', 'just now')"
        )
    db.close()
    assert [r.partition("~")[0] for r in found(history, "just now")] == ["maka:session-2#0"]
    assert history.version() != before


@pytest.mark.contract("S0-115")
def test_its_facts_are_handed_out_in_scope(history) -> None:
    (source,) = history._held.fact_sources()
    scope = history._held.fact_scope("maka:session-1")
    assert scope == "/work/app"
    assert [fact.content for fact in source.facts(["window"], scope)] == ["Windows are large"]
    assert source.facts(["window"]) == []
    assert history._held.fact_scope("claude:x") == ""


@pytest.mark.contract("S0-118")
def test_a_person_sees_the_facts_of_the_folder_the_question_is_asked_in(
    tmp_path, monkeypatch
) -> None:
    names = ("app", "app/part", "other")
    for name in names:
        (tmp_path / name).mkdir()
    workspace, memory = Workspace(tmp_path / "maka"), MemoryStore(tmp_path / "maka")
    for name in names:
        root = str(tmp_path / name)
        workspace.user(workspace.session(name, workspaceRoot=root, cwd=root), "window")
        memory.item(name, f"fact of {name}", ["window"], scope=root)
    memory.item("all", "fact of all", ["window"])
    memory.done()
    opened = History.open([f"maka={workspace.done()}"])
    (tmp_path / "app" / "part" / "deep").mkdir()

    def facts(folder: str, asking: str = "") -> set[str]:
        monkeypatch.chdir(tmp_path / folder)
        asked = RecallRequest(terms=("window",), current_session=asking)
        return {fact.content.removeprefix("fact of ") for fact in opened.recall(asked).facts}

    assert facts("app") == {"all", "app"}
    assert facts("app/part/deep") == {"all", "app/part"}
    assert facts(".") == {"all"}
    assert facts("other", "maka:app") == {"all", "app"}
    opened.close()


@pytest.mark.parametrize("ledger", [True, False], ids=["ledger", "legacy"])
@pytest.mark.contract("S0-27", "S0-78", "S0-83")
def test_what_is_said_into_a_running_turn_belongs_to_it(tmp_path, ledger: bool) -> None:
    workspace = Workspace(tmp_path / "maka")
    made = workspace.session("a", ledger=ledger)
    workspace.user(made, "an okapi")
    workspace.assistant(made, "yes")
    workspace.user(made, "another okapi")
    workspace.assistant(made, "looking")
    workspace.steer(made, "the okapi of the zoo")
    workspace.assistant(made, "found")
    opened = History.open([f"maka={workspace.done()}"])

    def found(asking: str = "") -> list[tuple[int, int, list[str]]]:
        asked = RecallRequest(terms=("okapi",), current_session=asking)
        held = opened.recall(asked).passages
        return sorted((p.turn, p.sequence, [m.text for m in p.messages]) for p in held)

    whole = ["another okapi", "looking", "the okapi of the zoo", "found"]
    assert found() == [(0, 0, ["an okapi", "yes"]), (2, 2, whole)]
    assert found("maka:a") == [(0, 0, ["an okapi", "yes"])]
    opened.close()


@pytest.mark.contract("S0-99")
def test_without_turns_each_message_is_its_own_and_only_the_count_bounds_it(tmp_path) -> None:
    workspace = Workspace(tmp_path / "maka")
    made = workspace.session("a", ledger=False)
    for number in range(6):
        workspace.user(made, f"an okapi {number}")
        workspace.assistant(made, f"answer {number}")
    workspace.db.execute(
        "UPDATE session_messages SET record_json = json_remove(record_json, '$.turnId')"
    )
    opened = History.open([f"maka={workspace.done()}"])
    held = opened.recall(RecallRequest(terms=("okapi",))).passages
    assert sorted((p.turn, p.sequence) for p in held) == [(-1, n) for n in range(0, 12, 2)]
    (middle,) = (p for p in held if p.sequence == 6)
    assert [m.reference.position for m in middle.messages] == list(range(2, 11))
    opened.close()


@pytest.mark.contract("S0-115", "S0-120")
def test_a_fact_alone_is_an_answer_in_words_too(tmp_path, capsys) -> None:
    from recall_tui.cli import main

    workspace, memory = Workspace(tmp_path / "maka"), MemoryStore(tmp_path / "maka")
    workspace.user(workspace.session("a"), "nothing about it")
    memory.item("1", "The gateway speaks\nHTTP/2", ["gateway"])
    memory.done()
    source = ["--source", f"maka={workspace.done()}"]
    assert main(["search", "-t", "gateway", *source]) == 0
    assert "FACT The gateway speaks HTTP/2  knowledge  2025-10-09" in capsys.readouterr().out
    assert main(["search", "-t", "gateway", "--json", *source]) == 0
    assert main(["search", "-t", "gateway", "--paths", *source]) == 1


def test_forgetting_holds(history, folder) -> None:
    session = history.find("session-1")[0]
    before = (folder / "runtime.sqlite").read_bytes()
    forgotten = history.forget([session])
    assert forgotten.keys == ["maka:session-1"]
    assert forgotten.left == [str(folder / "runtime.sqlite")]
    assert [s.key for s in history.sessions()] == ["maka:session-2"]
    assert len(found(history, "context window")) == 1
    history.close()
    again = History.open([f"maka={folder}"])
    assert [s.key for s in again.sessions()] == ["maka:session-2"]
    again.close()
    assert (folder / "runtime.sqlite").read_bytes() == before


def test_what_another_process_had_forgotten_is_gone_here_too(history, folder) -> None:
    """As an agent's server, which lives for days."""
    assert len(found(history, "context window")) == 3
    other = History.open([f"maka={folder}"])
    other.forget([other.find("session-1")[0]])
    other.close()
    assert [s.key for s in history.sessions()] == ["maka:session-2"]
    assert len(found(history, "context window")) == 1


def test_an_excluded_project_is_never_read(folder, monkeypatch) -> None:
    monkeypatch.setenv("RECALL_EXCLUDE", "/work/*")
    history = History.open([f"maka={folder}"])
    assert history.sessions() == []
    assert found(history, "context window") == []
    history.close()


def test_a_newer_workspace_stops_nothing_else(folder) -> None:
    with sqlite3.connect(folder / "runtime.sqlite") as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    history = History.open([f"maka={folder}"])
    assert history.sessions() == []
    reach = history.reach()
    assert not reach.complete
    assert any("newer than" in gap.detail for gap in reach.gaps)
    history.close()


@pytest.mark.contract("S0-23")
def test_the_asking_revision_is_the_one_that_is_searched(tmp_path) -> None:
    workspace = Workspace(tmp_path / "maka")
    for number, name in enumerate(("first", "second")):
        header = {"revisionRootSessionId": "first", "revisionIndex": number} if number else {}
        made = workspace.session(name, ms=1_760_000_000_000 + number * 100_000, **header)
        workspace.user(made, f"{name} revision")
        workspace.user(made, "and the turn that is running: revision")
    workspace.done()
    opened = History.open([f"maka={tmp_path / 'maka'}"])

    def found(asking: str) -> set[tuple[str, int]]:
        request = RecallRequest(terms=("revision",), current_session=asking)
        return {(p.session.native_id, p.sequence) for p in opened.recall(request).passages}

    assert found("") == {("second", 0), ("second", 1)}
    assert found("maka:second") == {("second", 0)}
    assert found("maka:first") == {("first", 0)}
    opened.close()


def test_doctor_says_that_it_is_read_in_place(history) -> None:
    from recall_tui.doctor.sources import source_checks

    (check,) = source_checks(history.places, history.sessions(), history.damaged(), history.sources)
    assert "2 sessions read in place" in check.detail
    assert "found" not in check.detail and "indexed" not in check.detail
    assert check.facts["found"] == 2 and check.facts["in_place"] is True


def test_doctor_does_not_call_a_simulator_forgotten(tmp_path, capsys) -> None:
    from recall_tui.cli import main

    workspace = Workspace(tmp_path / "maka")
    workspace.user(workspace.session("real"), "hello")
    workspace.user(workspace.session("sham", backend="fake"), "hello")
    workspace.done()
    assert main(["doctor", "--source", f"maka={tmp_path / 'maka'}"]) == 0
    assert "1 session read in place, 1 of the simulator" in capsys.readouterr().out


@pytest.mark.contract("S0-32", "S0-95", "S0-108", "S0-110")
def test_a_file_that_cannot_be_fetched_is_told_of_all_the_same(tmp_path) -> None:
    from recall_tui.search.recall import wire

    workspace = Workspace(tmp_path / "maka")
    ref = {"kind": "workspace_file", "relativePath": "docs/plan.pdf"}
    file = {**attachment("plan.pdf", "a", "x", mime="application/pdf"), "kind": "pdf", "ref": ref}
    workspace.user(workspace.session("a"), "", attachments=[file])
    workspace.done()
    opened = History.open([f"maka={tmp_path / 'maka'}"])
    answer = wire.envelope(opened.recall(RecallRequest(terms=("plan.pdf",))))
    opened.close()
    (message,) = answer["passages"][0]["messages"]
    held = {
        "name": "plan.pdf",
        "kind": "pdf",
        "mimeType": "application/pdf",
        "bytes": file["bytes"],
    }
    assert (message["text"], message["materials"]) == ("", [held])
    assert answer["materials"] == [{"message_id": message["message_id"], **held}]


@pytest.mark.contract("S0-22")
def test_an_archived_session_is_searched_and_said_to_be_one(tmp_path, capsys) -> None:
    from recall_tui.cli import main
    from recall_tui.search.recall import wire

    workspace = Workspace(tmp_path / "maka")
    workspace.user(workspace.session("away", isArchived=True), "the zqbudget")
    workspace.done()
    opened = History.open([f"maka={tmp_path / 'maka'}"])
    answer = wire.envelope(opened.recall(RecallRequest(terms=("zqbudget",))))
    opened.close()
    assert [p["session"]["archived"] for p in answer["passages"]] == [True]
    assert main(["search", "zqbudget", "--source", f"maka={tmp_path / 'maka'}"]) == 0
    assert "main, archived" in capsys.readouterr().out


@pytest.mark.contract("S0-23", "S0-103")
def test_a_superseded_revision_is_as_unknown_to_recall_as_one_that_never_was(tmp_path) -> None:
    from recall_tui.search.recall.request import MoreRequest, Reason, RefusedError

    workspace = Workspace(tmp_path / "maka")
    for number, name in enumerate(("first", "second")):
        header = {"revisionRootSessionId": "first", "revisionIndex": number} if number else {}
        made = workspace.session(name, ms=1_760_000_000_000 + number * 100_000, **header)
        workspace.user(made, f"{name} revision")
    workspace.done()
    opened = History.open([f"maka={tmp_path / 'maka'}"])
    (old,) = opened.find("maka:first")
    (message,) = opened.messages(old)
    asked = RecallRequest(terms=("revision",), chosen=Filter(sessions=("maka:first",)))
    assert opened.recall(asked).passages == ()
    said = set()
    for anchor in (str(message.reference), "maka:nobody#0~0000"):
        with pytest.raises(RefusedError) as refused:
            opened.more(MoreRequest(anchor))
        said.add((refused.value.reason, refused.value.message))
    assert len(said) == 1 and said.pop()[0] is Reason.NOT_FOUND
    opened.close()
