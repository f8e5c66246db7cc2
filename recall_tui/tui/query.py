"""What is typed in the box, as a question: the pattern, the filters, what was wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from recall_tui.errors import QueryError
from recall_tui.model import Filter
from recall_tui.search.results import Case, GrepQuery

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import tzinfo

    from recall_tui.search.recall.request import RecallRequest

_NAME: Final = re.compile(
    r"[a-z][a-z0-9_-]*:[^\s#]+(#\d+(~[0-9a-f]{4})?)?"
    r"|[0-9a-f]{8}(?:[0-9a-f-]{0,27}[0-9a-f])?|ses_[0-9A-Za-z]{12,}"
)
"""A reference, or a session id or its beginning: what a person pastes to go there."""


class Mode(StrEnum):
    """What the box does with its words."""

    GREP = "grep"
    """Finds every place that says exactly this, newest first."""
    RECALL = "recall"
    """Ranks the passages that answer a question best."""


@dataclass(slots=True, frozen=True)
class Switches:
    """How the words in the box are looked for; the last three are grep's."""

    mode: Mode = Mode.GREP
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

    def recall(self, limit: int, zone: str) -> RecallRequest:
        """Return the question to ask.

        Args:
            limit: Passages wanted.
            zone: Name of the zone days in the question are meant in.
        """
        from recall_tui.search.recall.request import RecallRequest

        return RecallRequest(sentence=self.pattern, chosen=self.chosen, limit=limit, zone=zone)

    @property
    def name(self) -> str:
        """The reference or session id the box holds, empty when it holds anything else."""
        return self.pattern if not self.chips and _NAME.fullmatch(self.pattern) else ""


def any_of(terms: Iterable[str]) -> GrepQuery:
    """Return the search for any of recall's terms, in any form: to mark and step through them."""
    pattern = "|".join(_form(term) for term in terms)
    return GrepQuery(pattern=pattern, regex=True, case=Case.IGNORE)


_LONG: Final = r"[^\W_]{0,6}"
_SHORT: Final = r"(?:[^\W_]|[^\W_]?(?:ing|e[drs]))?"
"""What may follow the beginning of a form; a short one is that of too many other words."""


def _form(term: str) -> str:
    """Return the expression of a term: a word in the forms recall knows, else as it stands."""
    if term.isascii() and term.isalpha():
        from recall_tui.search.recall.words import Word, stem_of

        word = Word(term.casefold())
        begins = {term, word.stem, *map(stem_of, word.forms), *map(bytes.decode, word.needles)}
        endings = (f"{begin}{_LONG if len(begin) > 3 else _SHORT}" for begin in sorted(begins))
        # An underscore parts words here, as it does for recall.
        return rf"(?<![^\W_])(?:{'|'.join(endings)})(?![^\W_])"
    return r"\s+".join(re.escape(part) for part in term.split())


def understand(text: str, zone: tzinfo, now_ms: int) -> Question:
    """Return the question a person typed; a filter that makes no sense becomes its error.

    Args:
        text: The content of the box.
        zone: The zone of typed times.
        now_ms: The present, for ages such as `7d`.
    """
    if not text.strip():
        return Question("")
    from recall_tui.search.filters import parse

    try:
        chosen, pattern = parse(text, zone, now_ms)
    except QueryError as error:
        return Question("", error=str(error))
    return Question(pattern.strip(), chosen, chips(chosen, zone))


def chips(chosen: Filter, zone: tzinfo) -> list[str]:
    """Return the filters as they were understood, dates spelt out."""
    words = [
        *chosen.harnesses,
        *(f"role {role.value}" for role in chosen.roles),
        *(f"kind {kind.word}" for kind in chosen.kinds),
        *(f"session {name}" for name in chosen.sessions),
        *(f"source {root}" for root in chosen.roots),
    ]
    texts = {"cwd": chosen.cwd, "branch": chosen.branch, "model": chosen.model}
    words += [f"{name} {value}" for name, value in texts.items() if value]
    if chosen.since_ms is not None:
        words.append(f"since {_moment(chosen.since_ms, zone)}")
    if chosen.until_ms is not None:
        words.append(f"until {_moment(chosen.until_ms, zone)}")
    if chosen.mains_only:
        words.append("main sessions only")
    if chosen.include_copies:
        words.append("copies too")
    return words


def _moment(time_ms: int, zone: tzinfo) -> str:
    moment = datetime.fromtimestamp(time_ms / 1000, zone)
    return f"{moment:%a} {moment.day} {moment:%b %Y %H:%M}"
