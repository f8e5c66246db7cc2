"""Completion of filters in the box: the field, then the values that are really there."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Final

from textual.suggester import Suggester

from recall_tui.model import Kind, Role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from recall_tui.model import Session

_LEAST_CHARS: Final = 3
"""Letters of a field before it is offered: `sin` is likely `since:`, `s` is anything."""

_FIXED: Final = {
    "role": [role.value for role in Role],
    "kind": [kind.word for kind in Kind],
    "is": ["main", "copy"],
    "since": ["today", "yesterday", "7d", "30d"],
    "until": ["today", "yesterday", "7d", "30d"],
}

_OF_SESSIONS: Final[dict[str, Callable[[Session], Iterable[str]]]] = {
    "harness": lambda session: (session.harness,),
    "cwd": lambda session: (session.project,),
    "branch": lambda session: (session.branch,),
    "model": lambda session: session.models,
}

_PLAIN: Final = re.compile(r'[^\s",]+')
"""A value that needs no quotes and is not two."""

_OFFERED: Final = 12
"""Values of a filter that are named at once: more do not fit on a line."""

_PICKED: Final = 100
"""Values of a field that can be picked from: the rest is found by typing it."""

_LOOKED_AT: Final = 3000
"""Sessions whose values are offered, the newest: what is older is typed by hand."""


class FilterSuggester(Suggester):
    """Completes the last word of the box.

    Args:
        sessions: Returns the sessions there are, newest first.
    """

    def __init__(self, sessions: Callable[[], Sequence[Session]]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._sessions = sessions

    async def get_suggestion(self, value: str) -> str | None:
        """Return what `completed` does."""
        return self.completed(value)

    def completed(self, value: str) -> str | None:
        """Return the content of the box with its last word completed, None when there is none."""
        start = max(value.rfind(" "), value.rfind("\t")) + 1
        word = value[start:]
        field, colon, typed = word.partition(":")
        if not colon:
            whole = _first(word, (*_OF_SESSIONS, *_FIXED)) if len(word) >= _LEAST_CHARS else ""
            return f"{value[:start]}{whole}:" if whole else None
        *before, last = typed.split(",")
        whole = _first(last, self._values(field)) if last else ""
        return value[: len(value) - len(last)] + whole if whole and '"' not in before else None

    def offers(self, value: str) -> tuple[str, Sequence[str]]:
        """Return the filter whose colon is the last thing in the box, and what may follow it.

        Both empty for any other box.
        """
        field = value[max(value.rfind(" "), value.rfind("\t")) + 1 :].removesuffix(":")
        if not field or not value.endswith(":"):
            return "", ()
        return field, list(islice(self._values(field), _OFFERED))

    def tallies(self) -> list[tuple[str, int]]:
        """Return the filters there are, each with how many sessions it leaves; 0 is not counted.

        Programs and times first, then by field; of a field the most frequent first.
        """
        sessions = self._sessions()[:_LOOKED_AT]
        found: list[tuple[str, int]] = []
        for field, values_of in _OF_SESSIONS.items():
            tally = Counter(value for session in sessions for value in set(values_of(session)))
            found += [
                (f"{field}:{value}", count)
                for value, count in tally.most_common(_PICKED)
                if _PLAIN.fullmatch(value)
            ]
            if field == "harness":
                found += [(f"since:{value}", 0) for value in _FIXED["since"]]
        return [*found, *((f"role:{value}", 0) for value in _FIXED["role"])]

    def _values(self, field: str) -> Iterable[str]:
        """Return what a field may hold; values of sessions in the order of their last use."""
        if field in _FIXED:
            return _FIXED[field]
        values = _OF_SESSIONS.get(field)
        if values is None:
            return ()
        found = (value for session in self._sessions()[:_LOOKED_AT] for value in values(session))
        return (value for value in dict.fromkeys(found) if _PLAIN.fullmatch(value))


def _first(typed: str, words: Iterable[str]) -> str:
    """Return the first word that begins with what was typed and goes on, empty for none."""
    return next((word for word in words if word.startswith(typed) and word != typed), "")
