"""`recall grep --raw`: where a secret is, for who has to take it out; never what it is."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Final

from recall_tui.cli import diagnostics, options, output
from recall_tui.cli.screen import one_line
from recall_tui.errors import ExitCode, QueryError
from recall_tui.search.raw import Wanted
from recall_tui.text import notation
from recall_tui.text.redact import mark, shown
from recall_tui.text.sanitize import sanitize

if TYPE_CHECKING:
    from recall_tui.cli.call import Call
    from recall_tui.model import Gap
    from recall_tui.search.raw import RawFile

STDIN: Final = "-"
"""As PATTERN: it is read from stdin, and so in no shell's history and no list of processes."""

LINES: Final = 12
"""Line numbers printed of one file."""

HIDDEN: Final = "[what was looked for]"


def look(
    call: Call,
    pattern: str,
    asked: options.Asked,
    *,
    regex: bool,
    ignore_case: bool,
    count: bool,
    paths: bool,
    nul: bool,
    as_json: bool,
) -> ExitCode:
    """Look for a secret in the sources and print the places.

    Raises:
        QueryError: The pattern is empty or cannot be compiled, or a filter does not fit; the words
            never hold the pattern.
    """
    unfit = [f"--{n}" for n in ("cwd", "branch", "session", "mains_only") if getattr(asked, n)]
    if unfit:
        taken = "it takes --harness, --role, --since, --until"
        raise QueryError(f"--raw does not take {', '.join(unfit)}", taken)
    if pattern == STDIN:
        pattern = sys.stdin.readline().rstrip("\r\n")
    if not pattern:
        raise QueryError("the pattern is empty")
    try:
        wanted = Wanted(pattern, regex=regex, ignore_case=ignore_case)
    except re.error as error:
        raise QueryError(f"the pattern cannot be compiled: at {error.pos}") from None
    chosen = asked.filter(call.zone(as_json=as_json))
    gaps: list[Gap] = []
    found: list[RawFile] = []
    with call.history(live=True) as history:
        for file in history.raw(wanted, chosen, gaps):
            found.append(file)
            if paths:
                output.print_paths([_named(file.path, wanted)], nul=nul)
            elif not as_json and not count:
                _print(call, file, wanted)
    if as_json:
        output.print_json(_shape(found, gaps, wanted))
    else:
        screen = output.out() if count else diagnostics.err()
        if not paths:
            messages = sum(len(file.messages) for file in found)
            screen.line(f"{notation.counted(len(found), 'source')}, "
                        f"{notation.counted(messages, 'message')}")  # fmt: skip
        diagnostics.say_gaps(gaps)
    if found:
        return ExitCode.FOUND
    return ExitCode.PARTIAL if any(gap.partial for gap in gaps) else ExitCode.NOTHING


def _named(text: str, wanted: Wanted) -> str:
    """Return a path or a key as it may be shown."""
    readable = shown(mark(sanitize(text)))
    return HIDDEN if wanted.in_text(readable) else readable


def _print(call: Call, file: RawFile, wanted: Wanted) -> None:
    screen = output.out()
    screen.uncut((one_line(_named(file.path, wanted)), "title"))
    if file.lines:
        numbers = ", ".join(map(str, file.lines[:LINES]))
        rest = len(file.lines) + file.more_lines - LINES
        more = f" and {rest:,} more" if rest > 0 else ""
        screen.line("  ", ("lines " if len(file.lines) > 1 else "line ", "muted"), numbers + more)
    for message in file.messages:
        when = notation.moment(message.time_ms, call.zone()) or "-"
        reference = _named(str(message.reference), wanted)
        screen.uncut("  ", (reference, ""), (f"  {message.kind.word}  {when}", "muted"))
    screen.flush()


def _shape(found: list[RawFile], gaps: list[Gap], wanted: Wanted) -> dict[str, object]:
    from recall_tui.clock import to_iso
    from recall_tui.search.reach import gap_shape

    return {
        "raw": True,
        "sources": [
            {
                "path": _named(file.path, wanted),
                "harness": file.harness,
                "session": _named(file.session, wanted),
                "lines": file.lines,
                "more_lines": file.more_lines,
                "messages": [
                    {
                        "reference": _named(str(message.reference), wanted),
                        "kind": message.kind.word,
                        "time": to_iso(message.time_ms),
                    }
                    for message in file.messages
                ],
            }
            for file in found
        ],
        "total": sum(len(file.messages) for file in found),
        "gaps": [gap_shape(gap) for gap in gaps],
    }
