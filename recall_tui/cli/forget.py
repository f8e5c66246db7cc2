"""`recall forget`: remove a session from everything Recall keeps, and keep it removed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from recall_tui.cli import diagnostics, options, output, wire
from recall_tui.cli.hits import INDENT, session_lines
from recall_tui.cli.naming import named, unknown
from recall_tui.errors import ExitCode
from recall_tui.text import notation

if TYPE_CHECKING:
    from recall_tui.cli.call import Call
    from recall_tui.model import Session


@click.command()
@click.argument("key")
@click.option("--yes", is_flag=True, help="Do it; without this it only shows what would go.")
@options.source_options
@options.json_option
@click.pass_context
def forget(ctx: click.Context, *, key: str, yes: bool, as_json: bool) -> ExitCode:
    """Remove the session KEY, its subagents and copies from everything Recall keeps.

    KEY is a session's key, its id, the beginning of its id, or its file. Without --yes it shows
    what would go and changes nothing. The agent's own files are never touched: they are listed,
    so that you can delete them yourself. A forgotten session is not read again.
    """
    call = options.call_of(ctx)
    with call.history() as history:
        session = named(history, key)
        if session is None:
            return unknown(history, key, call)
        going = [session, *history.children(session)]
        files = [path for path in dict.fromkeys(s.path for s in going) if os.path.exists(path)]
        if yes:
            history.forget(going)
        if as_json:
            output.print_json(
                {
                    "forgotten": yes,
                    "sessions": [wire.session_full(s) for s in going],
                    "files_kept": files,
                }
            )
        else:
            _print(going, files, call, done=yes)
        return ExitCode.FOUND


def _print(going: list[Session], files: list[str], call: Call, *, done: bool) -> None:
    screen = output.out()
    zone = call.zone()
    for session in going:
        session_lines(screen, session, zone, call.home)
        screen.line(" " * INDENT, (session.key, "muted"))
    messages = notation.counted(sum(s.messages for s in going), "message")
    verb = "forgotten" if done else "would go"
    screen.line()
    screen.line(
        (f"{verb}: ", "good" if done else "warn"),
        f"{notation.counted(len(going), 'session')} with {messages}, notes and pins included",
    )
    if files:
        screen.line("the agent's own files stay: ")
        for path in files:
            screen.line(" " * INDENT, path)
    if not done:
        diagnostics.err().line(("nothing was changed; add --yes to do it", "muted"))
