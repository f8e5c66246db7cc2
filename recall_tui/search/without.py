"""Parts of a corpus: without some of its sessions, or with the text of some of them alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recall_tui.search.reach import coverage_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from recall_tui.model import Candidates, Coverage, Declined, Filter, Gap, Message, Session
    from recall_tui.search.ports import Corpus
    from recall_tui.store.block import Block


class _Whole:
    """A corpus as it is; a part says otherwise where it is less."""

    def __init__(self, corpus: Corpus) -> None:
        self.name = corpus.name
        self._corpus = corpus

    def sessions(self, chosen: Filter) -> Sequence[Session]:
        """Return the admitted sessions."""
        return self._corpus.sessions(chosen)

    def blocks(self, chosen: Filter) -> Iterator[Block]:
        """Yield the blocks that may hold an admitted message."""
        return self._corpus.blocks(chosen)

    def divisible(self, chosen: Filter) -> bool:
        """Return False: a part is small, or beside what cannot be divided."""
        return False

    def coverage(self, chosen: Filter) -> Coverage:
        """Return how much the admitted sessions hold."""
        return self._corpus.coverage(chosen)

    def session(self, row: int) -> Session:
        """Return the session of a row id."""
        return self._corpus.session(row)

    def find(self, name: str) -> list[Session]:
        """Return the named sessions."""
        return self._corpus.find(name)

    def messages(self, row: int, start: int = 0, stop: int | None = None) -> list[Message]:
        """Return messages by position."""
        return self._corpus.messages(row, start, stop)

    def candidates(self, terms: Sequence[bytes], chosen: Filter) -> Candidates | Declined:
        """Ask the corpus: naming more sessions than needed is free."""
        return self._corpus.candidates(terms, chosen)

    def gaps(self, chosen: Filter) -> list[Gap]:
        """Return the gaps of the corpus."""
        return self._corpus.gaps(chosen)


class Without(_Whole):
    """Everything of a corpus but the sessions of some rows: another holds them in a newer state."""

    def __init__(self, corpus: Corpus, rows: set[int]) -> None:
        super().__init__(corpus)
        self._rows = rows

    def sessions(self, chosen: Filter) -> Sequence[Session]:
        """Return the admitted sessions that are not left out."""
        return [s for s in self._corpus.sessions(chosen) if s.id not in self._rows]

    def blocks(self, chosen: Filter) -> Iterator[Block]:
        """Yield the blocks of sessions that are not left out."""
        return (b for b in self._corpus.blocks(chosen) if b.session not in self._rows)

    def coverage(self, chosen: Filter) -> Coverage:
        """Return how much the sessions that are not left out hold."""
        kept = coverage_of(self.sessions(chosen))
        whole = self._corpus.coverage(chosen).searchable
        if whole is None or not self._rows:
            return kept._replace(searchable=whole)
        out = tuple(s.key for s in self._corpus.sessions(chosen) if s.id in self._rows)
        less = self._corpus.coverage(chosen._replace(sessions=out)).searchable if out else 0
        return kept._replace(searchable=None if less is None else whole - less)

    def find(self, name: str) -> list[Session]:
        """Return the named sessions that are not left out."""
        return [s for s in self._corpus.find(name) if s.id not in self._rows]


class Narrowed(_Whole):
    """All sessions of a corpus, of which only some have to be read to answer a question."""

    def __init__(self, corpus: Corpus, rows: Collection[int]) -> None:
        super().__init__(corpus)
        self._rows = rows

    def blocks(self, chosen: Filter) -> Iterator[Block]:
        """Yield the blocks of the named sessions among the admitted ones; no other is read."""
        keys = tuple(s.key for s in self._corpus.sessions(chosen) if s.id in self._rows)
        return self._corpus.blocks(chosen._replace(sessions=keys)) if keys else iter(())
