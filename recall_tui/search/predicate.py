"""The predicate: what it means that a message matches, once, for every corpus and both paths.

A literal that ignores case is looked for in the folded bytes of a block with one SIMD `find` per
matching message; separators (0xFF) and redaction marks (0xFE) are bytes no needle can hold.
Everything else (exact case, regular expressions) is *verified*: folded literals that a match
cannot do without name the messages worth reading, and the pattern runs on their plain text.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from recall_tui.errors import QueryError
from recall_tui.named import NamedTuple
from recall_tui.search.plain import MARK, Ruler, as_needle, nfc, plain, solid, stretches
from recall_tui.search.results import Case
from recall_tui.store.block import SEPARATOR
from recall_tui.text.find import searchable
from recall_tui.text.fold import fold, fold_aligned
from recall_tui.text.words import is_word, whole_word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from regex import Pattern

    from recall_tui.search.results import GrepQuery
    from recall_tui.store.block import Block
    from recall_tui.text.find import Searchable

Admits: TypeAlias = "Callable[[int], int] | None"
"""Whether the message of an index may match at all; None admits every one."""

PATIENCE: Final = 3
"""Blocks that may run out of time before a pattern is given up: the wait stays bounded, ..."""

PACE: Final = 10_000_000
"""... also where none does: beyond a second for so many characters its time is lost as well. A
pattern that does not go back over what it has read is several times as fast."""

_GRACE_S: Final = 0.2
"""Time to mark a hit when patience is at its end."""


class Found(NamedTuple):
    """What one block holds."""

    indices: Sequence[int]
    """Matching messages by index in the block, ascending."""
    occurrences: int
    """Matches in them, not overlapping."""
    unsearched: int = 0
    """Messages that were not tried because time ran out."""


class Tally(NamedTuple):
    """How much one block holds."""

    messages: int
    """Messages that match."""
    occurrences: int
    """Matches in them, not overlapping."""
    unsearched: int = 0
    """Messages that were not tried because time ran out."""


class Predicate(Protocol):
    """A compiled question. One object serves one search: it counts the time it has lost."""

    def possible(self, block: Block) -> bool:
        """Whether the block may hold a match; decided from its folded bytes alone."""
        ...

    def search(self, block: Block, first: int = 0, admits: Admits = None) -> Found:
        """Return the matches of a block among messages of index `first` and up."""
        ...

    def tally(self, block: Block) -> Tally:
        """Return how many matches a block holds: `search` without saying where."""
        ...

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the character spans of the matches in plain text, ascending, not overlapping."""
        ...

    def count(self, text: str) -> int:
        """Return how many matches plain text holds."""
        ...


def compile_query(query: GrepQuery) -> Predicate:
    """Return the predicate of a query.

    Raises:
        QueryError: The pattern is empty, or not a regular expression.
    """
    pattern = query.pattern
    if not pattern:
        raise QueryError("nothing to search for", "give a word, a phrase or a pattern")
    if query.regex:
        from recall_tui.search.pattern import (  # noqa: PLC0415 - for regular expressions only
            compile_pattern,
            letters,
            required,
        )

        exact = _exact(query.case, letters(pattern))
        compiled = compile_pattern(pattern, ignore_case=not exact, word=query.word)
        return Regex(compiled, required(pattern, ignore_case=not exact), query.timeout_s)
    kind = Exact if _exact(query.case, pattern) else Literal
    # A mark is out of reach even for someone who types one; no stored text holds a lone surrogate.
    return kind(pattern.replace(MARK, "\ud800"), word=query.word)


def _exact(case: Case, letters: str) -> bool:
    """Whether letters compare as they are; smart case looks for an upper-case one."""
    if case is Case.SMART:
        return any(letter.isupper() or letter.istitle() for letter in letters)
    return case is Case.EXACT


