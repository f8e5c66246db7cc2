"""Whether what lies in each place is in the index, and what was left out of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from recall_tui.doctor.checks import Check, Level
from recall_tui.errors import ConfigError
from recall_tui.model import Filter, Presence
from recall_tui.search.sessions import under
from recall_tui.store.sync.discover import discover
from recall_tui.text import notation
from recall_tui.workspace import HARNESS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from recall_tui.harnesses.base import Source
    from recall_tui.model import Session
    from recall_tui.store.damage import Damaged
    from recall_tui.store.sync.discover import Place

    LeftOut = Callable[[Iterable[Source], Filter], tuple[int, int]]


def broken_harnesses() -> Iterator[Check]:
    """Yield a check for each harness that cannot be loaded: its sessions are not read."""
    from recall_tui.harnesses import registry

    for harness_id in registry.ids():
        try:
            registry.get(harness_id)
        except ConfigError as error:
            yield Check("sources", Level.WARN, harness_id, error.message, "reinstall or remove it")


def source_checks(
    looked: Sequence[Place],
    sessions: Sequence[Session],
    damaged: Sequence[Damaged],
    known: Callable[[Filter], int],
    left_out: LeftOut = lambda *_: (0, 0),
) -> Iterator[Check]:
    """Yield one check a place: found, indexed, left out, skipped, unreadable, gone.

    A folder that was named is looked at for every program: those that left nothing there are not
    worth a line when another did.

    Args:
        looked: Places.
        sessions: Of the index, copies too.
        damaged: Sources that were not, or not wholly, read.
        known: Returns how many sources the index knows.
        left_out: As `History.left_out`.
    """
    there = [place for place in looked if os.path.exists(place.root)]
    checks = {p: _place_check(p, sessions, damaged, known, left_out) for p in there}
    fruitful = {place.root for place, check in checks.items() if check.facts["found"]}
    for place in looked:
        if place in checks:
            check = checks[place]
            if check.level is not Level.OK or check.facts["found"] or place.root not in fruitful:
                yield check
        else:
            facts: dict[str, object] = {"harness": place.harness.id, "path": place.root}
            facts["exists"] = False
            detail = f"{place.root}: not there"
            yield Check("sources", Level.NOTE, place.harness.name, detail, "", facts)
    if not there:
        yield Check(
            "sources", Level.WARN, "nothing found", "no harness has a folder of sessions here",
            "recall --demo, or recall --source PATH",
        )  # fmt: skip


_OUT: Final = "forgotten, or left out by settings"
_OUT_IN_PLACE: Final = "of the simulator, unfinished, superseded, forgotten or left out by settings"
_TRIED_AGAIN: Final = (
    "what was read before is kept; a file is tried again when it changes or can be opened"
)


def _place_check(
    place: Place,
    sessions: Sequence[Session],
    damaged: Sequence[Damaged],
    known: Callable[[Filter], int],
    left_out: LeftOut,
) -> Check:
    """Compare what lies in a place with what is indexed from it."""
    harness, root = place
    discovery = discover([place])
    sources = discovery.sources.values()
    unreadable = [gap for gaps in discovery.gaps.values() for gap in gaps]
    here = [s for s in sessions if s.harness == harness.id and under(s.path, root)]
    present = sum(session.presence is Presence.PRESENT for session in here)
    gone = len(here) - present
    lost = [one for one in damaged if one.error and one.harness == harness.id]
    broken = sum(under(one.path, root) for one in lost)
    failed = broken + len(unreadable)
    chosen = Filter(harnesses=(harness.id,), roots=(root,))
    refused, excluded = left_out(sources, chosen)
    found, out = len(sources), refused + excluded
    waiting = max(0, found - refused - (known(chosen) - gone))
    skipped = max(0, found - out - waiting - present - broken)
    in_place = harness.id == HARNESS  # its sessions are in no index, and none are discovered
    words = [
        "" if in_place else f"{found:,} found",
        f"{notation.counted(present, 'session')} read in place"
        if in_place
        else f"{present:,} indexed",
        f"{out:,} {_OUT_IN_PLACE if in_place else _OUT}" if out else "",
        f"{waiting:,} not indexed yet" if waiting else "",
        f"{skipped:,} skipped: no message in them" if skipped else "",
        f"{failed:,} unreadable" if failed else "",
        f"{gone:,} deleted by the agent, text kept" if gone else "",
        *(gap.detail for gap in unreadable),
    ]
    return Check(
        "sources",
        Level.WARN if failed or unreadable or waiting else Level.OK,
        harness.name,
        f"{root}: {', '.join(word for word in words if word)}",
        "recall index" if waiting else _TRIED_AGAIN if failed else "",
        {
            "harness": harness.id, "path": root, "exists": True,
            "found": present if in_place else found, "indexed": 0 if in_place else present,
            "in_place": in_place, "left_out": out, "waiting": waiting, "skipped": skipped,
            "coverage_percent": _percent(min(present, found), found - out - skipped),
            "unreadable": failed, "gone": gone,
        },
    )  # fmt: skip


def _percent(part: int, whole: int) -> int:
    """Return how much of a whole that is, 100 only when it is all of it."""
    return 100 * part // whole if whole > 0 else 100
