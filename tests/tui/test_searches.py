"""The comfort around the box: searches of before, completion, names, order, status, density."""

from __future__ import annotations

import threading
import time
from collections import Counter
from contextlib import closing
from datetime import UTC
from typing import TYPE_CHECKING

import pytest

from recall_tui.errors import StoreError
from recall_tui.harnesses import registry
from recall_tui.model import Gap, GapKind, Reach
from recall_tui.tui import arrangement, notices
from recall_tui.tui.arrangement import Arrangement, Group, Order
from recall_tui.tui.bars import Coverage
from recall_tui.tui.completion import FilterSuggester
from recall_tui.tui.hit_listing import HitListing
from recall_tui.tui.keymap import Keymap
from recall_tui.tui.listings import SessionListing, Status
from recall_tui.tui.matching import fit
from recall_tui.tui.narrowing import narrowed
from recall_tui.tui.past import Past
from recall_tui.tui.query import Question
from recall_tui.tui.screens.leaving import Palette
from recall_tui.tui.searching import Search
from recall_tui.tui.widgets.activity import Activity
from tests.tui.driving import main_of, rested, results_of, transcript_of, type_text, until
from tests.tui.fake import DAY, HOUR, MINUTE, NOW, FakeHistory, Talk, many_sessions

if TYPE_CHECKING:
    from collections.abc import Callable

    from recall_tui.tui.app import RecallApp

WIDE = (120, 40)


# ------------------------------------------------------------ searches of before


def test_stepping_back_begins_in_an_empty_box_and_ends_with_the_oldest() -> None:
    past = Past()
    past.asked = ["new", "old"]
    assert past.older("") == "new"
    assert past.older("new") == "old"
    assert past.older("old") is None
    assert past.older("something typed") is None
    assert past.note("old") and past.asked == ["old", "new"]
    assert not past.note("old") and not past.note("")


async def test_up_in_an_empty_box_brings_the_last_search_back(
    make_app: Callable[..., RecallApp],
) -> None:
    history = FakeHistory()
    history.past = ["context window", "harness:codex limits"]
    async with make_app(history).run_test(size=WIDE) as pilot:
        await rested(pilot)
        box = main_of(pilot).box
        await pilot.press("up")
        await rested(pilot)
        assert box.value == "context window"
        assert isinstance(results_of(pilot).listing, HitListing)
        await pilot.press("up")
        assert box.value == "harness:codex limits"
        await pilot.press("escape")
        await rested(pilot)
        await pilot.press("down", "up")
        await rested(pilot)
        assert box.value == "" and results_of(pilot).cursor == 0, "the list was not at its top"


async def test_what_was_opened_is_remembered(make_app: Callable[..., RecallApp]) -> None:
    history = FakeHistory()
    async with make_app(history).run_test(size=WIDE) as pilot:
        await rested(pilot)
        await type_text(pilot, "context")
        assert not history.past
        await pilot.press("enter")
        await until(pilot, lambda: history.past == ["context"], "the note")


async def test_searches_are_kept_and_found_again(make_app: Callable[..., RecallApp]) -> None:
    history = FakeHistory()
    history.past = ["an old one [/b]"]
    async with make_app(history).run_test(size=WIDE) as pilot:
        await rested(pilot)
        await type_text(pilot, "limits")
        await pilot.press("alt+s")
        await until(pilot, lambda: history.kept == {"limits"}, "the search kept")
        await pilot.press("ctrl+u", "ctrl+r")
        await pilot.pause(0.3)
        from textual.command import CommandList

        options = pilot.app.screen.query_one(CommandList)
        await until(pilot, lambda: options.option_count == 2, "both searches")
        await pilot.press(*"old", "enter")
        await pilot.pause(0.2)
        await pilot.press("enter") if pilot.app.screen is not main_of(pilot) else None
        await until(pilot, lambda: main_of(pilot).box.value == "an old one [/b]", "the old one")


def keeping(tmp_path, days: str) -> dict[str, str]:
    """An environment whose searches are remembered for some days."""
    home = str(tmp_path)
    return {"RECALL_HOME": home, "HOME": home, "RECALL_KEEP_SEARCHES_DAYS": days}


