"""Kitty's pictures, and how they are taken back.

`textual-image` sends them and places them. To take one back it asks for placements to be deleted,
which leaves the picture itself in the terminal's memory, and does so only for one that it replaces.
"""

from __future__ import annotations

from textual_image.renderable.tgp import Image as _Sent
from textual_image.widget import TGPImage

from recall_tui.tui import graphics


class _TakenBack(_Sent):
    def _create_virtual_placement(self, width: int, height: int) -> None:
        super()._create_virtual_placement(width, height)
        if self.terminal_image_id:
            graphics.sent(self.terminal_image_id)

    def cleanup(self) -> None:
        """Have the terminal forget the picture."""
        if self.terminal_image_id:
            graphics.take_back(self.terminal_image_id)
            self.terminal_image_id = None


class KittyImage(TGPImage, Renderable=_TakenBack):
    """A picture that is gone from the terminal's memory with its widget."""

    def on_unmount(self) -> None:
        """Take the picture back."""
        if self._renderable is not None:
            self._renderable.cleanup()
