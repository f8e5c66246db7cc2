"""`recall handoff`: a cited page for another agent, and the command that starts it."""

from __future__ import annotations

import click

from recall_tui import clock
from recall_tui.cli import asking, diagnostics, options, output, wire
from recall_tui.cli.continue_ import command_json
from recall_tui.cli.naming import named, unknown
from recall_tui.cli.nowhere import of_session
from recall_tui.cli.progress import catch_up
from recall_tui.errors import ExitCode, QueryError
from recall_tui.paths import full
from recall_tui.playbooks import programs
from recall_tui.playbooks.handoff import BUDGET, LEAST, bundle
from recall_tui.playbooks.programs import PROGRAMS
from recall_tui.playbooks.writing import write_file
from recall_tui.text import notation


@click.command()
@click.argument("ref")
@click.option("--to", "target", default="", metavar="NAME", help="The program that goes on.")
@click.option("-o", "--output", "file", default="", metavar="FILE", help="Write the page, 0600.")
@click.option("--force", is_flag=True, help="Replace the file when it is there.")
@click.option(
    "--budget",
    type=click.IntRange(min=LEAST),
    default=BUDGET,
    show_default=True,
    metavar="BYTES",
    help="Size of the page, at most.",
)
@click.option("--run", is_flag=True, help="Start that program with the page, after a question.")
@click.option("--copy", is_flag=True, help="Copy the page.")
@options.source_options
@options.json_option
@click.pass_context
def handoff(
    ctx: click.Context,
    *,
    ref: str,
    target: str,
    file: str,
    force: bool,
    budget: int,
    run: bool,
    copy: bool,
    as_json: bool,
) -> ExitCode:
    """Print a page that lets another agent go on: task, state, decisions, files, last turns.

    Everything in it is quoted history with references, framed as evidence and not as
    instructions. --to claude, codex, pi, opencode, gemini or copilot also prints the command that
    starts that program with the page; it is run with --run only, which asks first.
    """
    if run and not (target and file):
        raise QueryError("--run needs --to NAME and -o FILE", "they say which program reads what")
    if target and target not in PROGRAMS:
        raise QueryError(f"--to {target}: not known", f"known: {', '.join(PROGRAMS)}")
    call = options.call_of(ctx)
    path = full(file) if file else ""
    with call.history() as history:
        catch_up(history, silent=as_json)
        session = named(history, ref.partition("#")[0])
        if session is None:
            return unknown(history, ref, call)
        made = bundle(
            history, session, target=target, file=path, budget=budget, now_ms=clock.now_ms()
        )
        reach = of_session(history, session)
    if file:
        write_file(path, [made.text], force=force)
    if as_json:
        output.print_json(
            {
                "session": made.session.key,
                "page": made.text,
                "references": list(made.references),
                "turns_left_out": made.turns_left_out,
                "written": path,
                "command": command_json(made.command),
            }
            | wire.answer(reach)
        )
        return ExitCode.FOUND
    if not file:
        output.out().write(made.text)
    screen = diagnostics.err()
    size = notation.size(len(made.text.encode("utf-8", "replace")))
    where = f"written to {path}" if path else "-o FILE writes it"
    rest = f" · {made.turns_left_out:,} older turns left out" if made.turns_left_out else ""
    screen.line((f"{size} · {where}{rest}", "muted"))
    if made.command is not None and path:
        screen.line(("Go on with it", "title"))
        screen.uncut("  ", (made.command.line, "accent"))
    elif made.command is not None:
        screen.line(("with -o FILE the command that starts it is printed", "muted"))
    if copy:
        from recall_tui.cli.clipboard import copy_and_say

        copy_and_say(made.text, "page")
    if run and made.command is not None and asking.confirmed("Run it now?", yes=False):
        output.out().flush()
        programs.become(made.command)
    return ExitCode.FOUND
