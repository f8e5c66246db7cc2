"""Worker processes: order, early commits, and every way in which one can end."""

from __future__ import annotations

import io
import os
import queue
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from recall_tui.harnesses.base import Source
from recall_tui.store.sync import pool, worker
from tests.store.test_crash import SYNC, check, fill
from tests.store.test_sync import counts
from tests.store.toy import Toy, line

ROOT = Path(__file__).resolve().parents[2]
TOY = f"{Toy.__module__}:{Toy.__qualname__}"


def task(number: int, path: Path) -> worker.Task:
    status = path.stat()
    source = Source(
        "toy", str(path), "", path.stem, status.st_size, status.st_mtime_ns, status.st_ctime_ns, ""
    )
    return worker.Task(number, TOY, source)


def test_workers_give_what_reading_here_gives(desk):
    fill(desk, sessions=6, size=50)
    tasks = [task(n, path) for n, path in enumerate(sorted(desk.source.glob("*.jsonl")))]
    there: dict[int, list] = {}
    for number, part in filter(None, pool.Pool(tasks, workers=2)):
        there.setdefault(number, []).append(part)
    here = {one.number: list(worker.read(Toy(), one)) for one in tasks}
    assert there == here


@pytest.mark.parametrize("target", [300, 1 << 20], ids=["many blocks", "one block"])
def test_a_long_session_is_compressed_beside_its_reading_to_the_same(desk, monkeypatch, target):
    monkeypatch.setattr("recall_tui.store.ingest.TARGET_BYTES", target)
    monkeypatch.setattr("recall_tui.store.build.TARGET_BYTES", target)
    path = desk.write("a.jsonl", *(line(text=f"{n} " * 50, t=n) for n in range(1, 40)))
    one = task(0, path)
    short = list(worker.read(Toy(), one))
    monkeypatch.setattr(worker, "LONG_BYTES", 0)
    assert list(worker.read(Toy(), one)) == short
    assert (len(short) > 5) is (target == 300)


def test_what_fails_beside_the_reading_fails_the_session(desk, monkeypatch):
    def full(_):
        raise MemoryError("no memory")

    path = desk.write("a.jsonl", line(text="one", t=1))
    monkeypatch.setattr(worker, "LONG_BYTES", 0)
    monkeypatch.setattr(worker, "store", full)
    (reading,) = worker.read(Toy(), task(0, path))
    assert reading.outcome == "failed"
    assert "no memory" in reading.error


def test_a_sync_with_workers_equals_one_without(desk, tmp_path, monkeypatch):
    from recall_tui.store.sync.run import sync
    from tests.store.conftest import content

    fill(desk, sessions=12, size=60)
    desk.sync()
    monkeypatch.setattr(pool, "POOL_BYTES", 1)
    monkeypatch.setattr(pool, "cores", lambda: 2)
    other = str(tmp_path / "other" / "index.db")
    assert sync(other, desk.places).parsed == 12
    assert content(other) == content(desk.index)


def test_a_dying_worker_is_one_failed_source(desk, monkeypatch):
    monkeypatch.setenv("TOY_DIE", "1")
    monkeypatch.setattr(pool, "POOL_BYTES", 1)
    monkeypatch.setattr(pool.Pool, "take", lambda _: None)
    monkeypatch.setattr(pool, "cores", lambda: 2)
    for n in range(8):
        desk.write(f"s{n}.jsonl", line(text="die" if n == 4 else f"fine {n}"))
    progress = desk.sync()
    assert counts(progress) == {"parsed": 7, "failed": 1}
    (gap,) = progress.gaps
    assert "reader process ended (exit status 9)" in gap.detail
    assert gap.where.endswith("s4.jsonl")
    assert len(desk.names()) == 7
    assert counts(desk.sync()) == {"unchanged": 8}


def test_closing_a_pool_early_leaves_no_process(desk):
    fill(desk, sessions=8, size=200)
    tasks = [task(n, path) for n, path in enumerate(sorted(desk.source.glob("*.jsonl")))]
    several = pool.Pool(tasks, workers=2)
    next(iter(several))
    processes = list(several._processes)
    several.close()
    assert processes
    assert all(process.poll() is not None for process in processes)


def test_a_silent_worker_does_not_hold_up_a_stop(desk, monkeypatch):
    monkeypatch.setattr(pool, "IDLE_S", 0.01)
    monkeypatch.setattr(pool, "_BOOT", "import time; time.sleep(60)")
    tasks = [task(0, desk.write("a.jsonl", line(text="one")))]
    several = pool.Pool(tasks, workers=1)
    parts = iter(several)
    assert next(parts) is None
    start = time.monotonic()
    several.close()
    assert time.monotonic() - start < 5


