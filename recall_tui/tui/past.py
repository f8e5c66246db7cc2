"""The earlier searches: what was asked, what is kept, and the way back to them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Protocol, cast

from textual.command import DiscoveryHit, Hit, Provider
from textual.content import Content

from recall_tui.tui.lines import clean
from recall_tui.tui.matching import fit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.command import Hits


class Past:
    """Searches, latest first, and where a person stands in them.

    Attributes:
        asked: What was asked.
        kept: What is kept for good, by name.
    """

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.kept: list[str] = []
        self._at = -1

    def note(self, query: str) -> bool:
        """Put a search first; return whether that changed anything."""
        self._at = -1
        if not query or self.asked[:1] == [query]:
            return False
        self.asked = [query, *(other for other in self.asked if other != query)]
        return True

    def older(self, value: str) -> str | None:
        """Return the search before the one in the box, None when the box holds something else.

        Args:
            value: The content of the box; empty begins with the latest search.
        """
        if not value:
            self._at = -1
        elif not (0 <= self._at < len(self.asked) and self.asked[self._at] == value):
            return None
        if self._at + 1 >= len(self.asked):
            return None
        self._at += 1
        return self.asked[self._at]

    def all(self) -> Iterator[tuple[str, bool]]:
        """Yield (search, whether it is kept): those kept, then those asked."""
        yield from ((query, True) for query in self.kept)
        yield from ((query, False) for query in self.asked if query not in self.kept)


class Remembers(Protocol):
    """The screen these are searches of."""

    past: Past

    def use_search(self, query: str) -> None:
        """Put a search in the box."""


class PastSearches(Provider):
    """Offers the earlier searches in the palette."""

    async def discover(self) -> Hits:
        """Yield every search."""
        for query, kept in self._screen.past.all():
            shown = Content(clean(query))
            yield DiscoveryHit(shown, self._use(query), text=query, help=_sort(kept=kept))

    async def search(self, query: str) -> Hits:
        """Yield the searches that hold what is typed."""
        for past, kept in self._screen.past.all():
            score = fit(query, past)
            if score > 0:
                shown = Content(clean(past))
                yield Hit(score, shown, self._use(past), text=past, help=_sort(kept=kept))

    @property
    def _screen(self) -> Remembers:
        return cast("Remembers", self.screen)

    def _use(self, query: str) -> partial[None]:
        return partial(self._screen.use_search, query)


def _sort(*, kept: bool) -> str:
    return "kept" if kept else "asked before"
