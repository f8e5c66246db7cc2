"""Thirty days at a glance: how many sessions each day had."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from recall_tui.tui import notation
from recall_tui.tui.ink import Inked
from recall_tui.tui.lines import Line, justified

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import tzinfo

    from textual.strip import Strip

    from recall_tui.model import Session

DAYS: Final = 30


class Activity(Inked):
    """A bar a day, today at the right, over a line that names the busiest."""

    ALLOW_SELECT = False

    def __init__(self, now_ms: Callable[[], int], zone: tzinfo, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._now_ms = now_ms
        self._zone = zone
        self._counts: list[int] = []
        """Empty until sessions were counted: none so far is not none at all."""

    def show(self, sessions: Sequence[Session]) -> None:
        """Count sessions by the day they were last written to.

        Args:
            sessions: Newest first.
        """
        today = notation.day_of(self._now_ms(), self._zone)
        counts = [0] * DAYS
        for session in sessions:
            ago = (today - notation.day_of(session.ended_ms, self._zone)).days
            if ago >= DAYS:
                break
            counts[DAYS - 1 - max(0, ago)] += 1
        if counts != self._counts:
            self._counts = counts
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """Return the bars, then their words."""
        width = self.size.width
        if not self._counts:
            return self.blank(width)
        row = [(" ", ""), *notation.bars(self._counts, "accent", cells=(width - 2) // DAYS or 1)]
        line = Line(tuple(row)) if y == 0 else Line(justified(*self._words(), width))
        return self.strip(line, width) if y < 2 else self.blank(width)

    def _words(self) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        total, most = sum(self._counts), max(self._counts)
        left = [(f" {notation.counted(total, 'session')} in {DAYS} days", "muted")]
        if not most:
            return left, []
        today = notation.day_of(self._now_ms(), self._zone)
        busiest = today - timedelta(days=DAYS - 1 - self._counts.index(most))
        day = f"on {busiest:%a} {busiest.day} {busiest:%b}"
        return left, [(f"{most} {'today' if busiest == today else day} ", "dim")]
