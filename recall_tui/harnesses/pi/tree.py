"""The tree in pi's files: what lies on the way from the last entry to the root, and what does not.

An entry normally hangs under the one before it. One that hangs under an earlier entry begins a
branch: the entries between are abandoned, unless a still later one goes back to them.
"""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from recall_tui.harnesses.base import StaleCheckpoint
from recall_tui.harnesses.jsonl import REFUSED
from recall_tui.harnesses.pi import records
from recall_tui.named import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class Ahead(NamedTuple):
    """What lies ahead."""

    end: int
    """Offset behind the last whole line."""
    abandoned: frozenset[str]
    """Ids of the entries that are not on the active branch."""


def look_ahead(stream: IO[bytes], offset: int, last: str) -> Ahead:
    """Read from the stream's place to its end and find the abandoned entries.

    A parent that is no entry at all (other programs write tool call ids there) counts as the entry
    before.

    Args:
        stream: Stands at the first line; can be read from its beginning.
        offset: The offset it stands at.
        last: Id of the last entry before, empty at the start.

    Raises:
        StaleCheckpoint: The active branch leaves the entries before somewhere else than at `last`.
    """
    start = offset
    places: dict[str, int] = {last: 0} if last else {}
    parents: list[int] = [-1] if last else []
    names: list[str] = [last] if last else []
    strangers: set[str] = set()
    straight = True
    for line in stream:
        if not line.endswith(b"\n"):
            break
        offset += len(line)
        for link in _links(line):
            before = len(names) - 1
            parent = before
            if link.parentId is None:
                parent = -1
                if last:
                    raise StaleCheckpoint("a new root")
            elif isinstance(link.parentId, str):
                parent = places.get(link.parentId, before)
                if link.parentId not in places:
                    strangers.add(link.parentId)
            straight = straight and parent == before
            places[link.id] = len(names)
            parents.append(parent)
            names.append(link.id)
    if start and strangers and _any_entry(stream, start, strangers):
        raise StaleCheckpoint("a branch of an earlier entry")
    if straight:
        return Ahead(offset, frozenset())
    active = set()
    at = len(names) - 1
    while at >= 0:
        active.add(at)
        at = parents[at]
    return Ahead(offset, frozenset(n for i, n in enumerate(names) if i not in active))


def _links(line: bytes) -> Iterator[records.Link]:
    """Yield where the entry of a line hangs, nothing for a line without an id."""
    if b'"type":"session"' in line[:64]:
        return
    try:
        link = records.link.decode(line)
    except REFUSED:
        return
    if link.id:
        yield link


def _any_entry(stream: IO[bytes], end: int, names: set[str]) -> bool:
    """Say whether one of the names is an entry before an offset."""
    stream.seek(0)
    read = 0
    for line in stream:
        read += len(line)
        if read > end:
            break
        if any(link.id in names for link in _links(line)):
            return True
    return False
