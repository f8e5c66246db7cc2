"""`recall more`: a passage, extended around its anchor."""

from __future__ import annotations

import click

from recall_tui.cli import options, output
from recall_tui.cli.hits import speaker, style_of
from recall_tui.cli.naming import reference
from recall_tui.cli.screen import one_line
from recall_tui.errors import ExitCode
from recall_tui.text import notation

_NEIGHBOURS = click.IntRange(0, 8)


@click.command()
@click.argument("ref")
@click.option(
    "--before", type=_NEIGHBOURS, default=8, show_default=True, metavar="N", help="Messages before."
)
@click.option(
    "--after", type=_NEIGHBOURS, default=8, show_default=True, metavar="N", help="Messages after."
)
@options.source_options
@options.json_option
@click.pass_context
def more(ctx: click.Context, *, ref: str, before: int, after: int, as_json: bool) -> ExitCode:
    """Print more of the turn around REF, the reference of a passage that `recall search` found.

    What recall never shows (thinking, the program's own notices) is not here either; `recall show`
    prints the session as it is.
    """
    from recall_tui.playbooks.current import asking
    from recall_tui.search.recall import wire
    from recall_tui.search.recall.marker import NOTICE
    from recall_tui.search.recall.request import MoreRequest

    call = options.call_of(ctx)
    with call.history() as history:
        request = MoreRequest(reference(history, ref), before, after, asking(call.env))
        answer = history.more(request)
    if as_json:
        output.print_json(wire.more(answer, paths=True))
        return ExitCode.FOUND
    screen, zone = output.out(), call.zone()
    screen.line((NOTICE, "muted"))
    screen.line((one_line(answer.session.title) or "(no title)", "title"))
    if answer.has_more_before:
        screen.line(("… more before", "muted"))
    for message in answer.messages:
        mark = "▸" if message.is_anchor else " "
        screen.line(
            f"{mark} {notation.clock(message.time_ms, zone)}  ",
            (speaker(message.kind, message.tool), style_of(message.kind)),
            (f"  {message.reference}", "muted"),
        )
        screen.block(message.text, indent=4)
    if answer.has_more_after:
        screen.line(("… more after", "muted"))
    return ExitCode.FOUND
