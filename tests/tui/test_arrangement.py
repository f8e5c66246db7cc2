"""What the list is arranged by: pins on top of every order, each session once."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from recall_tui.tui import notation
from recall_tui.tui.arrangement import Arrangement, Group, Order, arranged
from tests.tui.conftest import make
from tests.tui.driving import main_of, rested, results_of, until
from tests.tui.fake import NOW, UTC, FakeHistory

WIDE = (120, 40)


def test_pins_stand_on_top_of_every_order_and_nowhere_else() -> None:
    sessions = FakeHistory().sessions()
    pins = [sessions[3].key, sessions[1].key, "gone:long-ago"]
    for order in Order:
        for group in Group:
            rows, heads = arranged(sessions, Arrangement(order, group), NOW, UTC, pins)
            assert [row.key for row in rows[:2]] == pins[:2], "latest pin first"
            assert sorted(row.key for row in rows) == sorted(s.key for s in sessions)
            assert heads[0] == (0, "Pinned")
            assert heads[1][0] == 2, "what follows has a heading, or it would seem pinned, too"


@given(
    st.lists(st.integers(0, 400 * 86_400_000), max_size=40),
    st.sampled_from(["UTC", "Europe/Berlin", "America/Havana", "Asia/Kathmandu"]),
)
def test_each_day_begins_with_its_first_row(times: list[int], name: str) -> None:
    zone = ZoneInfo(name)
    seed = FakeHistory().sessions()[0]
    ended = sorted((NOW - time for time in times), reverse=True)
    sessions = [seed._replace(ended_ms=time) for time in ended]
    _, heads = arranged(sessions, Arrangement(), NOW, zone)
    today = notation.day_of(NOW, zone)
    days = [notation.day_words(notation.day_of(time, zone), today) for time in ended]
    assert heads == [(row, day) for row, day in enumerate(days) if day not in days[:row]]


def test_without_pins_nothing_is_said_of_them() -> None:
    sessions = FakeHistory().sessions()
    how = Arrangement(Order.SIZE)
    assert arranged(sessions, how, NOW, UTC, ["gone"]) == arranged(sessions, how, NOW, UTC)


async def test_a_pinned_session_moves_up_and_the_cursor_with_it() -> None:
    async with make().run_test(size=WIDE) as pilot:
        await rested(pilot)
        results = results_of(pilot)
        results.focus()
        await pilot.press("down", "down")
        chosen = results.listing.key(results.cursor)
        await pilot.press("p")
        await until(pilot, lambda: results.listing.heads[0] == (0, "Pinned"))
        await rested(pilot)
        assert results.listing.key(0) == chosen
        assert results.listing.key(results.cursor) == chosen
        assert main_of(pilot).transcript.session.key == chosen
