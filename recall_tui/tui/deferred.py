"""A history that is opened by whoever first asks it something: never before the first frame."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from recall_tui.history import History


class Deferred:
    """Stands for a `History`; opens it in the worker thread that first uses it.

    Importing the store and opening the index cost what a quarter of the first frame does, and the
    frame needs neither. Every question to a history is asked in a worker thread already.

    Args:
        opener: Opens the history; what it raises, the first questions raise.
    """

    def __init__(self, opener: Callable[[], History]) -> None:
        self._opener = opener
        self._lock = threading.Lock()
        self._opened: History | None = None

    def __getattr__(self, name: str) -> object:
        with self._lock:
            if self._opened is None:
                self._opened = self._opener()
        return getattr(self._opened, name)

    def close(self) -> None:
        """Close the history, if it was ever opened."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()


def deferred(opener: Callable[[], History]) -> History:
    """Return a stand-in for the history `opener` opens."""
    return cast("History", Deferred(opener))
