"""How a fact is written in a cell: ages, clock times, sizes, counts, the mark of a harness."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Final

from recall_tui.errors import ConfigError
from recall_tui.harnesses import registry
from recall_tui.text.notation import (
    DAY_MS,
    HOUR_MS,
    MINUTE_MS,
    SPEAKERS,
    age,
    age_words,
    clock,
    counted,
    duration,
    short_path,
    size,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import tzinfo

__all__ = [
    "DAY_MS", "HOUR_MS", "MINUTE_MS", "SPEAKERS", "age", "age_words", "bars", "clock", "counted",
    "day_of", "day_words", "duration", "mark", "mark_ink", "short_model",
    "short_path", "size", "span",
]  # fmt: skip

HUED: Final = frozenset({"claude", "codex", "pi", "opencode", "gemini", "copilot"})
"""Harnesses with a hue of their own. Each is known by two letters too, never by a hue alone."""


def mark(harness: str) -> str:
    """Return the two letters of a harness."""
    try:
        return registry.get(harness).mark
    except ConfigError:
        return harness[:2].lower() or "??"


def mark_ink(harness: str) -> str:
    """Return the ink of a harness's mark."""
    return f"harness-{harness}" if harness in HUED else "harness-other"


def day_of(time_ms: int, zone: tzinfo) -> date:
    """Return the day of a time in a zone."""
    return datetime.fromtimestamp(max(0, time_ms) / 1000, zone).date()


def day_words(day: date, today: date) -> str:
    """Return `Today`, `Yesterday`, `Wednesday 25 November`, with the year when it is another."""
    if day.year <= 1970:
        return "Unknown day"
    if day == today:
        return "Today"
    if day == today - timedelta(days=1):
        return "Yesterday"
    words = f"{day:%A} {day.day} {day:%B}"
    return words if day.year == today.year else f"{words} {day.year}"


def span(milliseconds: int) -> str:
    """Return a stretch of time in words: `3 s`, `5 min`, `2 h`, `4 days`."""
    seconds = max(0, milliseconds) // 1000
    if seconds < 120:
        return f"{seconds} s"
    if seconds < 7200:
        return f"{seconds // 60} min"
    return f"{seconds // 3600} h" if seconds < 172_800 else f"{seconds // 86_400} days"


_BARS: Final = "▁▂▃▄▅▆▇█"


def bars(
    counts: Sequence[int], ink: str, *, cells: int = 1, least: int = 1
) -> list[tuple[str, str]]:
    """Return counts as bars one row high, in inks: the highest is the largest, 0 is a dot.

    Args:
        counts: What to draw, in order.
        ink: Of the bars.
        cells: Width of a bar.
        least: Count that a bar of full height stands for at least.
    """
    most = max(least, *counts)
    return [
        (_BARS[(len(_BARS) - 1) * count // most] * cells, ink)
        if count
        else ("·" + " " * (cells - 1), "rule")
        for count in counts
    ]


def short_model(models: tuple[str, ...]) -> str:
    """Return the first model's name, without a trailing release date."""
    if not models:
        return ""
    head, _, tail = models[0].rpartition("-")
    return head if head and len(tail) == 8 and tail.isdigit() else models[0]
