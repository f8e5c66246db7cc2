"""What the search room needs from whoever holds text. Declared here, where it is used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

from recall_tui.model import Candidates, Coverage, Declined

if TYPE_CHECKING:
    from recall_tui.model import Fact, Filter, Gap, Message, Session
    from recall_tui.store.block import Block

__all__ = ["Candidates", "Corpus", "Coverage", "Declined", "FactSource", "Stop"]

Stop: TypeAlias = Callable[[], bool]
"""Returns True when the caller has lost interest; asked between blocks."""


class Corpus(Protocol):
    """A body of sessions that can be listed, scanned and read.

    The store, the ledger app's workspace and the cold path implement it. Row ids (`Session.id`,
    `Block.session`, `Block.id`) are meaningful only within one corpus.
    """

    name: str
    """index | cold | workspace: named in reach."""

    def sessions(self, chosen: Filter) -> Sequence[Session]:
        """Return the sessions a filter admits (session fields only), newest first by `ended_ms`."""
        ...

    def blocks(self, chosen: Filter) -> Iterator[Block]:
        """Yield the blocks that may hold an admitted message, by falling `last_ms`.

        A block is yielded whole: the caller applies the filter's time and kind to messages, and
        leaves out copies. The order lets a caller say a hit is final once its time is above the
        next block's `last_ms`; a block without messages says only that: nothing newer follows.
        The iterator may be dropped at any point.
        """
        ...

    def divisible(self, chosen: Filter) -> bool:
        """Return whether a forked child may read half of `blocks`, and gains anything by it.

        Nothing of this corpus is open after that.
        """
        ...

    def coverage(self, chosen: Filter) -> Coverage:
        """Return how much the sessions that a filter admits hold; cheap."""
        ...

    def session(self, row: int) -> Session:
        """Return the session of a row id seen in this corpus."""
        ...

    def find(self, name: str) -> list[Session]:
        """Return the sessions a key, native id or unique prefix of one (8 or more) names."""
        ...

    def messages(self, row: int, start: int = 0, stop: int | None = None) -> list[Message]:
        """Return messages by position, `start` inclusive, `stop` exclusive, in position order."""
        ...

    def candidates(self, terms: Sequence[bytes], chosen: Filter) -> Candidates | Declined:
        """Name the sessions that may hold one of the folded terms, or decline."""
        ...

    def gaps(self, chosen: Filter) -> list[Gap]:
        """Return what this corpus knows it is missing."""
        ...


class FactSource(Protocol):
    """A distilled layer: short statements that somebody drew from sessions, found by their keys."""

    def facts(self, terms: Sequence[str], scope: str = "") -> list[Fact]:
        """Return the facts that a term is a key of, or begins a key of; at most 10, best first.

        A layer that cannot be read gives none; `gaps` then says so (S0-117).

        Args:
            terms: As the caller wrote them; never credential-shaped.
            scope: Folder of the workspace that is asking. Facts of every scope that is not a
                folder are always looked at, facts of other folders never.
        """
        ...

    def gaps(self, *, matched: bool) -> list[Gap]:
        """Return why there may be facts that were not found.

        Args:
            matched: Whether any fact matched. If none did, the answer says how many there are.
        """
        ...
