"""A session as turns: what a person asked, what the agent did and said, in bounded memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from recall_tui.model import Flag, Kind
from recall_tui.playbooks.acts import PATCHED, Act, Doing, relative, touched
from recall_tui.text import notation
from recall_tui.text.cut import grapheme_start

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from recall_tui.model import Message, Session
    from recall_tui.playbooks.ports import Past

CHUNK: Final = 500
"""Messages read at a time."""

GAP: Final = 16
"""Messages read for nothing rather than asking once more."""

HEAD_CHARS: Final = 6000
TAIL_CHARS: Final = 2000
"""Of a longer text the beginning and the end are kept: an error stands in the last lines."""

NAMED: Final = 6
"""Edited files named, the rest is counted."""

OPENING: Final = frozenset({Kind.PROMPT, Kind.DELEGATION})
"""Kinds that begin a turn."""

_ASIDE: Final = Flag.ABANDONED | Flag.SIDECHAIN


@dataclass(slots=True)
class Turn:
    """From one prompt to the next."""

    prompt: Message | None = None
    """None for what happened before the first."""
    answers: list[Message] = field(default_factory=list)
    acts: list[Act] = field(default_factory=list)
    summary: Message | None = None
    """The program's own summary, when the conversation was compacted in this turn."""
    last: Message | None = None
    """The last message of any kind."""
    interrupted: bool = False
    """The person or an error stopped it, and the agent said nothing after."""

    @property
    def answer(self) -> Message | None:
        """The last thing the agent said."""
        return self.answers[-1] if self.answers else None

    def did(self, kind: Doing) -> list[Act]:
        """Return its acts of a kind, in order."""
        return [act for act in self.acts if act.doing is kind]

    def edited(self, cwd: str) -> tuple[str, ...]:
        """Return the files it changed, in order, each once."""
        changing = (act for act in self.acts if act.doing in (Doing.EDIT, Doing.RUN))
        return tuple(
            dict.fromkeys(p for act in changing if not act.failed for p in touched(act.call, cwd))
        )

    def deeds(self, cwd: str) -> str:
        """Return what was done in words: `12 tool calls · 1 failed · edited a.py`, or nothing."""
        if not self.acts:
            return ""
        failed = sum(act.failed for act in self.acts)
        edited = [relative(path, cwd) for path in self.edited(cwd)]
        words = [notation.counted(len(self.acts), "tool call")]
        words += [f"{failed:,} failed"] if failed else []
        words += [f"edited {', '.join(edited[:NAMED])}"] if edited else []
        words += [f"{len(edited) - NAMED:,} more files"] if len(edited) > NAMED else []
        return " · ".join(words)


def bounded(message: Message) -> Message:
    """Return a message whose text is its beginning and its end when it is long.

    Of a long tool call the beginning is kept, and the names of the files it patches.
    """
    text = message.text
    if len(text) <= HEAD_CHARS + TAIL_CHARS:
        return message
    head = text[: grapheme_start(text, HEAD_CHARS)]
    if message.kind is not Kind.TOOL_CALL:
        tail = text[grapheme_start(text, len(text) - TAIL_CHARS) :]
        return message._replace(text=f"{head}\n…\n{tail}")
    seen = len(head) if message.horizon < 0 else min(message.horizon, len(head))
    patched = "\n".join(line[0] for line in PATCHED.finditer(text, len(head)))
    return message._replace(text=f"{head}\n…\n{patched}", horizon=seen)


def read(past: Past, session: Session, positions: Sequence[int]) -> Iterator[Message]:
    """Yield the messages at ascending positions, reading neighbours together."""
    start = 0
    while start < len(positions):
        stop = start + 1
        while (
            stop < len(positions)
            and positions[stop] - positions[stop - 1] <= GAP
            and positions[stop] - positions[start] < CHUNK
        ):
            stop += 1
        wanted = set(positions[start:stop])
        held = past.messages(session, positions[start], positions[stop - 1] + 1)
        yield from (message for message in held if message.position in wanted)
        start = stop


def positions_of(past: Past, session: Session, kinds: Iterable[Kind]) -> list[int]:
    """Return where messages of some kinds stand that are the session's own conversation.

    Left out are leading copies of another session, and what was rewound or said by a subagent.
    """
    outline = past.skeleton(session)
    wanted = {int(kind) for kind in kinds}
    return [
        position
        for position, (kind, flags) in enumerate(zip(outline.kinds, outline.flags, strict=True))
        if position >= session.copied and kind in wanted and not flags & _ASIDE
    ]


def last_turns(past: Past, session: Session, count: int, most: int) -> list[Turn]:
    """Return the last turns of a session, oldest first, copied history included.

    Args:
        past: The history.
        session: Which session.
        count: Turns, at most.
        most: Messages read, at most: of an endless turn its end is kept, beside its prompt.
    """
    outline = past.skeleton(session)
    own = [p for p, flags in enumerate(outline.flags) if not flags & _ASIDE]
    opening = [p for p in own if outline.kinds[p] in OPENING]
    first = opening[-count] if len(opening) >= count else 0
    chosen = [p for p in own if p >= first]
    kept = set(chosen[-most:]) | {p for p in opening if p >= first}
    return turns(map(bounded, read(past, session, sorted(kept))))


def all_turns(past: Past, session: Session, most: int) -> tuple[list[Turn], int]:
    """Return (every turn of a session without copies, messages left out because of `most`)."""
    chosen = positions_of(past, session, Kind)
    return turns(map(bounded, read(past, session, chosen[:most]))), max(0, len(chosen) - most)


def turns(messages: Iterable[Message]) -> list[Turn]:
    """Group messages in order into turns; each call is paired with what came back.

    What happened before the first prompt is a turn of its own, unless nobody did or said a thing.
    """
    found = [Turn()]
    waiting: dict[str, tuple[Turn, int]] = {}
    for message in messages:
        if message.kind in OPENING:
            found.append(Turn(prompt=message, last=message))
        elif message.kind is not Kind.INJECTED:
            _add(found[-1], message, waiting)
    lead = found[0]
    return found if lead.acts or lead.answers or lead.summary else found[1:]


def _add(turn: Turn, message: Message, waiting: dict[str, tuple[Turn, int]]) -> None:
    """Put one message into its turn."""
    turn.last = message
    key = message.call or _UNNAMED
    if message.kind is Kind.TOOL_CALL:
        waiting[key] = (turn, len(turn.acts))
        turn.acts.append(Act(message, None))
    elif message.kind is Kind.TOOL_RESULT:
        owner, index = waiting.pop(key, (turn, -1))
        if index >= 0:
            owner.acts[index] = Act(owner.acts[index].call, message)
    elif message.kind is Kind.ANSWER:
        turn.answers.append(message)
        turn.interrupted = False
    elif message.kind is Kind.SUMMARY:
        turn.summary = message
    elif message.kind is Kind.NOTICE and (message.flags & Flag.FAILED or _stopped(message.text)):
        turn.interrupted = True


_UNNAMED: Final = ""
"""Key of the one waiting call whose program gives no ids."""

_STOPPED: Final = ("interrupted", "aborted", "cancelled", "canceled")


def _stopped(text: str) -> bool:
    """Say whether a notice reports that somebody stopped the agent."""
    head = text[:200].lower()
    return any(word in head for word in _STOPPED)
