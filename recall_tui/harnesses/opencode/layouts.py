"""One session of OpenCode, whichever way it is stored: its facts, its messages, their parts.

Each layout yields the same objects, those of the JSON tree: `opencode export` prints them too.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from recall_tui.errors import SourceError
from recall_tui.harnesses import fields
from recall_tui.harnesses.opencode import database, legacy, places, projected
from recall_tui.harnesses.streams import read_document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recall_tui.harnesses.base import Source

Message = tuple[dict[str, Any], list[dict[str, Any]]]
"""A message and its parts."""


class Layout(Protocol):
    """A session that is open for reading."""

    unparsed: int
    """Rows or files that could not be decoded."""
    home: str
    """The program's data folder that this session lies in, empty when it lies elsewhere."""

    def info(self) -> dict[str, Any]:
        """Return the session object; empty when it cannot be decoded."""
        ...

    def messages(self) -> Iterator[Message]:
        """Yield the messages in the order of the conversation, parts in theirs."""
        ...

    def origin(self, info: dict[str, Any]) -> tuple[str, dict[str, str]]:
        """Return (id of the forked session, copied id -> original id), ("", {}) when unknown."""
        ...


@contextmanager
def opened(source: Source) -> Iterator[Layout]:
    """Open the session of a source.

    Raises:
        SourceError: It cannot be opened.
    """
    if source.part:
        rows = _Rows(source)
        try:
            yield rows
        finally:
            rows.close()
    elif storage := places.storage_of(os.path.dirname(source.path)):
        yield _Tree(source, storage)
    else:
        yield _Export(source)


def part_of(source: Source, message_id: str, part_id: str) -> dict[str, Any]:
    """Return one part of a session, empty when there is none of that name.

    Raises:
        SourceError: The session cannot be opened.
    """
    if source.part:
        store = database.Store(source.path, source.part)
        try:
            data = store.part(part_id)
        finally:
            store.close()
        if data:
            return _object(data) or {}
    with opened(source) as layout:
        for message, parts in layout.messages():
            if message.get("id") == message_id:
                for part in parts:
                    if part.get("id") == part_id:
                        return part
    return {}


def _object(data: bytes) -> dict[str, Any] | None:
    """Decode a JSON object, None when it is something else or cut off."""
    try:
        value = fields.decode(data)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


class _Rows:
    """A session in SQLite."""

    def __init__(self, source: Source) -> None:
        self.unparsed = 0
        self.home = os.path.dirname(source.path)
        self._store = database.Store(source.path, source.part)
        self.close = self._store.close

    def info(self) -> dict[str, Any]:
        row = self._store.session()
        revert = row.get("revert")
        return {
            "id": row.get("id"),
            "parentID": row.get("parent_id"),
            "directory": row.get("directory"),
            "title": row.get("title"),
            "version": row.get("version"),
            "time": {"created": row.get("time_created"), "updated": row.get("time_updated")},
            "revert": _object(revert.encode()) if isinstance(revert, str) else None,
        }

    def messages(self) -> Iterator[Message]:
        held = False
        for message_id, created, data in self._store.messages():
            held = True
            message = _object(data)
            if message is None:
                self.unparsed += 1
                continue
            message["id"] = message_id
            message.setdefault("time", {"created": created})
            parts: list[dict[str, Any]] = []
            for part_id, part_data in self._store.parts(message_id):
                part = _object(part_data)
                if part is None:
                    self.unparsed += 1
                    continue
                part["id"] = part_id
                parts.append(part)
            yield message, parts
        if not held:
            yield from self._projected()

    def _projected(self) -> Iterator[Message]:
        for message_id, kind, data in self._store.projected():
            message = _object(data)
            if message is None:
                self.unparsed += 1
            elif found := projected.modern(kind, message | {"id": message_id}):
                yield found

    def origin(self, info: dict[str, Any]) -> tuple[str, dict[str, str]]:
        created = fields.count(fields.mapping(info.get("time")).get("created"))
        title, directory = fields.text(info.get("title")), fields.text(info.get("directory"))
        return self._store.origin(title, directory, created)


