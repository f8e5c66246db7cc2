"""A corpus without some of its sessions: those that another corpus holds in a newer state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recall_tui.search.reach import coverage_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recall_tui.model import Candidates, Coverage, Declined, Filter, Gap, Message, Session
    from recall_tui.search.ports import Corpus
    from recall_tui.store.block import Block


class Without:
    """Everything of a corpus but the sessions of some rows."""

    def __init__(self, corpus: Corpus, rows: set[int]) -> None:
        self.name = corpus.name
        self._corpus = corpus
        self._rows = rows

    def sessions(self, chosen: Filter) -> Sequence[Session]:
        """Return the admitted sessions that are not left out."""
        return [s for s in self._corpus.sessions(chosen) if s.id not in self._rows]

    def blocks(self, chosen: Filter) -> Iterator[Block]:
        """Yield the blocks of sessions that are not left out."""
        return (b for b in self._corpus.blocks(chosen) if b.session not in self._rows)

    def coverage(self, chosen: Filter) -> Coverage:
        """Return how much the sessions that are not left out hold."""
        return coverage_of(self.sessions(chosen))

    def session(self, row: int) -> Session:
        """Return the session of a row id."""
        return self._corpus.session(row)

    def find(self, name: str) -> list[Session]:
        """Return the named sessions that are not left out."""
        return [s for s in self._corpus.find(name) if s.id not in self._rows]

    def messages(self, row: int, start: int = 0, stop: int | None = None) -> list[Message]:
        """Return messages by position."""
        return self._corpus.messages(row, start, stop)

    def candidates(self, terms: Sequence[bytes], chosen: Filter) -> Candidates | Declined:
        """Ask the corpus: naming more sessions than needed is free."""
        return self._corpus.candidates(terms, chosen)

    def gaps(self, chosen: Filter) -> list[Gap]:
        """Return the gaps of the corpus."""
        return self._corpus.gaps(chosen)
