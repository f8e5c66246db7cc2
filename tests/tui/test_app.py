"""What happens when keys are pressed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.widget import Widget

from recall_tui.errors import StoreError
from recall_tui.model import Filter, Kind
from recall_tui.store.sync.progress import SyncProgress
from recall_tui.tui.app import DEMO, OWN
from recall_tui.tui.health import HealthListing
from recall_tui.tui.hit_listing import HitListing
from recall_tui.tui.listings import SessionListing
from recall_tui.tui.messages import SyncReported
from recall_tui.tui.screens.health import HealthScreen
from recall_tui.tui.screens.help import HelpScreen, HelpSheet
from recall_tui.tui.screens.main import MainScreen
from recall_tui.tui.screens.pick import NotesScreen
from recall_tui.tui.widgets.notice import Notice
from recall_tui.tui.widgets.result_list import ResultList
from recall_tui.tui.widgets.row import Row
from recall_tui.tui.widgets.search_box import FindBox, SearchBox
from tests.tui.conftest import make
from tests.tui.driving import main_of, rested, results_of, transcript_of, type_text, until
from tests.tui.fake import NO_HISTORY_GAPS, NOW, FakeHistory, Talk, big_talk, many_sessions

if TYPE_CHECKING:
    from collections.abc import Callable

    from recall_tui.doctor import Check
    from recall_tui.model import Session
    from recall_tui.tui.app import RecallApp

WIDE = (120, 40)
SMALL = (80, 24)


async def test_an_empty_box_browses_newest_first_by_day(app: RecallApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        listing = results_of(pilot).listing
        assert isinstance(listing, SessionListing)
        assert [words for _, words in listing.heads][:2] == ["Today", "Yesterday"]
        assert listing.sessions[0].title == "fix token budget"
        assert transcript_of(pilot).session == listing.sessions[0]
        assert isinstance(app.focused, SearchBox)


async def test_typing_searches_and_opens_the_session_at_the_hit(app: RecallApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        await type_text(pilot, "context window")
        listing = results_of(pilot).listing
        assert isinstance(listing, HitListing) and len(listing) == 6
        assert "6 hits in 2 sessions" in main_of(pilot).row("count").text
        assert transcript_of(pilot).cursor == listing.hits[0].position
        assert transcript_of(pilot).hit_number == 4
        assert "hit 4 of 4" in main_of(pilot).pane.query_one("#head", Row).text


async def test_arrows_move_the_list_from_the_box(app: RecallApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        await pilot.press("down", "down")
        await rested(pilot)
        assert results_of(pilot).cursor == 2
        assert isinstance(app.focused, SearchBox)
        assert "修复" in (transcript_of(pilot).session or main_of(pilot)).title  # type: ignore[operator]
        await pilot.press("pageup")
        assert results_of(pilot).cursor == 0


async def test_readline_keys_edit_the_box(app: RecallApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await type_text(pilot, "one two three")
        box = main_of(pilot).box
        await pilot.press("ctrl+w")
        assert box.value == "one two "
        await pilot.press("alt+b", "alt+b", "ctrl+k")
        assert box.value == ""
        await type_text(pilot, "four five")
        await pilot.press("ctrl+a", "alt+d")
        assert box.value.strip() == "five"
        await pilot.press("ctrl+e", "ctrl+u")
        assert box.value == ""


async def test_filters_narrow_and_a_wrong_one_is_named(app: RecallApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        await type_text(pilot, "harness:claude")
        listing = results_of(pilot).listing
        assert isinstance(listing, SessionListing)
        assert {session.harness for session in listing.sessions} == {"claude"}
        assert "claude" in main_of(pilot).row("count").text
        await pilot.press("escape")
        await rested(pilot)
        assert len(results_of(pilot).listing or ()) == 7
        await type_text(pilot, "harnes:claude")
        assert "harness" in main_of(pilot).row("count").text
        assert main_of(pilot).row("count").text.strip().startswith("✗")


async def test_a_long_mistake_is_said_whole_in_a_narrow_terminal(app: RecallApp) -> None:
    async with app.run_test(size=SMALL) as pilot:
        await rested(pilot)
        before = main_of(pilot).row("banner").text
        await type_text(pilot, "kind:song needle")
        rows = [main_of(pilot).row(name) for name in ("count", "banner")]
        assert all(len(row.text) <= 79 for row in rows)
        said = " ".join(" ".join(row.text.split()) for row in rows)
        assert said.startswith("✗ kind:song is not known (known: prompt") and said[-7:] == "notice)"
        await pilot.resize_terminal(140, 24)
        await until(pilot, lambda: rows[0].text.endswith("notice)") and rows[1].text == before)
        await pilot.press("ctrl+u")
        await until(pilot, lambda: "✗" not in rows[0].text and rows[1].text == before)


async def test_a_bad_regular_expression_is_said_in_its_place(app: RecallApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        await pilot.press("alt+r")
        await type_text(pilot, "(a")
        assert "✗" in main_of(pilot).row("count").text
        assert len(results_of(pilot).listing or ()) == 7, "the list stays"


async def test_switches_reach_the_search(make_app: Callable[..., RecallApp]) -> None:
    history = FakeHistory()
    app = make_app(history)
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        await type_text(pilot, "context")
        await pilot.press("alt+w", "alt+c")
        await rested(pilot)
        assert history.grep_calls[-1].word
        assert history.grep_calls[-1].case.value == "exact"


async def test_a_burst_of_keys_is_one_search(make_app: Callable[..., RecallApp]) -> None:
    history = FakeHistory()
    app = make_app(history)
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        for char in "context":
            main_of(pilot).box.insert_text_at_cursor(char)
        await rested(pilot)
        assert len(history.grep_calls) <= 2
        assert history.grep_calls[-1].pattern == "context"


async def test_an_answer_that_comes_late_is_dropped(make_app: Callable[..., RecallApp]) -> None:
    from recall_tui.search.results import GrepUpdate
    from recall_tui.tui.messages import SearchUpdated

    app = make_app()
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        await type_text(pilot, "context window")
        main = main_of(pilot)
        late = GrepUpdate([], 0, 0, 0, done=True)
        main.post_message(SearchUpdated(main._search.generation - 1, late, first=True))
        await pilot.pause()
        assert len(results_of(pilot).listing or ()) == 6


async def test_enter_opens_escape_comes_back(app: RecallApp) -> None:
    async with app.run_test(size=SMALL) as pilot:
        await rested(pilot)
        main = main_of(pilot)
        assert main.has_class("-narrow") and not transcript_of(pilot).size.width
        await pilot.press("enter")
        await rested(pilot)
        assert app.focused is transcript_of(pilot)
        assert transcript_of(pilot).size.width > 60
        await pilot.press("escape")
        assert app.focused is results_of(pilot)
        await pilot.press("escape")
        assert isinstance(app.focused, SearchBox)


async def test_a_session_chosen_while_the_pane_is_hidden_is_the_one_that_opens(
    app: RecallApp,
) -> None:
    async with app.run_test(size=SMALL) as pilot:
        await rested(pilot)
        await pilot.press("enter")
        await rested(pilot)
        first = transcript_of(pilot).session
        await pilot.press("escape", "down")
        await rested(pilot)
        assert not transcript_of(pilot).size.width
        await pilot.press("enter")
        await rested(pilot)
        listing = results_of(pilot).listing
        assert isinstance(listing, SessionListing)
        assert first == listing.sessions[0]
        assert transcript_of(pilot).session == listing.sessions[1]


async def test_a_hit_deep_in_a_long_answer_is_on_the_screen(
    make_app: Callable[..., RecallApp],
) -> None:
    straw = "\n\n".join(f"straw {n}" for n in range(60))
    history = FakeHistory()
    history.add(Talk("pi", "a haystack", "x", NOW).you("find it").agent(f"{straw}\n\nneedle"), 97)
    async with make_app(history).run_test(size=WIDE) as pilot:
        await rested(pilot)
        await type_text(pilot, "needle")
        sheet = transcript_of(pilot)
        shown = [sheet.render_line(y).text for y in range(sheet.size.height)]
        assert any("needle" in row for row in shown)


@pytest.mark.parametrize(
    ("keys", "words", "done"),
    [
        ((), "next", lambda main: main.results.cursor == 1),
        (("enter", "g"), "next prompt", lambda main: main.transcript.cursor > 0),
        (("enter",), "pictures", lambda main: type(main.app.screen).__name__ == "MaterialScreen"),
        (("tab",), "copy", lambda main: main.copied),
    ],
)
async def test_a_click_on_a_key_in_the_footer_does_what_the_key_does(
    keys: tuple[str, ...],
    words: str,
    done: Callable[[MainScreen], bool],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(MainScreen, "copied", False, raising=False)
    monkeypatch.setattr(MainScreen, "_copy", lambda self, *_: setattr(self, "copied", True))
    async with make().run_test(size=WIDE) as pilot:
        await rested(pilot)
        main = main_of(pilot)
        main.results.action_move(0)
        await pilot.press(*keys)
        await rested(pilot)
        before = main.row("keys").text.partition(words)[0]
        await pilot.click("#keys", offset=(len(before) + 1, 0))
        await until(pilot, lambda: done(main), f"what {words!r} does")


async def test_the_footer_names_no_key_that_would_do_nothing(app: RecallApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        keys = main_of(pilot).row("keys")
        assert "clear" not in keys.text and "help" in keys.text
        await pilot.press("enter")
        await rested(pilot)
        assert "next hit" not in keys.text and "pictures" in keys.text and "esc back" in keys.text
        await pilot.press("escape", "escape")
        await type_text(pilot, "context window")
        assert "clear" in keys.text
        await pilot.press("enter")
        await until(pilot, lambda: "next hit" in keys.text, "the key to the next hit")


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the app tells in passing."""
    words: list[str] = []
    monkeypatch.setattr(Widget, "notify", lambda _, told, **__: words.append(told))
    return words


