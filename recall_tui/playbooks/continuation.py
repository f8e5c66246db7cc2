"""Continue: where a session stood, whether its place is still there, and how to go on (S3-4)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from recall_tui.model import OWN_SHELL, Filter, Presence, Session, SessionKind
from recall_tui.playbooks import places, programs
from recall_tui.playbooks.acts import Act, Doing, command, plan, projection
from recall_tui.playbooks.programs import Command
from recall_tui.playbooks.turns import Turn, last_turns
from recall_tui.text.marks import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recall_tui.model import Message, Reference
    from recall_tui.playbooks.places import Place
    from recall_tui.playbooks.ports import Past

TURNS: Final = 30
"""Turns looked at (S3-4)."""

MESSAGES: Final = 1500
"""Messages read at most: an agent's turn may hold thousands."""

PLAN_TURNS: Final = 5
"""An older plan was given up or forgotten."""

QUESTION_LINES: Final = 5
"""Last lines of an answer in which a question still waits."""

POINT_CHARS: Final = 300
"""Of an open point, enough to know which one it is."""


class Loose(Enum):
    """Ways in which work is left open; the value is what a person reads."""

    UNANSWERED = "your last prompt has no answer"
    ASKED = "the agent asked and waits"
    OFFERED = "the agent offered to go on"
    INTERRUPTED = "the agent was interrupted"
    UNFINISHED = "a tool call has no result"
    FAILED = "the last result is a failure"
    SILENT = "the agent said nothing after its last result"
    PLANNED = "not done yet in the agent's plan"
    UNCHECKED = "an unticked box in an answer"


@dataclass(slots=True, frozen=True)
class Point:
    """One thing left open, with the message that shows it."""

    loose: Loose
    text: str
    """What it is about, one line of readable text."""
    reference: Reference


@dataclass(slots=True, frozen=True)
class Continuation:
    """Everything needed to decide how to go on with a session."""

    asked: Session
    """The session that was named."""
    session: Session
    """The one that can be resumed: the main session when a subagent was named."""
    turns: tuple[Turn, ...]
    """The last turns, oldest first."""
    open: tuple[Point, ...]
    place: Place
    resume: Command | None
    """None when the program cannot resume it."""
    fork: Command | None
    """Goes on in a copy, where the program can."""
    notes: tuple[str, ...]
    """What will surprise, each one sentence."""


def continuation(past: Past, session: Session, *, turns: int = TURNS) -> Continuation:
    """Return how a session stood at its end and how to go on with it. Nothing is run or written.

    Args:
        past: The history.
        session: What was named; a subagent cannot be resumed, so its main session is offered.
        turns: Turns looked at, at most.
    """
    target, notes = _resumable(past, session)
    ended = last_turns(past, target, turns, MESSAGES)
    place = places.check(target, past.sessions(Filter(include_copies=True)))
    given = programs.given(past, target)
    resume = Command(given.argv, given.cwd, given.warning) if given is not None else None
    fork = programs.fork(target.harness, given) if given is not None else None
    warning = given.warning if given is not None else ""
    if f"{place.cwd} is gone" not in warning:
        notes += place.notes
    if given is None:
        notes.append("The program that wrote it has no command to resume it; hand it off instead.")
    elif warning:
        notes.append(_sentence(warning))
    if resume is not None and not resume.installed:
        notes.append(f"{resume.argv[0]} is not on the PATH of this machine.")
    if target.presence is Presence.GONE:
        notes.append("Its file is gone, so the program itself no longer knows it; hand it off.")
    return Continuation(
        session, target, tuple(ended), tuple(open_points(ended)), place, resume, fork,
        tuple(dict.fromkeys(notes)),
    )  # fmt: skip


def latest(sessions: Sequence[Session]) -> Session | None:
    """Return the newest session a person would go on with: no subagent, with a prompt."""
    mains = [s for s in sessions if s.kind is not SessionKind.SUBAGENT]
    return next((s for s in mains if s.prompts), mains[0] if mains else None)


def _resumable(past: Past, session: Session) -> tuple[Session, list[str]]:
    """Return (the session to resume, what must be said about it)."""
    if session.kind is not SessionKind.SUBAGENT:
        return session, []
    parents = [s for s in past.find(session.parent) if s.key == session.parent]
    if parents:
        return parents[0], ["A subagent cannot be resumed; this is the session that started it."]
    return session, ["A subagent cannot be resumed, and the session that started it is not here."]


