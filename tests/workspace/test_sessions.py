"""Which sessions a workspace lists, as what, and of which versions it is read."""

from __future__ import annotations

import sqlite3

import pytest

from recall_tui.model import Filter, SessionKind
from recall_tui.workspace import Maka, find
from tests.workspace.build import DAY, START, TOKEN, Workspace, big
from tests.workspace.reading import ALL, matching, opened, rows, said


def listed(corpus, chosen: Filter = ALL) -> list[str]:
    return [session.native_id for session in corpus.sessions(chosen)]


def gaps(corpus) -> dict[str, int]:
    return {gap.detail: gap.count for gap in corpus.gaps(ALL)}


@pytest.mark.contract("S0-21")
def test_sessions_of_the_simulator_are_never_eligible(tmp_path) -> None:
    workspace = Workspace(tmp_path)
    for ledger in (True, False):
        made = workspace.session(f"fake-{ledger}", ledger=ledger, backend="fake")
        workspace.user(made, "window")
    workspace.user(workspace.session("real"), "window")
    corpus = opened(workspace.done())
    assert listed(corpus) == listed(corpus, Filter(include_copies=True)) == ["real"]
    assert listed(corpus, Filter(sessions=("maka:fake-True",))) == []
    assert corpus.find("maka:fake-True") == []
    assert matching(corpus, "window") == [("real", 0)]
    assert gaps(corpus) == {"session of the retired simulator is never shown": 2}


@pytest.mark.contract("S0-22")
def test_archived_sessions_are_searched_and_say_so(tmp_path) -> None:
    workspace = Workspace(tmp_path)
    workspace.user(workspace.session("a", isArchived=True), "window")
    corpus = opened(workspace.done())
    (session,) = corpus.sessions(ALL)
    assert session.archived
    assert matching(corpus, "window") == [("a", 0)]


@pytest.fixture
def family(tmp_path):
    """Three revisions of a conversation, one still being prepared, and a session apart."""
    workspace = Workspace(tmp_path)
    for number, (name, more) in enumerate(
        [
            ("root", {}),
            ("second", {"revisionRootSessionId": "root", "revisionIndex": 1,
                        "revisionState": "committed"}),
            ("third", {"revisionRootSessionId": "root", "revisionIndex": 2,
                       "revisionState": "committed"}),
            ("fourth", {"revisionRootSessionId": "root", "revisionIndex": 3,
                        "revisionState": "preparing"}),
            ("apart", {}),
        ]
    ):  # fmt: skip
        ms = START + number * DAY
        made = workspace.session(name, ms=ms, lastMessageAt=ms + 1000, **more)
        workspace.user(made, f"window {name}")
    return opened(workspace.done())


@pytest.mark.contract("S0-23")
def test_revisions_collapse_to_their_latest(family) -> None:
    assert listed(family) == ["apart", "third"]
    assert matching(family, "window") == [("apart", 0), ("third", 0)]
    assert gaps(family)["older revision of a session is left out for its latest one"] == 2
    assert gaps(family)["revision of a session is not finished yet"] == 1


@pytest.mark.contract("S0-23")
def test_the_asking_session_stands_for_its_family(family) -> None:
    asking = family.asking("maka:second")
    assert listed(asking) == ["apart", "second"]
    assert matching(asking, "window") == [("apart", 0), ("second", 0)]
    assert listed(family.asking("maka:apart")) == ["apart", "third"]
    assert family.asking("claude:second") is family


def test_older_revisions_are_there_for_who_asks_for_copies(family) -> None:
    everything = Filter(include_copies=True)
    assert listed(family, everything) == ["apart", "third", "second", "root"]
    (old,) = family.find("maka:root")
    assert (old.kind, old.parent, old.copied) == (SessionKind.FORK, "maka:third", 1)
    assert family.find("maka:third")[0].children == 2
    assert [m.text for m in said(family, "root")] == ["window root"]
    assert family.find("maka:fourth") == []


@pytest.mark.contract("S0-24")
def test_the_order_is_newest_first_then_by_id(tmp_path) -> None:
    workspace = Workspace(tmp_path)
    for name, ms in (("b", START), ("a", START), ("new", START + DAY), ("old", START - DAY)):
        workspace.user(workspace.session(name, ms=ms), "window")
    assert listed(opened(workspace.done())) == ["new", "a", "b", "old"]


@pytest.mark.contract("S0-26")
def test_an_unknown_session_is_an_empty_answer(tmp_path) -> None:
    workspace = Workspace(tmp_path)
    workspace.user(workspace.session("a"), "window")
    corpus = opened(workspace.done())
    nobody = Filter(sessions=("maka:nobody",))
    assert corpus.sessions(nobody) == []
    assert list(corpus.blocks(nobody)) == []


