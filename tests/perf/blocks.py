"""Print a digest of everything that reading some sources yields, to compare two states of the code.

    python tests/perf/blocks.py claude=DIR codex=DIR > before      # and again > after
    diff before after                                          # one run after the other

A line a source: the digest, then where it lies. It covers each block (positions, times, horizons,
kinds, flags, digests, folded and marked text, facts of the messages) and the reading (facts, title,
counts, gaps, proofs). A JSONL file is also read in part and then on from there. With --cpu the CPU
time of the whole passes is told on stderr: the least of some, source by source, which other work on
the machine disturbs little.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from recall_tui.harnesses import registry
from recall_tui.harnesses.base import Harness, Source
from recall_tui.store import memory
from recall_tui.store.expand import Facts, expand
from recall_tui.store.stored import StoredBlock
from recall_tui.store.sync.plan import Known
from recall_tui.store.sync.worker import Reading, Task, read

IN_PART = 8 << 20
"""Bytes up to which a file is also read in part."""
PARTS = (0.3, 0.62)


def told(part: StoredBlock | Reading) -> str:
    """Return all of a part but how its text was compressed."""
    if isinstance(part, Reading):
        return repr(part)
    facts = sorted(Facts(part.attributes).all.items())
    return repr((part[:-2], expand(part.raw), [(i, sorted(f.items())) for i, f in facts]))


def passes(harness: Harness, source: Source, scratch: Path) -> Iterator[StoredBlock | Reading]:
    """Yield what a source gives read whole, and what it gives read in part and then further."""
    yield from read(harness, Task(0, "", source))
    path = Path(source.path)
    if source.part or path.suffix != ".jsonl" or source.size > IN_PART:
        return
    data = path.read_bytes()
    copy = scratch / path.name
    for part in PARTS:
        size = int(len(data) * part)
        copy.write_bytes(data[:size])
        begun = source._replace(path=str(copy), size=size, mtime_ns=0, ctime_ns=0)
        *blocks, reading = read(harness, Task(0, "", begun))
        yield from (*blocks, reading)
        if isinstance(reading, Reading) and reading.checkpoint is not None:
            copy.write_bytes(data)
            known = Known(reading.checkpoint, reading.ends, reading.covered, reading.digests)
            yield from read(harness, Task(0, "", begun._replace(size=len(data)), known))


def cpu_s(harness: Harness, source: Source, times: int) -> float:
    """Return the least CPU seconds of reading a source whole."""
    least = float("inf")
    for _ in range(times):
        start = time.process_time()
        for _part in read(harness, Task(0, "", source)):
            pass
        least = min(least, time.process_time() - start)
    return least


def main() -> None:
    """Read, and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("places", nargs="+", metavar="HARNESS=ROOT")
    parser.add_argument(
        "--cpu", type=int, default=0, metavar="TIMES", help="measure, print nothing else"
    )
    asked = parser.parse_args()
    memory.keep_freed()
    taken, size = 0.0, 0
    # Where a copy lies is told in errors, so it must be the same in both runs.
    scratch = Path(tempfile.gettempdir()) / "recall-blocks"
    scratch.mkdir(exist_ok=True)
    for place in asked.places:
        name, _, root = place.partition("=")
        harness = registry.get(name)
        for source in sorted(harness.discover(root, [])):
            if asked.cpu:
                taken += cpu_s(harness, source, asked.cpu)
                size += source.size
                continue
            digest = hashlib.sha256()
            for part in passes(harness, source, scratch):
                digest.update(told(part).encode("utf-8", "surrogatepass"))
            print(digest.hexdigest(), name, source.path, source.part)
    if asked.cpu:
        print(
            f"{size / 1e6:,.0f} MB, {taken:.2f} CPU-s, {taken * 1e9 / size:.2f} ms/MB",
            file=sys.stderr,
        )


if __name__ == "__main__":
    main()
