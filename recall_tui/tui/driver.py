"""The terminal under the app: taken over from the first frame, given back when the process ends."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from typing import TYPE_CHECKING, Final

from textual.drivers.linux_driver import LinuxDriver

from recall_tui.tui import first_frame

if TYPE_CHECKING:
    from textual.driver import Driver

ENDINGS: Final = (signal.SIGTERM, signal.SIGHUP)
"""Signals the app leaves for as if it were quit; the second of one kind kills."""


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
        super().write(data)

    def _end(self, number: int) -> None:
        asyncio.get_running_loop().remove_signal_handler(number)
        self._app.exit(return_code=128 + number)


def terminal_driver() -> type[Driver] | None:
    """Return the driver for this process, None for Textual's own choice."""
    return None if sys.platform == "win32" or "TEXTUAL_DRIVER" in os.environ else TerminalDriver
