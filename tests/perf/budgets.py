"""Print the budget table of docs/performance.md: each figure beside a peer's, in one run.

    python tests/perf/budgets.py --corpus DIR            # Claude-format JSONL of any size
    python tests/perf/budgets.py --generate 2639M        # made with ../shared/bench/gen_corpus.py
    python tests/perf/budgets.py --corpus DIR --peers VENV   # VENV holds fast-resume and agentsview

Recall is measured as installed for this interpreter. ripgrep is taken from PATH. Every program gets
a home of its own below --scratch, which can be deleted afterwards. Wall clock on a machine that
others use is no evidence: read the ratios, and run on idle cores. A budget in seconds is followed
by what it allows at the pace of this machine (`pace.py`).
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.perf import asking, keys
from tests.perf.long_sessions import write_large
from tests.perf.pace import Pace
from tests.perf.processes import Run, median, run, until

COMMON, RARE, ABSENT, CJK = "error", "timeouterror", "zqxjkvwyzq", "设备"
GENERATOR = Path(__file__).resolve().parents[3] / "shared" / "bench" / "gen_corpus.py"


class Bench:
    """One run over one corpus."""

    def __init__(self, corpus: Path, scratch: Path, peers: Path | None) -> None:
        self.corpus = corpus
        self.scratch = scratch
        self.peers = peers
        self.bytes = sum(f.stat().st_size for f in corpus.rglob("*.jsonl"))
        self.recall = [sys.executable, "-m", "recall_tui"]
        self.home = scratch / "recall"
        base = {k: v for k, v in os.environ.items() if k in ("PATH", "LANG", "TERM", "COLORTERM")}
        # Every search looks at the sources, also right after another.
        own = {"HOME": str(scratch), "RECALL_HOME": str(self.home), "RECALL_FRESHNESS_S": "0",
               "RECALL_BACKGROUND": "0"}  # fmt: skip
        self.env = {**base, **own, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
        self.source = ["--source", f"claude={corpus}"]
        self.pace: Pace
        """Measured before each part."""

    def rows(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield (what, recall, peer, budget) as they are measured."""
        for measured in (
            self.start, self.cold, self.ingest, self.resync, self.grep, self.ranked, self.stays,
            self.app, self.large,
        ):  # fmt: skip
            self.pace = Pace.measured(self.corpus, self.env)
            yield "pace of this machine", str(self.pace), "", ""
            yield from measured()

    def starting(self, seconds: float) -> str:
        """Return a budget of a process that mostly starts and ends."""
        return f"{ms(seconds)} (here {ms(seconds * self.pace.start)})"

    def working(self, seconds: float) -> str:
        """Return a budget of what computes."""
        return f"{ms(seconds)} (here {ms(seconds * self.pace.work)})"

    def start(self) -> Iterator[tuple[str, str, str, str]]:
        """How long a process needs that does next to nothing."""
        bare = median([sys.executable, "-c", "pass"], self.env, 9).wall_s
        for option in ("--version", "--help"):
            took = median([*self.recall, option], self.env, 9).wall_s
            yield f"recall {option}", ms(took), f"python -c pass: {ms(bare)}", self.starting(0.06)

    def cold(self) -> Iterator[tuple[str, str, str, str]]:
        """The first search on a machine never indexed."""
        shutil.rmtree(self.home, ignore_errors=True)
        took = until(
            [*self.recall, "grep", *self.source, COMMON], self.env, lambda o: b"claude:" in o
        )
        yield "first search, no index: first hit", ms(took), "", self.working(1)
        shutil.rmtree(self.home, ignore_errors=True)

    def ingest(self) -> Iterator[tuple[str, str, str, str]]:
        """Index everything."""
        made = run([*self.recall, "index", "--json", *self.source], self.env)
        size = sum(f.stat().st_size for f in self.home.glob("index.db*"))
        counts = json.loads(made.output)
        megabytes = self.bytes / 1e6
        held = f"{counts['sessions']:,} sessions, {counts['messages']:,} messages"
        what = f"ingest {megabytes:,.0f} MB, {held}"
        yield (
            what,
            f"{megabytes / made.wall_s:.0f} MB/s ({made.wall_s:.1f} s, CPU {made.cpu_s:.1f} s)",
            self.peer_ingest(),
            f"200 MB/s (here {200 / self.pace.work:.0f})",
        )
        yield "  peak of the largest process", f"{made.peak_mb:.0f} MB", "", "150 MB"
        yield "  disk / JSONL", f"{size / self.bytes:.2f}", "", "0.45"

    def peer_ingest(self) -> str:
        """Index the same files with the peers; each under a home of its own."""
        if self.peers is None:
            return ""
        told = []
        for name, argv in (
            ("fast-resume", [str(self.peers / "bin" / "fr"), "--list", "zebra"]),
            ("agentsview", [str(self.peers / "bin" / "agentsview"), "sync"]),
        ):
            made = run(argv, self.peer_env(name))
            state = "" if made.status == 0 else f", exit {made.status}"
            told.append(f"{name} {made.wall_s:.1f} s, {made.peak_mb:.0f} MB{state}")
        return "; ".join(told)

    def peer_env(self, name: str) -> dict[str, str]:
        """Return the environment of a peer: a home whose Claude folder is the corpus."""
        home = self.scratch / name
        folder = home / ".claude"
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "projects").exists():
            (folder / "projects").symlink_to(self.corpus)
        return {**self.env, "HOME": str(home), "AGENTSVIEW_TELEMETRY_ENABLED": "0",
                "AGENTSVIEW_NO_DAEMON": "1"}  # fmt: skip

    def resync(self) -> Iterator[tuple[str, str, str, str]]:
        """Nothing changed; then one line more."""
        argv = [*self.recall, "index", "--quiet", *self.source]
        peer = ""
        if self.peers is not None:
            again = median([str(self.peers / "bin" / "fr"), "--list", "zebra"],
                           self.peer_env("fast-resume"), 3)  # fmt: skip
            peer = f"fast-resume {ms(again.wall_s)}"
        yield (
            "re-sync, nothing changed, whole process",
            ms(median(argv, self.env).wall_s),
            peer,
            self.starting(0.1),
        )

    def grep(self) -> Iterator[tuple[str, str, str, str]]:
        """The first page, and the complete count, beside ripgrep over the raw files."""
        for name, word in (("common", COMMON), ("rare", RARE), ("absent", ABSENT), ("CJK", CJK)):
            argv = [*self.recall, "grep", *self.source]
            page = median([*argv, "--no-total", "--limit", "50", word], self.env)
            count = median([*argv, "--count", word], self.env)
            raw = median(["rg", "-c", "-i", word, str(self.corpus)], self.env)
            yield f"grep {name}: first page", ms(page.wall_s), "", self.starting(0.06)
            yield (
                f"grep {name}: complete count",
                f"{ms(count.wall_s)}, {count.peak_mb:.0f} MB",
                f"rg {ms(raw.wall_s)} (ratio {count.wall_s / raw.wall_s:.2f})",
                "1.00 of rg, 40 MB",
            )

    def ranked(self) -> Iterator[tuple[str, str, str, str]]:
        """The agents' path as a command."""
        for name, words in asking.QUESTIONS.items():
            terms = [words] if isinstance(words, str) else ["--term", *words]
            found = median([*self.recall, "search", *self.source, "--json", *terms], self.env)
            yield f"search, {name}: whole process", told(found), "", ""

    def stays(self) -> Iterator[tuple[str, str, str, str]]:
        """The agents' path in a process that stays."""
        argv = [sys.executable, asking.__file__, "--corpus", str(self.corpus)]
        answers = run([*argv, "--home", str(self.home)], self.env).output.decode()
        # In proportion between the two sizes that have a budget.
        budget = 0.06 + 0.44 * max(0.0, self.bytes - 264e6) / (2639e6 - 264e6)
        for line in answers.splitlines():
            name, _, took = line.partition(": ")
            allowed = budget * 2 if "eight" in name else budget
            yield f"recall, {name}", took, "", self.working(allowed)

    def app(self) -> Iterator[tuple[str, str, str, str]]:
        """The app on this corpus, and on a long session."""
        beside = {k: v for k, v in self.env.items() if k != "RECALL_BACKGROUND"}
        yield from keys.history_rows([*self.recall, *self.source], beside)
        for messages in (100_000, 1_000_000):
            home = self.scratch / f"long-{messages}"
            yield from keys.session_rows(self.recall, home, messages)

    def large(self) -> Iterator[tuple[str, str, str, str]]:
        """One session of 170 MB with a line of 20 MB."""
        folder = self.scratch / "large" / "-work-large"
        folder.mkdir(parents=True, exist_ok=True)
        write_large(folder / "11111111-2222-4333-8444-555555555555.jsonl")
        env = {**self.env, "RECALL_HOME": str(self.scratch / "large-home")}
        shutil.rmtree(self.scratch / "large-home", ignore_errors=True)
        made = run([*self.recall, "index", "--source", f"claude={folder.parent}"], env)
        yield "170 MB session with a 20 MB line", told(made), "", f"{self.working(1.5)}, 150 MB"


