"""How every screen looks. Change them with `pytest --snapshot-update`, and look at each one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.tui.conftest import make
from tests.tui.driving import rested
from tests.tui.fake import NO_HISTORY_GAPS, FakeHistory

if TYPE_CHECKING:
    from textual.pilot import Pilot

WIDE = (120, 40)
SMALL = (80, 24)


class State(NamedTuple):
    """A screen and the keys that lead to it."""

    name: str
    size: tuple[int, int]
    keys: tuple[str, ...] = ()
    empty: bool = False
    theme: str = "recall"


def typed(text: str) -> tuple[str, ...]:
    return tuple({" ": "space", ":": "colon"}.get(char, char) for char in text)


STATES = [
    State("browse", WIDE),
    State("browse-small", SMALL),
    State("browse-ultra", (200, 50)),
    State("browse-light", WIDE, theme="recall-light"),
    State("browse-ansi", WIDE, theme="ansi-dark"),
    State("hits", WIDE, typed("context window")),
    State("hits-small", SMALL, typed("context window")),
    State("hits-light", WIDE, typed("context window"), theme="recall-light"),
    State("hits-cjk", WIDE, typed("上下文窗口")),
    State("filters", WIDE, typed("harness:codex limits")),
    State("session", WIDE, ("enter", "g")),
    State("session-small", SMALL, ("enter", "g")),
    State("session-unfolded", WIDE, ("enter", "g", "z", "J")),
    State("session-whole", WIDE, ("enter", "o", "g")),
    State("session-cjk", SMALL, ("down", "down", "enter")),
    State("session-rewound", WIDE, ("down", "down", "down", "down")),
    State("no-hits", WIDE, typed("zzzz")),
    State("wrong-filter", SMALL, typed("harnes:codex")),
    State("help", WIDE, ("f1",)),
    State("help-small", SMALL, ("f1",)),
    State("gaps", WIDE, ("alt+g",)),
    State("gaps-small", SMALL, ("alt+g",)),
    State("palette", WIDE, ("ctrl+p",)),
    State("empty", WIDE, empty=True),
    State("empty-small", SMALL, empty=True),
]


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.name)
def test_looks(state: State, snap_compare) -> None:
    history = FakeHistory([], NO_HISTORY_GAPS) if state.empty else FakeHistory()

    async def lead(pilot: Pilot[object]) -> None:
        await rested(pilot)
        for key in state.keys:
            await pilot.press(key)
            if len(key) > 1:
                await rested(pilot)
        await rested(pilot)

    app = make(history, theme=state.theme)
    assert snap_compare(app, terminal_size=state.size, run_before=lead)
