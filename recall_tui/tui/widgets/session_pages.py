"""The pages of an opened session: read when they come into view, laid out again when asked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from textual.message import Message as Event

from recall_tui.errors import RecallError
from recall_tui.tui.document import PAGE_MESSAGES, Opening, Page, lay_all, load_page, missing_page
from recall_tui.tui.frame import Frame, Level
from recall_tui.tui.widgets.session_place import SessionPlace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recall_tui.history import History
    from recall_tui.model import Session

_AT_ONCE_CHARS: Final = 30_000
"""Text of a page that is laid out at a key at once, which takes a frame or two; for more than that
a thread is asked."""


class SessionPages(SessionPlace):
    """An opened session that is read in windows by worker threads.

    What a generation began is dropped when another one has begun meanwhile.
    """

    @dataclass
    class _Page(Event):
        generation: int
        page: Page
        unfolded: set[int]

    def __init__(self, history: History, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(history, id=id)
        self._generation = 0
        self._loading = False
        self._awaited: tuple[int, bool] | None = None
        self._level = Level.FEW

    def go_to(self, position: int, *, centre: bool = False) -> None:
        """Make a message the current one and bring it into view, loading it first if need be."""
        opening = self._opening
        if opening is None or not len(opening.skeleton):
            return
        position = max(0, min(position, len(opening.skeleton) - 1))
        self._following = False
        self.cursor = position
        if position // PAGE_MESSAGES not in self._pages:
            self._awaited = (position, centre)
            self._centre(position)
            return
        if centre:
            self._centre(position)
        else:
            self._reveal(position)

    def _go_on(self, number: int) -> None:
        """Go where a key led, once the page it waited for is laid out."""
        if self._awaited is not None and self._awaited[0] // PAGE_MESSAGES == number:
            (position, centre), self._awaited = self._awaited, None
            if position == self.cursor:  # no later key went elsewhere
                self.go_to(position, centre=centre)

    # Loading

    def _unfold_again(self, pages: Sequence[Page]) -> None:
        """Lay pages out as they were unfolded: they came as if nothing was."""
        if self._opening is not None:
            for page in pages:
                if self._inline or self._unfolded_on(page.number):
                    self._load(self._opening, page.number)

    def _fetch(self) -> None:
        """Load the first page that is missing near the view, one at a time."""
        opening = self._opening
        if opening is None or self._loading or not len(opening.skeleton):
            return
        missing = missing_page(opening, self.scroll_offset.y, self.size.height, self._pages.keys())
        if missing is None:
            return
        self._loading = True
        self._load(opening, missing)

    def _load(self, opening: Opening, number: int) -> None:
        """Read a page and lay it out; the one that is there stays until then."""
        work = partial(
            self._load_in_thread, opening, number, self._unfolded_on(number),
            frozenset(self._inline), self._generation,
        )  # fmt: skip
        self.run_worker(
            work, thread=True, group="transcript-page", exit_on_error=False,
            description="read messages",
        )  # fmt: skip

    def _load_in_thread(
        self,
        opening: Opening,
        number: int,
        unfolded: set[int],
        inline: frozenset[str],
        generation: int,
    ) -> None:
        try:
            page = load_page(
                self._history, opening.session, opening.skeleton, number, opening.frame, unfolded,
                opening.begun, inline,
            )  # fmt: skip
        except RecallError as error:
            self.post_message(self.Failed(str(error)))
            return
        finally:
            self._loading = False
        self.post_message(self._Page(generation, page, unfolded))

    def on_session_pages__page(self, event: _Page) -> None:
        """Put a loaded page in its place, without moving what is being read."""
        event.stop()
        # One that was unfolded or folded meanwhile is on its way again.
        wanted = event.unfolded == self._unfolded_on(event.page.number)
        if event.generation == self._generation and self._opening is not None and wanted:
            with_anchor = self._anchor()
            if event.page.number in self._pages:
                self._strips.clear()  # of a page that is new here there are none
            self._take(event.page)
            self._fit()
            self._hold(with_anchor)
            if self._in_view(event.page):
                self.refresh()
            self._go_on(event.page.number)
        self._fetch()

    # Laying out again

    def noted(self, session: Session, notes: Mapping[int, Sequence[str]]) -> None:
        """Show what a person wrote about the session on the screen by now."""
        opening = self._opening
        if opening is not None and opening.session.key == session.key:
            self._reframe(replace(opening.frame, notes=notes))

    def show_level(self, level: Level) -> None:
        """Show more or less of every tool's output."""
        self._level = level
        if self._opening is not None:
            self._reframe(replace(self._opening.frame, level=level))

    def _reframe(self, frame: Frame) -> None:
        """Lay the session out anew, the current message held where it stands."""
        opening = self._opening
        if opening is None or not len(opening.skeleton):
            return
        anchor, number = self._anchor(), max(0, self.cursor) // PAGE_MESSAGES
        self._generation += 1
        self._opening = opening.reframed(frame)
        for other in list(self._pages.keys()):
            if other != number:
                self._pages.discard(other)
        self._loading = False
        self._lay_again({number}, anchor)
        self._fetch()

    def _lay_again(self, numbers: set[int], anchor: tuple[int, int] | None) -> None:
        """Lay out loaded pages again, an anchor held where it is."""
        opening = self._opening
        if opening is None:
            return
        at_once = []
        for number in numbers:
            page = self._pages.get(number)
            if page is None:
                continue
            if sum(len(message.text) for message in page.messages) > _AT_ONCE_CHARS:
                self._take(page)  # as it is, until a thread has laid it out
                self._load(opening, number)
                continue
            lines = lay_all(
                page.messages, opening.skeleton, opening.frame, self._unfolded_on(number),
                page.pairs, page.asides,
            )  # fmt: skip
            self._take(replace(page, lines=lines))
            at_once.append(number)
        self._strips.clear()
        self._fit()
        self._following = False
        self._hold(anchor)
        self.refresh()
        for number in at_once:
            self._go_on(number)
