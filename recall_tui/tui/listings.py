"""What a list shows: rows under headings, drawn when they come into view; and sessions by day."""

from __future__ import annotations

from bisect import bisect_right
from enum import StrEnum
from operator import attrgetter
from typing import TYPE_CHECKING, ClassVar, Final

from recall_tui.model import Presence, SessionKind
from recall_tui.text.sanitize import one_line
from recall_tui.tui import notation
from recall_tui.tui.arrangement import Arrangement, arranged
from recall_tui.tui.lines import Line, clean, justified

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence
    from datetime import tzinfo

    from recall_tui.model import Session
    from recall_tui.tui.lines import Piece

TITLE_CHARS: Final = 300
"""Characters of a title that are looked at; no list is wider."""


LIVE_MS: Final = 5 * notation.MINUTE_MS
"""A session that was written to this lately is live."""

IDLE_MS: Final = notation.DAY_MS
"""After this nobody expects a session to go on: its status is not worth a word."""

_ROOMY_CELLS: Final = 52
"""From here a row has room for the word of a status beside its glyph."""


_KEY: Final = attrgetter("key")


class Status(StrEnum):
    """Whether somebody works in a session."""

    LIVE = "live"
    INTERRUPTED = "interrupted"
    """The last word was a prompt or a tool's: no answer came."""
    IDLE = "idle"
    UNKNOWN = ""


_GLYPHS: Final = {Status.LIVE: "●", Status.INTERRUPTED: "◐", Status.IDLE: "○"}
_STATUS_INKS: Final = {
    Status.LIVE: "success", Status.INTERRUPTED: "warning", Status.IDLE: "dim",
}  # fmt: skip


class Listing:
    """Rows of a few lines each, some with a heading above: the model behind `ResultList`.

    Subclasses give `__len__`, `key`, `draw` and fill `heads`: (row, words) ascending by row.

    Attributes:
        row_lines: Lines of every row: what it is, and where or what it says.
        first: The row the cursor begins on.
    """

    row_lines: ClassVar[int] = 2
    first: int = 0
    heads: Sequence[tuple[int, str]] = ()
    _head_rows: Sequence[int] = ()
    _head_lines: Sequence[int] = ()

    def __len__(self) -> int:
        raise NotImplementedError

    def key(self, row: int) -> str:
        """Return the stable name of a row: the selection survives a new listing by it."""
        raise NotImplementedError

    def keys(self) -> Iterable[str]:
        """Return the names of all rows, in order."""
        return map(self.key, range(len(self)))

    def row_of(self, key: str) -> int | None:
        """Return the row of a key, None for none."""
        return next((row for row, held in enumerate(self.keys()) if held == key), None)

    def draw(self, row: int, width: int, now_ms: int) -> tuple[Line, ...]:
        """Return the lines of a row, without the bar at its left."""
        raise NotImplementedError

    def target(self, row: int) -> tuple[Session, int] | None:
        """Return the session a row opens and the position in it (-1: its end), None for none."""
        del row
        return None

    def why(self, row: int) -> str:
        """Return why a row is here, empty when that needs no words."""
        del row
        return ""

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
    """Sessions as a person wants them arranged.

    Args:
        sessions: Newest first.
        now_ms: The present.
        zone: The zone of days.
        how: The order and the headings.
        open_ended: Keys of sessions whose last word is not the agent's.
        position: Of the message a row opens at, -1 for the end.
        pins: Keys of pinned sessions, latest first.
    """

    def __init__(
        self,
        sessions: Sequence[Session],
        now_ms: int,
        zone: tzinfo,
        how: Arrangement = Arrangement(),  # noqa: B008 - immutable
        open_ended: Container[str] = (),
        position: int = -1,
        pins: Sequence[str] = (),
    ) -> None:
        self.sessions, heads = arranged(sessions, how, now_ms, zone, pins)
        self.open_ended = open_ended
        self._position = position
        self._set_heads(heads)

    def __len__(self) -> int:
        return len(self.sessions)

    def key(self, row: int) -> str:
        """Return the session's key."""
        return self.sessions[row].key

    def keys(self) -> Iterable[str]:
        """Return the keys of all sessions."""
        return map(_KEY, self.sessions)

    def target(self, row: int) -> tuple[Session, int] | None:
        """Return the session, at its end or the position that was named."""
        return self.sessions[row], self._position

    def draw(self, row: int, width: int, now_ms: int) -> tuple[Line, ...]:
        """Return title and age; mark, project, branch, status and counts."""
        session = self.sessions[row]
        return (
            Line(title_row(session, width, notation.age(session.ended_ms, now_ms))),
            Line(facts_row(session, width, self.status(session, now_ms))),
        )

    def status(self, session: Session, now_ms: int) -> Status:
        """Return whether somebody works in a session now."""
        if session.presence is Presence.GONE:
            return Status.UNKNOWN
        if now_ms - session.ended_ms < LIVE_MS:
            return Status.LIVE
        if session.key in self.open_ended:
            return Status.INTERRUPTED
        return Status.IDLE if now_ms - session.ended_ms < IDLE_MS else Status.UNKNOWN


def title_row(
    session: Session, width: int, age: str, *, mark: bool = False, more: Sequence[Piece] = ()
) -> tuple[Piece, ...]:
    """Return a session's title, cut to what `more`, the mark and the age leave."""
    title = one_line(session.title, TITLE_CHARS)
    left: list[Piece] = [(clean(title), "title") if title else ("untitled", "muted")]
    right: list[Piece] = list(more)
    if mark:
        right += [(notation.mark(session.harness), notation.mark_ink(session.harness)), (" ", "")]
    right.append((age.rjust(4), "muted"))
    return justified(left, right, width)


def facts_row(session: Session, width: int, status: Status) -> tuple[Piece, ...]:
    """Return mark, project, branch on the left; what is special and the prompts on the right."""
    right: list[Piece] = []
    if status is not Status.UNKNOWN:
        word = status.value if width >= _ROOMY_CELLS or status is Status.LIVE else ""
        right.append((f"{_GLYPHS[status]} {word}".rstrip() + " ", _STATUS_INKS[status]))
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
