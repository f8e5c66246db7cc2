"""Measure what a person waits for: from exec to the first frame, to the app's own, to the list.

    python scripts/cold_start.py [ROUNDS]

Runs the demo in a pseudo-terminal and prints the best of some rounds in milliseconds, beside what
importing Textual alone costs on the same machine at the same time. It informs; nothing gates on it.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

MARKS = {
    "first frame (search box)": "❯".encode(),
    "the app's frame": b"type to search",
    "sessions listed": b" in 30 days",
}
ROWS, COLUMNS = 40, 120
LIMIT_S = 20.0


def once(home: str) -> dict[str, float]:
    """Start the demo and return the milliseconds to each mark."""
    start = time.perf_counter()
    process, terminal = pty.fork()
    if not process:
        os.environ.update(
            RECALL_HOME=home, TERM="xterm-256color", COLORTERM="truecolor", RECALL_BACKGROUND="0"
        )
        os.execv(sys.executable, [sys.executable, "-m", "recall_tui", "--demo"])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    seen: dict[str, float] = {}
    output = b""
    while len(seen) < len(MARKS) and time.perf_counter() - start < LIMIT_S:
        if not select.select([terminal], [], [], 0.01)[0]:
            continue
        output += os.read(terminal, 1 << 16)
        now = (time.perf_counter() - start) * 1000
        for name, mark in MARKS.items():
            if mark in output:
                seen.setdefault(name, now)
    os.kill(process, signal.SIGTERM)
    while True:
        try:
            if not os.read(terminal, 1 << 16):
                break
        except OSError:
            break
    os.waitpid(process, 0)
    os.close(terminal)
    return seen


def bare() -> float:
    """Return the milliseconds of a process that imports Textual and ends."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import textual.app"], check=True)
    return (time.perf_counter() - start) * 1000


def main() -> None:
    """Print the best of some rounds."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    best: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as home:
        once(home)  # makes the demo and the byte code
        for _ in range(rounds):
            times = {**once(home), "import textual.app, alone": bare()}
            best = {name: min(value, best.get(name, value)) for name, value in times.items()}
    for name, value in sorted(best.items(), key=lambda item: item[1]):
        sys.stdout.write(f"{value:7.0f} ms  {name}\n")


if __name__ == "__main__":
    main()
