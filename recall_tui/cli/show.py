"""`recall show`: a message with its neighbours, or a bounded part of a session."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, Final

import click

from recall_tui.cli import diagnostics, options, output
from recall_tui.cli.hits import INDENT, session_lines, speaker, style_of
from recall_tui.cli.naming import named, unknown
from recall_tui.cli.nowhere import of_session
from recall_tui.cli.progress import catch_up
from recall_tui.cli.screen import one_line, plain
from recall_tui.errors import BadReferenceError, ExitCode, QueryError
from recall_tui.model import Flag, Kind, Reference
from recall_tui.named import NamedTuple
from recall_tui.search.reach import exit_code
from recall_tui.text import notation
from recall_tui.text.cut import cut_bytes
from recall_tui.text.late import late

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import tzinfo

    from recall_tui.cli.call import Call
    from recall_tui.cli.screen import Screen
    from recall_tui.history import History
    from recall_tui.model import Material, Message, Reach, Session

_REF: Final = late(r"(.*?)(?:#(\d+)(?:~([0-9a-f]{4}))?)?", re.DOTALL)
"""A session's name, then the position and digest of a message in it."""

AROUND: Final = 3
"""Messages on each side of the one that was asked for (S3-32)."""

TAIL: Final = 30
"""Messages of a session when nothing else is asked for (S3-4): a session may hold 100,000."""

TEXT_BYTES: Final = 2000
"""UTF-8 bytes of a message shown in text unless --full."""

TOOL_LINES: Final = 6
"""Terminal lines of a tool call or its output unless --full."""


@click.command()
@click.argument("ref")
@click.option("--around", type=options.POSITIVE, metavar="N", help="N messages on each side.")
@click.option("--tail", type=options.POSITIVE, metavar="N", help="The last N messages.")
@click.option("--all", "everything", is_flag=True, help="Every message of the session.")
@click.option("--prompts", is_flag=True, help="Only what a person typed; counted before the rest.")
@click.option("--full", is_flag=True, help="Do not shorten long messages.")
@options.source_options
@options.json_option
@click.pass_context
def show(
    ctx: click.Context,
    *,
    ref: str,
    around: int | None,
    tail: int | None,
    everything: bool,
    prompts: bool,
    full: bool,
    as_json: bool,
) -> ExitCode:
    """Print the message REF names with three neighbours on each side, or the end of a session.

    REF is a reference (harness:session#position~digest), a session key or id, the beginning of an
    id that names one session, or the path of a session's file. --prompts leaves only prompts
    before --around and --tail count, so `--prompts --tail 30` prints the last thirty prompts.
    """
    if sum((around is not None, tail is not None, everything)) > 1:
        raise QueryError("--around, --tail and --all exclude each other", "give one of them")
    call = options.call_of(ctx)
    with call.history() as history:
        catch_up(history, silent=as_json)
        target = _find(history, ref)
        if target is None:
            return unknown(history, ref, call)
        if target.state == "gone":
            last = f"it has {notation.counted(target.session.messages, 'message')}"
            where = f"no message #{target.position} in {target.session.key}"
            diagnostics.say_error(BadReferenceError(where, last))
            return exit_code(history.reach(), found=False)
        positions = _positions(history, target.session, prompts=prompts)
        if target.position >= 0 and tail is None and not everything:
            chosen = near(positions, target.position, AROUND if around is None else around)
        elif everything:
            chosen = positions
        elif around is not None:
            raise QueryError("--around needs a reference with a #position", "use --tail N")
        else:
            chosen = positions[-(TAIL if tail is None else tail) :]
        messages = _read(history, target.session, chosen)
        part = Part(target, messages, len(positions), prompts=prompts, full=full)
        reach = of_session(history, target.session)
        if as_json:
            _print_json(part, reach)
        else:
            _print_text(part, call)
            diagnostics.say_gaps(reach.gaps)
        return ExitCode.FOUND if messages else ExitCode.NOTHING


class Target(NamedTuple):
    """What a REF leads to."""

    session: Session
    position: int
    """-1 for the session as a whole."""
    state: str
    """same | changed | gone | session"""


class Part(NamedTuple):
    """What is printed of a session."""

    target: Target
    messages: list[Message]
    total: int
    """Messages (or prompts) of the session."""
    prompts: bool
    full: bool


def _find(history: History, ref: str) -> Target | None:
    """Return what a REF names, None when nothing does.

    Raises:
        QueryError: It is the beginning of more than one session's id.
    """
    name, position, digest = _REF.fullmatch(ref).groups()  # type: ignore[union-attr]
    session = named(history, name)
    if session is None or position is None:
        return Target(session, -1, "session") if session else None
    pin = -1 if digest is None else int(digest, 16)
    exact = Reference(session.harness, session.name, int(position), pin)
    return Target(session, exact.position, history.resolve(exact).state)


