"""The tour: the real app on the real demo; with `--assets` it writes the README's pictures."""

from __future__ import annotations

from datetime import UTC

import pytest

from recall_tui import clock
from recall_tui.history import History
from recall_tui.tui.app import RecallApp
from recall_tui.tui.recall_listing import RecallListing
from tests.conftest import REPOSITORY
from tests.tui.driving import main_of, rested, results_of, transcript_of, type_text

SIZE = (120, 34)


@pytest.fixture
def tour(home, request):
    """The app on the demo, and what keeps a picture of it."""
    history = History.open(demo=True)
    history.sync()
    app = RecallApp(history, now_ms=clock.now_ms, zone=UTC, home="/home/mira", demo=True)

    def keep(name: str) -> None:
        if request.config.getoption("--assets"):
            picture = app.export_screenshot(title="recall --demo")
            (REPOSITORY / "assets" / f"{name}.svg").write_text(picture, "utf-8")

    yield app, keep
    history.close()


async def test_browse_search_and_recall(tour) -> None:
    app, keep = tour
    async with app.run_test(size=SIZE) as pilot:
        await rested(pilot)
        assert len(results_of(pilot).listing) >= 10
        keep("browse")
        await type_text(pilot, "UTC")
        assert "hits in" in main_of(pilot).row("count").text
        assert transcript_of(pilot).session is not None
        keep("hits")
        await pilot.press("ctrl+u", "ctrl+t")
        await type_text(pilot, "why are times UTC inside")
        listing = results_of(pilot).listing
        assert isinstance(listing, RecallListing) and len(listing)
        keep("recall")