def test_searches_are_written_down_only_for_who_wants_it(tmp_path) -> None:
    """Q34: off by default; if on, bounded in days, and gone with any session that is forgotten."""
    from recall_tui.history import History

    def opened(days: str) -> History:
        return History.open([str(tmp_path)], keeping(tmp_path, days))

    with closing(opened("0")) as history:
        history.note_asked("where is the heron")
        assert history.asked() == []
    assert not any(b"heron" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    with closing(opened("30")) as history:
        history.note_asked("where is the heron")
        assert history.asked() == ["where is the heron"]
    with closing(opened("1e-9")) as history:
        assert history.asked() == []
    with closing(opened("30")) as history:
        history.note_asked("where is the heron")
        history._user.drop_session("claude:any")
        assert history.asked() == []


def test_no_credential_is_written_down(tmp_path) -> None:
    from recall_tui.history import History

    history = History.open([str(tmp_path)], keeping(tmp_path, "30"))
    key = "ghp_" + "x9ZkQ3vT7mB2nL8wR5pY1dF6gH4jK0sC9aE3"
    history.note_asked(f"who used {key}")
    assert not history.keep_search(key)
    history.note_asked("context window")
    assert history.keep_search("role:user")
    assert history.asked() == ["context window"] and history.searches() == ["role:user"]
    assert history.keep_search("role:user", on=False) and not history.searches()
    history.close()


# ------------------------------------------------------------ completion


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("har", "harness:"),
        ("x har", "x harness:"),
        ("ha", None),
        ("needle", None),
        ("harness:co", "harness:codex"),
        ("harness:pi,co", "harness:pi,codex"),
        ("role:us", "role:user"),
        ("cwd:sk", "cwd:skills"),
        ("model:gpt", "model:gpt-5.6"),
        ("since:", None),
        ("since:yes", "since:yesterday"),
        ("nofilter:x", None),
    ],
)
async def test_filters_are_completed_with_what_is_there(typed: str, completed: str | None) -> None:
    sessions = FakeHistory().sessions()
    assert await FilterSuggester(lambda: sessions).get_suggestion(typed) == completed


def test_a_filter_without_a_value_names_those_there_are() -> None:
    offers = FilterSuggester(FakeHistory().sessions).offers
    field, values = offers("needle harness:")
    assert field == "harness" and set(values) >= {"claude", "codex", "pi"}
    assert offers("role:") == ("role", ["user", "assistant", "tool", "system"])
    assert offers("harness:c") == offers("needle") == offers("") == ("", ())
    assert offers("nofilter:")[1] == []


async def test_what_a_filter_takes_stands_below_the_box(
    make_app: Callable[..., RecallApp],
) -> None:
    async with make_app().run_test(size=(120, 40)) as pilot:
        await type_text(pilot, "since:7d harness:")
        assert "harness: codex · claude" in main_of(pilot).row("count").text
        await type_text(pilot, "pi")
        assert "harness:" not in main_of(pilot).row("count").text


@pytest.mark.parametrize(
    ("query", "word", "narrowed_query"),
    [
        ("", "harness:pi", "harness:pi "),
        ("the needle", "harness:pi", "harness:pi the needle"),
        ("harness:codex,pi the needle", "harness:pi", "harness:pi the needle"),
        ('cwd:"my app" since:7d x', "cwd:app", "cwd:app since:7d x"),
    ],
)
def test_a_filter_that_is_picked_takes_the_place_of_its_field(
    query: str, word: str, narrowed_query: str
) -> None:
    assert narrowed(query, word) == narrowed_query


def test_only_a_value_that_can_be_typed_as_it_stands_is_offered() -> None:
    history = FakeHistory()
    for number, name in enumerate(("a,b", "my app", 'qu"ote', "plain")):
        history.add(Talk("pi", name, name, NOW).you("hello"), 90 + number)
    suggester = FilterSuggester(history.sessions)
    words = [word for word, _ in suggester.tallies()] + list(suggester.offers("cwd:")[1])
    assert "cwd:plain" in words and "plain" in words
    assert not any(name in word for word in words for name in ("a,b", "my app", "qu"))


