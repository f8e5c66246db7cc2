"""Which sources may share history, told by how their files begin, before any is read.

A copy repeats the records of its original with their ids, and a fork names its origin near its
beginning. So two files that begin with no id in common are not related, and most share none: this
spares the cold path from reading every session before it can say whose a message is.

The copy of a compacted session begins with what stands midway in its original. Such a file tells,
and only for it are others searched: first those beside it, where the original mostly lies.
"""

from __future__ import annotations

import os
import re
from functools import cached_property
from typing import TYPE_CHECKING, Final, cast

from recall_tui.harnesses.files import fetch_first_bytes, file_holds, first_bytes
from recall_tui.store.clean import session_name

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from recall_tui.harnesses.base import Compacting, Harness, Kindred, Source

_ID: Final = re.compile(rb'd"(?<=[iI]d")\s*:\s*"([^"\\]{1,200})"')
"""The value of a key that ends in `id`. A pattern that begins with what is rare is four times as
quick as one that names the keys."""
_IDS: Final = 12
"""Ids of a file that are looked at. Before its first message stand those of the session and of a
few records of the program's own."""
_HEADS: Final = (16 << 10, 64 << 10, 1 << 20)
"""Bytes in which so many are looked for: a first record may hold a whole document."""


class Kin:
    """The relations of some sources, looked for when first asked about."""

    def __init__(self, sources: Sequence[tuple[Harness, Source]]) -> None:
        self._sources = sources
        self._by_name: dict[tuple[str, str], list[int]] | None = None
        self._sharing: list[list[int]] = []

    def named(self, harness: str, native_id: str) -> list[int]:
        """Return the rows whose place on disk says that they have a native id."""
        if self._by_name is None:
            self._by_name = {}
            for row, (_, source) in enumerate(self._sources):
                self._by_name.setdefault(_name(source), []).append(row)
        return self._by_name.get((harness, native_id), [])

    def of(self, row: int) -> set[int]:
        """Return the rows that may share history with one, itself left out."""
        groups, midway = self._near
        found = {*self.named(*_name(self._sources[row][1])), *midway.get(row, ())}
        for group in groups.get(row, ()):
            found.update(self._sharing[group])
        found.discard(row)
        return found

    def midway(self, row: int) -> set[int]:
        """Return the rows of which one begins with a record that the other one has midway."""
        return self._near[1].get(row, set())

    @cached_property
    def _near(self) -> tuple[dict[int, list[int]], dict[int, set[int]]]:
        """Which sources begin alike, and which begin within another.

        Row -> indices of `_sharing`; row -> rows that begin with what it has midway, or have midway
        what it begins with.
        """
        within: list[tuple[int, bytes]] = []
        first: dict[int, int] = {}
        group_of: dict[int, int] = {}
        groups: dict[int, list[int]] = {}
        for row, mark in self._marks(within):
            key = hash(mark)  # thousands of files: their ids themselves would take megabytes
            other = first.setdefault(key, row)
            if other == row:
                continue
            group = group_of.get(key)
            if group is None:
                group = group_of[key] = len(self._sharing)
                self._sharing.append([other])
                groups.setdefault(other, []).append(group)
            if self._sharing[group][-1] != row:
                self._sharing[group].append(row)
                groups.setdefault(row, []).append(group)
        midway: dict[int, set[int]] = {}
        for row, record in within:
            for other in self._holders(row, record):
                midway.setdefault(row, set()).add(other)
                midway.setdefault(other, set()).add(row)
        return groups, midway

    def _holders(self, row: int, record: bytes) -> list[int]:
        """Return the rows whose files hold a record that one begins with, itself left out."""
        harness, path = self._sources[row][1][:2]
        beside: dict[bool, list[int]] = {True: [], False: []}
        for other, (_, source) in enumerate(self._sources):
            if other != row and source.harness == harness and not source.part:
                near = os.path.dirname(source.path) == os.path.dirname(path)
                beside[near].append(other)
        for others in beside.values():
            found = [one for one in others if file_holds(self._sources[one][1].path, record)]
            if found:
                return found
        return []

    def _marks(self, midway: list[tuple[int, bytes]]) -> Iterator[tuple[int, Hashable]]:
        """Yield (row, what a relative of it begins with as well).

        Args:
            midway: Gets (row, record) of each that begins with what its original has midway.
        """
        within: dict[tuple[str, str], Mapping[str, str]] = {}
        whole = (source.path for _, source in self._sources if not source.part)
        fetch_first_bytes(whole, _HEADS[0])
        for row, (harness, source) in enumerate(self._sources):
            if source.part:
                place = source.harness, source.path
                if place not in within:
                    within[place] = _alike(harness, source.path)
                if mark := within[place].get(source.part):
                    yield row, (place, mark)
            else:
                names, record = _beginning(harness, source)
                if record:
                    midway.append((row, record))
                for name in names:
                    yield row, (source.harness, name)


def _name(source: Source) -> tuple[str, str]:
    native_id = source.native_id
    if not _PLAIN.fullmatch(native_id):  # to see that nothing has to be cleaned takes 0.1 ms
        native_id = session_name(native_id)
    return source.harness, native_id


_PLAIN: Final = re.compile(r"[0-9a-f-]{36}(?:/agent-[0-9a-z]{1,17})?")
"""Most native ids: a UUID, and what a subagent adds to it."""


def _alike(harness: Harness, path: str) -> Mapping[str, str]:
    try:
        return cast("Kindred", harness).alike(path) if hasattr(harness, "alike") else {}
    except Exception:  # a reader's fault: what cannot be told apart is compared once it is indexed
        return {}


def _record_midway(harness: Harness, head: bytes) -> bytes:
    try:
        asked = cast("Compacting", harness)
        return asked.begins_midway(head) if hasattr(harness, "begins_midway") else b""
    except Exception:  # as above
        return b""


def _beginning(harness: Harness, source: Source) -> tuple[set[bytes], bytes]:
    """Return the first ids in a file, but of a subagent's not that of its main session.

    With them the record that it begins with, when that stands midway in what it was copied from.
    """
    found: set[bytes] = set()
    record = b""
    for size in _HEADS:
        head = first_bytes(source.path, size)
        if size == _HEADS[0]:
            record = _record_midway(harness, head)
        for match in _ID.finditer(head):
            found.add(match[1])
            if len(found) == _IDS:
                break
        if len(found) == _IDS or len(head) < size:
            break
    return found - {os.fsencode(source.parent)}, record