def test_parts_wait_by_their_bytes_however_many_they_are(desk):
    path = desk.write("a.jsonl", line(text="x" * 2000, t=1))
    block, reading = worker.read(Toy(), task(0, path))
    waiting = pool._Parts(50 * block.weight)
    for number in range(49):
        waiting.put_nowait((number, block))
    waiting.put_nowait((49, block._replace(fold=bytes(2 * block.weight))))
    for _ in range(2):
        with pytest.raises(queue.Full):
            waiting.put_nowait((50, reading))
        assert waiting.get_nowait()
    waiting.put_nowait(None)
    assert [part and part[0] for part in iter(waiting.get, None)] == [*range(2, 50)]
    with pytest.raises(queue.Empty):
        waiting.get_nowait()


def test_giants_leave_a_worker_for_the_small(desk, monkeypatch):
    monkeypatch.setattr(pool, "GIANT_BYTES", 10_000)
    monkeypatch.setattr(pool.Pool, "_drive", lambda _: None)
    order = []
    for n in range(6):
        path = desk.write(f"s{n}.jsonl", line(text="x" * 20_000 if n < 3 else "small"))
        os.utime(path, ns=(10**18 - n, 10**18 - n))
        order.append(task(n, path))
    several = pool.Pool(order, workers=2)
    assert [several._next().number for _ in range(6)] == [0, 3, 4, 5, 1, 2]
    assert several._next() is None


def test_without_workers_the_small_come_before_the_giants(desk, monkeypatch):
    monkeypatch.setattr(pool, "GIANT_BYTES", 10_000)
    sizes = (20_000, 1, 20_000, 1)
    tasks = [
        task(n, desk.write(f"s{n}.jsonl", line(text="x" * size))) for n, size in enumerate(sizes)
    ]
    several = pool.Pool(tasks, workers=0)
    assert [several.take().number for _ in range(4)] == [1, 3, 0, 2]
    assert several.take() is None


def test_small_work_stays_in_this_process(desk):
    tasks = [task(n, desk.write(f"s{n}.jsonl", line(text="one"))) for n in range(3)]
    several = pool.Pool(tasks)
    assert several._threads == []
    assert [several.take().number for _ in range(3)] == [0, 1, 2]
    assert several.take() is None
    assert list(several) == []


def test_this_process_reads_until_a_worker_answers(desk):
    fill(desk, sessions=4, size=20)
    tasks = [task(n, path) for n, path in enumerate(sorted(desk.source.glob("*.jsonl")))]
    several = pool.Pool(tasks, workers=1)
    first = several.take()
    assert first.number in (0, 1)  # unless the worker was quicker to take the very first
    rest = {number for number, _ in filter(None, several)}
    assert rest | {first.number} == {0, 1, 2, 3}
    assert several.take() is None


@pytest.mark.slow
def test_ctrl_c_ends_cleanly_and_keeps_what_is_committed(desk):
    fill(desk, sessions=150, size=300)
    process = subprocess.Popen(
        [sys.executable, "-c", SYNC, desk.index, str(desk.source)],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        process_group=0,
    )
    give_up = time.monotonic() + 20
    while not os.path.exists(desk.index + "-wal") and time.monotonic() < give_up:
        time.sleep(0.01)
    time.sleep(0.2)
    os.killpg(process.pid, signal.SIGINT)
    _, words = process.communicate(timeout=10)
    assert process.returncode in (-signal.SIGINT, 1, 0)
    if process.returncode:
        assert words.count(b"\nKeyboardInterrupt") == 1  # the parent's own; its workers are silent
    check(desk)
    assert desk.sync().done
    assert check(desk) == 150


def test_a_worker_ends_with_its_parent(desk):
    """Its stdin is the only thing that keeps it."""
    process = subprocess.Popen(
        [sys.executable, "-c", pool._BOOT, *sys.path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
    )
    process.stdin.close()
    assert process.wait(timeout=10) == 0
    process.stdout.close()


def test_half_a_frame_is_an_end(tmp_path):
    path = tmp_path / "frames"
    with open(path, "wb") as stream:
        worker.send(stream, worker.READING, worker.failed("no"))
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:-3])
    with open(path, "rb") as stream:
        assert worker.receive(stream).error == "no"
        assert worker.receive(stream) is None


def test_a_frame_comes_as_it_was_sent_or_not_at_all(desk):
    path = desk.write("a.jsonl", *(line(text=f"say {n}", t=n) for n in range(1, 9)))
    block, reading = worker.read(Toy(), task(3, path))
    for kind, value in ((worker.BLOCK, block), (worker.READING, reading)):
        stream = io.BytesIO()
        worker.send(stream, kind, value)
        data = stream.getvalue()
        assert worker.receive(io.BytesIO(data)) == value
        for length in range(len(data)):
            assert worker.receive(io.BytesIO(data[:length])) is None
