"""What the result list shows: sessions by day, or hits. Rows are drawn when they come into view."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from recall_tui.model import Flag, Kind, Presence, SessionKind
from recall_tui.text.cut import ELLIPSIS
from recall_tui.text.sanitize import one_line
from recall_tui.tui import notation
from recall_tui.tui.lines import Line, clean, cut, justified, pad, styled, wrap

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date, tzinfo

    from recall_tui.model import Session
    from recall_tui.search.results import Hit
    from recall_tui.tui.lines import Piece

_TITLE_CHARS: Final = 300
"""Characters of a title that are looked at; no list is wider."""

_SPEAKER_CELLS: Final = 7

ROW_LINES: Final = 2
"""Lines of every row: what it is, and where or what it says."""


class Listing:
    """Rows of two lines each, some with a heading above: the model behind `ResultList`.

    Subclasses give `__len__`, `key`, `draw` and fill `heads`: (row, words) ascending by row.
    """

    heads: Sequence[tuple[int, str]] = ()
    _head_rows: Sequence[int] = ()
    _head_lines: Sequence[int] = ()

    def __len__(self) -> int:
        raise NotImplementedError

    def key(self, row: int) -> str:
        """Return the stable name of a row: the selection survives a new listing by it."""
        raise NotImplementedError

    def draw(self, row: int, width: int, now_ms: int) -> tuple[Line, Line]:
        """Return the two lines of a row, without the bar at its left."""
        raise NotImplementedError

    def group(self, row: int) -> int:
        """Return the index of the heading a row stands under, -1 for none."""
        return bisect_right(self._head_rows, row) - 1

    @property
    def lines(self) -> int:
        """Lines of the whole listing, headings included."""
        return len(self) * ROW_LINES + len(self.heads)

    def top(self, row: int) -> int:
        """Return the first line of a row (below its heading)."""
        return row * ROW_LINES + bisect_right(self._head_rows, row)

    def locate(self, line: int) -> tuple[int, int]:
        """Return (row, line in it); (heading, -1) when the line is a heading."""
        above = bisect_right(self._head_lines, line)
        if above and self._head_lines[above - 1] == line:
            return above - 1, -1
        return divmod(line - above, ROW_LINES)

    def _set_heads(self, heads: Sequence[tuple[int, str]]) -> None:
        self.heads = heads
        self._head_rows = [row for row, _ in heads]
        self._head_lines = [row * ROW_LINES + index for index, row in enumerate(self._head_rows)]


class SessionListing(Listing):
    """Sessions newest first, under a heading a day."""

    def __init__(self, sessions: Sequence[Session], now_ms: int, zone: tzinfo, home: str) -> None:
        self.sessions = sessions
        self._home = home
        today = notation.day_of(now_ms, zone)
        self._set_heads(
            [(row, notation.day_words(day, today)) for row, day in _days(sessions, zone)]
        )

    def __len__(self) -> int:
        return len(self.sessions)

    def key(self, row: int) -> str:
        """Return the session's key."""
        return self.sessions[row].key

    def draw(self, row: int, width: int, now_ms: int) -> tuple[Line, Line]:
        """Return title and age; mark, project, branch and counts."""
        session = self.sessions[row]
        return (
            Line(title_row(session, width, notation.age(session.ended_ms, now_ms))),
            Line(facts_row(session, width, self._home)),
        )


class HitListing(Listing):
    """Hits newest first: the session's title, and the match in its words."""

    def __init__(self, hits: list[Hit]) -> None:
        self.hits = hits

    def __len__(self) -> int:
        return len(self.hits)

    def key(self, row: int) -> str:
        """Return the message's reference."""
        return str(self.hits[row].reference)

    def draw(self, row: int, width: int, now_ms: int) -> tuple[Line, Line]:
        """Return title, mark and age over the excerpt; in the same session, more of the excerpt."""
        hit = self.hits[row]
        if row > 0 and self.hits[row - 1].session.key == hit.session.key:
            first, second = excerpt_rows(hit, width, 2)
            return Line(first), Line(second)
        age = notation.age(hit.time_ms or hit.session.ended_ms, now_ms)
        (excerpt,) = excerpt_rows(hit, width, 1)
        return Line(title_row(hit.session, width, age, mark=True)), Line(excerpt)


def _days(sessions: Sequence[Session], zone: tzinfo) -> list[tuple[int, date]]:
    """Return (first row, day) of each day, by bisection: 100,000 rows cost a few hundred looks."""
    days: list[tuple[int, date]] = []
    row = 0
    while row < len(sessions):
        day = notation.day_of(sessions[row].ended_ms, zone)
        days.append((row, day))
        step, low = 1, row
        while low + step < len(sessions) and _same(sessions[low + step], day, zone):
            low += step
            step *= 2
        high = min(len(sessions), low + step)
        while high - low > 1:
            middle = (low + high) // 2
            if _same(sessions[middle], day, zone):
                low = middle
            else:
                high = middle
        row = low + 1
    return days


def _same(session: Session, day: date, zone: tzinfo) -> bool:
    return notation.day_of(session.ended_ms, zone) == day


