"""Screens that are left once, however often that was asked for."""

from __future__ import annotations

import inspect
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from textual import work
from textual.await_complete import AwaitComplete
from textual.command import CommandPalette, SearchIcon
from textual.css.query import NoMatches
from textual.errors import NoWidget

from recall_tui.tui.faults import TellsFaults
from recall_tui.tui.first_frame import PROMPT
from recall_tui.tui.screens.steady import SteadyScreen

if TYPE_CHECKING:
    from textual import events

Result = TypeVar("Result")

_gather = inspect.unwrap(CommandPalette._gather_commands)


class LeftOnce(TellsFaults, SteadyScreen[Result]):
    """A screen whose second leaving does nothing.

    Of two clicks or keys in one burst the second is still on its way when the first has closed the
    screen: Textual would close the screen below for it, and fail when there is none.

    Stands last among a screen's bases: Textual inherits styles and bindings from the first.
    """

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Leave the screen with a result, unless it was left already."""
        return super().dismiss(result) if self.is_active else AwaitComplete()


class Palette(CommandPalette, LeftOnce[None]):
    """Textual's palette, left once. Its style comes by the first base alone."""

    def on_mount(self) -> None:
        """Show the prompt of our own box; Textual's picture is as wide as a terminal thinks."""
        self.query_one(SearchIcon).icon = PROMPT.strip()

    @work(exclusive=True, group=CommandPalette._GATHER_COMMANDS_GROUP)
    async def _gather_commands(self, search_value: str) -> None:
        """Look for commands; in a palette that was left meanwhile Textual finds no list."""
        with suppress(NoMatches):
            await _gather(self, search_value)

    def _action_command_list(self, action: str) -> None:
        """Move in the list; one without room was never laid out, and Textual fails at a page."""
        with suppress(KeyError):
            super()._action_command_list(action)

    def _on_click(self, event: events.Click) -> None:  # type: ignore[override]
        """Let a click pass that is beside the screen by now: Textual fails at it."""
        try:
            self.get_widget_at(event.screen_x, event.screen_y)
        except NoWidget:
            event.prevent_default()
