"""`recall forget`: remove a session from everything Recall keeps, and keep it removed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from recall_tui.cli import diagnostics, options, output, wire
from recall_tui.cli.hits import INDENT, session_lines
from recall_tui.cli.naming import named, unknown
from recall_tui.cli.progress import catch_up
from recall_tui.errors import ExitCode
from recall_tui.store.forget import Forgotten
from recall_tui.text import notation
from recall_tui.text.safe import hide

if TYPE_CHECKING:
    from collections.abc import Sequence

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
        catch_up(history, silent=as_json)
        session = named(history, key)
        if session is None:
            return unknown(history, key, call)
        going = [session, *history.children(session)]
        if yes:
            done = history.forget(going)
        else:
            files = dict.fromkeys(s.path for s in going if os.path.exists(s.path))
            done = Forgotten([], list(files))
        if as_json:
            shapes = [wire.session_full(s) for s in going]
            output.print_json(
                {
                    "forgotten": yes,
                    "sessions": shapes,
                    "files_kept": list(map(hide, done.left)),
                    "copies_kept": done.copies,
                    "clean": done.clean,
                }
            )
        else:
            _print(going, done, call, yes=yes)
        return ExitCode.FOUND


def _print(going: Sequence[Session], done: Forgotten, call: Call, *, yes: bool) -> None:
    screen, notes = output.out(), diagnostics.err()
    zone = call.zone()
    for session in going:
        session_lines(screen, session, zone, call.home)
        screen.uncut(" " * INDENT, (session.key, "muted"))
    messages = notation.counted(sum(s.messages for s in going), "message")
    screen.line()
    screen.line(
        ("forgotten: " if yes else "would go: ", "good" if yes else "warn"),
        f"{notation.counted(len(going), 'session')} with {messages}, notes and pins included",
    )
    for words, kept in (
        ("the agent's own files stay:", done.left),
        ("other sessions repeat a part of it:", done.copies),
    ):
        if kept:
            screen.line(words)
        for name in kept:
            screen.uncut(" " * INDENT, hide(name))
    if not yes:
        notes.line(("nothing was changed; add --yes to do it", "muted"))
    elif not done.clean:
        notes.block(
            "another process still reads the old state; the next recall index ends it",
            lead=("note:", "muted"),
            indent=diagnostics.LEAD,
        )
