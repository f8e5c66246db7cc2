"""The command line: click commands, one module each.

A command is one line in `menu.COMMANDS` and one module, which is imported when the command runs.
"""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final

import click

from recall_tui import __version__, menu
from recall_tui.cli.call import Call
from recall_tui.menu import COMMANDS


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports one when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return every command name, in the order of the help page."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, None when there is none of that name."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        module, _, function = entry.target.partition(":")
        command: click.Command = getattr(import_module(f"recall_tui.cli.{module}"), function)
        command.short_help = entry.about
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; an unknown one is answered with the one probably meant."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            import difflib

            meant = difflib.get_close_matches(name, COMMANDS, 1)
            if not meant or (args[1:] and not args[1].startswith("-")):
                meant.append(f"grep {click.format_filename(' '.join(args))!r}")
            hint = " or ".join(f"recall {words}" for words in meant)
            raise click.UsageError(f"no command {name!r}; did you mean: {hint}", ctx)
        return super().resolve_command(ctx, args)

    def get_help(self, ctx: click.Context) -> str:
        """Return the help page, which is made without click."""
        return menu.page(ctx.terminal_width or menu.help_width())


COMPLETION: Final = "_RECALL_COMPLETE"
"""Environment variable a shell sets when it asks for completions; click's own notation."""


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    subcommand_metavar="[COMMAND] [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"]},
    help=menu.ABOUT,
    epilog=menu.EPILOG,
)
@click.version_option(__version__, prog_name="recall", message="%(prog)s %(version)s")
@click.option("--demo", is_flag=True, help=menu.OPTIONS["--demo"])
@click.option(
    "--source",
    "sources",
    multiple=True,
    metavar="[HARNESS=]PATH",
    help=menu.OPTIONS["--source [HARNESS=]PATH"],
)
@click.pass_context
def recall(ctx: click.Context, *, demo: bool, sources: tuple[str, ...]) -> int | None:
    """Run a command, or open the app."""
    call = ctx.ensure_object(Call)
    call.demo = call.demo or demo
    call.sources += sources
    return None if ctx.invoked_subcommand else call.open_app()


def main(args: Sequence[str] | None = None, call: Call | None = None) -> int:
    """Run one command line and return its exit code.

    Args:
        args: The words behind the program's name; None means those of the process.
        call: What commands are given; None means the machine's own history.
    """
    from recall_tui.cli.diagnostics import guarded
    from recall_tui.cli.letters import say_others_by_a_mark

    say_others_by_a_mark()
    words = sys.argv[1:] if args is None else list(args)
    return guarded(lambda: _run(words, call or Call()))


def _run(words: list[str], call: Call) -> object:
    """Parse and run one command line. `Command.main` would turn a closed pipe into a failure."""
    instruction = os.environ.get(COMPLETION)
    if instruction:
        from click.shell_completion import shell_complete

        return shell_complete(recall, {}, "recall", COMPLETION, instruction)
    with recall.make_context("recall", words, obj=call, terminal_width=menu.help_width()) as ctx:
        return recall.invoke(ctx)
