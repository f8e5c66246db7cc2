"""Screens that come to rest after a storm of resizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from textual.screen import Screen

if TYPE_CHECKING:
    from textual import events

Result = TypeVar("Result")


class SteadyScreen(Screen[Result]):
    """A screen that is laid out for the size the terminal has, and for no size of before.

    Each layout for another size has Textual send the screen that size once more. Of two sizes that
    were on their way together each called the other back, and the screen was drawn for the one and
    the other in turn without end.
    """

    async def _on_resize(self, event: events.Resize) -> None:
        """Let a size pass that is not the terminal's any more."""
        if event.size != self.app.size:
            event.stop()
            event.prevent_default()
