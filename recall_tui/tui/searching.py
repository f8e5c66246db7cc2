"""One question at a time: its generation, its hits as they stream in, its pages."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from recall_tui.errors import RecallError
from recall_tui.tui.listings import HitListing
from recall_tui.tui.messages import SearchFailed, SearchUpdated, SessionsLoaded, WorkFailed
from recall_tui.tui.query import Question, Switches

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.message import Message

    from recall_tui.history import History
    from recall_tui.model import Filter, Gap
    from recall_tui.search.results import GrepQuery

PAGE_HITS: Final = 200

MOST_KEPT_HITS: Final = 2000
"""Hits fetched again when the store changed under a search that had been paged this far."""


class Search:
    """What is asked now and what is known of the answer. Used on the event loop.

    Attributes:
        question: The content of the box, understood.
        switches: How the pattern is compared.
        generation: Grows with each question; an answer to another one is dropped.
        hits: The hits so far; None: none came yet, or nothing is searched for.
        running: The last update has not come.
        total: Messages that match, so far.
        sessions: Sessions with a match, so far.
        gaps: What this search could not reach.
        error: Why the question cannot be asked.
    """

    def __init__(self) -> None:
        self.question = Question("")
        self.switches = Switches()
        self.generation = 0
        self.hits: HitListing | None = None
        self.running = False
        self.total = 0
        self.sessions = 0
        self.gaps: list[Gap] = []
        self.error = ""
        self._next = ""

    @property
    def asked(self) -> bool:
        """Whether the box holds anything: a pattern, a filter, or a mistake."""
        return bool(self.question.pattern or self.question.chips or self.error)

    def ask(self, *, refresh: bool = False) -> GrepQuery | None:
        """Begin the question as it stands; return the search to run, None when there is none.

        Args:
            refresh: The store changed: fetch as many hits as were fetched before.
        """
        self.generation += 1
        self.error = self.question.error
        self.running = bool(self.question.pattern and not self.error)
        if not self.running:
            self.gaps = []
            self.hits = None
            return None
        kept = len(self.hits) if refresh and self.hits else 0
        limit = min(MOST_KEPT_HITS, max(PAGE_HITS, kept))
        return self.question.grep(self.switches, limit)

    def next_page(self) -> GrepQuery | None:
        """Return the search for the next page, None when there is none or it is on its way."""
        if self.hits is None or not self._next or self.running:
            return None
        cursor, self._next = self._next, ""
        return replace(self.question.grep(self.switches, PAGE_HITS), cursor=cursor)

    def take(self, event: SearchUpdated) -> bool:
        """Take up an update; return whether `hits` is another listing than before."""
        update = event.update
        if event.first:
            self.hits = None
        self.total, self.sessions = update.total, update.sessions
        fresh = self.hits is None and bool(update.hits or update.done)
        if fresh:
            self.hits = HitListing(list(update.hits))
        elif self.hits is not None:
            self.hits.hits.extend(update.hits)
        if update.done:
            self.running = False
            self._next = update.next
            self.gaps = update.reach.gaps
        return fresh

    def fail(self, words: str) -> None:
        """Note why the question could not be answered."""
        self.running = False
        self.error = words


def run_search(
    history: History,
    query: GrepQuery,
    generation: int,
    stop: Callable[[], bool],
    post: Callable[[Message], object],
) -> None:
    """Run a search in a worker thread and post every update of it.

    Args:
        history: What to search.
        query: The search.
        generation: Of the question, for the handler to compare.
        stop: Returns True when nobody waits for the answer any more.
        post: Thread-safe way to the screen.
    """
    first = not query.cursor
    try:
        for update in history.grep(query, stop):
            if stop():
                return
            post(SearchUpdated(generation, update, first))
            first = False
    except RecallError as error:
        if not stop():
            post(SearchFailed(generation, str(error)))


def read_sessions(
    history: History,
    chosen: Filter,
    stop: Callable[[], bool],
    post: Callable[[Message], object],
) -> None:
    """Read the sessions a filter admits, and how far they reach, in a worker thread.

    Args:
        history: What to read.
        chosen: The filters of the box.
        stop: Returns True when nobody waits for the answer any more.
        post: Thread-safe way to the screen.
    """
    try:
        version = history.version()
        # Subagents are folded under their main session, unless one is asked for by name.
        folded = replace(chosen, mains_only=chosen.mains_only or not chosen.sessions)
        sessions = history.sessions(folded)
        reach = history.reach()
        gaps = history.gaps()
    except RecallError as error:
        post(WorkFailed(str(error)))
        return
    if not stop():
        post(SessionsLoaded(chosen, version, sessions, reach, gaps))
