"""What a person is told when there is no history at all: what was looked for, where, what next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recall_tui.cli import diagnostics
from recall_tui.model import GapKind
from recall_tui.text import notation

if TYPE_CHECKING:
    from recall_tui.cli.call import Call
    from recall_tui.model import Reach


def explain_nowhere(reach: Reach, call: Call) -> None:
    """Print where was looked when an answer is empty because there is nothing to search."""
    if reach.sessions_total or not any(gap.kind is GapKind.NO_SOURCES for gap in reach.gaps):
        return
    from recall_tui.doctor import places

    screen = diagnostics.err()
    screen.line()
    screen.line(("No sessions found. Looked for", "title"))
    for place in places(call.env, call.home, call.sources):
        state = "nothing in it" if place.exists else "not there"
        screen.line(
            f"  {place.name:14} ",
            notation.short_path(place.path, call.home),
            (f"  {state}", "muted"),
        )
    screen.line(("Try", "title"))
    screen.line(
        "  recall --demo                 ", ("a made-up history to look around in", "muted")
    )
    screen.line("  recall --source PATH          ", ("sessions that lie elsewhere", "muted"))
    screen.line("  recall doctor                 ", ("what was found, line by line", "muted"))
