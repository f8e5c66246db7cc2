"""Reading OpenCode's store where it lies: with its WAL, unwritten, and only its own tables."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from recall_tui.harnesses import sqlite
from recall_tui.harnesses.base import Source
from recall_tui.harnesses.opencode import OpenCode, database
from recall_tui.model import Gap, GapKind
from tests.harnesses.opencode import build

HARNESS = OpenCode()


def found(root: Path) -> list[Source]:
    gaps: list[Gap] = []
    sources = list(HARNESS.discover(str(root), gaps))
    assert gaps == []
    return sources


def texts(root: Path) -> list[str]:
    return [m.text for source in found(root) for m in HARNESS.open(source)]


def content(folder: Path) -> dict[str, str]:
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in folder.iterdir()}


def hello() -> build.Session:
    session = build.Session()
    session.user("hello")
    return session


@pytest.fixture
def in_wal(tmp_path: Path) -> Path:
    """A folder whose store has every row in its `-wal`, as a killed program leaves it."""
    connection = build.filled(tmp_path / "live" / "opencode.db", hello())
    folder = tmp_path / "left"
    folder.mkdir()
    for name in ("opencode.db", "opencode.db-wal"):
        shutil.copy(tmp_path / "live" / name, folder / name)
    connection.close()
    main = sqlite3.connect(f"file:{folder}/opencode.db?immutable=1", uri=True)
    assert main.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
    main.close()
    return folder


@contextmanager
def unprivileged() -> Iterator[None]:
    """Act as a user whom file permissions bind, also when the tests run as root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.contract("X-4")
def test_everything_in_the_wal_is_read_and_nothing_is_written(in_wal: Path) -> None:
    before = content(in_wal)
    assert texts(in_wal) == ["hello"]
    assert content(in_wal) == before


@pytest.mark.contract("X-4")
def test_a_store_at_rest_is_left_as_it_is(tmp_path: Path) -> None:
    build.store(tmp_path / "opencode.db", hello())
    before = content(tmp_path)
    assert list(before) == ["opencode.db"]
    assert texts(tmp_path) == ["hello"]
    assert content(tmp_path) == before


@pytest.mark.skipif(os.name == "nt", reason="folders are made read-only by mode")
def test_a_store_in_a_read_only_folder_is_read_with_its_wal(in_wal: Path) -> None:
    folder = Path(tempfile.mkdtemp(prefix="recall-test-"))
    try:
        for path in in_wal.iterdir():
            shutil.copy(path, folder)
            (folder / path.name).chmod(0o444)
        folder.chmod(0o555)
        with unprivileged():
            with pytest.raises(OSError):
                (folder / "opencode.db-shm").touch()
            assert texts(folder) == ["hello"]
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


def test_a_live_store_is_read_beside_its_writer(tmp_path: Path) -> None:
    session = hello()
    connection = build.filled(tmp_path / "opencode.db", session)
    assert texts(tmp_path) == ["hello"]
    connection.execute("UPDATE part SET data = json_set(data, '$.text', 'hello again')")
    assert texts(tmp_path) == ["hello"]  # not committed
    connection.commit()
    assert texts(tmp_path) == ["hello again"]
    connection.close()


def test_a_locked_store_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "_TIMEOUT_S", 0.05)
    connection = build.filled(tmp_path / "opencode.db", hello())
    connection.close()
    holder = sqlite3.connect(tmp_path / "opencode.db", isolation_level=None)
    holder.execute("PRAGMA locking_mode=exclusive")
    holder.execute("UPDATE session SET title = 'held'")
    (tmp_path / "opencode.db-shm").touch()  # as if a program had it open the usual way
    before = content(tmp_path)
    assert texts(tmp_path) == ["hello"]
    assert content(tmp_path) == before
    holder.close()


def test_no_table_beyond_the_sessions_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = hello()
    fork = build.Session("fork", title="A title (fork #1)")
    fork.user("hello")
    connection = build.filled(tmp_path / "opencode.db", session, fork)
    connection.execute("INSERT INTO account VALUES ('a', 'zztoken')")
    connection.commit()
    connection.close()
    read: set[str] = set()
    opened = sqlite.connect

    def watched(path: str) -> sqlite3.Connection:
        connection = opened(path)

        def note(action: int, table: str | None, *_: object) -> int:
            if action == sqlite3.SQLITE_READ and table:
                read.add(table)
            return sqlite3.SQLITE_OK

        connection.set_authorizer(note)
        return connection

    monkeypatch.setattr(sqlite, "connect", watched)
    assert database.is_store(str(tmp_path / "opencode.db"))
    assert texts(tmp_path) == ["hello", "hello"]
    assert read - {"pragma_table_info", "sqlite_master"} == {"session", "message", "part"}


