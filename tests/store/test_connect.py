"""Who may open our files, and how."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing

import pytest

from recall_tui.errors import StoreError
from recall_tui.model import Filter
from recall_tui.store import connect, migrations
from recall_tui.store.connect import PAGE_SIZE, Readers, open_reader, open_writer, swap_in
from recall_tui.store.corpus import StoreCorpus
from tests.store.toy import line


def mode(path: str) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


def listed(index: str) -> list[str]:
    """Titles of the sessions that a reader sees."""
    with closing(StoreCorpus(index)) as corpus:
        return [session.title for session in corpus.sessions(Filter())]


@pytest.mark.contract("S3-49")
def test_files_are_private_and_readers_cannot_write(desk):
    old = os.umask(0)
    try:
        desk.write("a.jsonl", line(text="one"))
        with closing(open_writer(desk.index)):
            desk.sync()
            folder = os.path.dirname(desk.index)
            for name in os.listdir(folder):
                assert mode(os.path.join(folder, name)) == 0o600, name
    finally:
        os.umask(old)
    assert mode(folder) == 0o700
    with closing(open_reader(desk.index)) as reader:
        assert reader.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert reader.execute("PRAGMA page_size").fetchone() == (PAGE_SIZE,)
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            reader.execute("DELETE FROM session")
    with closing(open_writer(desk.index)) as writer:
        assert writer.execute("PRAGMA synchronous").fetchone() == (1,)
        assert writer.execute("PRAGMA secure_delete").fetchone() == (1,)


def test_odd_characters_in_a_path(tmp_path):
    path = str(tmp_path / "100% of #1? [x]" / "index.db")
    with closing(open_writer(path)) as writer:
        writer.execute("CREATE TABLE t (x)")
    with closing(open_reader(path)) as reader:
        assert reader.execute("SELECT count(*) FROM t").fetchone() == (0,)


def test_a_missing_file_is_not_made_by_a_reader(tmp_path):
    path = str(tmp_path / "none.db")
    readers = Readers(path, lambda _: None)
    with pytest.raises(StoreError, match=r"none\.db"), readers.lease():
        pass
    assert not os.path.exists(path)


def test_connections_are_used_again_and_closed_at_the_end(desk):
    desk.write("a.jsonl", line(text="one"))
    desk.sync()
    made = []
    readers = Readers(desk.index, made.append)
    for _ in range(5):
        with readers.lease() as connection:
            connection.execute("SELECT 1")
    assert len(made) == 1
    with readers.lease() as one, readers.lease() as two:
        assert one is not two
    readers.close()
    with pytest.raises(StoreError, match="closed"), readers.lease():
        pass


def test_an_error_gives_the_connection_back(desk):
    desk.write("a.jsonl", line(text="one"))
    desk.sync()
    readers = Readers(desk.index, lambda _: None)
    with pytest.raises(StoreError, match="no such table"), readers.snapshot() as connection:
        connection.execute("SELECT * FROM absent")
    with readers.lease() as connection:
        assert not connection.in_transaction
    assert len(readers._idle) == 1
    readers.close()


def test_a_full_disk_or_a_folder_without_permission_is_an_error_in_words(tmp_path, monkeypatch):
    from recall_tui.store import connect
    from recall_tui.store.sync.run import sync

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(connect.os, "open", refuse)
    with pytest.raises(StoreError, match="Permission denied"):
        sync(str(tmp_path / "index.db"), [])


def test_two_processes_worth_of_connections_see_commits(desk):
    desk.write("a.jsonl", line(text="one"))
    desk.sync()
    assert len(desk.corpus.sessions(Filter())) == 1
    desk.write("b.jsonl", line(text="two"))
    desk.sync()
    assert len(desk.corpus.sessions(Filter())) == 2


def test_no_reader_finds_an_index_without_its_tables(desk, monkeypatch):
    """The first search of a new machine runs beside the sync that makes the index."""
    make = migrations.bring_up_to_date
    looked = []

    def watched(connection: sqlite3.Connection, *rest: object) -> None:
        looked.append(os.path.exists(desk.index))
        if looked[-1]:
            assert listed(desk.index) == []
        make(connection, *rest)

    monkeypatch.setattr(migrations, "bring_up_to_date", watched)
    desk.write("a.jsonl", line(text="one"))
    desk.sync()
    assert looked == [False, True]
    assert not [name for name in os.listdir(os.path.dirname(desk.index)) if "begun" in name]


def test_the_journal_of_a_lost_index_is_not_replayed_into_a_new_one(desk):
    desk.write("a.jsonl", line(text="one"))
    with closing(open_writer(desk.index)) as writer:
        writer.execute("CREATE TABLE stranger (x)")
        journal = f"{desk.index}-wal"
        with open(journal, "rb") as file:
            left = file.read()
    os.unlink(desk.index)
    with open(journal, "wb") as file:
        file.write(left)
    desk.sync()
    assert listed(desk.index) == ["one"]


def test_a_database_whose_journal_did_not_fit_takes_no_place(tmp_path):
    """Closing it says nothing of that: the file alone would be damaged."""
    new, path = str(tmp_path / "new.db"), str(tmp_path / "index.db")
    with closing(open_writer(new)) as connection:
        connection.execute("CREATE TABLE t (x)")
        with pytest.raises(StoreError, match="the disk is full"):
            swap_in(new, path)
    assert not os.path.exists(path)
    swap_in(new, path)
    with closing(open_reader(path)) as reader:
        assert reader.execute("SELECT count(*) FROM t").fetchone() == (0,)


def test_an_index_at_rest_is_read_where_nothing_fits_beside_it(desk, monkeypatch):
    desk.write("a.jsonl", line(text="one"))
    desk.sync()
    with closing(open_writer(desk.index)) as writer:
        writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    asked, read = [], connect._reader

    def full(path: str, *, still: bool) -> sqlite3.Connection:
        asked.append(still)
        if not still:
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorname = "SQLITE_IOERR_SHMSIZE"
            raise error
        return read(path, still=still)

    monkeypatch.setattr(connect, "_reader", full)
    assert listed(desk.index) == ["one"]
    assert asked == [False, True]
    with open(desk.index + "-wal", "ab") as journal:
        journal.write(b"x")
    with pytest.raises(sqlite3.OperationalError):  # what lies in the journal would be missing
        open_reader(desk.index)
