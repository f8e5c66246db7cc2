"""The lock of the one writer."""

from __future__ import annotations

import errno
import fcntl

import pytest

from recall_tui.errors import StoreBusyError, StoreError
from recall_tui.store.lock import WriterLock


def test_a_second_writer_is_told_who_the_first_is(tmp_path) -> None:
    path = str(tmp_path / "index.db.lock")
    with (
        WriterLock(path),
        pytest.raises(StoreBusyError, match=r"pid \d+, since"),
        WriterLock(path),
    ):
        pass
    with WriterLock(path):
        pass


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS])
def test_a_disk_that_cannot_lock_is_no_other_writer(tmp_path, monkeypatch, code: int) -> None:
    """As on some network disks: waiting for nobody, or ending nobody, would not help."""

    def refuse(*_: int) -> None:
        raise OSError(code, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    lock = WriterLock(str(tmp_path / "index.db.lock"), wait_s=5)
    with pytest.raises(StoreError, match="cannot be locked") as raised, lock:
        pass
    assert not isinstance(raised.value, StoreBusyError)
    assert "RECALL_HOME" in raised.value.hint


def test_on_a_full_disk_it_is_held_without_a_name(tmp_path, monkeypatch):
    def full(*_args):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.pwrite", full)
    path = str(tmp_path / "lock")
    with WriterLock(path), pytest.raises(StoreBusyError, match="has not named itself"):
        WriterLock(path).__enter__()
