"""How much there is: sessions, prompts, tools, tokens and cost, by harness, project, model, day."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from rich.text import Text
from textual.message import Message as Event
from textual.widgets import DataTable

from recall_tui.errors import RecallError
from recall_tui.model import SessionKind
from recall_tui.tui import bars, notation
from recall_tui.tui.keymap import Scope, bindings
from recall_tui.tui.lines import clean, cut
from recall_tui.tui.screens.leaving import LeftOnce
from recall_tui.tui.statistics import Statistics, statistics
from recall_tui.tui.widgets.activity import Activity
from recall_tui.tui.widgets.row import Part, Row

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from recall_tui.model import Session
    from recall_tui.tui.screens.reading import Services
    from recall_tui.tui.statistics import Sum

_WAYS: Final = ("harness", "project", "model", "day")
_COLUMNS: Final = ("sessions", "prompts", "messages", "tools", "failed", "tokens", "cost")
_NUMBER_CELLS: Final = 9
_NAME_CELLS: Final = (14, 40)
"""Least and most cells of a name; between them it takes what the numbers leave."""
_HIGH_ROWS: Final = 20
"""Below this the table has the room of the thirty days."""
_MOST_ROWS: Final = 500
"""Rows of a table; the rest is named."""


class StatisticsScreen(LeftOnce[None]):
    """Totals, thirty days, and one table at a time."""

    AUTO_FOCUS = "#stats-table"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.STATS)]

    @dataclass
    class _Counted(Event):
        sessions: list[Session]
        sums: Statistics

    @dataclass
    class _Failed(Event):
        words: str

    def __init__(self, services: Services) -> None:
        super().__init__()
        self.VERTICAL_BREAKPOINTS = [(0, "-low"), (_HIGH_ROWS, "-high")]
        self._services = services
        self._sums: Statistics | None = None
        self._way = 0

    def compose(self) -> ComposeResult:
        """Lay the screen out."""
        yield Row(id="stats-head")
        yield Row(id="stats-total")
        yield Row(id="stats-spent")
        yield Activity(self._services.now_ms, self._services.zone, id="stats-days")
        yield Row(id="stats-ways")
        yield DataTable(id="stats-table", cursor_type="row", cell_padding=0)
        yield Row(id="keys")

    def on_mount(self) -> None:
        """Count in a thread."""
        self.query_one("#stats-head", Row).show([Part(" Statistics", "heading")])
        self.query_one("#stats-total", Row).show([Part(" counting…", "muted")])
        self.query_one("#keys", Row).show(*bars.keys(self._services.keymap, Scope.STATS))
        self.run_worker(
            partial(self._count_in_thread), thread=True, group="stats", exclusive=True,
            exit_on_error=False, description="count sessions",
        )  # fmt: skip

    def _count_in_thread(self) -> None:
        try:
            sessions = self._services.history.sessions()
        except RecallError as error:
            self.post_message(self._Failed(str(error)))
            return
        self.post_message(self._Counted(sessions, statistics(sessions, self._services.zone)))

    def on_statistics_screen__failed(self, event: _Failed) -> None:
        """Say why there are no numbers."""
        event.stop()
        self.query_one("#stats-total", Row).show([Part(f" {event.words}", "warning")])

    def on_statistics_screen__counted(self, event: _Counted) -> None:
        """Show the numbers."""
        event.stop()
        self._sums = event.sums
        mains = [one for one in event.sessions if one.kind is not SessionKind.SUBAGENT]
        self.query_one(Activity).show(mains)
        total = event.sums.total
        subagents = event.sums.count - total.sessions
        words = [
            notation.counted(total.sessions, "session"),
            *([notation.counted(subagents, "subagent")] if subagents else []),
            notation.counted(total.prompts, "prompt"),
            notation.counted(total.messages, "message"),
            notation.counted(total.tools, "tool call"),
        ]
        self.query_one("#stats-total", Row).show([Part(" " + " · ".join(words), "strong")])
        self.query_one("#stats-spent", Row).show([Part(f" {_spent(event.sums)}", "muted")])
        self._show()

    def _show(self) -> None:
        """Fill the table for the way sessions are grouped."""
        sums = self._sums
        if sums is None:
            return
        parts = [Part(" by ", "muted")]
        for index, way in enumerate(_WAYS):
            ink = "here" if index == self._way else "dim"
            parts += [Part(way, ink, f"way({index})"), Part("   ")]
        self.query_one("#stats-ways", Row).show(parts)
        table = self.query_one(DataTable)
        table.clear(columns=True)
        least, most = _NAME_CELLS
        room = self.size.width - _NUMBER_CELLS * len(_COLUMNS) - 3
        width = max(least, min(most, room))
        table.add_column(f" {_WAYS[self._way]}", width=width)
        for name in _COLUMNS:
            table.add_column(name.rjust(_NUMBER_CELLS), width=_NUMBER_CELLS)
        rows = sums.by[_WAYS[self._way]]
        for one in rows[:_MOST_ROWS]:
            # As a Text: a name in brackets is no markup.
            shown = Text(" " + cut(clean(one.name), width - 1))
            table.add_row(shown, *_cells(one))
        if len(rows) > _MOST_ROWS:
            table.add_row(f"… {len(rows) - _MOST_ROWS:,} more")

    def on_resize(self) -> None:
        """Give the names the room there is."""
        self._show()

    def action_way(self, way: int) -> None:
        """Group by another thing."""
        self._way = way % len(_WAYS)
        self._show()

    def action_turn(self, by: int) -> None:
        """Group by the next or the previous thing."""
        self.action_way(self._way + by)

    def action_close(self) -> None:
        """Leave."""
        self.dismiss(None)


def _cells(one: Sum) -> list[str]:
    tokens = one.tokens_in + one.tokens_out
    numbers = (one.sessions, one.prompts, one.messages, one.tools, one.errors)
    return [
        *((f"{number:,}" if number else "·").rjust(_NUMBER_CELLS) for number in numbers),
        (short(tokens) if tokens else "·").rjust(_NUMBER_CELLS),
        (f"${one.cost_usd:,.2f}" if one.cost_usd else "·").rjust(_NUMBER_CELLS),
    ]


def _spent(sums: Statistics) -> str:
    """Return tokens and cost, and how many sessions say theirs: the others are not zero."""
    total = sums.total
    if not sums.with_tokens and not sums.with_cost:
        none = "Nothing to count: no agent sessions were found."
        return "No program recorded tokens or cost." if sums.count else none
    words = []
    if sums.with_tokens:
        words.append(
            f"{short(total.tokens_in)} tokens in, {short(total.tokens_out)} out "
            f"({sums.with_tokens:,} of {sums.count:,} record them)"
        )
    if sums.with_cost:
        words.append(f"${total.cost_usd:,.2f} ({sums.with_cost:,} of {sums.count:,})")
    return " · ".join(words)


def short(count: int) -> str:
    """Return a large number: `812`, `4.1k`, `31M`."""
    value = float(count)
    for unit in ("", "k", "M"):
        if value < 999.5:
            return f"{value:.0f}{unit}" if value >= 9.95 or not unit else f"{value:.1f}{unit}"
        value /= 1000
    return f"{value:,.1f}G"
