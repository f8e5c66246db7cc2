"""The session beside the list: its head, its transcript, the box to find something inside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.containers import Vertical
from textual.widgets import Input

from recall_tui.tui import bars
from recall_tui.tui.query import Question, Switches
from recall_tui.tui.searching import PAGE_HITS
from recall_tui.tui.widgets.reason import Reason
from recall_tui.tui.widgets.row import Row
from recall_tui.tui.widgets.search_box import FindBox
from recall_tui.tui.widgets.transcript import Transcript

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo

    from textual.app import ComposeResult

    from recall_tui.history import History


class SessionPane(Vertical):
    """A transcript under two lines that say whose it is and where in it one reads.

    Attributes:
        switches: How find compares letters: those of the search box.
    """

    def __init__(
        self,
        history: History,
        *,
        now_ms: Callable[[], int],
        zone: tzinfo,
        home: str,
        id: str,  # noqa: A002 - Textual's name for it
    ) -> None:
        super().__init__(id=id)
        self._history = history
        self._now_ms = now_ms
        self._zone = zone
        self._home = home
        self.switches = Switches()

    def compose(self) -> ComposeResult:
        """Lay the pane out."""
        yield Row(id="head")
        yield Row(id="facts")
        yield Reason(id="why")
        yield Transcript(self._history, self._zone, id="transcript")
        yield FindBox(id="find", compact=True, placeholder="find in this session")

    @property
    def transcript(self) -> Transcript:
        """The transcript itself."""
        return self.query_one("#transcript", Transcript)

    def show_head(self) -> None:
        """Say which session this is, and where in it the current message stands."""
        transcript, session = self.transcript, self.transcript.session
        head = facts = bars.Bar()
        if session is not None:
            head = bars.head(
                session, hits=len(transcript.hits), number=transcript.hit_number,
                finding=self.has_class("-finding") and bool(self.query_one("#find", FindBox).value),
            )  # fmt: skip
            facts = bars.facts(
                session, position=transcript.cursor, now_ms=self._now_ms(), home=self._home
            )
        self.query_one("#head", Row).show(*head)
        self.query_one("#facts", Row).show(*facts)

    def show_why(self, text: str) -> None:
        """Say why the passage in view was chosen; nothing for what was not."""
        self.set_class(bool(text), "-why")
        self.query_one("#why", Reason).show(text)

    @on(Transcript.Opened)
    @on(Transcript.Moved)
    def _moved(self) -> None:
        self.show_head()

    def show_find(self) -> FindBox:
        """Show the find box and return it, for the screen to give it the focus."""
        self.add_class("-finding")
        return self.query_one("#find", FindBox)

    @on(Input.Changed, "#find")
    def _find(self, event: Input.Changed) -> None:
        event.stop()
        if self.has_class("-finding"):
            self.transcript.find_inside(Question(event.value).grep(self.switches, PAGE_HITS))

    @on(FindBox.Step)
    def _step(self, event: FindBox.Step) -> None:
        event.stop()
        self.transcript.action_hit(event.by)

    @on(FindBox.Closed)
    def _close_find(self, event: FindBox.Closed) -> None:
        event.stop()
        self.remove_class("-finding")
        self.transcript.stop_finding()
        self.transcript.focus()
