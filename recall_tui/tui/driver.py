"""The terminal under the app: taken over from the first frame, given back when the process ends."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual.drivers.linux_driver import LinuxDriver

from recall_tui.tui import first_frame
from recall_tui.tui.columns import pinned

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.driver import Driver

ENDINGS: Final = (signal.SIGTERM, signal.SIGHUP)
"""Signals the app leaves for as if it were quit; the second of one kind kills."""


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

    def write(self, data: str) -> None:
        """Write to the terminal; the switch to the screen that is shown already would clear it."""
        if data == first_frame.ALTERNATE and first_frame.taken_over():
            return
        super().write(pinned(data))

    def _end(self, number: int) -> None:
        asyncio.get_running_loop().remove_signal_handler(number)
        self._app.exit(return_code=128 + number)


def terminal_driver() -> type[Driver] | None:
    """Return the driver for this process, None for Textual's own choice."""
    return None if sys.platform == "win32" or "TEXTUAL_DRIVER" in os.environ else TerminalDriver
