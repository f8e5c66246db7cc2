"""What reaches a terminal that draws real pixels: read by one that understands what it is told."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import struct
import termios
from typing import TYPE_CHECKING

import pytest

from recall_tui.tui.columns import pinned
from tests.terminals import Terminal
from tests.tui.kitty import PLACE, KittyTerminal
from tests.tui.test_first_frame import APP, terminal

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["terminal"]

tgp = pytest.importorskip("textual_image.renderable.tgp")

ROWS, COLUMNS = 50, 200
CELL = (10, 20)
"""Pixels of a cell."""


def resize(one: Terminal, columns: int, rows: int) -> None:
    size = struct.pack("HHHH", rows, columns, columns * CELL[0], rows * CELL[1])
    fcntl.ioctl(one.end, termios.TIOCSWINSZ, size)


class Screen:
    """The app on the demo's session that holds a picture, and what its terminal shows."""

    def __init__(self, terminal: type[Terminal]) -> None:
        self.program = terminal(*APP)
        resize(self.program, COLUMNS, ROWS)
        assert self.program.wait_for(b"newest first")
        self.knows = self._terminal(COLUMNS, ROWS)
        self.program.output = b""
        self.press(b"\x1b[B", b"Backport")
        self.press(b"\rm", b"Not read yet")

    @staticmethod
    def _terminal(columns: int, rows: int) -> KittyTerminal:
        return KittyTerminal(columns, rows, tgp._NUMBER_TO_DIACRITIC)

    def press(self, keys: bytes, until: bytes | Callable[[], bool]) -> None:
        os.write(self.program.end, keys)
        self.wait(until)

    def resize(self, columns: int, rows: int, until: Callable[[], bool]) -> None:
        self.look()
        new = self._terminal(columns, rows)
        new.pictures, new.placed = self.knows.pictures, self.knows.placed
        self.knows = new
        resize(self.program, columns, rows)
        self.program.program.send_signal(signal.SIGWINCH)
        self.wait(until)

    def wait(self, until: bytes | Callable[[], bool]) -> None:
        if isinstance(until, bytes):
            assert self.program.wait_for(until), until
            return
        for _ in range(300):
            self.program.read(0.1)
            self.look()
            if until():
                return
        raise AssertionError("never came")

    def look(self) -> None:
        """Take in what was written so far, up to a sequence that is not whole yet."""
        # What ends a sequence begins with an escape, too.
        whole = max(
            (at.start() for at in re.finditer(rb"\x1b(?=[^\\])", self.program.output)), default=0
        )
        if self.program.output.endswith(b"\x1b\\"):
            whole = len(self.program.output)  # what is written last of all, when the app is left
        if whole:
            self.knows.feed(self.program.output[:whole].decode("utf-8", "replace"))
            self.program.output = self.program.output[whole:]

    def whole(self) -> bool:
        """Whether one picture is in the terminal's memory, and all of it is on the screen."""
        shown = self.knows.shown()
        if not list(shown) == list(self.knows.pictures) == list(self.knows.placed) or not shown:
            return False
        identity, rows = shown.popitem()
        columns, height = self.knows.placed[identity]
        wanted = [[(row, column) for column in range(columns)] for row in range(height)]
        return not shown and rows == wanted and self.knows.pictures[identity].size == (
            columns * CELL[0], height * CELL[1],
        )  # fmt: skip


@pytest.fixture
def kitty(terminal, monkeypatch: pytest.MonkeyPatch) -> Screen:
    for name in ("TMUX", "STY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("KITTY_WINDOW_ID", "1")
    return Screen(terminal)


def test_a_picture_stands_whole_in_kitty_and_is_taken_back(kitty: Screen) -> None:
    kitty.press(b"\r", kitty.whole)
    first = next(iter(kitty.knows.pictures))
    assert 100 < kitty.knows.placed[first][0] <= COLUMNS
    kitty.press(b"z", lambda: not kitty.knows.shown())
    kitty.press(b"z", kitty.whole)
    kitty.resize(70, 20, kitty.whole)
    assert kitty.knows.placed[next(iter(kitty.knows.pictures))][0] <= 70
    kitty.press(b"\x1b", lambda: not kitty.knows.shown() and not kitty.knows.pictures)


def test_leaving_takes_the_picture_back(kitty: Screen) -> None:
    kitty.press(b"\r", kitty.whole)
    kitty.program.output = b""
    os.write(kitty.program.end, b"\x03")
    assert kitty.program.ended() == 0
    kitty.program.read(0.1)
    written = kitty.program.output
    assert written.count(b"\x1b_Ga=d,d=I") == 1
    assert written.index(b"\x1b_Ga=d,d=I") < written.index(b"\x1b[?1049l"), "there it belongs"
    kitty.look()
    assert not kitty.knows.pictures


def test_sixel_is_drawn_where_the_picture_belongs(
    terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECALL_IMAGES", "sixel")
    screen = Screen(terminal)
    screen.press(b"\r", lambda: bool(screen.knows.sixels))
    assert all(3 < row < ROWS and column < COLUMNS for row, column in screen.knows.sixels)
    screen.press(b"\x1b", b"newest first")
    screen.look()
    drawn = len(screen.knows.sixels)
    screen.press(b"g\x1b\x1b[A", b"Add an alert")
    screen.look()
    assert len(screen.knows.sixels) == drawn, "a closed picture is drawn no more"


@pytest.mark.parametrize("identity", [0, 129, 132, 139, 198, 255])
def test_the_marks_of_a_picture_are_no_disputed_characters(identity: int) -> None:
    numbers = tgp._NUMBER_TO_DIACRITIC
    row = "".join(
        PLACE + chr(numbers[3]) + chr(numbers[column]) + chr(numbers[identity])
        for column in range(len(numbers))
    )
    written = pinned(f"\x1b[4;2H\x1b[38;2;1;2;3m{row}\x1b[0mक्षि 👍🏽")
    screen = KittyTerminal(len(numbers) + 20, 5, numbers)
    screen.feed(written)
    expected = [(3, column) for column in range(len(numbers))]
    assert screen.shown() == {identity << 24 | 0x010203: [expected]}
