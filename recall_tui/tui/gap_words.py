"""Gaps in the few words a banner has room for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from recall_tui.model import PARTIAL, GapKind
from recall_tui.tui.notation import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recall_tui.model import Gap

_WORDS: Final = {
    GapKind.NO_SOURCES: ("no history found", "no history found"),
    GapKind.NOT_INDEXED: ("session not indexed yet", "sessions not indexed yet"),
    GapKind.COLD: ("session read without an index", "sessions read without an index"),
    GapKind.UNSETTLED: ("copy not told from its original", "copies not told from their originals"),
    GapKind.UNREADABLE: ("file unreadable", "files unreadable"),
    GapKind.UNPARSED: ("line not understood", "lines not understood"),
    GapKind.UNKNOWN_RECORDS: ("record of an unknown kind", "records of unknown kinds"),
    GapKind.TORN: ("unfinished line", "unfinished lines"),
    GapKind.GONE: ("deleted by its agent", "deleted by their agents"),
    GapKind.EXCLUDED: ("session left out by a setting", "sessions left out by settings"),
    GapKind.TIMED_OUT: ("block ran out of time", "blocks ran out of time"),
    GapKind.HORIZON: ("match too deep to rank", "matches too deep to rank"),
    GapKind.CANCELLED: ("search was cancelled", "searches were cancelled"),
    GapKind.RETENTION: ("session will be deleted soon", "sessions will be deleted soon"),
    GapKind.BROKEN_MATERIAL: ("broken picture or file", "broken pictures or files"),
    GapKind.LOCKED: ("source locked", "sources locked"),
    GapKind.OUTDATED: ("index of older rules for secrets", "indexes of older rules for secrets"),
}

_NO_NUMBER: Final = frozenset({GapKind.NO_SOURCES})

LOUD: Final = PARTIAL | {GapKind.LOCKED, GapKind.OUTDATED}
"""Kinds that turn the banner amber: something a person looks for may be missing now."""


def joined(known: Iterable[Gap], found: Iterable[Gap]) -> list[Gap]:
    """Return what is known to be missing and what a search found missing, each gap once.

    Of two accounts of one gap the later one holds: their counts are not added. That there is no
    layer of facts at all is no gap to a person: few ever set one up.
    """
    told = (g for g in (*known, *found) if g.kind is not GapKind.NO_FACTS or g.where)
    return list({(gap.kind, gap.where, gap.detail): gap for gap in told}.values())


def summary(gaps: Iterable[Gap], *, loud: bool) -> list[str]:
    """Return a few words for each kind of gap, the order of first appearance.

    Args:
        gaps: What is missing.
        loud: Only the kinds that turn the banner amber; otherwise only the others.
    """
    counts: dict[GapKind, int] = {}
    for gap in gaps:
        if (gap.kind in LOUD) == loud and gap.kind in _WORDS:
            counts[gap.kind] = counts.get(gap.kind, 0) + max(1, gap.count)
    return [words(kind, count) for kind, count in counts.items()]


def words(kind: GapKind, count: int) -> str:
    """Return `37 sessions not indexed yet`; empty for what a banner need not say."""
    one, many = _WORDS.get(kind, ("", ""))
    return counted(count, one, many) if one and kind not in _NO_NUMBER else one
