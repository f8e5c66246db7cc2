"""The end of the app: it waits for no thread that does not come to an end by itself.

A thread cannot be stopped from outside. What was asked for last (a skill of 20,000 messages, a file
on a network drive that hangs) would keep the shell from a person who has left.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
import warnings
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from textual.app import App

Result = TypeVar("Result")

PATIENCE_S: Final = 1.0
"""Threads that write something have this long to be done."""


class _Loop(asyncio.SelectorEventLoop):
    """An event loop whose end leaves threads to `leave`; asyncio's own waits for them for ever."""

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:  # noqa: ASYNC109
        """Do nothing; `timeout` is there since Python 3.12."""


def run_to_its_end(app: App[Result]) -> Result | None:
    """Run an app; return what it returned, however busy its threads are."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        result = runner.run(app.run_async())
    # What was on its way when a person left is nobody's concern; Python would tell on the terminal.
    warnings.filterwarnings("ignore", "coroutine .* was never awaited", RuntimeWarning)
    return result


def threads_end(patience_s: float = PATIENCE_S) -> bool:
    """Wait for the threads; return whether all of them ended in time."""
    late = time.monotonic() + patience_s
    others = [one for one in threading.enumerate() if not one.daemon]
    others.remove(threading.current_thread())
    for thread in others:
        thread.join(max(0.0, late - time.monotonic()))
    return not any(thread.is_alive() for thread in others)


def leave(code: int) -> int:
    """Return the exit code, or end the process with it when threads are busy after all patience."""
    if not threads_end(0):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code
