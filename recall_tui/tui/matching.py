"""Where a query matches in a line that is shown: for highlights only, never for results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import regex

from recall_tui.search.results import Case

if TYPE_CHECKING:
    from recall_tui.search.results import GrepQuery

_TIMEOUT_S: Final = 0.02
"""Of one line: a pattern that runs away costs its highlight, not the scroll."""

_LONGEST: Final = 20_000
"""Characters of a line that are looked at."""


def fit(typed: str, text: str) -> float:
    """Return how well a text holds every word that is typed: 0 not at all, 3 begins with them.

    For lists of what people and machines wrote. Textual's own fuzzy search tries every choice of
    letters: a path with a word eight times took it 3 s, and the app with it.
    """
    text, typed = text.casefold(), typed.casefold().strip()
    if not typed or not all(word in text for word in typed.split()):
        return 0.0
    return 3.0 if text.startswith(typed) else 2.0 if typed in text else 1.0


class Matcher:
    """Finds the spans of a query in lines of text. Equal queries compare equal."""

    __slots__ = ("_pattern", "query")

    def __init__(self, query: GrepQuery) -> None:
        self.query = query
        source = query.pattern if query.regex else regex.escape(query.pattern, special_only=True)
        if query.word:
            source = rf"(?<!\w)(?:{source})(?!\w)"
        smart = query.case is Case.SMART and query.pattern.lower() != query.pattern
        exact = query.case is Case.EXACT or smart
        flags = regex.V0 if exact else regex.IGNORECASE | regex.FULLCASE | regex.V0
        try:
            self._pattern = regex.compile(source, flags) if query.pattern else None
        except regex.error:
            self._pattern = None

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return the non-empty matches in a line, ascending."""
        if self._pattern is None:
            return []
        try:
            found = self._pattern.finditer(text[:_LONGEST], timeout=_TIMEOUT_S, concurrent=True)
            return [match.span() for match in found if match.end() > match.start()]
        except TimeoutError:
            return []