class Literal:
    """A literal whose letters compare folded. Reads nothing but the folded bytes."""

    __slots__ = ("_folded", "_last", "_needle", "_word")

    def __init__(self, pattern: str, *, word: bool = False) -> None:
        self._folded = fold(pattern)
        self._needle = as_needle(self._folded)
        self._word = word
        self._last = ("", ("", True))

    def possible(self, block: Block) -> bool:
        """Whether the block holds the literal: one `find`."""
        return searchable(block.fold).find(self._needle) >= 0

    def search(self, block: Block, first: int = 0, admits: Admits = None) -> Found:
        """Return the matches of a block."""
        if self._word:
            return self._whole_words(block, first, admits)
        view, needle = searchable(block.fold), self._needle
        indices = messages_holding(view, block.meta.fold_offsets, needle, first)
        if admits is None:
            return Found(indices, view.count(needle, block.meta.fold_offsets[first]))
        admitted = [index for index in indices if admits(index)]
        spans = map(block.meta.fold_span, admitted)
        return Found(admitted, sum(view.count(needle, start, end) for start, end in spans))

    def tally(self, block: Block) -> Tally:
        """Return how many matches a block holds; its bytes alone say where a message ends."""
        if self._word:
            return tallied(self.search(block))
        view, needle = searchable(block.fold), self._needle
        find, count = view.find, view.count
        messages = occurrences = 0
        at = find(needle)
        while at >= 0:
            messages += 1
            end = find(SEPARATOR, at)
            if end < 0:
                occurrences += count(needle, at)
                break
            occurrences += count(needle, at, end)
            at = find(needle, end)
        return Tally(messages, occurrences)

    def _whole_words(self, block: Block, first: int, admits: Admits) -> Found:
        """Return the messages where the literal stands alone: each `find` is looked at."""
        data, needle, offsets = block.fold, self._needle, block.meta.fold_offsets
        view = searchable(data)
        indices: list[int] = []
        occurrences = 0
        limit = offsets[first]
        at = view.find(needle, limit)
        while at >= 0:
            if at >= limit:  # the first find in a new message
                index = bisect_right(offsets, at) - 1
                limit = offsets[index + 1]
                if admits is not None and not admits(index):
                    at = view.find(needle, limit)
                    continue
            end = at + len(needle)
            if not whole_word(data, at, end):
                at = view.find(needle, at + 1)
                continue
            occurrences += 1
            if not indices or indices[-1] != index:
                indices.append(index)
            at = view.find(needle, end)
        return Found(indices, occurrences)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the matches; half of a character (an s of sharp s) counts as all of it, once."""
        folded, aligned = self._fold(text)
        found = literal_spans(folded, self._folded, word=self._word)
        if aligned:
            yield from found
            return
        ruler = Ruler(text)
        last = 0
        for folded_start, folded_end in found:
            start, end = ruler.span(folded_start, folded_end)
            if end > last:
                yield max(start, last), end
                last = end

    def count(self, text: str) -> int:
        """Return how many matches plain text holds."""
        folded, _ = self._fold(text)
        if self._word:
            return sum(1 for _ in literal_spans(folded, self._folded, word=True))
        return folded.count(self._folded)

    def _fold(self, text: str) -> tuple[str, bool]:
        """Return `fold_aligned` of a text; an excerpt asks twice about the same one."""
        known, folded = self._last
        if known is not text:
            folded = fold_aligned(text)
            self._last = text, folded
        return folded


class _Verified:
    """A question put to plain text; needles in the folded bytes say which messages to read."""

    __slots__ = ("_needles",)

    def __init__(self, needles: Sequence[bytes]) -> None:
        self._needles = needles

    def possible(self, block: Block) -> bool:
        """Whether the block holds one of the needles; yes when there are none."""
        view = searchable(block.fold)
        return not self._needles or any(view.find(needle) >= 0 for needle in self._needles)

    def candidates(self, block: Block, first: int, admits: Admits) -> Sequence[int]:
        """Return the admitted messages from `first` on that hold one of the needles."""
        found: Sequence[int] = range(first, len(block.meta))
        if self._needles:
            view, offsets = searchable(block.fold), block.meta.fold_offsets
            held = [messages_holding(view, offsets, needle, first) for needle in self._needles]
            found = held[0] if len(held) == 1 else sorted(set().union(*held))
        return found if admits is None else [index for index in found if admits(index)]


class Exact(_Verified):
    """A literal whose letters compare as they are, after NFC on both sides."""

    __slots__ = ("_pattern", "_word")

    def __init__(self, pattern: str, *, word: bool = False) -> None:
        self._pattern = nfc(pattern)
        self._word = word
        super().__init__(solid(self._pattern, turkic=False))

    def search(self, block: Block, first: int = 0, admits: Admits = None) -> Found:
        """Return the matches of a block; only messages that hold the folded literal are read."""
        indices: list[int] = []
        occurrences = 0
        for index in self.candidates(block, first, admits):
            if count := self.count(plain(block.text_of(index))):
                indices.append(index)
                occurrences += count
        return Found(indices, occurrences)

    def tally(self, block: Block) -> Tally:
        """Return how many matches a block holds."""
        return tallied(self.search(block))

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the matches in plain text."""
        return literal_spans(text, self._pattern, word=self._word)

    def count(self, text: str) -> int:
        """Return how many matches plain text holds."""
        return sum(1 for _ in self.spans(text)) if self._word else text.count(self._pattern)


