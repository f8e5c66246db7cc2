"""Everything an answer may be missing, one by one, each with its next step."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual import on
from textual.binding import Binding

from recall_tui.tui import bars, notation
from recall_tui.tui.gap_words import LOUD, words
from recall_tui.tui.keymap import Keymap, Scope, bindings
from recall_tui.tui.lines import Line, clean, cut
from recall_tui.tui.listings import Listing
from recall_tui.tui.screens.leaving import LeftOnce
from recall_tui.tui.widgets.notice import Notice
from recall_tui.tui.widgets.result_list import ResultList
from recall_tui.tui.widgets.row import Part, Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from recall_tui.model import Gap, Reach


class GapListing(Listing):
    """Gaps, the ones that make answers partial first."""

    def __init__(self, gaps: Sequence[Gap], home: str) -> None:
        self._home = home
        self.gaps = sorted(gaps, key=lambda gap: gap.kind not in LOUD)
        loud = sum(gap.kind in LOUD for gap in self.gaps)
        heads = [(0, "Answers may miss something")] if loud else []
        if loud < len(self.gaps):
            heads.append((loud, "Good to know"))
        self._set_heads(heads)

    def __len__(self) -> int:
        return len(self.gaps)

    def key(self, row: int) -> str:
        """Return kind and place."""
        return f"{self.gaps[row].kind}:{self.gaps[row].where}:{row}"

    def draw(self, row: int, width: int, now_ms: int) -> tuple[Line, Line]:
        """Return what is missing; where, and what to do."""
        gap = self.gaps[row]
        sign, ink = ("⚠", "warning") if gap.kind in LOUD else ("·", "muted")
        head = words(gap.kind, max(1, gap.count))
        detail = cut(clean(gap.detail), max(0, width - cell_len(head) - 5))
        first = Line(((f"{sign} ", ink), (head, "title"), ("  ", ""), (detail, "muted")))
        action = clean(gap.action)
        second = [("  ", ""), ("→ ", "accent"), (cut(action, width - 4), "")] if action else []
        where = notation.short_path(clean(gap.where), self._home)
        room = width - sum(cell_len(text) for text, _ in second) - 3
        if where and room > 10:
            second += [("  ", ""), (cut(where, room), "dim")]
        return first, Line(tuple(second))


class GapsScreen(LeftOnce[None]):
    """The list behind the banner."""

    AUTO_FOCUS = "#gap-list"
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(Scope.GAPS),
        Binding("question_mark", "app.help", show=False),
    ]

    def __init__(self, gaps: Sequence[Gap], reach: Reach, keymap: Keymap, home: str) -> None:
        super().__init__()
        self._gaps = gaps
        self._reach = reach
        self._keymap = keymap
        self._home = home

    def compose(self) -> ComposeResult:
        """Lay the screen out."""
        yield Row(id="gap-head")
        yield Row(id="gap-reach")
        yield ResultList(lambda: 0, id="gap-list")
        yield Notice(id="gap-none")
        yield Row(id="keys")

    def on_mount(self) -> None:
        """Fill the rows."""
        reach = self._reach
        self.query_one("#gap-head", Row).show([Part(" What was read, and what was not", "heading")])
        facts = [
            notation.counted(reach.sources, "place"),
            notation.counted(reach.sessions_total, "session"),
        ]
        if reach.index_age_ms is not None:
            facts.append(f"compared {notation.span(reach.index_age_ms)} ago")
        self.query_one("#gap-reach", Row).show([Part(" " + " · ".join(facts), "muted")])
        listing = GapListing(self._gaps, self._home)
        self.set_class(not len(listing), "-empty")
        self.query_one(ResultList).show(listing)
        self.query_one(Notice).show(
            [
                [("Nothing is missing.", "title")],
                [("Every session that was found has been read to its end.", "muted")],
            ]
        )
        self.query_one("#keys", Row).show(*bars.keys(self._keymap, Scope.GAPS))

    @on(ResultList.Opened)
    def _opened(self, event: ResultList.Opened) -> None:
        event.stop()
        self.action_copy_action()

    def action_copy_action(self) -> None:
        """Copy the next step of the gap under the cursor."""
        listing = self.query_one(ResultList).listing
        row = self.query_one(ResultList).cursor
        if not isinstance(listing, GapListing) or not 0 <= row < len(listing):
            return
        gap = listing.gaps[row]
        text = gap.action or gap.where or gap.detail
        from recall_tui.tui.copying import copy_in_thread

        self.run_worker(
            partial(copy_in_thread, self.app, text, "next step"), thread=True, group="copy",
            exit_on_error=False, description="copy",
        )  # fmt: skip

    def action_open(self) -> None:
        """Do what enter does in the list."""
        self.action_copy_action()

    def action_search(self) -> None:
        """Leave, as escape does in the list."""
        self.dismiss()

    def action_close(self) -> None:
        """Leave."""
        self.dismiss()
