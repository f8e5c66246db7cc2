"""The palette and help: everything that can be done from where a person is, and nothing else."""

from __future__ import annotations

import pytest
from textual.command import CommandList, CommandPalette
from textual.widgets import Input

from recall_tui.tui.commands import Commands
from recall_tui.tui.in_force import scopes_here
from recall_tui.tui.keymap import ACTIONS, Scope
from recall_tui.tui.screens.health import HealthScreen
from recall_tui.tui.screens.help import HelpScreen, HelpSheet
from recall_tui.tui.widgets.sheet import Sheet
from tests.tui.conftest import make
from tests.tui.driving import main_of, rested, transcript_of, until
from tests.tui.fake import CHECKS

SIZE = (120, 40)

PLACES = {
    "box": ((), {Scope.BOX, Scope.MAIN}),
    "list": ((), {Scope.ROWS, Scope.LIST, Scope.MAIN}),
    "session": (("enter",), {Scope.SESSION, Scope.MAIN}),
    "find": (("enter", "slash"), {Scope.FIND, Scope.MAIN}),
    "health": (("alt+g",), {Scope.ROWS, Scope.HEALTH}),
    "statistics": (("f3",), {Scope.STATS}),
    "continue": (("enter", "c"), {Scope.SHEET, Scope.CONTINUE}),
    "repeat": (("enter", "r"), {Scope.SHEET, Scope.REPEAT}),
    "skill": (("enter", "s"), {Scope.SHEET, Scope.SKILL}),
    "hand off": (("enter", "H"), {Scope.SHEET, Scope.HANDOFF}),
    "outline": (("enter", "l"), {Scope.ROWS, Scope.PICK}),
    "notes": (("enter", "I"), {Scope.ROWS, Scope.PICK, Scope.NOTES}),
    "material": (("enter", "m"), {Scope.MATERIAL}),
}

BOXES = {Scope.ASK, Scope.CHOICE}
"""Small boxes over a screen, which name their keys themselves."""


def test_every_scope_is_a_place() -> None:
    here = set().union(*(scopes for _, scopes in PLACES.values()))
    assert here == set(Scope) - BOXES - {Scope.EVERYWHERE}


@pytest.mark.parametrize("place", PLACES)
async def test_the_palette_and_help_have_every_action_of_a_place(place: str) -> None:
    keys, scopes = PLACES[place]
    app = make()
    async with app.run_test(size=SIZE) as pilot:
        await rested(pilot)
        if place == "list":
            main_of(pilot).set_focus(main_of(pilot).results)
        await pilot.press(*keys)
        await until(pilot, lambda: set(scopes_here(app.screen)) == {*scopes, Scope.EVERYWHERE})
        screen = app.screen
        offered = list(Commands(screen)._offered())
        said = {bound.action.action for bound in offered}
        for action in ACTIONS:
            if action.scope in {*scopes, Scope.EVERYWHERE} and action.id != "palette":
                assert action.action in said, action.id
        for action, node in offered:
            name = action.action.partition("(")[0].rpartition(".")
            doer = {"app": app, "screen": screen}.get(name[0], node)
            assert hasattr(doer, f"action_{name[2]}"), f"{action.id} would do nothing"
        await pilot.press("f1")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        sheet = app.screen.query_one(HelpSheet).text
        for scope in scopes:
            assert f"Here: {scope}" in sheet
        assert all(action.words.split()[0] in sheet for action in ACTIONS)


async def test_what_is_picked_is_done_where_it_belongs() -> None:
    looked: list[int] = []
    app = make(examine=lambda: looked.append(1) or CHECKS)
    async with app.run_test(size=SIZE) as pilot:
        await rested(pilot)

        async def pick(words: str) -> None:
            await pilot.press("ctrl+p")
            await until(pilot, lambda: isinstance(app.screen, CommandPalette))
            app.screen.query_one(Input).value = words
            await pilot.pause(0.3)
            await pilot.press("enter")
            await until(pilot, lambda: not isinstance(app.screen, CommandPalette))

        await pick("list of prompts")
        await until(pilot, lambda: Scope.PICK in scopes_here(app.screen))
        await pilot.press("escape")
        assert app.focused is transcript_of(pilot), "a session's command is for the session"
        await pick("theme nord")
        assert app.theme == "nord"
        await pick("health")
        await until(pilot, lambda: isinstance(app.screen, HealthScreen) and bool(looked))
        await pick("look again")
        await until(pilot, lambda: len(looked) == 2)
        await pick("statistics")
        await until(pilot, lambda: Scope.STATS in scopes_here(app.screen))
        await pilot.press("alt+g")
        await until(pilot, lambda: isinstance(app.screen, HealthScreen))


async def test_keys_in_a_burst_scroll_as_far_as_one_by_one() -> None:
    app = make()
    async with app.run_test(size=(80, 12)) as pilot:
        await rested(pilot)
        await pilot.press("f1")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        help_ = app.screen
        assert isinstance(help_, HelpScreen)
        for _ in range(6):
            help_.action_step(1)
        assert help_._view.scroll_offset.y == 6
        await pilot.press("escape", "alt+g")
        await until(pilot, lambda: isinstance(app.screen, HealthScreen))
        sheet = app.screen.query_one(Sheet)
        sheet.show([[(str(number), "")] for number in range(50)])
        await pilot.pause()
        for _ in range(3):
            sheet.page(1)
        assert sheet.scroll_offset.y == 3 * (sheet.size.height - 2)


async def test_in_sixteen_colours_what_is_chosen_can_be_seen() -> None:
    app = make(theme="ansi-dark")
    async with app.run_test(size=SIZE) as pilot:
        await rested(pilot)
        await pilot.press("ctrl+p")
        await until(pilot, lambda: bool(app.screen.query(CommandList)))
        await pilot.pause(0.3)
        chosen, other = (app.screen.query_one(CommandList).render_line(y) for y in (0, 1))
        assert chosen._segments[1].style.bgcolor != other._segments[1].style.bgcolor
