"""`recall continue`: where a session stood, and the command that goes on with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from recall_tui.cli import diagnostics, options, output, wire
from recall_tui.cli.asking import confirmed
from recall_tui.cli.hits import INDENT, session_lines
from recall_tui.cli.naming import named, unknown
from recall_tui.cli.nowhere import of_session, say_how_far
from recall_tui.cli.progress import catch_up
from recall_tui.cli.screen import one_line, plain
from recall_tui.errors import ExitCode, HandoffError, QueryError
from recall_tui.paths import full
from recall_tui.playbooks import programs
from recall_tui.playbooks.acts import relative
from recall_tui.playbooks.continuation import TURNS, continuation, latest
from recall_tui.playbooks.places import is_folder
from recall_tui.search.reach import exit_code
from recall_tui.text import notation

if TYPE_CHECKING:
    from datetime import tzinfo

    from recall_tui.cli.call import Call
    from recall_tui.cli.screen import Screen
    from recall_tui.model import Message
    from recall_tui.playbooks.continuation import Continuation
    from recall_tui.playbooks.programs import Command
    from recall_tui.playbooks.turns import Turn

WHOLE_TURNS: Final = 3
"""Turns shown with the agent's answer; older ones are one line."""

ANSWER_LINES: Final = 8
PROMPT_LINES: Final = 4


@click.command(name="continue")
@click.argument("ref", required=False)
@click.option("--last", is_flag=True, help="The newest session the filters let through.")
@click.option(
    "--turns",
    type=options.POSITIVE,
    metavar="N",
    default=TURNS,
    show_default=True,
    help="Turns looked at: a prompt, and everything up to the next.",
)
@click.option("--fork", "forked", is_flag=True, help="Go on in a copy, where the program can.")
@click.option("--in", "folder", default="", metavar="DIR", help="Go on in another directory.")
@click.option("--copy", is_flag=True, help="Copy the command.")
@click.option("--run", is_flag=True, help="Run the command here, after a question.")
@click.option("--yes", is_flag=True, help="Do not ask before --run.")
@options.filter_options
@options.source_options
@options.json_option
@click.pass_context
def continue_(
    ctx: click.Context,
    *,
    ref: str | None,
    last: bool,
    turns: int,
    forked: bool,
    folder: str,
    copy: bool,
    run: bool,
    yes: bool,
    asked: options.Asked,
    as_json: bool,
) -> ExitCode:
    """Show where a session stood, what was left open, and how to go on with it.

    REF is a session's key or id, the beginning of one, its file, or a reference into it; --last
    takes the newest (with --cwd . the newest of this folder). The command resumes the session in
    its own program, in the directory it worked in last; what has changed there is said. Nothing
    is run without --run.
    """
    if (ref is None) is not last:
        raise QueryError("name a session or say --last", "recall sessions lists them")
    call = options.call_of(ctx)
    zone = call.zone(as_json=as_json)
    chosen = asked.filter(zone)
    with call.history() as history:
        catch_up(history, silent=as_json)
        session = latest(history.sessions(chosen)) if ref is None else named(history, _bare(ref))
        if session is None and ref is not None:
            return unknown(history, ref, call)
        if session is None:
            reach = history.reach(chosen)
            say_how_far(reach, history, call)
            return exit_code(reach, found=False)
        found = continuation(history, session, turns=turns)
        reach = of_session(history, session)
    command = _chosen(found, forked=forked, folder=folder)
    if as_json:
        output.print_json(_json(found, command) | wire.answer(reach))
    else:
        _print(found, command, zone, call)
        diagnostics.say_gaps(reach.gaps)
    if copy and command is not None:
        from recall_tui.cli.clipboard import copy_and_say

        copy_and_say(command.line, "command")
    if run:
        _run(found, command, yes=yes)
    return ExitCode.FOUND


def _bare(ref: str) -> str:
    """Return the session's part of a reference."""
    return ref.partition("#")[0]


def _chosen(found: Continuation, *, forked: bool, folder: str) -> Command | None:
    """Return the command that was asked for.

    Raises:
        QueryError: The program has no fork, or the directory is none.
    """
    command = found.fork if forked else found.resume
    if forked and command is None and found.resume is not None:
        raise QueryError(
            f"{found.resume.argv[0]} cannot fork a session from the command line",
            "leave --fork out, or hand the session off: recall handoff",
        )
    if not folder:
        return command
    path = full(folder)
    if not is_folder(path):
        raise QueryError(f"--in {folder}: no such directory")
    return command._replace(cwd=path) if command is not None else None


def _run(found: Continuation, command: Command | None, *, yes: bool) -> None:
    """Become the program, once a person said so. Returns only when they did not.

    Raises:
        HandoffError: There is nothing to run, or the directory is gone.
        QueryError: Nobody is there to be asked.
    """
    if command is None:
        raise HandoffError("there is no command to run", "recall handoff prepares it for another")
    if command.cwd and not is_folder(command.cwd):
        offers = ", ".join(one_line(offer.path) for offer in found.place.offers)
        raise HandoffError(
            f"{command.cwd} is gone", f"give --in DIR{f': {offers}' if offers else ''}"
        )
    if confirmed("Run it now?", yes=yes, default=True):
        output.out().flush()
        programs.become(command)


