"""Worker processes that read sources, and the threads that drive them.

A worker is a fresh interpreter, the same on every system: nothing is forked with threads or
database handles in it, and nothing of the parent's program runs again. Each has a thread here that
hands it one task at a time and puts what comes back on one bounded queue, so a slow writer slows
the readers down instead of filling memory.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from collections import deque
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Final, cast

from recall_tui.store.stored import StoredBlock
from recall_tui.store.sync import worker

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import BinaryIO

    from recall_tui.store.sync.worker import Reading, Task

POOL_BYTES: Final = 16 << 20
"""Each so much to read is worth a process: its start costs as much as reading this here."""

GIANT_BYTES: Final = 32 << 20
"""Of sources this large, one worker's worth fewer than there are is read at a time: the many small
ones in between become searchable meanwhile."""

MOST_WORKERS: Final = 6
"""More do not help: one process writes, and it keeps up with about this many."""

IDLE_S: Final = 0.25
"""How long the caller waits for a part before it is asked whether it still wants any."""

_WAITING_BYTES: Final = 8 << 20
"""Of each worker's parts may wait for the writer: they read on while it commits. A hundred parts,
when sessions are short."""

_BOOT: Final = (
    "import sys; sys.path[:] = sys.argv[1:];from recall_tui.store.sync.worker import main; main()"
)


class _Parts(queue.Queue["tuple[int, StoredBlock | Reading] | None"]):
    """What waits for the writer: `maxsize` counts bytes, however many parts they make."""

    def _init(self, maxsize: int) -> None:
        super()._init(maxsize)
        self._bytes = 0

    def _qsize(self) -> int:
        return self._bytes

    def _put(self, item: tuple[int, StoredBlock | Reading] | None) -> None:
        super()._put(item)
        self._bytes += _weight(item)

    def _get(self) -> tuple[int, StoredBlock | Reading] | None:
        item: tuple[int, StoredBlock | Reading] | None = super()._get()
        self._bytes -= _weight(item)
        return item


_READING_BYTES: Final = 1024
"""What a part that is no block takes, about: never nothing, or the queue would seem empty."""


def _weight(item: tuple[int, StoredBlock | Reading] | None) -> int:
    return item[1].weight if item and isinstance(item[1], StoredBlock) else _READING_BYTES


def cores() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Pool:
    """Reads tasks in worker processes. Iterate it to the end, or close it early."""

    def __init__(self, tasks: Sequence[Task], workers: int | None = None) -> None:
        """Start the workers.

        Args:
            tasks: In the order wanted.
            workers: Processes; by default as many as there are processors and work for, which may
                be none: then `take` hands out everything.
        """
        if workers is None:
            worth = sum(task.weight for task in tasks) // POOL_BYTES
            workers = min(cores(), MOST_WORKERS, len(tasks), worth) if cores() > 1 else 0
        self._small = deque(t for t in tasks if t.weight < GIANT_BYTES)
        self._giants = deque(t for t in tasks if t.weight >= GIANT_BYTES)
        self._most_giants = max(1, workers - 1)
        self._giants_running = 0
        self._guard = threading.Lock()
        self._answered = threading.Event()
        self._stopped = threading.Event()
        self._parts = _Parts(_WAITING_BYTES * max(1, workers))
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._threads = [
            threading.Thread(target=self._drive, name=f"reader {n}", daemon=True)
            for n in range(workers)
        ]
        for thread in self._threads:
            thread.start()

    def take(self) -> Task | None:
        """Return a task for this process to read itself; None once the workers do all the rest.

        A worker takes a tenth of a second to start. Until the first one answers, whoever writes
        reads as well, so that the newest sessions are found at once.
        """
        with self._guard:
            if self._threads and self._answered.is_set():
                return None
            if self._small:
                return self._small.popleft()
            return self._giants.popleft() if self._giants and not self._threads else None

    def __iter__(self) -> Iterator[tuple[int, StoredBlock | Reading] | None]:
        """Yield (task number, block or reading) as they arrive; a task's own parts in order.

        None is yielded when nothing has arrived for a while, so that the caller can stop.
        """
        running = len(self._threads)
        while running:
            try:
                part = self._parts.get(timeout=IDLE_S)
            except queue.Empty:
                yield None
                continue
            if part is None:
                running -= 1
            else:
                yield part

    def close(self) -> None:
        """End every worker and wait until they are gone."""
        self._stopped.set()
        with self._guard:
            processes = list(self._processes)
        for process in processes:
            process.kill()
        for thread in self._threads:
            while thread.is_alive():
                with suppress(queue.Empty):
                    self._parts.get(timeout=0.01)
                thread.join(timeout=0.01)

    # ------------------------------------------------------------ one worker's thread

    def _drive(self) -> None:
        process: subprocess.Popen[bytes] | None = None
        while not self._stopped.is_set() and (task := self._next()) is not None:
            giant = task.weight >= GIANT_BYTES
            try:
                process = process or self._start()
                self._ask(process, task)
            except (OSError, EOFError, ValueError) as error:
                # Its end is this one source's failure; the next gets a new worker.
                reason = self._end(process) if process is not None else str(error)
                process = None
                told = worker.failed(f"{task.source.path}: its reader process ended ({reason})")
                self._parts.put((task.number, told))
            finally:
                if giant:
                    with self._guard:
                        self._giants_running -= 1
        if process is not None:
            self._end(process)
        self._parts.put(None)

    def _next(self) -> Task | None:
        with self._guard:
            small, giants = self._small, self._giants
            newest_is_giant = giants and (
                not small or giants[0].source.mtime_ns >= small[0].source.mtime_ns
            )
            if newest_is_giant and (not small or self._giants_running < self._most_giants):
                self._giants_running += 1
                return giants.popleft()
            return small.popleft() if small else None

    def _ask(self, process: subprocess.Popen[bytes], task: Task) -> None:
        worker.send(_pipe(process.stdin), worker.TASK, task)
        while True:
            part = worker.receive(_pipe(process.stdout))
            if part is None or isinstance(part, worker.Task):
                raise EOFError
            self._answered.set()
            self._parts.put((task.number, part))
            if isinstance(part, worker.Reading):
                return

    def _start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter and a constant
            [sys.executable, "-c", _BOOT, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=worker.PIPE_BYTES,
            process_group=0,  # Ctrl-C goes to the parent, which ends its workers itself
        )
        _widen(_pipe(process.stdout))
        with self._guard:
            self._processes.add(process)
            stopped = self._stopped.is_set()
        if stopped:
            process.kill()
        return process

    def _end(self, process: subprocess.Popen[bytes]) -> str:
        """End a worker and say how it ended."""
        with suppress(OSError):
            _pipe(process.stdin).close()
        try:
            code = process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        _pipe(process.stdout).close()
        with self._guard:
            self._processes.discard(process)
        return f"signal {-code}" if code < 0 else f"exit status {code}"


def _pipe(stream: IO[bytes] | None) -> BinaryIO:
    return cast("BinaryIO", stream)


def _widen(stream: BinaryIO) -> None:
    """Let a worker put a whole block into the pipe and go on, where the system can."""
    try:
        import fcntl  # noqa: PLC0415

        fcntl.fcntl(stream, fcntl.F_SETPIPE_SZ, worker.PIPE_BYTES)
    except (ImportError, AttributeError, OSError):
        return
