"""What parsing the sources of a search had to leave out, as gaps."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from recall_tui.store import reach
from recall_tui.text.safe import safe

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recall_tui.harnesses.base import Source, Transcript
    from recall_tui.model import Gap


class Losses:
    """What was lost, by row: a source that is read again loses the same."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources
        self.unreadable: dict[int, str] = {}
        """Row -> why."""
        self.excluded: set[int] = set()
        """Rows of sessions that are not wanted."""
        self._unparsed: dict[int, int] = {}
        self._torn: set[int] = set()
        self._unknown: dict[int, Counter[str]] = {}

    def note(self, row: int, transcript: Transcript) -> None:
        """Take what a transcript that was read to its end had to leave out."""
        if transcript.unparsed:
            from recall_tui.harnesses.jsonl import mostly_damaged  # noqa: PLC0415 - hardly ever

            self._unparsed[row] = transcript.unparsed
            if why := mostly_damaged(transcript):
                self.unreadable[row] = safe(why)
        if transcript.torn:
            self._torn.add(row)
        if transcript.unknown:
            kinds = {safe(name): count for name, count in transcript.unknown.items()}
            self._unknown[row] = Counter(kinds)

    def gaps(self, asked: Callable[[int, Source], bool]) -> list[Gap]:
        """Return the gaps of the rows that are asked for, in the words of the index."""
        rows = {row for row, source in enumerate(self._sources) if asked(row, source)}
        failed = [
            (self._sources[row].path, why)
            for row, why in sorted(self.unreadable.items())
            if row in rows
        ]
        unknown: dict[str, Counter[str]] = {}
        for row in rows & self._unknown.keys():
            unknown.setdefault(self._sources[row].harness, Counter()).update(self._unknown[row])
        unparsed = [self._unparsed[row] for row in rows & self._unparsed.keys()]
        return [
            *reach.unreadable(failed, "it is tried again each time"),
            *reach.excluded(len(rows & self.excluded)),
            *reach.unparsed(sum(unparsed), len(unparsed)),
            *reach.torn(len(rows & self._torn)),
            *reach.unknown(unknown),
        ]