def test_a_list_is_narrowed_by_words_in_no_time() -> None:
    path = "cwd:/home/mei/src/" + "/".join(["some-service-name"] * 40)
    started = time.process_time()
    assert fit("sesesese", path) == 0 and fit("name some", path) == 1
    assert fit("SERVICE-name", path) == 2 and fit("cwd:/home", path) == 3
    assert fit("", path) == 0 == fit("zn", "z" * 5000 + " needle")
    assert time.process_time() - started < 0.1, "it took minutes when every choice was tried"


async def test_filters_are_picked_from_those_that_leave_something(
    make_app: Callable[..., RecallApp],
) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await rested(pilot)
        tallies = dict(main_of(pilot).suggester.tallies())
        assert tallies["harness:claude"] == 2 and "since:7d" in tallies
        await pilot.press("alt+n")
        await until(pilot, lambda: Palette.is_open(app), "the palette")
        await pilot.press(*"pi", "enter")
        await until(pilot, lambda: main_of(pilot).box.value == "harness:pi ", "the filter")
        await rested(pilot)
        listing = results_of(pilot).listing
        assert isinstance(listing, SessionListing)
        assert {session.harness for session in listing.sessions} == {"pi"}


async def test_tab_takes_the_completion_or_goes_to_the_list(
    make_app: Callable[..., RecallApp],
) -> None:
    async with make_app().run_test(size=WIDE) as pilot:
        await rested(pilot)
        box = main_of(pilot).box
        await type_text(pilot, "har")
        await pilot.press("tab")
        assert box.value == "harness:" and box.has_focus
        await pilot.press("tab")
        assert results_of(pilot).has_focus


# ------------------------------------------------------------ names


async def test_a_pasted_reference_opens_its_message(make_app: Callable[..., RecallApp]) -> None:
    history = FakeHistory()
    session = history.sessions()[4]
    message = history.messages(session)[1]
    async with make_app(history).run_test(size=WIDE) as pilot:
        await rested(pilot)
        main_of(pilot).box.value = str(message.reference)
        await rested(pilot)
        await until(pilot, lambda: transcript_of(pilot).session == session, "the session")
        assert transcript_of(pilot).cursor == 1
        assert len(results_of(pilot).listing or ()) == 1
        assert "1 session named" in main_of(pilot).row("count").text
        for name in (session.native_id, session.native_id[:8], session.native_id[:11]):
            main_of(pilot).box.value = name
            await rested(pilot)
            await until(pilot, lambda: transcript_of(pilot).session == session, "the session")
            assert "1 session named" in main_of(pilot).row("count").text
        main_of(pilot).box.value = ""
        await rested(pilot)
        assert len(results_of(pilot).listing or ()) == len(history.sessions())


async def test_a_name_nobody_has_is_searched_for_as_text(
    make_app: Callable[..., RecallApp],
) -> None:
    history = FakeHistory()
    async with make_app(history).run_test(size=WIDE) as pilot:
        await rested(pilot)
        main_of(pilot).box.value = "std::vector"
        await rested(pilot)
        assert history.grep_calls[-1].pattern == "std::vector"


# ------------------------------------------------------------ browsing


def test_sessions_are_sorted_and_grouped() -> None:
    sessions = FakeHistory(many_sessions(50)).sessions()

    def keys(order: Order, group: Group):
        return arrangement.arranged(sessions, Arrangement(order, group), NOW, UTC)

    rows, heads = keys(Order.SIZE, Group.DAY)
    assert [s.size for s in rows] == sorted((s.size for s in sessions), reverse=True)
    assert not heads
    rows, heads = keys(Order.AGE, Group.HARNESS)
    assert [words for _, words in heads][:2] == ["claude · 9", "codex · 9"]
    for at, (row, words) in enumerate(heads):
        end = heads[at + 1][0] if at + 1 < len(heads) else len(rows)
        group = rows[row:end]
        assert {s.harness for s in group} == {words.split(" ")[0]}
        assert [s.ended_ms for s in group] == sorted((s.ended_ms for s in group), reverse=True)
    rows, heads = keys(Order.TITLE, Group.PROJECT)
    assert len(heads) == 40 and sorted(rows, key=id) == sorted(sessions, key=id)
    rows, heads = keys(Order.AGE, Group.DAY)
    assert rows is sessions and heads[0] == (0, "Today")


