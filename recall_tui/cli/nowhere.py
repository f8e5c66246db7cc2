"""How far an answer reached; with no history at all: what was looked for, where, what next."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from recall_tui.cli import diagnostics
from recall_tui.model import Filter, GapKind
from recall_tui.text import notation

if TYPE_CHECKING:
    from recall_tui.cli.call import Call
    from recall_tui.history import History
    from recall_tui.model import Reach, Session


def say_how_far(reach: Reach, history: History, call: Call) -> None:
    """Print how far an answer reached; where there is nothing to search, where was looked."""
    if reach.sessions_total:
        diagnostics.say_reach(reach, call.zone())
    else:
        _explain(reach, history, call)


def of_session(history: History, session: Session) -> Reach:
    """Return how far an answer about one session reaches: what of it is damaged or gone."""
    reach = history.reach(Filter(sessions=(session.key,)))
    reach.gaps = [gap for gap in reach.gaps if gap.kind is not GapKind.FILTERED]
    return reach


def _explain(reach: Reach, history: History, call: Call) -> None:
    screen = diagnostics.err()
    # With nothing to search it says nothing that a word was found nowhere.
    diagnostics.say_gaps(
        gap
        for gap in reach.gaps
        if gap.kind is GapKind.EXCLUDED or (gap.partial and gap.kind is not GapKind.NO_SOURCES)
    )
    if any(gap.kind is GapKind.EXCLUDED for gap in reach.gaps):
        screen.line(("All sessions there are were left out, so none was searched.", "title"))
        return
    screen.line(("No sessions found. Looked for", "title"))
    for harness, root in history.places:
        state = "no session in it" if os.path.exists(root) else "not there"
        folder = notation.short_path(root, call.home)
        screen.line(f"  {harness.name:14} ", folder, (f"  {state}", "muted"))
    screen.line(("Try", "title"))
    screen.line(
        "  recall --demo                 ", ("a made-up history to look around in", "muted")
    )
    screen.line("  recall --source PATH          ", ("sessions that lie elsewhere", "muted"))
    screen.line("  recall doctor                 ", ("what was found, line by line", "muted"))
