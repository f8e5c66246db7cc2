"""What Claude Code will delete soon: it removes transcripts by age, without asking."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Final

from recall_tui import clock
from recall_tui.doctor.checks import Check, Level
from recall_tui.search.sessions import under
from recall_tui.text import notation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from recall_tui.model import Session

CLEANUP_DAYS: Final = 30
"""Days after which Claude Code deletes a transcript when its settings do not say."""

LONG_DAYS: Final = 3650
"""Days from which on its transcripts count as kept (S3-75)."""

MOST_DAYS: Final = 1 << 40
"""A setting beyond is no number of days."""

SOON_DAYS: Final = 7
"""How far ahead the retention watch looks."""


def retention_checks(
    env: Mapping[str, str], home: str, sessions: Sequence[Session], now_ms: int | None = None
) -> Iterator[Check]:
    """Yield what Claude Code will delete soon, by its settings and the age of its files."""
    base = env.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")
    if not os.path.isdir(base):
        return
    file = os.path.join(base, "settings.json")
    days, said = cleanup_days(file)
    now = clock.now_ms() if now_ms is None else now_ms
    ages = [
        (now - changed) / notation.DAY_MS
        for session in sessions
        if session.harness == "claude" and under(session.path, base)
        and (changed := _changed_ms(session.path))
    ]  # fmt: skip
    soon = sum(age >= days - SOON_DAYS for age in ages)
    facts: dict[str, object] = {
        "settings": file, "days": days, "set": said, "sessions": len(ages), "soon": soon,
        "soon_days": SOON_DAYS,
    }  # fmt: skip
    rule = f"deletes transcripts after {notation.counted(days, 'day')}"
    detail = f"Claude Code {rule}{'' if said else ' (its default)'}"
    if soon:
        detail += (
            f": {notation.counted(soon, 'session')} of {len(ages):,} will go in the next "
            f"{SOON_DAYS} days; Recall keeps the text it has read"
        )
    elif ages:
        held = notation.counted(len(ages), "session")
        detail += f"; none of {held} goes in the next {SOON_DAYS} days"
    else:
        detail += "; none of its sessions is indexed"
    kept = said and days >= LONG_DAYS and not soon
    action = (
        f'set "cleanupPeriodDays": {LONG_DAYS} in {file}{", and run recall index" if soon else ""}'
    )
    yield Check(
        "retention",
        Level.OK if kept else Level.WARN,
        "claude",
        detail,
        "" if kept else action,
        facts,
    )


def cleanup_days(file: str) -> tuple[int, bool]:
    """Return (days a transcript is kept, whether the settings file says so)."""
    try:
        with open(file, encoding="utf-8", errors="replace") as stream:
            value = json.load(stream).get("cleanupPeriodDays")
    except (OSError, ValueError, AttributeError, RecursionError):
        value = None
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < MOST_DAYS:
        return int(value), True
    return CLEANUP_DAYS, False


def _changed_ms(path: str) -> int:
    """Return when a file was last written, 0 when it is gone."""
    try:
        return os.stat(path).st_mtime_ns // 1_000_000
    except OSError:
        return 0
