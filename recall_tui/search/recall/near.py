"""Words that follow each other in a question and stand near each other in a message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from recall_tui.search.recall import policy
from recall_tui.search.recall.scan import visible
from recall_tui.search.recall.words import TOKEN
from recall_tui.text.find import searchable

if TYPE_CHECKING:
    from recall_tui.search.recall.scan import Scanned
    from recall_tui.search.recall.terms import Term
    from recall_tui.store.block import Block

_BYTES: Final = 24 * policy.ADJACENT_TOKENS
"""Two words further apart than this are not counted out."""


def side_by_side(found: Scanned, blocks: list[tuple[int, Block]]) -> dict[int, int]:
    """Return, for each term that is followed by another, the messages where both stand together.

    Args:
        found: The scan.
        blocks: Blocks of one session with their places in `found.blocks`, -1 without hits.
    """
    together: dict[int, int] = {}
    for number, (left, right) in enumerate(zip(found.terms, found.terms[1:], strict=False)):
        if left.word is None or right.word is None:
            continue
        for at, block in blocks:
            if at < 0:
                continue
            for index in _both(found, number, at):
                if _near(block, index, left, right):
                    together[number] = together.get(number, 0) + 1
    return together


def _both(found: Scanned, number: int, place: int) -> set[int]:
    """Return the messages of a block that hold a term and the next one."""
    base = found.blocks[place].base
    sets = []
    for hits in found.hits[number : number + 2]:
        start, end = hits.of_block(place)
        sets.append({at - base for at in hits.numbers[start:end]})
    return sets[0] & sets[1]


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
