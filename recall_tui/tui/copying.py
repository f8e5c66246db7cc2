"""Copying from a screen: off the loop, with a toast that says where the text went."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from recall_tui.clipboard import copy

if TYPE_CHECKING:
    from textual.app import App


def copy_in_thread(app: App[object], text: str, what: str) -> None:
    """Copy a text; call it in a worker thread."""
    copied = copy(text, what, os.environ)
    if copied.osc52:
        app.call_from_thread(app.copy_to_clipboard, copied.osc52)
    app.notify(copied.words, markup=False, timeout=3)
