"""The pause switch: while it is on, or cannot be read, nothing is searched or read (Q20).

The state is one small JSON file beside the index, `{"paused": true}`. No file means that nobody has
paused. Anything else that is not plainly "not paused" counts as paused: fail closed (S0-19).
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Final

from recall_tui.errors import PausedError, StoreError
from recall_tui.paths import private_folder, write_new

FILE: Final = "privacy.json"
_MOST_BYTES: Final = 4096


def is_paused(folder: str) -> bool:
    """Return whether Recall is paused, or may be.

    Args:
        folder: The folder of our own data.
    """
    path = os.path.join(folder, FILE)
    try:
        with open(path, "rb") as file:
            import json  # noqa: PLC0415 - hardly ever is there a state at all

            state = json.loads(file.read(_MOST_BYTES))
    except FileNotFoundError:
        return os.path.islink(path)  # a link to nowhere is no state anybody can read
    except (OSError, ValueError, RecursionError):
        return True
    return not (isinstance(state, dict) and state.get("paused") is False)


def require_open(folder: str) -> None:
    """Return when history may be read.

    Raises:
        PausedError: Recall is paused, or the state cannot be read.
    """
    if is_paused(folder):
        raise PausedError("recall is paused: nothing is searched or read", "recall unpause ends it")


def pause(folder: str) -> None:
    """Let nothing be searched or read from now on.

    Raises:
        StoreError: It cannot be noted.
    """
    path = os.path.join(private_folder(folder), FILE)
    fresh = f"{path}.new"
    try:
        with suppress(FileNotFoundError):
            os.unlink(fresh)
        write_new(fresh, b'{"paused": true}\n')
        os.replace(fresh, path)
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror or error}") from error


def unpause(folder: str) -> None:
    """Let history be searched and read again, whatever state there was.

    Raises:
        StoreError: The state cannot be removed.
    """
    path = os.path.join(folder, FILE)
    try:
        with suppress(FileNotFoundError):
            os.unlink(path)
    except OSError as error:
        raise StoreError(f"cannot remove {path}: {error.strerror or error}") from error
