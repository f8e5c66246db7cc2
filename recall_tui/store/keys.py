"""How a session is named: `<harness>:<native id>`, and more when two files share the id."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recall_tui.harnesses.base import Source


def session_keys(source: Source, native_id: str) -> tuple[str, ...]:
    """Return the keys a session may get, in order: it takes the first that no other one has.

    The additions come from where the file lies below its root, then from its whole path, so they
    are the same on every machine for as long as they can be.
    """
    place = f"{os.path.relpath(source.path, source.root)}\0{source.part}"
    mark = f"{crc32(place.encode()):08x}{crc32(source.path.encode()):08x}"
    key = f"{source.harness}:{native_id or mark[:8]}"
    return (key, *(f"{key}@{mark[:digits]}" for digits in (4, 8, 16)))


def claimed(source: Source, twins: Iterable[Source]) -> bool:
    """Return whether another source of the same native id gets the plain key: the first by path.

    Not the first to be read, for that is chance.
    """
    first = min(twins, key=lambda twin: (twin.path, twin.part), default=source)
    return (first.path, first.part) < (source.path, source.part)
