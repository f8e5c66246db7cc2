"""Print what the app costs: its rows of docs/performance.md, from keys pressed in a terminal.

    python tests/perf/keys.py --corpus DIR              # Claude-format JSONL of any size
    python tests/perf/keys.py --corpus DIR --home HOME  # HOME holds its index, or will
    python tests/perf/keys.py --messages 100000         # one long session, made for it

The real app runs on a terminal of 120x40, a sync beside it as always, and only the app's process is
measured. Keys are pressed one after the other and in bursts faster than a person: CPU time and wall
clock from each to the paint it causes (p50 / p95), CPU time and bytes a key until all is at rest.
Wall clock on a machine that others use is no evidence, and a process without bytecode (see
PYTHONDONTWRITEBYTECODE) compiles at each start. Linux only.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.perf.long_sessions import write_long
from tests.terminals import Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Row = tuple[str, str, str, str]
"""What, Recall, peer, budget: as of budgets.py."""

BOX: Final = re.compile(rb"\x1b\[1;\d+H")
"""A paint of the top row. The cursor blinks only half a second after the last key."""
BODY: Final = re.compile(rb"\x1b\[(?:[5-9]|[1-3]\d);\d+H")
"""A paint of the list or the session."""
LISTED: Final = rb"\d sessions?"
"""The number of them, once they are listed."""

DOWN, PAGE, TAB, ENTER, ESCAPE, CLEAR = b"\x1b[B", b"\x1b[6~", b"\t", b"\r", b"\x1b", b"\x15"
QUIT, END, MODE, STATISTICS = b"\x11", b"G", b"\x14", b"\x1bOR"
HEALTH, ORDER, GROUP = b"\x1bg", b"\x1bo", b"\x1bp"

APART_S: Final = 0.4
"""Between two keys of a person who looks at what each does."""
BURST_S: Final = 0.015
"""Between two keys of a burst: twice as fast as a keyboard that repeats."""
REST_S: Final = 3.0
"""An answer is there by then, and freed memory given back; the cursor never stops blinking."""

WORDS: Final = ("error", "timeout", "parser", "unicode", "windows")
QUESTIONS: Final = ("why does the parser fail to decode unicode", "timeout connection error")
PAGES: Final = 60
"""Of hits, 200 each."""


class Series(NamedTuple):
    """What some keys cost."""

    walls_s: list[float]
    """To the paint of each key, in order."""
    cpus_s: list[float]
    cpu_s: float
    """Of all together, until the last one is at rest."""
    written: int
    rest_s: float
    """From the last key to the last paint."""

    def told(self) -> str:
        """Return it for a person; p95 is the largest but one in twenty."""
        keys = len(self.walls_s)
        if not keys:
            return "nothing was painted"
        return (
            f"CPU {_two(self.cpus_s)} ms, wall {_two(self.walls_s)} ms; a key until rest: "
            f"CPU {self.cpu_s * 1000 / keys:.0f} ms, {self.written // keys:,} bytes; "
            f"at rest after {self.rest_s * 1000:.0f} ms"
        )


def _two(seconds: Sequence[float]) -> str:
    ordered = sorted(seconds)
    middle, high = (ordered[int((len(ordered) - 1) * part)] for part in (0.5, 0.95))
    return f"{middle * 1000:.0f} / {high * 1000:.0f}"


class App:
    """The app in a terminal, with its clock and its memory."""

    def __init__(self, argv: Sequence[str], env: dict[str, str]) -> None:
        self.started = time.perf_counter()
        env = {**env, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        self.terminal = Terminal(argv, env, 40, 120)
        # What clock_getcpuclockid(3) makes of a process id: threads that ended are in it.
        self._clock = (~self.terminal.program.pid << 3) | 2

    def cpu_s(self) -> float:
        """Return the CPU time the process has taken."""
        return time.clock_gettime(self._clock)

    def close(self) -> None:
        """Leave the app, so that its sync ends with it."""
        self.terminal.press(QUIT)
        self.terminal.ended()
        self.terminal.close()

    def appears(self, mark: bytes) -> tuple[float, float]:
        """Wait for something to be drawn; return CPU and wall seconds since the start."""
        while not re.search(mark, self.terminal.output):
            self.terminal.read(1)
        return self.cpu_s(), time.perf_counter() - self.started

    def rest(self, seconds: float = REST_S) -> None:
        """Let the app come to rest, its output read."""
        self.press([], BODY, after_s=seconds)

    def memory(self) -> str:
        """Return its resident memory, and the part of it that no file backs."""
        status = Path(f"/proc/{self.terminal.program.pid}/status").read_text("utf-8")
        kb = dict(re.findall(r"^(VmRSS|RssAnon):\s+(\d+)", status, re.MULTILINE))
        return f"{int(kb['VmRSS']) / 1024:.0f} MB ({int(kb['RssAnon']) / 1024:.0f} anonymous)"

    def press(
        self,
        keys: Sequence[bytes],
        paint: re.Pattern[bytes],
        apart_s: float = APART_S,
        after_s: float = APART_S,
    ) -> Series:
        """Press keys, and read what each causes.

        Args:
            keys: What the keyboard sends for each.
            paint: What is drawn because of a key, as opposed to what a search or a cursor draws.
            apart_s: Between two keys.
            after_s: How long the last one is watched.
        """
        walls: list[float] = []
        cpus: list[float] = []
        waiting: list[tuple[float, float]] = []
        written = 0
        begun = self.cpu_s()
        pressed = painted = time.perf_counter()
        for key in [*keys, b""]:
            if key:
                pressed = painted = time.perf_counter()
                waiting.append((pressed, self.cpu_s()))
                self.terminal.press(key)
            end = pressed + (apart_s if key else after_s)
            while (left := end - time.perf_counter()) > 0:
                part = self.terminal.read(left)
                written += len(part)
                if part and paint.search(part):
                    painted, cpu = time.perf_counter(), self.cpu_s()
                    walls += [painted - wall for wall, _ in waiting]
                    cpus += [cpu - then for _, then in waiting]
                    waiting.clear()
        self.terminal.output = b""
        return Series(walls, cpus, self.cpu_s() - begun, written, painted - pressed)

    def typed(self, words: Sequence[str], apart_s: float, after_s: float) -> Series:
        """Type words letter by letter, each into an empty box."""
        whole = Series([], [], 0.0, 0, 0.0)
        for word in words:
            self.press([CLEAR], BOX)
            one = self.press(_letters(word), BOX, apart_s, after_s)
            whole = Series(
                whole.walls_s + one.walls_s, whole.cpus_s + one.cpus_s, whole.cpu_s + one.cpu_s,
                whole.written + one.written, max(whole.rest_s, one.rest_s),
            )  # fmt: skip
        return whole

    def series(self, name: str, keys: Sequence[bytes], paint: re.Pattern[bytes]) -> Iterator[Row]:
        """Yield a row for keys pressed one after the other, and one for a burst of them."""
        yield f"app: {name}", self.press(keys, paint).told(), "", "50 ms"
        burst = self.press(keys, paint, BURST_S, REST_S)
        yield f"app: {name}, a burst", burst.told(), "", ""


def start_rows(argv: Sequence[str], env: dict[str, str]) -> Iterator[Row]:
    """Yield how long the app takes to appear, medians of five."""
    took = []
    for _ in range(5):
        app = App(argv, env)
        took.append((*app.appears("❯".encode()), *app.appears(LISTED)))
        app.close()
    cpu, wall, cpu_listed, wall_listed = (median(of) * 1000 for of in zip(*took, strict=True))
    yield "app: first paint (search box)", f"CPU {cpu:.0f} ms, wall {wall:.0f} ms", "", "250 ms"
    yield "app: sessions listed", f"CPU {cpu_listed:.0f} ms, wall {wall_listed:.0f} ms", "", ""


def history_rows(
    argv: Sequence[str], env: dict[str, str], words: Sequence[str] = WORDS
) -> Iterator[Row]:
    """Yield the rows of a history of any size; the first of the words is looked for."""
    yield from start_rows(argv, env)
    app = App(argv, env)
    try:
        app.appears(LISTED)
        app.rest()
        yield "app: memory, browsing", app.memory(), "", "120 MB"
        yield "app: typing", app.typed(words, APART_S, APART_S).told(), "", "50 ms"
        yield "app: typing, a burst", app.typed(words, BURST_S, REST_S).told(), "", ""
        app.press([CLEAR, TAB], BODY, after_s=REST_S)
        yield from app.series("list", [DOWN] * 30, BODY)
        yield from app.series("list, pages", [PAGE] * 15, BODY)
        app.press([b"g"], BODY)
        for name, key in (("sorted", ORDER), ("grouped", GROUP)):
            yield f"app: list {name} otherwise", app.press([key] * 8, BODY).told(), "", "50 ms"
        app.press([ESCAPE, *_letters(words[0]), TAB], BODY, after_s=REST_S)
        yield from app.series("hits", [DOWN] * 30, BODY)
        app.press([END] * PAGES, BODY)
        app.rest()
        yield f"app: memory, after {PAGES} pages of hits", app.memory(), "", "120 MB"
        app.press([ESCAPE, CLEAR, ORDER, TAB, b"g", ENTER, b"g"], BODY, after_s=REST_S)
        yield from app.series("largest session", [DOWN] * 30, BODY)
        app.press([ESCAPE, ESCAPE, MODE, ORDER, ORDER, ORDER], BODY)  # kept, as it was
        for question in QUESTIONS:
            app.press([CLEAR, *_letters(question)], BOX, BURST_S, REST_S)
        app.rest()
        yield "app: memory, after two answers in words", app.memory(), "", "120 MB"
        app.press([MODE, CLEAR, STATISTICS, ESCAPE, HEALTH, ESCAPE], BODY, REST_S, REST_S)
        yield "app: memory, after every screen", app.memory(), "", "120 MB"
    finally:
        app.close()


def session_rows(recall: Sequence[str], home: Path, messages: int) -> Iterator[Row]:
    """Yield the rows of a history that is one long session, made below a folder of its own."""
    path = home / "corpus" / "-work-large" / "11111111-2222-4333-8444-555555555555.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_long(path, messages)
    app = App(*indexed(recall, home, home / "corpus"))
    try:
        app.appears(LISTED)
        app.press([TAB, ENTER, b"o"], BODY, after_s=REST_S)
        name = f"session of {messages:,} messages"
        yield f"app: memory, {name}", app.memory(), "", "200 MB"
        for where, key in (("at its end", b"G"), ("at its start", b"g")):
            app.press([key], BODY, after_s=REST_S)
            moves = [b"k" if key == b"G" else b"j"] * 30
            yield from app.series(f"a step, {name} {where}", moves, BODY)
        yield from app.series(f"a page, {name}", [PAGE] * 15, BODY)
        yield f"app: memory, {name}, read in", app.memory(), "", "200 MB"
    finally:
        app.close()


def _letters(text: str) -> list[bytes]:
    return [letter.encode() for letter in text]


def indexed(recall: Sequence[str], home: Path, corpus: Path) -> tuple[list[str], dict[str, str]]:
    """Index a corpus; return the command of the app over it, and its environment."""
    env = {**os.environ, "HOME": str(home), "RECALL_HOME": str(home / "recall")}
    source = ["--source", f"claude={corpus}"]
    subprocess.run([*recall, "index", "--quiet", *source], env=env, check=True)
    return [*recall, *source], env


def main() -> None:
    """Index what is to be measured where it is not, measure, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--corpus", type=Path, help="a folder of Claude-format JSONL")
    what.add_argument("--messages", type=int, help="make one session of so many messages")
    parser.add_argument("--words", nargs="+", default=WORDS, help="words to type")
    parser.add_argument("--home", type=Path, help="a folder for the index")
    asked = parser.parse_args()
    home = (asked.home or Path(tempfile.mkdtemp(prefix="recall-keys-"))).resolve()
    recall = [sys.executable, "-m", "recall_tui"]
    rows = (
        session_rows(recall, home, asked.messages)
        if asked.messages
        else history_rows(*indexed(recall, home, asked.corpus.resolve()), asked.words)
    )
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
