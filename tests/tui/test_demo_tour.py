"""The tour: the real app on the real demo; with `--assets` it writes the README's pictures."""

from __future__ import annotations

from datetime import UTC

import pytest

from recall_tui import clock
from recall_tui.history import History
from recall_tui.tui.app import RecallApp
from recall_tui.tui.recall_listing import RecallListing
from recall_tui.tui.screens.health import HealthScreen
from recall_tui.tui.widgets.result_list import ResultList
from tests.conftest import REPOSITORY
from tests.tui.driving import main_of, rested, results_of, transcript_of, type_text, until

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


async def test_read_a_session_and_its_subagent(tour) -> None:
    app, keep = tour
    async with app.run_test(size=SIZE) as pilot:
        await rested(pilot)
        await pilot.press("down", "down", "enter", "g", "down", "down", "enter")
        transcript = transcript_of(pilot)
        await until(pilot, lambda: transcript._opening.heights[2] > 10)
        lines = [line.text for line in transcript._pages[0].lines[2]]
        assert any("▾ subagent Find naive datetimes" in line for line in lines)
        keep("session")


async def test_health(tour) -> None:
    app, _ = tour
    async with app.run_test(size=SIZE) as pilot:
        await rested(pilot)
        await pilot.press("alt+g")
        await until(pilot, lambda: isinstance(app.screen, HealthScreen))
        rows = app.screen.query_one(ResultList)
        await until(pilot, lambda: len(rows.listing) > 10)
        words = "\n".join(
            line.text for row in range(len(rows.listing)) for line in rows.listing.draw(row, 110, 0)
        )
        assert "11 sessions" in words and "5 found, 5 indexed" in words
        assert "not there yet" not in words, "the demo has an index of its own"
