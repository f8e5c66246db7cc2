"""Sums over sessions: what the statistics screen shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from recall_tui.model import SessionKind
from recall_tui.tui import notation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import tzinfo

    from recall_tui.model import Session

UNKNOWN: Final = "(not recorded)"


@dataclass(slots=True)
class Sum:
    """What some sessions hold together."""

    name: str
    sessions: int = 0
    """Main sessions; what their subagents did counts for them."""
    prompts: int = 0
    messages: int = 0
    tools: int = 0
    errors: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0

    def add(self, session: Session) -> None:
        """Count one more session."""
        self.sessions += session.kind is not SessionKind.SUBAGENT
        self.prompts += session.prompts
        self.messages += session.messages - session.copied
        self.tools += session.tool_calls
        self.errors += session.errors
        self.tokens_in += session.tokens_in
        self.tokens_out += session.tokens_out
        self.cost_usd += session.cost_usd


@dataclass(slots=True, frozen=True)
class Statistics:
    """All sums of a history."""

    total: Sum
    by: dict[str, list[Sum]]
    """`harness`, `project`, `model`: the largest first; `day`: the latest first."""
    with_tokens: int
    """Sessions whose program records tokens."""
    with_cost: int
    count: int
    """Sessions looked at, subagents included."""


def statistics(sessions: Sequence[Session], zone: tzinfo) -> Statistics:
    """Return the sums over sessions by harness, project, model and day."""
    total = Sum("all")
    for session in sessions:
        total.add(session)
    ways: dict[str, Callable[[Session], str]] = {
        "harness": lambda s: s.harness,
        "project": lambda s: s.project or UNKNOWN,
        "model": lambda s: notation.short_model(s.models) or UNKNOWN,
        "day": lambda s: notation.day_of(s.ended_ms, zone).isoformat() if s.ended_ms else UNKNOWN,
    }
    return Statistics(
        total,
        {way: _grouped(sessions, name, by_name=way == "day") for way, name in ways.items()},
        sum(bool(s.tokens_in or s.tokens_out) for s in sessions),
        sum(bool(s.cost_usd) for s in sessions),
        len(sessions),
    )


def _grouped(
    sessions: Sequence[Session], name_of: Callable[[Session], str], *, by_name: bool
) -> list[Sum]:
    sums: dict[str, Sum] = {}
    for session in sessions:
        name = name_of(session)
        sums.setdefault(name, Sum(name)).add(session)
    if by_name:
        days = sorted((one for one in sums.values() if one.name != UNKNOWN), key=lambda s: s.name)
        return [*reversed(days), *(one for one in sums.values() if one.name == UNKNOWN)]
    return sorted(sums.values(), key=lambda one: (-one.sessions, -one.messages, one.name))
