"""The list of a workspace's sessions: headers, and counts of their records by kind.

Messages are counted by the kind of their record, whether or not it has any text, so that the path a
question takes never changes a score (S0-71).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import msgspec

from recall_tui.errors import SourceError
from recall_tui.harnesses.base import Source
from recall_tui.harnesses.fields import count, decode, items, mapping, text
from recall_tui.model import Gap, GapKind, Session, SessionKind
from recall_tui.named import NamedTuple
from recall_tui.store.clean import session_name, title_of
from recall_tui.text.safe import safe
from recall_tui.workspace import HARNESS, Files, database, headers, ledger, legacy, transcript

if TYPE_CHECKING:
    from collections.abc import Callable

    from recall_tui.workspace.database import Database
    from recall_tui.workspace.headers import Eligible, Header

_BY_KIND: Final = f"""SELECT session_id, run_id, event_kind, count(*) FROM {ledger.TABLE}
WHERE event_kind IN ('function_call', 'function_response')
GROUP BY session_id, run_id, event_kind"""
_TEXTS: Final = f"""SELECT session_id, run_id, CAST(payload_json AS BLOB) FROM {ledger.TABLE}
WHERE event_kind = 'text'"""
_LAST: Final = f"""SELECT CAST(e.payload_json AS BLOB) FROM runtime_session_event_ordinals AS o
CROSS JOIN {ledger.TABLE} AS e ON e.event_id = o.event_id
WHERE o.session_id = ? AND {ledger.IN_COUNTED} ORDER BY o.ordinal DESC LIMIT 1"""
_ROWS: Final = f"""SELECT session_id, message_type, count(*), min(message_ts), max(message_ts)
FROM {legacy.TABLE} WHERE {legacy.IN_COUNTED} GROUP BY session_id, message_type"""
_WITH_FILES: Final = f"""SELECT session_id, CAST(record_json AS BLOB) FROM {legacy.TABLE}
WHERE message_type = 'user' AND instr(record_json, '"attachments"') > 0"""
_FIRST_ROW: Final = f"""SELECT CAST(record_json AS BLOB) FROM {legacy.TABLE}
WHERE session_id = ? AND message_type = 'user' ORDER BY sequence LIMIT 1"""


@dataclass(slots=True)
class Counted:
    """What the records of one session add up to."""

    messages: int = 0
    prompts: int = 0
    tool_calls: int = 0
    materials: int = 0
    first_ms: int = 0
    last_ms: int = 0
    opening: str = ""
    """The first prompt, as stored."""

    def saw(self, time_ms: int) -> None:
        """Widen the span by a record's time."""
        if time_ms:
            self.first_ms = min(self.first_ms or time_ms, time_ms)
            self.last_ms = max(self.last_ms, time_ms)


class Entry(NamedTuple):
    """One listed session and what it takes to read it."""

    session: Session
    header: Header


@dataclass(slots=True)
class Catalogue:
    """Everything a workspace lists, as of one moment."""

    entries: dict[int, Entry] = field(default_factory=dict)
    """Row id -> session, in no order."""
    gaps: list[Gap] = field(default_factory=list)
    counted: bool = True
    """Whether every transcript could be counted: a score needs the number of all messages."""


class Place(NamedTuple):
    """Which workspace, and which root it was found under."""

    files: Files
    root: str


