"""What is typed in the box, as a question: the pattern, the filters, what was wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from recall_tui.model import Filter
from recall_tui.search.results import Case, GrepQuery

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(slots=True, frozen=True)
class Switches:
    """How the pattern is compared."""

    case: Case = Case.SMART
    word: bool = False
    regex: bool = False


@dataclass(slots=True, frozen=True)
class Question:
    """One content of the box, understood."""

    pattern: str
    chosen: Filter = field(default_factory=Filter)
    chips: Sequence[str] = ()
    """The filters as they were understood, to be echoed."""
    error: str = ""
    """What is wrong, in words; empty when the question can be asked."""

    def grep(self, switches: Switches, limit: int) -> GrepQuery:
        """Return the search to make."""
        return GrepQuery(
            pattern=self.pattern, regex=switches.regex, case=switches.case, word=switches.word,
            chosen=self.chosen, limit=limit,
        )  # fmt: skip


def understand(text: str) -> Question:
    """Return the question a person typed."""
    return Question(text.strip())
