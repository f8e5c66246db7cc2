"""What is shown of a match: readable text around it, and where in it the matches are."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING, Final

from recall_tui.named import NamedTuple
from recall_tui.search.plain import MARK, plain
from recall_tui.text.fold import joins
from recall_tui.text.late import late
from recall_tui.text.marks import CLOSE, OPEN, shown

if TYPE_CHECKING:
    from recall_tui.search.predicate import Predicate

EXCERPT_CHARS: Final = 400
"""Longest excerpt: three lines of a wide terminal."""

_LEAD_CHARS: Final = 120
"""Most of it that stands before the first match: the reader wants what follows."""

_SNAP_CHARS: Final = 40
"""How far a cut moves to fall between two words."""

_MARKS: Final = late(f"{OPEN}[^{CLOSE}]*{CLOSE}")
_JOINERS: Final = "\u200d\ufe0e\ufe0f"
"""ZWJ and variation selectors: no cut before or after them."""

Spans = tuple[tuple[int, int], ...]


class Excerpt(NamedTuple):
    """Readable text of a message with its matches."""

    text: str
    spans: Spans
    """Character spans of the matches inside `text`, ascending."""
    occurrences: int
    """Matches in the whole message."""
    cut: bool
    """`text` is not the whole message."""


def excerpt(marked: str, predicate: "Predicate", chars: int = EXCERPT_CHARS) -> Excerpt:
    """Return at most `chars` characters around the first match, cut at lines or words.

    A message without a match (its time ran out) is shown from its beginning.
    """
    text = plain(marked)
    found = predicate.spans(text)
    first = next(found, (0, 0))
    low, high = max(0, first[0] - chars), first[0] + 2 * chars
    near = [first, *takewhile(lambda span: span[0] < high, found)]
    passed = text.count(MARK, 0, low)
    readable = _Readable(text[low:high], _marks(marked)[passed:])
    places = [(readable.offset(a - low), readable.offset(b - low)) for a, b in near]
    begin, end = _window(readable.text, *places[0], chars)
    inside = ((max(a, begin) - begin, min(b, end) - begin) for a, b in places)
    cut = low > 0 or high < len(text) or begin > 0 or end < len(readable.text)
    return Excerpt(
        readable.text[begin:end],
        tuple((a, b) for a, b in inside if a < b),
        predicate.count(text),
        cut,
    )


def whole(marked: str, predicate: "Predicate") -> tuple[str, Spans]:
    """Return a message as a person reads it (NFC), and the spans of all matches in it."""
    text = plain(marked)
    readable = _Readable(text, _marks(marked))
    spans = ((readable.offset(a), readable.offset(b)) for a, b in predicate.spans(text) if a < b)
    return readable.text, tuple(spans)


def _marks(marked: str) -> list[str]:
    """Return the marks of a text in words."""
    if OPEN not in marked:
        return []
    return [shown(mark) for mark in _MARKS.findall(marked)]


class _Readable:
    """Plain text with its marks written out, and where each plain character has gone."""

    __slots__ = ("_growth", "_places", "text")

    def __init__(self, text: str, marks: Sequence[str]) -> None:
        pieces = text.split(MARK)
        words = marks[: len(pieces) - 1]
        self._places = list(accumulate((len(p) + 1 for p in pieces[:-1]), initial=-1))[1:]
        self._growth = list(accumulate((len(word) - 1 for word in words), initial=0))
        self.text = pieces[0] + "".join(w + p for w, p in zip(words, pieces[1:], strict=True))

    def offset(self, at: int) -> int:
        """Return the place of a plain character; past the end counts on."""
        return at + self._growth[bisect_left(self._places, at)]


def _window(text: str, start: int, stop: int, chars: int) -> tuple[int, int]:
    """Return the [begin, end) of an excerpt that holds the start of the match [start, stop)."""
    if len(text) <= chars:
        return 0, len(text)
    begin = max(0, min(start - _LEAD_CHARS, len(text) - chars))
    if begin > 0:
        begin = _snapped_begin(text, begin, start)
    end = min(begin + chars, len(text))
    if end < len(text):
        end = _snapped_end(text, max(min(stop, end), begin + 1), end)
    return begin, end


def _snapped_begin(text: str, begin: int, start: int) -> int:
    """Move a cut forward, at most to `start`: to a line, else a word, else a character."""
    line = text.find("\n", begin - 1, start)
    if line >= 0:
        return line + 1
    for at in range(begin, min(begin + _SNAP_CHARS, start)):
        if text[at - 1].isspace():
            return at
    while begin < start and _inside(text, begin):
        begin += 1
    return begin


def _snapped_end(text: str, stop: int, end: int) -> int:
    """Move a cut back, at most to `stop`: to a line's end, else a word's, else a character's."""
    line = text.rfind("\n", max(stop, end - 3 * _SNAP_CHARS), end + 1)
    if line >= 0:
        return line
    for at in range(end, max(stop, end - _SNAP_CHARS), -1):
        if text[at].isspace():
            return at
    while end > stop and _inside(text, end):
        end -= 1
    return end


def _inside(text: str, at: int) -> bool:
    """Whether a cut at an offset would part what is drawn as one character."""
    return joins(text[at]) or text[at] in _JOINERS or text[at - 1] in _JOINERS
