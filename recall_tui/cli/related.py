"""`recall related`: sessions that share the project, the branch or files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from recall_tui.cli import diagnostics, options, output, wire
from recall_tui.cli.hits import mark_of
from recall_tui.cli.naming import named, unknown
from recall_tui.cli.nowhere import say_how_far
from recall_tui.cli.options import exit_zero_or
from recall_tui.cli.progress import catch_up
from recall_tui.cli.screen import Column, harness_style, one_line
from recall_tui.cli.sessions import short_ids
from recall_tui.clock import now_ms
from recall_tui.paths import full
from recall_tui.playbooks.acts import relative
from recall_tui.playbooks.related import related as find_related
from recall_tui.playbooks.related import seed_of_folder, seed_of_session
from recall_tui.search.reach import exit_code
from recall_tui.text import notation
from recall_tui.text.safe import hide

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recall_tui.cli.screen import Piece
    from recall_tui.errors import ExitCode
    from recall_tui.playbooks.related import Related, Seed


@click.command()
@click.argument("ref", required=False)
@click.option(
    "-n", "--limit", type=options.POSITIVE, metavar="N", default=10, show_default=True,
    help="Sessions listed.",
)  # fmt: skip
@options.filter_options
@options.source_options
@options.exit_zero_option
@options.json_option
@click.pass_context
def related(
    ctx: click.Context,
    *,
    ref: str | None,
    limit: int,
    asked: options.Asked,
    exit_zero: bool,
    as_json: bool,
) -> ExitCode:
    """List sessions that share the project, the branch or files: with a session, or a folder.

    Without REF the current folder is compared, or that of --cwd; --branch compares a branch other
    than the one checked out. Overlap is one point for the project, one for the branch, one for
    each file both touched; then the newer comes first. In a pipe: path, overlap, folder, branch,
    key, separated by tabs.
    """
    call = options.call_of(ctx)
    zone = call.zone(as_json=as_json)
    chosen = asked.filter(zone)._replace(cwd="", branch="")
    with call.history() as history:
        catch_up(history, silent=as_json)
        if ref is not None:
            session = named(history, ref.partition("#")[0])
            if session is None:
                return unknown(history, ref, call)
            seed = seed_of_session(history, session, asked.branch)
        else:
            folder = full(asked.cwd or ".")
            seed = seed_of_folder(history, folder, asked.branch)
        found = find_related(history, seed, chosen)
        kept = found[:limit]
        reach = history.reach(chosen)
        screen = output.out()
        if as_json:
            output.print_json(_json(seed, kept, len(found)) | wire.answer(reach))
        elif kept and screen.terminal:
            names = short_ids(s.name for s in history.listed())
            screen.table(COLUMNS, [_row(one, names, seed) for one in kept])
        elif kept:
            screen.table(PLAIN, [_plain(one) for one in kept])
        if not as_json:
            _say_seed(seed, len(kept), len(found))
            say_how_far(reach, history, call)
        return exit_zero_or(exit_code(reach, found=bool(kept)), exit_zero=exit_zero)


def _say_seed(seed: Seed, listed: int, found: int) -> None:
    """Say what was compared, and what was not."""
    words = [f"compared with {seed.folders[0] if seed.folders else 'no folder'}"]
    words += [f"branch {seed.branch}"] if seed.branch else []
    words += [notation.counted(len(seed.files), "file")] if seed.files else []
    if seed.files_known > len(seed.files):
        words[-1] += f" of {seed.files_known:,}"
    words += [f"{found - listed:,} more: --limit N"] if found > listed else []
    diagnostics.err().line((" · ".join(words), "muted"))


def _json(seed: Seed, kept: Sequence[Related], found: int) -> wire.Json:
    return {
        "related": [
            wire.session_full(one.session)
            | {
                "overlap": one.overlap,
                "same_project": one.project,
                "same_branch": one.branch,
                "files": list(one.files),
            }
            for one in kept
        ],
        "total": found,
        "compared": {
            "folders": list(seed.folders),
            "branch": seed.branch,
            "files": list(seed.files),
            "files_known": seed.files_known,
        },
    }


COLUMNS: Final = (
    Column("OVER", right=True),
    Column("AGE", right=True),
    Column(""),
    Column("ID", most=14),
    Column("BRANCH", most=12, spare=True),
    Column("TITLE", most=30),
    Column("SHARES"),
)
PLAIN: Final = tuple(Column(name) for name in ("PATH", "OVERLAP", "CWD", "BRANCH", "KEY"))


def _row(one: Related, names: dict[str, str], seed: Seed) -> Sequence[Piece]:
    session = one.session
    shares = ["project"] if one.project else []
    shares += ["branch"] if one.branch else []
    top = seed.folders[0] if seed.folders else ""
    shares += [one_line(relative(path, top)) for path in one.files]
    return (
        f"{one.overlap}",
        (notation.age(session.ended_ms, now_ms()), "muted"),
        (mark_of(session.harness), harness_style(session.harness)),
        (names.get(session.name, session.name), "muted"),
        one_line(session.branch),
        (one_line(session.title) or "(no title)", "title"),
        (" · ".join(shares), "muted"),
    )


def _plain(one: Related) -> Sequence[Piece]:
    session = one.session
    return (hide(session.path), f"{one.overlap}", session.cwd, session.branch, session.key)
