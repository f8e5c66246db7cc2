"""Doctor's checks as data."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from recall_tui import clock, doctor
from recall_tui.doctor import Level, damage, machine, retention
from recall_tui.doctor.index import index_checks
from recall_tui.doctor.sources import broken_harnesses, source_checks
from recall_tui.model import Filter, Gap, GapKind
from recall_tui.paths import locate
from recall_tui.store.damage import Damaged
from recall_tui.store.sync.discover import Place
from tests.cli.fake import FakeHistory, Program, empty, filled, session


def by_name(checks, section: str) -> dict[str, doctor.Check]:
    return {check.name: check for check in checks if check.section == section}


def looked_at(history: FakeHistory, home: Path) -> list[doctor.Check]:
    """What the doctor says of a history whose files lie below a home."""
    history.paths = locate(env_of(home))
    return doctor.examine(env_of(home), str(home), history)


def env_of(home: Path) -> dict[str, str]:
    return {"RECALL_HOME": str(home / "recall"), "HOME": str(home)}


@pytest.mark.contract("S3-76")
def test_looking_creates_nothing(home: Path) -> None:
    before = sorted(os.listdir(home))
    checks = looked_at(empty(), home)
    assert sorted(os.listdir(home)) == before
    index = by_name(checks, "index")["file"]
    assert (index.level, index.action) == (Level.NOTE, "recall index")
    assert doctor.worst(checks) is not Level.FAIL


@pytest.mark.contract("S3-75")
def test_every_subject_is_looked_at(home: Path) -> None:
    checks = looked_at(filled(), home)
    assert {check.section for check in checks} >= {"sources", "index", "machine", "terminal"}
    machine = by_name(checks, "machine")
    assert machine["sqlite"].facts["version"] == sqlite3.sqlite_version
    assert machine["scanner"].facts["version"]
    for check in checks:
        assert check.detail and "\n" not in check.detail
        json.dumps(check.facts)


@pytest.mark.contract("S3-76")
def test_only_a_damaged_index_is_a_hard_failure(home: Path) -> None:
    index = home / "recall" / "index.db"
    index.parent.mkdir()
    index.write_bytes(b"SQLite format 3\0" + b"\x17" * 5000)
    checks = doctor.examine(env_of(home), str(home), None)
    assert by_name(checks, "index")["file"].level is Level.FAIL
    assert "damaged" in by_name(checks, "index")["file"].detail
    assert doctor.worst(checks) is Level.FAIL


def index_of(home: Path, version: int = 1) -> Path:
    from recall_tui.store import schema
    from recall_tui.store.connect import open_writer

    path = home / "recall" / "index.db"
    connection = open_writer(str(path))
    schema.create(connection)
    connection.execute(f"PRAGMA user_version={version}")
    connection.close()
    return path


@pytest.mark.contract("S3-74")
def test_a_sound_index_says_size_version_and_age(home: Path) -> None:
    index_of(home)
    index = by_name(looked_at(filled(), home), "index")
    assert index["file"].level is Level.OK
    assert index["file"].facts["version"] == 1
    assert index["file"].facts["journal_mode"] == "wal"
    assert index["coverage"].facts["age_ms"] == 3000
    assert "3 sessions" in index["coverage"].detail


def test_a_newer_index_is_refused_with_the_reason(home: Path) -> None:
    index_of(home, version=99)
    file = by_name(doctor.examine(env_of(home), str(home), None), "index")["file"]
    assert file.level is Level.FAIL
    assert "newer" in file.detail


def test_the_writer_is_named_while_it_writes(home: Path) -> None:
    from recall_tui.store.lock import WriterLock

    index = index_of(home)
    with WriterLock(f"{index}.lock"):
        writer = by_name(index_checks(locate(env_of(home)), None), "index")["writer"]
        assert str(os.getpid()) in writer.detail
    free = by_name(index_checks(locate(env_of(home)), None), "index")["writer"]
    assert free.detail == "nobody is writing it"


def test_a_disk_that_cannot_lock_is_a_warning_and_no_writer(home: Path, monkeypatch) -> None:
    Path(f"{index_of(home)}.lock").touch()

    def refuse(*_: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    writer = by_name(index_checks(locate(env_of(home)), None), "index")["writer"]
    assert writer.level is Level.WARN
    assert "cannot be locked: No locks available" in writer.detail


def test_too_little_room_for_a_rebuild_is_a_warning(home: Path, monkeypatch) -> None:
    monkeypatch.setattr("recall_tui.doctor.index.ROOM", 1 << 60)
    room = by_name(index_checks(locate(env_of(home)), None), "index")["disk"]
    assert room.level is Level.WARN
    assert "RECALL_HOME" in room.action


def test_a_place_that_cannot_be_written_is_a_warning(home: Path, monkeypatch) -> None:
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: mode == os.R_OK and access(path, mode))
    room = by_name(index_checks(locate(env_of(home)), None), "index")["disk"]
    assert room.level is Level.WARN
    assert "cannot be written" in room.detail
    assert "RECALL_HOME" in room.action


def claude_home(home: Path, settings: str | None, ages_days: list[float]) -> list:
    base = home / ".claude"
    folder = base / "projects" / "-home-ann-app"
    folder.mkdir(parents=True)
    if settings is not None:
        (base / "settings.json").write_text(settings, "utf-8")
    held = []
    for number, days in enumerate(ages_days):
        path = folder / f"s{number}.jsonl"
        path.write_text("{}\n", "utf-8")
        then = time.time() - days * 86_400
        os.utime(path, (then, then))
        held.append(session(f"claude:s{number}", "x", path=str(path)))
    return held


@pytest.mark.contract("S3-74", "S3-75")
def test_sessions_about_to_be_deleted_are_counted(home: Path) -> None:
    held = claude_home(home, '{"cleanupPeriodDays": 20}', [1, 12.5, 14, 19])
    (check,) = retention.retention_checks({}, str(home), held)
    assert check.level is Level.WARN
    assert (check.facts["days"], check.facts["set"]) == (20, True)
    assert (check.facts["sessions"], check.facts["soon"]) == (4, 2)
    assert "2 sessions of 4" in check.detail
    assert "cleanupPeriodDays" in check.action


@pytest.mark.parametrize(
    "settings", [None, "{}", "[]", "not json", '{"cleanupPeriodDays": "soon"}',
                 '{"cleanupPeriodDays": true}', '{"cleanupPeriodDays": -4}',
                 '{"cleanupPeriodDays": 1e999}', '{"cleanupPeriodDays": ' + "[" * 20_000]
)  # fmt: skip
@pytest.mark.contract("S3-75")
def test_settings_that_do_not_say_mean_thirty_days(home: Path, settings: str | None) -> None:
    held = claude_home(home, settings, [5])
    (check,) = retention.retention_checks({}, str(home), held)
    assert check.level is Level.WARN and "cleanupPeriodDays" in check.action
    assert (check.facts["days"], check.facts["set"]) == (30, False)
    assert "its default" in check.detail


@pytest.mark.contract("S3-75")
@pytest.mark.parametrize(("days", "level"), [(3649, Level.WARN), (3650, Level.OK)])
def test_transcripts_count_as_kept_from_ten_years_on(home: Path, days: int, level: Level) -> None:
    held = claude_home(home, f'{{"cleanupPeriodDays": {days}}}', [400])
    (check,) = retention.retention_checks({}, str(home), held)
    assert (check.level, bool(check.action)) == (level, level is Level.WARN)


@pytest.mark.contract("S3-75")
def test_a_disk_with_little_room_is_a_warning(home: Path, monkeypatch) -> None:
    found = os.statvfs(home)
    gib = 1 << 30
    for free, level in ((19 * gib, Level.WARN), (20 * gib, Level.OK)):
        disk = SimpleNamespace(f_bavail=free // found.f_frsize, f_frsize=found.f_frsize)
        monkeypatch.setattr(os, "statvfs", lambda _, disk=disk: disk)
        room = by_name(index_checks(locate(env_of(home)), None), "index")["disk"]
        assert room.level is level


def test_retention_follows_the_moved_folder(home: Path) -> None:
    held = claude_home(home, '{"cleanupPeriodDays": 3650}', [400])
    moved = {"CLAUDE_CONFIG_DIR": str(home / ".claude")}
    (check,) = retention.retention_checks(moved, "/nowhere", held)
    assert (check.facts["days"], check.facts["soon"]) == (3650, 0)
    assert list(retention.retention_checks({}, "/nowhere", held)) == []


def broken(path: str, harness: str = "codex") -> Damaged:
    return Damaged(harness, path, "", "cannot read", 0, False, 0)


def place_line(program: Program, root: str, sessions, damaged=(), known: int = 0) -> doctor.Check:
    """The line of a place of whose sources the index knows some."""

    def sources(chosen: Filter) -> int:
        assert (chosen.harnesses, chosen.roots) == ((program.id,), (root,))
        return known

    (check,) = source_checks([Place(program, root)], sessions, list(damaged), sources)
    return check


@pytest.mark.contract("S3-75")
def test_a_place_says_found_indexed_skipped_and_unreadable(home: Path) -> None:
    root = str(home)
    sessions = [session(f"codex:{n}", "x", path=f"{root}/{n}") for n in range(5)]
    sessions.append(session("codex:9", "x", path=f"{root}2/9"))
    sessions.append(session("pi:9", "x", path=f"{root}/9"))
    bad = [broken(f"{root}/7"), broken(f"{root}/8"), broken(f"{root}2/8")]
    check = place_line(Program(10), root, sessions, bad, 10)
    assert check.level is Level.WARN
    assert "10 found, 5 indexed, 3 skipped: no message in them, 2 unreadable" in check.detail
    assert (check.facts["skipped"], check.facts["coverage_percent"]) == (3, 71)
    assert "tried again" in check.action


def test_a_file_that_another_harness_cannot_read_is_not_counted_here(home: Path) -> None:
    root = str(home)
    held = [session(f"codex:{n}", "x", path=f"{root}/{n}") for n in range(2)]
    theirs = broken(f"{root}/opencode.db", "opencode")
    check = place_line(Program(2), root, held, [theirs], 2)
    assert (check.level, check.facts["unreadable"], check.action) == (Level.OK, 0, "")


def test_programs_that_left_nothing_in_a_named_folder_are_no_lines_of_their_own(
    home: Path,
) -> None:
    full, bare = home / "full", home / "bare"
    full.mkdir()
    bare.mkdir()
    places = [Place(Program(0), str(full)), Place(Program(4), str(full)),
              Place(Program(0), str(bare))]  # fmt: skip
    lines = [check.detail for check in source_checks(places, [], [], lambda _: 4)]
    assert lines == [f"{full}: 4 found, 0 indexed, 4 skipped: no message in them",
                     f"{bare}: 0 found, 0 indexed"]  # fmt: skip


def test_a_file_that_cannot_be_named_is_unreadable_not_waiting(home: Path) -> None:
    class Odd(Program):
        def discover(self, root: str, gaps: list[Gap]):
            for source in super().discover(root, gaps):
                yield source._replace(path=f"{root}/\udcff{source.native_id}")

    check = place_line(Odd(1), str(home), [])
    assert (check.facts["waiting"], check.facts["unreadable"]) == (0, 1)
    assert "not valid UTF-8" in check.detail and "recall index" not in check.action


def test_a_harness_that_fails_is_a_line_and_no_end(home: Path) -> None:
    class Broken(Program):
        def discover(self, root: str, gaps: list[Gap]):
            yield from super().discover(root, gaps)
            raise ZeroDivisionError

    check = place_line(Broken(2), str(home), [], known=2)
    assert (check.level, check.facts["found"], check.facts["unreadable"]) == (Level.WARN, 2, 1)
    assert "ZeroDivisionError" in check.detail


def test_a_place_that_is_not_indexed_yet_says_so() -> None:
    check = place_line(Program(4), "/", [])
    assert (check.level, check.action) == (Level.WARN, "recall index")
    assert check.detail == "/: 4 found, 0 indexed, 4 not indexed yet"
    half = place_line(Program(4), "/", [session("codex:1", "x", path="/1")], known=2)
    assert half.detail == "/: 4 found, 1 indexed, 2 not indexed yet, 1 skipped: no message in them"


def test_an_unreadable_folder_is_part_of_the_line() -> None:
    gap = Gap(GapKind.UNREADABLE, 1, "cannot read /r/x: Permission denied", "", "/r/x")
    check = place_line(Program(0, [gap]), "/", [])
    assert check.level is Level.WARN
    assert "Permission denied" in check.detail


def test_places_that_are_not_there_are_listed_and_the_demo_offered() -> None:
    missing, nothing = source_checks([Place(Program(), "/no/such")], [], [], lambda _: 0)
    assert (missing.level, missing.detail) == (Level.NOTE, "/no/such: not there")
    assert (nothing.level, "recall --demo" in nothing.action) == (Level.WARN, True)


def test_a_harness_that_cannot_be_loaded_is_reported(monkeypatch) -> None:
    from recall_tui.harnesses import registry

    monkeypatch.setattr(registry, "ids", lambda: ["broken"])
    monkeypatch.setitem(registry.BUILT_IN, "broken", "recall_tui.nothing:Nothing")
    registry.get.cache_clear()
    (check,) = broken_harnesses()
    assert check.level is Level.WARN
    assert "'broken' cannot be loaded" in check.detail


def test_a_terminal_that_cannot_show_letters_is_a_warning(monkeypatch) -> None:
    class Ascii:
        encoding = "ascii"

        def isatty(self) -> bool:
            return False

    monkeypatch.setattr("sys.stdout", Ascii())
    (check,) = machine.terminal_checks({"TERM": "xterm-256color", "TMUX": "/tmp/x"})
    assert check.level is Level.WARN
    assert "inside tmux" in check.detail
    (plain,) = machine.terminal_checks({"NO_COLOR": ""})
    assert "NO_COLOR" in plain.detail


def test_wrong_settings_are_a_warning_not_a_crash(home: Path) -> None:
    (home / "recall").mkdir()
    (home / "recall" / "config.toml").write_text("thme = 1\n", "utf-8")
    config = by_name(machine.machine_checks(env_of(home)), "machine")["config"]
    assert config.level is Level.WARN
    assert "did you mean 'theme'" in config.action


def test_every_damaged_source_is_named_as_far_as_there_is_room() -> None:
    lost = [
        Damaged("pi", "/x/a.jsonl", "", "/x/a.jsonl: no permission", 0, torn=False, unknown=0),
        Damaged("codex", "/x/b.jsonl", "", "", 3, torn=True, unknown=1),
    ]
    failed, partly = damage.damage_checks(lost)
    assert (failed.level, failed.detail) == (Level.WARN, "/x/a.jsonl: no permission")
    assert partly.level is Level.NOTE
    assert partly.detail == (
        "/x/b.jsonl: 3 damaged lines, the last line is not finished yet, 1 record of unknown kind"
    )
    assert partly.facts["unparsed"] == 3
    many = list(damage.damage_checks(lost[1:] * (damage.DAMAGED_NAMED + 5)))
    assert len(many) == damage.DAMAGED_NAMED + 1
    assert many[-1].detail == "5 more sources with fewer losses"


def test_a_file_that_cannot_be_read_is_one_gap_however_often_it_was_met(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from recall_tui.history import History
    from recall_tui.search.results import GrepQuery

    kept = home / ".local" / "share" / "opencode"
    kept.mkdir(parents=True)
    connection = sqlite3.connect(kept / "opencode.db")
    connection.execute("CREATE TABLE session (other TEXT)")
    connection.commit()
    connection.close()
    said = {"type": "user", "message": {"role": "user", "content": "needle"}, "uuid": "u1",
            "sessionId": "a", "timestamp": "2026-11-30T10:00:00Z"}  # fmt: skip
    project = home / ".claude" / "projects" / "-app"
    project.mkdir(parents=True)
    (project / "a.jsonl").write_text(json.dumps(said) + "\n")
    with closing(History.open(env=env_of(home))) as history:
        history.sync()
    later = clock.now_ms() + 60_000
    monkeypatch.setattr(clock, "now_ms", lambda: later)
    with closing(History.open(env=env_of(home))) as history:
        *_, last = history.grep(GrepQuery("needle"))
        met = [gap.count for gap in last.reach.gaps if gap.kind is GapKind.UNREADABLE]
    assert last.total == 1 and met == [1]


def test_a_first_sync_that_still_runs_has_compared_nothing(home: Path) -> None:
    from recall_tui.history import History

    index_of(home)
    with closing(History.open(env=env_of(home), live=True)) as history:
        assert history.reach().index_age_ms is None
