"""How far an answer reached, in numbers, in words, and as an exit code."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from recall_tui.clock import to_iso
from recall_tui.errors import ExitCode
from recall_tui.model import Coverage, Filter, Gap, GapKind, Reach
from recall_tui.text.notation import counted
from recall_tui.text.safe import hide

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recall_tui.model import Session
    from recall_tui.search.ports import Corpus


def reached(corpora: Iterable[Corpus], chosen: Filter) -> Reach:
    """Return the reach of a search through some corpora, with the gaps they know of.

    Args:
        corpora: What was searched.
        chosen: The filter, echoed back. Sessions it left out are a gap, but not a partial one.
    """
    reach = Reach(since_ms=chosen.since_ms, until_ms=chosen.until_ms)
    names: list[str] = []
    for corpus in corpora:
        held = corpus.coverage(chosen)
        names.append(corpus.name)
        reach.sources += held.sources
        reach.sessions_searched += held.sessions
        there = held.sessions if chosen == Filter() else held.there
        reach.sessions_total += corpus.coverage(Filter()).sessions if there is None else there
        reach.messages_searched += held.messages
        reach.oldest_ms = min(filter(None, (reach.oldest_ms, held.oldest_ms)), default=0)
        reach.newest_ms = max(reach.newest_ms, held.newest_ms)
        reach.add(corpus.gaps(chosen))
    if names:
        reach.path = names[0] if len(set(names)) == 1 else "mixed"
    left_out = reach.sessions_total - reach.sessions_searched
    if left_out > 0:
        rules = ", ".join(rules_of(chosen))
        words = f"{counted(left_out, 'session')} left out by {rules}"
        reach.add([Gap(GapKind.FILTERED, left_out, words)])
    return reach


def coverage_of(sessions: Iterable[Session]) -> Coverage:
    """Return what sessions hold altogether."""
    held = list(sessions)
    return Coverage(
        len(held),
        len(held),
        sum(session.messages - session.copied for session in held),
        min((session.started_ms for session in held if session.started_ms), default=0),
        max((session.ended_ms for session in held), default=0),
    )


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


def detail_of(gap: Gap) -> str:
    """Return a gap's sentence as it may be shown: the paths in it are anybody's words."""
    return hide(gap.detail) if os.sep in gap.detail else gap.detail


def gap_shape(gap: Gap) -> dict[str, object]:
    """Return a gap as the JSON object every front answers with."""
    return {
        "kind": gap.kind.value,
        "count": gap.count,
        "detail": detail_of(gap),
        "action": gap.action,
        "where": hide(gap.where),
        "partial": gap.partial,
    }


def reach_shape(reach: Reach) -> dict[str, object]:
    """Return a reach, its gaps aside, as the JSON object every front answers with."""
    return {
        "complete": reach.complete,
        "path": reach.path,
        "sources": reach.sources,
        "sessions_searched": reach.sessions_searched,
        "sessions_total": reach.sessions_total,
        "messages_searched": reach.messages_searched,
        "oldest": to_iso(reach.oldest_ms),
        "newest": to_iso(reach.newest_ms),
        "since": to_iso(reach.since_ms or 0),
        "until": to_iso(reach.until_ms or 0),
        "zone": reach.zone,
        "index_age_ms": reach.index_age_ms,
        "elapsed_ms": round(reach.elapsed_ms, 1),
    }
