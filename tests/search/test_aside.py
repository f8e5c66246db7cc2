"""Work done in a child: what it yields arrives, and nothing of it is left behind."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

import pytest

from recall_tui.model import Filter
from recall_tui.search import aside as module
from recall_tui.search.aside import aside, divided
from tests.search.corpora import MemoryCorpus

ALONE, IDLE = module._alone, module._a_core_is_idle

pytestmark = [
    pytest.mark.usefixtures("forking"),
    pytest.mark.skipif(sys.platform != "linux", reason="children are for Linux only"),
]


def gone(process: int) -> bool:
    """Whether a child is not there any more, not even to be waited for."""
    try:
        os.waitpid(process, os.WNOHANG)
    except ChildProcessError:
        return True
    return False


def test_items_arrive_in_order_whatever_their_size():
    items = [os.urandom(size) for size in (1, 70_000, 3 << 20)]
    with aside(lambda _: iter(items)) as found:
        assert list(found) == items


def test_a_child_that_fails_ends_early(capfd):
    def work(_):
        yield b"one"
        raise ValueError("of the child")

    with aside(work) as found:
        assert list(found) == [b"one"]
    assert capfd.readouterr() == ("", "")


def test_a_child_that_is_killed_in_the_middle_of_an_item_ends_early():
    def work(_):
        yield str(os.getpid()).encode()
        yield bytes(8 << 20)

    with aside(work) as found:
        os.kill(int(next(found)), signal.SIGKILL)
        assert list(found) == []


def test_a_child_does_not_outlive_the_question():
    def work(_):
        yield str(os.getpid()).encode()
        time.sleep(60)

    with pytest.raises(KeyboardInterrupt), aside(work) as found:
        child = int(next(found))
        raise KeyboardInterrupt
    assert gone(child)


def test_a_child_notices_that_nobody_asks_any_more():
    """As when the process that asked was killed."""
    reading, writing = os.pipe()
    asking = os.fork()
    if not asking:
        os.close(reading)

        def work(stop):
            while not stop():
                time.sleep(0.01)
            os.write(writing, b"noticed")
            yield b""

        with aside(work):
            os.kill(os.getpid(), signal.SIGKILL)
    os.close(writing)
    os.waitpid(asking, 0)
    assert os.read(reading, 100) == b"noticed"
    os.close(reading)


@pytest.mark.parametrize("missing", ["_alone", "_a_core_is_idle"])
def test_no_child_beside_threads_nor_on_a_busy_machine(missing, monkeypatch):
    corpus = MemoryCorpus([])
    corpus.divided = True
    with divided([corpus], Filter(), lambda _: iter([b"a"])) as found:
        assert list(found) == [b"a"]
    monkeypatch.setattr(module, missing, lambda: False)
    with divided([corpus], Filter(), lambda _: iter([b"a"])) as found:
        assert found is None


def test_no_child_where_there_can_be_no_more_processes(monkeypatch):
    def fork():
        raise BlockingIOError

    monkeypatch.setattr(module.os, "fork", fork)
    with aside(lambda _: iter([b"a"])) as found:
        assert found is None


def test_a_thread_is_noticed():
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert not ALONE()
    finally:
        done.set()
        thread.join()


def test_this_process_alone_is_enough_for_one_core(monkeypatch):
    monkeypatch.setattr(module.os, "sched_getaffinity", lambda _: {0})
    assert not IDLE()
    monkeypatch.setattr(module.os, "sched_getaffinity", lambda _: range(1000))
    assert IDLE()
