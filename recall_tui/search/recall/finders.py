"""Where a term stands in a block: which messages hold it within their horizon, and how often."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final, Protocol

from recall_tui.named import NamedTuple
from recall_tui.search.recall import policy
from recall_tui.search.recall.words import TOKEN, is_unspaced
from recall_tui.text.find import characters, searchable
from recall_tui.text.words import is_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recall_tui.search.predicate import Admits
    from recall_tui.search.recall.terms import Term
    from recall_tui.search.recall.words import Word
    from recall_tui.store.block import Block, Meta
    from recall_tui.text.find import Searchable

_ALNUM: Final = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789")


class Finder(Protocol):
    """Counts one term."""

    def everywhere(
        self, held: Held, meta: Meta, text: Text, admits: Admits
    ) -> tuple[dict[int, float], int]:
        """Return message index -> count, and how many hold it beyond their horizon only.

        Args:
            held: Where the term first is.
            meta: Of the block.
            text: The block's.
            admits: Which messages count.
        """
        ...

    def count(self, text: Text, needle: bytes, at: int, end: int) -> float:
        """Return how much of the term is in [at, end).

        Args:
            text: The text.
            needle: One of the term's.
            at: Where the needle was found, or anywhere before.
            end: Of what is looked at.
        """
        ...


class Text(NamedTuple):
    """Folded bytes, and the same as something to search."""

    fold: bytes
    view: Searchable

    @classmethod
    def of(cls, fold: bytes) -> Text:
        """Return folded bytes as a text."""
        return cls(fold, searchable(fold))


class Literal:
    """A plain substring: counts are exact, not overlapping (S0-70)."""

    def everywhere(
        self, held: Held, meta: Meta, text: Text, admits: Admits
    ) -> tuple[dict[int, float], int]:
        """Return message index -> count, and how many hold it beyond their horizon only."""
        offsets, horizons = meta.fold_offsets, meta.horizons
        find, count, (needle,) = text.view.find, text.view.count, held.needles
        found: dict[int, float] = {}
        beyond, index, at = 0, -1, held.at
        while at >= 0:
            index = bisect_right(offsets, at, index + 1) - 1
            after = offsets[index + 1]
            if admits is None or admits(index):
                end = min(offsets[index] + horizons[index], after)
                weight = count(needle, at, end) if at < end else 0
                if weight:
                    found[index] = weight
                else:
                    beyond += 1
            at = find(needle, after)
        return found, beyond

    def count(self, text: Text, needle: bytes, at: int, end: int) -> float:
        """Return how often the literal stands in [at, end)."""
        return text.view.count(needle, at, end)


class Forms:
    """A word in any of its forms: counts stop at `policy.TF_CAP`."""

    def __init__(self, word: Word) -> None:
        self._word = word

    def everywhere(
        self, held: Held, meta: Meta, text: Text, admits: Admits
    ) -> tuple[dict[int, float], int]:
        """Return message index -> count, and how many hold it beyond their horizon only."""
        offsets, horizons = meta.fold_offsets, meta.horizons
        find, count = text.view.find, self.count
        found: dict[int, float] = {}
        beyond: set[int] = set()
        at = held.at
        for needle in held.needles:
            index = -1
            if at < 0:
                at = find(needle)
            while at >= 0:
                index = bisect_right(offsets, at, index + 1) - 1
                start, after = offsets[index], offsets[index + 1]
                if admits is None or admits(index):
                    end = min(start + horizons[index], after - 1)
                    weight = count(text, needle, at, end) if at < end else 0
                    if weight:
                        found[index] = found.get(index, 0.0) + weight
                    elif (
                        end < after - 1 and find(needle, max(at, end - len(needle) + 1), after) >= 0
                    ):
                        beyond.add(index)
                at = find(needle, after)
        return found, len(beyond.difference(found))

    def count(self, text: Text, needle: bytes, at: int, end: int) -> float:
        """Return what the forms that begin in [at, end) weigh together.

        Near forms count where there is no other, and then once: else a message full of "timeouts"
        would be worth more to who asks for "timeouterror" than one that says it.
        """
        fold, find = text.fold, text.view.find
        known, token, step = self._word.weights, TOKEN.match, len(needle)
        count = near = 0.0
        at = find(needle, at, end)
        while at >= 0:
            before = fold[at - 1] if at else 0
            if before not in _ALNUM and (before < 0x80 or _starts(fold, at, self._word)):
                form = token(fold, at)[0]  # type: ignore[index]
                weight = known.get(form)
                if weight is None:
                    weight = self._word.weight(form)
                if weight == policy.NEAR_FORM:
                    near = weight
                else:
                    count += weight
                    if count >= policy.TF_CAP:
                        break
            at = find(needle, at + step, end)
        return count or near


def finder(term: Term) -> Finder:
    """Return what counts a term."""
    return Literal() if term.word is None else Forms(term.word)


class Held(NamedTuple):
    """A term whose needle is somewhere in a block."""

    term: int
    """Number of the term."""
    needles: tuple[bytes, ...]
    """Its needles from the first that is there."""
    at: int
    """Where that one first is."""


def among(
    finder: Finder, needles: Sequence[bytes], indices: Iterable[int], block: Block, text: Text
) -> dict[int, float]:
    """Return message index -> count, looking at some messages only."""
    found: dict[int, float] = {}
    for index in indices:
        start, end = visible(block.meta, index)
        weight = sum([finder.count(text, needle, start, end) for needle in needles])
        if weight:
            found[index] = weight
    return found


def visible(meta: Meta, index: int) -> tuple[int, int]:
    """Return the [start, end) of a message in `fold` as far as the agents' path sees it."""
    start = meta.fold_offsets[index]
    return start, min(start + meta.horizons[index], meta.fold_offsets[index + 1] - 1)


def lengths(meta: Meta, fold: bytes, indices: Iterable[int]) -> dict[int, int]:
    """Return message index -> visible characters (S0-69)."""
    offsets, horizons = meta.fold_offsets, meta.horizons
    return {
        i: characters(fold[offsets[i] : min(offsets[i] + horizons[i], offsets[i + 1] - 1)])
        for i in indices
    }


def _starts(fold: bytes, at: int, word: Word) -> bool:
    """Whether a word may begin behind a character beyond ASCII.

    Not behind a letter, unless that is of a script without blanks and the word is not.
    """
    if fold[at - 1] >= 0xFE:
        return True
    low = at - 1
    while low > 0 and at - low < 4 and 0x80 <= fold[low] < 0xC0:
        low -= 1
    last = fold[low:at].decode("utf-8", "ignore")[-1:] or " "
    return not is_word(last) or (not word.unspaced and is_unspaced(last))