def load(
    place: Place,
    row_of: Callable[[str], int],
    excluded: Callable[[Source], bool],
    active: str = "",
) -> Catalogue:
    """List a workspace; one that cannot be read is an empty one with the gap that says so.

    Args:
        place: Where it lies.
        row_of: Gives a native id its row id.
        excluded: Whether a session must not be read.
        active: Native id of the session that is asking.
    """
    catalogue = Catalogue()
    try:
        with database.opened(place.files.runtime) as connection:
            known, damaged = headers.read(connection)
            admitted = [h for h in known if not any(map(excluded, _sources(place, h)))]
            found = headers.eligible(admitted, active)
            found.excluded = len(known) - len(admitted)
            counted = _counted(connection, found.headers)
            unknown = _unknown_kinds(connection)
            homeless = sum(not transcript.held(connection, h) for h in found.headers)
    except SourceError as error:
        catalogue.gaps.append(
            Gap(GapKind.UNREADABLE, 1, safe(error.message), error.hint, place.files.runtime)
        )
        catalogue.counted = False
        return catalogue
    for header in found.headers:
        row = row_of(header.id)
        session = _session(row, place, header, counted.get(header.id, Counted()), found)
        catalogue.entries[row] = Entry(session, header)
    _count_children(catalogue)
    catalogue.gaps += _gaps(found, damaged, unknown, place.files.runtime)
    if homeless:
        catalogue.counted = False
        words = "session of the workspace: the table that holds its transcript is not there"
        catalogue.gaps.append(
            Gap(GapKind.UNREADABLE, homeless, words, "update recall-tui", place.files.runtime)
        )
    return catalogue


def _sources(place: Place, header: Header) -> tuple[Source, Source]:
    """Return a session in the forms exclusions are written for: by its file, by its project."""
    name = session_name(header.id)
    source = Source(HARNESS, place.files.runtime, header.id, name, 0, 0, 0, place.root)
    return source, source._replace(path=header.cwd)


# ------------------------------------------------------------ counting


def _counted(connection: Database, listed: list[Header]) -> dict[str, Counted]:
    found = {header.id: Counted() for header in listed}
    in_ledger = {header.id for header in listed if header.ledger}
    if connection.columns(ledger.TABLE) >= ledger.NEEDED:
        _count_events(connection, {k: v for k, v in found.items() if k in in_ledger})
    if connection.columns(legacy.TABLE) >= legacy.NEEDED:
        _count_rows(connection, {k: v for k, v in found.items() if k not in in_ledger})
    for header in listed:
        if not header.name and not header.ledger and found[header.id].prompts:
            row = connection.execute(_FIRST_ROW, (header.id,)).fetchone()
            found[header.id].opening = _shown(_decoded(row[0] if row else None))
    return found


def _count_events(connection: Database, found: dict[str, Counted]) -> None:
    nested = ledger.child_runs(connection)
    for session, run, kind, number in connection.execute(_BY_KIND):
        if (session, run) not in nested and (counted := found.get(session)):
            counted.messages += number
            counted.tool_calls += number if kind == "function_call" else 0
    for session, run, data in connection.execute(_TEXTS):
        if (session, run) not in nested and (counted := found.get(session)):
            _count_text(counted, data)
    ordered = connection.columns("runtime_session_event_ordinals") >= {"ordinal"}
    for session, counted in found.items() if ordered else ():
        row = connection.execute(_LAST, (session,)).fetchone()
        counted.saw(count(_head(row[0] if row else None).ts))


def _count_text(counted: Counted, data: bytes | None) -> None:
    head = _head(data)
    if head.partial or head.role not in ("user", "model"):
        return
    counted.messages += 1
    counted.saw(count(head.ts))
    if head.role == "user":
        counted.prompts += 1
        if not counted.opening or b'"attachments"' in (data or b""):
            content = mapping(_decoded(data).get("content"))
            counted.opening = counted.opening or _shown(content)
            counted.materials += len(items(content.get("attachments")))


class _Head(msgspec.Struct):
    """What a listing needs of an event; the rest of it is skipped, not decoded."""

    role: str = ""
    ts: float = 0
    partial: bool = False


_decoder: Final = msgspec.json.Decoder(_Head)


def _head(data: bytes | None) -> _Head:
    try:
        return _decoder.decode(data or b"")
    except (msgspec.MsgspecError, UnicodeDecodeError):
        known = _decoded(data)
        return _Head(text(known.get("role")), count(known.get("ts")), known.get("partial") is True)


def _count_rows(connection: Database, found: dict[str, Counted]) -> None:
    for session, kind, number, first, last in connection.execute(_ROWS):
        if counted := found.get(session):
            counted.messages += number
            counted.prompts += number if kind == "user" else 0
            counted.tool_calls += number if kind == "tool_call" else 0
            counted.saw(count(first))
            counted.saw(count(last))
    for session, data in connection.execute(_WITH_FILES):
        if counted := found.get(session):
            counted.materials += len(items(_decoded(data).get("attachments")))


