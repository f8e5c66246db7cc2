"""Everything a command says on stderr, and how it ends."""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING, Final

import click

from recall_tui.errors import Cancelled, ExitCode, RecallError
from recall_tui.text.safe import hide

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import tzinfo

    from recall_tui.cli.screen import Screen
    from recall_tui.model import Gap, Reach

DEBUG: Final = "RECALL_DEBUG"
"""Environment variable that adds the traceback to an unexpected failure."""

LEAD: Final = 9
"""Cells for the word that says what kind of line it is."""

_UNWRITABLE: Final = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EBADF)
"""What writing to a full or broken disk, or to a closed output, fails with."""

GAP_LINES: Final = 12
"""Gaps printed one a line before the rest is counted."""


def err() -> Screen:
    """Return the screen of stderr."""
    from recall_tui.cli.screen import screen_for

    return screen_for(sys.stderr)


def say_reach(reach: Reach, zone: tzinfo) -> None:
    """Print how far an answer reached: one line, then a line for each gap."""
    screen = err()
    screen.line((reach_words(reach, zone), "muted"))
    say_gaps(reach.gaps, screen)


def say_gaps(gaps: Iterable[Gap], screen: Screen | None = None) -> None:
    """Print a line for each gap with its next action, those that made the answer partial first.

    That there is no layer of facts at all is said to programs only: few people ever set one up.
    """
    from recall_tui.model import GapKind
    from recall_tui.search.reach import detail_of

    screen = screen or err()
    said_to_people = (gap for gap in gaps if gap.kind is not GapKind.NO_FACTS or gap.where)
    ordered = sorted(said_to_people, key=lambda gap: not gap.partial)
    for gap in ordered[:GAP_LINES]:
        said = gap.count <= 1 or f"{gap.count}" in gap.detail or f"{gap.count:,}" in gap.detail
        times = "" if said else f"{gap.count:,} × "
        action = f" → {gap.action}" if gap.action else ""
        label, style = (("partial:", "warn"), "") if gap.partial else (("note:", "muted"), "muted")
        detail = (f"{times}{detail_of(gap)}", style)
        screen.block(detail, (action, "accent"), lead=label, indent=LEAD)
    if len(ordered) > GAP_LINES:
        rest = len(ordered) - GAP_LINES
        where = (" → recall doctor", "accent")
        screen.block(f"{rest} more gaps", where, lead=("note:", "muted"), indent=LEAD)


def reach_words(reach: Reach, zone: tzinfo) -> str:
    """Return the reach statement: what was searched, over which days, how old the index is."""
    from recall_tui.text import notation

    words = [f"searched {notation.counted(reach.sessions_searched, 'session')}"]
    if reach.sessions_total > reach.sessions_searched:
        words[0] += f" of {reach.sessions_total:,}"
    days = [notation.day(ms, zone) for ms in (reach.oldest_ms, reach.newest_ms) if ms]
    if days:
        words.append(" to ".join(dict.fromkeys(days)))
    if reach.since_ms is not None:
        words.append(f"since {notation.moment(reach.since_ms, zone)}")
    if reach.until_ms is not None:
        words.append(f"until {notation.moment(reach.until_ms, zone)}")
    if reach.path != "index":
        where = {"cold": "read from the files", "workspace": "read in place"}
        words.append(where.get(reach.path, "partly read from the files"))
    if reach.index_age_ms is not None:
        seconds = reach.index_age_ms // 1000
        words.append(f"index {notation.duration(seconds * 1000) or '<1s'} old")
    if reach.elapsed_ms:
        words.append(notation.duration(reach.elapsed_ms))
    return " · ".join(words)


def guarded(run: Callable[[], object]) -> int:
    """Run a command line and return its exit code; every failure becomes words on stderr."""
    try:
        code = _ended(run)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough
        _stop_writing()
        code = ExitCode.FOUND
    except click.ClickException as error:
        words = error.format_message()
        if hide(words) != words:  # it quotes what was typed
            error = click.UsageError(hide(words), getattr(error, "ctx", None))
        error.show(sys.stderr)
        code = error.exit_code
    except (KeyboardInterrupt, click.Abort, Cancelled):
        code = ExitCode.INTERRUPTED
    except RecallError as error:
        say_error(error)
        code = error.exit_code
    except Exception as error:
        code = _fault(error)
    return int(code)


def _stop_writing() -> None:
    """Let what is still buffered for stdout go nowhere: it must not fail once more at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _ended(run: Callable[[], object]) -> int:
    """Return the code a command line ends with by itself: help ends early, the rest returns it."""
    try:
        result = run()
    except click.exceptions.Exit as early:
        return early.exit_code
    return result if isinstance(result, int) else ExitCode.FOUND


def say_error(error: RecallError) -> None:
    """Print what went wrong and what to do next."""
    screen = err()
    # What was typed may be quoted in it, and a secret is printed nowhere.
    screen.block(hide(error.message), lead=("recall:", "bad"), indent=LEAD)
    if error.hint:
        screen.block((hide(error.hint), "muted"), indent=LEAD)


def _fault(error: Exception) -> ExitCode:
    """Print an unexpected failure: where it happened, never what text was being read."""
    import traceback

    if isinstance(error, OSError) and error.errno in _UNWRITABLE and error.filename is None:
        _stop_writing()
        reason = error.strerror
        say_error(RecallError(f"the answer could not be written: {reason}", "it is incomplete"))
        return ExitCode.PARTIAL
    if os.environ.get(DEBUG):
        sys.stderr.write(hide("".join(traceback.format_exception(error))))
        return ExitCode.PARTIAL
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else "?"
    say_error(
        RecallError(
            f"a fault of Recall itself: {type(error).__name__} at {place}",
            f"set {DEBUG}=1 for the whole trace, and please report it",
        )
    )
    return ExitCode.PARTIAL
