"""The main screen: one box, the list below it, the selected session beside it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, cast

from textual import on
from textual.containers import Horizontal, Vertical
from textual.css.query import NoMatches
from textual.screen import Screen
from textual.widgets import Input
from textual.worker import get_current_worker

from recall_tui.errors import RecallError
from recall_tui.model import Filter, Reach
from recall_tui.search.results import Case
from recall_tui.tui import notation
from recall_tui.tui.gap_words import summary
from recall_tui.tui.keymap import Keymap, Scope, bindings
from recall_tui.tui.listings import HitListing, SessionListing
from recall_tui.tui.messages import (
    SearchFailed,
    SearchUpdated,
    SessionsLoaded,
    StoreChanged,
    SyncEnded,
    SyncReported,
    WorkFailed,
)
from recall_tui.tui.query import Question, Switches, understand
from recall_tui.tui.widgets.notice import Notice
from recall_tui.tui.widgets.result_list import ResultList
from recall_tui.tui.widgets.row import Part, Row
from recall_tui.tui.widgets.search_box import FindBox, SearchBox
from recall_tui.tui.widgets.transcript import Transcript

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.timer import Timer

    from recall_tui.history import History, SyncProgress
    from recall_tui.model import Gap, Session
    from recall_tui.search.results import GrepQuery, Hit

SETTLE_S: Final = 0.07
"""A search starts this long after the last key."""

PATIENCE_S: Final = 0.15
"""A search that takes longer says so; a fast one never flickers."""

PREVIEW_S: Final = 0.04
"""The session under the cursor opens this long after the cursor came to rest."""

PAGE_HITS: Final = 200
MOST_KEPT_HITS: Final = 2000
"""Hits fetched again when the store changed under a search that had been paged this far."""

REFRESH_S: Final = 1.0
"""The list is read again at most this often while a sync commits."""

AGES_S: Final = 30.0
"""Ages in the list are drawn again this often."""

_CASES: Final = (Case.SMART, Case.EXACT, Case.IGNORE)


class MainScreen(Screen[None]):
    """Browse with an empty box, hits with a query; the transcript of whichever row is selected."""

    AUTO_FOCUS = "#query"
    BINDINGS: ClassVar[list[BindingType]] = [
        binding for binding in bindings(Scope.EVERYWHERE) if binding.action.startswith("screen.")
    ]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-normal"), (160, "-wide")]

    def __init__(
        self,
        history: History,
        *,
        keymap: Keymap,
        now_ms: Callable[[], int],
        zone: tzinfo,
        home: str,
        demo: bool = False,
    ) -> None:
        super().__init__()
        self._history = history
        self._keymap = keymap
        self._now_ms = now_ms
        self._zone = zone
        self._home = home
        self._demo = demo
        self._sessions: list[Session] | None = None
        self._everything: list[Session] = []
        self._reach = Reach()
        self._gaps: list[Gap] = []
        self._switches = Switches()
        self._question = Question("")
        self._generation = 0
        self._hits: HitListing | None = None
        self._cursor = ""
        self._counts = (0, 0, 0)
        self._searching = False
        self._search_gaps: list[Gap] = []
        self._error = ""
        self._sync: SyncProgress | None = None
        self._sync_note = ""
        self._live = False
        self._settle: Timer | None = None
        self._patience: Timer | None = None
        self._preview: Timer | None = None
        self._refresh_due: Timer | None = None

    def compose(self) -> ComposeResult:
        """Lay the screen out."""
        with Horizontal(id="top"):
            yield Row(fits=True, id="brand")
            yield SearchBox(id="query", compact=True, placeholder="search everything ever said")
            yield Row(fits=True, id="switches")
            yield Row(fits=True, id="status")
        yield Row(id="count")
        yield Row(id="banner")
        with Horizontal(id="panes"):
            with Vertical(id="list-pane"):
                yield ResultList(self._now_ms, id="results")
                yield Notice(id="empty")
            with Vertical(id="session-pane"):
                yield Row(id="head")
                yield Row(id="facts")
                yield Transcript(self._history, self._zone, id="transcript")
                yield FindBox(id="find", compact=True, placeholder="find in this session")
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
        return self.query_one("#transcript", Transcript)

    def row(self, name: str) -> Row:
        """Return one of the one-line rows by its id."""
        return self.query_one(f"#{name}", Row)

    # Life

    def on_mount(self) -> None:
        """Draw the frame; read the first sessions once it is on the screen."""
        self.row("brand").show([Part(" Recall ", "heading"), Part(" ❯ ", "accent")])
        self._show_switches()
        self._show_chrome()
        self.call_after_refresh(self._load_sessions)
        self.set_interval(AGES_S, self.results.redraw)

    def on_descendant_focus(self) -> None:
        """The footer and the banner name the keys that work where the focus is."""
        self._show_keys()
        self._show_banner()

    def on_screen_resume(self) -> None:
        """Name the keys again after another screen."""
        self._show_keys()

    def on_resize(self) -> None:
        """What the top rows have room for depends on the width."""
        self.call_after_refresh(self._show_chrome)
        self.call_after_refresh(self._show_switches)

    def _show_chrome(self) -> None:
        self._show_status()
        self._show_count()
        self._show_banner()
        self._show_head()
        self._show_keys()

    # Sessions

    def _load_sessions(self) -> None:
        self.run_worker(
            partial(self._load_in_thread, self._question.chosen), thread=True, group="sessions", exclusive=True,
            exit_on_error=False, description="read sessions",
        )  # fmt: skip

    def _load_in_thread(self, chosen: Filter) -> None:
        worker = get_current_worker()
        try:
            # Subagents are folded under their main session, unless one is asked for by name.
            folded = replace(chosen, mains_only=chosen.mains_only or not chosen.sessions)
            sessions = self._history.sessions(folded)
            reach = self._history.reach()
            gaps = self._history.gaps()
        except RecallError as error:
            self.post_message(WorkFailed(str(error)))
            return
        if not worker.is_cancelled:
            self.post_message(SessionsLoaded(chosen, sessions, reach, gaps))

    def on_sessions_loaded(self, event: SessionsLoaded) -> None:
        """Keep the sessions; show them when the box is empty."""
        event.stop()
        before = {s.key: s.messages for s in self._sessions[:200]} if self._sessions else {}
        if event.chosen == Filter():
            self._everything = event.sessions
        elif event.chosen != self._question.chosen:
            return
        self._sessions = event.sessions
        self._reach = event.reach
        self._gaps = event.gaps
        self._show_status()
        self._show_banner()
        shown = self.transcript.session
        for session in event.sessions:
            if shown and session.key == shown.key:
                if before.get(session.key) != session.messages:
                    self.transcript.grown(session)
                break
        if not self._question.pattern:
            self._browse()

    def _browse(self) -> None:
        """Show the sessions themselves, those the filters admit."""
        sessions = self._sessions
        self._hits = None
        self._searching = False
        if sessions is None:
            return
        listing = SessionListing(sessions, self._now_ms(), self._zone, self._home)
        self.results.show(listing)
        self._show_empty()
        self._show_count()

    def on_store_changed(self, event: StoreChanged) -> None:
        """Read the list again, soon, and at most once a second."""
        event.stop()
        if self._refresh_due is None:
            self._refresh_due = self.set_timer(
                0 if self._sessions is None else REFRESH_S, self._refresh_now
            )

    def _refresh_now(self) -> None:
        self._refresh_due = None
        self._load_sessions()
        if self._question.pattern and not self._searching:
            kept = len(self._hits) if self._hits else 0
            self._ask(limit=min(MOST_KEPT_HITS, max(PAGE_HITS, kept)))

    def action_reload(self) -> None:
        """Read the list again now."""
        self._refresh_now()

    # Sync

    def on_sync_reported(self, event: SyncReported) -> None:
        """Show where the sync stands."""
        event.stop()
        self._sync = event.progress
        self._live = True
        self._show_banner()
        self._show_status()

    def on_sync_ended(self, event: SyncEnded) -> None:
        """Say why the list is no longer kept live by us."""
        event.stop()
        self._sync = None
        self._sync_note = event.reason
        self._live = not event.reason
        self._show_banner()
        self._show_status()

    def on_work_failed(self, event: WorkFailed) -> None:
        """Say what went wrong."""
        event.stop()
        self._sync_note = event.words
        self._show_banner()

    # Search

    @on(Input.Changed, "#query")
    def _restart_settle(self, event: Input.Changed) -> None:
        event.stop()
        if self._settle is not None:
            self._settle.stop()
        self._settle = self.set_timer(SETTLE_S, self._settled)

    def _settled(self) -> None:
        question = understand(self.box.value, self._zone, self._now_ms())
        if question == self._question and not self._error:
            return
        self._question = question
        self._start()

    def _start(self) -> None:
        """Ask the question as it stands now."""
        self._error = self._question.error
        if self._error:
            self._generation += 1
            self._searching = False
            self._show_count()
            self._show_empty()
        elif self._question.pattern:
            self._ask(limit=PAGE_HITS)
        else:
            self._generation += 1
            self._search_gaps = []
            if self._question.chosen == Filter() and self._everything:
                self._sessions = self._everything
                self._browse()
            else:
                self._load_sessions()
            self._show_banner()

    def _ask(self, *, limit: int) -> None:
        self._generation += 1
        self._searching = True
        if self._patience is not None:
            self._patience.stop()
        self._patience = self.set_timer(PATIENCE_S, self._show_count)
        query = self._question.grep(self._switches, limit)
        self._run_search(query, "search")

    def _run_search(self, query: GrepQuery, group: str) -> None:
        self.run_worker(
            partial(self._search_in_thread, query, self._generation), thread=True, group=group,
            exclusive=True, exit_on_error=False, description=group,
        )  # fmt: skip

    def _search_in_thread(self, query: GrepQuery, generation: int) -> None:
        worker = get_current_worker()

        def stop() -> bool:
            return worker.is_cancelled or generation != self._generation

        first = not query.cursor
        try:
            for update in self._history.grep(query, stop):
                if stop():
                    return
                self.post_message(SearchUpdated(generation, update, first))
                first = False
        except RecallError as error:
            self.post_message(SearchFailed(generation, str(error)))

    def on_search_updated(self, event: SearchUpdated) -> None:
        """Show what was found; the old list stays until something new is there."""
        event.stop()
        if event.generation != self._generation:
            return
        update = event.update
        if event.first:
            self._hits = None
        self._counts = (update.total, update.occurrences, update.sessions)
        if self._hits is None and (update.hits or update.done):
            self._hits = HitListing(list(update.hits))
            self.results.show(self._hits)
        elif self._hits is not None and update.hits:
            self._hits.hits.extend(update.hits)
            self.results.grew()
        if update.done:
            self._searching = False
            self._cursor = update.next
            self._search_gaps = update.reach.gaps
            self._show_empty()
            self._show_banner()
        self._show_count()

    def on_search_failed(self, event: SearchFailed) -> None:
        """Say what is wrong with the query, in its place."""
        event.stop()
        if event.generation == self._generation:
            self._searching = False
            self._error = event.words
            self._show_count()
            self._show_empty()

    @on(ResultList.NearEnd)
    def _more_hits(self, event: ResultList.NearEnd) -> None:
        event.stop()
        if self._hits is None or not self._cursor or self._searching:
            return
        query = self._question.grep(self._switches, PAGE_HITS)
        cursor, self._cursor = self._cursor, ""
        self._run_search(replace(query, cursor=cursor), "page")

    def action_cycle_case(self) -> None:
        """Compare letters smartly, exactly, or not at all."""
        case = _CASES[(_CASES.index(self._switches.case) + 1) % len(_CASES)]
        self._set_switches(replace(self._switches, case=case))

    def action_toggle_word(self) -> None:
        """Match whole words only, or not."""
        self._set_switches(replace(self._switches, word=not self._switches.word))

    def action_toggle_regex(self) -> None:
        """Read the query as a regular expression, or not."""
        self._set_switches(replace(self._switches, regex=not self._switches.regex))

    def _set_switches(self, switches: Switches) -> None:
        self._switches = switches
        self._show_switches()
        if self._question.pattern:
            self._start()

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
        chosen = self._chosen()
        if chosen is None:
            self.transcript.clear()
            self._show_head()
            return
        session, position = chosen
        self.transcript.open(session, at=position, query=self._query_inside())

    def _chosen(self) -> tuple[Session, int] | None:
        """Return the session under the cursor and the position to open it at."""
        row, listing = self.results.cursor, self.results.listing
        if listing is None or not 0 <= row < len(listing):
            return None
        if isinstance(listing, HitListing):
            hit = listing.hits[row]
            return hit.session, hit.position
        return cast("SessionListing", listing).sessions[row], -1

    def _query_inside(self) -> GrepQuery | None:
        if self._hits is None:
            return None
        return replace(self._question.grep(self._switches, PAGE_HITS), chosen=Filter())

    @on(ResultList.Opened)
    @on(SearchBox.Opened)
    def _open(self, event: ResultList.Opened | SearchBox.Opened) -> None:
        event.stop()
        if self._chosen() is None:
            return
        self.add_class("-reading")
        self._preview_row()
        self.transcript.focus()

    @on(ResultList.Copied)
    def _copy_row(self, event: ResultList.Copied) -> None:
        event.stop()
        listing = self.results.listing
        if listing is not None and 0 <= event.row < len(listing):
            self._copy(listing.key(event.row), "reference")

    def action_search(self) -> None:
        """Go to the search box."""
        self.remove_class("-reading", "-solo")
        self.box.focus()

    @on(SearchBox.Peeled)
    def _peeled(self, event: SearchBox.Peeled) -> None:
        event.stop()
        self.remove_class("-reading", "-solo")

    # The session

    @on(Transcript.Closed)
    def _close_session(self, event: Transcript.Closed) -> None:
        event.stop()
        if self.has_class("-solo"):
            self.remove_class("-solo")
            if not self.has_class("-narrow"):
                return
        self.remove_class("-reading")
        self.results.focus()

    def action_solo(self) -> None:
        """Give the session the whole screen, or give the list its place back."""
        self.toggle_class("-solo")
        self.add_class("-reading")
        self.transcript.focus()

    @on(Transcript.Opened)
    @on(Transcript.Moved)
    def _session_moved(self, event: Transcript.Opened | Transcript.Moved) -> None:
        event.stop()
        self._show_head()

    @on(Transcript.Failed)
    def _session_failed(self, event: Transcript.Failed) -> None:
        event.stop()
        self.notify(event.words, severity="error", markup=False)

    @on(Transcript.FindWanted)
    def _show_find(self, event: Transcript.FindWanted) -> None:
        event.stop()
        self.add_class("-finding")
        self.query_one("#find", FindBox).focus()

    @on(Input.Changed, "#find")
    def _find_inside(self, event: Input.Changed) -> None:
        event.stop()
        if self.has_class("-finding"):
            query = replace(Question(event.value).grep(self._switches, PAGE_HITS), chosen=Filter())
            self.transcript.find_inside(query)

    @on(FindBox.Step)
    def _find_step(self, event: FindBox.Step) -> None:
        event.stop()
        self.transcript.action_hit(event.by)

    @on(FindBox.Closed)
    def _find_closed(self, event: FindBox.Closed) -> None:
        event.stop()
        self.remove_class("-finding")
        self.transcript.stop_finding()
        self.transcript.focus()

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

        gaps = [*self._gaps]
        gaps += [gap for gap in self._search_gaps if gap not in gaps]
        self.app.push_screen(
            GapsScreen(gaps, self._reach, self._keymap, self._now_ms(), self._home)
        )

    # Rows

    @property
    def _narrow(self) -> bool:
        return self.size.width < 100

    def _scope(self) -> Scope:
        """Return whose keys work where the focus is."""
        focused = self.focused
        if isinstance(focused, Transcript):
            return Scope.SESSION
        if isinstance(focused, FindBox):
            return Scope.FIND
        return Scope.LIST if isinstance(focused, ResultList) else Scope.BOX

    def _show_switches(self) -> None:
        switches = self._switches
        case = {Case.SMART: ("Aa", "dim"), Case.EXACT: ("Aa", "here"), Case.IGNORE: ("aa", "here")}
        word, ink = case[switches.case]
        mode = [Part("grep", "strong")]
        if not self._narrow:
            mode += [Part(" ▸ recall", "dim")]
        self.row("switches").show(
            [
                Part(" "),
                *mode,
                Part("  "),
                Part(word, ink, "cycle_case"),
                Part("  "),
                Part("\\b", "here" if switches.word else "dim", "toggle_word"),
                Part("  "),
                Part(".*", "here" if switches.regex else "dim", "toggle_regex"),
                Part(" "),
            ]
        )

    def _show_status(self) -> None:
        parts: list[Part] = []
        if not self._narrow and self._sessions is not None:
            total = self._reach.sessions_total
            parts.append(Part(f"   {notation.counted(total, 'session')}", "muted"))
            if self._demo:
                parts.append(Part(" · demo", "muted"))
            elif self._live:
                parts.append(Part(" · live", "muted"))
            parts.append(Part(" "))
        self.row("status").show(parts)

    def _show_count(self) -> None:
        row = self.row("count")
        words = " · ".join(self._question.chips)
        chips = [Part(f"   {words}", "accent")] if words else []
        if self._error:
            row.show([Part(f"   ✗ {self._error}", "warning")])
            return
        if not self._question.pattern:
            hint = "   type to search · harness:codex since:7d role:user narrow it"
            found = notation.counted(len(self._sessions or ()), "session")
            row.show(chips or [Part(hint, "dim")], [Part(f"{found} ", "strong")] if chips else [])
            return
        total, _, sessions = self._counts
        if self._searching and self._hits is None:
            right = [Part("searching… ", "muted")] if self._patient else []
        elif total:
            more = "…" if self._searching else ""
            right = [
                Part(f"{notation.counted(total, 'hit')}{more}", "strong"),
                Part(f" in {notation.counted(sessions, 'session')} ", "muted"),
            ]
        else:
            right = [Part("no hits ", "muted")]
        row.show(chips, right)

    @property
    def _patient(self) -> bool:
        """Whether the search has taken long enough to say so."""
        return self._patience is None or not self._patience._task or self._patience._task.done()  # noqa: SLF001

    def _show_banner(self) -> None:
        row = self.row("banner")
        key = self._keymap.shown("gaps")
        progress = self._sync
        gaps = [*self._gaps, *(gap for gap in self._search_gaps if gap not in self._gaps)]
        loud = summary(gaps, loud=True)
        right = [Part(f"{key} ", "strong", "gaps"), Part("details ", "muted", "gaps")]
        if progress is not None and not progress.done and progress.bytes_total:
            row.show([Part(f"   {_progress_words(progress)}", "muted")], right if loud else [])
        elif loud:
            lead = "partial: " if self._sessions else ""
            row.show([Part(f" ⚠ {lead}{' · '.join(loud)}", "warning", "gaps")], right)
        elif self._sync_note:
            row.show([Part(f" ⚠ {self._sync_note}", "warning", "gaps")])
        elif self._sessions is None:
            row.show([])
        else:
            quiet = summary(gaps, loud=False)
            words = f"   all {notation.counted(self._reach.sessions_total, 'session')}"
            if self._reach.index_age_ms is not None:
                words += f", {_age_words(self._reach.index_age_ms)} old"
            row.show(
                [Part(" · ".join([words, *quiet]), "dim", "gaps")], right if quiet else []
            )

    def _show_head(self) -> None:
        session = self.transcript.session
        if session is None:
            self.row("head").show([])
            self.row("facts").show([])
            return
        now = self._now_ms()
        hits, number = len(self.transcript.hits), self.transcript.hit_number
        counter = f"hit {number} of {hits} " if number else f"{notation.counted(hits, 'hit')} "
        self.row("head").show(
            [Part(" "), Part(session.title.replace("\n", " ") or "untitled", "title")],
            [Part(counter, "accent")] if hits else [],
        )
        facts = [
            notation.short_path(session.last_cwd or session.cwd, self._home),
            session.branch,
            notation.short_model(session.models),
            notation.age_words(session.ended_ms, now),
        ]
        ink = notation.mark_ink(session.harness)
        self.row("facts").show(
            [
                Part(" "),
                Part(session.harness, ink),
                *(Part(f" · {fact}", "muted") for fact in facts if fact),
            ],
            [Part(f"{self.transcript.cursor + 1:,}/{session.messages:,} ", "dim")],
        )

    def _show_keys(self) -> None:
        parts: list[Part] = [Part(" ")]
        for action in self._keymap.footer(self._scope()):
            target = action.action if action.action.startswith(("app.", "screen.")) else ""
            parts.append(Part(f"{self._keymap.shown(action.id)} ", "strong", target))
            parts.append(Part(f"{action.words.lower()}   ", "muted", target))
        self.row("keys").show(parts)

    def _show_empty(self) -> None:
        """Say what was looked for when the list is empty."""
        try:
            notice = self.query_one("#empty", Notice)
        except NoMatches:
            return
        count = len(self.results.listing) if self.results.listing else 0
        asked = bool(self._question.pattern or self._question.chips or self._error)
        self.set_class(count == 0, "-empty")
        self.set_class(count == 0 and not asked, "-blank")
        if count:
            return
        if self._error:
            notice.show([[(self._error, "warning")]])
        elif self._question.pattern or self._question.chips:
            notice.show(self._no_hits())
        else:
            notice.show(self._no_history())

    def _no_hits(self) -> list[list[tuple[str, str]]]:
        reach, pattern, chips = self._reach, self._question.pattern, self._question.chips
        partial_ = summary([*self._gaps, *self._search_gaps], loud=True)
        words = [
            [(f"Nothing says “{pattern}”." if pattern else "No session like that.", "title")],
            *([[(f"Among: {' · '.join(chips)}.", "accent")]] if chips else []),
            [],
            [
                (
                    f"Looked through {notation.counted(reach.sessions_total, 'session')}: what you "
                    "typed, what agents said, and every tool's input and output.",
                    "muted",
                )
            ],
        ]
        switches = self._switches
        if switches.case is Case.EXACT or switches.word or switches.regex:
            on_ = [
                ("Aa exact case", self._keymap.shown("case"), switches.case is Case.EXACT),
                ("\\b whole words", self._keymap.shown("word"), switches.word),
                (".* regular expression", self._keymap.shown("regex"), switches.regex),
            ]
            said = ", ".join(f"{name} ({key} turns it off)" for name, key, is_on in on_ if is_on)
            words += [[], [("Switched on: ", "muted"), (said, "")]]
        if partial_:
            words += [
                [],
                [(f"Not everything could be searched: {', '.join(partial_)}. ", "warning")],
                [(self._keymap.shown("gaps"), "strong"), (" says what to do.", "muted")],
            ]
        return words

    def _no_history(self) -> list[list[tuple[str, str]]]:
        lines: list[list[tuple[str, str]]] = [
            [("No agent sessions found yet.", "title")],
            [],
            [
                (
                    "Recall reads what Claude Code, Codex, pi, OpenCode, Gemini CLI and Copilot CLI "
                    "keep on this machine. It looked here:",
                    "muted",
                )
            ],
            [],
        ]
        missing = [gap for gap in self._gaps if gap.where]
        for gap in missing[:8]:
            place = notation.short_path(gap.where, self._home)
            lines.append([("  ", ""), (place, ""), (f"  {gap.detail}", "dim")])
        lines += [
            [],
            [(self._keymap.shown("demo"), "strong"), (" opens a demo history to try it on.", "")],
            [
                ("recall --source PATH", "code"),
                (" reads sessions from another place.", "muted"),
            ],
        ]
        return lines


def _progress_words(progress: SyncProgress) -> str:
    """Return `reading 812 of 4,785 files · 34 % · 142 MB/s`."""
    share = min(100, round(100 * progress.bytes_done / progress.bytes_total))
    words = f"reading your history · {share} % of {notation.size(progress.bytes_total)}"
    if progress.seconds > 0.5 and progress.bytes_done:
        words += f" · {notation.size(int(progress.bytes_done / progress.seconds))}/s"
        if progress.bytes_done < progress.bytes_total:
            left = (progress.bytes_total - progress.bytes_done) * progress.seconds
            seconds = left / progress.bytes_done
            words += f" · {max(1, round(seconds))} s left"
    return words + " · searches already work on what was read"


def _age_words(age_ms: int) -> str:
    """Return `3 s`, `5 min`, `2 h`, `4 days`."""
    seconds = max(0, age_ms) // 1000
    if seconds < 120:
        return f"{seconds} s"
    if seconds < 7200:
        return f"{seconds // 60} min"
    return f"{seconds // 3600} h" if seconds < 172_800 else f"{seconds // 86_400} days"
