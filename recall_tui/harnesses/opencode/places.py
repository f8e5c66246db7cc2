"""Where OpenCode's sessions lie: stores, session files of the JSON tree, exports, plugin copies.

Standard library only: discovery runs on every query.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from recall_tui.errors import SourceError
from recall_tui.harnesses.base import Source
from recall_tui.harnesses.files import file_source, first_bytes, walk
from recall_tui.model import Gap, GapKind
from recall_tui.text.late import late

if TYPE_CHECKING:
    from collections.abc import Iterator

HARNESS: Final = "opencode"
_SQLITE: Final = b"SQLite format 3\0"

_STORES: Final = late(r"(?:opencode(?:-[\w.-]+)?|kilo)\.db\Z")
"""Names of the program's own stores: such a file that cannot be read is a gap."""

_DATABASES: Final = (".db", ".sqlite", ".sqlite3")

_HEAD: Final = 4096

_EXPORT: Final = late(rb'"info"\s*:\s*\{|"messages"\s*:\s*\[')
_SESSION: Final = late(rb'"(?:id|sessionID)"\s*:\s*"(ses_[^"\\]+)"')
_COPY: Final = late(rb'\{"type":\s*"(?:user|tool_use|tool_result)",\s*"timestamp":')

_SECRETS: Final = frozenset({"auth.json", "mcp-auth.json", "account.json"})
"""Files beside the sessions that hold credentials: never opened."""

_TREE_BULK: Final = frozenset({"message", "part", "session_diff", "session_share", "todo"})
"""Folders of a JSON tree reached through its session files."""

_HOME_BULK: Final = frozenset({"snapshot", "snapshots", "tool-output", "log", "bin", "repos"})
"""Folders of the data folder without sessions; `snapshot` holds whole git repositories."""

_NEWEST: Final = 2
"""Messages of a JSON tree whose parts discovery looks at: only the last ones are still written."""


def discover(root: str, gaps: list[Gap]) -> Iterator[Source]:
    """Yield a source for every session below a root, whatever its layout."""
    for folder, files in walk(root, gaps, _enter):
        storage = storage_of(folder)
        for entry in files:
            if entry.name.endswith(_DATABASES) or entry.path == root:
                head = first_bytes(entry.path, _HEAD)
                if head.startswith(_SQLITE) or _STORES.match(entry.name):
                    yield from _rows(entry.path, root, gaps)
                    continue
            source = _file(entry, storage, root)
            if source is not None:
                yield source


def recognise(path: str, head: bytes) -> bool:
    """Say whether a file's content is OpenCode's."""
    if head.startswith(_SQLITE):
        from recall_tui.harnesses.opencode import database  # noqa: PLC0415 - sqlite3 costs 5 ms

        return database.is_store(path)
    name = os.path.basename(path)
    if name.endswith(".jsonl"):
        return name.startswith("ses_") and _COPY.match(head) is not None
    return bool(_exported(head)) or bool(
        name.endswith(".json") and storage_of(os.path.dirname(path))
    )


def storage_of(folder: str) -> str:
    """Return the storage folder of a folder of session files, empty when it is another folder.

    Session files lie in `session/<project>/` or, older, `session/info/`; the messages beside
    `session/` or, older, inside it.
    """
    parent, name = os.path.split(os.path.abspath(folder))
    if os.path.basename(parent) != "session" or name in _TREE_BULK:
        return ""
    storage = os.path.dirname(parent)
    for place in (storage, parent):
        if os.path.isdir(os.path.join(place, "message")):
            return storage
    return ""


def message_folder(storage: str, session_id: str) -> str:
    """Return the folder of a session's messages, empty when it has none."""
    return _first(storage, ("message", os.path.join("session", "message")), session_id)


def part_folder(storage: str, session_id: str, message: str) -> str:
    """Return the folder of a message's parts, empty when it has none."""
    if not _is_name(session_id):
        return ""
    return _first(storage, ("part", os.path.join("session", "part", session_id)), message)


def _first(storage: str, places: tuple[str, str], name: str) -> str:
    """Return the first folder of a name at these places, empty when there is none."""
    if _is_name(name):
        for place in places:
            folder = os.path.join(storage, place, name)
            if os.path.isdir(folder):
                return folder
    return ""


