"""`recall pause` and `recall unpause`: the switch that lets nothing be searched or read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from recall_tui import privacy
from recall_tui.cli import options, output
from recall_tui.errors import ExitCode, QueryError
from recall_tui.paths import locate

if TYPE_CHECKING:
    from recall_tui.cli.call import Call


@click.command()
@options.json_option
@click.pass_context
def pause(ctx: click.Context, *, as_json: bool) -> ExitCode:
    """Let nothing be searched, shown or indexed until `recall unpause`.

    Every command that reads history, the app and the agents' tools refuse with the same words.
    What is indexed already stays. A state that cannot be read counts as paused.
    """
    folder = _own_folder(options.call_of(ctx))
    privacy.pause(folder)
    return _said(paused=True, as_json=as_json)


@click.command()
@options.json_option
@click.pass_context
def unpause(ctx: click.Context, *, as_json: bool) -> ExitCode:
    """Let history be searched, shown and indexed again."""
    folder = _own_folder(options.call_of(ctx))
    privacy.unpause(folder)
    return _said(paused=False, as_json=as_json)


def _own_folder(call: Call) -> str:
    """Return where the switch lies.

    Raises:
        QueryError: The demo is meant, which never pauses: it would be the person's own history.
    """
    if call.demo:
        raise QueryError("the demo cannot be paused: nothing in it is yours", "recall pause")
    return locate(call.env).data


def _said(*, paused: bool, as_json: bool) -> ExitCode:
    if as_json:
        output.print_json({"paused": paused})
    elif paused:
        output.out().line("paused: nothing is searched or read; recall unpause ends it")
    else:
        output.out().line("not paused: history is searched and read")
    return ExitCode.FOUND
