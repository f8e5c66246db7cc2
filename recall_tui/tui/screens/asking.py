"""The box: from keys to a question, from a question to a search, from a search to rows."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from textual import on
from textual.widgets import Input
from textual.worker import get_current_worker

from recall_tui.errors import RecallError
from recall_tui.model import Filter
from recall_tui.search.results import Case
from recall_tui.store.memory import give_back
from recall_tui.tui.messages import WorkFailed
from recall_tui.tui.past import Past
from recall_tui.tui.query import Mode, understand
from recall_tui.tui.screens.browsing import Browsing
from recall_tui.tui.searching import run_search
from recall_tui.tui.widgets.result_list import ResultList
from recall_tui.tui.widgets.search_box import SearchBox

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo

    from textual.timer import Timer

    from recall_tui.history import History
    from recall_tui.model import Session
    from recall_tui.tui.faults import WorkFaulted
    from recall_tui.tui.listings import Listing
    from recall_tui.tui.messages import (
        NameFound,
        RecallAnswered,
        SearchFailed,
        SearchUpdated,
    )
    from recall_tui.tui.query import Switches
    from recall_tui.tui.searching import Ask

SETTLE_S: Final = 0.07
"""A search starts this long after the last key."""

PATIENCE_S: Final = 0.15
"""A search that takes longer says so; a fast one never flickers."""

TIDY_S: Final = 2.0
"""Memory is given back this long after an answer: the next one would only take it again."""

_CASES: Final = (Case.SMART, Case.EXACT, Case.IGNORE)


class Asking(Browsing):
    """A question at a time, and its answer in the list."""

    def __init__(
        self,
        history: History,
        *,
        now_ms: Callable[[], int],
        zone: tzinfo,
        zone_name: str,
        syncing: bool,
    ) -> None:
        super().__init__(history, now_ms=now_ms, zone=zone_name, syncing=syncing)
        self._zone = zone
        self.past = Past()
        self._patient = False
        self._moves: list[SearchBox.Move] = []
        """Moves in a list that is still on its way."""
        self._settle: Timer | None = None
        self._patience: Timer | None = None
        self._tidy: Timer | None = None

    @property
    def box(self) -> SearchBox:
        """The search box."""
        return self.query_one("#query", SearchBox)

    @property
    def results(self) -> ResultList:
        """The list."""
        return self.query_one("#results", ResultList)

    # What the screen over this draws

    def _show_count(self) -> None:
        """Say what was found."""
        raise NotImplementedError

    def _show_banner(self) -> None:
        """Say what is missing."""
        raise NotImplementedError

    def _show_named(self, sessions: list[Session], position: int) -> None:
        """List sessions that were named, and open the first at a message."""
        raise NotImplementedError

    # Earlier searches

    def _recollect(self) -> None:
        """Read the earlier searches in a worker thread."""

        def read() -> None:
            self.past.asked, self.past.kept = self._history.asked(), self._history.searches()

        self._remember(read)

    def _remember(self, work: Callable[[], object]) -> None:
        """Read or write earlier searches in a worker thread."""

        def guarded() -> None:
            try:
                work()
            except RecallError as error:
                self.post_message(WorkFailed(str(error)))

        self.run_worker(
            guarded, thread=True, group="past", exit_on_error=False, description="past searches"
        )

    def _note_asked(self) -> None:
        """Remember the search in the box: it led somewhere, or was left behind."""
        query = self.box.value.strip()
        if not self._search.error and self.past.note(query):
            self._remember(partial(self._history.note_asked, query))

    def use_search(self, query: str) -> None:
        """Put an earlier search in the box."""
        self.box.value = query
        self.box.cursor_position = len(query)
        self.set_focus(self.box)

    def action_past_searches(self) -> None:
        """Show the earlier searches, those that are kept first."""
        from recall_tui.tui.past import PastSearches
        from recall_tui.tui.screens.leaving import Palette

        if next(self.past.all(), None) is None:
            self.notify("Nothing was searched yet.", timeout=2, markup=False)
        elif not Palette.is_open(self.app):
            words = "an earlier search"
            self.app.push_screen(Palette([PastSearches], placeholder=words))

    def action_keep_search(self) -> None:
        """Keep the search in the box, or let it go."""
        query = self.box.value.strip()
        if not query:
            self.notify("The box is empty: type a search to keep it.", markup=False)
            return
        on = query not in self.past.kept
        self._remember(partial(self._keep, query, on=on))

    def _keep(self, query: str, *, on: bool) -> None:
        """Keep a search or let it go; call it in a worker thread."""
        kept = self._history.keep_search(query, on=on)
        self.past.kept = self._history.searches()
        words = "Kept among the earlier searches." if on else "Not kept any more."
        if not kept:
            words = "It looks like a credential, and those are never written down."
        self.notify(words, markup=False)

    def action_narrow(self) -> None:
        """Show the filters there are, to pick one."""
        from recall_tui.tui.narrowing import Filters
        from recall_tui.tui.screens.leaving import Palette

        if not Palette.is_open(self.app):
            words = "narrow to a program, project, time…"
            self.app.push_screen(Palette([Filters], placeholder=words))

    def action_narrow_to(self, word: str) -> None:
        """Put a filter in the box in the place of one of its field, or take it out again."""
        from recall_tui.tui.narrowing import narrowed

        query = self.box.value
        rest = narrowed(query, word)
        self.use_search(rest.removeprefix(word).lstrip() if word in query.split() else rest)

    # From keys to a question

    @on(Input.Changed, "#query")
    def _restart_settle(self, event: Input.Changed) -> None:
        event.stop()
        if self._settle is not None:
            self._settle.stop()
        self._settle = self.set_timer(SETTLE_S, self._settled)

    def _settled(self) -> None:
        self._settle = None
        question = understand(self.box.value, self._zone, self._now_ms())
        if question.error and self.box.completion:
            question = self._search.question  # half a word is no mistake yet
        # One that still runs has been stopped by the key.
        if question != self._search.question or self._search.error or self._search.running:
            self._search.question = question
            self._start()
        else:
            self._show_count()

    def _start(self, *, refresh: bool = False) -> None:
        """Ask the question as it stands now."""
        ask = self._search.ask(refresh=refresh)
        if self._patience is not None:
            self._patience.stop()
        self._patient = False
        if self._search.error:
            self._moves.clear()
        if ask is not None:
            self._patience = self.set_timer(PATIENCE_S, self._lose_patience)
            self._run_search(ask, "search")
        elif self._search.error:
            self._show_empty()
        elif self._search.question.chosen == Filter() and self._everything:
            self._sessions = self._everything
            self._browse()
        else:
            self._load_sessions()
        self._show_rows()

    def _ask_again(self) -> None:
        self._start(refresh=True)

    def _lose_patience(self) -> None:
        self._patient = True
        self._show_count()

    # From a question to rows

    @property
    def _awaited(self) -> bool:
        """Whether another list is on its way: of sessions, or of what the box asks for."""
        first = self._sessions is None and not self._search.asked
        return first or self._settle is not None or self._search.waiting

    def _show_list(self, listing: Listing, *, keep: bool = True) -> None:
        """Show another list, and make the moves that were meant for it."""
        self.results.show(listing, keep=keep)
        moves, self._moves = self._moves, []
        for move in moves:
            self._make_move(move)

    def _make_move(self, move: SearchBox.Move) -> None:
        """Move in the list that is there."""
        raise NotImplementedError

    @on(SearchBox.Move)
    def _move(self, event: SearchBox.Move) -> None:
        event.stop()
        if self._awaited:
            self._moves.append(event)
        else:
            self._make_move(event)

    def _run_search(self, ask: Ask, group: str) -> None:
        self.run_worker(
            partial(self._search_in_thread, ask),
            thread=True, group=group, exclusive=True, exit_on_error=False, description=group,
        )  # fmt: skip

    def _search_in_thread(self, ask: Ask) -> None:
        worker = get_current_worker()
        first = not getattr(ask.query, "cursor", "")

        def stop() -> bool:
            # A key was pressed: nobody waits for this answer, and the next one needs the machine.
            typing = first and self._settle is not None
            return typing or worker.is_cancelled or ask.generation != self._search.generation

        run_search(self._history, ask, stop, self.post_message, self._titles)

    def on_search_updated(self, event: SearchUpdated) -> None:
        """Show what was found; the old list stays until something new is there."""
        event.stop()
        if event.generation != self._search.generation:
            return
        another = self._search.take(event)
        if another and self._search.rows is not None:
            self._show_list(self._search.rows)
        elif event.update.hits:
            self.results.grew()
        if event.update.done:
            self._show_empty()
            self._show_banner()
        self._show_count()

    def on_recall_answered(self, event: RecallAnswered) -> None:
        """Show what recall answered."""
        event.stop()
        if event.generation == self._search.generation:
            self._show_answer(self._search.take_answer(event.answer))

            self._tidy_soon()

    def _tidy_soon(self) -> None:
        """Give back the memory an answer took, once nobody asks any more."""
        if self._tidy is not None:
            self._tidy.stop()
        self._tidy = self.set_timer(TIDY_S, self._tidy_up)

    def _tidy_up(self) -> None:
        self._tidy = None
        if not self._search.running:
            self.run_worker(
                give_back, thread=True, group="tidy", exit_on_error=False, description="tidy up"
            )

    def _show_answer(self, rows: Listing) -> None:
        self._show_list(rows)
        self._show_empty()
        self._show_banner()
        self._show_count()

    def on_name_found(self, event: NameFound) -> None:
        """Go to what the box names."""
        event.stop()
        if event.generation == self._search.generation:
            self._search.take_name()
            self._show_named(event.sessions, event.position)
            self._show_count()

    def on_search_failed(self, event: SearchFailed) -> None:
        """Say what is wrong with the query, in its place."""
        event.stop()
        if event.generation == self._search.generation:
            self._fail(event.words)

    def on_work_faulted(self, event: WorkFaulted) -> None:
        """Wait no longer for a search that will never answer; the app says what happened."""
        if event.group == "search":
            self._fail("this search ended in a fault of Recall")

    def _fail(self, words: str) -> None:
        self._search.fail(words)
        self._moves.clear()
        self._show_empty()
        self._show_count()
        self._show_banner()

    @on(ResultList.NearEnd)
    def _more_hits(self, event: ResultList.NearEnd) -> None:
        event.stop()
        ask = self._search.next_page()
        if ask is not None:
            self._run_search(ask, "page")

    # Switches

    def action_toggle_mode(self) -> None:
        """Rank passages that answer, or find what is said exactly."""
        mode = Mode.GREP if self._search.recalling else Mode.RECALL
        self._switch(replace(self._search.switches, mode=mode))

    def action_cycle_case(self) -> None:
        """Compare letters smartly, exactly, or not at all."""
        switches = self._search.switches
        case = _CASES[(_CASES.index(switches.case) + 1) % len(_CASES)]
        self._switch(replace(switches, case=case))

    def action_toggle_word(self) -> None:
        """Match whole words only, or not."""
        self._switch(replace(self._search.switches, word=not self._search.switches.word))

    def action_toggle_regex(self) -> None:
        """Read the query as a regular expression, or not."""
        self._switch(replace(self._search.switches, regex=not self._search.switches.regex))

    def _switch(self, switches: Switches) -> None:
        self._search.switches = switches
        if self._search.question.pattern:
            self._start()
        self._show_rows()
