"""The background sync: a child process that keeps the index live while the app is open."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import TYPE_CHECKING, Final

from recall_tui.errors import ExitCode
from recall_tui.store.sync.progress import SyncProgress

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_BUSY: Final = "lock"
"""Word in the child's last words when another process keeps the index live."""

_ANSWERED: Final = frozenset({ExitCode.NOTHING, ExitCode.PARTIAL})
"""How a sync ends that read all it could, when it has no more to say."""

_STOP_S: Final = 1.0
_LAST_WORDS: Final = 2000
_LINE_LIMIT: Final = 1 << 20


class SyncChild:
    """One `recall index --json --quiet`, with `--watch` for as long as the app is open.

    Args:
        argv: The command; empty: no child at all.
        report: Called with each line of progress, on the event loop.
    """

    def __init__(self, argv: Sequence[str], report: Callable[[SyncProgress], None]) -> None:
        self._argv = argv
        self._report = report
        self._process: asyncio.subprocess.Process | None = None
        self.busy = False
        """Another process was writing the index."""

    @property
    def running(self) -> bool:
        """Whether the child lives."""
        return self._process is not None and self._process.returncode is None

    async def run(self) -> str:
        """Run the child to its end; return why it ended, empty when another keeps the index live.

        Cancelling the task ends the child.
        """
        if not self._argv:
            return ""
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._argv,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                limit=_LINE_LIMIT,
            )
        except OSError as error:
            return error.strerror or str(error)
        try:
            words, _ = await asyncio.gather(self._last_words(), self._read())
            status = await self._process.wait()
        except asyncio.CancelledError:
            await self._stop()
            raise
        self.busy = status != 0 and _BUSY in words.lower()
        said = told(words)
        if status == 0 or self.busy or (status in _ANSWERED and not said):
            return ""
        return said or f"sync ended with {status}"

    async def _read(self) -> None:
        """Report every line of JSON; anything else is passed over."""
        stream = self._process.stdout if self._process else None
        while stream is not None:
            try:
                line = await stream.readline()
            except ValueError:
                # A line beyond the limit: nothing of ours.
                continue
            if not line:
                return
            if (progress := progress_of(line)) is not None:
                self._report(progress)

    async def _last_words(self) -> str:
        """Read the child's stderr to its end; return the tail of it."""
        stream = self._process.stderr if self._process else None
        tail = b""
        while stream is not None and (part := await stream.read(4096)):
            tail = (tail + part)[-_LAST_WORDS:]
        return tail.decode("utf-8", "replace")

    async def _stop(self) -> None:
        """End the child: politely first."""
        process = self._process
        if process is None or process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        try:
            await asyncio.wait_for(process.wait(), _STOP_S)
        except (TimeoutError, asyncio.CancelledError):
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            # Of a child that the loop does not see ending, Python complains on the terminal.
            await process.wait()


def told(words: str) -> str:
    """Return in one line what a command said last: the mistake, and below it what helps."""
    lines = words.strip().splitlines()
    begins = [row for row, line in enumerate(lines) if not line.startswith(" ")]
    last = (
        [line.strip().removeprefix("recall:").strip() for line in lines[begins[-1] :]]
        if begins
        else []
    )
    return " · ".join(filter(None, last))


def progress_of(line: bytes) -> SyncProgress | None:
    """Return the progress a line of the child's output tells, None when it tells none."""
    try:
        value = json.loads(line)
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    files = value.get("files")
    flat = {**value, **files} if isinstance(files, dict) else value
    known = SyncProgress.__slots__
    wanted = {name: flat[name] for name in known if isinstance(flat.get(name), (int, float))}
    return SyncProgress(**wanted) if wanted else None