def _positions(history: History, session: Session, *, prompts: bool) -> Sequence[int]:
    """Return the positions that may be shown, ascending."""
    if not prompts:
        return range(session.messages)
    kinds = history.skeleton(session).kinds
    return [position for position, kind in enumerate(kinds) if kind == Kind.PROMPT]


def near(positions: Sequence[int], position: int, around: int) -> Sequence[int]:
    """Return the positions within `around` of one: itself when it is among them."""
    at = bisect_left(positions, position)
    after = at + (at < len(positions) and positions[at] == position)
    return positions[max(0, at - around) : after + around]


def _read(history: History, session: Session, positions: Sequence[int]) -> list[Message]:
    """Return the messages at the positions, reading neighbours together."""
    messages: list[Message] = []
    start = 0
    while start < len(positions):
        stop = start
        while stop + 1 < len(positions) and positions[stop + 1] == positions[stop] + 1:
            stop += 1
        messages += history.messages(session, positions[start], positions[stop] + 1)
        start = stop + 1
    return messages


def _print_json(part: Part, reach: Reach) -> None:
    from recall_tui.cli import wire

    target = part.target
    limit = 0 if part.full else wire.MESSAGE_BYTES
    output.print_json(
        {
            "session": wire.session_full(target.session),
            "position": target.position if target.position >= 0 else None,
            "state": target.state,
            "messages": [wire.message(message, limit) for message in part.messages],
            "total": part.total,
            "prompts_only": part.prompts,
        }
        | wire.answer(reach)
    )


def _print_text(part: Part, call: Call) -> None:
    screen, zone, session = output.out(), call.zone(), part.target.session
    session_lines(screen, session, zone, call.home)
    screen.uncut(" " * INDENT, (session.key, "muted"))
    day = ""
    for message in part.messages:
        if message.time_ms and (today := notation.day(message.time_ms, zone)) != day:
            day = today
            screen.line()
            screen.line((f"── {day} ", "muted"))
        screen.line()
        _message(screen, message, zone, part)
    if part.target.state == "changed":
        diagnostics.err().block(
            "the message at this place is not the one that was cited",
            lead=("changed:", "warn"),
            indent=diagnostics.LEAD,
        )
    noun = "prompt" if part.prompts else "message"
    if len(part.messages) < part.total:
        diagnostics.err().line(
            (f"{len(part.messages):,} of {notation.counted(part.total, noun)}; --all shows every "
             "one, --full whole texts", "muted")
        )  # fmt: skip


def _message(screen: Screen, message: Message, zone: tzinfo, part: Part) -> None:
    """Print one message: who and when, then its text, then what hangs on it."""
    here = message.position == part.target.position
    who = speaker(message.kind, message.tool)
    notes = [
        notation.duration(message.duration_ms),
        "failed" if message.flags & Flag.FAILED else "",
        "rewound" if message.flags & Flag.ABANDONED else "",
    ]
    screen.line(
        ("▸ " if here else "  ", "accent"),
        f"{notation.clock(message.time_ms, zone)}  ",
        (f"{who}  ", style_of(message.kind)),
        (f"#{message.position}~{message.digest:04x}", "muted"),
        ("".join(f"  {note}" for note in notes if note), "muted"),
    )
    text, cut = plain(message.text).strip("\n"), False
    whole = len(text.encode("utf-8", "replace"))
    if not part.full:
        text, cut = cut_bytes(text, TEXT_BYTES)
    tool = message.kind in (Kind.TOOL_CALL, Kind.TOOL_RESULT)
    if text:
        dim = message.kind not in (Kind.PROMPT, Kind.ANSWER)
        lines = TOOL_LINES if tool and not part.full else 0
        screen.block((text, "muted" if dim else ""), indent=INDENT, lines=lines)
    if cut:
        screen.line(" " * INDENT, (f"({notation.size(whole)} in all; --full)", "muted"))
    for one in message.materials:
        screen.line(" " * INDENT, *_material(one))


def _material(one: Material) -> tuple[tuple[str, str], ...]:
    facts = [
        f"{one.width}×{one.height}" if one.width else "",
        notation.size(one.bytes) if one.bytes >= 0 else "",
        one.mime,
    ]
    name = one_line(one.name) or one.kind
    return (f"▣ {name}  ", "accent"), ("  ".join(one_line(f) for f in facts if f), "muted")
