"""How new what is in a file can be, told without reading it."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final

from recall_tui.clock import from_iso

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recall_tui.harnesses.base import Source

ROUNDING_MS: Final = 60_000
"""Added to the time of a file: systems round it, and agents note it before a last message."""

CROWD: Final = 20
"""So many sources written within `CROWD_MS` were copied here: their file times say nothing."""

CROWD_MS: Final = 3600 * 1000

TAIL_BYTES: Final = 64 * 1024
"""What is read of the end of a file whose time says nothing."""

_STAMP: Final = re.compile(
    rb'"timestamp"\s*:\s*"(20\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z)"'
)
"""A record's own time; one in a text may be of any day."""


def newest_possible(sources: Sequence[Source]) -> list[int]:
    """Return, for each source, a time no message in it should exceed, in epoch ms.

    That is the time of its file, unless most were written in one go, as by a copy of the whole
    history: then the latest time of the records at the end of the file, if that is earlier.
    """
    written = sorted(source.mtime_ns // 1_000_000 for source in sources)
    crowd = written[len(written) // 4 :]
    copied = len(crowd) >= CROWD and crowd[-1] - crowd[0] <= CROWD_MS
    return [
        min(source.mtime_ns // 1_000_000, _last_stamp(source) if copied else 1 << 62) + ROUNDING_MS
        for source in sources
    ]


def _last_stamp(source: Source) -> int:
    """Return the latest time of the records at the end of a file; far in the future without any.

    Only a file to which lines are appended ends with its latest ones.
    """
    if source.part or not source.path.endswith(".jsonl"):
        return 1 << 62
    try:
        with open(source.path, "rb", buffering=0) as stream:
            stream.seek(max(0, os.fstat(stream.fileno()).st_size - TAIL_BYTES))
            stamps = _STAMP.findall(stream.read(TAIL_BYTES))
    except OSError:
        stamps = []
    return max((from_iso(stamp.decode()) for stamp in stamps), default=0) or 1 << 62
