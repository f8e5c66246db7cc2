"""Where Gemini CLI's sessions lie: `~/.gemini/tmp/<project>/chats/`, subagents one folder deeper.

Standard library only: discovery runs on every query.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from recall_tui.harnesses.files import file_source, first_bytes, walk
from recall_tui.text.late import late

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recall_tui.harnesses.base import Source
    from recall_tui.model import Gap

HARNESS: Final = "gemini"
SHARED_IDS: Final = frozenset({"a2a-server"})
"""Session ids that are names of a program: every session of it has the same."""

_HEAD: Final = 4096
_SESSION_ID: Final = late(rb'"sessionId"\s*:\s*"([^"\\]+)"')
_PROJECT: Final = late(rb'"projectHash"\s*:')
_HISTORY: Final = late(rb'"history"\s*:\s*\[\s*\{[^{}\[\]]*"(?:role|parts)"')
_BLANK: Final = b"\xef\xbb\xbf\0\r\n\t "
"""What may stand before the first value: a byte order mark, NULs of a crash."""
_NAME: Final = late(r"session-.+\.jsonl?\Z")

_OTHERS: Final = frozenset(
    {
        "logs.json",
        "oauth_creds.json",
        "google_accounts.json",
        "mcp-oauth-tokens.json",
        "settings.json",
        "projects.json",
        "trustedFolders.json",
        "state.json",
    }
)
"""Files that are no sessions: the prompt log, settings, credentials (never opened)."""

_BULK: Final = frozenset(
    {"history", "checkpoints", "tool-outputs", "extensions", "antigravity", "node_modules", ".git"}
)
"""Folders without sessions; `history` holds whole git repositories."""


def discover(root: str, gaps: list[Gap]) -> Iterator[Source]:
    """Yield a source for every session below a root.

    A session id that several files share stays with the first of them by name, the others are
    known by theirs: the file that a resume leaves is later than the session it resumed.
    """
    found: list[Source] = []
    for folder, files in walk(root, gaps, _enter):
        lines = {e.name.removesuffix(".jsonl") for e in files if e.name.endswith(".jsonl")}
        parent = parent_of(folder)
        in_chats = bool(parent) or os.path.basename(folder) == "chats"
        for entry in files:
            stem, suffix = os.path.splitext(entry.name)
            if suffix not in (".json", ".jsonl") or entry.name in _OTHERS:
                continue
            if suffix == ".json" and stem in lines:
                continue  # continued in the JSONL file of the same name
            native_id = _native_id(entry.path, known=in_chats and bool(_NAME.match(entry.name)))
            if native_id is None:
                continue
            source = file_source(HARNESS, entry, native_id or stem, root, parent)
            if source is not None:
                found.append(source)
    taken: set[str] = set(SHARED_IDS)
    for source in sorted(found, key=lambda s: (os.path.basename(s.path), s.path)):
        native_id = source.native_id
        if native_id in taken:
            native_id = os.path.splitext(os.path.basename(source.path))[0]
        taken.add(native_id)
        yield source._replace(native_id=native_id)


def recognise(path: str, head: bytes) -> bool:
    """Say whether a file's content is a session of Gemini CLI."""
    if not path.endswith((".json", ".jsonl")) or os.path.basename(path) in _OTHERS:
        return False
    return _is_session(head)


def _is_session(head: bytes) -> bool:
    if head.lstrip(_BLANK)[:1] != b"{":
        return False
    stated = _SESSION_ID.search(head) is not None and _PROJECT.search(head) is not None
    return stated or _HISTORY.search(head) is not None


def _enter(folder: str, name: str) -> bool:
    """Leave out what holds no sessions; of the program's own folder only `tmp` does."""
    if os.path.basename(folder) == ".gemini":
        return name == "tmp"
    return name not in _BULK


def parent_of(folder: str) -> str:
    """Return the id of the session whose subagents lie in a folder, empty for other folders."""
    above, name = os.path.split(os.path.abspath(folder))
    return name if os.path.basename(above) == "chats" else ""


def _native_id(path: str, *, known: bool) -> str | None:
    """Return the id a session file states, empty when it states none, None for other files.

    Args:
        path: The file.
        known: Its place and name already say that it is a session.
    """
    head = first_bytes(path, _HEAD)
    if not _SESSION_ID.search(head) and path.endswith(".json") and len(head) == _HEAD:
        head += _last_bytes(path)  # some writers sort the keys
    if not known and not _is_session(head):
        return None
    match = _SESSION_ID.search(head)
    return match.group(1).decode("utf-8", "replace") if match else ""


def _last_bytes(path: str) -> bytes:
    try:
        with open(path, "rb", buffering=0) as stream:
            stream.seek(-_HEAD, os.SEEK_END)
            return stream.read(_HEAD)
    except OSError:
        return b""
