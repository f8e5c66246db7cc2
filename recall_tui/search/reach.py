"""How far an answer reached, in numbers, in words, and as an exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recall_tui.errors import ExitCode
from recall_tui.model import Filter, Gap, GapKind, Reach

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recall_tui.model import Session
    from recall_tui.search.ports import Corpus


def reached(corpora: Iterable[tuple[Corpus, Sequence[Session]]], chosen: Filter) -> Reach:
    """Return the reach of a search that read these sessions, with the gaps of their corpora.

    Args:
        corpora: Each corpus with the sessions that its filter admitted.
        chosen: The filter, echoed back. Sessions it left out are a gap, but not a partial one.
    """
    reach = Reach(since_ms=chosen.since_ms, until_ms=chosen.until_ms)
    names: list[str] = []
    for corpus, sessions in corpora:
        names.append(corpus.name)
        reach.sessions_searched += len(sessions)
        reach.sessions_total += len(sessions if chosen == Filter() else corpus.sessions(Filter()))
        reach.messages_searched += sum(s.messages for s in sessions)
        reach.sources += len({s.root for s in sessions})
        begun = min((s.started_ms for s in sessions if s.started_ms), default=0)
        if begun and (not reach.oldest_ms or begun < reach.oldest_ms):
            reach.oldest_ms = begun
        reach.newest_ms = max(reach.newest_ms, max((s.ended_ms for s in sessions), default=0))
        reach.add(corpus.gaps(chosen))
    if names:
        reach.path = names[0] if len(set(names)) == 1 else "mixed"
    left_out = reach.sessions_total - reach.sessions_searched
    if left_out > 0:
        rules = ", ".join(rules_of(chosen))
        reach.add([Gap(GapKind.FILTERED, left_out, f"session left out by {rules}")])
    return reach


def rules_of(chosen: Filter) -> list[str]:
    """Return the names of the filters that are set and can leave a session out."""
    named = {
        "harness": chosen.harnesses,
        "source": chosen.roots,
        "cwd": chosen.cwd,
        "branch": chosen.branch,
        "model": chosen.model,
        "session": chosen.sessions,
        "since": chosen.since_ms is not None,
        "until": chosen.until_ms is not None,
        "mains only": chosen.mains_only,
    }
    return [name for name, is_set in named.items() if is_set]


def exit_code(reach: Reach, *, found: bool) -> ExitCode:
    """Return how a search ends: found, nothing anywhere, or nothing in the part searched (Q1)."""
    if found:
        return ExitCode.FOUND
    return ExitCode.NOTHING if reach.complete else ExitCode.PARTIAL


def sentence(gap: Gap) -> str:
    """Return a gap as one line for a person: how many, what, and the next action."""
    counted = f"{gap.count:,} × {gap.detail}" if gap.count > 1 else gap.detail
    return f"{counted} → {gap.action}" if gap.action else counted
