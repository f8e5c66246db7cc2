"""Repeat: what a person typed, verbatim and in order, with its one-off data marked (S3-5, Q19).

Nothing here runs anything. Prompts come back as quoted history; text that gives orders is flagged,
never removed. What is to drive new work is filled with inputs that somebody confirmed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from recall_tui.errors import HandoffError, QueryError
from recall_tui.model import Flag, Kind
from recall_tui.playbooks import programs
from recall_tui.playbooks.onetime import SECRET, Inputs, placeholder
from recall_tui.playbooks.places import is_folder
from recall_tui.playbooks.turns import positions_of, read
from recall_tui.text.marks import shown
from recall_tui.text.suspicion import suspicious

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recall_tui.model import Message, Session
    from recall_tui.playbooks.onetime import Input, Template
    from recall_tui.playbooks.ports import Past
    from recall_tui.playbooks.programs import Command

SEPARATOR: Final = "\n\n---\n\n"
"""Between two prompts in a file or on the clipboard."""


@dataclass(slots=True, frozen=True)
class Prompt:
    """One prompt as it was typed."""

    message: Message
    text: str
    """Readable and verbatim; secrets are marks."""
    template: Template
    suspicious: tuple[str, ...]
    """Why it looks like orders that were put in, empty when it does not."""


@dataclass(slots=True, frozen=True)
class Repetition:
    """The prompts of a session, ready to be looked over."""

    session: Session
    prompts: tuple[Prompt, ...]
    inputs: tuple[Input, ...]
    """One-off data in them, each once: proposals for fresh input."""
    left_out: tuple[tuple[str, int], ...]
    """(what, how many) of the user's side that nobody typed here."""
    program: str = ""
    """What the program that resumes the session is called, empty when nothing does."""

    def filled(self, values: Mapping[str, str]) -> list[str]:
        """Return the prompts with values put in; an input without one keeps what it was.

        Raises:
            QueryError: A value names no input.
        """
        known = {one.name for one in self.inputs}
        for name in values:
            if name not in known:
                hint = f"inputs: {', '.join(sorted(known))}" if known else "there are none"
                raise QueryError(f"no input is called {name!r}", hint)
        return [prompt.template.filled(values) for prompt in self.prompts]

    def unsettled(self, values: Mapping[str, str]) -> list[Input]:
        """Return the inputs that still have their old value, or none."""
        return [one for one in self.inputs if not values.get(one.name)]


def repetition(past: Past, session: Session) -> Repetition:
    """Return what a person typed in a session. Copies, injected text and delegations are left out.

    A forked session's prompts are those typed after the fork.
    """
    inputs = Inputs(session.last_cwd, session.cwd)
    prompts = []
    for message in read(past, session, positions_of(past, session, [Kind.PROMPT])):
        text = shown(message.text)
        template = inputs.template(message.text)
        prompts.append(Prompt(message, text, template, suspicious(message.text)))
    given = programs.given(past, session)
    name = given.argv[0] if given is not None else ""
    return Repetition(session, tuple(prompts), inputs.all, _left_out(past, session), name)


def opening(found: Repetition, prompts: Sequence[str]) -> Command:
    """Return the command that starts the session's program anew with the first prompt.

    Args:
        found: Of which session: its program, in its latest directory.
        prompts: What was confirmed; at least one.

    Raises:
        HandoffError: It cannot be started so; says why, and what else can be done.
    """
    other = "copy the prompts, or write them to a file"
    session = found.session
    cwd = session.last_cwd or session.cwd
    command = programs.start(session.harness, prompts[0], cwd, name=found.program)
    if command is None:
        raise HandoffError(f"how {session.harness} is started with a prompt is not known", other)
    if not command.installed:
        raise HandoffError(f"{command.argv[0]} is not on the PATH of this machine", other)
    if not is_folder(cwd):
        raise HandoffError(f"{cwd or 'its directory'} is gone", other)
    if len(prompts[0].encode("utf-8", "replace")) > programs.PROMPT_BYTES:
        raise HandoffError("the first prompt is too long for a command line", other)
    return command


def joined(prompts: Sequence[str]) -> str:
    """Return prompts as one text that a person can hand on."""
    return SEPARATOR.join(prompt.strip("\n") for prompt in prompts) + "\n"


def described(one: Input) -> str:
    """Return an input's old value, or that there is none."""
    return f"{placeholder(one)} must be given" if one.kind == SECRET else one.value


def _left_out(past: Past, session: Session) -> tuple[tuple[str, int], ...]:
    """Count what stands on the user's side but was not typed in this session."""
    outline = past.skeleton(session)
    counts = {"copied from another session": 0, "rewound": 0, "put in by the program": 0,
              "given by a parent agent": 0}  # fmt: skip
    for position, (kind, flags) in enumerate(zip(outline.kinds, outline.flags, strict=True)):
        if kind == Kind.PROMPT and position < session.copied:
            counts["copied from another session"] += 1
        elif kind == Kind.PROMPT and flags & Flag.ABANDONED:
            counts["rewound"] += 1
        elif kind == Kind.INJECTED:
            counts["put in by the program"] += 1
        elif kind == Kind.DELEGATION:
            counts["given by a parent agent"] += 1
    return tuple((what, count) for what, count in counts.items() if count)
