"""What is known about why a passage is in the answer; `why` puts it into words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from recall_tui.model import Kind
from recall_tui.search.recall import policy
from recall_tui.search.recall.envelope import TermHit, Tier, Why
from recall_tui.search.recall.words import TOKEN
from recall_tui.text.fold import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recall_tui.search.recall.board import Board
    from recall_tui.search.recall.select import Choice
    from recall_tui.search.recall.terms import Term

FIELDS: Final = {
    Kind.PROMPT: "you",
    Kind.DELEGATION: "delegation",
    Kind.ANSWER: "agent",
    Kind.TOOL_CALL: "tool call",
    Kind.TOOL_RESULT: "tool output",
}
"""Where something was found, in the order it is told."""

_COMMON: Final = 0.05
"""Share of all messages from which a word is everywhere, ..."""
_MANY: Final = 20
"""... and how many messages that must be: a handful says nothing."""


def why(terms: Sequence[Term], board: Board, choice: Choice) -> Why:
    """Return why a choice was made."""
    evidence, session = choice.evidence, choice.ranked.session
    held = {n for n, count in evidence.counts.items() if count}
    title = fold(session.title).encode()
    titled = {n for n, term in enumerate(terms) if _in_title(term, title)}
    words = {n for n in titled if terms[n].word is not None}  # a literal is what a message holds
    matched = tuple(
        TermHit(
            terms[n].spelling,
            max(1, round(evidence.counts.get(n, 0))),
            terms[n].sort,
            n not in words and (n in evidence.near or terms[n].guessed),
        )
        for n in _told(terms, held | words)
    )
    fields = [word for kind, word in FIELDS.items() if kind in evidence.kinds]
    if titled:
        fields.append("title")
    weight = policy.TOOL_RESULT_WEIGHT if evidence.kind == Kind.TOOL_RESULT else 1.0
    return Why(
        tier=evidence.tier,
        terms=matched,
        missing=_missing(terms, held | titled),
        fields=tuple(fields),
        count=sum(hit.count for hit in matched),
        weight=weight,
        session_kind=session.kind.value,
        pushed=choice.ranked.pushed,
        weak=_weak(terms, held, board, choice),
    )


def _told(terms: Sequence[Term], held: set[int]) -> list[int]:
    """Return the matched terms that are named, exact ones first.

    Not named are helpers: words inside an identifier, pairs of characters inside a run that matched
    as a whole, and what questions are made of (unless nothing else matched).
    """
    runs = [terms[n].spelling for n in held if terms[n].sort == "run" and terms[n].telling]
    named = [
        n
        for n in held
        if terms[n].telling
        or terms[n].exact
        or (terms[n].sort == "run" and not any(terms[n].spelling in run for run in runs))
    ]
    return sorted(named or held, key=lambda n: (not terms[n].exact, n))


def _missing(terms: Sequence[Term], held: set[int]) -> tuple[str, ...]:
    """Return the telling terms that are not held.

    A run is there in part when its pairs are, and a word is where a phrase with it stands, though
    something be glued to it there.
    """
    found = [terms[n].spelling for n in held if terms[n].sort == "run"]
    whole = [fold(terms[n].spelling) for n in held if terms[n].exact]
    return tuple(
        term.spelling
        for n, term in enumerate(terms)
        if n not in held
        and term.telling
        and not (term.sort == "run" and any(pair in term.spelling for pair in found))
        and not any(fold(term.spelling) in exact for exact in whole)
    )


def _in_title(term: Term, title: bytes) -> bool:
    """Return whether a title says a term: a word in one of its forms, anything else as it is."""
    if term.word is not None:
        return any(term.word.weight(token) == 1.0 for token in TOKEN.findall(title))
    return any(needle in title for needle in term.needles)


def _weak(terms: Sequence[Term], held: set[int], board: Board, choice: Choice) -> bool:
    """Whether only some words were found, and those are everywhere (S3-13)."""
    if choice.tier is not Tier.SOME or choice.ranked.pushed:
        return False
    everywhere = max(_MANY, _COMMON * board.population)
    return all(board.found.tallies[n].messages > everywhere for n in held if terms[n].telling)
