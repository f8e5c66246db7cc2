"""The advisory lock that keeps writers one at a time, and says who holds it.

The lock is the kernel's (`flock`), so it ends with its process however that dies: a killed writer
never blocks the next, and no age has to be guessed. The file's text only names the owner.
"""

from __future__ import annotations

import errno
import fcntl
import os
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Self

from recall_tui import clock
from recall_tui.errors import StoreBusyError, StoreError

if TYPE_CHECKING:
    from types import TracebackType


TAKEN: Final = (errno.EWOULDBLOCK, errno.EACCES)
"""What `flock` fails with when another holds the lock; anything else (some network disks) is that
it cannot lock at all."""


class WriterLock:
    """Held for the life of a writing command. A context manager."""

    def __init__(self, path: str, *, wait_s: float = 0.0) -> None:
        """Take nothing yet.

        Args:
            path: The lock file; it stays on disk when the lock is free.
            wait_s: How long to wait for another owner before giving up.
        """
        self.path = path
        self._wait_s = wait_s
        self._file = -1

    def __enter__(self) -> Self:
        """Take the lock.

        Raises:
            StoreBusyError: Another process holds it; the message names that process.
            StoreError: The file cannot be opened.
        """
        try:
            os.makedirs(os.path.dirname(self.path) or ".", mode=0o700, exist_ok=True)
            file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StoreError(
                f"{self.path}: {error.strerror or error}",
                "set RECALL_HOME to a folder that can be written",
            ) from error
        give_up = time.monotonic() + self._wait_s
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError as error:
                if error.errno not in TAKEN:
                    os.close(file)
                    raise StoreError(
                        f"{self.path}: cannot be locked: {error.strerror or error}",
                        "set RECALL_HOME to a folder on a local disk",
                    ) from error
                if time.monotonic() >= give_up:
                    os.close(file)
                    raise StoreBusyError(
                        f"another process is writing the index: {owner(self.path)}",
                        "wait for it, or end it; searching works meanwhile",
                    ) from error
                time.sleep(0.05)
        self._file = file
        with suppress(OSError):  # on a full disk it has no name, and is held all the same
            os.ftruncate(file, 0)
            os.pwrite(file, f"{os.getpid()} {clock.now_ms()} {_command()}".encode(), 0)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.ftruncate(self._file, 0)
        os.close(self._file)
        self._file = -1


def owner(path: str) -> str:
    """Return who wrote the lock file last, as words: `recall index (pid 41, since 2026-...)`."""
    try:
        with open(path, encoding="utf-8") as stream:
            pid, started, command = stream.read(4096).split(" ", 2)
        since = clock.to_iso(int(started), clock.local_zone())
        return f"{command} (pid {int(pid)}, since {since})"
    except (OSError, ValueError):
        return "unknown (it has not named itself)"


def _command() -> str:
    """Return program and subcommand: never the arguments, which may hold a query."""
    program = os.path.basename(sys.argv[0]) or "python"
    if program == "__main__.py":
        program = "recall"
    word = sys.argv[1] if len(sys.argv) > 1 and sys.argv[1].isalpha() else ""
    return f"{program} {word}".strip()