async def test_a_key_that_moves_nothing_says_why_once(app: RecallApp, said: list[str]) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        await pilot.press("enter", "G", "n", "n", "]", "]", "]")
        await rested(pilot)
    assert said == ["No hits here: find something in this session first.", "No other prompt below."]


async def test_a_find_without_a_hit_says_that_and_not_how_to_find(
    app: RecallApp, said: list[str]
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        await pilot.press("enter", "slash", *"zqxj")
        await rested(pilot)
        await pilot.press("enter")
        await rested(pilot)
    assert said == ["Nothing in this session matches."]


async def test_opening_nothing_leaves_the_keys_where_they_are(app: RecallApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        await type_text(pilot, "zqxjkvwyzq")
        await rested(pilot)
        await pilot.press("enter")
        await rested(pilot)
        assert app.screen.focused is app.screen.query_one("#query")
        await pilot.press("ctrl+u", *"context")
        assert app.screen.query_one("#query").value == "context"


async def test_a_burst_of_keys_goes_where_it_is_meant(app: RecallApp) -> None:
    from textual import events

    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        names = {"⏎": "enter", "/": "slash", "←": "escape", " ": "space"}
        for char in "context window⏎gnn←/←":
            name = names.get(char, char)
            app.post_message(events.Key(name, char if name in {char, "space"} else None))
        await rested(pilot)
        assert main_of(pilot).box.value == ""
        assert app.focused is main_of(pilot).box
        for char in "context window⏎":
            name = names.get(char, char)
            app.post_message(events.Key(name, char if name in {char, "space"} else None))
        await until(pilot, lambda: transcript_of(pilot).hit_number == 4, "what was typed opens")
        assert app.focused is transcript_of(pilot)
        assert main_of(pilot).box.value == "context window"


async def test_o_gives_the_session_the_whole_screen(app: RecallApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        await pilot.press("enter", "o")
        await rested(pilot)
        assert transcript_of(pilot).size.width > 110
        await pilot.press("o")
        await rested(pilot)
        assert transcript_of(pilot).size.width < 90


async def test_hits_and_prompts_are_stepped_through(app: RecallApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        await type_text(pilot, "context window")
        await pilot.press("enter", "g")
        transcript = transcript_of(pilot)
        assert transcript.cursor == 0
        seen = []
        for _ in range(4):
            await pilot.press("n")
            seen.append(transcript.cursor)
        assert seen == list(transcript.hits)
        await pilot.press("n")
        assert transcript.cursor == transcript.hits[0], "around the end"
        await pilot.press("N")
        assert transcript.cursor == transcript.hits[-1]
        await pilot.press("g", "J")
        assert transcript.cursor == 1
        await pilot.press("]")
        assert transcript.cursor == 5
        await pilot.press("K", "e")
        assert transcript.cursor == 9


async def test_output_unfolds_and_the_message_stays_put(app: RecallApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        await pilot.press("enter", "g", "down", "down")
        transcript = transcript_of(pilot)
        opening = transcript._opening
        assert opening is not None
        line = opening.heights.top(2) - transcript.scroll_offset.y
        before = opening.heights[3]
        await pilot.press("space")
        await pilot.pause()
        assert opening.heights[3] > before + 20, "a call and its output go together"
        assert len(transcript._lines(opening, 3)) == opening.heights[3]
        assert opening.heights.top(2) - transcript.scroll_offset.y == line
        await pilot.press("space")
        assert opening.heights[3] == before


async def test_find_inside_goes_to_the_first_hit_and_back(app: RecallApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        await pilot.press("enter", "g", "slash")
        assert isinstance(app.focused, FindBox)
        await type_text(pilot, "pytest")
        assert transcript_of(pilot).cursor == 8
        await pilot.press("enter")
        await pilot.press("escape")
        assert app.focused is transcript_of(pilot)


async def test_a_long_session_opens_at_its_end_and_jumps_anywhere(
    make_app: Callable[..., RecallApp],
) -> None:
    app = make_app(FakeHistory([big_talk(4000)], []))
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        transcript = transcript_of(pilot)
        assert transcript.cursor == 3999
        await pilot.press("enter", "g")
        await rested(pilot)
        assert transcript.cursor == 0 and transcript.scroll_offset.y == 0
        assert transcript._message(0) is not None
        transcript.go_to(2001, centre=True)
        await rested(pilot)
        message = transcript._message(2001)
        assert message is not None and message.position == 2001
        opening = transcript._opening
        assert opening is not None
        line = opening.heights.top(2001) - transcript.scroll_offset.y
        assert 0 <= line < transcript.size.height


async def test_nothing_jumps_while_pages_load(make_app: Callable[..., RecallApp]) -> None:
    app = make_app(FakeHistory([big_talk(4000)], []))
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        transcript = transcript_of(pilot)
        await pilot.press("enter")
        transcript.go_to(1000, centre=True)
        await rested(pilot)
        opening = transcript._opening
        assert opening is not None
        for _ in range(30):
            await pilot.press("up")
            at = transcript.cursor
            line = opening.heights.top(at) - transcript.scroll_offset.y
            await rested(pilot)
            assert transcript.cursor == at
            assert opening.heights.top(at) - transcript.scroll_offset.y == line


async def test_a_live_session_is_followed_at_its_end(make_app: Callable[..., RecallApp]) -> None:
    history = FakeHistory()
    app = make_app(history)
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        session = transcript_of(pilot).session
        assert session is not None
        history.append(session.key, Kind.ANSWER, "one more thing")
        await until(pilot, lambda: transcript_of(pilot).cursor == 14, "the new message")
        assert transcript_of(pilot).scroll_offset.y == transcript_of(pilot).max_scroll_y


async def test_the_selection_stays_when_the_list_changes(
    make_app: Callable[..., RecallApp],
) -> None:
    history = FakeHistory()
    app = make_app(history)
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        await pilot.press("down", "down")
        await rested(pilot)
        held = transcript_of(pilot).session
        history.add(Talk("pi", "brand new", "x", NOW).you("hello"), 99)
        history._version += 1
        await until(pilot, lambda: len(results_of(pilot).listing or ()) == 8, "the new session")
        assert results_of(pilot).cursor == 3
        await rested(pilot)
        assert held and transcript_of(pilot).session.key == held.key  # type: ignore[union-attr]


async def test_more_hits_come_near_the_end(make_app: Callable[..., RecallApp]) -> None:
    app = make_app(FakeHistory(many_sessions(500), []))
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        await type_text(pilot, "needle")
        listing = results_of(pilot).listing
        assert isinstance(listing, HitListing) and len(listing) == 200
        await pilot.press("tab", "G")
        await until(pilot, lambda: len(listing) == 400, "the second page")
        assert "500 hits in 500 sessions" in main_of(pilot).row("count").text


async def test_no_history_says_where_it_looked_and_offers_the_demo(
    make_app: Callable[..., RecallApp],
) -> None:
    app = make_app(FakeHistory([], NO_HISTORY_GAPS))
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: main_of(pilot).has_class("-empty"), "the notice")
        words = main_of(pilot).query_one("#empty", Notice).text
        assert "~/.claude/projects" in words and "demo" in words
        await pilot.press("f2")
    assert app.return_value == "demo"


async def test_an_index_that_cannot_be_read_is_said_in_the_list_and_in_health(
    make_app: Callable[..., RecallApp],
) -> None:
    class Broken(FakeHistory):
        broken = True

        def sessions(self, *args: object) -> list[Session]:
            if self.broken:
                raise StoreError("index.db: not a database", "recall index --rebuild")
            return super().sessions(*args)  # type: ignore[arg-type]

    def examine() -> list[Check]:
        raise StoreError("index.db: not a database")

    history = Broken()
    async with make_app(history, examine=examine).run_test(size=WIDE) as pilot:
        main = main_of(pilot)
        await until(pilot, lambda: main.has_class("-empty"), "the notice")
        assert "not a database (recall index --rebuild)" in main.query_one("#empty", Notice).text
        assert "not a database" in main.row("banner").text
        await pilot.press("alt+g")

        def told() -> bool:
            listing = pilot.app.screen.query_one(ResultList).listing
            items = listing.items if isinstance(listing, HealthListing) else ()
            return any("not a database" in item.detail for item in items)

        await until(pilot, told, "the reason in health")
        history.broken = False
        await pilot.press("escape", "f5")
        await rested(pilot)
        assert len(results_of(pilot).listing or ()) == 7
        assert "not a database" not in main.row("banner").text


async def test_an_empty_list_says_so_only_when_the_sources_were_read(
    make_app: Callable[..., RecallApp],
) -> None:
    import sys

    code = "import sys; sys.stdin.readline()"
    app = make_app(FakeHistory([], NO_HISTORY_GAPS), index=(sys.executable, "-c", code), live=True)
    async with app.run_test(size=WIDE) as pilot:
        notice = main_of(pilot).query_one("#empty", Notice)
        await until(pilot, lambda: main_of(pilot).has_class("-empty"), "the notice")
        assert "Reading your history" in notice.text
        main_of(pilot).post_message(SyncReported(SyncProgress(done=True)))
        await until(pilot, lambda: "No agent sessions" in notice.text, "the end of the sync")


async def test_the_first_sessions_of_a_first_sync_are_listed(
    make_app: Callable[..., RecallApp],
) -> None:
    history = FakeHistory([], [])
    app = make_app(history)
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: main_of(pilot).has_class("-empty"), "the notice")
        history.add(Talk("pi", "the first one", "x", NOW).you("hello"), 1)
        history._version += 1
        await until(pilot, lambda: len(results_of(pilot).listing or ()) == 1, "the first session")
        await rested(pilot)
        assert not main_of(pilot).has_class("-empty")
        assert transcript_of(pilot).session is not None


async def test_no_hits_say_what_was_searched(app: RecallApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        await type_text(pilot, "zzzz")
        words = main_of(pilot).query_one("#empty", Notice).text
        assert "Nothing says “zzzz”" in words
        assert "37 sessions not indexed yet" in words


async def test_the_banner_names_the_next_key_and_the_screen_every_gap(app: RecallApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        banner = main_of(pilot).row("banner").text
        assert "⚠ partial: 37 sessions not indexed yet · 2 files unreadable" in banner
        assert "alt+g" in banner
        await pilot.press("alt+g")
        await pilot.pause()
        assert isinstance(app.screen, HealthScreen)
        listing = app.screen.query_one("ResultList").listing  # type: ignore[attr-defined]
        drawn = "\n".join(
            line.text for row in range(len(listing)) for line in listing.draw(row, 110, NOW)
        )
        assert "recall index" in drawn and "chmod" in drawn and "deleted by its agent" in drawn
        await pilot.press("escape")
        assert app.screen is main_of(pilot)


async def test_the_banner_is_quiet_when_nothing_is_missing(
    make_app: Callable[..., RecallApp],
) -> None:
    app = make_app(FakeHistory(None, []))
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        assert main_of(pilot).row("banner").text.strip() == "all 7 sessions, 3 s old"


async def test_help_lists_every_key_in_force(make_app: Callable[..., RecallApp]) -> None:
    from recall_tui.tui.keymap import ACTIONS, Keymap

    app = make_app(keymap=Keymap({"session.solo": "ctrl+o"}))
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        await pilot.press("f1")
        await pilot.pause()
        assert isinstance(app.screen, HelpScreen)
        words = app.screen.query_one(HelpSheet).text
        assert all(action.words[:20] in words for action in ACTIONS)
        assert "ctrl+o" in words
        await pilot.press("escape")
        await pilot.press("enter", "ctrl+o")
        assert main_of(pilot).has_class("-solo")


async def test_the_palette_runs_an_action(app: RecallApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        await pilot.press("ctrl+p")
        await pilot.pause()
        await pilot.press(*"whole", "space", *"words")
        await until(pilot, lambda: bool(app.screen.query("CommandList").first().option_count))  # type: ignore[attr-defined]
        await pilot.pause(0.2)
        await pilot.press("enter")
        await until(pilot, lambda: main_of(pilot)._search.switches.word, "the switch")


async def test_the_mouse_selects_opens_and_switches(app: RecallApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        await pilot.click("#results", offset=(10, 4))
        await rested(pilot)
        assert results_of(pilot).cursor == 1
        await pilot.click("#results", offset=(10, 6), times=2)
        await rested(pilot)
        assert results_of(pilot).cursor == 2 and app.focused is transcript_of(pilot)
        switches = main_of(pilot).row("switches")
        await pilot.click("#switches", offset=(switches.size.width - 2, 0))
        assert main_of(pilot)._search.switches.regex


async def test_copying_says_where_it_went(app: RecallApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recall_tui.clipboard.shutil.which", lambda _: None)
    said: list[str] = []
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        monkeypatch.setattr(app, "notify", lambda words, **_: said.append(words))
        await pilot.press("enter", "Y")
        await until(pilot, lambda: bool(said), "the toast")
        assert said == ["reference sent to your terminal's clipboard"]
        assert app.clipboard.startswith("codex:0198c000-7000-4000-8000-000000000000#13~")


async def test_hostile_titles_and_texts_are_only_text(make_app: Callable[..., RecallApp]) -> None:
    bad = "\x1b]0;owned\x07\x1b[31m[bold red]x[/] [@click='app.leave']y[/] [/ \u202eabc\x00\x9b2J"
    talk = Talk("claude", bad, bad, NOW - 1000, bad, bad).you(bad).agent(bad)
    talk.call(bad, bad, bad, failed=True)
    app = make_app(FakeHistory([talk], []))
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        await type_text(pilot, "bold")
        await pilot.press("enter", "z")
        await rested(pilot)
        for strip in app.screen._compositor.render_strips():
            for segment in strip:
                assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 for c in segment.text)
                assert "\u202e" not in segment.text
        text = "\n".join(s.text for s in app.screen._compositor.render_strips())
        assert "[bold red]x[/]" in text


async def test_sessions_are_asked_for_without_subagents(
    make_app: Callable[..., RecallApp], monkeypatch: pytest.MonkeyPatch
) -> None:
    history = FakeHistory()
    asked: list[Filter] = []
    real = history.sessions
    monkeypatch.setattr(
        history, "sessions", lambda chosen=None, **k: (asked.append(chosen), real(chosen, **k))[1]
    )
    app = make_app(history)
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
    assert asked and all(chosen.mains_only for chosen in asked)


async def test_moves_wait_for_the_list_they_were_meant_for() -> None:
    async with make().run_test(size=WIDE) as pilot:
        # As fast as keys can come: before the sessions are read, and before the hits are.
        await pilot.press("down", "down")
        await rested(pilot)
        assert results_of(pilot).cursor == 2
        main_of(pilot).box.value = "context"
        await pilot.press("down")
        await rested(pilot)
        assert isinstance(results_of(pilot).listing, HitListing)
        assert results_of(pilot).cursor == 1


async def test_a_search_that_failed_is_made_again_when_the_store_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    history = FakeHistory()
    async with make(history).run_test(size=WIDE) as pilot:
        await rested(pilot)
        grep = history.grep

        def broken(*_: object) -> object:
            raise StoreError("the index is being made")

        monkeypatch.setattr(history, "grep", broken)
        await type_text(pilot, "context")
        assert main_of(pilot)._search.failed
        monkeypatch.setattr(history, "grep", grep)
        history._version += 1
        await until(pilot, lambda: isinstance(results_of(pilot).listing, HitListing))


async def test_a_selection_is_copied_and_where_it_went_is_said(
    app: RecallApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied: list[str] = []
    monkeypatch.setattr(
        "recall_tui.tui.copying.copy_in_thread", lambda _, text, what: copied.append(text)
    )
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        await type_text(pilot, "needle")
        await pilot.press("shift+home", "ctrl+c")
        await until(pilot, lambda: copied == ["needle"], "what is selected in the box")
        assert app.is_running, "that is no wish to leave"
        await pilot.press("end", "ctrl+c")
        await until(pilot, lambda: not app.is_running)


async def test_one_goes_to_the_demo_and_back(make_app: Callable[..., RecallApp]) -> None:
    for demo, wish in ((False, DEMO), (True, OWN)):
        app = make_app(demo=demo)
        async with app.run_test() as pilot:
            await pilot.press("f2")
            await until(pilot, lambda app=app: not app.is_running)
        assert app.return_value == wish


@pytest.mark.parametrize(
    ("typed", "said", "key"),
    [
        ("harness:pi since:2099-01-01 ", "The filters leave no session.", "alt+n"),
        ("harness:pi since:2099-01-01 zzz", "The filters leave no session.", "alt+n"),
        ("harness:pi zzz", "Looked through 1 session:", "ctrl+t"),
        ("zzz", "Looked through 7 sessions:", "ctrl+t"),
    ],
)
async def test_an_empty_list_says_what_was_looked_through(
    app: RecallApp, typed: str, said: str, key: str
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        main_of(pilot).box.value = typed
        await until(pilot, lambda: main_of(pilot).has_class("-empty"))
        await rested(pilot)
        words = main_of(pilot).query_one("#empty", Notice).text
        assert said in words and key in words
        assert "open" not in main_of(pilot).row("keys").text, "there is nothing to open"


async def test_lists_with_nothing_in_them_say_why_and_offer_nothing_to_open(
    app: RecallApp,
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        await pilot.press("ctrl+r")
        assert [one.message for one in app._notifications] == ["Nothing was searched yet."]
        await pilot.press("enter", "I")
        await until(pilot, lambda: isinstance(app.screen, NotesScreen))
        words = app.screen.query_one(Notice).text
        assert "no notes" in words and "i writes one" in words
        assert "go there" not in app.screen.query_one("#keys", Row).text
