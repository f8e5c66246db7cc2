"""What a key may cost, in counts and ratios: a shared machine's clock is no evidence."""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING

import pytest

from recall_tui.tui import notation
from recall_tui.tui.hit_listing import HitListing
from recall_tui.tui.listings import Listing, SessionListing
from recall_tui.tui.messages import StoreChanged
from recall_tui.tui.screens import asking
from recall_tui.tui.widgets.result_list import ResultList
from recall_tui.tui.widgets.transcript import Transcript
from tests.ratios import ROUNDS
from tests.tui.driving import main_of, rested, results_of, transcript_of, type_text
from tests.tui.fake import NOW, FakeHistory, Talk, big_talk, many_sessions

if TYPE_CHECKING:
    from collections.abc import Callable

    from recall_tui.tui.app import RecallApp

SIZE = (120, 40)


class Calls:
    """Counts the calls of a widget's `render_line`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, widget: type) -> None:
        self.count = 0
        real = widget.render_line

        def counting(own, y):
            self.count += 1
            return real(own, y)

        monkeypatch.setattr(widget, "render_line", counting)


@pytest.fixture(scope="module")
def large() -> FakeHistory:
    """A hundred thousand sessions, made once."""
    history = FakeHistory([], [])
    seed = FakeHistory(many_sessions(1), [])._sessions[0]

    history._sessions = [
        seed._replace(id=n, key=f"codex:{n}", title=f"session {n}", ended_ms=NOW - n * 600_000)
        for n in range(100_000)
    ]
    history._messages = dict.fromkeys(
        (s.key for s in history._sessions),
        next(iter(FakeHistory(many_sessions(1))._messages.values())),
    )
    return history


async def test_a_cursor_key_draws_two_rows(
    make_app: Callable[..., RecallApp], large: FakeHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(large)
    async with app.run_test(size=SIZE) as pilot:
        await rested(pilot)
        await pilot.press("tab")
        await rested(pilot)
        calls = Calls(monkeypatch, ResultList)
        await pilot.press("down")
        await pilot.pause()
        assert calls.count <= 2 * Listing.row_lines
        calls.count = 0
        await pilot.press("pagedown")
        await pilot.pause()
        assert calls.count <= results_of(pilot).size.height + 2 * Listing.row_lines


async def test_a_letter_draws_the_box_alone(
    make_app: Callable[..., RecallApp], large: FakeHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "SETTLE_S", 60)
    app = make_app(large)
    async with app.run_test(size=SIZE) as pilot:
        await rested(pilot)
        calls = [Calls(monkeypatch, widget) for widget in (ResultList, Transcript)]
        await pilot.press(*"zq")
        await pilot.pause()
        assert main_of(pilot).box.value == "zq"
        assert [one.count for one in calls] == [0, 0]


async def test_a_word_typed_and_taken_back_reads_no_list_of_sessions(
    make_app: Callable[..., RecallApp], large: FakeHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(large)
    async with app.run_test(size=SIZE) as pilot:
        await rested(pilot)
        read: list[object] = []
        monkeypatch.setattr(large, "sessions", lambda *words, **more: read.append(words) or [])
        await type_text(pilot, "zq")
        await pilot.press("ctrl+u")
        await rested(pilot)
        assert len(results_of(pilot).listing or ()) == 100_000
        assert read == []


async def test_a_list_that_takes_long_to_read_is_read_again_less_often(
    make_app: Callable[..., RecallApp],
) -> None:
    app = make_app(FakeHistory(many_sessions(3), []))
    async with app.run_test(size=SIZE) as pilot:
        await rested(pilot)
        main = main_of(pilot)
        waits = []
        for took_s in (0.01, 2.0):
            main._took_s, main._refresh_due = took_s, None
            main.on_store_changed(StoreChanged(99))
            waits.append(main._refresh_due._interval)
            main._refresh_due.stop()
        assert waits == [1.0, 8.0], "at most a fifth of the time"


async def test_the_number_of_widgets_does_not_depend_on_the_number_of_rows(
    make_app: Callable[..., RecallApp], large: FakeHistory
) -> None:
    app = make_app(large)
    async with app.run_test(size=SIZE) as pilot:
        await rested(pilot)
        assert len(results_of(pilot).listing or ()) == 100_000
        assert len(main_of(pilot).walk_children()) < 60


def test_a_listing_is_made_by_looking_at_few_of_its_rows(
    large: FakeHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    from datetime import UTC

    looks = 0
    real = notation.day_of

    def counting(time_ms, zone):
        nonlocal looks
        looks += 1
        return real(time_ms, zone)

    monkeypatch.setattr(notation, "day_of", counting)
    listing = SessionListing(large._sessions, NOW, UTC)
    days = len(listing.heads)
    assert days == 695
    assert looks <= days * 20, "a bisection a day"
    for group, (row, _) in enumerate(listing.heads[:50]):
        assert listing.locate(listing.top(row) - 1) == (group, -1)
        assert listing.locate(listing.top(row)) == (row, 0)
        assert listing.locate(listing.top(row) + 1) == (row, 1)


async def test_showing_100k_rows_costs_what_1k_do(
    make_app: Callable[..., RecallApp], large: FakeHistory
) -> None:
    hits = FakeHistory(many_sessions(1), [])
    (update,) = [u for u in hits.grep(_query()) if u.done]
    hit = update.hits[0]
    app = make_app(FakeHistory())
    async with app.run_test(size=SIZE) as pilot:
        await rested(pilot)
        results = results_of(pilot)

        async def cost(rows: int) -> float:
            listing = HitListing([hit] * rows)
            best = 9.0
            for _ in range(2):
                gc.collect()
                start = time.process_time()
                results.show(listing, keep=False)
                await pilot.pause()
                for _ in range(10):
                    results.action_page(1)
                    await pilot.pause()
                best = min(best, time.process_time() - start)
            return best

        for _ in range(ROUNDS):
            if await cost(100_000) < 2 * await cost(1000):
                return
        raise AssertionError("never less than twice as long")


def _query():
    from recall_tui.search.results import GrepQuery

    return GrepQuery("needle")


async def test_a_key_in_a_long_session_draws_only_what_changed(
    make_app: Callable[..., RecallApp], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(FakeHistory([big_talk(20_000)], []))
    async with app.run_test(size=SIZE) as pilot:
        await rested(pilot)
        await pilot.press("enter", "g")
        await rested(pilot)
        calls = Calls(monkeypatch, Transcript)
        await pilot.press("down")
        await pilot.pause()
        assert calls.count <= 12, "two short messages"
        calls.count = 0
        await pilot.press("G")
        await rested(pilot)
        assert calls.count <= 6 * transcript_of(pilot).size.height


async def test_only_a_window_of_a_long_session_is_kept(
    make_app: Callable[..., RecallApp],
) -> None:
    app = make_app(FakeHistory([big_talk(20_000)], []))
    async with app.run_test(size=(80, 16)) as pilot:
        await rested(pilot)
        await pilot.press("enter")
        transcript = transcript_of(pilot)
        for position in range(0, 20_000, 330):
            transcript.go_to(position)
            await pilot.pause()
        await rested(pilot)
        assert len(transcript._pages) <= 48
        assert len(transcript._strips) <= 600


async def test_opening_and_closing_screens_leaves_nothing_behind(
    make_app: Callable[..., RecallApp],
) -> None:
    app = make_app(FakeHistory([Talk("pi", "t", "p", NOW).you("x")], []))
    async with app.run_test(size=SIZE) as pilot:
        await rested(pilot)

        async def around() -> None:
            await pilot.press("alt+g", "escape", "f1", "escape")

        await around()
        before = len(list(app.screen.walk_children())) + len(app._registry)
        for _ in range(4):
            await around()
        gc.collect()
        assert len(list(app.screen.walk_children())) + len(app._registry) <= before