def _sentence(words: str) -> str:
    text = words[:1].upper() + words[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."


# ---------------------------------------------------------------- what was left open


def open_points(turns: Sequence[Turn]) -> list[Point]:
    """Return what was left open in the last turns: the most pressing first."""
    if not turns:
        return []
    found = list(_ending(turns[-1]))
    planned = [act.call for turn in turns[-PLAN_TURNS:] for act in turn.did(Doing.PLAN)]
    written = next((call for call in reversed(planned) if plan(call)), None)
    if written is not None:
        found += [_point(Loose.PLANNED, i.text, written) for i in plan(written) if i.open]
    answers = [turn.answer for turn in turns if turn.answer is not None]
    if answers:
        boxes = _BOX.findall(shown(answers[-1].text))
        found += [_point(Loose.UNCHECKED, box, answers[-1]) for box in boxes]
    return found


_BOX: Final = re.compile(r"^[ \t]*[-*+] \[ \] (.+)$", re.MULTILINE)


def _ending(turn: Turn) -> Iterator[Point]:
    """Yield how the last turn ended, when it ended open."""
    prompt, answer = turn.prompt, turn.answer
    acts = [act for act in turn.acts if act.call.tool != OWN_SHELL]
    waiting = [act for act in acts if act.result is None]
    if turn.interrupted and turn.last is not None:
        yield _point(Loose.INTERRUPTED, prompt.text if prompt else turn.last.text, turn.last)
    elif prompt is not None and answer is None and not turn.acts:
        yield _point(Loose.UNANSWERED, prompt.text, prompt)
    for act in waiting[-3:]:
        yield _point(Loose.UNFINISHED, _words(act), act.call)
    last = acts[-1] if acts else None
    if last is not None and last.result is not None and _unspoken(last, answer):
        yield _point(Loose.FAILED if last.failed else Loose.SILENT, _words(last), last.result)
    if answer is None or answer is not turn.last:
        return
    ending = [line for line in _FENCED.sub("", shown(answer.text)).split("\n") if line.strip()]
    if asked := _question(ending[-QUESTION_LINES:]):
        yield _point(Loose.ASKED, asked, answer)
    elif ending and _OFFER.search(ending[-1]):
        yield _point(Loose.OFFERED, ending[-1], answer)


def _unspoken(act: Act, answer: Message | None) -> bool:
    """Say whether the agent said nothing after an act."""
    return answer is None or answer.position < act.call.position


def _question(lines: Sequence[str]) -> str:
    """Return the question that the last lines of an answer put, empty for none.

    It need not be the very last line: choices and "let me know" follow it. Of a list of questions
    the one above the list is meant.
    """
    asking = [line for line in lines if _ASKING.search(line)]
    if not asking and lines and _MIDWAY.search(lines[-1]):
        return lines[-1]
    whole = [line for line in asking if not _ITEM.match(line)]
    return (whole or asking or [""])[-1]


_ASKING: Final = re.compile(r"[?？؟][\s*_`\"'”’)）」』\]]*$")
_MIDWAY: Final = re.compile(r"[?？؟][)）]?[\s,，]")
_ITEM: Final = re.compile(r"\s*(?:[-*+•]|\d{1,2}[.)]|[A-Za-z][.)])\s")
_FENCED: Final = re.compile(r"^[ \t]*```.*?^[ \t]*```[ \t]*$", re.MULTILINE | re.DOTALL)
_OFFER: Final = re.compile(
    r"\bif you(?:['’]d| would)? (?:want|like|prefer|wish)\b[^.\n]{0,80}"
    r"\bI(?:['’]ll| can| could| will)\b",
    re.IGNORECASE,
)


def _words(act: Act) -> str:
    words = command(act.call) if act.doing is Doing.RUN else projection(act.call)
    return f"{act.call.tool}: {words}" if words else act.call.tool


def _point(loose: Loose, text: str, message: Message) -> Point:
    line = " ".join(shown(text[: 4 * POINT_CHARS]).split())
    cut = line if len(line) <= POINT_CHARS else line[: POINT_CHARS - 1] + "…"
    return Point(loose, cut, message.reference)
