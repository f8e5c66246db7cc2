"""OpenCode (and Kilo CLI, its fork): sessions in SQLite, in trees of JSON files, in exports.

Layouts from the oldest: `project/<slug>/storage/session/{info,message,part}`; `storage/` with one
file a session, message and part; `opencode.db`. A machine may hold several at once; a session has
the same id and the same record ids in each.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from recall_tui.harnesses.base import ResumeCommand
from recall_tui.harnesses.opencode import places

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from recall_tui.harnesses.base import Checkpoint, SessionLike, Source, Transcript
    from recall_tui.model import Gap

_PROGRAMS: Final = {"kilo.db": "kilo"}
"""Stores whose program is not `opencode`."""


class OpenCode:
    """Reads OpenCode's sessions."""

    id = "opencode"
    name = "OpenCode"
    mark = "oc"

    def roots(self, env: Mapping[str, str], home: str) -> list[str]:
        """Return the data folder; without one, where the oh-my-opencode plugin keeps its copies.

        `OPENCODE_DB` names a store elsewhere; Kilo CLI has a folder of its own.
        """
        data = env.get("XDG_DATA_HOME", "")
        if not os.path.isabs(data):
            data = os.path.join(home, ".local", "share")
        own = os.path.join(data, "opencode")
        store = env.get("OPENCODE_DB", "")
        roots = [own, store] if os.path.isabs(store) else [own]
        kilo = os.path.join(data, "kilo")
        if os.path.isdir(kilo):
            roots.append(kilo)
        copies = os.path.join(home, ".claude", "transcripts")
        if not os.path.isdir(own) and os.path.isdir(copies):
            roots.append(copies)
        return roots

    def discover(self, root: str, gaps: list[Gap]) -> Iterator[Source]:
        """Yield every session below a root; see `places.discover`."""
        return places.discover(root, gaps)

    def alike(self, path: str) -> Mapping[str, str]:
        """Return the title that a fork and its origin have in common; see `base.Kindred`."""
        from recall_tui.harnesses.opencode import database  # noqa: PLC0415 - sqlite3 costs 5 ms

        return database.forked(path)

    def recognise(self, path: str, head: bytes) -> bool:
        """Say whether a file is one of OpenCode's: a store, a session file, an export, a copy."""
        return places.recognise(path, head)

    def open(self, source: Source, since: Checkpoint | None = None) -> Transcript:
        """Return a reader of the whole session: rows and files are updated in place."""
        from recall_tui.harnesses.opencode import copies, reader  # noqa: PLC0415 - need decoders

        if source.path.endswith(".jsonl"):
            return copies.CopyTranscript(source, since)
        return reader.OpenCodeTranscript(source)

    def material(self, source: Source, locator: str) -> bytes:
        """Read the bytes of an attachment.

        Raises:
            SourceError: It is gone or broken, or was only a reference to a file elsewhere.
        """
        from recall_tui.harnesses.opencode import reader  # noqa: PLC0415 - needs decoders

        return reader.material(source, locator)

    def resume(self, session: SessionLike) -> ResumeCommand | None:
        """Return `opencode -s ID` in the directory OpenCode filed the session under."""
        program = _PROGRAMS.get(os.path.basename(session.path), "opencode")
        warnings: list[str] = []
        if session.path.endswith((".json", ".jsonl")) and not places.storage_of(
            os.path.dirname(session.path)
        ):
            warnings.append("read from a copy: OpenCode itself must hold the session")
        if not session.cwd:
            warnings.append("the session does not say which directory it belongs to")
        elif not os.path.isdir(session.cwd):
            warnings.append(f"{session.cwd} is gone")
        if program == "opencode":
            warnings.append("only in the session's own directory: from another one OpenCode hangs")
        return ResumeCommand((program, "-s", session.native_id), session.cwd, "; ".join(warnings))
