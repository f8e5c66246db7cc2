"""How fast this machine is beside the one on which the budgets were measured.

There a bare interpreter took 10.5 ms and `json.loads` read 224 MB/s of the same corpus. A budget
times `Pace` is what it allows here, in the minutes of the run: a shared machine's speed changes.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from tests.perf import processes

BARE_S: Final = 0.0105
JSON_BYTES_S: Final = 224e6
_READ: Final = 24 << 20
"""Bytes of the corpus that are decoded to measure."""


@dataclass(slots=True)
class Pace:
    """How many times longer the same work takes here."""

    start: float
    """For a process that starts and ends."""
    work: float
    """For what computes."""

    @classmethod
    def measured(cls, corpus: Path, env: Mapping[str, str]) -> Pace:
        """Measure."""
        bare = processes.median([sys.executable, "-c", "pass"], env, 15).wall_s
        lines = list(_lines(corpus))
        rates = [_rate(lines) for _ in range(3)]
        return cls(bare / BARE_S, JSON_BYTES_S / median(rates))

    def __str__(self) -> str:
        return (
            f"bare Python {self.start * BARE_S * 1000:.0f} ms ({self.start:.1f} times as long), "
            f"json.loads {JSON_BYTES_S / self.work / 1e6:.0f} MB/s ({self.work:.1f} times)"
        )


def _lines(corpus: Path) -> Iterator[bytes]:
    """Yield lines of a corpus, some megabytes."""
    left = _READ
    for path in sorted(corpus.rglob("*.jsonl")):
        for line in path.read_bytes().splitlines():
            yield line
            left -= len(line)
            if left < 0:
                return


def _rate(lines: list[bytes]) -> float:
    """Return the bytes decoded a second."""
    started = time.perf_counter()
    for line in lines:
        json.loads(line)
    return sum(map(len, lines)) / (time.perf_counter() - started)
