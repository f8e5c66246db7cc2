"""`recall skill`: a SKILL.md package from what worked in a session, and whether one still holds."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Final

import click

from recall_tui import clock
from recall_tui.cli import asking, diagnostics, options, output, wire
from recall_tui.cli.naming import named, unknown
from recall_tui.cli.nowhere import of_session
from recall_tui.cli.progress import catch_up
from recall_tui.cli.screen import one_line
from recall_tui.errors import ConfigError, ExitCode, QueryError
from recall_tui.paths import full
from recall_tui.playbooks.skill import PROVENANCE_FILE, SKILL_FILE, package, verify
from recall_tui.playbooks.writing import write_package
from recall_tui.text import notation

if TYPE_CHECKING:
    from recall_tui.cli.call import Call
    from recall_tui.history import History
    from recall_tui.playbooks.skill import Package

PROVENANCE_BYTES: Final = 8 << 20
"""A larger file was not written by us."""


@click.command()
@click.argument("ref", required=False)
@click.option("--name", default="", metavar="NAME", help="Name of the skill; else from the title.")
@click.option(
    "-o",
    "--output",
    "folder",
    default="",
    metavar="DIR",
    help="Folder of skills (~/.claude/skills, .agents/skills); writes DIR/NAME.",
)
@click.option("--force", is_flag=True, help="Replace its files when they are there.")
@click.option("--yes", is_flag=True, help="Write without a question.")
@click.option("--verify", "checked", default="", metavar="DIR", help="Check a skill's provenance.")
@options.source_options
@options.json_option
@click.pass_context
def skill(
    ctx: click.Context,
    *,
    ref: str | None,
    name: str,
    folder: str,
    force: bool,
    yes: bool,
    checked: str,
    as_json: bool,
) -> ExitCode:
    """Make a skill (SKILL.md) from what worked in a session: commands, edits, pitfalls.

    One-off data (ids, dates, paths) become {{inputs}}. The text is shown; with -o it is written
    after a question, since it will be instructions one day. Beside it stands where each step
    comes from and why it was kept; --verify DIR says whether that evidence is the same, changed
    or gone.
    """
    if (ref is None) is not bool(checked):
        raise QueryError("name a session, or --verify DIR", "recall sessions lists sessions")
    call = options.call_of(ctx)
    with call.history() as history:
        catch_up(history, silent=as_json)
        if ref is None:
            return _verify(history, checked, as_json=as_json)
        session = named(history, ref.partition("#")[0])
        if session is None:
            return unknown(history, ref, call)
        made = package(history, session, name=name, now_ms=clock.now_ms())
        reach = of_session(history, session)
    if as_json:
        written = _written(made, folder, call, force=force, yes=yes)
        output.print_json(_json(made, written) | wire.answer(reach))
        return ExitCode.FOUND
    output.out().write(made.files[SKILL_FILE])
    output.out().flush()
    _say_rest(made)
    written = _written(made, folder, call, force=force, yes=yes)
    words = f"written to {written}" if written else "-o DIR writes it: it becomes instructions"
    diagnostics.err().line((words, "muted"))
    return ExitCode.FOUND


def _written(made: Package, folder: str, call: Call, *, force: bool, yes: bool) -> str:
    """Write a skill that was shown, after a question; returns where, empty when it was not."""
    if not folder:
        return ""
    target = os.path.join(folder, made.name)
    place = notation.short_path(full(target), call.home)
    if not asking.confirmed(f"Write this to {one_line(place)}?", yes=yes):
        return ""
    return write_package(target, made.files, force=force)


def _json(made: Package, written: str) -> dict[str, object]:
    return {
        "name": made.name,
        "skill": made.files[SKILL_FILE],
        "provenance": json.loads(made.files[PROVENANCE_FILE]),
        "steps": made.steps,
        "left_out": dict(made.left_out),
        "messages_not_read": made.missing,
        "written": written,
    }


def _say_rest(made: Package) -> None:
    """Say what was not kept."""
    screen = diagnostics.err()
    if made.left_out:
        words = " · ".join(f"{what}: {count:,}" for what, count in made.left_out)
        screen.block((f"left out: {words}", "muted"))
    if made.missing:
        words = f"{notation.counted(made.missing, 'message')} at the end were not read"
        screen.block(words, lead=("partial:", "warn"), indent=diagnostics.LEAD)


def _verify(history: History, folder: str, *, as_json: bool) -> ExitCode:
    """Print how the evidence of a skill stands; found means that all of it is the same."""
    results = verify(history, _provenance(folder))
    counts = {
        state: sum(r.state == state for r in results) for state in ("same", "changed", "gone")
    }
    if as_json:
        shapes = [{"ref": r.reference, "state": r.state, "why": r.why} for r in results]
        output.print_json({"evidence": shapes, **counts})
    else:
        screen = output.out()
        for one in results:
            style = "good" if one.state == "same" else "warn"
            screen.line((f"{one.state:8}", style), one.reference, (f"  {one.why}", "muted"))
        words = " · ".join(f"{count:,} {state}" for state, count in counts.items() if count)
        diagnostics.err().line((words or "it names no evidence", "muted"))
    return ExitCode.FOUND if results and counts["same"] == len(results) else ExitCode.NOTHING


def _provenance(folder: str) -> object:
    """Return the decoded provenance of a package.

    Raises:
        ConfigError: There is none, or it is no JSON.
    """
    path = os.path.join(os.path.expanduser(folder), PROVENANCE_FILE)
    try:
        with open(path, encoding="utf-8") as stream:
            text = stream.read(PROVENANCE_BYTES + 1)
        if len(text) > PROVENANCE_BYTES:
            raise ConfigError(f"{path} is too large to be a provenance")
        return json.loads(text)
    except OSError as error:
        raise ConfigError(
            f"cannot read {path}: {error.strerror or error}", "name the folder of a skill"
        ) from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is no JSON") from error