def test_families_kinds_and_titles(tmp_path) -> None:
    workspace = Workspace(tmp_path)
    main = workspace.session("main", title="Token budget", model="model-2")
    workspace.user(main, "start")
    child = workspace.session("child", subagent_of="main")
    workspace.user(child, "task for the child")
    workspace.user(workspace.session("branch", parentSessionId="main"), "branched off")
    workspace.user(workspace.session("old", ledger=False), "an old prompt")
    corpus = opened(workspace.done())
    found = {session.native_id: session for session in corpus.sessions(ALL)}
    told = [found[name] for name in ("main", "child", "branch", "old")]
    assert [(s.kind, s.parent, s.title) for s in told] == [
        (SessionKind.MAIN, "", "Token budget"),
        (SessionKind.SUBAGENT, "maka:main", "task for the child"),
        (SessionKind.FORK, "maka:main", "branched off"),
        (SessionKind.MAIN, "", "an old prompt"),
    ]  # fmt: skip
    assert found["main"].children == 2
    assert found["main"].models == ("model-2",)
    assert found["main"].cwd == found["main"].last_cwd == "/work/app"
    assert [m.kind.word for m in said(corpus, "child")] == ["delegation"]
    assert "child" not in listed(corpus, Filter(mains_only=True))


@pytest.mark.contract("S0-71")
def test_messages_are_counted_by_type_whether_or_not_they_have_text(tmp_path) -> None:
    workspace = Workspace(tmp_path)
    for ledger in (True, False):
        made = workspace.session(f"{ledger}", ledger=ledger)
        workspace.user(made, "window")
        workspace.assistant(made, "", thinking="hm")
        call = workspace.call(made, "Nap", {})
        workspace.result(made, call, {"kind": "image", "mimeType": "image/png", "ref": {}})
    corpus = opened(workspace.done())
    for session in corpus.sessions(ALL):
        assert (session.messages, session.prompts, session.tool_calls) == (4, 1, 1)
        assert len(said(corpus, session.native_id)) == 4
        narrow = Filter(sessions=(session.key,))
        assert corpus.coverage(narrow).messages == 4
    assert corpus.coverage(ALL).messages == 8


def test_blocks_come_by_falling_time_though_sessions_overlap(tmp_path) -> None:
    folder = big(tmp_path, sessions=12, turns=6, result_bytes=20_000, legacy=5)
    corpus = opened(folder)
    times = [block.last_ms for block in corpus.blocks(ALL)]
    assert times == sorted(times, reverse=True)
    assert len(times) > 12
    ids = [block.id for block in corpus.blocks(ALL)]
    assert len(set(ids)) == len(ids)
    assert ids == [block.id for block in corpus.blocks(ALL)]


def test_filters_hold(tmp_path) -> None:
    workspace = Workspace(tmp_path)
    for number in range(4):
        made = workspace.session(
            f"session-{number}", ms=START + number * DAY, cwd=f"/work/{'ab'[number % 2]}"
        )
        workspace.user(made, "window")
    corpus = opened(workspace.done())
    assert listed(corpus, Filter(cwd="/WORK/B")) == ["session-3", "session-1"]
    assert listed(corpus, Filter(since_ms=START + 2 * DAY)) == ["session-3", "session-2"]
    assert listed(corpus, Filter(until_ms=START + DAY)) == ["session-0"]
    assert listed(corpus, Filter(harnesses=("claude",))) == []
    assert corpus.gaps(Filter(harnesses=("claude",))) == []
    assert listed(corpus, Filter(roots=(str(tmp_path),))) == listed(corpus)
    assert listed(corpus, Filter(roots=("/elsewhere",))) == []
    assert listed(corpus, Filter(sessions=("session-2",))) == ["session-2"]


def test_a_deleted_session_is_not_listed(tmp_path) -> None:
    workspace = Workspace(tmp_path)
    workspace.user(workspace.session("a"), "window")
    workspace.db.execute("INSERT INTO session_metadata_tombstones VALUES ('a', 1, NULL, 1)")
    assert listed(opened(workspace.done())) == []


def test_an_excluded_session_is_never_read(tmp_path) -> None:
    workspace = Workspace(tmp_path)
    workspace.user(workspace.session("a", cwd="/work/private"), "window")
    workspace.user(workspace.session("b"), "window")
    corpus = opened(
        workspace.done(), excluded=lambda source: source.path.startswith("/work/private")
    )
    assert listed(corpus) == ["b"]
    assert matching(corpus, "window") == [("b", 0)]
    assert gaps(corpus) == {"session is left out by settings, or was forgotten": 1}


def test_a_header_without_json_is_read_from_its_columns(tmp_path) -> None:
    workspace = Workspace(tmp_path)
    workspace.user(workspace.session("a", ledger=False, title="kept"), "window")
    workspace.user(workspace.session("f", ledger=False, backend="fake"), "window")
    workspace.db.execute("UPDATE session_metadata SET payload_json = '{broken'")
    corpus = opened(workspace.done())
    assert [session.title for session in corpus.sessions(ALL)] == ["kept"]
    assert matching(corpus, "window") == [("a", 0)]
    assert gaps(corpus)["session header could not be read"] == 2


