"""The reason of a passage: whole parts in the list, all of it beside the session."""

from __future__ import annotations

from rich.cells import cell_len

from recall_tui.tui.recall_listing import RecallListing, _fitting
from recall_tui.tui.widgets.reason import Reason
from tests.tui.conftest import make
from tests.tui.driving import main_of, rested, results_of, type_text, until

REASON = "5 of 6 words · you, agent ×5 · weighed ½ · subagent"


def test_parts_are_whole_or_not_there() -> None:
    for cells in range(8, 70):
        shown = _fitting(REASON, cells)
        assert cell_len(shown) <= cells
        parts = shown.removesuffix(" …").split(" · ")
        if cells > 16:
            assert parts == REASON.split(" · ")[: len(parts)]
    assert _fitting(REASON, cell_len(REASON)) == REASON


async def test_all_of_it_stands_beside_the_list_and_goes_with_it() -> None:
    async with make().run_test(size=(120, 40)) as pilot:
        await rested(pilot)
        await pilot.press("ctrl+t")
        await type_text(pilot, "how big is the context window")
        listing = results_of(pilot).listing
        assert isinstance(listing, RecallListing)
        pane = main_of(pilot).pane
        assert pane.query_one(Reason).text == listing.why(results_of(pilot).cursor) != ""
        assert pane.has_class("-why")
        await pilot.press("escape")
        await rested(pilot)
        await until(pilot, lambda: not pane.has_class("-why"))