def ms(seconds: float) -> str:
    """Return a duration."""
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"


def told(result: Run) -> str:
    """Return time and memory of a run, and its status when it is a failure."""
    failed = f", exit {result.status}" if result.status not in (0, 1) else ""
    return f"{ms(result.wall_s)}, {result.peak_mb:.0f} MB{failed}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--corpus", type=Path, help="a folder of Claude-format JSONL")
    where.add_argument("--generate", metavar="SIZE", help="make a corpus of this size, e.g. 264M")
    parser.add_argument("--scratch", type=Path, help="folder for homes and indexes")
    parser.add_argument(
        "--peers", type=Path, help="virtual environment with fast-resume, agentsview"
    )
    asked = parser.parse_args()
    scratch = asked.scratch or Path(tempfile.mkdtemp(prefix="recall-budgets-"))
    corpus = asked.corpus
    if corpus is None:
        corpus = scratch / "corpus"
        subprocess.run(
            [sys.executable, GENERATOR, "--out", corpus, "--bytes", asked.generate], check=True
        )
    print(
        f"cores {os.cpu_count()}, load {os.getloadavg()[0]:.1f}, Python {sys.version.split()[0]}\n"
    )
    print("| what | Recall | peer, same run | budget |\n| --- | --- | --- | --- |")
    for row in Bench(corpus.resolve(), scratch.resolve(), asked.peers).rows():
        print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
