"""What a sync notices, keeps and loses."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing

import pytest

from recall_tui.errors import SourceError
from recall_tui.model import Filter, GapKind, Presence
from recall_tui.store.kept import Kept
from tests.store.conftest import content
from tests.store.toy import line

T = 1_700_000_000_000


def counts(progress) -> dict[str, int]:
    names = (
        "parsed", "appended", "unchanged", "failed", "gone", "returned", "renamed", "removed",
    )  # fmt: skip
    return {name: getattr(progress, name) for name in names if getattr(progress, name)}


@pytest.mark.contract("S3-41", "S3-50")
def test_a_second_sync_reads_nothing(desk):
    desk.write("a.jsonl", line(text="one", t=T))
    desk.write("b.jsonl", line(text="two", t=T + 1))
    first = desk.sync()
    assert counts(first) == {"parsed": 2}
    assert (first.sessions, first.messages, first.seen, first.done) == (2, 2, 2, True)
    assert first.bytes_done == first.bytes_total > 0
    assert first.seconds > 0
    version = desk.corpus.version()
    second = desk.sync()
    assert counts(second) == {"unchanged": 2}
    assert second.bytes_total == 0
    assert desk.corpus.version() == version


def test_a_sync_without_work_imports_nothing_heavy(desk):
    import subprocess
    import sys
    from pathlib import Path

    desk.write("a.jsonl", line(text="one", t=T))
    desk.sync()
    code = (
        "import sys\n"
        "from recall_tui.store.sync.run import sync\n"
        "progress = sync(sys.argv[1], [])\n"
        "assert (progress.done, progress.sessions) == (True, 1)\n"
        "heavy = ('msgspec', 'zstandard', 'stringzilla', 'watchfiles', 'json', 'subprocess',\n"
        "         'recall_tui.text', 'recall_tui.store.ingest', 'recall_tui.store.writer')\n"
        "print([name for name in heavy if name in sys.modules])\n"
    )
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code, desk.index],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


@pytest.mark.contract("S3-43")
def test_growth_reads_the_tail_only(desk):
    desk.write("a.jsonl", line(text="one", t=T), line("tool_result", "out", t=T + 1))
    desk.sync()
    before = desk.sql("SELECT id FROM block ORDER BY id")
    desk.append("a.jsonl", line(text="two", t=T + 2))
    assert counts(desk.sync()) == {"appended": 1}
    assert desk.texts("a") == ["one", "out", "two"]
    # The block of tool results got nothing new and was not touched.
    kept = desk.sql("SELECT id FROM block WHERE kind=1")
    assert kept[0] in before
    session = desk.session("a")
    assert (session.messages, session.prompts, session.ended_ms) == (3, 2, T + 2)


@pytest.mark.contract("S3-43")
def test_a_changed_beginning_makes_growth_a_new_reading(desk):
    desk.write("a.jsonl", line(text="one", t=T))
    desk.sync()
    desk.write("a.jsonl", line(text="ONE", t=T), line(text="two", t=T))
    assert counts(desk.sync()) == {"parsed": 1}
    assert desk.texts("a") == ["ONE", "two"]


@pytest.mark.contract("S3-44")
def test_a_torn_last_line_waits_and_comes_once(desk):
    whole = line(text="two", t=T + 1)
    desk.write("a.jsonl", line(text="one", t=T), whole[:20])
    progress = desk.sync()
    assert desk.texts("a") == ["one"]
    assert [gap.kind for gap in progress.gaps] == [GapKind.TORN]
    desk.append("a.jsonl", whole[20:])
    progress = desk.sync()
    assert counts(progress) == {"appended": 1}
    assert progress.gaps == []
    assert desk.texts("a") == ["one", "two"]


def test_a_complete_line_without_its_newline_is_shown_and_not_doubled(desk):
    whole = line(text="two", t=T + 1)
    desk.write("a.jsonl", line(text="one", t=T), whole[:-1])
    desk.sync()
    assert desk.texts("a") == ["one", "two"]
    desk.append("a.jsonl", "\n", line(text="three", t=T + 2))
    assert counts(desk.sync()) == {"appended": 1}
    assert desk.texts("a") == ["one", "two", "three"]
    assert desk.session("a").prompts == 3


def test_provisional_messages_are_replaced(desk):
    desk.write(
        "a.jsonl",
        line(text="one", t=T),
        line(text="maybe", t=T + 1, hold=True),
        line("tool_result", "maybe out", t=T + 2),
    )
    desk.sync()
    desk.append("a.jsonl", line("answer", "sure", t=T + 3, release=True))
    desk.sync()
    desk.append("a.jsonl", line("answer", "more", t=T + 4))
    desk.sync()
    assert desk.texts("a") == ["one", "maybe", "maybe out", "sure", "more"]
    session = desk.session("a")
    assert (session.messages, session.prompts) == (5, 2)


@pytest.mark.contract("S3-45", "X-1")
def test_junk_is_a_failure_that_keeps_the_last_good_copy(desk):
    path = desk.write("a.jsonl", line(text="one", t=T))
    desk.sync()
    path.write_bytes(os.urandom(3000).replace(b"{", b"}"))
    desk.touch(path)
    progress = desk.sync()
    assert counts(progress) == {"failed": 1}
    assert desk.texts("a") == ["one"]
    (gap,) = progress.gaps
    assert (gap.kind, gap.where) == (GapKind.UNREADABLE, str(path))
    # Left alone until it changes.
    assert counts(desk.sync()) == {"unchanged": 1}
    desk.write("a.jsonl", line(text="again", t=T))
    assert counts(desk.sync()) == {"parsed": 1}
    assert desk.texts("a") == ["again"]
    assert desk.corpus.gaps(Filter()) == []


@pytest.mark.contract("S3-45", "X-1")
def test_a_file_of_mostly_damaged_lines_is_a_failure_and_what_can_be_read_is_found(desk):
    good, bad = line(text="one", t=T), "{broken\n"
    path = desk.write("half.jsonl", good, bad)
    assert counts(desk.sync()) == {"parsed": 1}  # not more than half
    desk.append("half.jsonl", bad)
    for expected in ({"failed": 1}, {"unchanged": 1}):
        progress = desk.sync()
        assert counts(progress) == expected
        assert [(gap.kind, gap.count) for gap in progress.gaps] == [
            (GapKind.UNREADABLE, 1), (GapKind.UNPARSED, 2),
        ]  # fmt: skip
        assert "2 of 3" in progress.gaps[0].detail
        assert desk.texts("half") == ["one"]
        desk.touch(path)  # the content is the same, and as bad as before
    desk.append("half.jsonl", line(text="two", t=T + 1))
    progress = desk.sync()
    assert counts(progress) == {"appended": 1}
    assert [gap.kind for gap in progress.gaps] == [GapKind.UNPARSED]
    desk.write("half.jsonl", bad, bad, line(text="three", t=T + 2))  # less than was read before
    assert counts(desk.sync()) == {"failed": 1}
    assert desk.texts("half") == ["one", "two"]


def test_damaged_lines_are_counted_and_the_rest_is_kept(desk):
    desk.write("a.jsonl", line(text="one", t=T), "{broken\n", line(text="two", t=T))
    progress = desk.sync()
    assert desk.texts("a") == ["one", "two"]
    assert [(gap.kind, gap.count) for gap in progress.gaps] == [(GapKind.UNPARSED, 1)]


def test_unknown_records_are_counted_by_name(desk):
    desk.write("a.jsonl", line(text="one", t=T), '{"type":"new-thing"}\n' * 3)
    (gap,) = desk.sync().gaps
    assert (gap.kind, gap.count, gap.where) == (GapKind.UNKNOWN_RECORDS, 3, "toy")
    assert "new-thing" in gap.detail


def test_a_source_without_a_session_is_not_read_again(desk):
    desk.write("a.jsonl", '{"type":"noise"}\n')
    assert counts(desk.sync()) == {"parsed": 1}
    assert desk.names() == []
    assert counts(desk.sync()) == {"unchanged": 1}
    desk.append("a.jsonl", line(text="at last", t=T))
    desk.sync()
    assert desk.texts("a") == ["at last"]


@pytest.mark.contract("S3-46")
def test_a_vanished_source_keeps_its_text_and_returns_without_a_reading(desk):
    path = desk.write("a.jsonl", line(text="precious", t=T))
    desk.sync()
    away = desk.source.parent / "away"
    shutil.move(path, away)
    progress = desk.sync()
    assert counts(progress) == {"gone": 1}
    session = desk.session("a")
    assert session.presence is Presence.GONE
    assert session.gone_ms > 0
    assert desk.texts("a") == ["precious"]
    assert [gap.kind for gap in progress.gaps] == [GapKind.GONE]
    assert counts(desk.sync()) == {}
    block = desk.sql("SELECT id FROM block")
    shutil.move(away, path)
    progress = desk.sync()
    assert counts(progress) == {"unchanged": 1, "returned": 1}
    assert desk.session("a").presence is Presence.PRESENT
    assert desk.sql("SELECT id FROM block") == block
    assert progress.gaps == []


def test_a_missing_root_or_an_unreadable_folder_makes_nothing_gone(desk):
    desk.write("sub/a.jsonl", line(text="one", t=T))
    desk.write("b.jsonl", line(text="two", t=T))
    desk.sync()
    hidden = desk.source.parent / "unmounted"
    desk.source.rename(hidden)
    progress = desk.sync()
    assert counts(progress) == {}
    assert {gap.kind for gap in progress.gaps} == {GapKind.GONE}
    assert desk.session("a").presence is Presence.PRESENT
    hidden.rename(desk.source)
    assert desk.sync().gaps == []
    if os.geteuid() == 0:
        return  # root reads everything
    (desk.source / "sub").chmod(0)
    try:
        (desk.source / "b.jsonl").unlink()
        progress = desk.sync()
    finally:
        (desk.source / "sub").chmod(0o700)
    assert counts(progress) == {"gone": 1}
    assert desk.session("a").presence is Presence.PRESENT


def test_an_unreadable_folder_is_no_proof_of_absence(desk, monkeypatch):
    """As above, for whoever runs the tests as root."""
    desk.write("sub/a.jsonl", line(text="one", t=T))
    desk.write("b.jsonl", line(text="two", t=T))
    desk.sync()
    scan = os.scandir
    closed = str(desk.source / "sub")

    def refusing(path):
        if path == closed:
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    (desk.source / "b.jsonl").unlink()
    monkeypatch.setattr(os, "scandir", refusing)
    progress = desk.sync()
    assert counts(progress) == {"gone": 1}
    assert desk.session("a").presence is Presence.PRESENT
    assert GapKind.UNREADABLE in {gap.kind for gap in progress.gaps}
    monkeypatch.undo()
    assert GapKind.UNREADABLE not in {gap.kind for gap in desk.sync().gaps}


@pytest.mark.contract("S3-47", "X-2")
def test_an_edit_of_the_same_size_with_its_time_restored_is_noticed(desk):
    filler = line("answer", "x" * 9000, t=T)
    path = desk.write("a.jsonl", filler, line(text="before", t=T), filler)
    desk.sync()
    status = path.stat()
    path.write_text(path.read_text().replace("before", "edited"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_size == status.st_size
    assert counts(desk.sync()) == {"parsed": 1}
    assert "edited" in desk.texts("a")


@pytest.mark.contract("X-2")
def test_verify_notices_an_edit_that_hides_even_the_change_time(desk):
    filler = line("answer", "x" * 9000, t=T)
    path = desk.write("a.jsonl", filler, line(text="before", t=T), filler)
    desk.write("b.jsonl", line(text="other", t=T))
    desk.sync()
    path.write_text(path.read_text().replace("before", "edited"))
    status = path.stat()
    desk_rows = "UPDATE source SET mtime_ns=?, ctime_ns=? WHERE path=?"
    import sqlite3

    with sqlite3.connect(desk.index) as connection:
        connection.execute(desk_rows, (status.st_mtime_ns, status.st_ctime_ns, str(path)))
    connection.close()
    assert counts(desk.sync()) == {"unchanged": 2}
    assert counts(desk.sync(verify=True)) == {"parsed": 1, "unchanged": 1}
    assert "edited" in desk.texts("a")


def test_an_edit_in_the_middle_is_noticed_also_when_the_file_grew_since(desk):
    filler = line("answer", "x" * 9000, t=T)
    path = desk.write("a.jsonl", filler, line(text="before", t=T), filler)
    desk.sync()
    path.write_text(path.read_text().replace("before", "edited") + line(text="more", t=T))
    assert counts(desk.sync()) == {"parsed": 1}
    assert desk.texts("a")[1::2] == ["edited", "more"]


def test_an_id_that_depends_on_a_neighbour_follows_it(desk, monkeypatch):
    """Gemini: of two files with one id the first has it, until it is gone."""
    from tests.store.toy import Toy

    discover = Toy.discover
    alone = False

    def sharing(self, root, gaps):
        for source in discover(self, root, gaps):
            yield source if alone else source._replace(native_id=f"shared-{source.native_id}")

    monkeypatch.setattr(Toy, "discover", sharing)
    desk.write("a.jsonl", line(text="one", t=T))
    desk.sync()
    key = desk.session("shared-a").key
    alone = True
    assert counts(desk.sync()) == {"unchanged": 1}
    assert desk.session("a").key == key
    alone = False
    desk.touch(desk.source / "a.jsonl")  # looked into, and the same
    assert counts(desk.sync()) == {"unchanged": 1}
    assert desk.session("shared-a").native_id == "shared-a"


def test_a_file_that_was_filled_while_it_was_read_and_is_empty_again_holds_nothing(
    desk, monkeypatch
):
    from tests.store.toy import Toy

    path = desk.write("a.jsonl")
    open_ = Toy.open

    def filled(self, source, since=None):
        path.write_text(line(text="one", t=T))
        return open_(self, source, since)

    with monkeypatch.context() as patched:
        patched.setattr(Toy, "open", filled)
        desk.sync()
    assert desk.texts("a") == ["one"]
    path.write_text("")
    assert counts(desk.sync()) == {"parsed": 1, "removed": 1}
    assert desk.corpus.sessions(Filter()) == []


@pytest.mark.parametrize(
    "fault", [OSError(13, "Permission denied"), sqlite3.OperationalError("database is locked")]
)
def test_a_source_that_could_not_be_opened_is_read_once_it_can_be(desk, monkeypatch, fault):
    """A folder closed for a moment, a disk that was away, a locked database: no file changes."""
    from tests.store.toy import Toy

    if isinstance(fault, sqlite3.Error):
        fault.sqlite_errorcode = sqlite3.SQLITE_BUSY

    def refused(self, source, since=None):
        raise SourceError(str(fault)) from fault

    desk.write("a.jsonl", line(text="one", t=T))
    with monkeypatch.context() as patched:
        patched.setattr(Toy, "open", refused)
        assert counts(desk.sync()) == {"failed": 1}
        with monkeypatch.context() as closed:
            closed.setattr(os, "access", lambda *_: False)
            assert counts(desk.sync()) == {"unchanged": 1}
    assert counts(desk.sync()) == {"parsed": 1}
    assert desk.texts("a") == ["one"]
    assert counts(desk.sync()) == {"unchanged": 1}


def test_a_source_that_holds_nothing_readable_is_left_alone_until_it_changes(desk):
    desk.write("a.jsonl", "junk\n")
    assert counts(desk.sync()) == {"failed": 1}
    assert counts(desk.sync()) == {"unchanged": 1}


def test_an_unreadable_source_that_comes_back_as_it_was_is_still_unreadable(desk):
    folder = desk.write("x/a.jsonl", "junk\n").parent
    desk.sync()
    away = folder.rename(desk.source.parent / "away")
    assert counts(desk.sync()) == {"gone": 1}
    away.rename(folder)
    assert counts(desk.sync()) == {"unchanged": 1, "returned": 1}
    assert desk.sql("SELECT state FROM source") == [("failed",)]


def test_damage_stays_counted_when_the_file_grows(desk):
    path = desk.write("a.jsonl", line(text="one", t=T), "junk\n")
    desk.sync()
    with path.open("a") as stream:
        stream.write(line(text="two", t=T))
    assert counts(desk.sync()) == {"appended": 1}
    assert desk.sql("SELECT unparsed FROM source") == [(1,)]


def test_the_size_listed_is_the_files_own(desk):
    path = desk.write("a.jsonl", line(text="one", t=T))
    desk.sync()
    size = path.stat().st_size
    with closing(sqlite3.connect(desk.index, isolation_level=None)) as connection:
        connection.execute("UPDATE session SET size=1")
    desk.touch(path)
    assert counts(desk.sync()) == {"unchanged": 1}
    assert desk.sql("SELECT size FROM session") == [(size,)]


@pytest.mark.contract("S3-43")
def test_a_touched_file_is_compared_and_only_stamped(desk):
    path = desk.write("a.jsonl", line(text="one", t=T))
    desk.sync()
    block = desk.sql("SELECT id FROM block")
    desk.touch(path)
    assert counts(desk.sync()) == {"unchanged": 1}
    assert desk.sync().bytes_total == 0
    path.chmod(0o600)
    assert counts(desk.sync()) == {"unchanged": 1}
    assert desk.sql("SELECT id FROM block") == block


@pytest.mark.contract("S3-48")
def test_a_file_under_another_name_is_another_session(desk):
    desk.write("a.jsonl", line(text="one", t=T, id="r1"))
    desk.sync()
    (desk.source / "a.jsonl").rename(desk.source / "b.jsonl")
    assert counts(desk.sync()) == {"parsed": 1, "gone": 1}
    assert desk.texts("b") == ["one"]
    assert desk.session("a").presence is Presence.GONE


@pytest.mark.contract("S3-48")
def test_a_moved_file_keeps_its_session_and_its_references(desk):
    desk.write("old/a.jsonl", line(text="one", t=T, id="r1"))
    desk.sync()
    before = desk.session("a")
    (message,) = desk.corpus.messages(before.id)
    (desk.source / "new").mkdir()
    (desk.source / "old" / "a.jsonl").rename(desk.source / "new" / "a.jsonl")
    assert counts(desk.sync()) == {"unchanged": 1, "renamed": 1}
    after = desk.session("a")
    assert (after.id, after.key) == (before.id, before.key)
    assert after.path == str(desk.source / "new" / "a.jsonl")
    assert desk.corpus.messages(after.id) == [message]
    desk.append("new/a.jsonl", line(text="two", t=T))
    assert counts(desk.sync()) == {"appended": 1}


def test_a_file_moved_away_from_its_parent_is_read_as_what_it_is_now(desk):
    desk.write("main/sub/a.jsonl", line(text="one", t=T, id="r1"))
    desk.sync()
    key = desk.session("a").key
    (desk.source / "main/sub/a.jsonl").rename(desk.source / "a.jsonl")
    assert counts(desk.sync()) == {"parsed": 1, "renamed": 1}
    assert desk.sql("SELECT key, parent_native FROM session") == [(key, "")]
    assert desk.sql("SELECT state FROM source") == [("ok",)]


def test_a_moved_root_keeps_every_session(desk):
    from recall_tui.store.sync.discover import Place

    desk.write("a.jsonl", line(text="one", t=T))
    desk.write("b.jsonl", line(text="two", t=T))
    desk.sync()
    before = {s.key: s.id for s in desk.corpus.sessions(Filter())}
    other = desk.source.parent / "elsewhere"
    desk.source.rename(other)
    desk.places = [Place(place.harness, str(other)) for place in desk.places]
    assert counts(desk.sync()) == {"unchanged": 2, "renamed": 2}
    sessions = desk.corpus.sessions(Filter())
    assert {s.key: s.id for s in sessions} == before
    assert {s.root for s in sessions} == {str(other)}


def test_moved_and_grown_at_once(desk):
    desk.write("old/a.jsonl", line(text="one", t=T))
    desk.sync()
    (desk.source / "new").mkdir()
    (desk.source / "old" / "a.jsonl").rename(desk.source / "new" / "a.jsonl")
    desk.append("new/a.jsonl", line(text="two", t=T))
    assert counts(desk.sync()) == {"renamed": 1, "appended": 1}
    assert desk.texts("a") == ["one", "two"]


def test_another_file_of_the_same_name_is_another_session(desk):
    desk.write("x/a.jsonl", line(text="one", t=T))
    desk.write("y/a.jsonl", line(text="two", t=T))
    desk.sync()
    first, second = sorted(desk.corpus.find("a"), key=lambda s: len(s.key))
    assert first.key == "toy:a"
    assert second.key.startswith("toy:a@")
    assert len(second.key) == len("toy:a@1234")
    # One vanishes and a different one appears elsewhere: not taken for the same.
    kept = {s.path: s.key for s in (first, second)}
    os.unlink(first.path)
    desk.write("z/a.jsonl", line(text="three", t=T))
    progress = desk.sync()
    assert counts(progress) == {"parsed": 1, "gone": 1, "unchanged": 1}
    now = {s.path: s.key for s in desk.corpus.find("a")}
    assert kept.items() <= now.items()
    assert len(set(now.values())) == 3


def test_a_packed_copy_takes_over_the_vanished_session(desk):
    """Same history in other bytes, as when a program compresses its archive."""
    desk.write("live/a.jsonl", line(text="one", t=T, id="r1"), line(text="two", t=T, id="r2"))
    desk.sync()
    before = desk.session("a")
    (desk.source / "live" / "a.jsonl").unlink()
    spaced = (line(text="one", t=T, id="r1") + line(text="two", t=T, id="r2")).replace(":", " : ")
    desk.write("archive/a.jsonl", spaced, line(text="three", t=T, id="r3"))
    assert counts(desk.sync()) == {"parsed": 1, "renamed": 1}
    after = desk.session("a")
    assert (after.id, after.key) == (before.id, before.key)
    assert desk.texts("a") == ["one", "two", "three"]


def test_a_truncated_file_is_read_again(desk):
    path = desk.write("a.jsonl", line(text="one", t=T), line(text="two", t=T))
    desk.sync()
    path.write_text(line(text="one", t=T))
    desk.touch(path)
    assert counts(desk.sync()) == {"parsed": 1}
    assert desk.texts("a") == ["one"]
    path.write_text("")
    desk.touch(path)
    assert counts(desk.sync()) == {"parsed": 1, "removed": 1}
    assert desk.corpus.find("a") == []


def test_a_file_that_shrinks_while_it_is_read_is_a_failure(desk, monkeypatch):
    from recall_tui.store.sync import worker

    path = desk.write("a.jsonl", line(text="one", t=T), line(text="two", t=T))
    desk.sync()
    desk.append("a.jsonl", line(text="three", t=T))
    prove = worker._prove

    def cut(*arguments):
        path.write_text("x")
        prove(*arguments)

    monkeypatch.setattr(worker, "_prove", cut)
    progress = desk.sync()
    assert counts(progress) == {"failed": 1}
    assert "shorter" in progress.gaps[0].detail
    assert desk.texts("a") == ["one", "two"]


def test_a_file_that_vanishes_before_it_is_read_is_a_failure(desk, monkeypatch):
    from recall_tui.store.sync import worker

    path = desk.write("a.jsonl", line(text="one", t=T))
    read = worker.read

    def late(*arguments):
        path.unlink()
        return read(*arguments)

    monkeypatch.setattr(worker, "read", late)
    assert counts(desk.sync()) == {"failed": 1}
    monkeypatch.undo()
    assert counts(desk.sync()) == {"gone": 1}
    assert desk.names() == []


def test_sessions_of_a_database_are_read_whole_and_followed(desk):
    import json

    def box(at, **sessions):
        path = desk.source / "all.box"
        held = {
            name: {"at": at, "rows": [{"kind": "prompt", "text": t, "t": T} for t in texts]}
            for name, texts in sessions.items()
        }
        path.write_text(json.dumps(held))

    box(1, one=["a"], two=["b", "c"])
    assert counts(desk.sync()) == {"parsed": 2}
    assert counts(desk.sync()) == {"unchanged": 2}
    box(2, one=["a", "d"], two=["b", "c"])
    desk.sync()
    assert desk.texts("one") == ["a", "d"]
    box(2, one=["a", "d"])
    assert counts(desk.sync()) == {"unchanged": 1, "gone": 1}
    assert desk.texts("two") == ["b", "c"]
    assert counts(desk.sync(verify=True)) == {"parsed": 1}


@pytest.mark.contract("X-10")
def test_excluded_sources_are_not_read_and_lose_what_was_indexed(desk):
    desk.write("a.jsonl", line(text="keep", t=T))
    desk.write("private/b.jsonl", line(text="secret plans", t=T))
    desk.sync()
    progress = desk.sync(Kept(left_out=(str(desk.source / "private"),)))
    assert counts(progress) == {"unchanged": 1, "removed": 1}
    assert desk.names() == ["a"]
    assert progress.seen == 1


def test_a_name_that_is_no_utf8_is_a_gap(desk):
    bad = os.fsencode(desk.source) + b"/\xff.jsonl"
    with open(bad, "w") as stream:
        stream.write(line(text="one", t=T))
    progress = desk.sync()
    assert [gap.kind for gap in progress.gaps] == [GapKind.UNREADABLE]
    assert "\\xff" in progress.gaps[0].detail


@pytest.mark.contract("X-4")
def test_sources_are_never_written(desk):
    paths = [desk.write(f"s{n}.jsonl", line(text=str(n), t=T)) for n in range(3)]
    before = [(p.read_bytes(), p.stat().st_mtime_ns) for p in paths]
    desk.sync()
    desk.sync(verify=True)
    desk.sync(rebuild=True)
    assert [(p.read_bytes(), p.stat().st_mtime_ns) for p in paths] == before
    assert sorted(os.listdir(desk.source)) == [p.name for p in paths]


def test_stopping_keeps_what_is_finished(desk):
    for n in range(20):
        desk.write(f"s{n:02}.jsonl", line(text=str(n), t=T))
    asked = iter(range(100))
    progress = desk.sync(stop=lambda: next(asked) > 20)
    assert not progress.done
    some = len(desk.names())
    assert 0 < some < 20
    assert GapKind.NOT_INDEXED in {gap.kind for gap in desk.corpus.gaps(Filter())}
    assert desk.sync().done
    assert len(desk.names()) == 20
    assert desk.corpus.gaps(Filter()) == []


def test_an_interrupt_in_the_middle_of_a_session_leaves_the_old_one(desk, monkeypatch):
    from recall_tui.store.writer import Writer

    desk.write("a.jsonl", line(text="one", t=T))
    desk.sync()
    desk.write("a.jsonl", line(text="other", t=T))

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Writer, "_store", interrupted)
    with pytest.raises(KeyboardInterrupt):
        desk.sync()
    monkeypatch.undo()
    assert desk.texts("a") == ["one"]
    desk.sync()
    assert desk.texts("a") == ["other"]


def test_a_reader_whose_state_holds_a_secret_is_not_kept(desk):
    secret = "ghp_" + "x7Kp2mQ9vR4t" * 3
    desk.write("a.jsonl", f'{{"meta":{{"title":"use {secret}"}}}}\n', line(text="one", t=T))
    desk.sync()
    assert desk.sql("SELECT resume_at, carry FROM proof") == [(-1, b"")]
    assert secret not in desk.session("a").title
    desk.append("a.jsonl", line(text="two", t=T))
    assert counts(desk.sync()) == {"parsed": 1}
    assert desk.texts("a") == ["one", "two"]


def test_an_index_that_grew_equals_one_made_at_once(desk, tmp_path):
    from recall_tui.store.sync.run import sync

    big = "word " * 3000
    for n in range(60):
        kind = ("prompt", "answer", "tool_call", "tool_result")[n % 4]
        desk.append("a.jsonl", line(kind, f"{n} {big}", t=T + n, id=f"r{n}", rest="rest" * (n % 3)))
        if n % 7 == 0:
            desk.sync()
    desk.sync()
    fresh = str(tmp_path / "fresh" / "index.db")
    sync(fresh, desk.places)
    assert content(desk.index) == content(fresh)
    assert len(desk.sql("SELECT id FROM block")) <= 4


def test_a_folder_moved_away_and_back_is_only_marked(desk):
    """Its files keep all three times, so nothing has to be opened."""
    desk.write("x/a.jsonl", line(text="one", t=T))
    desk.sync()
    (desk.source / "x").rename(desk.source.parent / "x")
    assert counts(desk.sync()) == {"gone": 1}
    (desk.source.parent / "x").rename(desk.source / "x")
    progress = desk.sync()
    assert (counts(progress), progress.bytes_total) == ({"unchanged": 1, "returned": 1}, 0)
    assert desk.session("a").presence is Presence.PRESENT


def test_a_wider_root_takes_sources_over(desk):
    from recall_tui.store.sync.discover import Place

    desk.write("x/a.jsonl", line(text="one", t=T))
    narrow = [Place(place.harness, str(desk.source / "x")) for place in desk.places]
    wide, desk.places = desk.places, narrow
    desk.sync()
    assert desk.session("a").root == str(desk.source / "x")
    desk.places = wide
    assert counts(desk.sync()) == {"unchanged": 1}
    assert desk.session("a").root == str(desk.source)


def test_a_source_that_returns_unreadable_is_present_and_failed(desk):
    path = desk.write("a.jsonl", line(text="one", t=T))
    desk.sync()
    path.unlink()
    desk.sync()
    path.write_bytes(b"{junk}\n" * 9)
    assert counts(desk.sync()) == {"failed": 1}
    assert desk.session("a").presence is Presence.PRESENT
    assert desk.texts("a") == ["one"]


def test_any_error_of_a_reader_is_that_sources_failure(desk, monkeypatch):
    from tests.store.toy import ToyTranscript

    desk.write("a.jsonl", line(text="one", t=T))
    desk.write("b.jsonl", line(text="two", t=T))
    record = ToyTranscript.record

    def broken(self, text, offset):
        if self.source.native_id == "a":
            raise AssertionError("a fault of ours")
        return record(self, text, offset)

    monkeypatch.setattr(ToyTranscript, "record", broken)
    progress = desk.sync()
    assert counts(progress) == {"parsed": 1, "failed": 1}
    assert "AssertionError" in progress.gaps[0].detail


def test_any_error_of_a_harness_while_it_looks_is_a_gap_and_nothing_is_gone(desk, monkeypatch):
    from tests.store.toy import Toy

    desk.write("a.jsonl", line(text="one", t=T))
    desk.sync()

    def broken(self, root, gaps):
        raise UnicodeDecodeError("utf-8", b"\xff", 0, 1, "a fault")

    monkeypatch.setattr(Toy, "discover", broken)
    progress = desk.sync()
    assert counts(progress) == {}
    assert [(gap.kind, "UnicodeDecodeError" in gap.detail) for gap in progress.gaps] == [
        (GapKind.UNREADABLE, True)
    ]
    assert desk.session("a").presence is Presence.PRESENT


# ---------------------------------------------------------------- sessions too long for memory


def long_session(rows: int = 60) -> list[str]:
    kinds = ("answer", "tool_result")
    return [line(kinds[n % 2], f"{n} " + "x" * 40_000, t=T + n, id=f"r{n}") for n in range(rows)]


@pytest.fixture
def little_memory(monkeypatch):
    from recall_tui.store import writer

    monkeypatch.setattr(writer, "DRAFT_BYTES", 100_000)


@pytest.mark.usefixtures("little_memory")
def test_a_long_session_is_stored_as_it_arrives(desk, tmp_path, monkeypatch):
    from recall_tui.store import writer
    from recall_tui.store.sync.run import sync

    desk.write("a.jsonl", *long_session())
    desk.sync()
    desk.append("a.jsonl", *long_session())
    assert counts(desk.sync()) == {"appended": 1}
    desk.append("a.jsonl", line(text="end", t=T))
    desk.sync()
    # Its beginning changes: read whole again, in the place of what was stored.
    text = (desk.source / "a.jsonl").read_text("utf-8")
    desk.write("a.jsonl", line(text="new start", t=T), text)
    row = desk.session("a").id
    assert counts(desk.sync()) == {"parsed": 1}
    assert desk.session("a").id == row
    assert desk.sql("SELECT count(*) FROM draft") == [(0,)]
    monkeypatch.setattr(writer, "DRAFT_BYTES", 1 << 30)
    fresh = str(tmp_path / "fresh" / "index.db")
    sync(fresh, desk.places)
    assert content(desk.index) == content(fresh)


@pytest.mark.usefixtures("little_memory")
def test_a_long_session_does_not_fill_the_journal(desk, monkeypatch):
    from recall_tui.store.sync import work
    from recall_tui.store.writer import Writer

    monkeypatch.setattr(work, "STEADY_COMMIT", 500_000)
    desk.write("a.jsonl", *long_session())
    committed = []
    finish = Writer.finish

    def looking(self, *about):
        committed.append(desk.sql("SELECT count(*) FROM block")[0][0])
        return finish(self, *about)

    monkeypatch.setattr(Writer, "finish", looking)
    desk.sync()
    (stored,) = desk.sql("SELECT count(*) FROM block")[0]
    assert committed[0] > stored / 2


@pytest.mark.usefixtures("little_memory")
def test_nobody_sees_half_a_long_session(desk, monkeypatch):
    from recall_tui.store.sync import work

    monkeypatch.setattr(work, "FIRST_COMMIT", 1)
    monkeypatch.setattr(work, "STEADY_COMMIT", 1)
    monkeypatch.setattr(work, "REPORT_S", 0.0)
    desk.write("a.jsonl", *long_session())
    desk.write("b.jsonl", line(text="newer", t=T))
    seen = []
    from recall_tui.store.writer import Writer

    plain = Writer.add

    def committing(self, draft, block):
        stored = plain(self, draft, block)
        self.commit()
        for chosen in (Filter(), Filter(include_copies=True)):
            listed = {s.id for s in desk.corpus.sessions(chosen)}
            blocks = {b.session for b in desk.corpus.blocks(chosen)}
            seen.append((blocks <= listed, len(listed)))
        return stored

    monkeypatch.setattr(Writer, "add", committing)
    desk.sync()
    assert all(whole for whole, _ in seen)
    assert len(desk.corpus.messages(desk.session("a").id)) == 60


@pytest.mark.usefixtures("little_memory")
def test_what_a_killed_run_left_of_a_long_session_is_swept_away(desk):
    from recall_tui.store.stored import store
    from recall_tui.store.writer import Draft, Writer
    from tests.store.test_ingest import built

    desk.write("a.jsonl", line(text="one", t=T))
    desk.sync()
    writer = Writer(desk.index)
    draft = Draft()
    for n in range(4):
        writer.add(draft, store(built(["x" * 60_000], start=n)))
    writer.commit()
    writer.connection.close()
    assert desk.sql("SELECT count(*) FROM draft") == [(1,)]
    assert len(list(desk.corpus.blocks(Filter()))) == 1
    desk.append("a.jsonl", line(text="two", t=T))
    desk.sync()
    assert desk.sql("SELECT count(*) FROM draft") == [(0,)]
    assert desk.sql("SELECT DISTINCT session FROM block") == [(desk.session("a").id,)]


@pytest.mark.usefixtures("little_memory")
def test_a_long_session_that_fails_at_its_end_leaves_the_old_one(desk, monkeypatch):
    from recall_tui.store.sync import worker

    desk.write("a.jsonl", line(text="one", t=T))
    desk.sync()
    desk.write("a.jsonl", *long_session())

    def shrunk(*_):
        raise OSError("gone")

    monkeypatch.setattr(worker, "_prove", shrunk)
    assert counts(desk.sync()) == {"failed": 1}
    assert desk.texts("a") == ["one"]
    assert desk.sql("SELECT count(*) FROM block") == [(1,)]


@pytest.mark.usefixtures("little_memory")
def test_a_packed_copy_of_a_long_session_takes_over(desk):
    desk.write("live/a.jsonl", *long_session())
    desk.sync()
    before = desk.session("a")
    (desk.source / "live" / "a.jsonl").unlink()
    spaced = [row.replace('": "', '" : "') for row in long_session()]
    desk.write("archive/a.jsonl", *spaced, line(text="more", t=T + 99))
    assert counts(desk.sync()) == {"parsed": 1, "renamed": 1}
    after = desk.session("a")
    assert (after.id, after.messages) == (before.id, 61)


def test_a_session_without_any_name_still_gets_a_key(desk):
    desk.write(".jsonl", line(text="one", t=T))
    desk.sync()
    (session,) = desk.corpus.sessions(Filter())
    assert len(session.name) == 8
    assert [m.text for m in desk.corpus.messages(desk.corpus.find(session.key)[0].id)] == ["one"]


def test_keys_can_stand_in_a_reference(desk):
    from recall_tui.model import Reference

    desk.write("odd #1 name\t.jsonl", line(text="one", t=T))
    desk.sync()
    (session,) = desk.corpus.sessions(Filter())
    (message,) = desk.corpus.messages(session.id)
    assert session.key == "toy:odd_1_name_"
    assert Reference.parse(str(message.reference)) == message.reference


def test_what_was_lost_is_named_source_by_source(desk):
    desk.write("good.jsonl", line(text="one", t=T))
    desk.write("bad.jsonl", line(text="one", t=T), "junk\n", '{"type": "strange"}\n', '{"cut')
    desk.write("worse.jsonl", "junk\n")
    desk.sync()
    worse, bad = desk.corpus.damaged(Filter())
    assert os.path.basename(worse.path) == "worse.jsonl"
    assert worse.error.endswith("no readable record in it")
    assert os.path.basename(bad.path) == "bad.jsonl"
    assert (bad.error, bad.unparsed, bad.torn, bad.unknown) == ("", 1, True, 1)
    assert desk.corpus.damaged(Filter(harnesses=("pi",))) == []
