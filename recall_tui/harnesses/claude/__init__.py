"""Claude Code: one JSONL file a session, subagents in files of their own.

Where they lie, and what is told from the place alone. Standard library only: this runs on every
query; `reader` is loaded by `open`.
"""

from __future__ import annotations

import os
import re
from itertools import islice
from typing import TYPE_CHECKING, Final

from recall_tui.harnesses.base import ResumeCommand
from recall_tui.harnesses.files import HEAD_BYTES, file_source, first_bytes, walk
from recall_tui.text.late import late

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from recall_tui.harnesses.base import Checkpoint, SessionLike, Source, Transcript
    from recall_tui.harnesses.files import Known
    from recall_tui.model import Gap

_SUBAGENT: Final = late(r"agent-[\w-]+")
_HOUSEKEEPING: Final = ("agent-acompact", "agent-aprompt_suggestion")
"""Subagents the program runs for itself: a compaction, a guess at the next prompt."""
_UUID: Final = late(rb'"uuid":"([0-9A-Za-z-]{1,64})"')
_RESUMABLE: Final = late(r"\w[\w.-]*")
_NO_SESSIONS: Final = frozenset(
    {"tool-results", "memory", "file-history", "todos", "plugins", "node_modules", ".git"}
)
"""Folders that hold many files and never a session."""
_LINES: Final = 20
"""Lines of a head that are looked at: a session may begin with a dozen bookkeeping records."""
_TRIES: Final = 3
"""Files of a folder that are looked into before the folder is another program's."""

_OWN_RECORDS: Final = {
    "summary": "leafUuid",
    "file-history-snapshot": "messageId",
    "queue-operation": "operation",
    "ai-title": "aiTitle",
    "custom-title": "customTitle",
    "last-prompt": "sessionId",
    "permission-mode": "permissionMode",
    "progress": "parentUuid",
    "attachment": "parentUuid",
    "atis-latch": "atis",
}
"""Records only this program writes, and a field each of them has."""


class Claude:
    """The harness `claude`."""

    id = "claude"
    name = "Claude Code"
    mark = "cl"

    def roots(self, env: Mapping[str, str], home: str) -> list[str]:
        """Return the folders of projects: of `CLAUDE_CONFIG_DIR` alone when it is set."""
        configured = env.get("CLAUDE_CONFIG_DIR", "").strip()
        if configured:
            # A relative path or a tilde is taken as a shell would; several are one a comma.
            return [
                os.path.join(_absolute(part.strip(), home), "projects")
                for part in configured.split(",")
                if part.strip()
            ]
        config = env.get("XDG_CONFIG_HOME", "").strip() or os.path.join(home, ".config")
        return [
            os.path.join(home, ".claude", "projects"),
            os.path.join(config, "claude", "projects"),
        ]

    def discover(self, root: str, gaps: list[Gap]) -> Iterator[Source]:
        """Yield every session below a root; see `base.Harness`.

        Below a `projects` folder names are trusted. Elsewhere one file of a folder is looked into,
        since other programs name their sessions the same way.
        """
        return self._found(root, gaps, None)

    def discover_changed(self, root: str, gaps: list[Gap], known: Known) -> Iterator[Source]:
        """Yield what is not as it was; see `base.Quick`. A name of ours is enough here."""
        return self._found(root, gaps, known)

    def _found(self, root: str, gaps: list[Gap], known: Known | None) -> Iterator[Source]:
        alone = os.path.isfile(root)
        for folder, entries in walk(root, gaps, lambda _, name: name not in _NO_SESSIONS, known):
            parent = _parent_of(folder)
            ours = known is not None or _is_project(folder) or self._holds_ours(entries)
            # Beside subagents lie journals of workflows, which begin like sessions.
            by_content = alone or not parent
            for entry in entries:
                name = entry.name
                if not name.endswith(".jsonl"):
                    continue
                stem = name[:-6]
                if not (ours and _is_named(stem)) and not (
                    by_content and self.recognise(entry.path, first_bytes(entry.path))
                ):
                    continue
                if stem.startswith(_HOUSEKEEPING):
                    continue
                native_id = f"{parent}/{stem}" if parent else stem
                source = file_source(self.id, entry, native_id, root, parent)
                if source is not None:
                    yield source

    def _holds_ours(self, entries: list[os.DirEntry[str]]) -> bool:
        """Say whether a folder outside `projects` holds this program's sessions, by a few files."""
        named = (e for e in entries if e.name.endswith(".jsonl") and _is_named(e.name[:-6]))
        return any(self.recognise(e.path, first_bytes(e.path)) for e in islice(named, _TRIES))

    def recognise(self, path: str, head: bytes) -> bool:
        """Say whether a file is a session of this program, by its first records."""
        import json  # noqa: PLC0415 - not where names are trusted

        if not path.endswith(".jsonl"):
            return False
        for line in head[:HEAD_BYTES].split(b"\n")[:_LINES]:
            text = line.strip(b"\0\r\t ").removeprefix(b"\xef\xbb\xbf")
            if not text.startswith(b"{"):
                continue
            try:
                record = json.loads(text)
            except (ValueError, RecursionError):
                if _looks_cut(text):
                    return True
                continue
            if _is_record(record):
                return True
        return False

    def begins_midway(self, head: bytes) -> bytes:
        """Return the id of a compaction's boundary, when no record of a turn stands before it."""
        if b'"compact_boundary"' not in head:
            return b""
        for line in head.split(b"\n"):
            record = _UUID.search(line)
            if record:
                return record[1] if b'"compact_boundary"' in line else b""
        return b""

    def open(self, source: Source, since: Checkpoint | None = None) -> Transcript:
        """Return a reader for the session; see `base.Harness`."""
        from recall_tui.harnesses.claude.reader import ClaudeTranscript  # noqa: PLC0415

        return ClaudeTranscript(source, since)

    def material(self, source: Source, locator: str) -> bytes:
        """Read the bytes of a material; see `base.Harness`."""
        from recall_tui.harnesses import inline  # noqa: PLC0415

        return inline.read(source.path, locator)

    def resume(self, session: SessionLike) -> ResumeCommand | None:
        """Return `claude --resume ID`, for a subagent that of its main session.

        Newer versions find a session from any folder, older ones only from its own, so the latest
        recorded one is where to run it.
        """
        name = session.native_id.partition("/")[0]
        if _SUBAGENT.fullmatch(name):
            name = _session_named_in(session.path)
        if not _RESUMABLE.fullmatch(name):
            return None
        cwd = session.last_cwd or session.cwd
        warning = "" if os.path.exists(session.path) else _GONE
        return ResumeCommand(("claude", "--resume", name), cwd, warning)


