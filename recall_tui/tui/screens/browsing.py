"""What is known of the history: its sessions, how far they were read, what a sync is doing."""

from __future__ import annotations

from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Final

from textual.worker import get_current_worker

from recall_tui.model import Filter, Reach
from recall_tui.tui import bars
from recall_tui.tui.bars import Coverage
from recall_tui.tui.faults import TellsFaults
from recall_tui.tui.messages import RetentionRead
from recall_tui.tui.screens.steady import SteadyScreen
from recall_tui.tui.searching import Search, read_ends, read_sessions
from recall_tui.tui.widgets.activity import Activity
from recall_tui.tui.widgets.row import Row

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.timer import Timer

    from recall_tui.history import History
    from recall_tui.model import Gap, Session
    from recall_tui.search.sessions import Titles
    from recall_tui.tui.messages import (
        EndsRead,
        SessionsLoaded,
        StoreChanged,
        SyncEnded,
        SyncReported,
        WorkFailed,
    )

REFRESH_S: Final = 1.0
"""The list is read again at most this often while a sync commits, ..."""

REFRESH_SHARE: Final = 5
"""... and for at most one part of this many of the time: of 100,000 sessions it takes a second."""

FIRST_REFRESH_S: Final = 0.1
"""While the list is empty it is read again sooner."""


class Browsing(TellsFaults, SteadyScreen[None]):
    """The sessions the box's filters admit, kept as fresh as the store. Draws nothing itself.

    Args:
        history: What is browsed.
        now_ms: The clock.
        zone: Name of the zone days are meant in.
        syncing: A sync is on its way.
    """

    def __init__(
        self, history: History, *, now_ms: Callable[[], int], zone: str, syncing: bool
    ) -> None:
        super().__init__()
        self._now_ms = now_ms
        self._history = history
        self._search = Search(zone)
        self._sessions: list[Session] | None = None
        self._everything: list[Session] = []
        self._titles: Titles | None = None
        self._shown_version: int | None = None
        self._store_version: int | None = None
        self._coverage = Coverage(Reach(), reading=syncing)
        self._open_ended: set[str] = set()
        self._pins: list[str] = []
        self._soon_deleted: list[Gap] | None = None
        """What an agent program will delete soon; None: nobody looked."""
        self._watched_home = ""
        """Where agent programs keep their settings, empty to leave them alone."""
        self._refresh_due: Timer | None = None
        self._asked_s = self._took_s = 0.0
        """When the list was last asked for, and how long it then took."""

    # What the screen over this draws

    def _show_rows(self) -> None:
        """Draw every one-line row again."""
        raise NotImplementedError

    def _browse(self) -> None:
        """List the sessions."""
        raise NotImplementedError

    def _show_empty(self) -> None:
        """Say why nothing is listed, when nothing is."""
        raise NotImplementedError

    def _session_grew(self, sessions: list[Session]) -> None:
        """Take note of sessions that may have grown."""
        raise NotImplementedError

    def _statuses_changed(self) -> None:
        """Draw which sessions were interrupted."""
        raise NotImplementedError

    def _ask_again(self) -> None:
        """Ask the question in the box again, because the store changed."""
        raise NotImplementedError

    # Sessions

    def _load_sessions(self) -> None:
        self._asked_s = monotonic()
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
        self._took_s = monotonic() - self._asked_s
        if event.chosen == Filter():
            self._everything = event.sessions
            self.query_one(Activity).show(event.sessions)
            row, programs = self.query_one("#programs", Row), bars.programs(event.sessions)
            row.show(*programs)
            row.set_class(not programs.left, "-alone")
            # Counted a moment apart: a sync may have come between.
            self._coverage.subagents = max(0, event.reach.sessions_total - len(event.sessions))
            from recall_tui.search.sessions import Titles

            self._titles = Titles(event.sessions)
        if event.chosen != self._search.question.chosen:
            return
        self._sessions = event.sessions
        self._coverage.fault = ""
        self._shown_version = event.version
        self._coverage.reach, self._coverage.as_of_ms = event.reach, self._now_ms()
        self._coverage.gaps = [*event.gaps, *(self._soon_deleted or ())]
        self._pins = event.pins
        self._session_grew(event.sessions)
        if not self._search.question.pattern:
            self._browse()
        self._show_rows()
        self._refresh_soon()

        self.run_worker(
            partial(self._ends_in_thread, event.sessions),
            thread=True, group="ends", exclusive=True, exit_on_error=False,
            description="read how sessions end",
        )  # fmt: skip

    def _ends_in_thread(self, sessions: list[Session]) -> None:
        worker = get_current_worker()
        read_ends(self._history, sessions, lambda: worker.is_cancelled, self.post_message)

    def _watch_retention(self) -> None:
        """Look once what an agent program will delete soon."""
        if self._watched_home and self._soon_deleted is None and self._everything:
            self._soon_deleted = []
            self.run_worker(
                partial(self._retention_in_thread, self._everything),
                thread=True, group="retention", exit_on_error=False, description="retention",
            )  # fmt: skip

    def _retention_in_thread(self, sessions: list[Session]) -> None:
        from recall_tui.tui.health import soon_deleted

        self.post_message(RetentionRead(soon_deleted(self._watched_home, sessions)))

    def on_retention_read(self, event: RetentionRead) -> None:
        """Say so in the banner, quietly: what Recall has read stays."""
        event.stop()
        self._soon_deleted = event.gaps
        self._coverage.gaps = [*self._coverage.gaps, *event.gaps]
        self._show_rows()

    def on_ends_read(self, event: EndsRead) -> None:
        """Keep which sessions were interrupted."""
        event.stop()
        if event.open_ended != self._open_ended:
            self._open_ended = event.open_ended
            self._statuses_changed()
        self._watch_retention()

    def on_store_changed(self, event: StoreChanged) -> None:
        """Note that there is something new."""
        event.stop()
        self._store_version = event.version
        self._refresh_soon()

    def _refresh_soon(self) -> None:
        """Read the list again when it is older than the store, but not all the time."""
        behind = self._store_version not in {None, self._shown_version}
        if behind and self._sessions is not None and self._refresh_due is None:
            wait = REFRESH_S if self._sessions else FIRST_REFRESH_S
            wait = max(wait, (REFRESH_SHARE - 1) * self._took_s)
            self._refresh_due = self.set_timer(wait, self.action_reload)

    def action_reload(self) -> None:
        """Read the list again now."""
        self._refresh_due = None
        self._load_sessions()
        if self._search.answered:
            self._ask_again()

    # Sync

    def on_sync_reported(self, event: SyncReported) -> None:
        """Show where the sync stands."""
        self._coverage.progress, self._coverage.live = event.progress, True
        self._coverage.note = ""
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
        if event.reason:
            self._load_sessions()
        self._show_rows()

    def on_work_failed(self, event: WorkFailed) -> None:
        """Say what went wrong."""
        event.stop()
        self._coverage.fault = event.words
        if self._sessions is None:
            self._show_empty()
        self._show_rows()
