"""How a fact is written for a person: ages, clock times, sizes, counts, paths, speakers.

The fronts share these words, so that a session reads the same in the app and on the command line.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

from recall_tui.model import Kind

if TYPE_CHECKING:
    from datetime import tzinfo

MINUTE_MS: Final = 60_000
HOUR_MS: Final = 60 * MINUTE_MS
DAY_MS: Final = 24 * HOUR_MS

SPEAKERS: Final = {
    Kind.PROMPT: "you",
    Kind.INJECTED: "injected",
    Kind.DELEGATION: "parent",
    Kind.ANSWER: "agent",
    Kind.TOOL_CALL: "tool",
    Kind.TOOL_RESULT: "output",
    Kind.SUMMARY: "summary",
    Kind.NOTICE: "notice",
}
"""Who speaks, in one word of at most eight cells."""


def age(time_ms: int, now_ms: int) -> str:
    """Return how long ago, in at most four cells: `now`, `5m`, `3h`, `2d`, `6w`, `2y`.

    Empty for an unknown time.
    """
    if time_ms <= 0:
        return ""
    past = max(0, now_ms - time_ms)
    if past < MINUTE_MS:
        return "now"
    if past < HOUR_MS:
        return f"{past // MINUTE_MS}m"
    if past < DAY_MS:
        return f"{past // HOUR_MS}h"
    days = past // DAY_MS
    if days < 14:
        return f"{days}d"
    return f"{days // 7}w" if days < 365 else f"{days // 365}y"


def age_words(time_ms: int, now_ms: int) -> str:
    """Return how long ago in words: `3 hours ago`, `just now`, `at an unknown time`."""
    short = age(time_ms, now_ms)
    if not short or short == "now":
        return "just now" if short else "at an unknown time"
    units = {"m": "minute", "h": "hour", "d": "day", "w": "week", "y": "year"}
    return f"{counted(int(short[:-1]), units[short[-1]])} ago"


def clock(time_ms: int, zone: tzinfo) -> str:
    """Return `14:02`, or five spaces for an unknown time."""
    return datetime.fromtimestamp(time_ms / 1000, zone).strftime("%H:%M") if time_ms else " " * 5


def day(time_ms: int, zone: tzinfo) -> str:
    """Return `2026-11-30`, empty for an unknown time."""
    return datetime.fromtimestamp(time_ms / 1000, zone).strftime("%Y-%m-%d") if time_ms else ""


def moment(time_ms: int, zone: tzinfo) -> str:
    """Return `2026-11-30 14:02 +01:00`, empty for an unknown time."""
    if not time_ms:
        return ""
    when = datetime.fromtimestamp(time_ms / 1000, zone)
    return f"{when:%Y-%m-%d %H:%M} {offset(when)}"


def offset(when: datetime) -> str:
    """Return the zone of a moment as it is written behind a time: `UTC`, `+01:00`."""
    text = when.strftime("%z")
    return "UTC" if text in ("+0000", "") else f"{text[:3]}:{text[3:5]}"


def size(count: int) -> str:
    """Return a byte count: `812 B`, `4.1 KB`, `31 KB`, `2.8 GB`."""
    if count < 1000:
        return f"{count} B"
    value = float(count)
    for unit in ("KB", "MB", "GB"):
        value /= 1000
        if value < 999.5 or unit == "GB":
            break
    return f"{value:.1f} {unit}" if value < 9.95 else f"{value:.0f} {unit}"


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: `1 hit`, `2,143 sessions`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def duration(milliseconds: float) -> str:
    """Return how long something took: `40ms`, `1.2s`, `3s`, `3m`, `2h05m`; empty for 0."""
    if milliseconds <= 0:
        return ""
    if milliseconds < 999.5:
        return f"{milliseconds:.0f}ms"
    seconds = milliseconds / 1000
    if seconds < 59.95:
        return f"{seconds:.1f}".removesuffix(".0") + "s" if seconds < 9.95 else f"{seconds:.0f}s"
    minutes = round(seconds / 60)
    return f"{minutes}m" if minutes < 60 else f"{minutes // 60}h{minutes % 60:02d}m"


def short_path(path: str, home: str) -> str:
    """Return a path with the home directory as `~`."""
    return f"~{path[len(home) :]}" if home and (path + "/").startswith(home + "/") else path
