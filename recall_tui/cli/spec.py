"""`recall spec`: the commands as data, and the page of the docs that is made from them."""

from __future__ import annotations

import inspect
import json
from typing import TYPE_CHECKING, Final

import click

from recall_tui import __version__
from recall_tui.cli import options, output
from recall_tui.config import Config, Settings
from recall_tui.errors import ExitCode

if TYPE_CHECKING:
    from collections.abc import Iterator

EXIT_WORDS: Final = {
    ExitCode.FOUND: "found",
    ExitCode.NOTHING: "searched completely and found nothing",
    ExitCode.USAGE: "wrong call or configuration; nothing was searched",
    ExitCode.PARTIAL: "could not search, or found nothing in the part that could be searched",
    ExitCode.INTERRUPTED: "interrupted",
}


@click.command()
@options.json_option
@click.pass_context
def spec(ctx: click.Context, *, as_json: bool) -> ExitCode:
    """Describe every command: as a page of Markdown, or with --json for a program to read."""
    root = ctx.find_root().command
    if as_json:
        output.print_json(described(root))
    else:
        output.out().write(page(root))
    return ExitCode.FOUND


def commands(root: click.Command) -> Iterator[tuple[str, click.Context]]:
    """Yield (words after `recall`, context of the command) for every command, the group first."""
    queue = [("", click.Context(root, info_name="recall", **root.context_settings))]
    while queue:
        name, context = queue.pop(0)
        yield name, context
        group = context.command
        if not isinstance(group, click.Group):
            continue
        for word in group.list_commands(context):
            if (command := group.get_command(context, word)) is not None:
                below = click.Context(command, parent=context, info_name=word)
                queue.append((f"{name} {word}".strip(), below))


def described(root: click.Command) -> dict[str, object]:
    """Return everything a program needs to call the commands."""
    return {
        "program": "recall",
        "version": __version__,
        "exit_codes": {str(int(code)): words for code, words in EXIT_WORDS.items()},
        "commands": [
            {
                "name": name,
                "about": context.command.short_help or "",
                "help": _prose(context.command),
                "usage": _usage(context),
                "parameters": [_parameter(p) for p in context.command.params],
            }
            for name, context in commands(root)
        ],
    }


def _parameter(parameter: click.Parameter) -> dict[str, object]:
    shape: dict[str, object] = {
        "name": parameter.name,
        "kind": parameter.param_type_name,
        "type": parameter.type.name,
        "required": parameter.required,
        "multiple": parameter.multiple,
    }
    if isinstance(parameter.type, click.Choice):
        shape["choices"] = list(parameter.type.choices)
    if isinstance(parameter.type, click.IntRange):
        shape["min"] = parameter.type.min
    if isinstance(parameter, click.Option):
        shape["flags"] = [*parameter.opts, *parameter.secondary_opts]
        shape["is_flag"] = parameter.is_flag
        shape["help"] = parameter.help
        if isinstance(parameter.default, (str, int, float)) and not parameter.is_flag:
            shape["default"] = parameter.default
    return shape


def _usage(context: click.Context) -> str:
    return " ".join([context.command_path, *context.command.collect_usage_pieces(context)])


def _prose(command: click.Command) -> str:
    return inspect.cleandoc(command.help or "")


def page(root: click.Command) -> str:
    """Return the docs page of the command line."""
    lines = [
        "# The command line",
        "",
        "Made by `recall spec > docs/cli.md`; a test fails when it lags behind the program.",
        "",
        "stdout is data, stderr is words. Every answer says how far it reached: in text on stderr,",
        "with `--json` in `reach` and `gaps`. Times in text are in your zone, in JSON in UTC.",
        'Tab completion: `eval "$(_RECALL_COMPLETE=bash_source recall)"`; zsh and fish alike.',
        "",
        "| exit code | meaning |",
        "| --- | --- |",
        *(f"| {int(code)} | {words} |" for code, words in EXIT_WORDS.items()),
    ]
    for name, context in commands(root):
        lines += ["", f"## recall {name}".rstrip(), "", f"    {_usage(context)}", ""]
        lines += [_prose(context.command)]
        rows = [
            f"| `{', '.join(p.opts)}{_value(p)}` | {p.help}{_default(p)} |"
            for p in context.command.params
            if isinstance(p, click.Option)
        ]
        if rows:
            lines += ["", "| option | |", "| --- | --- |", *rows]
    return "\n".join([*lines, *_settings()]) + "\n"


def _value(option: click.Option) -> str:
    if option.is_flag:
        return ""
    if isinstance(option.type, click.Choice):
        return f" {'/'.join(option.type.choices)}"
    return f" {option.metavar or 'TEXT'}"


def _default(option: click.Option) -> str:
    return f" Default {option.default}." if option.show_default else ""


def _settings() -> list[str]:
    """Return the table of settings."""
    rows = [
        f"| `{one.name}` | {json.dumps(one.value)} | {one.doc} |"
        for one in Config(Settings(), "", {}).listing()
    ]
    return [
        "",
        "## Settings",
        "",
        "`recall config path` says where the file lies (TOML). Each setting has an environment",
        "variable too: `RECALL_` and its name in capitals. `RECALL_HOME` moves everything.",
        "",
        "| setting | default | |",
        "| --- | --- | --- |",
        *rows,
    ]
