"""The ledger app's workspace: `runtime.sqlite` and `memory.sqlite`, read where they lie.

Nothing of it is copied into the index, so `discover` finds nothing to sync: its sessions are a
corpus of their own (`search.workspace`). The rest of what a harness answers is answered here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from recall_tui.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from recall_tui.harnesses.base import (
        Checkpoint,
        ResumeCommand,
        SessionLike,
        Source,
        Transcript,
    )
    from recall_tui.model import Gap

HARNESS: Final = "maka"
"""The first part of every reference into a workspace."""


class Maka:
    """The harness of workspaces: they are named by a person, and read in place."""

    id = HARNESS
    name = "Maka"
    mark = "MK"

    def roots(self, env: Mapping[str, str], home: str) -> list[str]:
        """Return none: the app keeps a workspace wherever a person put it (setting `workspace`)."""
        return []

    def discover(self, root: str, gaps: list[Gap]) -> Iterator[Source]:
        """Yield nothing: no session of a workspace is copied into the index."""
        yield from ()

    def recognise(self, path: str, head: bytes) -> bool:
        """Say whether a file is a workspace's `runtime.sqlite`, by its tables."""
        from recall_tui.workspace import database  # noqa: PLC0415 - sqlite3 for a named file only

        return database.is_runtime(path, head)

    def open(self, source: Source, since: Checkpoint | None = None) -> Transcript:
        """Refuse.

        Raises:
            SourceError: Always: a session is read together with its workspace.
        """
        raise SourceError(f"{source.path}: a workspace is read in place, not session by session")

    def material(self, source: Source, locator: str) -> bytes:
        """Read an artifact of the session that a message of it holds.

        Raises:
            SourceError: It is gone, deleted, too large, or was never a file of this session.
        """
        from recall_tui.workspace import artifacts  # noqa: PLC0415 - for one material only

        return artifacts.read(source.path, source.part, locator)

    def resume(self, session: SessionLike) -> ResumeCommand | None:
        """Return none: a session is continued inside the app."""
        return None
