"""The store before the ledger: one row a message, long ones in chunks beside it.

A row is chunked when it has a payload row, whatever its own JSON says. Chunks are cut at bytes, so
they are joined as bytes in the order of their index, and the whole is checked before it is decoded.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final

from recall_tui.harnesses.fields import count, decode, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recall_tui.harnesses.base import Parsed
    from recall_tui.workspace.database import Database
    from recall_tui.workspace.projection import Projector

TABLE: Final = "session_messages"
NEEDED: Final = frozenset(
    {"session_id", "sequence", "message_id", "message_type", "message_ts", "record_json"}
)
PAYLOADS: Final = "session_message_payloads"
CHUNKS: Final = "session_message_chunks"

COUNTED: Final = ("user", "assistant", "tool_call", "tool_result")
"""Types of rows that are messages (S0-28); the others are never searched."""
IN_COUNTED: Final = f"message_type IN ({', '.join(repr(kind) for kind in COUNTED)})"

_ROWS: Final = f"""SELECT m.sequence, m.message_id, m.message_type, m.message_ts,
CAST(m.record_json AS BLOB), {{payload}} FROM {TABLE} AS m {{join}}
WHERE m.session_id = ? AND {IN_COUNTED} ORDER BY m.sequence"""
_JOIN: Final = f"""LEFT JOIN {PAYLOADS} AS p
ON p.session_id = m.session_id AND p.sequence = m.sequence"""
_CHUNKS: Final = f"""SELECT data FROM {CHUNKS} WHERE session_id = ? AND sequence = ?
ORDER BY chunk_index"""


def has_chunks(connection: Database) -> bool:
    """Whether this version keeps long records in chunks."""
    return "record_bytes" in connection.columns(PAYLOADS)


class Legacy:
    """The rows of one session in an open workspace.

    Attributes:
        damaged: Records that are incomplete or could not be decoded.
    """

    def __init__(self, connection: Database, session: str) -> None:
        self._connection = connection
        self._session = session
        self.damaged = 0

    def messages(self, projector: Projector) -> Iterator[Parsed]:
        """Yield the session's messages in order; a damaged one keeps its place, without text."""
        chunked = has_chunks(self._connection)
        query = _ROWS.format(
            payload="p.record_bytes, p.sha256" if chunked else "NULL, NULL",
            join=_JOIN if chunked else "",
        )
        for sequence, name, kind, time_ms, data, size, sha256 in self._connection.execute(
            query, (self._session,)
        ):
            whole = data if size is None else self._joined(sequence, size, text(sha256))
            try:
                record = mapping(decode(whole or b""))
            except ValueError:
                record = {}
            self.damaged += not record
            yield _projected(text(kind), text(name), count(time_ms), record, projector)

    def _joined(self, sequence: int, size: int, sha256: str) -> bytes:
        """Return a chunked record, empty when it is not what was stored."""
        whole = joined(self._connection, self._session, sequence)
        fits = len(whole) == size and hashlib.sha256(whole).hexdigest() == sha256.lower()
        return whole if fits else b""


def joined(connection: Database, session: str, sequence: int) -> bytes:
    """Return the chunks of a record joined in the order of their index, as bytes."""
    rows = connection.execute(_CHUNKS, (session, sequence))
    # Ordering inside an aggregate needs SQLite 3.44; ordered rows joined here need nothing.
    return b"".join(piece for (piece,) in rows if isinstance(piece, bytes))


def _projected(
    kind: str, name: str, time_ms: int, record: dict[str, Any], projector: Projector
) -> Parsed:
    """Return the message of a row."""
    name = text(record.get("id")) or name
    time_ms = count(record.get("ts")) or time_ms
    projector.turn(name, text(record.get("turnId")), user=kind == "user")
    match kind:
        case "user":
            return projector.user(name, time_ms, record)
        case "assistant":
            return projector.assistant(
                name, time_ms, text(record.get("text")), text(record.get("modelId"))
            )
        case "tool_call":
            return projector.tool_call(
                name, time_ms, name, text(record.get("toolName")), text(record.get("intent")),
                record.get("args"),
            )  # fmt: skip
    return projector.tool_result(
        name, time_ms, text(record.get("toolUseId")), record.get("content"),
        failed=record.get("isError") is True, duration_ms=count(record.get("durationMs")),
    )  # fmt: skip
