"""Session headers: what the app says about each session, and which of them may be shown.

The header JSON is the authority; a column stands in for a key the JSON lacks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from recall_tui.errors import SourceError
from recall_tui.harnesses.fields import count, decode, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from recall_tui.workspace.database import Database

SIMULATOR: Final = "fake"
"""The retired simulator backend: its sessions were never conversations (S0-21)."""

_STAND_IN: Final = {
    "name": "name",
    "backend": "backend",
    "model": "model",
    "isArchived": "is_archived",
    "createdAt": "created_at",
    "lastMessageAt": "last_message_at",
    "parentSessionId": "parent_session_id",
    "revisionRootSessionId": "revision_root_session_id",
    "revisionIndex": "revision_index",
    "subagentParentSessionId": "subagent_parent_session_id",
}
"""Key of the header JSON -> the column that repeats it."""


@dataclass(slots=True, frozen=True)
class Header:
    """One session as the app describes it."""

    id: str
    name: str = ""
    cwd: str = ""
    workspace_root: str = ""
    """Scope of the facts that belong to it."""
    backend: str = ""
    model: str = ""
    archived: bool = False
    ledger: bool = False
    """Its transcript lies in the event ledger; otherwise in `session_messages`."""
    created_ms: int = 0
    last_message_ms: int = 0
    parent: str = ""
    """The session it was branched from."""
    subagent_parent: str = ""
    """The session whose agent started it."""
    revision_root: str = ""
    revision_index: int = 0
    preparing: bool = False
    """A revision that was never committed."""


@dataclass(slots=True)
class Eligible:
    """The sessions that may be shown, and how many were left out by which rule."""

    headers: list[Header] = field(default_factory=list)
    superseded: dict[str, str] = field(default_factory=dict)
    """Revision -> the member of its family that stands for it. Also in `headers`."""
    simulated: int = 0
    preparing: int = 0
    excluded: int = 0
    """By a person: forgotten, or left out by settings."""


def read(connection: Database) -> tuple[list[Header], int]:
    """Return every header, and how many had JSON that could not be decoded.

    Raises:
        SourceError: There are tables, and none of sessions as it is known here.
    """
    has = connection.columns("session_metadata")
    if not {"session_id", "payload_json"} <= has:
        if connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table'").fetchone():
            raise SourceError(
                "the workspace's table of sessions has another form than is known here",
                "update recall-tui",
            )
        return [], 0  # the app was never used
    columns = {key: column for key, column in _STAND_IN.items() if column in has}
    deleted = _deleted(connection)
    names = ", ".join(["session_id", "CAST(payload_json AS BLOB)", *columns.values()])
    found: list[Header] = []
    damaged = 0
    for session, payload, *values in connection.execute(f"SELECT {names} FROM session_metadata"):
        if not isinstance(session, str) or not session or session in deleted:
            continue
        try:
            stated = mapping(decode(payload or b""))
        except ValueError:
            stated = {}
        damaged += not stated
        row = dict(zip(columns, values, strict=True))
        found.append(_header(session, {**row, **stated}, row))
    return found, damaged


def _deleted(connection: Database) -> set[str]:
    """Return the sessions the app has deleted but not yet cleaned up."""
    if "session_id" not in connection.columns("session_metadata_tombstones"):
        return set()
    rows = connection.execute("SELECT session_id FROM session_metadata_tombstones")
    return {session for (session,) in rows}


def _header(session: str, known: Mapping[str, Any], row: Mapping[str, Any]) -> Header:
    child = mapping(known.get("subagentParent"))
    return Header(
        id=session,
        name=text(known.get("name")),
        cwd=text(known.get("cwd")) or text(known.get("workspaceRoot")),
        workspace_root=text(known.get("workspaceRoot")),
        backend=text(known.get("backend")),
        model=text(known.get("model")),
        archived=known.get("isArchived") in (True, 1),
        ledger=known.get("transcriptLedgerVersion") == 1,
        created_ms=count(known.get("createdAt")),
        last_message_ms=count(known.get("lastMessageAt")),
        parent=text(known.get("parentSessionId")),
        subagent_parent=text(row.get("subagentParentSessionId"))
        or text(known.get("subagentParentSessionId"))
        or text(child.get("sessionId")),
        revision_root=text(known.get("revisionRootSessionId")),
        revision_index=count(known.get("revisionIndex")),
        preparing=known.get("revisionState") == "preparing",
    )


def eligible(headers: Iterable[Header], active: str = "") -> Eligible:
    """Return the sessions that may be shown (S0-21, S0-23).

    Args:
        headers: Every session.
        active: The session that is asking, if one is: of its own family it is the one shown.
            Otherwise that is the revision with the latest message.
    """
    found = Eligible()
    families: dict[str, list[Header]] = {}
    for header in headers:
        if header.backend == SIMULATOR:
            found.simulated += 1
        elif header.preparing:
            found.preparing += 1
        else:
            found.headers.append(header)
            families.setdefault(header.revision_root or header.id, []).append(header)
    for family in families.values():
        shown = max(
            family, key=lambda h: (h.id == active, h.last_message_ms, h.revision_index, h.id)
        )
        found.superseded.update((h.id, shown.id) for h in family if h is not shown)
    return found
