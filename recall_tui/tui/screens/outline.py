"""The outline of a session: its prompts, each with what followed, words read where they show."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from textual.message import Message as Event

from recall_tui.errors import RecallError
from recall_tui.model import Flag, Kind
from recall_tui.playbooks.turns import read
from recall_tui.tui import notation
from recall_tui.tui.listings import Listing
from recall_tui.tui.places import when, words_of
from recall_tui.tui.screens.pick import PickScreen, Place, drawn
from recall_tui.tui.widgets.result_list import ResultList

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import tzinfo

    from recall_tui.history import History
    from recall_tui.model import Session
    from recall_tui.store.skeleton import Skeleton
    from recall_tui.tui.keymap import Keymap
    from recall_tui.tui.lines import Line

_PIECE: Final = 32
"""Prompts read together: a screenful and more."""


class OutlineListing(Listing):
    """The prompts of a session, of any number: nothing is made before it is drawn."""

    def __init__(self, skeleton: Skeleton, zone: tzinfo) -> None:
        kinds = skeleton.kinds
        self.positions = [at for at, kind in enumerate(kinds) if kind == Kind.PROMPT]
        self._skeleton = skeleton
        self._zone = zone
        self._said: dict[int, str] = {}
        self._pieces: set[int] = set()

    def __len__(self) -> int:
        return len(self.positions)

    def key(self, row: int) -> str:
        """Return where the prompt stands."""
        return str(self.positions[row])

    def place(self, row: int) -> Place:
        """Return a prompt: its words, or that they have not come, and what followed it."""
        start = self.positions[row]
        end = self.positions[row + 1] if row + 1 < len(self) else len(self._skeleton)
        words = self._said.get(start, "…")
        followed = _followed(self._skeleton, start, end)
        return Place(start, words, when(self._skeleton.times[start], self._zone), followed)

    def draw(self, row: int, width: int, now_ms: int) -> tuple[Line, ...]:
        """Return the words and the time; what followed."""
        return drawn(self.place(row), row, width)

    def missing(self, rows: range) -> int | None:
        """Return the first piece of some rows whose words were not read, None when all were."""
        pieces = range(rows.start // _PIECE, -(-rows.stop // _PIECE))
        return next((piece for piece in pieces if piece not in self._pieces), None)

    def read(self, history: History, session: Session, piece: int) -> Mapping[int, str]:
        """Return the words of a piece's prompts by position. For a worker thread.

        Raises:
            RecallError: They cannot be read.
        """
        wanted = self.positions[piece * _PIECE : (piece + 1) * _PIECE]
        return {said.position: words_of(said.text) for said in read(history, session, wanted)}

    def take(self, piece: int, said: Mapping[int, str]) -> None:
        """Take up the words of a piece."""
        self._pieces.add(piece)
        self._said.update(said)


def _followed(skeleton: Skeleton, start: int, end: int) -> str:
    """Return `12 tools · 1 failed · 4m`."""
    kinds, flags, times = skeleton.kinds[start:end], skeleton.flags[start:end], skeleton.times
    tools = kinds.count(Kind.TOOL_CALL)
    failed = sum(bool(flag & Flag.FAILED) for flag in flags)
    words = [notation.counted(tools, "tool call")] if tools else ["talk"]
    words += [f"{failed:,} failed"] if failed else []
    took = notation.duration(times[end - 1] - times[start]) if times[start] else ""
    return " · ".join([*words, took] if took else words)


class OutlineScreen(PickScreen):
    """The prompts of a session, to jump to one.

    Args:
        history: Where their words are read.
        session: Whose prompts.
        listing: All of them.
        keymap: The keys in force.
        position: The message that is looked at.
    """

    @dataclass
    class _Read(Event):
        piece: int
        said: Mapping[int, str]
        error: str = ""

    def __init__(
        self,
        history: History,
        session: Session,
        listing: OutlineListing,
        keymap: Keymap,
        position: int,
    ) -> None:
        title = f"Prompts of {session.title or 'this session'}"
        row = max(0, bisect_right(listing.positions, position) - 1)
        super().__init__(title, listing, keymap, row=row, empty="There are no prompts here.")
        self._history = history
        self._session = session
        self._outline = listing
        self._reading = False

    def on_mount(self) -> None:
        """Read what shows, and what comes into view."""
        self.watch(self.query_one(ResultList), "scroll_y", self._fetch, init=False)
        self.call_after_refresh(self._fetch)

    def on_resize(self) -> None:
        """Read what a taller screen shows."""
        self.call_after_refresh(self._fetch)

    def _fetch(self) -> None:
        """Read the first piece in view that is missing, one at a time."""
        piece = self._outline.missing(self.query_one(ResultList).rows_in_view)
        if piece is not None and not self._reading:
            self._reading = True
            self.run_worker(
                partial(self._read_in_thread, piece), thread=True, group="outline",
                exit_on_error=False, description="read prompts",
            )  # fmt: skip

    def _read_in_thread(self, piece: int) -> None:
        try:
            found = self._Read(piece, self._outline.read(self._history, self._session, piece))
        except RecallError as error:
            found = self._Read(piece, {}, str(error))
        self.post_message(found)

    def on_outline_screen__read(self, event: _Read) -> None:
        """Show the words that came."""
        event.stop()
        self._reading = False
        self._outline.take(event.piece, event.said)
        self.query_one(ResultList).redraw()
        if event.error:
            self.notify(event.error, severity="error", markup=False)
        self._fetch()
