"""The command line: click commands, one module each.

A command is one line in `COMMANDS` and one module; the module is imported when the command runs,
so that `recall --help` costs what click costs.
"""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final, NamedTuple

import click

from recall_tui import __version__
from recall_tui.cli.call import Call


class Entry(NamedTuple):
    """One command as the group knows it before its module is imported."""

    target: str
    """`module:function` below `recall_tui.cli`."""
    about: str
    """One line of help."""
    section: str


FIND: Final = "Find and read"
USE: Final = "Go on from a session"
SERVE: Final = "Serve agents"
KEEP: Final = "Keep the index"
KNOW: Final = "Know the program"

COMMANDS: Final = {
    "search": Entry("search:search", "Print the passages that best answer a question.", FIND),
    "grep": Entry("grep:grep", "Print every message that holds a text or a pattern.", FIND),
    "sessions": Entry("sessions:sessions", "List sessions, newest first.", FIND),
    "show": Entry("show:show", "Print a message with its neighbours, or a session.", FIND),
    "more": Entry("more:more", "Print more of the turn around a passage.", FIND),
    "material": Entry("material:material", "Describe a picture or file; -o saves it.", FIND),
    "related": Entry("related:related", "List sessions that share project, branch or files.", FIND),
    "relations": Entry("relations:relations", "Print the family of a session.", FIND),
    "continue": Entry("continue_:continue_", "Show where a session stood and how to go on.", USE),
    "repeat": Entry("repeat:repeat", "Give a session's prompts again, with fresh inputs.", USE),
    "handoff": Entry("handoff:handoff", "Print a cited page for another agent to go on with.", USE),
    "export": Entry("export:export", "Write sessions out: Markdown, HTML or JSON lines.", USE),
    "skill": Entry("skill:skill", "Make a SKILL.md from what worked, with provenance.", USE),
    "mcp": Entry("mcp:mcp", "Serve the agents' tools over stdin and stdout.", SERVE),
    "index": Entry("index:index", "Read what is new in the sources.", KEEP),
    "forget": Entry("forget:forget", "Remove a session from everything Recall keeps.", KEEP),
    "pause": Entry("pause:pause", "Let nothing be searched or read.", KEEP),
    "unpause": Entry("pause:unpause", "Let history be searched and read again.", KEEP),
    "doctor": Entry("doctor:doctor", "Check sources, index, terminal and retention.", KEEP),
    "config": Entry("config:config", "Show the settings and where each comes from.", KNOW),
    "spec": Entry("spec:spec", "Describe every command, for programs and for the docs.", KNOW),
}
"""Command name -> where it is. The order is that of the help page."""


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

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by section, without importing any."""
        for section in dict.fromkeys(entry.section for entry in COMMANDS.values()):
            rows = [(n, e.about) for n, e in COMMANDS.items() if e.section == section]
            with formatter.section(section):
                formatter.write_dl(rows)


COMPLETION: Final = "_RECALL_COMPLETE"
"""Environment variable a shell sets when it asks for completions; click's own notation."""

EPILOG: Final = (
    "Exit codes: 0 found, 1 searched completely and found nothing, 2 wrong call or configuration, "
    "3 could not search or only in part, 130 interrupted. stdout is data, stderr is words; every "
    "command answers --json and -h."
)


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EPILOG,
)
@click.version_option(__version__, prog_name="recall", message="%(prog)s %(version)s")
@click.option("--demo", is_flag=True, help="Use the bundled demo history; yours is not touched.")
@click.option(
    "--source",
    "sources",
    multiple=True,
    metavar="[HARNESS=]PATH",
    help="Read only this: a harness's home, a folder of sessions, or one file. Repeatable.",
)
@click.pass_context
def recall(ctx: click.Context, *, demo: bool, sources: tuple[str, ...]) -> int | None:
    """Search, read and continue everything your coding agents ever did.

    Without a command it opens the app.
    """
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
    with recall.make_context("recall", words, obj=call, terminal_width=_help_width()) as ctx:
        return recall.invoke(ctx)


def _help_width() -> int:
    """Return the cells of a help page. Click would import 7 ms of `shutil` to find out."""
    columns = os.environ.get("COLUMNS", "")
    try:
        width = int(columns) if columns.isdigit() else os.get_terminal_size(1).columns
    except OSError:
        width = 80  # not a terminal
    return max(40, min(width, 100) - 2)
