"""Work done aside, in a forked child: the one way in which two cores scan twice as fast.

Threads do not: between two `find`s they wait for the interpreter, and for each other's memory. A
child needs no start and no copy of the question; it reads the index through connections of its
own, and answers through a pipe. Whoever asks must be able to do without it: where it cannot be
started, or dies, its work is done here.
"""

from __future__ import annotations

import gc
import os
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Final, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from recall_tui.model import Filter
    from recall_tui.search.ports import Corpus, Stop

_SIZE: Final = 8
"""Bytes that say how long the item behind them is."""

_KILL: Final = 9
"""SIGKILL, without the enumerations that `signal` makes at its import."""


def divided(
    corpora: Sequence[Corpus], chosen: Filter, work: Callable[[Stop], Iterator[bytes]]
) -> AbstractContextManager[Iterator[bytes] | None]:
    """Start some work in a child, as `aside` does, if that is possible and worth it.

    It is not where this process has other threads, whose locks a fork would copy, where no core is
    idle, or the corpora are small.
    """
    if corpora and may_fork() and all(corpus.divisible(chosen) for corpus in corpora):
        return aside(work)
    return nullcontext()


@contextmanager
def aside(work: Callable[[Stop], Iterator[bytes]]) -> Iterator[Iterator[bytes] | None]:
    """Start some work in a child, hand out what it yields, and end the child.

    It must not use a file, a connection or a lock that is open here: a fork copies none of them.

    Args:
        work: Given what to ask, now and then, whether this process is gone. Whatever it yields must
            hold something.

    Returns:
        The items as they come; they end early if the child fails. None when there is no child.
    """
    here = os.getpid()
    reading, writing = os.pipe()
    try:
        child = os.fork()
    except OSError:  # no more processes, or memory for one
        child = -1
    if not child:
        _be_child(work, lambda: os.getppid() != here, reading, writing)
    os.close(writing)
    try:
        yield _items(reading) if child > 0 else None
    finally:
        os.close(reading)
        if child > 0:
            with suppress(OSError):
                os.kill(child, _KILL)
                os.waitpid(child, 0)


def may_fork() -> bool:
    """Return whether this process has one thread, and a core is idle."""
    try:
        return _alone() and _a_core_is_idle()
    except (AttributeError, OSError):  # not on Linux
        return False


def _alone() -> bool:
    """Whether this process has one thread."""
    return len(os.listdir("/proc/self/task")) == 1


def _a_core_is_idle() -> bool:
    """Whether fewer processes want to run, this one included, than there are cores for it.

    Beside others two halves take a fourth more time than the whole.
    """
    with open("/proc/loadavg", "rb") as file:
        running, _, _ = file.read().split()[3].partition(b"/")
    return int(running) < len(os.sched_getaffinity(0))


def _be_child(
    work: Callable[[Stop], Iterator[bytes]], stop: Stop, reading: int, writing: int
) -> NoReturn:
    """Write what the work yields and end, whatever happens: the parent's code must not go on."""
    try:
        os.close(reading)
        gc.disable()  # what the parent left to be collected is the parent's to close
        for item in work(stop):
            data = len(item).to_bytes(_SIZE, "little") + item
            while data:
                data = data[os.write(writing, data) :]
    finally:
        os._exit(0)


def _items(reading: int) -> Iterator[bytes]:
    while size := _read(reading, _SIZE):
        item = _read(reading, int.from_bytes(size, "little"))
        if not item:
            return
        yield item


def _read(reading: int, size: int) -> bytes:
    """Return so many bytes, or nothing when the pipe ends before."""
    parts = []
    while size:
        part = os.read(reading, size)
        if not part:
            return b""
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
