"""The hits of a search as rows: whose they are, and the match in its words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from recall_tui.model import Flag, Kind
from recall_tui.text.cut import ELLIPSIS
from recall_tui.text.sanitize import one_line
from recall_tui.tui import notation
from recall_tui.tui.lines import Line, clean, cut, justified, no_matches, pad, styled, wrap
from recall_tui.tui.listings import TITLE_CHARS, Listing, Status, facts_row, title_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recall_tui.model import Session
    from recall_tui.search.results import Hit
    from recall_tui.tui.lines import Finder, Piece

_SPEAKER_CELLS: Final = max(map(len, notation.SPEAKERS.values()))

_DENSITY_CELLS: Final = 12
"""Cells that show where in a session its hits lie."""

_DENSITY_FULL: Final = 4
"""Hits in one place that make a full bar at least: one alone is no peak."""

_ROOMY_CELLS: Final = 52
"""From here a row has room for that."""


class HitListing(Listing):
    """Hits newest first: the session's title, and the match in its words.

    Args:
        hits: The hits so far; more may be added.
        called: Sessions whose title holds the words, shown above.
        find: Finds the words in a title.
    """

    def __init__(
        self, hits: list[Hit], called: Sequence[Session] = (), find: Finder = no_matches
    ) -> None:
        self.hits = hits
        self.called = called
        self._find = find
        self.complete = False
        """No more hits will come: the last session's are all here, too."""
        if called:
            self.first = len(called) if hits else 0
            heads = [(0, "In the title")]
            if hits:
                heads.append((len(called), "In what was said"))
            self._set_heads(heads)

    def __len__(self) -> int:
        return len(self.called) + len(self.hits)

    def key(self, row: int) -> str:
        """Return the message's reference; of a session that is called so, its key."""
        at = row - len(self.called)
        return str(self.hits[at].reference) if at >= 0 else self.called[row].key

    def target(self, row: int) -> tuple[Session, int] | None:
        """Return the session, at the hit."""
        at = row - len(self.called)
        return (
            (self.hits[at].session, self.hits[at].position) if at >= 0 else (self.called[row], -1)
        )

    def draw(self, row: int, width: int, now_ms: int) -> tuple[Line, ...]:
        """Return title, mark and age over the excerpt; in the same session, more of the excerpt."""
        if row < len(self.called):
            session = self.called[row]
            age = notation.age(session.ended_ms, now_ms).rjust(4)
            title = justified(self._title(session, width - 6), [(age, "muted")], width)
            return Line(title), Line(facts_row(session, width, Status.UNKNOWN))
        row -= len(self.called)
        hit = self.hits[row]
        if row > 0 and self.hits[row - 1].session.key == hit.session.key:
            first, second = excerpt_rows(hit, width, 2)
            return Line(first), Line(second)
        age = notation.age(hit.time_ms or hit.session.ended_ms, now_ms)
        (excerpt,) = excerpt_rows(hit, width, 1)
        more = self._density(row, bars=width >= _ROOMY_CELLS)
        return Line(title_row(hit.session, width, age, mark=True, more=more)), Line(excerpt)

    def _title(self, session: Session, room: int) -> list[Piece]:
        """Return a title with its words marked, the first of them in view."""
        title = clean(one_line(session.title, TITLE_CHARS))
        spans = list(self._find(title))
        start = _window(title, spans, room)
        lead = "…" if start else ""
        shift = len(lead) - start
        marked = [(a + shift, b + shift, "match") for a, b in spans if a >= start]
        return styled(lead + title[start:], marked, "title")

    def _density(self, row: int, *, bars: bool) -> Sequence[Piece]:
        """Return how many hits a session has and where they lie, once all of them are here."""
        session = self.hits[row].session
        end = row
        while end < len(self.hits) and self.hits[end].session.key == session.key:
            end += 1
        if end == row + 1 or (end == len(self.hits) and not self.complete):
            return ()
        number = (f" {end - row:,}× ", "muted")
        if not bars:
            return [number]
        counts = [0] * _DENSITY_CELLS
        for hit in self.hits[row:end]:
            counts[min(_DENSITY_CELLS - 1, hit.position * _DENSITY_CELLS // session.messages)] += 1
        return [*notation.bars(counts, "muted", least=_DENSITY_FULL), number]


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
