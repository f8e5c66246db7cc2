"""Run whole processes and measure them: wall time, CPU time, peak memory of the largest process."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.terminals import Terminal


@dataclass(slots=True)
class Run:
    """One finished process."""

    wall_s: float
    cpu_s: float
    peak_mb: float
    """Peak resident memory of the largest process of the tree, sampled every 10 ms."""
    status: int
    output: bytes


def run(argv: Sequence[str], env: Mapping[str, str], cwd: str | None = None) -> Run:
    """Run a command to its end, its output read and kept."""
    started = time.perf_counter()
    before = os.times()
    process = subprocess.Popen(
        argv, env=dict(env), cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    peak = Peak(process.pid)
    output = process.stdout.read() if process.stdout else b""
    status = process.wait()
    after = os.times()
    cpu = after.children_user + after.children_system
    cpu -= before.children_user + before.children_system
    return Run(time.perf_counter() - started, cpu, peak.stop(), status, output)


def median(argv: Sequence[str], env: Mapping[str, str], times: int = 5) -> Run:
    """Run a command several times; return the run with the median wall time."""
    runs = sorted((run(argv, env) for _ in range(times)), key=lambda r: r.wall_s)
    return runs[len(runs) // 2]


class Peak:
    """Samples the memory of a process and its children until stopped."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._kb = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._thread.start()

    def stop(self) -> float:
        """Return the peak in MB."""
        self._stop.set()
        self._thread.join()
        return self._kb / 1024

    def _sample(self) -> None:
        while not self._stop.wait(0.01):
            for pid in [self._pid, *_children(self._pid)]:
                try:
                    status = Path(f"/proc/{pid}/status").read_text("utf-8")
                except OSError:
                    continue
                for line in status.splitlines():
                    if line.startswith("VmHWM:"):
                        self._kb = max(self._kb, int(line.split()[1]))


def _children(pid: int) -> list[int]:
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text("utf-8")
    except OSError:
        return []
    direct = [int(word) for word in text.split()]
    return direct + [child for one in direct for child in _children(one)]


def until(
    argv: Sequence[str], env: Mapping[str, str], seen: Callable[[bytes], bool], limit_s: float = 60
) -> float:
    """Return the seconds from start until the output satisfies `seen`; the process is ended.

    The command runs on a terminal of its own (120x40), so that apps draw and pagers stream.
    """
    started = time.perf_counter()
    terminal = Terminal(argv, env, 40, 120)
    try:
        while time.perf_counter() - started < limit_s and terminal.program.poll() is None:
            if terminal.read(0.5) and seen(terminal.output):
                return time.perf_counter() - started
    finally:
        terminal.close()
    return float("nan")
