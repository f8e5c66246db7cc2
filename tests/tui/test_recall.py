"""Recall in the app: ranked passages, their reasons, what was not found, what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from recall_tui.errors import ExitCode
from recall_tui.model import Fact, Gap, GapKind
from recall_tui.search.recall.request import Reason, RefusedError
from recall_tui.tui.hit_listing import HitListing
from recall_tui.tui.matching import Matcher
from recall_tui.tui.query import any_of
from recall_tui.tui.recall_listing import RecallListing
from recall_tui.tui.widgets.result_list import ResultList
from tests.tui.driving import main_of, rested, results_of, transcript_of, type_text, until
from tests.tui.fake import DAY, NOW, FakeHistory

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.pilot import Pilot

    from recall_tui.tui.app import RecallApp

WIDE = (120, 40)


def listing_of(pilot: Pilot[object]) -> RecallListing:
    listing = results_of(pilot).listing
    assert isinstance(listing, RecallListing)
    return listing


def words_of(pilot: Pilot[object]) -> list[str]:
    results = results_of(pilot)
    return [results.render_line(y).text.strip() for y in range(results.size.height)]


async def test_a_question_is_answered_with_passages_and_their_reasons(
    make_app: Callable[..., RecallApp],
) -> None:
    history = FakeHistory()
    async with make_app(history).run_test(size=WIDE) as pilot:
        await rested(pilot)
        await pilot.press("ctrl+t")
        await type_text(pilot, "context window xyzzy yesterday")
        listing = listing_of(pilot)
        assert len(listing) == 2 and listing.row_lines == 3
        assert [r.sentence for r in history.recall_calls][-1] == "context window xyzzy yesterday"
        rows = words_of(pilot)
        assert "fix token budget" in rows[0]
        assert "context window" in rows[1]
        assert rows[2].startswith("▌ WHY 2 of 4 words · ")
        assert listing.why(0).startswith("2 of 4 words: context, window")
        count = main_of(pilot).row("count").text
        assert "around 2026-11-29 to 2026-11-30" in count
        assert "nobody says xyzzy" in count
        assert "2 passages of" in count


async def test_a_passage_opens_at_its_anchor_and_its_words_are_steps(
    make_app: Callable[..., RecallApp],
) -> None:
    async with make_app().run_test(size=WIDE) as pilot:
        await rested(pilot)
        await pilot.press("ctrl+t")
        await type_text(pilot, "rollback migration")
        passage = listing_of(pilot).answer.passages[0]
        await pilot.press("enter")
        await rested(pilot)
        transcript = transcript_of(pilot)
        assert transcript.session and transcript.session.key == passage.session.key
        assert transcript.cursor == passage.sequence
        assert transcript.hits == [0, 1]
        assert results_of(pilot).listing.copied(0) == (str(passage.anchor), "reference")


async def test_facts_stand_above_and_the_cursor_on_the_first_passage(
    make_app: Callable[..., RecallApp],
) -> None:
    history = FakeHistory()
    history.facts = [Fact("the context window is 400k [/b]", "project", NOW - 9 * DAY)]
    async with make_app(history).run_test(size=WIDE) as pilot:
        await rested(pilot)
        await pilot.press("ctrl+t")
        await type_text(pilot, "context")
        rows = words_of(pilot)
        assert rows[0].startswith("1 fact")
        assert rows[1] == "◆ the context window is 400k [/b]"
        assert rows[3].strip() == "project · noted 9 days ago"
        assert results_of(pilot).cursor == 1
        listing = listing_of(pilot)
        assert listing.target(0) is None
        assert listing.copied(0) == ("the context window is 400k [/b]", "fact")
        await pilot.press("up", "enter")
        await rested(pilot)


async def test_the_switch_goes_back_and_forth_by_key_click_and_asks_again(
    make_app: Callable[..., RecallApp],
) -> None:
    async with make_app().run_test(size=WIDE) as pilot:
        await rested(pilot)
        await type_text(pilot, "context window")
        assert isinstance(results_of(pilot).listing, HitListing)
        await pilot.press("ctrl+t")
        await rested(pilot)
        listing_of(pilot)
        await pilot.click("#switches", offset=(8, 0))
        await rested(pilot)
        assert isinstance(results_of(pilot).listing, HitListing)
        switches = main_of(pilot).row("switches")
        width = switches.size.width
        await pilot.press("ctrl+t")
        await rested(pilot)
        assert switches.size.width == width, "nothing jumps"


async def test_a_refusal_stands_where_the_answer_would_and_repeats_nothing(
    make_app: Callable[..., RecallApp],
) -> None:
    history = FakeHistory()
    key = "ghp_" + "x9ZkQ3vT7mB2nL8wR5pY1dF6gH4jK0sC9aE3"
    async with make_app(history).run_test(size=WIDE) as pilot:
        await rested(pilot)
        await pilot.press("ctrl+t")
        main_of(pilot).box.value = key
        await rested(pilot)
        count = main_of(pilot).row("count").text
        assert "looks like a credential" in count
        assert key not in count and not history.recall_calls
        await pilot.press("escape")
        await type_text(pilot, "context")
        listing_of(pilot)


async def test_a_pause_is_said(make_app: Callable[..., RecallApp]) -> None:
    class Paused(FakeHistory):
        def recall(self, request, stop=lambda: False):
            raise RefusedError(Reason.INCOGNITO_ACTIVE, "recall is paused: nothing is read")

    async with make_app(Paused()).run_test(size=WIDE) as pilot:
        await rested(pilot)
        await pilot.press("ctrl+t")
        await type_text(pilot, "context")
        assert "recall is paused" in main_of(pilot).row("count").text
    assert RefusedError(Reason.INCOGNITO_ACTIVE, "").exit_code == ExitCode.PARTIAL


async def test_gaps_of_an_answer_are_in_the_banner(make_app: Callable[..., RecallApp]) -> None:
    class Hurried(FakeHistory):
        def recall(self, request, stop=lambda: False):
            answer = super().recall(request, stop)
            answer.reach.add([Gap(GapKind.TIMED_OUT, 3, "no time")])
            return answer

    async with make_app(Hurried(gaps=[])).run_test(size=WIDE) as pilot:
        await rested(pilot)
        await pilot.press("ctrl+t")
        await type_text(pilot, "context")
        assert "3 blocks ran out of time" in main_of(pilot).row("banner").text


async def test_an_answer_is_stopped_by_the_next_key(make_app: Callable[..., RecallApp]) -> None:
    asked: list[str] = []
    ended: list[str] = []

    class Slow(FakeHistory):
        def recall(self, request, stop=lambda: False):
            import time

            asked.append(request.sentence)
            while request.sentence == "slow" and not stop():
                time.sleep(0.005)
            ended.append(request.sentence)
            return super().recall(request, stop)

    async with make_app(Slow()).run_test(size=WIDE) as pilot:
        await rested(pilot)
        await pilot.press("ctrl+t", *"slow")
        await until(pilot, lambda: "slow" in asked, "the first question")
        assert "slow" not in ended
        await pilot.press("l")
        await until(pilot, lambda: "slow" in ended, "the end of it")
        await rested(pilot)
        assert asked[-2:] == ["slow", "slowl"]


async def test_nothing_found_names_the_other_way(make_app: Callable[..., RecallApp]) -> None:
    async with make_app().run_test(size=WIDE) as pilot:
        await rested(pilot)
        await type_text(pilot, "budget of tokens")
        notice = main_of(pilot).query_one("#empty")
        assert "ctrl+t looks for these words in any order and form" in notice.text.replace("\n", "")
        await pilot.press("ctrl+t")
        await rested(pilot)
        assert isinstance(main_of(pilot).query_one("#results"), ResultList)
        await pilot.press("ctrl+u")
        await type_text(pilot, "zzzzzz")
        assert "No passage answers that." in notice.text


@pytest.mark.parametrize(
    "word",
    ["error", "errors", "running", "internationalization", "configuration", "try", "go", "err",
     "authentication", "directories", "happy", "db", "a", "x1"],
)  # fmt: skip
def test_the_word_that_was_asked_for_is_marked(word: str) -> None:
    text = f"before {word}, behind"
    assert [text[a:b] for a, b in Matcher(any_of([word])).spans(text)] == [word]


def test_terms_are_marked_in_any_form() -> None:
    spans = Matcher(any_of(["parsing", "go", "上下文", "a+b", "token budget"])).spans
    text = "the parser parses_it, went; sparse 上下文窗口 a+b a token  budget"
    assert [text[a:b] for a, b in spans(text)] == [
        "parser",
        "parses",
        "went",
        "上下文",
        "a+b",
        "token  budget",
    ]
