"""One session of any size: read in windows by worker threads, followed while it grows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from textual.geometry import Size
from textual.message import Message as Event
from textual.worker import get_current_worker

from recall_tui.errors import RecallError
from recall_tui.tui.document import (
    Opening,
    grow_session,
    notes_of,
    open_session,
)
from recall_tui.tui.frame import Frame
from recall_tui.tui.lines import no_matches
from recall_tui.tui.widgets.session_pages import SessionPages

if TYPE_CHECKING:
    from datetime import tzinfo

    from recall_tui.history import History
    from recall_tui.model import Session
    from recall_tui.search.results import GrepQuery
    from recall_tui.tui.lines import Finder


class SessionView(SessionPages):
    """A session at a message: opened, loaded as it is read. The keys are in `Transcript`."""

    @dataclass
    class Opened(Event):
        """A session is on the screen."""

        session: Session

    @dataclass
    class _Ready(Event):
        generation: int
        opening: Opening
        follow: bool

    @dataclass
    class _Grown(Event):
        generation: int
        opening: Opening

    def __init__(self, history: History, zone: tzinfo, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(history, id=id)
        self._zone = zone
        self._wanted: tuple[Session, int, GrepQuery | None] | None = None
        self._sought_from: int | None = None
        self._shown = 0

    # What a screen asks

    @property
    def sought(self) -> GrepQuery | None:
        """What is looked for in the session shown."""
        return self._wanted[2] if self._wanted else None

    @property
    def looks_for_something(self) -> bool:
        """Whether there is a pattern to match."""
        return self.sought is not None and bool(self.sought.pattern)

    @property
    def opening_anew(self) -> bool:
        """Whether what is shown is not yet what was asked for last."""
        return self._shown != self._generation

    def open(self, session: Session, *, at: int = -1, query: GrepQuery | None = None) -> None:
        """Show a session at a message; what is on the screen stays until the new one is ready.

        Args:
            session: What to open.
            at: Position of the message to open at, -1 for the end.
            query: What to highlight and to step through.
        """
        before, self._wanted = self._wanted, (session, at, query)
        if before and (before[0].key, before[2]) == (session.key, query):
            # Asked again for what is shown: only another message is a reason to move.
            if at >= 0 and at != before[1]:
                self.go_to(at, centre=True)
            return
        self._remember()
        self._generation += 1
        self._sought_from = None
        if self.size.width:
            self._open(session, at, query)
        else:
            # Hidden: what was shown before must not come back with it.
            self._opening = None

    def clear(self) -> None:
        """Show nothing."""
        self._remember()
        self._generation += 1
        self._wanted = None
        self._opening = None
        self._pages.clear()
        self._strips.clear()
        self.virtual_size = Size(0, 0)
        self.refresh()

    def find_inside(self, query: GrepQuery) -> None:
        """Look for something else in the session shown, from the current message on."""
        if self._opening is None:
            return
        session = self._opening.session
        if self._sought_from is None:
            self._sought_from = self.cursor
        self._wanted = (session, self._sought_from, query)
        self._generation += 1
        self._open(session, self._sought_from, query, seek=True)

    def stop_finding(self) -> None:
        """Begin the next find at the message that is current then."""
        self._sought_from = None

    def grown(self, session: Session) -> None:
        """Read the arrays again: the session on the screen was written to."""
        if self._opening is not None and self._opening.session.key == session.key:
            self._grow(self._opening, session, self._generation)

    # Loading

    @property
    def _width(self) -> int:
        """Cells a row is laid out for; of a pane that has room for its scrollbar only, those."""
        return self.scrollable_content_region.width or self.size.width

    def _frame(self, query: GrepQuery | None) -> Frame:
        find: Finder = no_matches
        if query and query.pattern:
            from recall_tui.tui.matching import Matcher

            find = Matcher(query).spans
        width = self._width
        return Frame(width=width, zone=self._zone, find=find, level=self._level)

    def _open(
        self, session: Session, at: int, query: GrepQuery | None, *, seek: bool = False
    ) -> None:
        work = partial(
            self._open_in_thread,
            session,
            at,
            query,
            self._frame(query),
            self._generation,
            seek=seek,
            known=self._opening,
        )
        self.run_worker(
            work, thread=True, group="transcript", exclusive=True, exit_on_error=False,
            description="open session",
        )  # fmt: skip

    def _open_in_thread(
        self, session: Session, at: int, query: GrepQuery | None, frame: Frame, generation: int,
        *, seek: bool, known: Opening | None,
    ) -> None:  # fmt: skip
        worker = get_current_worker()
        try:
            frame = replace(frame, notes=notes_of(self._history, session))
            if at < 0:
                at = self._history.position(session)
            opening = open_session(
                self._history, session, frame, at=at, query=query, seek=seek, known=known
            )
        except RecallError as error:
            self.post_message(self.Failed(str(error)))
            return
        if not worker.is_cancelled:
            self.post_message(self._Ready(generation, opening, at < 0))

    def on_session_view__ready(self, event: _Ready) -> None:
        """Put an opened session on the screen."""
        event.stop()
        if event.generation != self._generation:
            return
        opening = event.opening
        width = self._width
        if opening.frame.width != width and self._wanted:
            # The terminal was resized meanwhile.
            self._generation += 1
            session, at, query = self._wanted
            self._open(session, at, query)
            return
        other = self._opening is None or self._opening.session.key != opening.session.key
        if other:
            self._unfolded.clear()
            self._inline.clear()
            self._all_unfolded = False
        self._opening, self._shown = opening, event.generation
        self._pages.clear()
        self._strips.clear()
        for page in opening.pages:
            self._take(page)
        self._fit()
        position = opening.at if opening.at >= 0 else len(opening.skeleton) - 1
        self.set_reactive(SessionView.cursor, position)
        self._loading = False
        self._following = event.follow
        if event.follow:
            self.scroll_to(y=self.max_scroll_y, animate=False, force=True)
        else:
            self._centre(position)
        self.refresh()
        self.post_message(self.Opened(opening.session))
        self.post_message(self.Moved(position))
        self._unfold_again(opening.pages)
        self._fetch()

    # Growing

    def _grow(self, opening: Opening, session: Session, generation: int) -> None:
        query = self.sought

        def work() -> None:
            grown = grow_session(self._history, opening, session, query)
            if grown is not None:
                self.post_message(self._Grown(generation, grown))

        self.run_worker(
            work, thread=True, group="transcript-grow", exclusive=True, exit_on_error=False,
            description="follow session",
        )  # fmt: skip

    def on_session_view__grown(self, event: _Grown) -> None:
        """Take up what was written since; stay at the end when that is where the person reads."""
        event.stop()
        old = self._opening
        if event.generation != self._generation or old is None:
            return
        anchor = self._anchor()
        at_end = self.scroll_offset.y >= self.max_scroll_y - 1
        on_last = self.cursor >= len(old.skeleton) - 1
        heights = event.opening.heights.begun_with(old.heights)
        self._opening = new = replace(event.opening, heights=heights)
        self._strips.clear()
        for page in new.pages:
            self._take(page)
        self._fit()
        self._following = at_end
        if at_end and on_last:
            self.set_reactive(SessionView.cursor, len(new.skeleton) - 1)
        self._hold(anchor)
        self.refresh()
        self.post_message(self.Moved(self.cursor))
        self._unfold_again(new.pages)
        self._fetch()

    # Another width

    def on_resize(self) -> None:
        """Lay out for the new width, at the message that is being read."""
        width = self._width
        if self._wanted is None or not width:
            return
        if self._opening is not None and self._opening.frame.width == width:
            self._fetch()
            return
        session, at, query = self._wanted
        if self._opening is not None and not self._following and self.cursor >= 0:
            at = self.cursor
        self._generation += 1
        self._open(session, at, query)

    # Moving

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Fetch what comes into view; scrolling up ends following."""
        super().watch_scroll_y(old_value, new_value)
        if new_value < old_value:
            self._following = False
        self._fetch()
