"""How every screen behind a session looks. Change them with `--snapshot-update`, and look."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from recall_tui.playbooks import handoff, programs, skill
from tests.tui.conftest import make
from tests.tui.drawn import NOTES, animated, bomb, cut_short, held, png
from tests.tui.driving import rested, until
from tests.tui.fake import FakeHistory
from tests.tui.test_playbooks import open_ended
from tests.tui.test_session_acts import family

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.pilot import Pilot

WIDE = (120, 40)
SMALL = (80, 24)


def strip() -> FakeHistory:
    files = {
        "overflow.png": png(),
        "spinner.gif": animated(),
        "notes.txt": NOTES.encode(),
        "spec.pdf": b"%PDF-1.7 x",
        "bomb.png": bomb(),
        "cut.png": cut_short(),
    }
    return held(files, kinds={"notes.txt": "text", "spec.pdf": "pdf"})


def one() -> FakeHistory:
    return held({"overflow.png": png()})


def noted() -> FakeHistory:
    history = FakeHistory()
    history.add_note(history.sessions()[0], 1, "check this number with Ben before the release")
    return history


def spent() -> FakeHistory:
    history = FakeHistory()
    held = history._sessions
    held[0] = held[0]._replace(tokens_in=1_840_000, tokens_out=41_300, cost_usd=3.27)
    held[1] = held[1]._replace(tokens_in=92_000, tokens_out=8_100)
    return history


class State(NamedTuple):
    """A screen and the keys that lead to it."""

    name: str
    size: tuple[int, int]
    keys: tuple[str, ...]
    history: Callable[[], FakeHistory] = FakeHistory
    theme: str = "recall"


MATERIAL = ("enter", "m")

STATES = [
    State("material", WIDE, MATERIAL, one),
    State("material-shown", WIDE, (*MATERIAL, "enter"), one),
    State("material-shown-small", SMALL, (*MATERIAL, "enter"), one),
    State("material-pixels", WIDE, (*MATERIAL, "enter", "z"), one),
    State("material-strip", WIDE, (*MATERIAL, "enter", "n", "enter"), strip),
    State("material-strip-light", SMALL, (*MATERIAL, "enter"), strip, "recall-light"),
    State("material-text", SMALL, (*MATERIAL, "n", "n", "enter"), strip),
    State("material-bomb", SMALL, (*MATERIAL, "N", "N", "enter"), strip),
    State("material-gone", SMALL, (*MATERIAL, "enter")),
    State("material-save", SMALL, (*MATERIAL, "s"), one),
    State("continue", WIDE, ("enter", "c"), open_ended),
    State("continue-small", SMALL, ("enter", "c", "enter"), open_ended),
    State("repeat", WIDE, ("enter", "r"), open_ended),
    State("repeat-small", SMALL, ("enter", "r", "enter"), open_ended),
    State("skill", WIDE, ("enter", "s")),
    State("skill-small", SMALL, ("enter", "s"), theme="recall-light"),
    State("handoff", WIDE, ("enter", "H")),
    State("handoff-small", SMALL, ("enter", "H")),
    State("outline", WIDE, ("enter", "l")),
    State("outline-small", SMALL, ("enter", "l")),
    State("copy", WIDE, ("enter", "o", "g", "down", "down", "down", "down", "C")),
    State("copy-small", SMALL, ("enter", "o", "C")),
    State("time", SMALL, ("enter", "o", "t")),
    State("note", WIDE, ("enter", "o", "g", "down"), noted),
    State("output-one-line", WIDE, ("enter", "o", "g", "minus")),
    State("output-many-lines", WIDE, ("enter", "o", "g", "plus")),
    State("family", WIDE, ("enter", "a"), family),
    State("family-none", SMALL, ("enter", "a")),
    State("statistics", WIDE, ("f3",), spent),
    State("statistics-small", SMALL, ("f3", "tab"), spent),
    State("statistics-light", WIDE, ("f3", "shift+tab"), spent, "recall-light"),
]


async def settled(pilot: Pilot[object]) -> None:
    """Wait for the list, the session and whatever was started from it."""
    await rested(pilot)

    def still() -> bool:
        started = {"material", "scale", "detour", "stats"}
        return not any(
            worker.group in started or worker.group.startswith("errand")
            for worker in pilot.app.workers
            if not worker.is_finished
        )

    for _ in range(3):
        await until(pilot, still, "detours at rest")


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.name)
def test_looks(state: State, snap_compare, monkeypatch, tmp_path) -> None:
    monkeypatch.setattr("recall_tui.tui.screens.material.os.getcwd", lambda: "/home/mei/src/app")

    async def lead(pilot: Pilot[object]) -> None:
        await settled(pilot)
        for key in state.keys:
            await pilot.press(key)
            await settled(pilot)

    for made in (skill, handoff):
        monkeypatch.setattr(made, "__version__", "1.0")
    monkeypatch.setattr(programs.shutil, "which", lambda _: None)
    app = make(state.history(), theme=state.theme)
    assert snap_compare(app, terminal_size=state.size, run_before=lead)
