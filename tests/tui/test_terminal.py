"""A real terminal under the app: what it may send, how the app is stopped, and how it ends."""

from __future__ import annotations

import os
import signal
import termios
import time

from tests.terminals import Terminal
from tests.tui.test_first_frame import APP, terminal

__all__ = ["terminal"]

SENT = {
    "letters of another encoding": b"\xe9\xff\xfe",
    "a control of eight bits": b"\x9b31m",
    "an old mouse far to the right": b"\x1b[M\xff\xff\xff",
    "a number without end": b"\x1b[999999999999999999999A",
    "half a surrogate": b"\xed\xa0\x80",
    "a key with its kind of event": b"\x1b[57399;1:3u",
    "a key beyond Unicode": b"\x1b[99999999u",
    "a size no terminal has": b"\x1b[48;99999;99999;1;1t",
    "a size of nothing": b"\x1b[48;0;0;0;0t",
    "a mouse outside": b"\x1b[<0;0;0M\x1b[<64;-5;99999M\x1b[<999;1;1M",
    "answers nobody asked for": b"\x1b[1;1R\x1b[?1;2c\x1bP1$r0m\x1b\\\x1b]52;c;xx\x07",
    "nothing": b"\x00\x00",
}

CRASH = """
import sys
from recall_tui.tui.screens.main import MainScreen
def fail(self):
    said = "what a transcript says"
    raise ValueError(said)
MainScreen.action_cycle_order = fail
sys.argv = ["recall", "--demo"]
from recall_tui.__main__ import main
sys.exit(main())
"""

BUSY = """
import sys, threading, time
from recall_tui.tui.screens.main import MainScreen
def work(self):
    self.run_worker(lambda: time.sleep(60), thread=True)
    self.notify("at work")
MainScreen.action_cycle_order = work
sys.argv = ["recall", "--demo"]
from recall_tui.__main__ import main
sys.exit(main())
"""

DUMB = """
import os, sys
os.environ["TERM"] = "dumb"
sys.argv = ["recall", "--demo"]
from recall_tui.__main__ import main
sys.exit(main())
"""


NEVER = b"\x00 never \x00"


def opened(terminal: type[Terminal], *words: str) -> Terminal:
    one = terminal(*words or APP)
    assert one.wait_for(b"newest first")
    return one


def test_whatever_a_terminal_sends_the_box_takes_the_next_key(terminal) -> None:
    one = opened(terminal)
    for data in SENT.values():
        os.write(one.end, data)
        one.wait_for(NEVER, 0.25)
        assert one.program.poll() is None, data
    for _ in range(3):  # a click may have gone to the list
        os.write(one.end, b"\x1b")
        one.wait_for(NEVER, 0.3)
    os.write(one.end, b"\x15zqxj")
    assert one.wait_for("Nothing says “zqxj”".encode())
    os.write(one.end, b"\x03")
    assert one.ended() == 0
    assert one.in_order


def test_stopped_it_leaves_the_terminal_in_order_and_comes_back(terminal) -> None:
    one = opened(terminal)
    one.program.send_signal(signal.SIGTSTP)
    assert one.wait_for(b"[?1049l")
    deadline = time.monotonic() + 10
    while not termios.tcgetattr(one.end)[3] & termios.ECHO and time.monotonic() < deadline:
        one.wait_for(NEVER, 0.05)
    assert termios.tcgetattr(one.end)[3] & termios.ECHO, "an editor or a shell finds it as it was"
    assert termios.tcgetattr(one.end)[3] & termios.ICANON
    one.wait_for(NEVER, 0.3)
    one.output = b""
    one.program.send_signal(signal.SIGCONT)
    assert one.wait_for(b"newest first"), "everything is drawn anew"
    os.write(one.end, b"\x03")
    assert one.ended() == 0


def test_a_fault_ends_in_a_sentence_on_the_usual_screen(terminal) -> None:
    one = opened(terminal, "-c", CRASH)
    os.write(one.end, b"\x1bo")
    assert one.ended() == 3
    assert one.in_order
    said = one.output[one.output.rfind(b"[?1049l") :]
    assert b"a fault of Recall itself: ValueError" in said
    assert b"what a transcript says" not in said


def test_it_ends_though_a_thread_does_not(terminal) -> None:
    one = opened(terminal, "-c", BUSY)
    os.write(one.end, b"\x1bo")
    assert one.wait_for(b"at work")
    started = time.monotonic()
    os.write(one.end, b"\x03")
    assert one.ended() == 0
    assert time.monotonic() - started < 20, "the thread sleeps for a minute"
    assert one.in_order
    assert b"Traceback" not in one.output and b"Warning" not in one.output


def test_a_terminal_that_cannot_move_its_cursor_is_told(terminal) -> None:
    one = terminal("-c", DUMB)
    assert one.ended() == 2
    assert b"TERM=dumb" in one.output
    assert b"[?1049h" not in one.output
