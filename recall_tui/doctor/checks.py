"""What was looked at, and how it came out: checks as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class Level(StrEnum):
    """How a check came out."""

    OK = "ok"
    NOTE = "note"
    """Worth knowing, nothing to do."""
    WARN = "warn"
    """Something will be missing or lost; the action says what helps."""
    FAIL = "fail"
    """Recall cannot work: a hard failure."""


@dataclass(slots=True, frozen=True)
class Check:
    """One thing that was looked at."""

    section: str
    """privacy | sources | damage | index | retention | machine | terminal"""
    level: Level
    name: str
    detail: str
    """One line for a person."""
    action: str = ""
    """The next step as words or a command, empty when there is none."""
    facts: dict[str, object] = field(default_factory=dict)
    """The same as values, for programs."""


def worst(checks: Sequence[Check]) -> Level:
    """Return the most serious level among checks."""
    order = list(Level)
    return max((check.level for check in checks), key=order.index, default=Level.OK)
