"""Which sources were not, or not wholly, read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from recall_tui.doctor.checks import Check, Level
from recall_tui.text import notation
from recall_tui.text.safe import hide

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recall_tui.store.damage import Damaged

DAMAGED_NAMED: Final = 20
"""Damaged sources named one by one; beyond, they are counted."""


def damage_checks(damaged: Sequence[Damaged]) -> Iterator[Check]:
    """Yield a check for each source that was not, or not wholly, read."""
    for one in damaged[:DAMAGED_NAMED]:
        where = hide(f"{one.path} {one.part}".rstrip())
        words = [
            hide(one.error.removeprefix(f"{one.path}: ")),
            notation.counted(one.unparsed, "damaged line") if one.unparsed else "",
            "the last line is not finished yet" if one.torn else "",
            notation.counted(one.unknown, "record of unknown kind", "records of unknown kinds")
            if one.unknown
            else "",
        ]
        yield Check(
            "damage",
            Level.WARN if one.error else Level.NOTE,
            one.harness,
            f"{where}: {', '.join(filter(None, words))}",
            "",
            one._replace(path=hide(one.path), part=hide(one.part), error=hide(one.error))._asdict(),
        )
    if len(damaged) > DAMAGED_NAMED:
        more = len(damaged) - DAMAGED_NAMED
        detail = f"{notation.counted(more, 'more source')} with fewer losses"
        yield Check("damage", Level.NOTE, "and", detail, "", {"more": more})
