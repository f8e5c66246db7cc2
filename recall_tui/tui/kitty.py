"""Kitty's pictures, and how they are taken back.

`textual-image` sends them and places them. To take one back it asks for placements to be deleted,
which leaves the picture itself in the terminal's memory, and does so only for one that it replaces.
"""

from __future__ import annotations

import sys

from textual_image.renderable.tgp import Image as _Sent
from textual_image.widget import TGPImage


class _TakenBack(_Sent):
    def cleanup(self) -> None:
        """Have the terminal forget the picture."""
        if self.terminal_image_id and sys.__stdout__ is not None:
            sys.__stdout__.write(f"\x1b_Ga=d,d=I,i={self.terminal_image_id},q=2\x1b\\")
            sys.__stdout__.flush()
            self.terminal_image_id = None


class KittyImage(TGPImage, Renderable=_TakenBack):
    """A picture that is gone from the terminal's memory with its widget."""

    def on_unmount(self) -> None:
        """Take the picture back."""
        if self._renderable is not None:
            self._renderable.cleanup()
