"""`recall sessions`: the sessions there are, newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from recall_tui.cli import diagnostics, options, output, wire
from recall_tui.cli.hits import mark_of
from recall_tui.cli.nowhere import explain_nowhere
from recall_tui.cli.screen import Column, Piece, harness_style, one_line
from recall_tui.clock import now_ms
from recall_tui.model import Presence, SessionKind
from recall_tui.text import notation

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recall_tui.errors import ExitCode
    from recall_tui.model import Session

SHORTEST_ID: Final = 8
"""Characters of an id that are enough to name a session when no other begins the same."""


@click.command()
@click.option(
    "-n",
    "--limit",
    type=options.POSITIVE,
    metavar="N",
    default=20,
    show_default=True,
    help="Sessions listed.",
)
@click.option("--all", "everything", is_flag=True, help="List all of them.")
@click.option("--paths", is_flag=True, help="Print only the files they were read from.")
@click.option("-0", "--null", is_flag=True, help="With --paths: end each with NUL, for xargs -0.")
@options.filter_options
@options.source_options
@options.exit_zero_option
@options.json_option
@click.pass_context
def sessions(
    ctx: click.Context,
    *,
    limit: int,
    everything: bool,
    paths: bool,
    null: bool,
    asked: options.Asked,
    exit_zero: bool,
    as_json: bool,
) -> ExitCode:
    """List sessions, newest first, each with the id that `recall show` takes.

    PROMPTS are what a person typed; MSGS is everything: prompts, answers, tool calls and output.
    A session that is only a copy of another is left out.
    """
    call = options.call_of(ctx)
    zone = call.zone(as_json=as_json)
    chosen = asked.filter(zone)
    with call.history() as history:
        # One more than asked says whether there are more.
        found = history.sessions(chosen, limit=0 if everything else limit + 1)
        listed = found if everything else found[:limit]
        more = len(found) > len(listed)
        reach = history.reach(chosen)
        screen = output.out()
        if paths:
            output.print_paths(dict.fromkeys(s.path for s in listed), nul=null)
        elif as_json:
            shapes = [wire.session_full(s) for s in listed]
            output.print_json({"sessions": shapes, "more": more} | wire.answer(reach))
        elif listed and screen.terminal:
            names = short_ids(s.native_id for s in history.sessions())
            screen.table(COLUMNS, [_row(s, names.get(s.native_id, s.key)) for s in listed])
        elif listed:
            screen.table(COLUMNS, [_row(s, s.key) for s in listed])
        if not as_json:
            diagnostics.say_reach(reach, zone)
            if more:
                diagnostics.err().line(("more: --limit N or --all", "muted"))
            explain_nowhere(reach, call)
        return diagnostics.outcome(listed, reach, exit_zero=exit_zero)


COLUMNS: Final = (
    Column("AGE", right=True),
    Column(""),
    Column("ID"),
    Column("PROMPTS", right=True),
    Column("MSGS", right=True),
    Column("PROJECT", most=16),
    Column("BRANCH", most=12),
    Column("TITLE"),
)


def _row(session: Session, name: str) -> Sequence[Piece]:
    notes = [session.kind.value] if session.kind is not SessionKind.MAIN else []
    if session.presence is Presence.GONE:
        notes.append("gone")
    title = one_line(session.title) or "(no title)"
    return (
        (notation.age(session.ended_ms, now_ms()), "muted"),
        (mark_of(session.harness), harness_style(session.harness)),
        (name, "muted"),
        f"{session.prompts:,}",
        f"{session.messages:,}",
        one_line(session.project),
        (one_line(session.branch), "muted"),
        (f"[{', '.join(notes)}] {title}" if notes else title, "title"),
    )


def short_ids(native_ids: Iterable[str]) -> dict[str, str]:
    """Return, for each id, its shortest beginning that no other id has, never under eight.

    An id that two sessions share maps to itself: only the key tells them apart.
    """
    ordered = sorted(set(native_ids))
    short: dict[str, str] = {}
    for index, native_id in enumerate(ordered):
        beside = ordered[max(0, index - 1) : index] + ordered[index + 1 : index + 2]
        needed = 1 + max((_common(native_id, other) for other in beside), default=0)
        short[native_id] = native_id[: max(SHORTEST_ID, needed)]
    return short


def _common(one: str, other: str) -> int:
    """Return how many characters two texts begin alike."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count