async def test_order_and_group_have_a_key_and_are_said(
    make_app: Callable[..., RecallApp],
) -> None:
    async with make_app().run_test(size=WIDE) as pilot:
        await rested(pilot)
        count = main_of(pilot).row("count")
        assert "by day · newest first" in count.text
        chosen = results_of(pilot).listing.key(0)
        await pilot.press("alt+o", "alt+p")
        await rested(pilot)
        assert "by project · largest first" in count.text
        listing = results_of(pilot).listing
        assert listing.heads[0][1].startswith("app · ")
        assert listing.key(results_of(pilot).cursor) == chosen or results_of(pilot).cursor == 0


async def test_who_works_where_is_said(make_app: Callable[..., RecallApp]) -> None:
    live = Talk("pi", "live", "p", NOW - MINUTE).you("go").agent("working")
    cut = Talk("pi", "cut", "p", NOW - HOUR).you("go").call("shell", "make", "…")
    idle = Talk("pi", "idle", "p", NOW - 2 * HOUR).you("go").agent("done")
    old = Talk("pi", "old", "p", NOW - 2 * DAY).you("go").agent("done")
    history = FakeHistory([live, cut, idle, old], [])
    async with make_app(history).run_test(size=(80, 24)) as pilot:
        await rested(pilot)
        listing = results_of(pilot).listing
        assert isinstance(listing, SessionListing)
        await until(pilot, lambda: bool(listing.open_ended), "how sessions end")
        statuses = [listing.status(session, NOW) for session in listing.sessions]
        assert statuses == [Status.LIVE, Status.INTERRUPTED, Status.IDLE, Status.UNKNOWN]
        rows = [results_of(pilot).render_line(y).text for y in range(12)]
        assert "● live" in rows[2] and "◐ interrupted" in rows[4] and "○ idle" in rows[6]


async def test_activity_shows_where_there_is_room(make_app: Callable[..., RecallApp]) -> None:
    async with make_app().run_test(size=WIDE) as pilot:
        await rested(pilot)
        activity = main_of(pilot).query_one("#activity")
        assert activity.render_line(0).text.count("·") == 30 - 3
        assert "6 sessions in 30 days" in activity.render_line(1).text
        await pilot.resize_terminal(120, 30)
        await rested(pilot)
        assert not activity.display or not activity.size.height


async def test_programs_are_counted_and_narrowed_to_by_a_click(
    make_app: Callable[..., RecallApp],
) -> None:
    async with make_app().run_test(size=WIDE) as pilot:
        await rested(pilot)
        main = main_of(pilot)
        listed = results_of(pilot).listing
        assert isinstance(listed, SessionListing)
        most, count = Counter(s.harness for s in listed.sessions).most_common(1)[0]
        assert f"{registry.get(most).mark} {count} " in main.row("programs").text
        await type_text(pilot, "since:10y context")
        await pilot.click("#programs", offset=(2, 0))
        await rested(pilot)
        assert main.box.value == f"harness:{most} since:10y context"
        await pilot.click("#programs", offset=(2, 0))
        await rested(pilot)
        assert main.box.value == "since:10y context"


async def test_one_program_alone_is_not_counted(make_app: Callable[..., RecallApp]) -> None:
    history = FakeHistory([Talk("pi", "only", "p", NOW - HOUR).you("go")], [])
    async with make_app(history).run_test(size=WIDE) as pilot:
        await rested(pilot)
        assert not main_of(pilot).row("programs").display


async def test_hits_show_where_in_the_session_they_lie(
    make_app: Callable[..., RecallApp],
) -> None:
    async with make_app().run_test(size=(160, 40)) as pilot:
        await rested(pilot)
        await type_text(pilot, "context")
        row = results_of(pilot).render_line(0).text
        assert "×" in row and any(bar in row for bar in "▁▂▃▄▅▆▇█")
        listing = results_of(pilot).listing
        assert isinstance(listing, HitListing) and listing.complete
        listing.complete = False
        last = len(listing) - 1
        assert not listing._density(last, bars=True), "more of that session may come"


