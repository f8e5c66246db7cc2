"""Which messages of a block a request is about."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from recall_tui.model import SEARCHABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from recall_tui.model import Filter
    from recall_tui.search.ports import Corpus
    from recall_tui.search.predicate import Admits
    from recall_tui.store.block import Block


class Admission:
    """The filter of a request, for messages."""

    def __init__(
        self,
        corpora: Sequence[Corpus],
        chosen: Filter,
        running: Mapping[tuple[int, int], int],
    ) -> None:
        """Hold a filter.

        Args:
            corpora: Where the blocks come from.
            chosen: The filter.
            running: (corpus, session) -> first position of the turn that is asking; it and what
                follows must not match.
        """
        self._corpora = corpora
        self._chosen = chosen
        self._running = running
        kinds = chosen.kinds_admitted & SEARCHABLE
        self._kinds = bytes(kind in kinds for kind in range(256))

    def of(self, corpus: int, block: Block) -> Admits:
        """Return the test a message must pass; None when every message of the block does."""
        meta, chosen = block.meta, self._chosen
        kinds = meta.kinds.tobytes().translate(self._kinds)
        since, most = chosen.since_ms, chosen.until_ms
        until = self._running.get((corpus, block.session), -1)
        first = 0
        if block.copied and not chosen.include_copies:
            first = bisect_left(meta.positions, block.copied)
        if since is None and most is None and not first and until < 0:
            test: Callable[[int], int] = kinds.__getitem__
            return test if 0 in kinds else None
        low = since if since is not None else -1
        high = most if most is not None else 1 << 62
        undated = 0
        if (since is not None or most is not None) and not all(meta.times):
            undated = self._corpora[corpus].session(block.session).ended_ms

        def admits(index: int) -> bool:
            return bool(
                index >= first
                and kinds[index]
                and low <= (meta.times[index] or undated) <= high
                and (until < 0 or meta.positions[index] < until)
            )

        return admits
