"""`recall index`: compare the sources with the index and read what is new."""

from __future__ import annotations

import os
import select
import signal
import stat
import time
from typing import TYPE_CHECKING, Final

import click

from recall_tui.cli import diagnostics, options, output
from recall_tui.cli.nowhere import say_how_far
from recall_tui.cli.progress import REDRAW_S, Bar
from recall_tui.errors import ExitCode, QueryError, StoreError
from recall_tui.text import notation

if TYPE_CHECKING:
    from collections.abc import Callable

    from recall_tui.cli.call import Call
    from recall_tui.history import History
    from recall_tui.store.sync.progress import SyncProgress

AGAIN_S: Final = 5.0
"""Wait before an index that could not be written for a moment is kept live again."""


@click.command()
@click.option("--rebuild", is_flag=True, help="Build the index anew beside the old one, then swap.")
@click.option("--verify", is_flag=True, help="Compare content, not only sizes and times.")
@click.option("--watch", is_flag=True, help="Stay, and read what is written from now on.")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing unless something went wrong.")
@options.source_options
@options.json_option
@click.pass_context
def index(
    ctx: click.Context, *, rebuild: bool, verify: bool, watch: bool, quiet: bool, as_json: bool
) -> ExitCode:
    """Read what is new in the sources. Sources are never written.

    Searching does not need this: it looks for new text by itself. Use it to build the index ahead
    of time, to keep it live (--watch; with --json one line for each change), or to build it anew.
    """
    if watch and (rebuild or verify):
        raise QueryError("--watch takes neither --rebuild nor --verify", "run them one by one")
    call = options.call_of(ctx)
    with call.history() as history:
        if watch:
            return _watch(history, quiet=quiet, as_json=as_json)
        with Bar(silent=quiet or as_json) as bar:
            state = history.sync(bar.show, rebuild=rebuild, verify=verify)
        return _report(call, history, state, quiet=quiet, as_json=as_json)


def _report(
    call: Call, history: History, state: SyncProgress, *, quiet: bool, as_json: bool
) -> ExitCode:
    """Print what a sync did, and return how it ended: a source that cannot be read is a part."""
    reach = history.reach()
    gaps = reach.gaps
    if as_json:
        from recall_tui.cli import wire

        output.print_json(wire.progress(state) | {"gaps": [wire.gap(gap) for gap in gaps]})
    elif quiet:
        diagnostics.say_gaps(gap for gap in gaps if gap.partial)
    else:
        output.out().line(summary(state))
        if reach.sessions_total:
            diagnostics.say_gaps(gaps)
        else:
            say_how_far(reach, history, call)
    if state.failed or any(gap.partial for gap in gaps):
        return ExitCode.PARTIAL
    return ExitCode.FOUND if state.sessions else ExitCode.NOTHING


def _watch(history: History, *, quiet: bool, as_json: bool) -> ExitCode:
    """Keep the index live; print each finished pass, in JSON also where a long one stands.

    A disk that is full for a moment is waited out, and said once. Who reads JSON learns of it by
    the end of this process, and so does everybody when nothing could be written at all.
    """
    screen = output.out()
    told = 0.0
    writable = False
    ending = _ending()

    def tell(state: SyncProgress) -> None:
        nonlocal told, writable
        writable = writable or state.done
        now = time.monotonic()
        if as_json and (state.done or now - told >= REDRAW_S):
            from recall_tui.cli import wire

            told = now
            output.print_json_line(wire.progress_line(state))
        elif state.done and not as_json and not quiet:
            screen.line(summary(state))
            screen.flush()

    waits = False
    while not ending():
        try:
            history.watch(tell, ending)
        except StoreError as error:
            if as_json or not (writable or waits):
                raise
            if writable:
                diagnostics.say_error(error)
            waits, writable = True, False
            _pause(AGAIN_S, ending)
        else:
            break
    return ExitCode.FOUND


def _pause(seconds: float, ending: Callable[[], bool]) -> None:
    """Wait, or until it is time to end."""
    until = time.monotonic() + seconds
    while time.monotonic() < until and not ending():
        time.sleep(min(seconds, 0.5))


def _ending() -> Callable[[], bool]:
    """Return whether it is time to end: SIGTERM came, or whoever held our input pipe is gone."""
    asked = False

    def ask(*_: object) -> None:
        nonlocal asked
        asked = True

    signal.signal(signal.SIGTERM, ask)
    try:
        piped = stat.S_ISFIFO(os.fstat(0).st_mode)
    except OSError:
        piped = False

    def ending() -> bool:
        return asked or (piped and _input_closed())

    return ending


def _input_closed() -> bool:
    """Return whether the other end of our input pipe is closed; what it sent is dropped."""
    while select.select([0], [], [], 0)[0]:
        if not os.read(0, 4096):
            return True
    return False


def summary(state: SyncProgress) -> str:
    """Return one line about a sync: what the index holds, what changed, how long it took."""
    changed = [
        notation.counted(count, noun, noun)
        for count, noun in (
            (state.parsed, "read"),
            (state.appended, "grown"),
            (state.gone, "gone"),
            (state.failed, "failed"),
            (state.unchanged, "unchanged"),
        )
        if count
    ]
    words = [
        f"{notation.counted(state.sessions, 'session')}, "
        f"{notation.counted(state.messages, 'message')}",
        f"{notation.counted(state.seen, 'file')}: {', '.join(changed) or 'nothing new'}",
        f"{notation.size(state.bytes_done)} in {notation.duration(state.seconds * 1000) or '0ms'}",
    ]
    return " · ".join(words)