def test_a_title_holds_no_secret_and_no_escape(tmp_path) -> None:
    secret = TOKEN
    workspace = Workspace(tmp_path)
    workspace.user(workspace.session("a", title=f"use \x1b[31m{secret}"), "x")
    (session,) = opened(workspace.done()).sessions(ALL)
    assert secret not in session.title and "\x1b" not in session.title


# ---------------------------------------------------------------- versions


@pytest.mark.parametrize("version", [23, 26, 27, 28])
def test_every_known_version_is_read(tmp_path, version: int) -> None:
    workspace = Workspace(tmp_path, version=version)
    for ledger in (True, False):
        workspace.user(workspace.session(f"{ledger}", ledger=ledger), "window")
    columns = {row[1] for row in workspace.db.execute("PRAGMA table_info(session_metadata)")}
    assert ("status" in columns) == (version <= 26)
    assert ("external_adapter_id" in columns) == (version >= 28)
    assert len(matching(opened(workspace.done()), "window")) == 2


def test_a_version_before_chunks_is_read(tmp_path) -> None:
    workspace = Workspace(tmp_path)
    workspace.user(workspace.session("a", ledger=False), "window")
    for table in (
        "session_message_payloads", "session_message_chunks", "artifact_records",
        "runtime_partial_snapshots", "runtime_partial_segments", "runtime_runs",
    ):  # fmt: skip
        workspace.db.execute(f"DROP TABLE {table}")
    assert matching(opened(workspace.done()), "window") == [("a", 0)]


@pytest.mark.parametrize(
    "change",
    [
        "PRAGMA user_version = 13",
        "UPDATE session_metadata_schema SET version = 29",
        "INSERT INTO operational_schema_migrations VALUES ('artifact', 2, 1)",
    ],
)
def test_a_newer_version_is_refused_with_words(tmp_path, change: str) -> None:
    workspace = Workspace(tmp_path)
    workspace.user(workspace.session("a"), "window")
    folder = workspace.done()
    with sqlite3.connect(folder / "runtime.sqlite") as db:
        db.execute(change)
    db.close()
    corpus = opened(folder)
    assert corpus.sessions(ALL) == []
    assert rows(corpus, b"window") == []
    (gap,) = corpus.gaps(ALL)
    assert gap.partial
    assert "newer than" in gap.detail
    assert gap.action == "update recall-tui"


@pytest.mark.contract("X-1")
@pytest.mark.parametrize("change", ["RENAME TO sessions", "RENAME COLUMN payload_json TO header"])
def test_sessions_that_moved_to_another_table_are_a_gap(tmp_path, change: str) -> None:
    workspace = Workspace(tmp_path)
    workspace.user(workspace.session("a"), "window")
    folder = workspace.done()
    with sqlite3.connect(folder / "runtime.sqlite") as db:
        db.execute(f"ALTER TABLE session_metadata {change}")
    db.close()
    corpus = opened(folder)
    assert corpus.sessions(ALL) == []
    (gap,) = corpus.gaps(ALL)
    assert gap.partial and "another form" in gap.detail and gap.action == "update recall-tui"


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\0garbage", b"\0" * 5000])
def test_a_file_that_is_no_workspace_is_a_gap(tmp_path, content: bytes) -> None:
    (tmp_path / "runtime.sqlite").write_bytes(content)
    corpus = opened(tmp_path)
    assert corpus.sessions(ALL) == []
    assert list(corpus.blocks(ALL)) == []
    assert all(gap.kind == "unreadable" for gap in corpus.gaps(ALL))


def test_damaged_pages_cost_their_sessions_and_are_said(tmp_path) -> None:
    folder = big(tmp_path, sessions=20, turns=5)
    path = folder / "runtime.sqlite"
    data = bytearray(path.read_bytes())
    middle = len(data) // 2 // 4096 * 4096
    data[middle : middle + 40 * 4096] = b"\xff" * 40 * 4096
    path.write_bytes(data)
    corpus = opened(folder)
    list(corpus.blocks(ALL))
    assert any(gap.partial for gap in corpus.gaps(ALL))


def test_where_a_workspace_lies(tmp_path) -> None:
    folder = Workspace(tmp_path / "data" / "one").done()
    runtime = str(folder / "runtime.sqlite")
    for root in (folder, folder / "runtime.sqlite", tmp_path / "data"):
        assert [files.runtime for files in find(str(root))] == [runtime]
    assert find(str(tmp_path / "nowhere")) == []
    maka = Maka()
    assert maka.recognise(runtime, (folder / "runtime.sqlite").read_bytes()[:4096])
    assert not maka.recognise(runtime, b"{}")
    assert list(maka.discover(str(folder), [])) == []
    assert maka.resume(None) is None