_GONE: Final = "Claude Code has deleted this session's file, so it cannot resume it any more."


def _absolute(path: str, home: str) -> str:
    return home + path[1:] if path == "~" or path.startswith("~/") else path


def _is_named(stem: str) -> bool:
    """Say whether a file has the name of a session (a UUID) or of a subagent."""
    return (len(stem) == 36 and stem[8] == stem[13] == stem[18] == stem[23] == "-") or (
        stem.startswith("agent-")
    )


def _is_project(folder: str) -> bool:
    """Say whether a folder lies where this program keeps sessions.

    That is `projects/<slug>`, and below it `<session>/subagents`. (Qwen Code has `projects` as
    well, but its sessions lie in `projects/<slug>/chats`.)
    """
    parts = folder.split(os.sep)
    if "projects" not in parts:
        return False
    at = len(parts) - 1 - parts[::-1].index("projects")
    below = parts[at + 1 :]
    return len(below) == 1 or (len(below) > 2 and below[2] == "subagents")


def _parent_of(folder: str) -> str:
    """Return the session whose subagents a folder holds, empty for another folder."""
    parts = folder.split(os.sep)
    if "subagents" not in parts:
        return ""
    at = len(parts) - 1 - parts[::-1].index("subagents")
    return parts[at - 1] if at else ""


def _is_record(record: object) -> bool:
    """Say whether a decoded line is one of this program's."""
    if not isinstance(record, dict):
        return False
    kind = record.get("type")
    if kind in ("user", "assistant"):
        message = record.get("message")
        return (
            isinstance(message, dict)
            and "content" in message
            and ("role" in message or "timestamp" in record)
        )
    if kind == "system":
        return "parentUuid" in record and "subtype" in record and "isSidechain" in record
    return isinstance(kind, str) and _OWN_RECORDS.get(kind, "\0") in record


def _looks_cut(text: bytes) -> bool:
    """Say whether a line that goes on beyond the head begins as this program's do."""
    return all(key in text for key in (b'"isSidechain"', b'"sessionId"', b'"content"'))


def _session_named_in(path: str) -> str:
    """Return the session a subagent's records name, empty without one."""
    match = re.search(rb'"sessionId"\s*:\s*"([\w.-]+)"', first_bytes(path))
    return match[1].decode() if match else ""
