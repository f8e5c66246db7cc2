"""The yardsticks of S0-63 in kind: what narrowing gains where few sessions match, and else costs.

    python -m tests.workspace.yardsticks [FOLDER]

Prints the table of docs/performance.md in CPU milliseconds, best of three: a shared clock is
no evidence. `list` is what both paths pay first (headers and counts of every session); `full` reads
every session; `narrowed` names the candidates and reads those.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from recall_tui.model import Filter
from tests.workspace.build import big
from tests.workspace.reading import ALL, narrowed, opened, rows, term

MARKER = "zebrafinch"
ABSENT = "zzzznotfound"


class Row(NamedTuple):
    """One line of the table, times in CPU milliseconds."""

    what: str
    list_ms: float
    full_ms: float
    narrowed_ms: float
    named: int
    """Sessions the narrowing named."""
    hits: int

    @property
    def ratio(self) -> float:
        """How much less the narrowed path takes, the listing aside."""
        return self.full_ms / self.narrowed_ms


def best(run: Callable[[], object], times: int) -> tuple[float, object]:
    """The least CPU time of some runs in milliseconds, and the last result."""
    least, result = float("inf"), None
    for _ in range(times):
        before = time.process_time()
        result = run()
        least = min(least, time.process_time() - before)
    return least * 1000, result


def measure(folder: Path, what: str, word: str, times: int = 3) -> Row:
    """Ask one workspace for one word on both paths; the answers must be equal."""
    needle = term(word)
    list_ms, _ = best(lambda: opened(folder).sessions(ALL), times)
    corpus = opened(folder)
    corpus.sessions(ALL)
    full_ms, full = best(lambda: rows(corpus, needle), times)
    narrowed_ms, short = best(lambda: narrowed(corpus, needle), times)
    assert full == short
    named = corpus.candidates([needle], Filter())
    return Row(what, list_ms, full_ms, narrowed_ms, len(named.sessions), len(full))


def table(folder: Path, *, large: bool = True) -> list[Row]:
    """Every yardstick; `large` makes and reads 178 MB as well."""
    found = []
    few = big(folder / "few", sessions=200, turns=10, matching=3)
    found.append(measure(few, "200 x 10, 3 match: a term that matches", MARKER))
    found.append(measure(few, "200 x 10: a term that matches none", ABSENT))
    most = big(folder / "most", sessions=6, turns=40, matching=5, seed=2)
    found.append(measure(most, "6 sessions, 5 match", MARKER))
    found.append(measure(most, "6 sessions, a word that is everywhere", "cache"))
    if large:
        whole = big(folder / "large", sessions=100, turns=20, matching=3, result_bytes=77_000)
        size = (whole / "runtime.sqlite").stat().st_size / 1e6
        for word in (MARKER, ABSENT):
            found.append(measure(whole, f"{size:.0f} MB, 100 sessions: {word}", word, 2))
    return found


def main(folder: Path) -> None:
    print("| workspace | list | full | narrowed | ratio | sessions named | hits |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for row in table(folder):
        print(
            f"| {row.what} | {row.list_ms:.0f} | {row.full_ms:.0f} | {row.narrowed_ms:.0f} "
            f"| {row.ratio:.1f} | {row.named} | {row.hits} |"
        )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as made:
            main(Path(made))
