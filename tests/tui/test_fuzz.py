"""Keys faster than a person can press them, and the smallest inputs that once did harm."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from textual import events
from textual.command import CommandList
from textual.geometry import Size
from textual.widgets import Input

from recall_tui.tui import attachments, copying, foreground
from recall_tui.tui.widgets.search_box import MOST_CHARS
from tests.tui.driving import main_of, rested, transcript_of
from tests.tui.fake import FakeHistory, big_talk, many_sessions, talks
from tests.tui.fuzzing import Step, do, holds, play, settled, steps, way_out
from tests.tui.test_hostile import hostile

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from recall_tui.tui.app import RecallApp

HISTORIES = {
    "standard": FakeHistory,
    "nothing": lambda: FakeHistory([], []),
    "long": lambda: FakeHistory([big_talk(2000), *talks()]),
    "many": lambda: FakeHistory(many_sessions(200)),
    "hostile": hostile,
}


class _Copied:
    osc52 = ""
    words = "copied"


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the monkey from other programs, from the clipboard and from our files."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(copying, "copy", lambda *_: _Copied)
    monkeypatch.setattr(attachments.subprocess, "Popen", lambda *_, **__: None)
    monkeypatch.setattr(foreground, "run_foreground", lambda *_: "")


@pytest.mark.parametrize("name", sorted(HISTORIES))
@pytest.mark.parametrize("seed", [7, 42])
async def test_a_monkey(make_app: Callable[..., RecallApp], seed: int, name: str) -> None:
    app = make_app(HISTORIES[name]())
    async with app.run_test(size=(120, 40)) as pilot:
        app.exit = lambda *_, **__: None  # type: ignore[method-assign]
        await rested(pilot)
        await play(pilot, steps(seed, 60))
        await holds(pilot)
        await way_out(pilot)
        del app.exit


def keys(*names: str) -> list[Step]:
    return [Step("key", name) for name in names]


CLICK_BESIDE = Step("mouse", (0.01, 0.9, "c"))

FOUND = {
    "two clicks beside the palette": [*keys("ctrl+p"), Step("breathe", 0.2), *[CLICK_BESIDE] * 2],
    "a click on a list that is about to be empty": [
        *keys("z"), Step("mouse", (0.05, 0.36, "c"))
    ],
    "a palette without room": [
        *keys("enter"), Step("resize", (120, 1)), *keys("ctrl+r", "pageup")
    ],
    "help twice": keys("f1", "f1"),
    "statistics and what was asked before": keys("tab", "H", "f3", "H", "f3"),
    "two things from one session": keys("tab", "c", "c", "m", "m"),
    "a list of prompts twice": keys("enter", "l", "l", "a", "t", "C"),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(FOUND))
async def test_what_a_monkey_found(make_app: Callable[..., RecallApp], name: str) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await rested(pilot)
        await play(pilot, FOUND[name])
        await holds(pilot)
        await way_out(pilot)


async def test_a_megabyte_is_pasted(make_app: Callable[..., RecallApp]) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await rested(pilot)
        do(pilot, Step("paste", "needle \x1b[31m\x00 " * 80_000))
        await settled(pilot)
        await holds(pilot)
        assert 0 < len(main_of(pilot).box.value) <= MOST_CHARS
        await way_out(pilot)


async def test_all_lines_of_a_paste_are_one_query(app: RecallApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await rested(pilot)
        await pilot.press("x", "ctrl+a")
        do(pilot, Step("paste", "one\ntwo\tthree\n"))
        await settled(pilot)
        assert main_of(pilot).box.value == "one two    threex"


async def test_a_palette_that_is_left_before_it_looks_for_commands_looks_for_none(
    app: RecallApp,
) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await rested(pilot)
        await play(pilot, [*keys("ctrl+p"), Step("breathe", 0.2)])
        await app.screen.query_one(CommandList).remove()
        app.screen._gather_commands("x")  # type: ignore[attr-defined]
        await settled(pilot)
        assert app._exception is None


@pytest.mark.parametrize("opener", ["ctrl+p", "alt+n", "ctrl+r", "f1", "f3"])
async def test_keys_for_what_is_about_to_open_wait_for_it(
    make_app: Callable[..., RecallApp], opener: str
) -> None:
    history = FakeHistory()
    history.note_asked("what was asked before")
    app = make_app(history)
    async with app.run_test(size=(120, 40)) as pilot:
        await rested(pilot)
        app.screen.set_focus(None)  # as when a list became empty, or a window lost the focus
        await play(pilot, keys("pageup", opener, "pageup", "pagedown", "h", "i", "down"))
        await holds(pilot)
        if opener in ("ctrl+p", "alt+n", "ctrl+r"):
            assert app.screen.query_one(Input).value == "hi"
        assert not main_of(pilot).box.value
        await way_out(pilot)


@pytest.mark.parametrize("first", ["g", "G"])
async def test_a_page_that_comes_late_does_not_undo_a_later_key(
    make_app: Callable[..., RecallApp], first: str
) -> None:
    async with make_app(FakeHistory([big_talk(2000)])).run_test(size=(120, 40)) as pilot:
        await rested(pilot)
        await pilot.press("enter")
        await rested(pilot)
        transcript = transcript_of(pilot)
        last = len(transcript._opening.skeleton) - 1
        other = {"g": "G", "G": "g"}[first]
        for _ in range(3):
            await play(pilot, keys(first, other))
            assert transcript.cursor == {"g": 0, "G": last}[other]
            await play(pilot, keys("z"))  # the pages are laid out anew


async def test_what_is_typed_after_leaving_is_for_nobody(app: RecallApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await rested(pilot)
        for step in keys("ctrl+q", "ctrl+p", "pagedown", "alt+g", "f3", "down", "x"):
            do(pilot, step)
    assert app._exception is None


@pytest.mark.parametrize("opener", ["f1", "f3", "alt+g", "ctrl+p", "alt+n"])
async def test_a_screen_that_is_closed_while_it_is_made_has_nothing_to_say(
    app: RecallApp, opener: str
) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await rested(pilot)
        for _ in range(3):
            await app._check_bindings(opener)
            await app._check_bindings(opener, priority=True)
            while len(app.screen_stack) > 1:
                app.pop_screen()
            await settled(pilot)
        await holds(pilot)


async def test_a_click_beside_a_palette_that_became_small(app: RecallApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await rested(pilot)
        await play(pilot, [*keys("ctrl+p"), Step("breathe", 0.2), Step("resize", (20, 5))])
        click = events.Click(
            app.screen, 80, 30, 0, 0, 1, shift=False, meta=False, ctrl=False, screen_x=80,
            screen_y=30,
        )  # fmt: skip
        app.screen.post_message(click)
        await settled(pilot)
        await holds(pilot)
        await way_out(pilot)


@pytest.mark.parametrize("size", [(1, 1), (2, 40), (1, 40), (120, 1), (3, 3), (300, 100)])
async def test_a_session_comes_to_rest_at_any_size(app: RecallApp, size: tuple[int, int]) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await rested(pilot)
        await play(pilot, [*keys("enter"), Step("resize", size)])
        await holds(pilot)
        await play(pilot, [Step("resize", (80, 24))])
        await holds(pilot)
        await way_out(pilot)


async def test_sizes_that_come_together_end_at_the_last(app: RecallApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await rested(pilot)
        screen, drawn = app.screen, 0
        for size in (Size(20, 5), Size(120, 40)):
            app._size = size
            screen.post_message(events.Resize(size, size))
            screen.call_later(lambda: None)  # what comes between keeps them from being one
        real = screen._screen_resized

        def counting(size: Size) -> None:
            nonlocal drawn
            drawn += 1
            assert drawn <= 3, "the sizes call each other back"
            real(size)

        screen._screen_resized = counting  # type: ignore[method-assign]
        await asyncio.sleep(0.5)  # no rest is waited for: without end there is none
        assert screen.size == Size(120, 40)
