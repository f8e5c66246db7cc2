"""Outputs that a program saved in a file beside its session, as they were too large for it."""

from __future__ import annotations

import os
import stat


def saved(path: str, largest: int) -> bytes | None:
    """Return what a saved output holds.

    Args:
        path: Its place, made from a name in the session: it may lead to anything.
        largest: Bytes of an output that are read.

    Returns:
        None when there is no regular file, as a link or pipe is not, or it is larger.
    """
    try:
        status = os.lstat(path)
        if not stat.S_ISREG(status.st_mode) or status.st_size > largest:
            return None
        with open(path, "rb") as stream:
            return stream.read()
    except (OSError, ValueError):  # ValueError: a NUL in the name
        return None