def _shown(content: dict[str, Any]) -> str:
    return text(content.get("displayText")) or text(content.get("text"))


def _decoded(data: bytes | None) -> dict[str, Any]:
    try:
        return mapping(decode(data or b""))
    except ValueError:
        return {}


def _unknown_kinds(connection: Database) -> dict[str, int]:
    """Return the kinds of events this version does not know, with their number."""
    if "event_kind" not in connection.columns(ledger.TABLE):
        return {}
    rows = connection.execute(
        f"SELECT event_kind, count(*) FROM {ledger.TABLE} GROUP BY event_kind"
    )
    return {safe(text(kind)): number for kind, number in rows if kind not in ledger.KNOWN}


# ------------------------------------------------------------ sessions


def _session(row: int, place: Place, header: Header, counted: Counted, found: Eligible) -> Session:
    shown_by = found.superseded.get(header.id, "")
    kind, parent = SessionKind.MAIN, shown_by
    if header.subagent_parent:
        kind, parent = SessionKind.SUBAGENT, header.subagent_parent
    elif shown_by or header.parent:
        kind, parent = SessionKind.FORK, shown_by or header.parent
    ended = max(header.last_message_ms, counted.last_ms)
    return Session(
        id=row,
        key=f"{HARNESS}:{session_name(header.id)}",
        harness=HARNESS,
        native_id=session_name(header.id),
        path=place.files.runtime,
        title=title_of(header.name) or title_of(counted.opening),
        cwd=safe(header.cwd),
        last_cwd=safe(header.cwd),
        branch="",
        models=(safe(header.model),) if header.model else (),
        kind=kind,
        parent=f"{HARNESS}:{session_name(parent)}" if parent else "",
        started_ms=counted.first_ms or header.created_ms,
        ended_ms=ended,
        messages=counted.messages,
        prompts=counted.prompts,
        tool_calls=counted.tool_calls,
        errors=0,
        materials=counted.materials,
        size=0,
        # What stands for it holds the conversation; here it counts as a copy.
        copied=counted.messages if shown_by else 0,
        root=place.root,
        part=header.id,
        archived=header.archived,
    )


def _count_children(catalogue: Catalogue) -> None:
    """Give every session the number of those that belong to it."""
    by_key = {entry.session.key: row for row, entry in catalogue.entries.items()}
    children: dict[int, int] = {}
    for entry in catalogue.entries.values():
        if (row := by_key.get(entry.session.parent)) is not None:
            children[row] = children.get(row, 0) + 1
    for row, number in children.items():
        entry = catalogue.entries[row]
        catalogue.entries[row] = entry._replace(session=entry.session._replace(children=number))


def _gaps(found: Eligible, damaged: int, unknown: dict[str, int], path: str) -> list[Gap]:
    gaps = []
    if found.simulated:
        words = "session of the retired simulator is never shown"
        gaps.append(Gap(GapKind.EXCLUDED, found.simulated, words, "", path))
    if found.preparing:
        words = "revision of a session is not finished yet"
        gaps.append(Gap(GapKind.EXCLUDED, found.preparing, words, "", path))
    if found.superseded:
        words = "older revision of a session is left out for its latest one"
        gaps.append(Gap(GapKind.EXCLUDED, len(found.superseded), words, "is:copy", path))
    if found.excluded:
        words = "session is left out by settings, or was forgotten"
        gaps.append(Gap(GapKind.EXCLUDED, found.excluded, words, "", path))
    if damaged:
        words = "session header could not be read"
        gaps.append(Gap(GapKind.UNPARSED, damaged, words, "", path))
    if unknown:
        names = ", ".join(sorted(unknown)[:4])
        words = f"records of unknown kinds: {names}"
        gaps.append(
            Gap(GapKind.UNKNOWN_RECORDS, sum(unknown.values()), words, "update recall-tui", path)
        )
    return gaps
