"""`recall config`: the settings in force, where each comes from, and where the file lies."""

from __future__ import annotations

import os

import click

from recall_tui.cli import options, output
from recall_tui.cli.screen import Column
from recall_tui.config import DEFAULT
from recall_tui.errors import ExitCode


@click.group()
def config() -> None:
    """Show the settings and where each comes from.

    Later wins: the default, the file (`recall config path`), the environment variable
    RECALL_<NAME>, a flag. An unknown key in the file is an error.
    """


@config.command()
@options.json_option
@click.pass_context
def show(ctx: click.Context, *, as_json: bool) -> ExitCode:
    """Print every setting, its value and its origin."""
    held = options.call_of(ctx).config()
    listing = held.listing()
    if as_json:
        shapes = [
            {"name": one.name, "value": one.value, "origin": one.origin, "help": one.doc}
            for one in listing
        ]
        output.print_json({"file": held.file, "settings": shapes})
        return ExitCode.FOUND
    columns = (Column("SETTING"), Column("VALUE", most=28), Column("FROM"))
    output.out().table(
        columns,
        [
            (one.name, (_words(one.value), "accent" if one.origin != DEFAULT else ""),
             (one.origin, "muted"))
            for one in listing
        ],
    )  # fmt: skip
    return ExitCode.FOUND


@config.command()
@options.json_option
@click.pass_context
def path(ctx: click.Context, *, as_json: bool) -> ExitCode:
    """Print where the settings, the index and the logs lie."""
    from recall_tui.paths import locate

    held = locate(options.call_of(ctx).env)
    places = {
        "config": held.config_file,
        "index": held.index_file,
        "user": held.user_file,
        "logs": held.logs,
    }
    if as_json:
        output.print_json(
            {name: {"path": p, "exists": os.path.exists(p)} for name, p in places.items()}
        )
        return ExitCode.FOUND
    rows = [(n, (p, "" if os.path.exists(p) else "muted")) for n, p in places.items()]
    output.out().table((Column("WHAT"), Column("PATH")), rows)
    return ExitCode.FOUND


def _words(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) or "-"
