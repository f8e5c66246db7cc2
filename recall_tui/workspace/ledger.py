"""The event ledger: one session's events in their recorded order, as messages.

Only events of the three kinds that can become a message are read, by the same column that the
narrowing looks at, so neither sees a row the other does not. Thinking is never read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from recall_tui.harnesses.fields import count, decode, mapping, text
from recall_tui.named import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recall_tui.harnesses.base import Parsed
    from recall_tui.workspace.database import Database
    from recall_tui.workspace.projection import Projector

TABLE: Final = "runtime_events"
NEEDED: Final = frozenset(
    {
        "event_id", "session_id", "invocation_id", "run_id", "event_seq", "event_kind",
        "payload_json", "committed_at",
    }
)  # fmt: skip
PARTIALS: Final = "runtime_partial_snapshots"

COUNTED: Final = ("text", "function_call", "function_response")
"""Kinds of events that are messages (S0-71)."""
IN_COUNTED: Final = f"event_kind IN ({', '.join(repr(kind) for kind in COUNTED)})"

KNOWN: Final = frozenset(
    {
        *COUNTED, "thinking", "error", "streaming", "completed", "failed", "aborted", "cancelled",
        "workspace_fact", "tool_dispatch", "invocation_end", "runtime_fact",
    }
)  # fmt: skip
"""Every kind of event there is as of the newest version."""

_EVENT: Final = "e.event_id, e.run_id, e.invocation_id, {turn}, CAST(e.payload_json AS BLOB)"
_IN_ORDER: Final = f"""SELECT {_EVENT} FROM runtime_session_event_ordinals AS o
CROSS JOIN runtime_events AS e ON e.event_id = o.event_id
WHERE o.session_id = :session AND e.session_id = :session AND {IN_COUNTED} ORDER BY o.ordinal"""
_WITHOUT_ORDINAL: Final = f"""SELECT {_EVENT} FROM runtime_events AS e
WHERE e.session_id = :session AND {IN_COUNTED} AND NOT EXISTS (
  SELECT 1 FROM runtime_session_event_ordinals AS o
  WHERE o.event_id = e.event_id AND o.session_id = :session)
ORDER BY e.committed_at, e.event_seq"""
_COMMITTED: Final = f"""SELECT {_EVENT} FROM runtime_events AS e
WHERE e.session_id = :session AND {IN_COUNTED} ORDER BY e.committed_at, e.event_seq"""


class Event(NamedTuple):
    """One event with its payload decoded; one that could not be decoded has none."""

    id: str
    run: str
    invocation: str
    turn: str
    """Empty when none is stated."""
    payload: dict[str, Any]


class Ledger:
    """The events of one session in an open workspace.

    Attributes:
        damaged: Payloads that could not be decoded.
    """

    def __init__(self, connection: Database, session: str) -> None:
        self._connection = connection
        self._session = session
        self._lineage = _Lineage(connection, session)
        self.damaged = 0

    def messages(self, projector: Projector) -> Iterator[Parsed]:
        """Yield the session's messages; streams still arriving come last, as if settled."""
        streams = _streams(self._connection, self._session)
        for event in self._events():
            if self._lineage.is_child(event) or event.payload.get("partial") is True:
                continue
            streams = [stream for stream in streams if not _settles(event, stream)]
            yield from _projected(event, projector)
        for stream in streams:
            if not self._lineage.is_child(stream):
                yield from _projected(stream, projector)

    def _events(self) -> Iterator[Event]:
        """Yield the events in the order of their ordinals; those without one come last."""
        has = self._connection.columns("runtime_session_event_ordinals")
        ordered = {"session_id", "ordinal", "event_id"} <= has
        turn = "e.turn_id" if "turn_id" in self._connection.columns(TABLE) else "''"
        for query in (_IN_ORDER, _WITHOUT_ORDINAL) if ordered else (_COMMITTED,):
            rows = self._connection.execute(query.format(turn=turn), {"session": self._session})
            for event, run, invocation, stated, data in rows:
                payload = _decoded(data)
                self.damaged += not payload
                turn_id = text(stated) or text(payload.get("turnId"))
                yield Event(text(event), text(run), text(invocation), turn_id, payload)


def _decoded(data: bytes | None) -> dict[str, Any]:
    try:
        return mapping(decode(data or b""))
    except ValueError:
        return {}


# ------------------------------------------------------------ events as messages


