"""What a person wrote survives, whatever happens to the index."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading

import pytest

from recall_tui.errors import StoreError
from recall_tui.harnesses.base import Source
from recall_tui.store.user import STEPS, UserStore, mark_of


@pytest.fixture
def user(tmp_path):
    made = UserStore(str(tmp_path / "data" / "user.db"))
    yield made
    made.close()


def test_reading_makes_no_file(user):
    assert user.notes() == []
    assert user.pins() == []
    assert user.searches() == []
    assert user.position("toy:a") == -1
    assert not user.tombstones().mark
    assert user.tombstones().cover(None) is False
    assert not os.path.exists(user.path)


def test_everything_is_there_after_reopening(user):
    first = user.add_note("toy:a", 3, "look here")
    user.add_note("toy:b", -1, "whole session")
    user.pin("toy:a")
    user.pin("toy:b")
    user.pin("toy:b", on=False)
    user.save_search("mine", "harness:toy error")
    user.save_search("mine", "harness:toy errors")
    user.set_position("toy:a", 7)
    user.set_position("toy:a", 8)
    user.close()
    again = UserStore(user.path)
    assert [(n.key, n.position, n.text) for n in again.notes()] == [
        ("toy:a", 3, "look here"), ("toy:b", -1, "whole session"),
    ]  # fmt: skip
    assert [n.id for n in again.notes("toy:a")] == [first]
    assert again.pins() == ["toy:a"]
    assert again.searches() == [("mine", "harness:toy errors")]
    assert again.position("toy:a") == 8
    again.remove_note(first)
    again.remove_search("mine")
    again.drop_session("toy:a")
    assert [n.key for n in again.notes()] == ["toy:b"]
    assert (again.searches(), again.pins(), again.position("toy:a")) == ([], [], -1)
    again.close()
    assert stat.S_IMODE(os.stat(user.path).st_mode) == 0o600


def test_a_newer_file_is_refused(user):
    user.pin("toy:a")
    user.close()
    connection = sqlite3.connect(user.path)
    connection.execute(f"PRAGMA user_version={len(STEPS) + 1}")
    connection.close()
    with pytest.raises(StoreError, match="update"):
        UserStore(user.path).pins()


def test_several_threads_and_processes_write(user):
    other = UserStore(user.path)
    threads = [
        threading.Thread(target=lambda s=s, n=n: s.add_note("toy:a", n, "x"))
        for n in range(20)
        for s in (user, other)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(user.notes("toy:a")) == 40
    other.close()


def test_what_was_forgotten_is_known_in_a_folder_that_cannot_be_written(tmp_path, monkeypatch):
    """As where a home is mounted read-only for a program in a cage."""
    written = UserStore(str(tmp_path / "user.db"))
    written.bury([(mark_of("toy", "a"), b"")])
    written.pin("toy:b")
    written.close()
    before = sorted(tmp_path.iterdir())
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK and access(path, mode))
    read = UserStore(str(tmp_path / "user.db"))
    assert read.tombstones().cover(Source("toy", "/x/a", "", "a", 0, 0, 0, "/x"))
    assert read.pins() == ["toy:b"]
    assert sorted(tmp_path.iterdir()) == before
    read.close()


def test_a_damaged_file_is_not_said_to_be_made_anew(tmp_path):
    (tmp_path / "user.db").write_text("junk" * 300)
    store = UserStore(str(tmp_path / "user.db"))
    with pytest.raises(StoreError, match="not a database") as raised:
        store.tombstones()
    assert "move it away" in raised.value.hint and "rebuild" not in raised.value.hint
