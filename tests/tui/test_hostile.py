"""What a transcript holds reaches the terminal as text, whatever it holds, wherever it shows."""

from __future__ import annotations

import threading
import unicodedata
from typing import TYPE_CHECKING

import pytest

from recall_tui.model import Fact, Gap, GapKind, Kind
from recall_tui.tui import document
from recall_tui.tui.widgets import session_pages
from tests.tui.driving import main_of, rested, transcript_of, until
from tests.tui.fake import NOW, FakeHistory, Talk

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.pilot import Pilot

    from recall_tui.tui.app import RecallApp

EVIL = (
    "\x1b]2;owned\x07\x1b[31;5mred\x1b[0m\x1b]52;c;b3duZWQ=\x07\x9b2J\x00\x08\r\n\t[/b] "
    "[@click=app.quit]x[/] "
    "\u202egnirts\u202c \u2066a\u2069 ze\u200bro\u200dwidth\ufeff \ud800 \U000e0041 👨‍👩‍👧 修 é̶̡̢"
)  # fmt: skip
LONG = "x" * 1_000_000
SIZES = [(120, 40), (80, 24)]


def hostile() -> FakeHistory:
    talk = Talk("claude", EVIL, "app", NOW, branch=EVIL, model=EVIL)
    talk.you(f"needle {EVIL}").agent(f"```\n{EVIL}\n```\n# {EVIL}\n| {EVIL} | b |\n| - | - |\n")
    talk.call("sh" + EVIL, f"run {EVIL}", EVIL * 40, failed=True, ms=3)
    talk.agent(f"needle {LONG}").say(Kind.NOTICE, EVIL).say(Kind.SUMMARY, f"{EVIL}\n{EVIL}")
    history = FakeHistory([talk], [Gap(GapKind.UNREADABLE, 1, EVIL, EVIL, EVIL)])
    session = history._sessions[0]._replace(cwd=f"/home/mei/{EVIL}", last_cwd=f"/x/{EVIL}")
    history._sessions = [session]
    history.facts = [Fact(f"needle {EVIL} {LONG}", EVIL, NOW)]
    history.past = [EVIL, LONG]
    return history


def look(pilot: Pilot[object]) -> None:
    """Check every cell of the screen."""
    screen = pilot.app.screen
    for strip in screen._compositor.render_strips(screen.size):
        assert strip.cell_length == screen.size.width
        for char in strip.text:
            sort = unicodedata.category(char)
            assert sort not in {"Cc", "Cs"}, f"{char!r} in {strip.text!r}"
            assert not (0x202A <= ord(char) <= 0x202E or 0x2066 <= ord(char) <= 0x2069), char


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "keys",
    [
        (),
        ("alt+p",),
        ("enter", "g"),
        ("enter", "g", "z"),
        ("enter", "G", "K"),
        tuple("needle"),
        ("ctrl+t", *"needle"),
        (*"needle", "enter", "slash", *"needle"),
        ("alt+g",),
    ],
    ids=lambda keys: "-".join(keys) or "browse",
)
async def test_no_control_reaches_a_cell(
    make_app: Callable[..., RecallApp], size: tuple[int, int], keys: tuple[str, ...]
) -> None:
    async with make_app(hostile()).run_test(size=size) as pilot:
        await rested(pilot)
        for key in keys:
            await pilot.press(key)
        await rested(pilot)
        look(pilot)


async def test_past_searches_and_completions_are_clean(
    make_app: Callable[..., RecallApp],
) -> None:
    async with make_app(hostile()).run_test(size=(120, 40)) as pilot:
        await rested(pilot)
        await pilot.press("ctrl+r")
        await pilot.pause(0.4)
        look(pilot)
        await pilot.press("escape")
        box = main_of(pilot).box
        main_of(pilot).use_search(EVIL)
        await rested(pilot)
        look(pilot)
        assert "\x1b" not in box.value
        await pilot.press("ctrl+u", *"cwd:z")
        await until(pilot, lambda: not main_of(pilot)._search.running, "rest")
        look(pilot)


async def test_a_prompt_of_one_endless_line_is_folded(make_app: Callable[..., RecallApp]) -> None:
    talk = Talk("claude", "t", "app", NOW).you("word " * 200_000).agent("done")
    async with make_app(FakeHistory([talk], [])).run_test(size=(120, 40)) as pilot:
        await rested(pilot)
        await pilot.press("enter", "g")
        await rested(pilot)
        assert transcript_of(pilot).virtual_size.height < 60
        await pilot.press("space")
        await rested(pilot)
        assert transcript_of(pilot).virtual_size.height > 4000


async def test_a_page_of_huge_messages_is_laid_out_apart_from_the_screen(
    make_app: Callable[..., RecallApp], monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = Talk("claude", "t", "app", NOW)
    for number in range(4):
        talk.call("Bash", f"run {number}", "line of output\n" * 8000)
    real = document.lay_all
    threads = []

    def noting(*given):
        threads.append(threading.current_thread() is threading.main_thread())
        return real(*given)

    monkeypatch.setattr(document, "lay_all", noting)
    monkeypatch.setattr(session_pages, "lay_all", noting)
    async with make_app(FakeHistory([talk], [])).run_test(size=(120, 40)) as pilot:
        await rested(pilot)
        await pilot.press("enter", "g", "z", "z", "z")
        await rested(pilot)
        assert threads and not any(threads)
        assert transcript_of(pilot).virtual_size.height > 30_000, "the last word was: unfold"
        look(pilot)
