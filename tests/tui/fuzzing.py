"""A monkey at the keyboard: seeded keys, clicks, wheels, pastes and resizes, faster than they are
drawn; and what must hold afterwards."""

from __future__ import annotations

import asyncio
import random
import unicodedata
from typing import TYPE_CHECKING, Final, NamedTuple

from textual import events
from textual.geometry import Size
from textual.keys import _character_to_key

from recall_tui.tui.keymap import ACTIONS
from tests.tui.driving import main_of, rested, until

if TYPE_CHECKING:
    from textual.pilot import Pilot

QUITTING: Final = {"ctrl+q", "ctrl+c", "f2"}
KEYS: Final = sorted(
    {key for action in ACTIONS for key in action.keys.split(",")} - QUITTING
    | {"tab", "shift+tab", "backspace", "delete", "ctrl+h", "ctrl+z", "ctrl+l", "insert", "f12"}
)
WORDS: Final = ("needle", "上下文", "harness:", "since:7d ", "(", "[", '"', "\\", ":", "👍🏽", ".*")
SIZES: Final = ((1, 1), (2, 40), (120, 1), (20, 5), (80, 24), (120, 40), (300, 100), (59, 10))


class Step(NamedTuple):
    """One thing the monkey does."""

    what: str
    value: object


def steps(seed: int, count: int) -> list[Step]:
    """Return what a monkey does: always the same for a seed."""
    rng = random.Random(seed)
    done: list[Step] = []
    while len(done) < count:
        dice = rng.random()
        if dice < 0.62:
            done.append(Step("key", rng.choice(KEYS)))
        elif dice < 0.72:
            done.append(Step("type", rng.choice(WORDS)))
        elif dice < 0.84:
            done.append(Step("mouse", (rng.random(), rng.random(), rng.choice("cccwWdr"))))
        elif dice < 0.90:
            done.append(Step("resize", rng.choice(SIZES)))
        elif dice < 0.93:
            done.append(Step("paste", rng.choice(("x\ny", "a\tb\x1b[31m", "z" * 5000, "\x00"))))
        elif dice < 0.97:
            done.append(Step("breathe", rng.choice((0.0, 0.01, 0.06))))
        else:
            done.append(Step("key", "escape"))
    return done


def _key(name: str) -> events.Key:
    character = name if len(name) == 1 else " " if name == "space" else None
    return events.Key(_character_to_key(name) if len(name) == 1 else name, character)


def do(pilot: Pilot[object], step: Step) -> None:
    """Let one step reach the app as the driver would hand it on, without waiting for it."""
    app = pilot.app
    if step.what == "key":
        app.post_message(_key(str(step.value)))
    elif step.what == "type":
        for char in str(step.value):
            app.post_message(_key(char))
    elif step.what == "paste":
        app.post_message(events.Paste(str(step.value)))
    elif step.what == "resize":
        size = Size(*step.value)  # type: ignore[misc]
        app._driver._size = (size.width, size.height)  # type: ignore[union-attr]
        app.post_message(events.Resize(size, size))
    elif step.what == "mouse":
        across, down, how = step.value  # type: ignore[misc]
        _mouse(pilot, int(across * app.size.width), int(down * app.size.height), how)


def _mouse(pilot: Pilot[object], x: int, y: int, how: str) -> None:
    kinds: dict[str, list[type[events.MouseEvent]]] = {
        "c": [events.MouseDown, events.MouseUp],
        "r": [events.MouseDown, events.MouseUp],
        "d": [events.MouseDown, events.MouseMove, events.MouseUp],
        "w": [events.MouseScrollDown],
        "W": [events.MouseScrollUp],
    }
    for number, kind in enumerate(kinds[how]):
        far = number * 3
        pilot.app.post_message(
            kind(
                widget=None, x=x + far, y=y + far // 3, delta_x=0, delta_y=0,
                button=3 if how == "r" else 1, shift=False, meta=False, ctrl=False,
                screen_x=x + far, screen_y=y + far // 3,
            )
        )  # fmt: skip


def cells(pilot: Pilot[object]) -> list[str]:
    """Return the rows of the screen; each is as wide as the screen, and holds only characters."""
    screen = pilot.app.screen
    rows = []
    for strip in screen._compositor.render_strips(screen.size):
        assert strip.cell_length == screen.size.width, strip.text
        for char in strip.text:
            assert unicodedata.category(char) not in {"Cc", "Cs"}, f"{char!r} in {strip.text!r}"
        rows.append(strip.text)
    return rows


async def settled(pilot: Pilot[object]) -> None:
    """Wait until everything that was asked for has come."""
    await until(pilot, lambda: pilot.app.message_queue_size == 0, "the queue is empty")
    await rested(pilot)
    await until(
        pilot, lambda: all(w.is_finished or w.group == "poll" for w in pilot.app.workers), "workers"
    )
    await pilot.pause()


async def holds(pilot: Pilot[object]) -> None:
    """Check what must hold whatever was pressed: the way out, and nothing stale on the screen."""
    app = pilot.app
    assert app._exception is None, app._exception
    kinds = [type(screen).__name__ for screen in app.screen_stack]
    assert len(kinds) == len(set(kinds)), f"opened twice: {kinds}"
    before = cells(pilot)
    main = main_of(pilot)
    for widget in (main.results, main.transcript):
        widget.notify_style_update()
    app.screen.refresh(layout=True)
    app.screen.refresh()
    await pilot.pause()
    after = cells(pilot)
    assert before == after, "something stale was on the screen"


async def way_out(pilot: Pilot[object]) -> None:
    """Check that escape leads back to an empty box, and the box to the list."""
    for _ in range(12):
        app = pilot.app
        main = main_of(pilot)
        if len(app.screen_stack) == 1 and app.focused is main.box and not main.box.value:
            break
        await pilot.press("escape")
        await settled(pilot)
    main = main_of(pilot)
    assert len(pilot.app.screen_stack) == 1, pilot.app.screen_stack
    assert pilot.app.focused is main.box, pilot.app.focused
    assert not main.box.value
    await settled(pilot)
    assert main.results.listing is not None


async def play(pilot: Pilot[object], played: list[Step]) -> None:
    """Do all steps, a few between two looks."""
    for step in played:
        if step.what == "breathe":
            await asyncio.sleep(float(step.value))  # type: ignore[arg-type]
        else:
            do(pilot, step)
        assert pilot.app._exception is None, pilot.app._exception
    await settled(pilot)
