"""One question at a time: its generation, its rows as they stream in, its pages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeAlias

from recall_tui.errors import RecallError
from recall_tui.model import Filter, Kind
from recall_tui.named import NamedTuple
from recall_tui.search.results import Case, GrepQuery
from recall_tui.tui.hit_listing import HitListing
from recall_tui.tui.lines import no_matches
from recall_tui.tui.messages import (
    EndsRead,
    NameFound,
    RecallAnswered,
    SearchFailed,
    SearchUpdated,
    SessionsLoaded,
    WorkFailed,
)
from recall_tui.tui.query import Mode, Question, Switches

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.message import Message

    from recall_tui.history import History
    from recall_tui.model import Gap, Session
    from recall_tui.search.recall.envelope import Envelope
    from recall_tui.search.recall.request import RecallRequest
    from recall_tui.search.sessions import Titles
    from recall_tui.tui.lines import Finder
    from recall_tui.tui.recall_listing import RecallListing

    Rows: TypeAlias = HitListing | RecallListing

PAGE_HITS: Final = 200

MOST_CALLED: Final = 3
"""Sessions that are called so, above the hits: the newest ones."""

_LEAST_TITLE_CHARS: Final = 2
_IN_SIGHT_HITS: Final = 8
"""A session that has one of the first so many hits need not stand above them, too."""

PASSAGES: Final = 40
"""Passages of an answer: whoever has not found it among these asks in other words."""

MOST_KEPT_HITS: Final = 2000
"""Hits fetched again when the store changed under a search that had been paged this far."""


class Ask(NamedTuple):
    """What a worker thread is to find out."""

    generation: int
    query: GrepQuery | RecallRequest
    name: str = ""
    """Looked up first: a reference or session id."""


class Search:
    """What is asked now and what is known of the answer. Used on the event loop.

    Attributes:
        question: The content of the box, understood.
        switches: How it is looked for.
        zone: Name of the zone days in a question are meant in.
        generation: Grows with each question; an answer to another one is dropped.
        rows: The hits or passages so far; None: none came yet, or nothing is searched for.
        named: The box holds the name of a session that is there.
        answer: What recall answered, in its mode.
        running: The last update has not come.
        total: Messages that match, so far.
        sessions: Sessions with a match, so far.
        gaps: What this search could not reach.
        searched: Sessions it looked through: those the filters admit.
        error: Why the question cannot be asked, or could not be answered.
        failed: It could not be answered.
        waiting: Nothing of the answer is there, and what is listed belongs to another question.
    """

    def __init__(self, zone: str = "UTC") -> None:
        self.question = Question("")
        self.switches = Switches()
        self.zone = zone
        self.generation = 0
        self.rows: Rows | None = None
        self.named = False
        self.answer: Envelope | None = None
        self.running = False
        self.total = 0
        self.sessions = 0
        self.gaps: list[Gap] = []
        self.searched = 0
        self.error = ""
        self.failed = False
        self.waiting = False
        self._next = ""

    @property
    def asked(self) -> bool:
        """Whether the box holds anything: a pattern, a filter, or a mistake."""
        return bool(self.question.pattern or self.question.chips or self.error)

    @property
    def answered(self) -> bool:
        """Whether the store answered, be it that it could not: a newer one may answer otherwise."""
        return not self.running and (self.rows is not None or self.failed)

    @property
    def inside(self) -> GrepQuery | None:
        """What to mark in a session that is opened from `rows`, and to step through."""
        if self.rows is None:
            return None
        if isinstance(self.rows, HitListing):
            return self.question.grep(self.switches, PAGE_HITS)._replace(chosen=Filter())
        return self.rows.query

    @property
    def recalling(self) -> bool:
        """Whether questions are answered with ranked passages."""
        return self.switches.mode is Mode.RECALL

    def ask(self, *, refresh: bool = False) -> Ask | None:
        """Begin the question as it stands; return what to find out, None when there is nothing.

        Args:
            refresh: The store changed: fetch as many hits as were fetched before.
        """
        self.generation += 1
        self.error = self.question.error
        self.failed = False
        self.running = bool(self.question.pattern and not self.error)
        self.waiting = self.running and not refresh
        if not self.running:
            self.gaps = []
            self.rows = self.answer = None
            self.named = False
            return None
        if self.recalling:
            query = self.question.recall(PASSAGES, self.zone)
            return Ask(self.generation, query, self.question.name)
        kept = len(self.rows.hits) if refresh and isinstance(self.rows, HitListing) else 0
        limit = min(MOST_KEPT_HITS, max(PAGE_HITS, kept))
        return Ask(self.generation, self.question.grep(self.switches, limit), self.question.name)

    def next_page(self) -> Ask | None:
        """Return the search for the next page, None when there is none or it is on its way."""
        if self.rows is None or not self._next or self.running:
            return None
        cursor, self._next = self._next, ""
        query = self.question.grep(self.switches, PAGE_HITS)._replace(cursor=cursor)
        return Ask(self.generation, query)

    def take(self, event: SearchUpdated) -> bool:
        """Take up an update; return whether `rows` is another listing than before."""
        update = event.update
        if event.first:
            self.rows = self.answer = None
            self.named = False
        self.total, self.sessions = update.total, update.sessions
        fresh = self.rows is None and bool(update.hits or update.done)
        if fresh:
            in_sight = {hit.session.key for hit in update.hits[:_IN_SIGHT_HITS]}
            called = [one for one in event.called if one.key not in in_sight]
            self.rows = HitListing(list(update.hits), called, self._find_in_titles(called))
            self.waiting = False
        elif isinstance(self.rows, HitListing):
            self.rows.hits.extend(update.hits)
        if update.done:
            self.running = False
            self._next = update.next
            self.gaps, self.searched = update.reach.gaps, update.reach.sessions_searched
            if isinstance(self.rows, HitListing):
                self.rows.complete = not update.next
        return fresh

    def _find_in_titles(self, called: Sequence[Session]) -> Finder:
        """Return what finds each word of the question in a title."""
        if not called:
            return no_matches
        from recall_tui.tui.matching import Matcher

        words = "|".join(map(re.escape, self.question.pattern.split()))
        return Matcher(GrepQuery(words, regex=True, case=Case.IGNORE)).spans

    def take_answer(self, answer: Envelope) -> RecallListing:
        """Take up what recall answered; return its rows."""
        from recall_tui.tui.recall_listing import RecallListing

        rows = RecallListing(answer)
        self.rows, self.answer = rows, answer
        self.running = self.waiting = self.named = False
        self.total, self.sessions = answer.matches, answer.sessions_matching
        self.gaps, self.searched = answer.reach.gaps, answer.reach.sessions_searched
        self._next = ""
        return rows

    def take_name(self) -> None:
        """Note that the box names a session."""
        self.rows = self.answer = None
        self.running = self.waiting = False
        self.named = True
        self.gaps = []
        self._next = ""

    def fail(self, words: str) -> None:
        """Note why the question could not be answered."""
        self.running = self.waiting = False
        self.failed = True
        self.error = words


def run_search(
    history: History,
    ask: Ask,
    stop: Callable[[], bool],
    post: Callable[[Message], object],
    titles: Titles | None = None,
) -> None:
    """Find out what is asked in a worker thread and post every update of it.

    Args:
        history: What to search.
        ask: The question.
        stop: Returns True when nobody waits for the answer any more.
        post: Thread-safe way to the screen.
        titles: Where sessions that are called so are found; None to look for none.
    """
    try:
        if ask.name and (found := _named(history, ask)):
            post(found)
        elif isinstance(ask.query, GrepQuery):
            first = not ask.query.cursor
            called = _called(titles, ask.query) if first else []
            for update in history.grep(ask.query, stop):
                if stop():
                    return
                post(SearchUpdated(ask.generation, update, first, called))
                first = False
        else:
            answer = history.recall(ask.query, stop)
            if not stop():
                post(RecallAnswered(ask.generation, answer))
    except RecallError as error:
        if not stop():
            post(SearchFailed(ask.generation, str(error)))


def _called(titles: Titles | None, query: GrepQuery) -> list[Session]:
    """Return sessions whose title holds the words of a plain search."""
    if titles is None or query.regex or len(query.pattern) < _LEAST_TITLE_CHARS:
        return []
    return titles.called(query.pattern, query.chosen, MOST_CALLED)


def _named(history: History, ask: Ask) -> NameFound | None:
    """Return the sessions a reference or an id names, None when there are none."""
    sessions = history.find(ask.name)
    if not sessions:
        return None
    position = -1
    _, mark, rest = ask.name.partition("#")
    if mark:
        resolved = history.resolve(ask.name)
        moved = resolved.moved_to
        position = moved if moved >= 0 else int(rest.partition("~")[0])
    return NameFound(ask.generation, sessions, position)


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
        folded = chosen._replace(mains_only=chosen.mains_only or not chosen.sessions)
        sessions = history.sessions(folded)
        reach = history.reach()
        gaps, pins = history.gaps(), history.pins()
    except RecallError as error:
        post(WorkFailed(str(error)))
        return
    if not stop():
        post(SessionsLoaded(chosen, version, sessions, reach, gaps, pins))


ENDS_LOOKED_AT: Final = 60
"""Sessions whose end is looked at: an older one that was interrupted is past caring."""

_ANSWERED: Final = frozenset({Kind.ANSWER, Kind.SUMMARY, Kind.INJECTED})


def read_ends(
    history: History,
    sessions: Sequence[Session],
    stop: Callable[[], bool],
    post: Callable[[Message], object],
) -> None:
    """Find the newest sessions whose last word is not the agent's, in a worker thread.

    Args:
        history: What to read.
        sessions: Newest first.
        stop: Returns True when nobody waits for the answer any more.
        post: Thread-safe way to the screen.
    """
    open_ended = set()
    for session in sessions[:ENDS_LOOKED_AT]:
        if stop():
            return
        try:
            kinds = history.skeleton(session).kinds
        except RecallError:
            continue  # gone meanwhile: the next list will not have it
        last = next((kind for kind in reversed(kinds) if kind != Kind.NOTICE), Kind.ANSWER)
        if last not in _ANSWERED:
            open_ended.add(session.key)
    post(EndsRead(open_ended))
