"""Narrowing: SQL that names the sessions that may hold a term, never what matches (S0-45).

A record is a superset of its message when two things hold: the term is stored as it is written, and
folding the record is what SQLite's `lower` does to it. Where the first fails the question is
declined; where the second fails the record is *unstable* and its session always named.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from recall_tui.model import Declined
from recall_tui.named import NamedTuple
from recall_tui.text.find import beyond_ascii, holds_any
from recall_tui.text.fold import fold, fold_bytes, folds_like_ascii
from recall_tui.text.sanitize import sanitize
from recall_tui.workspace import artifacts, ledger, legacy, projection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recall_tui.workspace.database import Database

_ASKED: Final = "SELECT value FROM json_each(:sessions)"

_LEDGER: Final = f"""SELECT s.value FROM json_each(:sessions) AS s WHERE EXISTS (
  SELECT 1 FROM {ledger.TABLE} AS r
  WHERE r.session_id = s.value AND {ledger.IN_COUNTED} AND {{may_hold}})"""
_ARRIVING: Final = f"SELECT session_id FROM {ledger.PARTIALS} WHERE session_id IN ({_ASKED})"

_INLINE: Final = f"""SELECT s.value FROM json_each(:sessions) AS s WHERE EXISTS (
  SELECT 1 FROM {legacy.TABLE} AS r {{join}}
  WHERE r.session_id = s.value AND {legacy.IN_COUNTED} AND {{inline}} AND {{may_hold}})"""
_JOIN: Final = f"""LEFT JOIN {legacy.PAYLOADS} AS p
  ON p.session_id = r.session_id AND p.sequence = r.sequence"""
_CHUNKED: Final = f"""SELECT p.session_id, p.sequence FROM {legacy.PAYLOADS} AS p
JOIN {legacy.TABLE} AS r ON r.session_id = p.session_id AND r.sequence = p.sequence
WHERE p.session_id IN ({_ASKED}) AND {legacy.IN_COUNTED}"""
_INCOMPLETE: Final = f"""SELECT count(*) FROM ({_CHUNKED} AND p.record_bytes IS NOT (
  SELECT sum(length(c.data)) FROM {legacy.CHUNKS} AS c
  WHERE c.session_id = p.session_id AND c.sequence = p.sequence))"""

_CONTROL: Final = bytes(byte for byte in range(32) if byte not in b"\n\t") + b"\x7f"
"""Bytes that sanitising takes out wherever they stand."""
_WITH_ARTIFACTS: Final = "SELECT session_id FROM artifact_records WHERE status = 'live'"

_ODD: Final = re.compile(rb"\\[ubf/]")
_ODD_ESCAPE: Final = re.compile(rb"(?<!\\)(?:\\\\)*\\[ubf/]")
"""An escape that stands for a character a term may hold, or that sanitising takes out."""


class Asked(NamedTuple):
    """The eligible sessions, by the store that holds their transcript."""

    ledger: Sequence[str]
    legacy: Sequence[str]


def candidates(
    connection: Database, terms: Sequence[bytes], asked: Asked
) -> frozenset[str] | Declined:
    """Name the sessions that may hold one of the terms, from both stores, or decline.

    Args:
        connection: The workspace's, open.
        terms: Folded, UTF-8.
        asked: The sessions worth naming.

    Raises:
        ValueError: A term is not folded: it would be looked for in the wrong form (S0-58).
    """
    words = [_folded(term) for term in terms]
    for word in words:
        if reason := _stored_escaped(word):
            return Declined(reason)
    for table, needed in ((ledger.TABLE, ledger.NEEDED), (legacy.TABLE, legacy.NEEDED)):
        if not needed <= connection.columns(table):
            return Declined(f"the workspace has no {table}: nobody can vouch for half of it")
    connection.register("recall_fold_unstable", unstable)
    named = in_legacy(connection, words, asked.legacy)
    if isinstance(named, Declined):
        return named
    return named | in_ledger(connection, words, asked.ledger)


def in_ledger(
    connection: Database, words: Sequence[str], sessions: Sequence[str]
) -> frozenset[str]:
    """Name the sessions whose events may hold one of the words; none asked, nothing touched."""
    if not sessions:
        return frozenset()
    query = _LEDGER.format(may_hold=_may_hold(connection, "payload_json", words))
    if "session_id" in connection.columns(ledger.PARTIALS):
        query += f" UNION {_ARRIVING}"
    return _sessions(connection, query, words, sessions)


def in_legacy(
    connection: Database, words: Sequence[str], sessions: Sequence[str]
) -> frozenset[str] | Declined:
    """Name the sessions whose rows may hold one of the words; none asked, nothing touched."""
    if not sessions:
        return frozenset()
    chunked = legacy.has_chunks(connection)
    if chunked:
        values = {"sessions": json.dumps(list(sessions))}
        (incomplete,) = connection.execute(_INCOMPLETE, values).fetchone()
        if incomplete:
            return Declined(f"{incomplete} long records are not complete")
    query = _INLINE.format(
        join=_JOIN if chunked else "",
        inline="p.sequence IS NULL" if chunked else "1",
        may_hold=_may_hold(connection, "record_json", words),
    )
    named = _sessions(connection, query, words, sessions)
    return named | _in_chunks(connection, words, sessions, named) if chunked else named


def _in_chunks(
    connection: Database,
    words: Sequence[str],
    sessions: Sequence[str],
    named: frozenset[str],
) -> frozenset[str]:
    """Name the sessions with a long record that may hold a word; a border may split a character."""
    values = {"sessions": json.dumps(list(sessions))}
    needles = [word.encode() for word in words]
    found = set(named)
    for session, sequence in connection.execute(_CHUNKED, values).fetchall():
        if session in found:
            continue
        whole = legacy.joined(connection, session, sequence)
        low = whole.lower()
        if (
            any(needle in low for needle in needles)
            or projection.ARCHIVED.encode() in whole
            or unstable(whole)
        ):
            found.add(session)
    return frozenset(found)


def _may_hold(connection: Database, column: str, words: Sequence[str]) -> str:
    """Return the condition that a record may hold one of the words."""
    parts = [f"instr(lower(r.{column}), :t{number}) > 0" for number in range(len(words))]
    if artifacts.exist(connection):  # the text may lie in one
        parts.append(f"(r.session_id IN ({_WITH_ARTIFACTS}) AND {_archived(column)})")
    parts.append(f"recall_fold_unstable(CAST(r.{column} AS BLOB))")
    return f"({' OR '.join(parts)})"


def _archived(column: str) -> str:
    return f"instr(r.{column}, '{projection.ARCHIVED}') > 0"


def _sessions(
    connection: Database, query: str, words: Sequence[str], sessions: Sequence[str]
) -> frozenset[str]:
    values = {f"t{number}": word for number, word in enumerate(words)}
    values["sessions"] = json.dumps(list(sessions))
    return frozenset(session for (session,) in connection.execute(query, values))


def _folded(term: bytes) -> str:
    try:
        word = term.decode()
    except UnicodeDecodeError as error:
        raise ValueError("a term must be UTF-8") from error
    if not word or fold(word) != word:
        raise ValueError("a term must be folded before a workspace is asked for it")
    return word


def _stored_escaped(word: str) -> str:
    """Return why a term is not stored as it is written, empty when it is."""
    if '"' in word or "\\" in word or any(char < " " for char in word):
        return "a quote, a backslash or a control character is stored escaped"
    if "\ufffd" in word:
        return "a replacement character stands for what could not be read as it is stored"
    return ""


def unstable(record: bytes | None) -> bool:
    """Whether what is searched of a stored record may differ from its bytes in ASCII lower case.

    That is so when NFC or case folding changes a character beyond ASCII, when sanitising changes
    it, and when it spells a character as an escape.
    """
    if record is None:
        return False
    if holds_any(record, _CONTROL) or (_ODD.search(record) and _ODD_ESCAPE.search(record)):
        return True
    if record.isascii():
        return False
    try:
        beyond = beyond_ascii(record)
        if sanitize(beyond) != beyond:
            return True
        return not folds_like_ascii(beyond) and fold_bytes(record.decode()) != record.lower()
    except UnicodeDecodeError:
        return True
