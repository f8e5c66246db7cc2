"""A pseudo-terminal with a program in it, for tests and measurements of what a person sees."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import termios
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Terminal:
    """A program on a terminal of its own.

    As under a shell, the program is not the leader of the session: the kernel would throw away
    what a leader wrote last.

    Args:
        argv: The program.
        env: Its environment; COLUMNS and LINES, which would be believed rather than the terminal,
            are left out.
        rows: Of the terminal.
        columns: Of the terminal.
    """

    def __init__(
        self, argv: Sequence[str], env: Mapping[str, str], rows: int = 30, columns: int = 100
    ) -> None:
        self.end, self.inner = pty.openpty()
        termios.tcsetwinsize(self.end, (rows, columns))
        self.output = b""
        self.program = subprocess.Popen(
            argv, stdin=self.inner, stdout=self.inner, stderr=self.inner,
            env={k: v for k, v in env.items() if k not in ("COLUMNS", "LINES")},
        )  # fmt: skip

    def press(self, keys: bytes) -> None:
        """Send what a keyboard sends."""
        os.write(self.end, keys)

    def read(self, seconds: float) -> bytes:
        """Return what comes first within some time, empty for nothing; `output` keeps all of it."""
        if not select.select([self.end], [], [], max(0, seconds))[0]:
            return b""
        part = os.read(self.end, 65536)
        self.output += part
        return part

    def wait_for(self, mark: bytes, seconds: float = 30) -> bool:
        """Return whether something is, or will be within some time, part of the output."""
        deadline = time.monotonic() + seconds
        while mark not in self.output and time.monotonic() < deadline:
            self.read(0.05)
        return mark in self.output

    def ended(self) -> int:
        """Return the exit status, the rest of the output read."""
        deadline = time.monotonic() + 30
        while self.program.poll() is None and time.monotonic() < deadline:
            self.read(0.05)
        while self.read(0.05):
            pass
        return self.program.wait(1)

    def close(self) -> None:
        """End the program if it still runs."""
        if self.program.poll() is None:
            self.program.kill()
            self.program.wait()
        os.close(self.end)
        os.close(self.inner)

    @property
    def in_order(self) -> bool:
        """Whether keys are echoed and come by the line, on the usual screen, with a cursor."""
        modes = termios.tcgetattr(self.end)[3]
        cooked = all(modes & bit for bit in (termios.ECHO, termios.ICANON, termios.ISIG))
        entered, left = self.output.count(b"[?1049h"), self.output.count(b"[?1049l")
        shown = self.output.rfind(b"[?25h") > self.output.rfind(b"[?25l")
        return cooked and entered == left == 1 and shown
