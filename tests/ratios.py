"""Speed as ratios: a shared machine's clock says nothing, and its speed changes all the time.

What is compared is measured in turns, so that both sides see the same machine, and a claim holds
when it holds in one of several rounds: other work only ever makes a side slower.
"""

from __future__ import annotations

import time
from collections.abc import Callable

ROUNDS = 8


def cpu_s(work: Callable[[], object], times: int = 3) -> float:
    """Return the CPU seconds of the quickest of a few runs."""
    best = float("inf")
    for _ in range(times):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def costs_at_most(
    factor: float, work: Callable[[], object], other: Callable[[], object], extra_s: float = 0.0
) -> bool:
    """Return whether some work takes less than `factor` times another's CPU time, and a little."""
    return any(cpu_s(work) < factor * cpu_s(other) + extra_s for _ in range(ROUNDS))


def is_linear(work: Callable[[str], object], small: str, large: str) -> bool:
    """Return whether four times the text takes less than nine times as long.

    Quadratic would take sixteen times as long, cubic far more.
    """
    return any(
        cpu_s(lambda: work(large), 1) < 9 * cpu_s(lambda: work(small), 2) + 0.02 for _ in range(4)
    )
