"""The main screen: one box, the list below it, the selected session beside it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from textual import events, on
from textual.containers import Horizontal, Vertical

from recall_tui.tui import bars, kept, notices
from recall_tui.tui.arrangement import after
from recall_tui.tui.asked import OF_MANY, Asked, AskedOfMany, Deed
from recall_tui.tui.completion import FilterSuggester
from recall_tui.tui.first_frame import PLACEHOLDER
from recall_tui.tui.gap_words import joined
from recall_tui.tui.keymap import Keymap, Scope, bindings
from recall_tui.tui.listings import SessionListing
from recall_tui.tui.screens.asking import Asking
from recall_tui.tui.widgets.activity import Activity
from recall_tui.tui.widgets.notice import Notice
from recall_tui.tui.widgets.result_list import ResultList, SessionList
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
    from textual.widget import Widget

    from recall_tui.history import History
    from recall_tui.model import Session
    from recall_tui.tui.arrangement import Arrangement
    from recall_tui.tui.health import Known
    from recall_tui.tui.query import Switches

PREVIEW_S: Final = 0.04
"""The session under the cursor opens this long after the cursor came to rest."""

TALL_ROWS: Final = 36
"""From here the list can spare three rows for the activity of the last days."""

QUESTION: Final = "ask in your own words"
"""In the empty box, in recall mode."""

AGES_S: Final = 30.0
"""Ages in the list are drawn again this often."""

NARROW_CELLS: Final = 100
"""Below this the list and the session take turns."""


class MainScreen(Asking):
    """Browse with an empty box, hits with a query; the transcript of whichever row is selected."""

    AUTO_FOCUS = "#query"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.MAIN)]

    def __init__(
        self,
        history: History,
        *,
        keymap: Keymap,
        now_ms: Callable[[], int],
        zone: tzinfo,
        home: str,
        zone_name: str = "UTC",
        demo: bool = False,
        syncing: bool = False,
        kept_in: str = "",
    ) -> None:
        super().__init__(history, now_ms=now_ms, zone=zone, zone_name=zone_name, syncing=syncing)
        self.VERTICAL_BREAKPOINTS = [(0, "-low"), (TALL_ROWS, "-tall")]
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (NARROW_CELLS, "-normal"), (160, "-wide")]
        self._keymap = keymap
        self._home = home
        self._demo = demo
        self._watched_home = "" if demo else home
        self._kept_in = kept_in
        self._kept = kept.read(kept_in) if kept_in else kept.Kept()
        self._search.switches, self._arrangement, _ = self._kept
        self._theme = ""
        self._preview: Timer | None = None
        self.suggester = FilterSuggester(lambda: self._everything)

    def compose(self) -> ComposeResult:
        """Lay the screen out."""
        with Horizontal(id="top"):
            yield Row(fits=True, id="brand")
            yield SearchBox(
                id="query", compact=True, placeholder=PLACEHOLDER,
                suggester=self.suggester,
            )  # fmt: skip
            yield Row(fits=True, id="switches")
            yield Row(id="status")
        yield Row(id="count")
        yield Row(id="banner")
        with Horizontal(id="panes"):
            with Vertical(id="list-pane"):
                yield SessionList(self._now_ms, id="results")
                yield Notice(id="empty")
                yield Activity(self._now_ms, self._zone, id="activity")
                yield Row(id="programs")
            yield SessionPane(
                self._history, now_ms=self._now_ms, zone=self._zone, home=self._home,
                id="session-pane",
            )  # fmt: skip
        yield Row(id="keys")

    # Children, by role

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
        self._theme = self.app.theme
        self.row("brand").show(*bars.BRAND)
        self.pane.switches = self._search.switches
        self._show_rows()
        self.call_after_refresh(self._load_sessions)
        self.call_after_refresh(self._recollect)
        self.set_interval(AGES_S, self._show_ages)

    def _show_ages(self) -> None:
        """Draw again what grows old by itself."""
        self.results.redraw()
        self._show_banner()

    @on(events.DescendantFocus)
    @on(events.ScreenResume)
    def _name_keys(self) -> None:
        """The footer names the keys that work where the focus is."""
        self._show_keys()

    def watch_focused(self) -> None:
        """Keep keys going somewhere: what had the focus may be hidden by an answer or a resize."""
        if self.focused is None:
            self.call_after_refresh(self._focus_something)

    def _focus_something(self) -> None:
        # Textual itself takes the focus away while the terminal's window has none.
        if self.focused is None and self.is_running and self.app.app_focus:
            places: tuple[Widget, ...] = (self.box, self.transcript, self.results)
            self.set_focus(next((place for place in places if place.focusable), None))

    def on_resize(self) -> None:
        """What the rows have room for depends on the width."""
        self.call_after_refresh(self._show_rows)

    def on_unmount(self) -> None:
        """Keep how a person looks at things, when that has changed."""
        chosen = self.app.theme if self.app.theme != self._theme else self._kept.theme
        now = kept.Kept(self._search.switches, self._arrangement, chosen)
        if self._kept_in and now != self._kept:
            kept.write(self._kept_in, now)

    # The list

    def _browse(self) -> None:
        """List the sessions themselves, those the filters admit."""
        if self._sessions is not None:
            listing = SessionListing(
                self._sessions, self._now_ms(), self._zone, self._arrangement, self._open_ended,
                pins=self._pins,
            )  # fmt: skip
            self._show_list(listing)
            self._show_empty()
            self._show_count()

    def _show_named(self, sessions: list[Session], position: int) -> None:
        listing = SessionListing(sessions, self._now_ms(), self._zone, position=position)
        self._show_list(listing, keep=False)
        self._show_empty()

    def _statuses_changed(self) -> None:
        listing = self.results.listing
        if isinstance(listing, SessionListing):
            listing.open_ended = self._open_ended
            self.results.redraw()

    def action_cycle_order(self) -> None:
        """List what is newest, largest, longest first, or by title."""
        self._arrange(self._arrangement._replace(order=after(self._arrangement.order)))

    def action_cycle_group(self) -> None:
        """Group the list by day, project or harness."""
        self._arrange(self._arrangement._replace(group=after(self._arrangement.group)))

    def _arrange(self, how: Arrangement) -> None:
        self._arrangement = how
        if self._search.rows is None and not self._search.named:
            self._browse()
        self._show_count()

    def _make_move(self, move: SearchBox.Move) -> None:
        older = self.past.older(self.box.value) if move.by < 0 else None
        if move.pages:
            self.results.action_page(move.by)
        elif move.by > 0 and self._search.rows:
            self._note_asked()
            self.results.action_move(move.by)
        elif older is not None and self.results.cursor <= 0:
            self.use_search(older)
        else:
            self.results.action_move(move.by)

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
            self.pane.show_why("")
            return
        session, position = chosen
        listing = self.results.listing
        self.pane.show_why(listing.why(self.results.cursor) if listing else "")
        query = self._search.inside if self.results.listing is self._search.rows else None
        self.transcript.open(session, at=position, query=query)

    def _chosen(self) -> tuple[Session, int] | None:
        """Return the session under the cursor and the position to open it at."""
        row, listing = self.results.cursor, self.results.listing
        return listing.target(row) if listing and 0 <= row < len(listing) else None

    def action_ask(self, deed: str) -> None:
        """Have something done with the selected sessions, or the one under the cursor."""
        if self.results.marked and Deed(deed) in OF_MANY:
            sessions = list(self.results.marked.values())
            self.post_message(AskedOfMany(Deed(deed), sessions))
        elif (chosen := self._chosen()) is not None:
            self.post_message(Asked(Deed(deed), *chosen))

    @on(ResultList.Opened)
    def _row_opened(self, event: ResultList.Opened) -> None:
        event.stop()
        self.action_open()

    def action_open(self) -> None:
        """Give the session under the cursor the keys, at once: the next one is for it already.

        A search that was just typed is still on its way then; what it finds opens there. With
        nothing in the list the keys stay: what stands in its place says which help.
        """
        if self._chosen() is not None:
            self._preview_row()
            self._note_asked()
        elif not self._awaited:
            return
        self.add_class("-reading")
        self.set_focus(self.transcript)

    @on(ResultList.Marked)
    def _marked(self, event: ResultList.Marked) -> None:
        event.stop()
        self._show_count()

    @on(ResultList.Copied)
    def _copy_row(self, event: ResultList.Copied) -> None:
        event.stop()
        listing = self.results.listing
        if listing is not None and 0 <= event.row < len(listing):
            self._copy(*listing.copied(event.row))

    def action_search(self) -> None:
        """Go to the search box."""
        self.remove_class("-reading", "-solo")
        self.set_focus(self.box)

    @on(SearchBox.Peeled)
    def _peeled(self, event: SearchBox.Peeled) -> None:
        event.stop()
        self.remove_class("-reading", "-solo")

    # The session

    def _session_grew(self, sessions: list[Session]) -> None:
        shown = self.transcript.session
        now = next((s for s in sessions if shown and s.key == shown.key), None)
        if shown and now and now.messages != shown.messages:
            self.transcript.grown(now)

    def _switch(self, switches: Switches) -> None:
        self.pane.switches = switches
        super()._switch(switches)

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

    @on(Transcript.Opened)
    def _session_opened(self, event: Transcript.Opened) -> None:
        event.stop()
        self._show_keys()

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

    def known(self) -> Known:
        """Return how far the history was read, as of now."""
        from recall_tui.tui.health import Known

        gaps = joined(self._coverage.gaps, self._search.gaps)
        return Known(gaps, self._coverage, self._now_ms())

    # Rows

    def _show_rows(self) -> None:
        narrow = self.size.width < NARROW_CELLS
        self.set_class(self._search.recalling, "-recall")
        self.box.placeholder = QUESTION if self._search.recalling else PLACEHOLDER
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
        listed = self.results.listing if self._search.named else self._sessions
        sessions = len(listed or ())
        if self.results.marked:
            self.row("count").show(*bars.selected(len(self.results.marked), self._keymap))
            return
        bar = bars.count(
            self._search, sessions=sessions, patient=self._patient, how=self._arrangement,
            keymap=self._keymap, width=self.size.width,
            offers=self.suggester.offers(self.box.value),
        )  # fmt: skip
        self.row("count").show(*bar)

    def _show_banner(self) -> None:
        rest = bars.mistake(self._search.error, self.size.width)[1:]
        if rest or self._search.error == self._coverage.fault != "":
            self.row("banner").show(*(rest[0] if rest else bars.Bar()))
        elif self._sessions is not None or self._coverage.syncing or self._coverage.fault:
            key = self._keymap.shown("gaps")
            banner = bars.banner(self._coverage, self._search.gaps, key, self._now_ms())
            self.row("banner").show(*banner)

    @property
    def _scopes(self) -> tuple[Scope, ...]:
        """The keys that work where the focus is, for the footer."""
        places = {
            "transcript": (Scope.SESSION,), "find": (Scope.FIND,),
            "results": (Scope.ROWS, Scope.LIST),
        }  # fmt: skip
        return places.get((self.focused and self.focused.id) or "", (Scope.BOX,))

    def _show_keys(self) -> None:
        idle = {"session.materials" if self.transcript.hits else "session.next_hit"}
        if not self.box.value:
            idle.add("box.clear")
        if self.has_class("-empty"):
            idle |= {"box.open", "box.down"}
        self.row("keys").show(*bars.keys(self._keymap, *self._scopes, idle=idle))

    def _show_empty(self) -> None:
        """Say what was looked for, when the list is empty."""
        empty = not (self.results.listing and len(self.results.listing))
        self.set_class(empty, "-empty")
        # Beside a search that found nothing the pane stays; where nothing can be found it is noise.
        self.set_class(empty and not (self._search.asked and self._everything), "-blank")
        if empty:
            words = notices.empty(
                self._search, self._coverage, self._keymap, self._home,
                among=self._search.searched if self._search.question.pattern
                else len(self._sessions or ()),
            )  # fmt: skip
            self.query_one("#empty", Notice).show(words)
        self._show_keys()
