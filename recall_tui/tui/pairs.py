"""Which output belongs to which tool call, told from a window of a session's messages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from recall_tui.model import Flag, Kind
from recall_tui.named import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recall_tui.history import History
    from recall_tui.model import Message, Session

_NEAR: Final = 8
"""Messages before and after a page that are looked at for the other half of a pair."""

_FAR: Final = 64
"""So many where a half is still missing: calls that run side by side end in any order."""

_SPOKEN: Final = frozenset({Kind.PROMPT, Kind.ANSWER})


class Outcome(NamedTuple):
    """How a tool call ended, as its result says."""

    failed: bool = False
    duration_ms: int = 0
    missing: bool = False
    """The session went on and no result ever came."""


@dataclass(slots=True, frozen=True)
class Pairs:
    """The calls and the outputs of some messages, as they belong together."""

    outcomes: Mapping[int, Outcome] = field(default_factory=dict)
    """How each call ended, by its position; none of one that may be running."""
    calls: Mapping[int, Message] = field(default_factory=dict)
    """The call of each output, by the output's position."""

    def apart(self, message: Message) -> Message | None:
        """Return the call an output is of when it does not stand right below it."""
        made_by = self.calls.get(message.position)
        return made_by if made_by and made_by.position != message.position - 1 else None


def pairs_of(messages: Sequence[Message]) -> Pairs:
    """Return which outputs belong to which calls.

    An output belongs to the last call before it with its native id: some models count their calls
    anew in every turn. Where a format has no ids, it belongs to a call that alone waits for one.

    Args:
        messages: In order.
    """
    outcomes: dict[int, Outcome] = {}
    calls: dict[int, Message] = {}
    named: dict[str, Message] = {}
    nameless: list[Message] = []
    spoken = -1
    for message in messages:
        if message.kind is Kind.TOOL_CALL:
            if message.call:
                named[message.call] = message
            else:
                nameless.append(message)
        elif message.kind is Kind.TOOL_RESULT:
            call = named.get(message.call) if message.call else _alone(nameless)
            if call is not None:
                failed = bool(message.flags & Flag.FAILED)
                outcomes[call.position] = Outcome(failed, message.duration_ms)
                calls[message.position] = call
        elif message.kind in _SPOKEN and not message.flags & Flag.WITHIN:
            nameless.clear()
            spoken = message.position
    for call in messages:
        if call.kind is Kind.TOOL_CALL and call.call and call.position < spoken:
            outcomes.setdefault(call.position, Outcome(missing=True))
    return Pairs(outcomes, calls)


def _alone(waiting: list[Message]) -> Message | None:
    """Return the only call that waits; of several nobody can tell which one an output is of."""
    return waiting.pop() if len(waiting) == 1 else None


def read_paired(
    history: History, session: Session, start: int, stop: int
) -> tuple[list[Message], Pairs]:
    """Read some messages and which of their calls and outputs belong together.

    Args:
        history: Where to read.
        session: Whose messages.
        start: Position of the first.
        stop: Position after the last.
    """
    low, high = start - _NEAR, stop + _NEAR
    for more in (_FAR, 0):
        messages = history.messages(session, max(0, low), high)
        pairs = pairs_of(messages)
        shown = [message for message in messages if start <= message.position < stop]
        early, late = _halves(shown, pairs)
        if not more or not (early or late):
            break
        low, high = low - more * early, high + more * late
    return shown, pairs


def _halves(shown: Sequence[Message], pairs: Pairs) -> tuple[bool, bool]:
    """Return whether an output's call, and whether a call's output, may stand further away."""
    named = [message for message in shown if message.call]
    early = any(m.kind is Kind.TOOL_RESULT and m.position not in pairs.calls for m in named)
    ends = (pairs.outcomes.get(m.position, _NONE) for m in named if m.kind is Kind.TOOL_CALL)
    return early, any(end.missing for end in ends)


_NONE: Final = Outcome(missing=True)
