"""Filters by key: the programs, projects, times, branches and models there are, to pick from."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Protocol, cast

from textual.command import DiscoveryHit, Hit, Provider
from textual.content import Content

from recall_tui.tui.lines import clean
from recall_tui.tui.matching import fit
from recall_tui.tui.notation import counted

if TYPE_CHECKING:
    from textual.command import Hits

    from recall_tui.tui.completion import FilterSuggester
    from recall_tui.tui.widgets.search_box import SearchBox


class Narrowed(Protocol):
    """The screen whose list is narrowed."""

    suggester: FilterSuggester

    @property
    def box(self) -> SearchBox:
        """Where filters are typed."""

    def use_search(self, query: str) -> None:
        """Put a search in the box."""


class Filters(Provider):
    """Offers every filter that would leave something."""

    async def discover(self) -> Hits:
        """Yield every filter."""
        for word, sessions in self._screen.suggester.tallies():
            yield DiscoveryHit(_shown(word, sessions), self._use(word), text=word)

    async def search(self, query: str) -> Hits:
        """Yield the filters that hold what is typed."""
        for word, sessions in self._screen.suggester.tallies():
            score = fit(query, word)
            if score > 0:
                yield Hit(score, _shown(word, sessions), self._use(word), text=word)

    @property
    def _screen(self) -> Narrowed:
        return cast("Narrowed", self.screen)

    def _use(self, word: str) -> partial[None]:
        return partial(self._screen.use_search, narrowed(self._screen.box.value, word))


def narrowed(query: str, word: str) -> str:
    """Return a query with a filter before its words, in the place of one of the same field.

    What is typed next is no part of it.
    """
    field = word.partition(":")[0]
    rest = re.sub(rf'(?<!\S){field}:("(?:\\.|[^"\\])*"|\S*)\s*', "", query).strip()
    return f"{word} {rest}"


def _shown(word: str, sessions: int) -> Content:
    said = f"  {counted(sessions, 'session')}" if sessions else ""
    return Content.assemble(clean(word), (said, "dim"))
