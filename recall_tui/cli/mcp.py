"""`recall mcp`: the tools of agents, over standard input and output."""

from __future__ import annotations

import click

from recall_tui.cli import options
from recall_tui.errors import ExitCode
from recall_tui.playbooks.current import asking

TOOLS = ("Recall", "RecallMore", "RecallMaterial")


@click.command()
@click.option(
    "--tool",
    "granted",
    multiple=True,
    type=click.Choice(TOOLS),
    help="Grant only this tool; repeatable. Without it all three are granted.",
)
@click.option(
    "--session",
    metavar="KEY",
    default="",
    help="Session that asks: the turn it is in is left out of answers. Without it the one that the "
    "agent's program names to what it starts.",
)
@options.source_options
@click.pass_context
def mcp(ctx: click.Context, *, granted: tuple[str, ...], session: str) -> ExitCode:
    """Serve Recall, RecallMore and RecallMaterial to an agent over stdin and stdout.

    An MCP client starts this; it ends when the client closes its side. Answers are quoted history,
    redacted and bounded. Nothing is written but the index.
    """
    call = options.call_of(ctx)
    call.serve(granted or TOOLS, session or asking(call.env))
    return ExitCode.FOUND
