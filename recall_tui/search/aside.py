"""Work done aside, in a forked child: the one way in which two cores scan twice as fast.

Threads do not: between two `find`s they wait for the interpreter, and for each other's memory. A
child needs no start and no copy of the question; it reads the index through connections of its
own, and answers through a pipe. Whoever asks must be able to do without it: where it cannot be
started, or dies, its work is done here.
"""

from __future__ import annotations

import gc
import os
import pickle  # noqa: TID251 - what a child of ours writes, and nobody else can reach
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from recall_tui.search.ports import Stop

T = TypeVar("T")

_SIZE: Final = 8
"""Bytes that say how long the item behind them is."""

_KILL: Final = 9
"""SIGKILL, without the enumerations that `signal` makes at its import."""


@contextmanager
def aside(work: Callable[[Stop], Iterator[T]]) -> Iterator[Iterator[T] | None]:
    """Start some work in a child, hand out what it yields, and end the child.

    It must not use a file, a connection or a lock that is open here: a fork copies none of them.

    Args:
        work: Given what to ask, now and then, whether this process is gone.

    Returns:
        The items as they come; they end early if the child fails. None when there is no child:
        this process has other threads, whose locks a fork would copy, or the machine has one core.
    """
    here = os.getpid()
    reading, writing = os.pipe()
    child = _fork()
    if child == 0:
        _be_child(work, lambda: os.getppid() != here, reading, writing)
    os.close(writing)
    try:
        yield _items(reading) if child else None
    finally:
        os.close(reading)
        if child:
            with suppress(OSError):
                os.kill(child, _KILL)
                os.waitpid(child, 0)


def _fork() -> int | None:
    """Return the id of a new child, 0 in it, None where there can be none."""
    try:
        if len(os.sched_getaffinity(0)) > 1 and len(os.listdir("/proc/self/task")) == 1:
            return os.fork()
    except (AttributeError, OSError):  # not on Linux; no more processes or memory
        pass
    return None


def _be_child(work: Callable[[Stop], Iterator[T]], stop: Stop, reading: int, writing: int) -> None:
    """Write what the work yields and end, whatever happens: the parent's code must not go on."""
    try:
        os.close(reading)
        gc.disable()  # what the parent left to be collected is the parent's to close
        for item in work(stop):
            data = pickle.dumps(item, -1)
            data = len(data).to_bytes(_SIZE, "little") + data
            while data:
                data = data[os.write(writing, data) :]
    finally:
        os._exit(0)


def _items(reading: int) -> Iterator[T]:
    while size := _read(reading, _SIZE):
        data = _read(reading, int.from_bytes(size, "little"))
        if not data:
            return
        yield pickle.loads(data)  # noqa: S301 - our own child wrote it


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
