"""Waiting for the app to come to rest, instead of sleeping."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.pilot import Pilot

    from recall_tui.tui.screens.main import MainScreen
    from recall_tui.tui.widgets.result_list import ResultList
    from recall_tui.tui.widgets.transcript import Transcript


def main_of(pilot: Pilot[object]) -> MainScreen:
    """Return the main screen."""
    return pilot.app.screen_stack[0]  # type: ignore[return-value]


def results_of(pilot: Pilot[object]) -> ResultList:
    """Return the list."""
    return main_of(pilot).results


def transcript_of(pilot: Pilot[object]) -> Transcript:
    """Return the session beside it."""
    return main_of(pilot).transcript


async def until(pilot: Pilot[object], holds: Callable[[], bool], what: str = "") -> None:
    """Wait until something holds, at most five seconds."""
    for _ in range(500):
        if holds():
            await pilot.pause()
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"never came: {what or holds}")


async def rested(pilot: Pilot[object]) -> None:
    """Wait until the list and the session beside it are on the screen."""
    main = main_of(pilot)

    def at_rest() -> bool:
        busy = any(
            worker.group
            in {"sessions", "search", "page", "transcript", "transcript-page", "examine"}
            for worker in pilot.app.workers
            if not worker.is_finished
        )
        timers = (main._settle, main._preview)
        waiting = any(timer is not None for timer in timers)
        return main._sessions is not None and not busy and not waiting and not main._search.running

    await until(pilot, at_rest, "rest")
    await until(pilot, at_rest, "rest")


async def type_text(pilot: Pilot[object], text: str) -> None:
    """Type into whatever has the focus, then wait."""
    names = {" ": "space", ":": "colon", "(": "left_parenthesis", "_": "underscore"}
    await pilot.press(*(names.get(char, char) for char in text))
    await rested(pilot)