def test_a_part_that_streams_in_changes_the_time(tmp_path: Path) -> None:
    session = hello()
    connection = build.filled(tmp_path / "opencode.db", session)
    (before,) = found(tmp_path)
    assert before.mtime_ns == session.info["time"]["updated"] * 1_000_000
    later = build.START + 5_000_000
    connection.execute("UPDATE part SET time_updated = ?", (later,))
    connection.commit()
    (after,) = found(tmp_path)
    assert after.mtime_ns == later * 1_000_000
    connection.execute("UPDATE message SET time_updated = ?", (later + 7,))
    connection.commit()
    assert found(tmp_path)[0].mtime_ns == (later + 7) * 1_000_000
    connection.close()


def test_the_size_is_the_bytes_of_the_rows(tmp_path: Path) -> None:
    session = hello()
    session.agent("déjà vu")
    connection = build.filled(tmp_path / "opencode.db", session)
    total = sum(
        len(data.encode())
        for table in ("part", "message")
        for (data,) in connection.execute(f"SELECT data FROM {table}")
    )
    assert found(tmp_path)[0].size == total
    connection.close()


def test_a_large_store_is_listed_without_reading_its_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = hello()
    session.agent("one", "two")
    connection = build.filled(tmp_path / "opencode.db", session)
    monkeypatch.setattr(database, "_EXACT_BYTES", 0)
    (source,) = found(tmp_path)
    assert source.size == 3 * 4096
    plans = [
        row[3]
        for sql in (database._COUNTS, database._LATEST)
        for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", {"rows": 9})
    ]
    parts = [plan for plan in plans if "part" in plan]
    assert parts[0].startswith("SCAN part USING COVERING INDEX part_session_idx")
    assert parts[1] == "SCAN part"  # by rowid, ended by its LIMIT
    assert "LIMIT" in database._LATEST
    connection.close()


@pytest.mark.parametrize(
    "sql",
    [
        database._MESSAGES,
        database._PARTS,
        database._PART_IDS,
        database._MESSAGE_IDS,
    ],
)
def test_hot_queries_use_the_programs_indexes_and_sort_nothing(tmp_path: Path, sql: str) -> None:
    connection = build.filled(tmp_path / "opencode.db", hello())
    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", ("x",))]
    assert all("INDEX" in step for step in plan), plan
    assert not any("B-TREE" in step for step in plan), plan
    connection.close()


@pytest.mark.parametrize(
    "content",
    [b"", b"no database", b"SQLite format 3\0" + b"\1" * 5000],
    ids=["empty", "text", "damaged"],
)
def test_a_store_that_cannot_be_read_is_a_gap(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "opencode.db"
    path.write_bytes(content)
    gaps: list[Gap] = []
    assert list(HARNESS.discover(str(tmp_path), gaps)) == []
    assert [(gap.kind, gap.where) for gap in gaps] == [(GapKind.UNREADABLE, str(path))]


def test_bytes_that_are_no_text_in_a_schema_are_a_gap(tmp_path: Path) -> None:
    path = build.store(tmp_path / "opencode.db", hello())
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA journal_mode=delete")
    connection.close()
    path.write_bytes(
        path.read_bytes().replace(b"CREATE TABLE session", b"CREATE TABLE \xff\xfe(sion")
    )
    gaps: list[Gap] = []
    assert list(HARNESS.discover(str(tmp_path), gaps)) == []
    assert [(gap.kind, gap.where) for gap in gaps] == [(GapKind.UNREADABLE, str(path))]


def test_a_locked_store_is_waited_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "_TIMEOUT_S", 0.4)
    sessions = []
    for number in range(6):
        session = build.Session(f"s{number}")
        session.user("hello")
        sessions.append(session)
    path = build.store(tmp_path / "opencode.db", *sessions)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("PRAGMA journal_mode=delete")
    holder.execute("BEGIN EXCLUSIVE")
    begun = time.monotonic()
    assert texts(tmp_path) == ["hello"] * 6
    assert time.monotonic() - begun < 6 * 0.4
    holder.close()


