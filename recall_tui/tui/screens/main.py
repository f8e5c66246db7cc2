"""The main screen: one box, the list below it, the selected session beside it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from textual import events, on
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import Input
from textual.worker import get_current_worker

from recall_tui.model import Filter, Reach
from recall_tui.search.results import Case
from recall_tui.tui import bars, notices
from recall_tui.tui.first_frame import PLACEHOLDER
from recall_tui.tui.keymap import Keymap, Scope, bindings
from recall_tui.tui.listings import HitListing, SessionListing
from recall_tui.tui.query import Switches, understand
from recall_tui.tui.searching import PAGE_HITS, Search, read_sessions, run_search
from recall_tui.tui.widgets.notice import Notice
from recall_tui.tui.widgets.result_list import ResultList
from recall_tui.tui.widgets.row import Row
from recall_tui.tui.widgets.search_box import SearchBox
from recall_tui.tui.widgets.session_pane import SessionPane
from recall_tui.tui.widgets.transcript import Transcript

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.timer import Timer

    from recall_tui.history import History
    from recall_tui.model import Session
    from recall_tui.search.results import GrepQuery
    from recall_tui.tui.messages import (
        SearchFailed,
        SearchUpdated,
        SessionsLoaded,
        StoreChanged,
        SyncEnded,
        SyncReported,
        WorkFailed,
    )

SETTLE_S: Final = 0.07
"""A search starts this long after the last key."""

PATIENCE_S: Final = 0.15
"""A search that takes longer says so; a fast one never flickers."""

PREVIEW_S: Final = 0.04
"""The session under the cursor opens this long after the cursor came to rest."""

REFRESH_S: Final = 1.0
"""The list is read again at most this often while a sync commits."""

FIRST_REFRESH_S: Final = 0.1
"""While the list is empty it is read again sooner."""

AGES_S: Final = 30.0
"""Ages in the list are drawn again this often."""

NARROW_CELLS: Final = 100
"""Below this the list and the session take turns."""

_CASES: Final = (Case.SMART, Case.EXACT, Case.IGNORE)


class MainScreen(Screen[None]):
    """Browse with an empty box, hits with a query; the transcript of whichever row is selected."""

    AUTO_FOCUS = "#query"
    BINDINGS: ClassVar[list[BindingType]] = [
        binding for binding in bindings(Scope.EVERYWHERE) if binding.action.startswith("screen.")
    ]

    def __init__(
        self,
        history: History,
        *,
        keymap: Keymap,
        now_ms: Callable[[], int],
        zone: tzinfo,
        home: str,
        demo: bool = False,
        syncing: bool = False,
    ) -> None:
        super().__init__()
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (NARROW_CELLS, "-normal"), (160, "-wide")]
        self._history = history
        self._keymap = keymap
        self._now_ms = now_ms
        self._zone = zone
        self._home = home
        self._demo = demo
        self._sessions: list[Session] | None = None
        self._everything: list[Session] = []
        self._shown_version: int | None = None
        self._store_version: int | None = None
        self._coverage = bars.Coverage(Reach(), reading=syncing)
        self._search = Search()
        self._patient = False
        self._settle: Timer | None = None
        self._patience: Timer | None = None
        self._preview: Timer | None = None
        self._refresh_due: Timer | None = None

    def compose(self) -> ComposeResult:
        """Lay the screen out."""
        with Horizontal(id="top"):
            yield Row(fits=True, id="brand")
            yield SearchBox(id="query", compact=True, placeholder=PLACEHOLDER)
            yield Row(fits=True, id="switches")
            yield Row(id="status")
        yield Row(id="count")
        yield Row(id="banner")
        with Horizontal(id="panes"):
            with Vertical(id="list-pane"):
                yield ResultList(self._now_ms, id="results")
                yield Notice(id="empty")
            yield SessionPane(
                self._history, now_ms=self._now_ms, zone=self._zone, home=self._home,
                id="session-pane",
            )  # fmt: skip
        yield Row(id="keys")

    # Children, by role

    @property
    def box(self) -> SearchBox:
        """The search box."""
        return self.query_one("#query", SearchBox)

    @property
    def results(self) -> ResultList:
        """The list."""
        return self.query_one("#results", ResultList)

    @property
    def transcript(self) -> Transcript:
        """The session on the right."""
        return self.pane.transcript

    @property
    def pane(self) -> SessionPane:
        """The session with its head and its find box."""
        return self.query_one("#session-pane", SessionPane)

    def row(self, name: str) -> Row:
        """Return one of the one-line rows by its id."""
        return self.query_one(f"#{name}", Row)

    # Life

    def on_mount(self) -> None:
        """Draw the frame; read the first sessions once it is on the screen."""
        self.row("brand").show(*bars.BRAND)
        self._show_rows()
        self.call_after_refresh(self._load_sessions)
        self.set_interval(AGES_S, self.results.redraw)

    @on(events.DescendantFocus)
    @on(events.ScreenResume)
    def _name_keys(self) -> None:
        """The footer names the keys that work where the focus is."""
        self._show_keys()

    def on_resize(self) -> None:
        """What the rows have room for depends on the width."""
        self.call_after_refresh(self._show_rows)

    # Sessions

    def _load_sessions(self) -> None:
        self.run_worker(
            partial(self._load_in_thread, self._search.question.chosen),
            thread=True, group="sessions", exclusive=True, exit_on_error=False,
            description="read sessions",
        )  # fmt: skip

    def _load_in_thread(self, chosen: Filter) -> None:
        worker = get_current_worker()
        read_sessions(self._history, chosen, lambda: worker.is_cancelled, self.post_message)

    def on_sessions_loaded(self, event: SessionsLoaded) -> None:
        """Keep the sessions; show them when no pattern is asked for."""
        event.stop()
        if event.chosen == Filter():
            self._everything = event.sessions
        if event.chosen != self._search.question.chosen:
            return
        self._sessions = event.sessions
        self._shown_version = event.version
        self._coverage.reach, self._coverage.gaps = event.reach, event.gaps
        shown = self.transcript.session
        now = next((s for s in event.sessions if shown and s.key == shown.key), None)
        if shown and now and now.messages != shown.messages:
            self.transcript.grown(now)
        if not self._search.question.pattern:
            self._browse()
        self._show_rows()
        self._refresh_soon()

    def _browse(self) -> None:
        """List the sessions themselves, those the filters admit."""
        if self._sessions is not None:
            listing = SessionListing(self._sessions, self._now_ms(), self._zone, self._home)
            self.results.show(listing)
            self._show_empty()
            self._show_count()

    def on_store_changed(self, event: StoreChanged) -> None:
        """Note that there is something new."""
        event.stop()
        self._store_version = event.version
        self._refresh_soon()

    def _refresh_soon(self) -> None:
        """Read the list again when it is older than the store, at most once a second."""
        behind = self._store_version not in {None, self._shown_version}
        if behind and self._sessions is not None and self._refresh_due is None:
            wait = REFRESH_S if self._sessions else FIRST_REFRESH_S
            self._refresh_due = self.set_timer(wait, self.action_reload)

    def action_reload(self) -> None:
        """Read the list again now."""
        self._refresh_due = None
        self._load_sessions()
        if self._search.hits is not None and not self._search.running:
            self._start(refresh=True)

    # Sync

    def on_sync_reported(self, event: SyncReported) -> None:
        """Show where the sync stands."""
        self._coverage.progress, self._coverage.live = event.progress, True
        if event.progress.done:
            self._settle_down()
        self._show_rows()

    def _settle_down(self) -> None:
        """The sources were read to their end once: what is not there now does not exist."""
        if self._coverage.reading:
            self._coverage.reading = False
            self._load_sessions()

    def on_sync_ended(self, event: SyncEnded) -> None:
        """Say why the list is no longer kept live by us."""
        event.stop()
        self._coverage.progress = None
        self._coverage.note, self._coverage.live = event.reason, not event.reason
        self._settle_down()
        self._show_rows()

    def on_work_failed(self, event: WorkFailed) -> None:
        """Say what went wrong."""
        event.stop()
        self._coverage.note = event.words
        self._show_rows()

    # Search

    @on(Input.Changed, "#query")
    def _restart_settle(self, event: Input.Changed) -> None:
        event.stop()
        if self._settle is not None:
            self._settle.stop()
        self._settle = self.set_timer(SETTLE_S, self._settled)

    def _settled(self) -> None:
        self._settle = None
        question = understand(self.box.value, self._zone, self._now_ms())
        if question != self._search.question or self._search.error:
            self._search.question = question
            self._start()

    def _start(self, *, refresh: bool = False) -> None:
        """Ask the question as it stands now."""
        query = self._search.ask(refresh=refresh)
        if self._patience is not None:
            self._patience.stop()
        self._patient = False
        if query is not None:
            self._patience = self.set_timer(PATIENCE_S, self._lose_patience)
            self._run_search(query, "search")
        elif self._search.error:
            self._show_empty()
        elif self._search.question.chosen == Filter() and self._everything:
            self._sessions = self._everything
            self._browse()
        else:
            self._load_sessions()
        self._show_rows()

    def _lose_patience(self) -> None:
        self._patient = True
        self._show_count()

    def _run_search(self, query: GrepQuery, group: str) -> None:
        self.run_worker(
            partial(self._search_in_thread, query, self._search.generation),
            thread=True, group=group, exclusive=True, exit_on_error=False, description=group,
        )  # fmt: skip

    def _search_in_thread(self, query: GrepQuery, generation: int) -> None:
        worker = get_current_worker()

        def stop() -> bool:
            return worker.is_cancelled or generation != self._search.generation

        run_search(self._history, query, generation, stop, self.post_message)

    def on_search_updated(self, event: SearchUpdated) -> None:
        """Show what was found; the old list stays until something new is there."""
        event.stop()
        if event.generation != self._search.generation:
            return
        another = self._search.take(event)
        if another and self._search.hits is not None:
            self.results.show(self._search.hits)
        elif event.update.hits:
            self.results.grew()
        if event.update.done:
            self._show_empty()
            self._show_banner()
        self._show_count()

    def on_search_failed(self, event: SearchFailed) -> None:
        """Say what is wrong with the query, in its place."""
        event.stop()
        if event.generation == self._search.generation:
            self._search.fail(event.words)
            self._show_empty()
            self._show_count()

    @on(ResultList.NearEnd)
    def _more_hits(self, event: ResultList.NearEnd) -> None:
        event.stop()
        query = self._search.next_page()
        if query is not None:
            self._run_search(query, "page")

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
        self._search.switches = self.pane.switches = switches
        if self._search.question.pattern:
            self._start()
        self._show_rows()

    # The list

    @on(SearchBox.Move)
    def _move(self, event: SearchBox.Move) -> None:
        event.stop()
        if event.pages:
            self.results.action_page(event.by)
        else:
            self.results.action_move(event.by)

    @on(ResultList.Selected)
    def _selected(self, event: ResultList.Selected) -> None:
        event.stop()
        if self._preview is not None:
            self._preview.stop()
        self._preview = self.set_timer(PREVIEW_S, self._preview_row)

    def _preview_row(self) -> None:
        """Open the row under the cursor in the pane beside the list."""
        self._preview = None
        chosen = self._chosen()
        if chosen is None:
            self.transcript.clear()
            self.pane.show_head()
            return
        session, position = chosen
        self.transcript.open(session, at=position, query=self._query_inside())

    def _chosen(self) -> tuple[Session, int] | None:
        """Return the session under the cursor and the position to open it at."""
        row, listing = self.results.cursor, self.results.listing
        if isinstance(listing, HitListing) and 0 <= row < len(listing):
            return listing.hits[row].session, listing.hits[row].position
        if isinstance(listing, SessionListing) and 0 <= row < len(listing):
            return listing.sessions[row], -1
        return None

    def _query_inside(self) -> GrepQuery | None:
        if not isinstance(self.results.listing, HitListing):
            return None
        query = self._search.question.grep(self._search.switches, PAGE_HITS)
        return replace(query, chosen=Filter())

    @on(ResultList.Opened)
    def _row_opened(self, event: ResultList.Opened) -> None:
        event.stop()
        self.action_open()

    def action_open(self) -> None:
        """Give the session under the cursor the keys, at once: the next one is for it already.

        A search that was just typed is still on its way then; what it finds opens there.
        """
        if self._chosen() is not None:
            self._preview_row()
        self.add_class("-reading")
        self.set_focus(self.transcript)

    @on(ResultList.Copied)
    def _copy_row(self, event: ResultList.Copied) -> None:
        event.stop()
        listing = self.results.listing
        if listing is not None and 0 <= event.row < len(listing):
            self._copy(listing.key(event.row), "reference")

    def action_search(self) -> None:
        """Go to the search box."""
        self.remove_class("-reading", "-solo")
        self.set_focus(self.box)

    @on(SearchBox.Peeled)
    def _peeled(self, event: SearchBox.Peeled) -> None:
        event.stop()
        self.remove_class("-reading", "-solo")

    # The session

    def action_close_session(self) -> None:
        """Go back to the list."""
        if self.has_class("-solo") and not self.has_class("-narrow"):
            self.remove_class("-solo")
            return
        self.remove_class("-reading", "-solo")
        self.set_focus(self.results)

    def action_find(self) -> None:
        """Find something inside the session."""
        self.set_focus(self.pane.show_find())

    def action_solo(self) -> None:
        """Give the session the whole screen, or give the list its place back."""
        self.toggle_class("-solo")
        self.add_class("-reading")
        self.set_focus(self.transcript)

    @on(Transcript.Failed)
    def _session_failed(self, event: Transcript.Failed) -> None:
        event.stop()
        self.notify(event.words, severity="error", markup=False)

    @on(Transcript.CopyWanted)
    def _copy_wanted(self, event: Transcript.CopyWanted) -> None:
        event.stop()
        self._copy(event.text, event.what)

    def _copy(self, text: str, what: str) -> None:
        from recall_tui.tui.copying import copy_in_thread

        self.run_worker(
            partial(copy_in_thread, self.app, text, what), thread=True, group="copy",
            exit_on_error=False, description="copy",
        )  # fmt: skip

    # Other screens

    def action_gaps(self) -> None:
        """List everything that is missing, with what to do about it."""
        from recall_tui.tui.screens.gaps import GapsScreen

        gaps = [*self._coverage.gaps]
        gaps += [gap for gap in self._search.gaps if gap not in gaps]
        self.app.push_screen(GapsScreen(gaps, self._coverage.reach, self._keymap, self._home))

    # Rows

    def _show_rows(self) -> None:
        narrow = self.size.width < NARROW_CELLS
        self.row("switches").show(*bars.switches(self._search.switches, narrow=narrow))
        status = bars.Bar()
        if not narrow and self._sessions is not None:
            status = bars.status(self._coverage, demo=self._demo)
        self.row("status").show(*status)
        self._show_count()
        self._show_banner()
        self.pane.show_head()
        self._show_keys()

    def _show_count(self) -> None:
        sessions = len(self._sessions or ())
        bar = bars.count(self._search, sessions=sessions, patient=self._patient)
        self.row("count").show(*bar)

    def _show_banner(self) -> None:
        if self._sessions is not None or self._coverage.syncing or self._coverage.note:
            key = self._keymap.shown("gaps")
            self.row("banner").show(*bars.banner(self._coverage, self._search.gaps, key))

    def _show_keys(self) -> None:
        scopes = {"transcript": Scope.SESSION, "find": Scope.FIND, "results": Scope.LIST}
        scope = scopes.get((self.focused and self.focused.id) or "", Scope.BOX)
        self.row("keys").show(*bars.keys(self._keymap, scope))

    def _show_empty(self) -> None:
        """Say what was looked for, when the list is empty."""
        empty = not (self.results.listing and len(self.results.listing))
        self.set_class(empty, "-empty")
        self.set_class(empty and not self._search.asked, "-blank")
        if empty:
            words = notices.empty(self._search, self._coverage, self._keymap, self._home)
            self.query_one("#empty", Notice).show(words)
