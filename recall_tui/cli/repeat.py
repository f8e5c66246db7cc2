"""`recall repeat`: the prompts of a session, to be looked over and given again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from recall_tui.cli import asking, diagnostics, options, output, wire
from recall_tui.cli.hits import INDENT, session_lines
from recall_tui.cli.naming import named, unknown
from recall_tui.cli.nowhere import of_session
from recall_tui.cli.progress import catch_up
from recall_tui.cli.screen import one_line
from recall_tui.errors import ExitCode, QueryError
from recall_tui.playbooks import programs
from recall_tui.playbooks.onetime import SECRET
from recall_tui.playbooks.repeat import described, joined, opening, repetition
from recall_tui.playbooks.writing import write_file
from recall_tui.text import notation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recall_tui.cli.call import Call
    from recall_tui.cli.screen import Piece, Screen
    from recall_tui.playbooks.onetime import Template
    from recall_tui.playbooks.repeat import Repetition

NAMED: Final = 8
"""Open inputs named in an error, at most."""


@click.command()
@click.argument("ref")
@click.option(
    "--set",
    "given",
    multiple=True,
    metavar="NAME=VALUE",
    help="Fresh value of an input. Repeatable.",
)
@click.option("--template", is_flag=True, help="Print the prompts with {{inputs}} in them.")
@click.option("-o", "--output", "file", default="", metavar="FILE", help="Write them; - is stdout.")
@click.option("--force", is_flag=True, help="Replace the file when it is there.")
@click.option("--copy", is_flag=True, help="Copy them.")
@click.option(
    "--run", is_flag=True, help="Start its program with the first prompt; copies the others."
)
@click.option("--yes", is_flag=True, help="Take the inputs as they are; do not ask.")
@options.source_options
@options.json_option
@click.pass_context
def repeat(
    ctx: click.Context,
    *,
    ref: str,
    given: Sequence[str],
    template: bool,
    file: str,
    force: bool,
    copy: bool,
    run: bool,
    yes: bool,
    as_json: bool,
) -> ExitCode:
    """Show what a person typed in a session, verbatim and in order, ready to be given again.

    What belonged to that day (ids, dates, paths, tickets) is marked as {{inputs}}. -o and --copy
    give the prompts with fresh inputs: they are asked for one by one, or given with --set, or
    taken as they are with --yes. Nothing is run without --run, and that asks first. Text that
    looks like orders from elsewhere is flagged.
    """
    call = options.call_of(ctx)
    values = _values(given)
    with call.history() as history:
        catch_up(history, silent=as_json)
        session = named(history, ref.partition("#")[0])
        if session is None:
            return unknown(history, ref, call)
        found = repetition(history, session)
        reach = of_session(history, session)
    filled = found.filled(values)
    if as_json:
        output.print_json(_json(found, filled) | wire.answer(reach))
    elif template:
        output.out().write(joined([p.template.placeholders() for p in found.prompts]))
    elif not (file or copy or run):
        _print(found, call)
    if (file or copy or run) and found.prompts:
        prompts = _settled(found, values, yes=yes)
        _hand_on(joined(prompts), file, copy=copy, force=force)
        if run:
            _run(found, prompts)
    if not found.prompts:
        diagnostics.err().line("nobody typed a prompt in this session")
    return ExitCode.FOUND if found.prompts else ExitCode.NOTHING


def _values(given: Sequence[str]) -> dict[str, str]:
    """Return the `--set` options as name -> value.

    Raises:
        QueryError: One has no `=`.
    """
    values: dict[str, str] = {}
    for pair in given:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise QueryError(f"--set {pair}: the form is NAME=VALUE")
        values[name.strip("{} ")] = value
    return values


def _settled(found: Repetition, values: dict[str, str], *, yes: bool) -> list[str]:
    """Return the prompts with inputs that somebody confirmed (S3-5).

    Raises:
        QueryError: An input is open and nobody is there to be asked.
    """
    screen = diagnostics.err()
    open_inputs = found.unsettled(values)
    if open_inputs and not yes:
        if not asking.at_terminal():
            names = ", ".join(one.name for one in open_inputs[:NAMED])
            if open_inputs[NAMED:]:
                names += f" and {len(open_inputs) - NAMED:,} more"
            raise QueryError(
                f"these inputs are not confirmed: {names}", "give --set NAME=VALUE, or --yes"
            )
        count = notation.counted(len(open_inputs), "fresh input")
        screen.line((f"{count}; Enter keeps the old one, --yes all of them", "title"))
        for one in open_inputs:
            old = one_line(one.value) if one.kind != SECRET else ""
            given = click.prompt(f"  {one.name}", default=old, err=True)
            if given != old:  # kept: its line breaks are not on the line that was shown
                values[one.name] = given
    filled = found.filled(values)
    if not yes and asking.at_terminal():
        for number, (prompt, text) in enumerate(zip(found.prompts, filled, strict=True), 1):
            screen.block(text, lead=(f"{number:>2}", "you"), indent=INDENT)
            _flag(screen, prompt.suspicious)
        if not asking.confirmed("Take these prompts?", yes=False, default=True):
            raise click.Abort
    return filled


def _hand_on(text: str, file: str, *, copy: bool, force: bool) -> None:
    if file == "-":
        output.out().write(text)
    elif file:
        path = write_file(file, [text], force=force)
        diagnostics.err().line((f"written to {path}", "muted"))
    if copy:
        from recall_tui.cli.clipboard import copy_and_say

        copy_and_say(text, "prompts")


def _run(found: Repetition, prompts: Sequence[str]) -> None:
    """Become the session's program with the first prompt, once a person said so.

    `--yes` is about inputs: what a session says starts no program without a person.
    """
    if not asking.at_terminal():
        raise QueryError("--run asks first, and there is no terminal to ask at", "-o FILE")
    command = opening(found, prompts)
    diagnostics.err().uncut("  ", (command.line, "accent"))
    if not asking.confirmed("Run it now?", yes=False, default=True):
        return
    if prompts[1:]:
        from recall_tui.cli.clipboard import copy_and_say

        copy_and_say(joined(prompts[1:]), "other prompts")
    output.out().flush()
    programs.become(command)


def _flag(screen: Screen, reasons: Sequence[str]) -> None:
    if reasons:
        words = f"looks like orders from elsewhere: {', '.join(reasons)}"
        screen.block((words, "warn"), lead=("  !", "warn"), indent=INDENT)


def _json(found: Repetition, filled: Sequence[str]) -> wire.Json:
    return {
        "session": wire.session_ref(found.session),
        "prompts": [
            {
                "ref": str(prompt.message.reference),
                "time": wire.message(prompt.message, 1)["time"],
                "text": prompt.text,
                "template": prompt.template.placeholders(),
                "filled": text,
                "inputs": [one.name for one in prompt.template.inputs],
                "suspicious": list(prompt.suspicious),
                "materials": [wire.material(one) for one in prompt.message.materials],
            }
            for prompt, text in zip(found.prompts, filled, strict=True)
        ],
        "inputs": [
            {"name": one.name, "kind": one.kind, "value": one.value} for one in found.inputs
        ],
        "left_out": dict(found.left_out),
        "quoted": True,
    }


def _print(found: Repetition, call: Call) -> None:
    """Print the prompts as quoted history, their one-off data in the style of a match."""
    screen, zone = output.out(), call.zone()
    session_lines(screen, found.session, zone, call.home)
    screen.uncut(" " * INDENT, (found.session.key, "muted"))
    for number, prompt in enumerate(found.prompts, 1):
        message = prompt.message
        screen.line()
        screen.line(
            (f"{number:>2}  ", "you"), f"{notation.clock(message.time_ms, zone)}  ",
            (f"#{message.position}~{message.digest:04x}", "muted"),
        )  # fmt: skip
        screen.block(*_pieces(prompt.template), indent=INDENT)
        for held in message.materials:
            name = one_line(held.name) or held.kind
            screen.line(" " * INDENT, (f"▣ {name}: attach it again", "muted"))
        _flag(screen, prompt.suspicious)
    if found.inputs:
        screen.line()
        screen.line(("Inputs that may need to be fresh", "title"))
        for one in found.inputs:
            screen.uncut("    ", (f"{one.name:12}", "accent"), f" {one_line(described(one))}")
    _say_rest(found)


def _pieces(template: Template) -> list[Piece]:
    from recall_tui.playbooks.onetime import placeholder

    return [
        p if isinstance(p, str) else (p.value or placeholder(p), "match") for p in template.pieces
    ]


def _say_rest(found: Repetition) -> None:
    """Say what is not in the list, and what to do with it."""
    screen = diagnostics.err()
    if found.left_out:
        words = ", ".join(f"{count:,} {what}" for what, count in found.left_out)
        screen.line((f"left out: {words}", "muted"))
    if found.prompts:
        screen.line(
            ("-o FILE or --copy takes them, with fresh inputs; --run starts with them", "muted")
        )
