"""Titles the program keeps beside its rollouts, read once per home and state of its index files.

A name a person gave (`threads.name`, `session_index.jsonl`) is stronger than one the program made
(`threads.title`), and a `title` that is only the first prompt is none.
"""

from __future__ import annotations

import os
import re
from contextlib import closing
from typing import Final

import msgspec

from recall_tui.errors import SourceError
from recall_tui.harnesses.sqlite import FAULTS, columns, connect
from recall_tui.named import NamedTuple

_STATE: Final = re.compile(r"state_(\d+)\.sqlite")
_FOLDERS: Final = ("sessions", "archived_sessions")
_DEPTH: Final = 5
"""A rollout lies at most at sessions/YYYY/MM/DD below the program's home."""


class Titles(NamedTuple):
    """What a home knows about its sessions, by id."""

    named: dict[str, str]
    """Given or confirmed names: they win over the rollout's own."""
    made: dict[str, str]
    """Titles the program made up."""


_NONE: Final = Titles({}, {})
_known: dict[str, tuple[object, Titles]] = {}


class _Named(msgspec.Struct):
    id: str = ""
    thread_name: str | None = None


def titles_near(path: str) -> Titles:
    """Return the titles of the program's home a rollout lies in; none when it lies elsewhere."""
    home = _home_of(path)
    if not home:
        return _NONE
    index = os.path.join(home, "session_index.jsonl")
    database = _database(home)
    state = [_signature(name) for name in (index, database, f"{database}-wal") if name]
    held = _known.get(home)
    if held is not None and held[0] == state:
        return held[1]
    named = _indexed(index)
    made: dict[str, str] = {}
    if database:
        for native_id, name, title, first in _threads(database):
            if name:
                named[native_id] = name
            elif title and title.strip() != (first or "").strip():
                made[native_id] = title
    titles = Titles(named, made)
    _known[home] = (state, titles)
    return titles


def _home_of(path: str) -> str:
    """Return the folder that holds the `sessions` folder of a rollout, empty when none does."""
    folder = os.path.dirname(os.path.abspath(path))
    for _ in range(_DEPTH):
        parent, name = os.path.split(folder)
        if name in _FOLDERS:
            return parent
        folder = parent
    return ""


def _database(home: str) -> str:
    """Return the state database with the highest schema number, empty when there is none."""
    try:
        found = [(int(m[1]), n) for n in os.listdir(home) if (m := _STATE.fullmatch(n))]
    except OSError:
        return ""
    return os.path.join(home, max(found)[1]) if found else ""


def _signature(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _indexed(path: str) -> dict[str, str]:
    """Read `session_index.jsonl`: the last line of an id wins; bad lines are passed over."""
    names: dict[str, str] = {}
    try:
        with open(path, "rb") as stream:
            for line in stream:
                try:
                    entry = msgspec.json.decode(line, type=_Named)
                except (msgspec.MsgspecError, ValueError):
                    continue
                if entry.id and entry.thread_name:
                    names[entry.id] = entry.thread_name
    except OSError:
        return names
    return names


_Row = tuple[str, str | None, str | None, str | None]


def _threads(database: str) -> list[_Row]:
    """Return (id, name, title, first message) of every thread; none when it cannot be read."""
    try:
        with closing(connect(database)) as connection:
            present = columns(connection, "threads")
            if "id" not in present:
                return []
            wanted = ("id", "name", "title", "first_user_message")
            fields = ", ".join(field if field in present else "NULL" for field in wanted)
            query = f"SELECT {fields} FROM threads"  # noqa: S608 - the names are ours
            return [
                row
                for row in connection.execute(query)
                if isinstance(row[0], str) and all(v is None or isinstance(v, str) for v in row)
            ]
    except (*FAULTS, SourceError):
        return []