async def test_a_disk_that_cannot_be_written_costs_the_memory_not_the_search(
    make_app: Callable[..., RecallApp],
) -> None:
    class Full(FakeHistory):
        def note_asked(self, query: str) -> None:
            raise StoreError("user.db: the disk is full")

    async with make_app(Full(gaps=[])).run_test(size=WIDE) as pilot:
        await rested(pilot)
        await type_text(pilot, "context")
        await pilot.press("down")
        await rested(pilot)
        assert isinstance(results_of(pilot).listing, HitListing)
        banner = main_of(pilot).row("banner")
        await until(pilot, lambda: "the disk is full" in banner.text, "the reason")


async def test_half_a_filter_is_no_mistake_and_a_whole_wrong_one_is(
    make_app: Callable[..., RecallApp],
) -> None:
    async with make_app().run_test(size=WIDE) as pilot:
        await rested(pilot)
        count = main_of(pilot).row("count")
        await type_text(pilot, "harness:cop")
        assert "✗" not in count.text
        await type_text(pilot, "x")
        assert "✗" in count.text


async def test_sessions_called_so_stand_above_the_hits_and_the_cursor_on_the_first_hit(
    make_app: Callable[..., RecallApp],
) -> None:
    history = FakeHistory()
    old = Talk("claude", "the token vault", "app", NOW - 40 * DAY)
    old.you("where do we keep them").agent("In the vault.")
    history.add(old, 60)
    async with make_app(history).run_test(size=WIDE) as pilot:
        await rested(pilot)
        await type_text(pilot, "token")
        listing = results_of(pilot).listing
        assert isinstance(listing, HitListing)
        assert listing.hits[0].session.title == "fix token budget"
        assert [one.title for one in listing.called] == ["the token vault"], "in sight, not twice"
        assert results_of(pilot).cursor == 1
        assert ("token", "match") in listing.draw(0, 40, NOW)[0].pieces
        await pilot.press("up")
        await rested(pilot)
        assert transcript_of(pilot).session == listing.called[0]
        await pilot.press("alt+r")
        await rested(pilot)
        assert not results_of(pilot).listing.called, "an expression is no title"  # type: ignore[union-attr]


async def test_a_title_alone_is_found_too(make_app: Callable[..., RecallApp]) -> None:
    history = FakeHistory()
    history.add(Talk("claude", "zqxj", "app", NOW - DAY).you("hello"), 61)
    async with make_app(history).run_test(size=WIDE) as pilot:
        await rested(pilot)
        await type_text(pilot, "zqx")
        assert results_of(pilot).cursor == 0 and not main_of(pilot).has_class("-empty")
        assert "no hits" in main_of(pilot).row("count").text
        await pilot.press("enter")
        await rested(pilot)
        assert transcript_of(pilot).session.title == "zqxj"  # type: ignore[union-attr]


async def test_days_are_counted_when_they_are_known_whatever_is_searched(
    make_app: Callable[..., RecallApp],
) -> None:
    history = FakeHistory()
    listed, may_list = history.sessions, threading.Event()

    def late(*given, **more):
        may_list.wait(5)
        return listed(*given, **more)

    history.sessions = late
    async with make_app(history).run_test(size=(120, 40)) as pilot:
        activity = main_of(pilot).query_one(Activity)
        await pilot.press(*"context")
        await until(pilot, lambda: bool(main_of(pilot)._search.rows))
        assert not activity.render_line(1).text.strip(), "nothing was counted"
        may_list.set()
        await until(pilot, lambda: " sessions in 30 days" in activity.render_line(1).text)


def test_what_a_search_and_the_history_both_miss_is_counted_once() -> None:
    gap = Gap(GapKind.UNPARSED, 1, "1 damaged line in 1 file could not be read")
    search = Search()
    search.question = Question("zqxj")
    search.gaps = [gap]
    coverage = Coverage(Reach(sessions_total=3), [gap])
    paragraphs = notices.empty(search, coverage, Keymap(), "/home/a", among=3)
    said = "".join(text for paragraph in paragraphs for text, _ in paragraph)
    assert "everything could be searched: 1 line not understood." in said
