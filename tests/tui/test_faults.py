"""A fault in the background is said, whoever started the work."""

from __future__ import annotations

import pytest

from tests.tui.conftest import make
from tests.tui.driving import main_of, rested, until
from tests.tui.fake import FakeHistory


@pytest.mark.parametrize("method", ["sessions", "grep", "skeleton", "pins"])
async def test_a_fault_in_the_background_is_said(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = FakeHistory()
    app = make(history)

    def broken(*_: object, **__: object) -> object:
        raise TypeError("no such thing")

    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await rested(pilot)
        monkeypatch.setattr(history, method, broken)
        if method == "grep":
            await pilot.press("x")
        elif method == "skeleton":
            await pilot.press("down")
        else:
            await pilot.press("f5")
        await until(pilot, lambda: any("TypeError: no such thing" in n.message
                                       for n in app._notifications))  # fmt: skip
        search = main_of(pilot)._search
        assert not search.running and search.failed == (method == "grep")


async def test_keys_that_come_while_the_early_ones_are_taken_wait_behind_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from asyncio import sleep

    from textual.events import Key

    app = make()
    async with app.run_test() as pilot:
        await rested(pilot)
        press = app._press

        async def slow(event: Key) -> None:
            await sleep(0.01)
            await press(event)

        monkeypatch.setattr(app, "_press", slow)
        app._early_keys = [Key("a", "a"), Key("b", "b")]

        app._take_early_keys()
        app.post_message(Key("c", "c"))
        await sleep(0.005)
        app.post_message(Key("d", "d"))
        await until(pilot, lambda: app.query_one("#query").value == "abcd")  # type: ignore[attr-defined]
