"""Print what an answer of recall costs in a process that stays, as the app and the MCP server do.

    python tests/perf/asking.py --corpus DIR --home HOME    # HOME holds its index, or will

The first answer after the process has started is left out, then each question is asked several
times: median and least wall clock, and the least CPU time, children included. With --alone no child
helps, which is steadier on a machine that others use.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from statistics import median
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

QUESTIONS: Final = {
    "three terms, one common": ("timeout", "connection", "error"),
    "three words, one common": "timeout connection error",
    "sentence of eight": "why does the parser fail to decode unicode surrogate escapes on windows",
}


def main() -> None:
    """Ask, and print a line a question: what, then milliseconds."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--corpus", type=Path, required=True, help="a folder of Claude JSONL")
    parser.add_argument("--home", type=Path, required=True, help="where the index is")
    parser.add_argument("--times", type=int, default=9)
    parser.add_argument("--alone", action="store_true", help="without a child")
    asked = parser.parse_args()
    # Before anything of Recall is imported: it reads them once.
    os.environ.update(
        HOME=str(asked.home), RECALL_HOME=str(asked.home), RECALL_BACKGROUND="0",
        RECALL_FRESHNESS_S="9999",
    )  # fmt: skip
    from recall_tui.history import History
    from recall_tui.search import aside
    from recall_tui.search.recall.request import RecallRequest

    if asked.alone:
        aside.may_fork = lambda: False
    history = History.open([f"claude={asked.corpus}"])
    for name, words in QUESTIONS.items():
        request = (
            RecallRequest(sentence=words) if isinstance(words, str) else RecallRequest(terms=words)
        )
        history.recall(request)
        wall, cpu = [], []
        for _ in range(asked.times):
            started, before = time.perf_counter(), sum(os.times()[:4])
            history.recall(request)
            wall.append((time.perf_counter() - started) * 1000)
            cpu.append((sum(os.times()[:4]) - before) * 1000)
        print(f"{name}: {median(wall):.0f} ms, least {min(wall):.0f}, CPU {min(cpu):.0f}")


if __name__ == "__main__":
    main()
