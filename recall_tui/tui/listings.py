"""What a list shows: rows under headings, drawn when they come into view; and sessions by day."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, ClassVar, Final

from recall_tui.model import Presence, SessionKind
from recall_tui.text.sanitize import one_line
from recall_tui.tui import notation
from recall_tui.tui.lines import Line, clean, justified

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date, tzinfo

    from recall_tui.model import Session
    from recall_tui.tui.lines import Piece

_TITLE_CHARS: Final = 300
"""Characters of a title that are looked at; no list is wider."""


class Listing:
    """Rows of a few lines each, some with a heading above: the model behind `ResultList`.

    Subclasses give `__len__`, `key`, `draw` and fill `heads`: (row, words) ascending by row.

    Attributes:
        row_lines: Lines of every row: what it is, and where or what it says.
    """

    row_lines: ClassVar[int] = 2
    heads: Sequence[tuple[int, str]] = ()
    _head_rows: Sequence[int] = ()
    _head_lines: Sequence[int] = ()

    def __len__(self) -> int:
        raise NotImplementedError

    def key(self, row: int) -> str:
        """Return the stable name of a row: the selection survives a new listing by it."""
        raise NotImplementedError

    def draw(self, row: int, width: int, now_ms: int) -> tuple[Line, ...]:
        """Return the lines of a row, without the bar at its left."""
        raise NotImplementedError

    def target(self, row: int) -> tuple[Session, int] | None:
        """Return the session a row opens and the position in it (-1: its end), None for none."""
        del row
        return None

    def copied(self, row: int) -> tuple[str, str]:
        """Return the text to copy for a row, and what it is called."""
        return self.key(row), "reference"

    def group(self, row: int) -> int:
        """Return the index of the heading a row stands under, -1 for none."""
        return bisect_right(self._head_rows, row) - 1

    @property
    def lines(self) -> int:
        """Lines of the whole listing, headings included."""
        return len(self) * self.row_lines + len(self.heads)

    def top(self, row: int) -> int:
        """Return the first line of a row (below its heading)."""
        return row * self.row_lines + bisect_right(self._head_rows, row)

    def locate(self, line: int) -> tuple[int, int]:
        """Return (row, line in it); (heading, -1) when the line is a heading."""
        above = bisect_right(self._head_lines, line)
        if above and self._head_lines[above - 1] == line:
            return above - 1, -1
        return divmod(line - above, self.row_lines)

    def _set_heads(self, heads: Sequence[tuple[int, str]]) -> None:
        self.heads = heads
        self._head_rows = [row for row, _ in heads]
        self._head_lines = [
            row * self.row_lines + index for index, row in enumerate(self._head_rows)
        ]


class SessionListing(Listing):
    """Sessions newest first, under a heading a day."""

    def __init__(
        self,
        sessions: Sequence[Session],
        now_ms: int,
        zone: tzinfo,
        home: str,
        position: int = -1,
    ) -> None:
        self.sessions = sessions
        self._home = home
        self._position = position
        today = notation.day_of(now_ms, zone)
        self._set_heads(
            [(row, notation.day_words(day, today)) for row, day in _days(sessions, zone)]
        )

    def __len__(self) -> int:
        return len(self.sessions)

    def key(self, row: int) -> str:
        """Return the session's key."""
        return self.sessions[row].key

    def target(self, row: int) -> tuple[Session, int] | None:
        """Return the session, at its end or the position that was named."""
        return self.sessions[row], self._position

    def draw(self, row: int, width: int, now_ms: int) -> tuple[Line, ...]:
        """Return title and age; mark, project, branch and counts."""
        session = self.sessions[row]
        return (
            Line(title_row(session, width, notation.age(session.ended_ms, now_ms))),
            Line(facts_row(session, width, self._home)),
        )


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
