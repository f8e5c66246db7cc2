"""`recall grep`: every message that holds a text or a pattern, newest first."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

import click
from click.core import ParameterSource

from recall_tui.cli import diagnostics, options, output
from recall_tui.cli.hits import print_hits
from recall_tui.cli.nowhere import say_how_far
from recall_tui.errors import ExitCode, QueryError, StoreError
from recall_tui.search.reach import exit_code
from recall_tui.search.results import Case, GrepQuery
from recall_tui.text import notation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recall_tui.cli.call import Call
    from recall_tui.history import History
    from recall_tui.model import Message
    from recall_tui.search.results import GrepUpdate, Hit

BATCH: Final = 500
"""Hits printed at once: grouping by session needs them together, memory wants them few."""

EVERYTHING: Final = 2**31 - 1
"""The limit that means no limit: updates hold only their own hits, so memory stays flat."""

CASES: Final = {"ignore": Case.IGNORE, "exact": Case.EXACT, "smart": Case.SMART}


@click.command()
@click.argument("pattern")
@click.option("-i", "--ignore-case", "case", flag_value="ignore", help="Letters match any case.")
@click.option("-s", "--case-sensitive", "case", flag_value="exact", help="Case must match.")
@click.option(
    "-S",
    "--smart-case",
    "case",
    flag_value="smart",
    default="smart",
    help="Case matters only if PATTERN holds a capital. The default.",
)
@click.option("-w", "--word", is_flag=True, help="Only whole words.")
@click.option("-E", "--regex", is_flag=True, help="PATTERN is a regular expression.")
@click.option("-F", "--fixed", is_flag=True, help="PATTERN is a plain text. The default.")
@click.option("--count", is_flag=True, help="Print counts only.")
@click.option(
    "--no-total", is_flag=True, help="Stop when the page is full: faster, without exact counts."
)
@click.option(
    "-n",
    "--limit",
    type=options.POSITIVE,
    metavar="N",
    default=50,
    show_default=True,
    help="Hits a page.",
)
@click.option("--cursor", default="", metavar="TEXT", help="'next' of the page before.")
@click.option("--all", "everything", is_flag=True, help="Every hit, no pages.")
@click.option(
    "-C", "--context", type=options.POSITIVE, metavar="N", help="Messages shown around each hit."
)
@click.option("--paths", is_flag=True, help="Print only the files of the sessions that match.")
@click.option("-0", "--null", is_flag=True, help="With --paths: end each with NUL, for xargs -0.")
@click.option(
    "--raw",
    is_flag=True,
    help="Look for a secret: read the sources, print where it is, never what. '-' reads PATTERN "
    "from stdin.",
)
@options.filter_options
@options.source_options
@options.exit_zero_option
@options.json_option
@click.pass_context
def grep(
    ctx: click.Context,
    *,
    pattern: str,
    case: str,
    word: bool,
    regex: bool,
    fixed: bool,
    count: bool,
    no_total: bool,
    limit: int,
    cursor: str,
    everything: bool,
    context: int | None,
    paths: bool,
    null: bool,
    raw: bool,
    asked: options.Asked,
    exit_zero: bool,
    as_json: bool,
) -> ExitCode:
    """Print every message that holds PATTERN, newest first, grouped by session.

    PATTERN is a plain text unless -E is given. Prompts, answers, tool calls and tool output are
    searched whole; nothing is ranked and nothing is left out. Counts are exact. The index holds no
    secret, so none can be found in it; --raw looks for one in the agents' own files.
    """
    if not pattern:
        raise QueryError("the pattern is empty", "recall sessions lists everything")
    if regex and fixed:
        raise QueryError("-E and -F exclude each other", "leave one out")
    if everything and cursor:
        raise QueryError("--all and --cursor exclude each other", "leave one out")
    call = options.call_of(ctx)
    if raw:
        from recall_tui.cli.raw import look

        narrower = {"-w": word, "-C": context, "--cursor": cursor, "--no-total": no_total}
        if unfit := [name for name, value in narrower.items() if value]:
            raise QueryError(f"--raw does not take {', '.join(unfit)}", "leave it out")
        found = look(
            call, pattern, asked, regex=regex, ignore_case=case == "ignore", count=count,
            paths=paths, nul=null, as_json=as_json,
        )  # fmt: skip
        return options.exit_zero_or(found, exit_zero=exit_zero)
    settings = call.config().settings
    query = GrepQuery(
        pattern,
        regex=regex,
        case=CASES[case],
        word=word,
        chosen=asked.filter(call.zone(as_json=as_json)),
        limit=EVERYTHING if everything or paths else limit,
        cursor=cursor,
        count_only=count,
        totals=not no_total,
        timeout_s=settings.regex_timeout_s,
    )
    with call.history() as history:
        updates = Updates(history.grep(query))
        if paths:
            typed = ctx.get_parameter_source("limit") is not ParameterSource.DEFAULT
            output.print_paths(_paths(updates, limit if typed else 0), nul=null)
            if updates.last and updates.last.total:
                return ExitCode.FOUND
        elif as_json:
            _print_json(updates, history, query, context or 0, streamed=everything)
        elif count:
            output.out().line(_counts(updates.drained()))
        else:
            _print_text(updates, history, query, context or 0, call)
        last = updates.drained()
        if not as_json:
            say_how_far(last.reach, history, call)
        if not last.total and not regex:
            _say_where_secrets_are(pattern)
        code = exit_code(last.reach, found=last.total > 0)
        return options.exit_zero_or(code, exit_zero=exit_zero)


def _say_where_secrets_are(pattern: str) -> None:
    """Say where to look for a secret, when that is what was looked for in vain."""
    from recall_tui.text.redact import holds_secret

    if holds_secret(pattern):
        words = "this looks like a credential, and the index holds none; --raw looks in the files"
        diagnostics.err().block(words, lead=("note:", "muted"), indent=diagnostics.LEAD)


class Updates:
    """The hits of a streaming search one by one, and the last update once they are through."""

    def __init__(self, updates: Iterator[GrepUpdate]) -> None:
        self._updates = updates
        self.last: GrepUpdate | None = None

    def hits(self) -> Iterator[Hit]:
        """Yield every hit as it is found."""
        for update in self._updates:
            self.last = update
            yield from update.hits

    def drained(self) -> GrepUpdate:
        """Read to the end and return the last update: exact counts and reach."""
        for update in self._updates:
            self.last = update
        if self.last is None:
            raise StoreError("the search ended without an answer", "run recall doctor")
        return self.last


def _counts(last: GrepUpdate) -> str:
    if not last.exact:
        return f"the newest {notation.counted(last.total, 'message')}; there may be more"
    return ", ".join(
        (
            notation.counted(last.total, "message"),
            notation.counted(last.occurrences, "occurrence"),
            notation.counted(last.sessions, "session"),
        )
    )


def _paths(updates: Updates, limit: int) -> Iterator[str]:
    """Yield the file of each session with a hit, once, at most `limit` when that is not 0."""
    seen: set[str] = set()
    for hit in updates.hits():
        if hit.session.path not in seen:
            seen.add(hit.session.path)
            yield hit.session.path
            if len(seen) == limit:
                return


def _around(history: History, hit: Hit, context: int) -> tuple[list[Message], list[Message]]:
    """Return the messages before and after a hit."""
    low = max(0, hit.position - context)
    held = history.messages(hit.session, low, hit.position + context + 1)
    return (
        [message for message in held if message.position < hit.position],
        [message for message in held if message.position > hit.position],
    )


def _print_text(
    updates: Updates, history: History, query: GrepQuery, context: int, call: Call
) -> None:
    """Print a page as soon as it is full; what is counted afterwards goes into the last line."""
    screen = output.out()
    around = (lambda hit: _around(history, hit, context)) if context else None
    hits = updates.hits()
    while batch := list(islice(hits, min(query.limit, BATCH))):
        print_hits(screen, batch, call.zone(), call.home, around)
        screen.flush()
    last = updates.drained()
    if last.total:
        screen = diagnostics.err()
        screen.line(_counts(last))
        if last.next:
            screen.uncut((f"next page: --cursor {last.next}", "muted"))


def _print_json(
    updates: Updates, history: History, query: GrepQuery, context: int, *, streamed: bool
) -> None:
    from recall_tui.cli import wire

    def found() -> Iterator[wire.Json]:
        for hit in updates.hits():
            shape = wire.hit(hit)
            if context:
                before, after = _around(history, hit, context)
                shape["before"] = [wire.message(m, wire.MESSAGE_BYTES) for m in before]
                shape["after"] = [wire.message(m, wire.MESSAGE_BYTES) for m in after]
            yield shape

    def rest() -> wire.Json:
        last = updates.drained()
        return {
            "total": last.total if last.exact else None,
            "occurrences": last.occurrences if last.exact else None,
            "sessions": last.sessions if last.exact else None,
            "next": last.next,
        } | wire.answer(last.reach)

    if streamed:
        output.print_json_stream("hits", found(), rest)
    else:
        hits = {} if query.count_only else {"hits": list(found())}
        output.print_json(rest() | hits)
