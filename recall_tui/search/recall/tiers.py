"""Tiers: what a set of matched terms is worth before any score (Q33)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recall_tui.search.recall.envelope import Tier

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recall_tui.search.recall.terms import Term


class Tiers:
    """What a set of matched terms is worth."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self._exact = frozenset(n for n, term in enumerate(terms) if term.exact)
        self._telling = frozenset(n for n, term in enumerate(terms) if term.telling)

    def of(self, held: Iterable[int]) -> Tier:
        """Return the tier of the terms that are held."""
        if not self._exact.isdisjoint(held):
            return Tier.EXACT
        return Tier.ALL if self._telling and self._telling.issubset(held) else Tier.SOME
