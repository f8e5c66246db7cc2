"""`recall doctor`: what is well, what is not, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from recall_tui.cli import diagnostics, options, output
from recall_tui.doctor import Check, Level, examine, worst
from recall_tui.errors import ExitCode, RecallError

if TYPE_CHECKING:
    from recall_tui.cli.call import Call
    from recall_tui.cli.screen import Screen

SIGNS: Final = {
    Level.OK: ("✓", ""),
    Level.NOTE: ("·", "muted"),
    Level.WARN: ("!", "warn"),
    Level.FAIL: ("✗", "bad"),
}

NAME_CELLS: Final = 14


@click.command()
@click.option("--deep", is_flag=True, help="Check every page of the index, however large.")
@options.source_options
@options.json_option
@click.pass_context
def doctor(ctx: click.Context, *, deep: bool, as_json: bool) -> ExitCode:
    """Check sources, index, retention, machine and terminal. Nothing is changed or created.

    Ends with 3 when the index is damaged or was made by a newer version, with 2 when a setting or
    a source is wrong, with 0 otherwise: warnings are advice.
    """
    call = options.call_of(ctx)
    checks, problem = _examined(call, deep=deep)
    failed = worst(checks) is Level.FAIL
    if as_json:
        output.print_json({"ok": not failed, "checks": [_shape(check) for check in checks]})
    else:
        screen = output.out()
        section = ""
        for check in checks:
            if check.section != section:
                section = check.section
                screen.line((section, "title"))
            _line(screen, check)
        if problem is not None and not failed:
            diagnostics.say_error(problem)
    if failed:
        return ExitCode.PARTIAL
    return problem.exit_code if problem is not None else ExitCode.FOUND


def _examined(call: Call, *, deep: bool) -> tuple[list[Check], RecallError | None]:
    """Look with a history when one can be opened, without one otherwise."""
    try:
        with call.history(live=True) as history:
            return examine(call.env, call.home, history, deep=deep), None
    except RecallError as error:
        return examine(call.env, call.home, None, deep=deep), error


def _line(screen: Screen, check: Check) -> None:
    sign, style = SIGNS[check.level]
    action = f" → {check.action}" if check.action else ""
    screen.block(
        (check.detail, "muted" if check.level is Level.NOTE else ""),
        (action, "accent"),
        lead=(f"{sign} {check.name}", style),
        indent=NAME_CELLS + 3,
    )


def _shape(check: Check) -> dict[str, object]:
    return {
        "section": check.section,
        "level": check.level.value,
        "name": check.name,
        "detail": check.detail,
        "action": check.action,
        "facts": check.facts,
    }