def _projected(event: Event, projector: Projector) -> Iterator[Parsed]:
    """Yield the message of an event, if it is one."""
    payload = event.payload
    content = mapping(payload.get("content"))
    time_ms = count(payload.get("ts"))
    projector.turn(event.id, event.turn, user=payload.get("role") == "user")
    match content.get("kind"):
        case "text":
            if payload.get("role") == "user":
                yield projector.user(event.id, time_ms, content, text(payload.get("author")))
            elif payload.get("role") == "model":
                yield projector.assistant(event.id, time_ms, text(content.get("text")))
        case "function_call":
            stated = mapping(mapping(payload.get("actions")).get("stateDelta"))
            yield projector.tool_call(
                event.id, time_ms, text(content.get("id")), text(content.get("name")),
                text(stated.get("intent")), content.get("args"),
            )  # fmt: skip
        case "function_response":
            yield projector.tool_result(
                event.id, time_ms, text(content.get("id")), content.get("result"),
                tool=text(content.get("name")), failed=content.get("isError") is True,
            )  # fmt: skip


# ------------------------------------------------------------ streams that have not settled


def _streams(connection: Database, session: str) -> list[Event]:
    """Return the text streams still arriving, oldest first, each with its whole text so far."""
    has = connection.columns(PARTIALS)
    if not {"stream_key", "session_id", "payload_json", "text_content", "updated_at"} <= has:
        return []
    rows = connection.execute(
        f"""SELECT stream_key, run_id, invocation_id, CAST(payload_json AS BLOB),
        CAST(text_content AS BLOB) FROM {PARTIALS} WHERE session_id = ?
        ORDER BY updated_at, stream_key""",
        (session,),
    ).fetchall()
    found = []
    for key, run, invocation, data, head in rows:
        payload = _decoded(data)
        content = mapping(payload.get("content"))
        if content.get("kind") != "text":  # thinking is never a message
            continue
        whole = b"".join([head or b"", *_segments(connection, key)]).decode("utf-8", "replace")
        payload["content"] = {**content, "text": whole or text(content.get("text"))}
        found.append(
            Event(
                text(payload.get("id")) or text(key),
                text(run),
                text(invocation),
                text(payload.get("turnId")),
                payload,
            )
        )
    return found


def _segments(connection: Database, key: str) -> list[bytes]:
    """Return the pieces of a stream behind its snapshot, in order; a character may be split."""
    if "segment_seq" not in connection.columns("runtime_partial_segments"):
        return []
    rows = connection.execute(
        """SELECT CAST(text_content AS BLOB) FROM runtime_partial_segments
        WHERE stream_key = ? ORDER BY segment_seq""",
        (key,),
    )
    return [piece or b"" for (piece,) in rows]


def _settles(event: Event, stream: Event) -> bool:
    """Whether an event is what a stream became, so that the stream is left over from a crash."""
    if event.id == stream.id:
        return True
    mine, theirs = mapping(event.payload.get("content")), mapping(stream.payload.get("content"))
    return (
        event.invocation == stream.invocation
        and mine.get("kind") == theirs.get("kind")
        and event.payload.get("role") == stream.payload.get("role")
        and bool(theirs.get("text"))
        and text(mine.get("text")).startswith(text(theirs.get("text")))
    )


# ------------------------------------------------------------ runs inside runs


class _Lineage:
    """Which runs of a session were started by another run of the same session.

    Their events belong to the tool call that started them and are no part of the conversation. The
    runs of a child *session* have their parent elsewhere, and are its conversation.
    """

    def __init__(self, connection: Database, session: str) -> None:
        self._connection = connection
        self._session = session
        self._children = {run for _, run in child_runs(connection, session)}
        self._runs: frozenset[str] | None = None

    def is_child(self, event: Event) -> bool:
        """Whether an event belongs to a child run."""
        if event.run in self._children:
            return True
        parent = text(event.payload.get("parentRunId"))
        return bool(parent) and parent != event.run and parent in self._all_runs()

    def _all_runs(self) -> frozenset[str]:
        if self._runs is None:
            rows = self._connection.execute(
                f"SELECT DISTINCT run_id FROM {TABLE} WHERE session_id = ?", (self._session,)
            )
            self._runs = frozenset(text(run) for (run,) in rows)
        return self._runs


def child_runs(connection: Database, session: str | None = None) -> set[tuple[str, str]]:
    """Return (session, run) of the child runs, from whichever table of runs this version keeps.

    Args:
        connection: The workspace's, open.
        session: Only of this session; None: of all.
    """
    found: set[tuple[str, str]] = set()
    for table in connection.run_tables:
        rows = connection.execute(
            f"""SELECT c.session_id, c.run_id FROM "{table}" AS c
            WHERE (:session IS NULL OR c.session_id = :session)
            AND c.parent_run_id <> '' AND c.parent_run_id <> c.run_id AND EXISTS (
              SELECT 1 FROM {TABLE} AS e
              WHERE e.session_id = c.session_id AND e.run_id = c.parent_run_id)""",
            {"session": session},
        )
        found.update(rows)
    return found
