"""`recall search`: the best passages for a question or a few words, each with its reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from recall_tui.cli import options, output
from recall_tui.cli.hits import speaker, style_of
from recall_tui.cli.nowhere import say_how_far
from recall_tui.cli.screen import one_line
from recall_tui.search.reach import exit_code
from recall_tui.text import notation
from recall_tui.text.cut import cut_cells, excerpt
from recall_tui.text.fold import fold
from recall_tui.text.safe import hide

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import tzinfo

    from recall_tui.cli.screen import Screen
    from recall_tui.errors import ExitCode
    from recall_tui.search.recall.envelope import Envelope, Passage

SNIPPET_CHARS: Final = 200
"""White-space-collapsed text of a row (S3-12)."""

FORM_CHARS: Final = 5
"""Letters that the forms of a word share."""

LIMIT: Final = 10
"""Rows of an answer (S3-9)."""


@click.command()
@click.argument("text", nargs=-1, required=True)
@click.option("-t", "--term", "as_terms", is_flag=True, help="Each TEXT is a literal term.")
@click.option(
    "-n",
    "--limit",
    type=options.POSITIVE,
    metavar="N",
    default=LIMIT,
    show_default=True,
    help="Passages.",
)
@click.option("--recent", is_flag=True, help="Newest first among equally strong evidence.")
@click.option("--expand", is_flag=True, help="Rank subagents and forks on their own.")
@click.option("--full", is_flag=True, help="Print whole passages, not only the row of each.")
@click.option("--paths", is_flag=True, help="Print only the files of the sessions found.")
@click.option("-0", "--null", is_flag=True, help="With --paths: end each with NUL, for xargs -0.")
@options.filter_options
@options.source_options
@options.exit_zero_option
@options.json_option
@click.pass_context
def search(
    ctx: click.Context,
    *,
    text: tuple[str, ...],
    as_terms: bool,
    limit: int,
    recent: bool,
    expand: bool,
    full: bool,
    paths: bool,
    null: bool,
    asked: options.Asked,
    exit_zero: bool,
    as_json: bool,
) -> ExitCode:
    """Print the passages that best answer TEXT: a question, some words, an identifier.

    Words count in any form, a "quoted phrase" or an identifier as it is, and days ("on 7 July",
    "last week") pull what was said around them up. Each row says WHY it is there: trust that,
    not the rank. The turn of a session that this is run from is left out. `recall grep` finds
    every occurrence instead.
    """
    from recall_tui.playbooks.current import asking
    from recall_tui.search.recall.policy import MAX_PERSON_LIMIT
    from recall_tui.search.recall.request import RecallRequest

    call = options.call_of(ctx)
    zone_name = "UTC" if as_json else call.config().settings.zone
    request = RecallRequest(
        terms=text if as_terms else (),
        sentence="" if as_terms else " ".join(text),
        limit=limit,
        chosen=asked.filter(call.zone(as_json=as_json)),
        expand=expand,
        current_session=asking(call.env),
        recent=recent,
        zone=zone_name,
    )
    if paths:
        request = request._replace(limit=MAX_PERSON_LIMIT)
    with call.history() as history:
        answer = history.recall(request)
        if paths:
            files = list(dict.fromkeys(held.session.path for held in answer.passages))[:limit]
            output.print_paths(files, nul=null)
        elif as_json:
            from recall_tui.search.recall import wire

            output.print_json(wire.envelope(answer, paths=True))
        else:
            _print_text(answer, call.zone(), full=full)
        if not as_json:
            say_how_far(answer.reach, history, call)
        found = bool(answer.passages or (answer.facts and not paths))
        code = exit_code(answer.reach, found=found)
        return options.exit_zero_or(code, exit_zero=exit_zero)


def _print_text(answer: Envelope, zone: tzinfo, *, full: bool) -> None:
    from recall_tui.search.recall.marker import NOTICE

    if not answer.passages and not answer.facts:
        return
    screen = output.out()
    screen.line((NOTICE, "muted"))
    if answer.facts:
        screen.line()
    for fact in answer.facts:
        when = notation.day(fact.observed_ms, zone)
        about = "  ".join(filter(None, (one_line(fact.kind), when)))
        screen.block(
            one_line(fact.content), (f"  {about}", "muted"), lead=("FACT", "accent"), indent=5
        )
    for rank, passage in enumerate(answer.passages, 1):
        screen.line()
        _row(screen, rank, passage, zone)
        if full:
            _messages(screen, passage, zone)


def _row(screen: Screen, rank: int, passage: Passage, zone: tzinfo) -> None:
    """Print the row of S3-12: path; when and where; who and what; WHY."""
    from recall_tui.search.recall import why

    session = passage.session
    anchor = next((m for m in passage.messages if m.is_anchor), None)
    screen.uncut(f"{rank}. ", (one_line(hide(session.path)), "muted"))
    when = notation.moment((anchor.time_ms if anchor else 0) or session.ended_ms, zone) or "-"
    kind = f"{session.kind.value}, archived" if session.archived else session.kind.value
    places = (session.cwd, kind, session.branch)
    where = "  ".join(one_line(place) or "-" for place in places)
    screen.line("   ", (f"{when}  {where}", "muted"))
    screen.line("   ", (one_line(session.title) or "(no title)", "title"))
    if anchor is not None:
        who = speaker(anchor.kind, anchor.tool)
        said = _snippet(one_line(anchor.text), passage)
        screen.block((f"{who}: ", style_of(anchor.kind)), said, indent=3, lines=3)
    screen.uncut("   ", (str(passage.anchor), "muted"))
    screen.line("   ", ("WHY ", "accent"), (why.line(passage.why), "muted"))


def _snippet(text: str, passage: Passage) -> str:
    """Return the part of the anchor's text that holds what matched, most exact term first."""
    folded = fold(text)
    beginnings = (fold(hit.spelling)[:FORM_CHARS] for hit in passage.why.terms)
    found = (at for beginning in beginnings if (at := folded.find(beginning)) >= 0)
    # Folding hardly ever moves anything, and then by a character or two.
    at = min(next(found, 0), len(text))
    if at < SNIPPET_CHARS // 2:
        return cut_cells(text, SNIPPET_CHARS)
    before = SNIPPET_CHARS // 4
    return excerpt(text, at, at, before, SNIPPET_CHARS - before)[0]


def _messages(screen: Screen, passage: Passage, zone: tzinfo) -> None:
    for line in _lines(passage, zone):
        screen.block(*line, indent=5)


def _lines(passage: Passage, zone: tzinfo) -> Iterator[tuple[tuple[str, str], ...]]:
    if passage.has_more_before:
        yield (("… more before", "muted"),)
    for message in passage.messages:
        mark = "▸" if message.is_anchor else " "
        head = f"{mark} {notation.clock(message.time_ms, zone)} {speaker(message.kind, '')}: "
        yield ((head, style_of(message.kind)), (message.text, ""))
    if passage.has_more_after:
        yield ((f"… more after: recall more {passage.anchor}", "muted"),)
