"""Hits for a person: grouped by session, each with its time, speaker, reference and excerpt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from recall_tui.cli.screen import Screen, emphasised, harness_style, one_line
from recall_tui.clock import now_ms
from recall_tui.model import Kind, Presence, SessionKind
from recall_tui.text import notation
from recall_tui.text.cells import cell_width
from recall_tui.text.cut import cut_cells
from recall_tui.text.late import late

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import tzinfo

    from recall_tui.model import Message, Session
    from recall_tui.search.results import Hit

    Around = Callable[[Hit], tuple[Sequence[Message], Sequence[Message]]]

SPEAKER_CELLS: Final = 8
INDENT: Final = 4
EXCERPT_LINES: Final = 3
"""Terminal lines an excerpt may take: enough to judge a hit, few enough for ten on a screen."""

_BLANKS: Final = late(r"\s(?:(?<! )\s*|\s+)")
"""White space that is not one blank already, as most of it is. Each way begins with `\\s`, which
lets `re` pass over all else at once."""


def speaker(kind: Kind, tool: str) -> str:
    """Return who speaks in at most `SPEAKER_CELLS` cells: a tool call is named by its tool."""
    word = tool if kind is Kind.TOOL_CALL and tool else notation.SPEAKERS[kind]
    return cut_cells(one_line(word), SPEAKER_CELLS)


def style_of(kind: Kind) -> str:
    """Return the style of a speaker: a person stands out, the agent is next, the rest is quiet."""
    return {Kind.PROMPT: "you", Kind.ANSWER: "accent"}.get(kind, "")


def session_lines(screen: Screen, session: Session, zone: tzinfo, home: str) -> None:
    """Print the two lines that introduce a session: its title, and where and when it was."""
    mark = (mark_of(session.harness), harness_style(session.harness))
    screen.line(mark, "  ", (one_line(session.title) or "(no title)", "title"))
    notes = [session.kind.value] if session.kind is not SessionKind.MAIN else []
    if session.presence is Presence.GONE:
        notes.append(f"source gone since {notation.day(session.gone_ms, zone)}")
    folder, branch = one_line(notation.short_path(session.cwd, home)), one_line(session.branch)
    if screen.terminal:
        folder, branch = _tail(folder, screen.width * 3 // 8), cut_cells(branch, screen.width // 5)
    when = [
        notation.moment(session.ended_ms, zone),
        notation.age_words(session.ended_ms, now_ms()),
    ]
    words = " · ".join(word for word in (*notes, folder, branch, *when) if word)
    screen.line(" " * INDENT, (words, "muted"))


def _tail(path: str, cells: int) -> str:
    """Return the end of a path, which says more than its beginning, within some cells."""
    if cell_width(path) <= cells:
        return path
    while cell_width(path) > cells - 1:
        path = path[1:]
    return f"…{path}"


def mark_of(harness: str) -> str:
    """Return the two letters of a harness; a harness no longer installed keeps its first two."""
    from recall_tui.errors import ConfigError
    from recall_tui.harnesses import registry

    try:
        return registry.get(harness).mark
    except ConfigError:
        return harness[:2]


def print_hits(
    screen: Screen, hits: Sequence[Hit], zone: tzinfo, home: str, around: Around | None = None
) -> None:
    """Print hits grouped by session; sessions in the order of their first hit.

    Args:
        screen: Where to.
        hits: In the order found.
        zone: Zone of the times.
        home: The home directory, shown as `~`.
        around: Returns the messages before and after a hit that are to be shown with it.
    """
    by_session: dict[str, list[Hit]] = {}
    for hit in hits:
        by_session.setdefault(hit.session.key, []).append(hit)
    for held in by_session.values():
        session_lines(screen, held[0].session, zone, home)
        for hit in held:
            before, after = around(hit) if around else ((), ())
            _neighbours(screen, before, zone)
            _hit(screen, hit, zone)
            _neighbours(screen, after, zone)
        screen.line()


def _hit(screen: Screen, hit: Hit, zone: tzinfo) -> None:
    """Print when, who and the reference, then the excerpt. A reference is never cut."""
    heading = _heading(screen, hit, zone)
    reference = str(hit.reference)
    times = (f"  ×{hit.occurrences:,}" if hit.occurrences > 1 else "", "muted")
    taken = sum(cell_width(words) for words, _ in heading)
    if not screen.terminal or taken + cell_width(reference + times[0]) <= screen.width:
        screen.line(*heading, (reference, "muted"), times)
    else:
        screen.line(*heading, times)
        screen.uncut(" " * INDENT, (reference, "muted"))
    text, spans = flattened(hit.text, hit.spans)
    if screen.terminal and spans:
        text, spans = windowed(text, spans, EXCERPT_LINES * (screen.width - INDENT) * 3 // 4)
    screen.block(*emphasised(text, spans), indent=INDENT, lines=EXCERPT_LINES)


def _heading(screen: Screen, hit: Hit, zone: tzinfo) -> list[tuple[str, str]]:
    """Return when and who. A terminal line has no room for the year: the session's line has it."""
    day = notation.day(hit.time_ms, zone)
    when = f"{day[5:] if screen.terminal else day} {notation.clock(hit.time_ms, zone)}"
    cells = 11 if screen.terminal else 16
    who = speaker(hit.kind, hit.tool)
    return [
        (f"  {when if day else '-':{cells}} ", ""),
        (f"{who:{SPEAKER_CELLS}} ", style_of(hit.kind)),
    ]


def _neighbours(screen: Screen, messages: Iterable[Message], zone: tzinfo) -> None:
    """Print messages around a hit, a line each, muted."""
    for message in messages:
        who = speaker(message.kind, message.tool)
        text = one_line(message.text[:400])
        screen.line(
            (f"  {notation.clock(message.time_ms, zone)}  {who:{SPEAKER_CELLS}} {text}", "muted")
        )


def flattened(text: str, spans: Sequence[tuple[int, int]]) -> tuple[str, list[tuple[int, int]]]:
    """Return a text on one line, white space collapsed, and its spans where they then lie."""
    parts: list[str] = []
    moved: list[int] = []
    marks = [at for span in spans for at in span]
    length = at = next_mark = 0
    for blank in _BLANKS.finditer(text):
        while next_mark < len(marks) and marks[next_mark] <= blank.start():
            moved.append(length + marks[next_mark] - at)
            next_mark += 1
        parts.append(text[at : blank.start()])
        length += blank.start() - at
        at = blank.end()
        while next_mark < len(marks) and marks[next_mark] < at:
            moved.append(length + (marks[next_mark] > blank.start()))
            next_mark += 1
        parts.append(" ")
        length += 1
    parts.append(text[at:])
    moved += [length + mark - at for mark in marks[next_mark:]]
    return "".join(parts), list(zip(moved[::2], moved[1::2], strict=True))


def windowed(
    text: str, spans: Sequence[tuple[int, int]], characters: int
) -> tuple[str, list[tuple[int, int]]]:
    """Return the part of a text around its first span, and the spans that lie in it."""
    if len(text) <= characters:
        return text, list(spans)
    start = max(0, min(spans[0][0] - characters // 4, len(text) - characters))
    if start:
        word = text.find(" ", start, spans[0][0])
        start = word + 1 if 0 <= word < start + 24 else start
    end = start + characters
    lead = "…" if start else ""
    shift = len(lead) - start
    kept = [(low + shift, min(high, end) + shift) for low, high in spans if start <= low < end]
    return f"{lead}{text[start:end]}{'…' if end < len(text) else ''}", kept
