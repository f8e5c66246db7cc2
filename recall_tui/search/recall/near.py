"""Words that follow each other in a question and stand near each other in a message."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

from recall_tui.search.recall import policy
from recall_tui.search.recall.finders import visible
from recall_tui.search.recall.words import TOKEN
from recall_tui.text.find import searchable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recall_tui.search.recall.hits import Table
    from recall_tui.search.recall.terms import Term
    from recall_tui.store.block import Block

_BYTES: Final = 24 * policy.ADJACENT_TOKENS
"""Two words further apart than this are not counted out."""


def side_by_side(terms: Sequence[Term], block: Block, table: Table) -> dict[int, int]:
    """Return, for each term that is followed by another, the messages where both stand together.

    Args:
        terms: Of the sentence.
        block: A block.
        table: Its hits.
    """
    together: dict[int, int] = {}
    for number, (left, right) in enumerate(itertools.pairwise(terms)):
        if left.word is None or right.word is None:
            continue
        for index, counts in table.items():
            if number in counts and number + 1 in counts and _near(block, index, left, right):
                together[number] = together.get(number, 0) + 1
    return together


def _near(block: Block, index: int, left: Term, right: Term) -> bool:
    """Whether a message holds a form of both words within a few words of each other."""
    start, end = visible(block.meta, index)
    text = block.fold[start:end]
    lefts, rights = _places(text, left), _places(text, right)
    for one in lefts:
        for other in rights:
            low, high = min(one, other), max(one, other)
            if high - low <= _BYTES and (
                len(TOKEN.findall(text, low, high)) <= policy.ADJACENT_TOKENS
            ):
                return True
    return False


def _places(text: bytes, term: Term) -> list[int]:
    """Return where forms of a word begin in a text; near forms do not count."""
    word = term.word
    assert word is not None
    view = searchable(text)
    found: list[int] = []
    for needle in word.needles:
        at = view.find(needle)
        while at >= 0 and len(found) < policy.TF_CAP:
            match = TOKEN.match(text, at)
            if match is not None and word.weight(match[0]) == 1.0:
                found.append(at)
            at = view.find(needle, at + len(needle))
    return found