def test_a_store_of_another_program_is_a_gap_only_under_our_name(tmp_path: Path) -> None:
    for name in ("opencode.db", "crush.db"):
        connection = sqlite3.connect(tmp_path / name)
        connection.execute("CREATE TABLE sessions(id text)")
        connection.commit()
        connection.close()
    gaps: list[Gap] = []
    assert list(HARNESS.discover(str(tmp_path), gaps)) == []
    assert [Path(gap.where).name for gap in gaps] == ["opencode.db"]


def test_a_store_of_the_go_edition_is_called_one(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "opencode.db") as connection:
        connection.execute("CREATE TABLE sessions(id, parent_session_id, title, message_count)")
    connection.close()
    gaps: list[Gap] = []
    assert list(HARNESS.discover(str(tmp_path), gaps)) == []
    [gap] = gaps
    assert "OpenCode's Go edition" in gap.detail
    assert "nothing to repair" in gap.action


def test_a_session_that_went_away_yields_nothing(tmp_path: Path) -> None:
    connection = build.filled(tmp_path / "opencode.db", hello())
    (source,) = found(tmp_path)
    for table in ("part", "message", "session"):
        connection.execute(f"DELETE FROM {table}")
    connection.commit()
    assert list(HARNESS.open(source)) == []
    connection.close()


def test_a_session_the_new_server_leads_is_read_from_its_own_table(tmp_path: Path) -> None:
    picture = "data:image/png;base64," + base64.b64encode(b"\x89PNG bytes").decode()
    rows: list[tuple[str, dict[str, Any]]] = [
        ("model-switched", {"model": {"id": "m", "providerID": "p"}}),
        ("system", {"text": "you are"}),
        ("user", {"text": "look", "files": [{"uri": picture, "mime": "image/png", "name": "a"}]}),
        ("assistant", {
            "model": {"id": "m-1", "providerID": "p"}, "cost": 0.5,
            "tokens": {"input": 7, "output": 3},
            "content": [
                {"type": "reasoning", "id": "r", "text": "zqthought"},
                {"type": "text", "id": "t", "text": "Looking."},
                {"type": "tool", "id": "c1", "name": "bash", "time": {"created": 1, "ran": 2},
                 "state": {"status": "completed", "input": {"command": "ls"}, "structured": {},
                           "content": [{"type": "text", "text": "a.py"}]}},
                {"type": "tool", "id": "c2", "name": "read", "time": {"created": 1},
                 "state": {"status": "error", "input": {"filePath": "/x"}, "content": [],
                           "error": {"type": "unknown", "message": "no such file"}}},
            ],
        }),
        ("shell", {"callID": "s1", "command": "git log", "output": "abc"}),
        ("synthetic", {"text": "a file changed"}),
        ("compaction", {"reason": "auto", "summary": "so far", "recent": ""}),
        ("hologram", {}),
    ]  # fmt: skip
    path = tmp_path / "opencode.db"
    connection = build.filled(path, build.Session())
    connection.execute(
        "CREATE TABLE session_message(id text, session_id text, type text, seq integer,"
        " time_created integer, time_updated integer, data text)"
    )
    for seq, (kind, data) in enumerate(rows):
        stated = json.dumps({"time": {"created": build.START + seq}} | data)
        row = (f"msg_{seq}", "ses_one", kind, seq, build.START, build.START, stated)
        connection.execute("INSERT INTO session_message VALUES (?,?,?,?,?,?,?)", row)
    connection.commit()
    connection.close()
    (source,) = HARNESS.discover(str(path), [])
    transcript = HARNESS.open(source)
    messages = list(transcript)
    assert [(m.kind.word, m.text, m.failed) for m in messages] == [
        ("injected", "you are", False),
        ("prompt", "look", False),
        ("answer", "Looking.", False),
        ("tool_call", "ls", False),
        ("tool_result", "a.py", False),
        ("tool_call", "/x", False),
        ("tool_result", "no such file", True),
        ("tool_call", "git log", False),
        ("tool_result", "abc", False),
        ("injected", "a file changed", False),
        ("summary", "so far", False),
    ]
    (material,) = messages[1].materials
    assert HARNESS.material(source, material.locator) == b"\x89PNG bytes"
    facts = transcript.facts
    assert (facts.models, facts.tokens_in, facts.cost_usd) == (["m-1"], 7, 0.5)
    assert dict(transcript.unknown) == {"role hologram": 1}
