"""Passages: an anchor and the visible neighbours of its turn, in byte budgets (S0-83 ... S0-99).

The anchor takes budget first, then its neighbours by turns before and after, so that what lies
farthest is what is dropped. Sizes are those of the JSON a message becomes. Every text is readable
redacted text; a secret is a mark in the store already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from recall_tui.model import Kind
from recall_tui.named import NamedTuple
from recall_tui.search.recall import policy, wire
from recall_tui.search.recall.envelope import PassageMessage
from recall_tui.text.cut import cut_bytes, grapheme_start
from recall_tui.text.fold import fold
from recall_tui.text.marks import shown
from recall_tui.text.suspicion import suspicious

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recall_tui.model import Message
    from recall_tui.search.ports import Corpus

VISIBLE: Final = frozenset({Kind.PROMPT, Kind.DELEGATION, Kind.ANSWER, Kind.TOOL_CALL})
"""Neighbours (S0-86). A tool result is only ever an anchor."""

_SPARE: Final = 4
"""Neighbours read beyond the window, for those that turn out to be empty."""

_LEAD_CHARS: Final = 200
"""Shown before the first match when a long message is not shown from its beginning."""


class Window(NamedTuple):
    """Part of a turn, ready to be shown."""

    messages: tuple[PassageMessage, ...]
    has_more_before: bool
    has_more_after: bool
    truncated: bool


class Turn(NamedTuple):
    """The turn an anchor stands in."""

    corpus: Corpus
    session: int
    """Row id."""
    kinds: bytes | bytearray
    """Kind of each message of the session by position."""
    first: int
    """Position it begins at, -1 for what stands before any prompt."""
    after: int
    """Position the next turn begins at."""


def window(
    turn: Turn,
    anchor: int,
    before: int,
    after: int,
    budget: int,
    needles: Sequence[str] = (),
    *,
    digest: int = -1,
) -> Window | None:
    """Return the anchor with its neighbours; None when it is no longer there, or shows nothing.

    Args:
        turn: Where it stands.
        anchor: Position.
        before: Neighbours wanted before it; `after` likewise.
        after: Neighbours wanted after it.
        budget: UTF-8 bytes all messages together may take as JSON.
        needles: Folded texts; a long anchor is shown from shortly before the first of them.
        digest: Of the message that was found to match; another one in its place, written since
            then, is never passed off as it (S0-98). -1 takes whatever stands there.
    """
    earlier, later = _neighbours(turn, anchor, before, after)
    low = min(earlier, default=anchor)
    high = max(later, default=anchor)
    held = {m.position: m for m in turn.corpus.messages(turn.session, low, high + 1)}
    central = held.get(anchor)
    if central is None or not _shows(central) or digest not in (-1, central.digest):
        return None
    earlier = [p for p in earlier if p in held and _shows(held[p])]
    later = [p for p in later if p in held and _shows(held[p])]
    middle, size, cut = _shown(central, budget, is_anchor=True, needles=needles)
    left = budget - size
    sides = (_Side([held[p] for p in earlier], before), _Side([held[p] for p in later], after))
    while any(side.open for side in sides):
        for side in sides:
            left, shortened = side.take(left)
            cut = cut or shortened
    head, tail = sides
    return Window(
        (*reversed(head.taken), middle, *tail.taken), head.more, tail.more,
        cut or head.dropped or tail.dropped,
    )  # fmt: skip


class _Side:
    """The neighbours on one side, nearest first."""

    def __init__(self, waiting: list[Message], wanted: int) -> None:
        self._waiting = waiting
        self._wanted = wanted
        self.taken: list[PassageMessage] = []
        self.dropped = False

    @property
    def open(self) -> bool:
        """Whether another neighbour is wanted, there, and may fit."""
        return (
            not self.dropped
            and len(self.taken) < self._wanted
            and len(self.taken) < len(self._waiting)
        )

    @property
    def more(self) -> bool:
        """Whether visible neighbours lie beyond what was taken."""
        return len(self._waiting) > len(self.taken)

    def take(self, left: int) -> tuple[int, bool]:
        """Take the next neighbour if it fits; return the bytes left and whether it was cut."""
        if not self.open:
            return left, False
        message, size, cut = _shown(self._waiting[len(self.taken)], policy.MESSAGE_BYTES)
        if size > left:
            self.dropped = True
            return left, False
        self.taken.append(message)
        return left - size, cut


def _neighbours(turn: Turn, anchor: int, before: int, after: int) -> tuple[list[int], list[int]]:
    """Return positions of visible neighbours in the turn, nearest first, a few more than wanted."""
    kinds = turn.kinds
    earlier: list[int] = []
    at = anchor - 1
    while at >= max(turn.first, 0) and len(earlier) < before + _SPARE:
        if kinds[at] in VISIBLE:
            earlier.append(at)
        at -= 1
    later: list[int] = []
    at = anchor + 1
    while at < min(turn.after, len(kinds)) and len(later) < after + _SPARE:
        if kinds[at] in VISIBLE:
            later.append(at)
        at += 1
    return earlier, later


def _shows(message: Message) -> bool:
    """Whether there is anything to show (S0-94, S0-95)."""
    return bool(message.text.strip() or message.materials)


def _shown(
    message: Message, budget: int, *, is_anchor: bool = False, needles: Sequence[str] = ()
) -> tuple[PassageMessage, int, bool]:
    """Return a message as it is answered, its bytes, and whether it was cut to the budget."""
    seen = message.text if message.horizon < 0 else message.text[: message.horizon]
    text = shown(seen)
    limit = min(policy.MESSAGE_BYTES, max(0, budget))
    materials = message.materials[: policy.MAX_MATERIALS]
    focused = _focus(text, needles, limit)
    while True:
        short, cut = cut_bytes(focused, limit)
        cut = cut or len(focused) < len(text) or len(seen) < len(message.text)
        answer = PassageMessage(
            message.reference, message.kind, message.time_ms, short, cut, is_anchor,
            message.tool, materials, bool(suspicious(short)),
        )  # fmt: skip
        size = wire.size(answer)
        if size <= budget or limit <= 3:
            return answer, size, cut
        limit = max(3, limit - (size - budget))


def _focus(text: str, needles: Sequence[str], limit: int) -> str:
    """Return a text from shortly before its first match, if that would otherwise be cut off."""
    if len(text) * 4 <= limit or not needles or len(text.encode("utf-8", "replace")) <= limit:
        return text
    # Folding moves offsets by little; what matters here is only which part is shown.
    folded = fold(text)
    found = [at for needle in needles if (at := folded.find(needle)) >= 0]
    first = min(found, default=0)
    if first < limit // 2:
        return text
    begin = grapheme_start(text, max(0, first - _LEAD_CHARS))
    return f"…{text[begin:]}"
