"""Freed memory is used again: counted in page faults, which no load on the machine changes."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

CODE = """
import resource
from recall_tui.store.memory import keep_freed
{first}
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(100):
    blocks = [b"x" * 100_000 for _ in range(20)]
    del blocks
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(first: str) -> int:
    """Page faults of a hundred times 2 MB in a fresh process."""
    run = subprocess.run(
        [sys.executable, "-c", CODE.format(first=first)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return int(run.stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other allocators decide otherwise")
def test_blocks_are_not_faulted_in_anew() -> None:
    assert faults("keep_freed()") < 2000 < faults("")


HELD = """
from recall_tui.store.memory import give_back, keep_freed

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1])

keep_freed()
blocks, last = [bytearray(60_000) for _ in range(500)], bytearray(60_000)
del blocks
before = resident()
give_back()
print(before - resident())
"""


LINUX = pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc" or not sys.platform.startswith("linux"),
    reason="other allocators decide otherwise",
)


@LINUX
def test_what_was_freed_goes_back_when_asked_for() -> None:
    run = subprocess.run([sys.executable, "-c", HELD], capture_output=True, text=True, check=True)
    assert int(run.stdout) > 3000, "pages: most of 30 MB"


LONG = """
import threading
from recall_tui.store.memory import bound_freed, give_back

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1])

def read_a_long_line():
    for _ in range(3):
        bytearray(20 << 20)

{first}
before = resident()
thread = threading.Thread(target=read_a_long_line)
thread.start()
thread.join()
give_back()
print(resident() - before)
"""


@LINUX
def test_a_long_line_does_not_stay_with_the_thread_that_read_it() -> None:
    def kept(first: str) -> int:
        code = LONG.format(first=first)
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
        return int(run.stdout)

    assert kept("bound_freed()") < 1000 < kept(""), "pages: 20 MB are 5000"
