"""The ledger app's workspace: `runtime.sqlite` and `memory.sqlite`, read where they lie.

Nothing of it is copied into the index, so `discover` finds nothing to sync: its sessions are a
corpus of their own (`search.workspace`). The rest of what a harness answers is answered here.
"""

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from recall_tui.errors import SourceError
from recall_tui.named import NamedTuple

if TYPE_CHECKING:
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


RUNTIME: Final = "runtime.sqlite"
MEMORY: Final = "memory.sqlite"


class Files(NamedTuple):
    """Where one workspace lies."""

    runtime: str
    memory: str
    """Beside it; it need not be there."""

    @property
    def folder(self) -> str:
        """The folder that holds both, and the artifacts."""
        return os.path.dirname(self.runtime)


def find(root: str) -> list[Files]:
    """Return the workspaces a root names: a database, its folder, or a folder of such folders."""
    if os.path.isfile(root):
        return [_files(root)]
    try:
        with os.scandir(root) as entries:
            inside = sorted(entry.path for entry in entries if entry.is_dir())
    except OSError:
        return []
    known = (os.path.join(folder, RUNTIME) for folder in (root, *inside))
    return [_files(path) for path in known if os.path.isfile(path)]


def _files(runtime: str) -> Files:
    return Files(runtime, os.path.join(os.path.dirname(runtime), MEMORY))


class Maka:
    """The harness of workspaces: they are named by a person, and read in place."""

    id = HARNESS
    name = "Maka"
    mark = "MK"

    def roots(self, env: Mapping[str, str], home: str) -> list[str]:
        """Return none: the app keeps a workspace wherever a person put it (setting `workspace`)."""
        return []

    def discover(self, root: str, gaps: "list[Gap]") -> "Iterator[Source]":
        """Yield nothing: no session of a workspace is copied into the index."""
        yield from ()

    def recognise(self, path: str, head: bytes) -> bool:
        """Say whether a file is a workspace's `runtime.sqlite`, by its tables."""
        from recall_tui.workspace import database  # noqa: PLC0415 - sqlite3 for a named file only

        return database.is_runtime(path, head)

    def open(self, source: "Source", since: "Checkpoint | None" = None) -> "Transcript":
        """Refuse.

        Raises:
            SourceError: Always: a session is read together with its workspace.
        """
        raise SourceError(f"{source.path}: a workspace is read in place, not session by session")

    def material(self, source: "Source", locator: str) -> bytes:
        """Read an artifact of the session that a message of it holds.

        Raises:
            SourceError: It is gone, deleted, too large, or was never a file of this session.
        """
        from recall_tui.workspace import artifacts  # noqa: PLC0415 - for one material only

        return artifacts.read(source.path, source.part, locator)

    def resume(self, session: "SessionLike") -> "ResumeCommand | None":
        """Return none: a session is continued inside the app."""
        return None
