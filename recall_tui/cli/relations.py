"""`recall relations`: the family of a session."""

from __future__ import annotations

import click

from recall_tui.cli import diagnostics, options, output, wire
from recall_tui.cli.naming import named, unknown
from recall_tui.cli.progress import catch_up
from recall_tui.cli.screen import one_line
from recall_tui.errors import ExitCode
from recall_tui.playbooks.relations import family
from recall_tui.text import notation


@click.command()
@click.argument("ref")
@options.source_options
@options.json_option
@click.pass_context
def relations(ctx: click.Context, *, ref: str, as_json: bool) -> ExitCode:
    """Print the sessions REF comes from and those that come from it: subagents, forks, copies.

    Only links that the programs recorded count. A link that leads to no session makes the family
    incomplete: it is listed, and the exit code is 3.
    """
    call = options.call_of(ctx)
    zone = call.zone(as_json=as_json)
    with call.history() as history:
        catch_up(history, silent=as_json)
        session = named(history, ref.partition("#")[0])
        if session is None:
            return unknown(history, ref, call)
        found = family(history, session)
        reach = history.reach()
    if as_json:
        output.print_json(
            {
                "asked": session.key,
                "sessions": [
                    wire.session_full(m.session) | {"depth": m.depth, "link": m.link}
                    for m in found.members
                ],
                "missing": list(found.missing),
                "complete": found.complete,
            }
            | wire.answer(reach)
        )
        return ExitCode.FOUND if found.complete else ExitCode.PARTIAL
    screen = output.out()
    for member in found.members:
        one = member.session
        here = "▸ " if one.key == session.key else "  "
        screen.line(
            (here, "accent"), "  " * member.depth,
            (f"{member.link}  " if member.link else "", "muted"),
            (one_line(one.title) or "(no title)", "title"),
            (f"  {notation.moment(one.started_ms, zone)}", "muted"),
        )  # fmt: skip
        screen.uncut("  " + "  " * member.depth, (one.key, "muted"))
    for sentence in found.missing:
        diagnostics.err().block(sentence, lead=("partial:", "warn"), indent=diagnostics.LEAD)
    return ExitCode.FOUND if found.complete else ExitCode.PARTIAL
