"""Screens that hold in a storm of keys and resizes."""

from __future__ import annotations

from typing import TypeVar

from textual import events
from textual.screen import Screen

Result = TypeVar("Result")


class SteadyScreen(Screen[Result]):
    """A screen that is laid out for the size the terminal has, and for no size of before.

    Each layout for another size has Textual send the screen that size once more. Of two sizes that
    were on their way together each called the other back, and the screen was drawn for the one and
    the other in turn without end.
    """

    async def on_event(self, event: events.Event) -> None:
        """Let the mount pass of a screen that was closed while it was made.

        It has no widgets then, or no screen below it.
        """
        stays = self.children and self in self.app.screen_stack
        if stays or not isinstance(event, events.Mount):
            await super().on_event(event)

    async def _on_resize(self, event: events.Resize) -> None:
        """Let a size pass that is not the terminal's any more."""
        if event.size != self.app.size:
            event.stop()
            event.prevent_default()
