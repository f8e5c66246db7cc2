"""`recall sessions`: the sessions there are, newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from recall_tui.cli import diagnostics, options, output
from recall_tui.cli.hits import mark_of
from recall_tui.cli.naming import folded
from recall_tui.cli.nowhere import say_how_far
from recall_tui.cli.options import exit_zero_or
from recall_tui.cli.progress import catch_up
from recall_tui.cli.screen import Column, Piece, harness_style, one_line
from recall_tui.clock import now_ms
from recall_tui.model import Presence, SessionKind
from recall_tui.search.reach import exit_code
from recall_tui.text import notation

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recall_tui.errors import ExitCode
    from recall_tui.history import History
    from recall_tui.model import Filter, Session

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
@click.option("--unfold", is_flag=True, help="List subagents and forks beside their main session.")
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
    unfold: bool,
    paths: bool,
    null: bool,
    asked: options.Asked,
    exit_zero: bool,
    as_json: bool,
) -> ExitCode:
    """List sessions, newest first, each with the id that `recall show` takes.

    YOU counts what a person typed; MSGS everything: prompts, answers, tool calls and output.
    Subagents and forks are folded into their main session, whose title says +N; --unfold lists
    them. A session that is only a copy of another is left out.
    """
    call = options.call_of(ctx)
    zone = call.zone(as_json=as_json)
    chosen = asked.filter(zone)
    with call.history() as history:
        catch_up(history, silent=as_json)
        listed, kept, found = _page(history, chosen, 0 if everything else limit, unfold=unfold)
        reach = history.reach(chosen)
        screen = output.out()
        if paths:
            output.print_paths(dict.fromkeys(s.path for s in listed), nul=null)
        elif as_json:
            from recall_tui.cli import wire

            shapes = [wire.session_full(s) for s in listed]
            counts = {"total": kept, "folded": found - kept}
            output.print_json({"sessions": shapes} | counts | wire.answer(reach))
        elif listed and screen.terminal:
            names = short_ids(s.name for s in history.listed())
            screen.table(COLUMNS, [_row(s, names.get(s.name, s.name)) for s in listed])
        elif listed:
            screen.table(COLUMNS, [_row(s, s.key) for s in listed])
        if not as_json:
            _say_rest(len(listed), kept, found)
            say_how_far(reach, history, call)
        return exit_zero_or(exit_code(reach, found=bool(listed)), exit_zero=exit_zero)


def _page(
    history: History, chosen: Filter, limit: int, *, unfold: bool
) -> tuple[list[Session], int, int]:
    """Return sessions, how many there are without a limit (0 is none), and how many unfolded.

    A page of many is chosen by places alone.
    """
    if not limit:
        everyone = history.sessions(chosen)
        kept = everyone if unfold else folded(everyone)
        return kept, len(kept), len(everyone)
    places = history.listed(chosen)
    mains = places if unfold else folded(places)
    return history.listed_sessions(mains[:limit]), len(mains), len(places)


def _say_rest(listed: int, kept: int, found: int) -> None:
    """Say what the list leaves out, and the switch that shows it."""
    words = []
    if kept > listed:
        words.append(f"{kept - listed:,} older: --limit N or --all")
    if found > kept:
        parts = notation.counted(found - kept, "subagent or fork", "subagents and forks")
        words.append(f"{parts} folded: --unfold")
    if words:
        diagnostics.err().line((" · ".join(words), "muted"))


COLUMNS: Final = (
    Column("AGE", right=True),
    Column("BY"),
    Column("ID", most=14),
    Column("YOU", right=True, spare=True),
    Column("MSGS", right=True, spare=True),
    Column("PROJECT", most=12, spare=True),
    Column("BRANCH", most=8, spare=True),
    Column("TITLE"),
)


def _row(session: Session, name: str) -> Sequence[Piece]:
    notes = [session.kind.value] if session.kind is not SessionKind.MAIN else []
    if session.children:
        notes.append(f"+{session.children}")
    if session.presence is Presence.GONE:
        notes.append("source gone")
    title = one_line(session.title) or "(no title)"
    return (
        (notation.age(session.ended_ms, now_ms()), "muted"),
        (mark_of(session.harness), harness_style(session.harness)),
        (name, "muted"),
        f"{session.prompts:,}",
        f"{session.messages:,}",
        one_line(session.project),
        (one_line(session.branch), "muted"),
        (" · ".join([title, *notes]), "title"),
    )


def short_ids(names: Iterable[str]) -> dict[str, str]:
    """Return, for each name, its shortest beginning that names it alone, never under eight.

    A subagent's name is its parent's and more (`ID/agent-...`); a beginning that both share means
    the parent (`naming.named`), so such a name stays whole.
    """
    known = set(names)
    short = {name: name for name in known}
    ordered = sorted(name for name in known if name.rpartition("/")[0] not in known)
    for index, name in enumerate(ordered):
        beside = ordered[max(0, index - 1) : index] + ordered[index + 1 : index + 2]
        needed = 1 + max((_common(name, other) for other in beside), default=0)
        short[name] = name[: max(SHORTEST_ID, needed)]
    return short


def _common(one: str, other: str) -> int:
    """Return how many characters two texts begin alike."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count
