"""How far a long piece of work is, while it lasts."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, Self

from recall_tui.cli import diagnostics
from recall_tui.text import notation
from recall_tui.text.cut import cut_cells

if TYPE_CHECKING:
    from recall_tui.cli.screen import Screen
    from recall_tui.history import History
    from recall_tui.store.sync.progress import SyncProgress

BAR_CELLS: Final = 20
REDRAW_S: Final = 0.1
"""Ten times a second is as often as an eye follows a number."""


def catch_up(history: History, *, silent: bool) -> None:
    """Read into the index what changed since it was made, with a progress line.

    What cannot be read is a gap of the answer that follows.
    """
    with Bar(silent=silent) as bar:
        history.catch_up(on_progress=bar.show)


class Bar:
    """A progress line on stderr, when that is a terminal: redrawn in place, gone when done."""

    def __init__(self, screen: Screen | None = None, *, silent: bool = False) -> None:
        self._screen = screen or diagnostics.err()
        self._silent = silent or not self._screen.terminal
        self._drawn = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the line."""
        if self._drawn:
            self._screen.write("\r\x1b[2K")
            self._screen.flush()

    def show(self, state: SyncProgress) -> None:
        """Draw where the sync stands, unless that was just done."""
        now = time.monotonic()
        if self._silent or now - self._drawn < REDRAW_S:
            return
        self._drawn = now
        self._screen.write(f"\r\x1b[2K{cut_cells(bar_words(state), self._screen.width - 1)}")
        self._screen.flush()


def bar_words(state: SyncProgress) -> str:
    """Return the progress line: a bar, bytes, rate and time left, messages."""
    total = max(state.bytes_total, state.bytes_done, 1)
    filled = round(BAR_CELLS * state.bytes_done / total)
    words = f"{'━' * filled}{'─' * (BAR_CELLS - filled)} "
    words += f"{notation.size(state.bytes_done)} of {notation.size(total)}"
    if state.messages:
        words += f" · {notation.counted(state.messages, 'message')}"
    if state.seconds > 0.5 and state.bytes_done:
        rate = state.bytes_done / state.seconds
        left = (total - state.bytes_done) / rate
        words += f" · {notation.size(int(rate))}/s"
        if left >= 1:
            words += f" · {notation.duration(left * 1000)} left"
    return words