class Regex(_Verified):
    """A regular expression over plain text, with bounded patience."""

    __slots__ = ("_patience_s", "_pattern", "_timeout_s")

    def __init__(self, pattern: Pattern[str], needles: Sequence[bytes], timeout_s: float) -> None:
        super().__init__(needles)
        self._pattern = pattern
        self._timeout_s = timeout_s
        self._patience_s = timeout_s * PATIENCE

    def search(self, block: Block, first: int = 0, admits: Admits = None) -> Found:
        """Return the matches of a block, and how many messages were left when time ran out."""
        todo = self.candidates(block, first, admits)
        indices: list[int] = []
        occurrences = read = unsearched = 0
        started = time.monotonic()
        deadline = started + min(self._timeout_s, self._patience_s)
        for done, index in enumerate(todo):
            text = plain(block.text_of(index))
            try:
                count = sum(1 for _ in self._spans(text, deadline))
            except (TimeoutError, MemoryError):
                unsearched = len(todo) - done
                break
            read += len(text)
            if count:
                indices.append(index)
                occurrences += count
        self._patience_s -= max(0.0, time.monotonic() - started - read / PACE)
        return Found(indices, occurrences, unsearched)

    def tally(self, block: Block) -> Tally:
        """Return how many matches a block holds."""
        return tallied(self.search(block))

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the matches in plain text; those that would take too long are left out."""
        patience_s = max(_GRACE_S, min(self._timeout_s, self._patience_s))
        try:
            yield from self._spans(text, time.monotonic() + patience_s)
        except (TimeoutError, MemoryError):
            return

    def count(self, text: str) -> int:
        """Return how many matches plain text holds, of those found in time."""
        return sum(1 for _ in self.spans(text))

    def _spans(self, text: str, deadline: float) -> Iterator[tuple[int, int]]:
        for start, end in stretches(text):
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            for match in self._pattern.finditer(text, start, end, concurrent=True, timeout=left):
                yield match.span()


def tallied(found: Found) -> Tally:
    """Return the numbers of what was found."""
    return Tally(len(found.indices), found.occurrences, found.unsearched)


def messages_holding(
    view: Searchable, offsets: Sequence[int], needle: bytes, first: int = 0
) -> list[int]:
    """Return the indices of the messages that hold a needle, from `first` on.

    After a find the search goes on in the next message, so a common word costs one `find` a
    message and not one an occurrence.
    """
    indices: list[int] = []
    find, found, behind = view.find, indices.append, first
    at = find(needle, offsets[first])
    while at >= 0:
        behind = bisect_right(offsets, at, behind)  # the message after the one found
        found(behind - 1)
        at = find(needle, offsets[behind])
    return indices


def literal_spans(text: str, needle: str, *, word: bool) -> Iterator[tuple[int, int]]:
    """Yield the spans of a literal in text, not overlapping; `word`: touching no word character."""
    at = text.find(needle)
    while at >= 0:
        end = at + len(needle)
        if word and (
            (at > 0 and is_word(text[at - 1])) or (end < len(text) and is_word(text[end]))
        ):
            at = text.find(needle, at + 1)
            continue
        yield at, end
        at = text.find(needle, end)
