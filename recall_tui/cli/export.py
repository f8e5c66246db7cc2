"""`recall export`: sessions as Markdown, HTML or lines of JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from recall_tui.cli import diagnostics, options, output
from recall_tui.cli.naming import named, unknown
from recall_tui.cli.nowhere import say_how_far
from recall_tui.cli.progress import catch_up
from recall_tui.errors import ExitCode, QueryError
from recall_tui.model import Filter
from recall_tui.paths import here
from recall_tui.playbooks.current import current
from recall_tui.playbooks.export import EVERYTHING, Cursor, Form
from recall_tui.playbooks.export import export as made
from recall_tui.playbooks.relations import family
from recall_tui.playbooks.writing import write_file
from recall_tui.search.reach import exit_code
from recall_tui.text import notation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recall_tui.history import History
    from recall_tui.model import Session
    from recall_tui.playbooks.export import Exported


@click.command()
@click.argument("refs", nargs=-1)
@click.option(
    "--format", "form", type=click.Choice([form.value for form in Form]), default=None,
    help="Markdown, one HTML page, or lines of JSON. Default: by FILE's ending, else md.",
)  # fmt: skip
@click.option("-o", "--output", "file", default="", metavar="FILE", help="Write it there, 0600.")
@click.option("--force", is_flag=True, help="Replace the file when it is there.")
@click.option("--all", "everything", is_flag=True, help="Every session the filters let through.")
@click.option("--current", "this", is_flag=True, help="The session this is run from.")
@click.option("--children", is_flag=True, help="Also the subagents of the sessions named.")
@click.option("--limit", type=options.POSITIVE, metavar="N", help="At most N messages.")
@click.option("--after", default="", metavar="CURSOR", help="The page after that one.")
@options.filter_options
@options.source_options
@options.json_option
@click.pass_context
def export(
    ctx: click.Context,
    *,
    refs: Sequence[str],
    form: str | None,
    file: str,
    force: bool,
    everything: bool,
    this: bool,
    children: bool,
    limit: int | None,
    after: str,
    asked: options.Asked,
    as_json: bool,
) -> ExitCode:
    """Write sessions out, redacted: those named, or with --all those the filters let through.

    Subagents, forks and copies are sessions of their own; --children adds the subagents. Filters
    of role and time leave messages out. --json means lines of JSON: a session, its messages each
    with reference and digest, and an end that says whether it is complete; --limit and --after
    give it in pages.
    """
    if sum((bool(refs), bool(after), everything, this)) != 1:
        raise QueryError(
            "name sessions, or give one of --all, --current, --after", "recall sessions lists them"
        )
    shape = _form(form, file, as_json=as_json)
    call = options.call_of(ctx)
    chosen = asked.filter(call.zone(as_json=as_json))
    with call.history() as history:
        catch_up(history, silent=as_json)
        cursor = _cursor(history, after)
        everything = everything or (cursor is not None and EVERYTHING in cursor.rest)
        names = [*refs, *(_names(cursor) if cursor else ())]
        sessions = _all(history, chosen, cursor) if everything else []
        if this:
            sessions.append(current(history, call.env, here()))
        for name in names:
            session = named(history, name.partition("#")[0])
            if session is None:
                return unknown(history, name, call)
            sessions += [session, *(_subagents(history, session) if children else ())]
        if not sessions:
            reach = history.reach(chosen)
            say_how_far(reach, history, call)
            return exit_code(reach, found=False)
        pieces, done = made(
            history, sessions, shape, chosen=chosen, limit=limit or 0, after=cursor,
            everything=everything,
        )  # fmt: skip
        path = ""
        if file:
            path = write_file(file, pieces, force=force)
        else:
            screen = output.out()
            for piece in pieces:
                screen.write(piece)
    _say_rest(done, path, chosen)
    return ExitCode.FOUND if done.messages else ExitCode.NOTHING


def _form(form: str | None, file: str, *, as_json: bool) -> Form:
    """Return the form that was asked for, or that a file's name asks for."""
    if as_json and form not in (None, Form.LINES.value):
        raise QueryError(f"--json and --format {form} exclude each other", "give one of them")
    if as_json:
        return Form.LINES
    ending = file.rpartition(".")[2].lower()
    guessed = {"html": Form.HTML, "htm": Form.HTML, "jsonl": Form.LINES, "json": Form.LINES}
    return Form(form) if form else guessed.get(ending, Form.MARKDOWN)


def _subagents(history: History, session: Session) -> list[Session]:
    """Return the subagents below a session, in the order of its family."""
    members = family(history, session).members
    at = next(i for i, member in enumerate(members) if member.session.key == session.key)
    below: list[Session] = []
    for member in members[at + 1 :]:
        if member.depth <= members[at].depth:
            break
        if member.link == "subagent":
            below.append(member.session)
    return below


def _names(cursor: Cursor) -> Sequence[str]:
    """Return the sessions a cursor goes on with, none for all."""
    return () if EVERYTHING in cursor.rest else (cursor.reference.key, *cursor.rest)


def _all(history: History, chosen: Filter, cursor: Cursor | None) -> list[Session]:
    """Return the sessions a filter lets through, from that of a cursor on.

    By their beginnings, which stay: a session that grows between two pages keeps its place.
    """
    found = sorted(history.sessions(chosen), key=_place)
    if cursor is None:
        return found
    (at,) = history.find(cursor.reference.key)
    return [session for session in found if _place(session) >= _place(at)]


def _place(session: Session) -> tuple[int, str]:
    return -session.started_ms, session.key


def _cursor(history: History, after: str) -> Cursor | None:
    """Return where to go on.

    Raises:
        QueryError: What the cursor names is not there as it was, so the pages would not fit.
    """
    if not after:
        return None
    cursor = Cursor.parse(after)
    found = history.resolve(cursor.reference)
    if found.state != "same" or not cursor.reference.position < cursor.messages:
        raise QueryError(f"--after {after}: that message is not there as it was", "export anew")
    if cursor.messages > found.session.messages:
        raise QueryError(f"--after {after}: the session has become shorter", "export anew")
    return cursor


def _say_rest(done: Exported, path: str, chosen: Filter) -> None:
    """Say what went out and what did not."""
    screen = diagnostics.err()
    counts = (
        f"{notation.counted(done.messages, 'message')} of "
        f"{notation.counted(done.sessions, 'session')}"
    )
    rest = f" · {done.left_out:,} left out by the filters" if done.left_out else ""
    rest = rest if chosen != Filter() else rest.replace("by the filters", "(put in by programs)")
    screen.line((f"{counts}{rest}{f' · written to {path}' if path else ''}", "muted"))
    if done.next:
        same = ", with the same filters" if chosen != Filter() else ""
        screen.block(f"more follows: --after '{done.next}'{same}", lead=("partial:", "warn"),
                     indent=diagnostics.LEAD)  # fmt: skip
    if done.unstable:
        words = f"{notation.counted(done.unstable, 'session')} grew meanwhile; export again"
        screen.block(words, lead=("note:", "muted"), indent=diagnostics.LEAD)
