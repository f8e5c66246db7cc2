"""The terminal under the app: taken over from the first frame, given back when the process ends."""

from __future__ import annotations

import asyncio
import os
import selectors
import signal
import sys
from codecs import getincrementaldecoder
from itertools import chain
from typing import TYPE_CHECKING, Final, cast

from textual import events
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

from recall_tui.named import NamedTuple
from recall_tui.tui import first_frame, graphics
from recall_tui.tui.columns import pinned

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.driver import Driver
    from textual.message import Message

ENDINGS: Final = (signal.SIGTERM, signal.SIGHUP)
"""Signals the app leaves for as if it were quit; the second of one kind kills."""

_READ_BYTES: Final = 4096
_TICK_S: Final = 0.1
"""After this a lone escape is a key, and the end of the app is noticed."""

_MOST_CELLS: Final = 1_000_000
"""Cells of a terminal; a report of more is a mistake, and drawing it would take minutes."""


class _AltKey(NamedTuple):
    """Stands in Textual's table for a key its enumeration does not know."""

    value: str


def learn(keys: Iterable[str]) -> None:
    """Tell Textual's parser what alt and a letter send.

    It guesses otherwise, after a tenth of a second, and gives the key the letter as its character,
    which a box then types; of two in one burst it makes `^` and letters.

    Args:
        keys: The keys in force; those that are not `alt+` and one letter are passed over.
    """
    table = cast("dict[str, object]", ANSI_SEQUENCES_KEYS)
    for key in keys:
        if len(key) == len("alt+x") and key.startswith("alt+"):
            table.setdefault(f"\x1b{key[-1]}", (_AltKey(key),))


class TerminalDriver(LinuxDriver):
    """Textual's driver, on a screen that may hold the first frame already."""

    def start_application_mode(self) -> None:
        """Take the terminal, and leave it in order when somebody ends the process."""
        loop = asyncio.get_running_loop()
        for number in ENDINGS:
            loop.add_signal_handler(number, self._end, number)
        super().start_application_mode()  # type: ignore[no-untyped-call]
        # What an editor or a stopped app leaves behind is the terminal as the shell had it.
        self.attrs_before = first_frame.found() or self.attrs_before

    def stop_application_mode(self) -> None:
        """Give the terminal back; at the end of the app without the pictures it holds."""
        if self._app._exit:  # a stopped app comes back to them
            self.write(graphics.last_words())
        super().stop_application_mode()

    def write(self, data: str) -> None:
        """Write to the terminal; the switch to the screen that is shown already would clear it."""
        if data == first_frame.ALTERNATE and first_frame.taken_over():
            return
        super().write(pinned(data))

    def run_input_thread(self) -> None:
        """Turn what the terminal sends into events, whatever it sends.

        Textual's own loop ends the app over a byte that is no UTF-8 (a keyboard in Latin-1) and
        over a report it cannot parse, and spins when the terminal is gone.
        """
        decode = getincrementaldecoder("utf-8")("replace").decode
        parser = XTermParser(self._debug)
        with selectors.DefaultSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                try:
                    data = os.read(self.fileno, _READ_BYTES) if selector.select(_TICK_S) else None
                    if data == b"":
                        raise EOFError
                except (OSError, EOFError):
                    self._app.call_later(self._app.exit)
                    return
                text = decode(data) if data else ""  # "" would be the end for the parser
                try:
                    for event in chain(parser.feed(text) if text else (), parser.tick()):
                        self.process_message(event)
                except Exception:  # a parser of what anybody may send may raise anything
                    parser = XTermParser(self._debug)

    def process_message(self, message: Message) -> None:
        """Hand an event on, unless it says that the terminal is larger than any is, or nothing."""
        if isinstance(message, events.Resize) and not 0 < message.size.area <= _MOST_CELLS:
            return
        super().process_message(message)

    def _end(self, number: int) -> None:
        asyncio.get_running_loop().remove_signal_handler(number)
        self._app.exit(return_code=128 + number)


def terminal_driver() -> type[Driver] | None:
    """Return the driver for this process, None for Textual's own choice."""
    return None if sys.platform == "win32" or "TEXTUAL_DRIVER" in os.environ else TerminalDriver