class _Tree:
    """A session in files: one for itself, one a message, one a part."""

    def __init__(self, source: Source, storage: str) -> None:
        self.unparsed = 0
        self.home = os.path.dirname(storage)
        self._source = source
        self._storage = storage

    def info(self) -> dict[str, Any]:
        return self._read(self._source.path) or {}

    def messages(self) -> Iterator[Message]:
        session_id = self._source.native_id
        folder = places.message_folder(self._storage, session_id)
        found: list[tuple[int, str, str]] = []
        for name, message in self._files(folder):
            time = fields.time_ms(_times(message).get("created"))
            found.append((time, fields.text(message.get("id")) or name, name))
        for _, message_id, name in sorted(found):
            # Read again, so that a long session is never held as a whole.
            stored = self._read(os.path.join(folder, f"{name}.json"))
            if stored is None:
                continue
            message, parts = legacy.modern(stored)
            message["id"] = message_id
            yield message, parts or self._parts(session_id, message_id)

    def origin(self, info: dict[str, Any]) -> tuple[str, dict[str, str]]:
        return "", {}

    def _parts(self, session_id: str, message_id: str) -> list[dict[str, Any]]:
        folder = places.part_folder(self._storage, session_id, message_id)
        if folder:
            return [part for _, part in self._files(folder)]
        return [
            part
            for part in map(self._read, _loose(os.path.join(self._storage, "part")))
            if part is not None and part.get("messageID") == message_id
        ]

    def _files(self, folder: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield (name without suffix, object) of the JSON files of a folder, sorted by name."""
        try:
            names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
        except OSError:
            return
        for name in names:
            value = self._read(os.path.join(folder, name))
            if value is not None:
                yield name.removesuffix(".json"), value

    def _read(self, path: str) -> dict[str, Any] | None:
        """Return the object in a file; None, and counted, when there is none."""
        try:
            value = _object(read_document(path))
        except (OSError, SourceError):
            value = None
        if value is None:
            self.unparsed += 1
        return value


def _loose(folder: str) -> list[str]:
    """Return the part files that lie in no message's folder."""
    try:
        return _loose_at(folder, os.stat(folder).st_mtime_ns)
    except OSError:
        return []


@lru_cache(maxsize=4)
def _loose_at(folder: str, _mtime_ns: int) -> list[str]:
    """Look once for all sessions of a tree: the folder may hold 50,000 others."""
    with os.scandir(folder) as entries:
        return sorted(entry.path for entry in entries if entry.name.endswith(".json"))


def _times(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message's times, which the first versions kept in its metadata."""
    metadata = fields.mapping(message.get("metadata"))
    return fields.mapping(message.get("time")) or fields.mapping(metadata.get("time"))


class _Export:
    """What `opencode export` printed: {info, messages: [{info, parts}]}."""

    def __init__(self, source: Source) -> None:
        self.unparsed = 0
        self.home = ""
        try:
            value = _object(read_document(source.path))
        except OSError as error:
            raise SourceError(f"{source.path}: {error.strerror or error}") from error
        if value is None:
            raise SourceError(f"{source.path}: no whole JSON value")
        self._value = value

    def info(self) -> dict[str, Any]:
        return fields.mapping(self._value.get("info"))

    def messages(self) -> Iterator[Message]:
        for item in fields.items(self._value.get("messages")):
            message = fields.mapping(fields.mapping(item).get("info"))
            if not message:
                self.unparsed += 1
                continue
            parts = [p for p in fields.items(item.get("parts")) if isinstance(p, dict)]
            yield message, parts

    def origin(self, info: dict[str, Any]) -> tuple[str, dict[str, str]]:
        return "", {}