def _is_name(text: str) -> bool:
    """Say whether a text is a plain name: an id in a transcript must not lead out of the tree."""
    return text not in ("", ".", "..") and not any(mark in text for mark in "/\\:\0")


def _enter(folder: str, name: str) -> bool:
    """Leave out what holds no session files and many thousands of others."""
    if name in _TREE_BULK:
        beside = os.path.isdir(os.path.join(folder, "session"))
        return not (beside or os.path.basename(folder) == "session")
    if name in _HOME_BULK:
        return not os.path.isdir(os.path.join(folder, "storage")) and not os.path.isfile(
            os.path.join(folder, "opencode.db")
        )
    return name not in ("node_modules", ".git")


def _rows(path: str, root: str, gaps: list[Gap]) -> Iterator[Source]:
    """Yield the sessions of a store; one that cannot be read is a gap."""
    from recall_tui.harnesses.opencode import database  # noqa: PLC0415 - sqlite3 costs 5 ms

    try:
        if not _STORES.match(os.path.basename(path)) and not database.is_store(path):
            return
        rows = database.sessions(path)
    except SourceError as error:
        gaps.append(
            Gap(
                GapKind.UNREADABLE,
                1,
                error.message,
                error.hint or "close the program or check the file, then run recall index",
                path,
            )
        )
        return
    for row in rows:
        time_ns = row.updated_ms * 1_000_000
        yield Source(HARNESS, path, row.id, row.id, row.size, time_ns, 0, root, row.parent)


def _file(entry: os.DirEntry[str], storage: str, root: str) -> Source | None:
    """Return the source of a session that is a file, None when the file is something else."""
    name = entry.name
    if name in _SECRETS or not name.endswith((".json", ".jsonl")):
        return None
    if storage and name.endswith(".json"):
        return _tree_source(entry, storage, root)
    if name.endswith(".jsonl"):
        if name.startswith("ses_") and _COPY.match(first_bytes(entry.path, _HEAD)):
            return file_source(HARNESS, entry, name.removesuffix(".jsonl"), root)
        return None
    exported = _exported(first_bytes(entry.path, _HEAD))
    return file_source(HARNESS, entry, exported, root) if exported else None


def _exported(head: bytes) -> str:
    """Return the id of the session an export holds, empty when the file is none."""
    first = head.lstrip(b"\xef\xbb\xbf\0\r\n\t ")[:1]
    match = first == b"{" and _EXPORT.search(head) and _SESSION.search(head)
    return match[1].decode("utf-8", "replace") if match else ""


def _tree_source(entry: os.DirEntry[str], storage: str, root: str) -> Source | None:
    """Return the source of a session file, dated by its newest message and part.

    The size counts the messages and the parts of the newest two: a tree of 50,000 parts costs
    75 ms this way and 470 ms when each part is looked at.
    """
    session_id = entry.name.removesuffix(".json")
    messages = message_folder(storage, session_id)
    if not messages:
        session_id = _own_id(entry.path) or session_id
        messages = message_folder(storage, session_id)
    source = file_source(HARNESS, entry, session_id, root)
    if source is None or not messages:
        return source
    size, newest = source.size, source.mtime_ns
    found = sorted(_stats(messages), reverse=True)
    for position, (changed, bytes_, name) in enumerate(found):
        size += bytes_
        newest = max(newest, changed)
        if position < _NEWEST:
            parts = part_folder(storage, session_id, name.removesuffix(".json"))
            for part_changed, part_bytes, _ in _stats(parts) if parts else ():
                size += part_bytes
                newest = max(newest, part_changed)
    return source._replace(size=size, mtime_ns=newest)


def _stats(folder: str) -> Iterator[tuple[int, int, str]]:
    """Yield (mtime in ns, bytes, name) of the JSON files of a folder; none when it vanished."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(".json"):
                    status = entry.stat()
                    yield status.st_mtime_ns, status.st_size, entry.name
    except OSError:
        return


def _own_id(path: str) -> str:
    """Return the id a session file states, for trees whose files are named otherwise."""
    import json  # noqa: PLC0415 - 2 ms that few looks need

    try:
        info = json.loads(first_bytes(path, 1 << 20))
    except (ValueError, RecursionError):
        return ""
    stated = info.get("id") if isinstance(info, dict) else None
    return stated if isinstance(stated, str) else ""
