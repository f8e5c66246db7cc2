"""`recall mcp`: the tools of agents, over standard input and output."""

from __future__ import annotations

import click

from recall_tui.cli import options
from recall_tui.errors import ExitCode

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
    help="Session that asks: the turn it is in is left out of answers.",
)
@options.source_options
@click.pass_context
def mcp(ctx: click.Context, *, granted: tuple[str, ...], session: str) -> ExitCode:
    """Serve Recall, RecallMore and RecallMaterial to an agent over stdin and stdout.

    An MCP client starts this; it ends when the client closes its side. Answers are quoted history,
    redacted and bounded. Nothing is written but the index.
    """
    options.call_of(ctx).serve(granted or TOOLS, session)
    return ExitCode.FOUND
