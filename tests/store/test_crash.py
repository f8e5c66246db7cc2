"""`kill -9` at any instant: what was committed is there, whole, and the next sync goes on."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from recall_tui.errors import StoreBusyError
from recall_tui.store.lock import WriterLock
from recall_tui.store.sync.run import sync
from tests.store.conftest import content
from tests.store.toy import line

ROOT = Path(__file__).resolve().parents[2]
SYNC = """
import sys
from recall_tui.store.sync.discover import Place
from recall_tui.store.sync.run import sync
from tests.store.toy import Toy
sync(sys.argv[1], [Place(Toy(), sys.argv[2])], rebuild="rebuild" in sys.argv)
"""


def start(desk, *more: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", SYNC, desk.index, str(desk.source), *more], cwd=ROOT
    )


def fill(desk, sessions: int, size: int) -> None:
    filler = "lorem ipsum " * 40
    for n in range(sessions):
        rows = [
            line("answer" if k % 2 else "tool_result", f"{n} {k} {filler}", t=10**12 + k)
            for k in range(size)
        ]
        desk.write(f"s{n:03}.jsonl", *rows)


def check(desk) -> int:
    """Every listed session must be whole; returns how many there are."""
    if not os.path.exists(desk.index):
        return 0
    with closing(sqlite3.connect(desk.index)) as connection:
        assert connection.execute("PRAGMA quick_check").fetchall() == [("ok",)]
        if connection.execute("PRAGMA user_version").fetchone() == (0,):
            return 0  # killed before its tables were there
        rows = connection.execute("SELECT id, messages FROM session").fetchall()
        for session, messages in rows:
            count = connection.execute(
                "SELECT count(*) FROM block WHERE session=?", (session,)
            ).fetchone()[0]
            assert count > 0
            assert messages > 0
        for table in ("block", "source"):
            orphan = f"SELECT count(*) FROM {table} WHERE session NOT IN (SELECT id FROM session)"
            assert connection.execute(orphan).fetchone() == (0,)
    content(desk.index)  # positions are complete, offsets fit
    return len(rows)


@pytest.mark.slow
def test_killing_a_sync_anywhere_loses_nothing_committed(desk, tmp_path):
    fill(desk, sessions=60, size=300)
    chance = random.Random(7)
    held = 0
    for _ in range(8):
        process = start(desk)
        time.sleep(0.15 + chance.random() * 0.5)
        process.send_signal(signal.SIGKILL)
        process.wait()
        now = check(desk)
        assert now >= held
        held = now
    assert desk.sync().done
    assert check(desk) == 60
    fresh = str(tmp_path / "fresh" / "index.db")
    sync(fresh, desk.places)
    assert content(desk.index) == content(fresh)


@pytest.mark.slow
def test_killing_a_rebuild_leaves_the_old_index(desk):
    fill(desk, sessions=30, size=300)
    desk.sync()
    before = content(desk.index)
    for pause in (0.2, 0.35, 0.5):
        process = start(desk, "rebuild")
        time.sleep(pause)
        process.kill()
        process.wait()
        assert content(desk.index) == before
    assert desk.sync(rebuild=True).parsed == 30
    assert content(desk.index) == before
    assert not [n for n in os.listdir(os.path.dirname(desk.index)) if "building" in n]


def test_a_killed_owner_does_not_block_the_next(desk, tmp_path):
    """The lock is bound to the process, not to an age (Q28)."""
    lock = str(tmp_path / "lock")
    hold = (
        "import sys, time\n"
        "from recall_tui.store.lock import WriterLock\n"
        "with WriterLock(sys.argv[1]):\n"
        "    print('held', flush=True)\n"
        "    time.sleep(60)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", hold, lock], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "held\n"
    with pytest.raises(StoreBusyError, match=rf"pid {process.pid}"), WriterLock(lock):
        pass
    process.kill()
    process.wait()
    process.stdout.close()
    with WriterLock(lock):
        pass


def test_two_syncs_at_once_one_refuses_and_names_the_other(desk):
    desk.write("a.jsonl", line(text="one"))
    with (
        WriterLock(desk.index + ".lock"),
        pytest.raises(StoreBusyError, match=str(os.getpid())),
    ):
        desk.sync()
    assert desk.sync().done


def test_waiting_for_the_other_writer(desk):
    import threading

    released = threading.Event()

    def hold():
        with WriterLock(desk.index + ".lock"):
            released.wait(5)

    thread = threading.Thread(target=hold)
    thread.start()
    threading.Timer(0.2, released.set).start()
    time.sleep(0.05)
    assert desk.sync(wait_s=5).done
    thread.join()