# ---------------------------------------------------------------- JSON


def _json(found: Continuation, command: Command | None) -> wire.Json:
    place = found.place
    return {
        "session": wire.session_full(found.session),
        "asked": found.asked.key,
        "turns": [_turn_json(turn, place.cwd) for turn in found.turns],
        "open": [
            {"what": p.loose.name.lower(), "text": plain(p.text), "ref": str(p.reference)}
            for p in found.open
        ],
        "place": {
            "cwd": place.cwd,
            "exists": place.exists,
            "branch": place.branch,
            "branch_now": place.branch_now,
            "branch_exists": place.branch_exists,
            "repository": place.repository,
            "offers": [{"path": o.path, "reason": o.reason} for o in place.offers],
        },
        "command": command_json(command),
        "resume": command_json(found.resume),
        "fork": command_json(found.fork),
        "notes": list(found.notes),
    }


def command_json(command: Command | None) -> wire.Json | None:
    """Return a command as an argv list, never only as a line for a shell."""
    if command is None:
        return None
    return {
        "argv": list(command.argv),
        "cwd": command.cwd,
        "line": command.line,
        "warning": command.warning,
        "installed": command.installed,
    }


def _turn_json(turn: Turn, cwd: str) -> wire.Json:
    limit = wire.MESSAGE_BYTES
    return {
        "prompt": wire.message(turn.prompt, limit) if turn.prompt else None,
        "answer": wire.message(turn.answer, limit) if turn.answer else None,
        "tool_calls": len(turn.acts),
        "failed": sum(act.failed for act in turn.acts),
        "edited": [relative(path, cwd) for path in turn.edited(cwd)],
        "interrupted": turn.interrupted,
    }


# ---------------------------------------------------------------- text


def _print(found: Continuation, command: Command | None, zone: tzinfo, call: Call) -> None:
    screen, cwd = output.out(), found.place.cwd
    session_lines(screen, found.session._replace(cwd=cwd), zone, call.home)
    screen.uncut(" " * INDENT, (found.session.key, "muted"))
    for number, turn in enumerate(found.turns):
        if len(found.turns) - number <= WHOLE_TURNS:
            screen.line()
            _whole(screen, turn, cwd, zone)
        else:
            if not number:
                screen.line()
            _brief(screen, turn, zone)
    if found.open:
        screen.line()
        screen.line(("Left open", "title"))
        for point in found.open:
            what = f"{point.loose.value}: {point.text}"
            screen.block(
                (what, "warn"), (f"  {_mark(point.reference)}", "muted"), lead="  ·", indent=INDENT
            )
    _print_way(screen, found, command)


def _mark(reference: object) -> str:
    """Return the place in the session: the session's key stands above."""
    return f"#{str(reference).partition('#')[2]}"


def _brief(screen: Screen, turn: Turn, zone: tzinfo) -> None:
    """Print an older turn on one line."""
    head = turn.prompt or turn.last
    if head is not None:
        did = f"  {len(turn.acts):,} calls" if turn.acts else ""
        screen.line(
            f"  {notation.clock(head.time_ms, zone)}  ", (_mark(head.reference), "muted"),
            f"  {one_line(head.text[:400])[:160]}", (did, "muted"),
        )  # fmt: skip


def _whole(screen: Screen, turn: Turn, cwd: str, zone: tzinfo) -> None:
    """Print a recent turn: the prompt, what was done, the last answer."""
    if turn.prompt is not None:
        _said(screen, turn.prompt, "you", zone, PROMPT_LINES)
    if deeds := turn.deeds(cwd):
        screen.block((deeds, "muted"), indent=INDENT, lines=3)
    if turn.answer is not None:
        _said(screen, turn.answer, "agent", zone, ANSWER_LINES)


def _said(screen: Screen, message: Message, who: str, zone: tzinfo, lines: int) -> None:
    style = "you" if who == "you" else "accent"
    screen.line(
        f"  {notation.clock(message.time_ms, zone)}  ", (f"{who}  ", style),
        (_mark(message.reference), "muted"),
    )  # fmt: skip
    kept = plain(message.text).strip("\n").split("\n")
    cut = "\n".join(kept[:lines]) + ("\n…" if len(kept) > lines else "")
    screen.block(cut, indent=INDENT, lines=lines)


def _print_way(screen: Screen, found: Continuation, command: Command | None) -> None:
    """Print how to go on: the command on a line of its own, then what will surprise."""
    screen.line()
    screen.line(("Go on", "title"))
    if command is not None:
        screen.uncut("  ", (command.line, "accent"))
    if found.fork is not None and command is not found.fork:
        screen.line(("  in a copy: --fork", "muted"))
    for offer in found.place.offers:
        screen.uncut("  instead: ", offer.path, (f"  {offer.reason}", "muted"))
    for note in found.notes:
        diagnostics.err().block(note, lead=("note:", "warn"), indent=diagnostics.LEAD)
    if command is not None and found.place.cwd and not found.place.exists:
        one = "one of them" if found.place.offers else "another directory"
        diagnostics.err().line((f"--in DIR goes on in {one}", "muted"))
