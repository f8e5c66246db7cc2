"""Artifacts: files the app keeps beside its database, named by an id that a message holds.

A path is taken only from the app's own record of a live artifact of the same session, and must
stay below the workspace's folder when every link is followed (S0-106).
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from enum import Enum
from typing import TYPE_CHECKING, Final

from recall_tui.errors import SourceError
from recall_tui.harnesses.fields import count, decode, mapping, text
from recall_tui.named import NamedTuple
from recall_tui.workspace import database

if TYPE_CHECKING:
    from recall_tui.workspace.database import Database

MAX_BYTES: Final = 50 << 20
"""Largest file the app itself keeps."""

_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,128}\Z")
_FOLDERS: Final = ("artifacts", "")
"""Folders of a workspace that `relative_path` may be relative to."""


class Artifact(NamedTuple):
    """The app's record of a file."""

    id: str
    relative_path: str
    name: str
    mime: str
    bytes: int
    """-1 when the record does not say."""


class Fault(Enum):
    """Why the body of an archived tool result is not there."""

    MISSING = "missing"
    CORRUPT = "corrupt"


def is_id(name: str) -> bool:
    """Whether a text has the form of an artifact id."""
    return _ID.match(name) is not None


class Artifacts:
    """The live artifacts of one session; looked up when first asked for."""

    def __init__(self, connection: Database, folder: str, session: str) -> None:
        self._connection = connection
        self._folder = folder
        self._session = session
        self._known: dict[str, Artifact] | None = None

    def get(self, artifact: str) -> Artifact | None:
        """Return a live artifact of the session."""
        if self._known is None:
            self._known = {a.id: a for a in _live(self._connection, self._session)}
        return self._known.get(artifact)

    def body(self, artifact: str, sha256: str) -> bytes | Fault:
        """Return the body of an archived tool result whose hash fits, or why there is none (Q7)."""
        known = self.get(artifact)
        if known is None:
            return Fault.MISSING
        try:
            data = _content(self._folder, known)
        except SourceError:
            return Fault.MISSING
        fits = hashlib.sha256(data).hexdigest() == sha256.lower()
        return data if fits else Fault.CORRUPT


def exist(connection: Database) -> bool:
    """Whether the workspace keeps artifacts at all."""
    return connection.columns("artifact_records") >= _COLUMNS


_COLUMNS: Final = frozenset({"artifact_id", "session_id", "status", "relative_path", "record_json"})


def _live(connection: Database, session: str) -> list[Artifact]:
    if not exist(connection):
        return []
    rows = connection.execute(
        """SELECT artifact_id, relative_path, CAST(record_json AS BLOB) FROM artifact_records
        WHERE session_id = ? AND status = 'live'""",
        (session,),
    )
    return [_artifact(*row) for row in rows]


def _artifact(artifact: str, path: str, record: bytes) -> Artifact:
    try:
        known = mapping(decode(record or b""))
    except ValueError:
        known = {}
    size = known.get("sizeBytes")
    return Artifact(
        artifact, text(path), text(known.get("name")), text(known.get("mimeType")),
        count(size) if size is not None else -1,
    )  # fmt: skip


def read(runtime: str, session: str, locator: str) -> bytes:
    """Return the bytes of a material by its locator, an artifact id.

    Args:
        runtime: The workspace's database.
        session: The session whose message holds the material.
        locator: As `projection` wrote it.

    Raises:
        SourceError: It is gone, deleted or too large.
    """
    if not is_id(locator):
        raise SourceError("the app keeps no copy of this file", "open it where it lies")
    with database.opened(runtime) as connection:
        known = Artifacts(connection, os.path.dirname(runtime), session).get(locator)
    if known is None:
        raise SourceError("the app has deleted this file")
    return _content(os.path.dirname(runtime), known)


def _content(folder: str, artifact: Artifact) -> bytes:
    """Return the bytes of an artifact.

    Raises:
        SourceError: It is not there, not a file below the workspace, or too large.
    """
    home = os.path.realpath(folder)
    for base in _FOLDERS:
        path = os.path.realpath(os.path.join(home, base, artifact.relative_path))
        if path.startswith(home + os.sep) and (data := _file(path)) is not None:
            return data
    raise SourceError(f"the file of artifact {artifact.id} is not there")


def _file(path: str) -> bytes | None:
    """Return the bytes of a regular file, None when there is none.

    Raises:
        SourceError: It is too large.
    """
    try:
        # Not blocking: a pipe of that name would wait for ever.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return None
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            return None
        if status.st_size > MAX_BYTES:
            raise SourceError(f"{path}: larger than {MAX_BYTES >> 20} MB")
        with os.fdopen(handle, "rb", closefd=False) as stream:
            return stream.read(MAX_BYTES)
    finally:
        os.close(handle)
