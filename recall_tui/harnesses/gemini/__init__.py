"""Gemini CLI: one file a session, JSON that is rewritten whole or, since April 2026, JSONL."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from recall_tui.harnesses.base import ResumeCommand
from recall_tui.harnesses.gemini import places

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from recall_tui.harnesses.base import Checkpoint, SessionLike, Source, Transcript
    from recall_tui.model import Gap


class Gemini:
    """Reads Gemini CLI's sessions."""

    id = "gemini"
    name = "Gemini CLI"
    mark = "ge"

    def roots(self, env: Mapping[str, str], home: str) -> list[str]:
        """Return the program's folder; GEMINI_CLI_HOME names its parent."""
        parent = env.get("GEMINI_CLI_HOME", "")
        return [os.path.join(parent if os.path.isabs(parent) else home, ".gemini")]

    def discover(self, root: str, gaps: list[Gap]) -> Iterator[Source]:
        """Yield every session below a root; see `places.discover`."""
        return places.discover(root, gaps)

    def recognise(self, path: str, head: bytes) -> bool:
        """Say whether a file is a session of Gemini CLI."""
        return places.recognise(path, head)

    def open(self, source: Source, since: Checkpoint | None = None) -> Transcript:
        """Return a reader of the whole session: a later line may change any earlier one."""
        from recall_tui.harnesses.gemini import reader  # noqa: PLC0415 - needs decoders

        return reader.opened(source)

    def material(self, source: Source, locator: str) -> bytes:
        """Read the bytes of an attachment.

        Raises:
            SourceError: It is gone or broken, or was only a reference to a file elsewhere.
        """
        from recall_tui.harnesses.gemini import reader  # noqa: PLC0415 - needs decoders

        return reader.material(source, locator)

    def resume(self, session: SessionLike) -> ResumeCommand | None:
        """Return `gemini --resume ID` in the project's directory; None when it has no such id.

        The IDE companion gives all its sessions one id, and subagents are not offered.
        """
        shared = session.native_id.startswith("session-")
        if shared or places.parent_of(os.path.dirname(session.path)):
            return None
        cwd = session.last_cwd or session.cwd
        warnings = ["a resumed session is deleted when Gemini CLI starts the next time"]
        if not cwd:
            warnings.append("it is found only from its project's directory, which is not known")
        elif not os.path.isdir(cwd):
            warnings.append(f"{cwd} is gone: it is found only from there")
        return ResumeCommand(("gemini", "--resume", session.native_id), cwd, "; ".join(warnings))