def title_row(session: Session, width: int, age: str, *, mark: bool = False) -> tuple[Piece, ...]:
    """Return a session's title, cut to what the mark and the age leave."""
    title = one_line(session.title, _TITLE_CHARS)
    left: list[Piece] = [(clean(title), "title") if title else ("untitled", "muted")]
    right: list[Piece] = []
    if mark:
        right = [(notation.mark(session.harness), notation.mark_ink(session.harness)), (" ", "")]
    right.append((age.rjust(4), "muted"))
    return justified(left, right, width)


def facts_row(session: Session, width: int, home: str) -> tuple[Piece, ...]:
    """Return mark, project, branch on the left; what is special and the prompts on the right."""
    right: list[Piece] = []
    for ink, words in _flags(session):
        right.append((f"{words} ", ink))
    right.append((f"{session.prompts:,}", "muted"))
    right.append((" ❯", "dim"))
    left: list[Piece] = [
        (notation.mark(session.harness), notation.mark_ink(session.harness)),
        (" ", ""),
        (clean(session.project) or "no directory", "muted"),
    ]
    if session.branch:
        left += [(" · ", "dim"), (clean(session.branch), "muted")]
    return justified(left, right, width)


def _flags(session: Session) -> list[tuple[str, str]]:
    """Return (ink, words) of what sets a session apart."""
    flags: list[tuple[str, str]] = []
    if session.presence is Presence.GONE:
        flags.append(("warning", "gone"))
    if session.kind is not SessionKind.MAIN:
        flags.append(("muted", session.kind.value))
    if session.children:
        flags.append(("muted", f"↳{session.children}"))
    if session.materials:
        flags.append(("muted", f"▣{session.materials}"))
    if session.errors:
        flags.append(("error", f"✗{session.errors}"))
    return flags


def excerpt_rows(hit: Hit, width: int, count: int) -> list[tuple[Piece, ...]]:
    """Return the speaker and the match with the words around it, the first match inside.

    Args:
        hit: What was found.
        width: Cells of a row.
        count: Rows to fill.
    """
    name = clean(hit.tool) if hit.kind is Kind.TOOL_CALL and hit.tool else ""
    ink = {Kind.PROMPT: "you", Kind.ANSWER: "agent"}.get(hit.kind, "muted")
    if hit.flags & Flag.FAILED:
        ink = "error"
    who = pad(name or notation.SPEAKERS[hit.kind], _SPEAKER_CELLS) + " "
    room = max(4, width - len(who))
    text, spans = _flat(hit.text, hit.spans)
    start = _window(text, spans, room)
    lead = "…" if start else ""
    shift = len(lead) - start
    plain = "abandoned" if hit.flags & Flag.ABANDONED else ""
    shown = lead + text[start : start + room * count * 2]
    matches = [
        (max(len(lead), low + shift), high + shift, "match") for low, high in spans if high > start
    ]
    rows = wrap(styled(shown, matches, plain), room)
    rows = [*rows[: count - 1], *([_joined(rows[count - 1 :], room)] if len(rows) >= count else [])]
    rows += [[] for _ in range(count - len(rows))]
    leads = [(who, ink), *[(" " * len(who), "")] * (count - 1)]
    return [(first, *row) for first, row in zip(leads, rows, strict=True)]


def _joined(rows: list[list[Piece]], room: int) -> list[Piece]:
    """Return what is left of an excerpt on one row, cut."""
    out: list[Piece] = []
    for row in rows:
        if out:
            out.append((" ", ""))
        out.extend(row)
    if sum(cell_len(text) for text, _ in out) <= room:
        return out
    kept: list[Piece] = []
    left = room - 1
    for text, ink in out:
        fits = text if cell_len(text) <= left else cut(f"{text} ", left + 1).removesuffix(ELLIPSIS)
        kept.append((fits, ink))
        left -= cell_len(fits)
        if fits != text:
            break
    return [*kept, (ELLIPSIS, "dim")]


def _flat(text: str, spans: Sequence[tuple[int, int]]) -> tuple[str, list[tuple[int, int]]]:
    """Return an excerpt on one line, runs of white space as one space, its spans moved along."""
    kept: list[str] = []
    moved: list[int] = [0] * (len(text) + 1)
    for at, char in enumerate(text):
        moved[at] = len(kept)
        char = " " if char.isspace() else clean(char)  # noqa: PLW2901 - the character as shown
        if char and not (char == " " and (not kept or kept[-1] == " ")):
            kept.append(char)
    moved[len(text)] = len(kept)
    limit = len(text)
    return "".join(kept), [(moved[min(low, limit)], moved[min(high, limit)]) for low, high in spans]


def _window(text: str, spans: Sequence[tuple[int, int]], room: int) -> int:
    """Return where the shown part starts, so that the first match is in view with words before."""
    if not spans:
        return 0
    low, high = spans[0]
    if high <= room - 2:
        return 0
    start = max(0, low - max(6, min(room // 3, room - (high - low) - 4)))
    space = text.find(" ", start, low)
    return space + 1 if 0 <= space < low - 2 else start
