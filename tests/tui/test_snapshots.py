"""How every screen looks. Change them with `pytest --snapshot-update`, and look at each one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from recall_tui.model import Fact
from tests.tui.conftest import make
from tests.tui.driving import rested
from tests.tui.fake import DAY, NO_HISTORY_GAPS, NOW, FakeHistory

if TYPE_CHECKING:
    from textual.pilot import Pilot

FACT = (
    "The context window of sonnet-5 is 400k tokens since the August release; src/limits.py is the "
    "one place that says so."
)
WIDE = (120, 40)
SMALL = (80, 24)


class State(NamedTuple):
    """A screen and the keys that lead to it."""

    name: str
    size: tuple[int, int]
    keys: tuple[str, ...] = ()
    empty: bool = False
    theme: str = "recall"
    colour: bool = True
    pinned: bool = False


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
    State("hits-wide", (160, 40), typed("the")),
    State("hits-grey", SMALL, typed("context window"), colour=False),
    State("recall", WIDE, ("ctrl+t", *typed("context window xyzzy yesterday"))),
    State("recall-small", SMALL, ("ctrl+t", *typed("context window"))),
    State("recall-light", WIDE, ("ctrl+t", *typed("context window")), theme="recall-light"),
    State("recall-grey", WIDE, ("ctrl+t", *typed("context window")), colour=False),
    State("recall-cjk", SMALL, ("ctrl+t", *typed("上下文窗口"))),
    State("recall-nothing", WIDE, ("ctrl+t", *typed("zzzz"))),
    State("pinned-selected", WIDE, ("tab", "x", "x"), pinned=True),
    State("selected-grey", SMALL, ("tab", "x", "down", "x"), colour=False),
    State("by-project", WIDE, ("alt+p", "alt+o")),
    State("by-harness-small", SMALL, ("alt+p", "alt+p")),
    State("past", SMALL, ("ctrl+r",)),
    State("completion", SMALL, typed("harness:cop")),
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
    State("guard-light", WIDE, ("alt+g", "down", "down"), theme="recall-light"),
    State("palette", WIDE, ("ctrl+p",)),
    State("empty", WIDE, empty=True),
    State("empty-small", SMALL, empty=True),
]


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.name)
def test_looks(state: State, snap_compare, monkeypatch: pytest.MonkeyPatch) -> None:
    history = FakeHistory([], NO_HISTORY_GAPS) if state.empty else FakeHistory()
    history.facts = [Fact(FACT, "project", NOW - 9 * DAY)]
    history.past, history.kept = ["harness:codex limits", "[/b] 上下文窗口"], {"role:user since:7d"}
    if state.pinned:
        history.pinned = [history.sessions()[2].key]
    if not state.colour:
        monkeypatch.setenv("NO_COLOR", "1")

    async def lead(pilot: Pilot[object]) -> None:
        await rested(pilot)
        for key in state.keys:
            await pilot.press(key)
            if len(key) > 1:
                await rested(pilot)
        await rested(pilot)

    app = make(history, theme=state.theme)
    assert snap_compare(app, terminal_size=state.size, run_before=lead)
