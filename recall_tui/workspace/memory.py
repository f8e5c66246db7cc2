"""Facts: what the app's own extraction wrote into `memory.sqlite`, found by their keys.

Until Recall the app only wrote them (S0-115). Nothing is scanned here: a fact answers to its keys.
"""

from __future__ import annotations

import os
import unicodedata
from typing import TYPE_CHECKING, Final

from recall_tui.errors import SourceError
from recall_tui.model import Fact, Gap, GapKind
from recall_tui.text.cut import cut_bytes
from recall_tui.text.redact import findings, mark, shown
from recall_tui.text.safe import safe
from recall_tui.text.sanitize import sanitize
from recall_tui.workspace import Files, database

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recall_tui.workspace.database import Database

LIMIT: Final = 10
"""Most facts of one answer (S0-116)."""
FACT_BYTES: Final = 1024
"""Most of one fact that is shown: it is a statement, not a page, and ten go into an answer."""
MAX_TERMS: Final = 32
MAX_KEY_CHARS: Final = 256

_NEEDED: Final = {
    "memory_items": {
        "item_id", "content", "kind", "scope_type", "scope_key", "lifecycle_state", "updated_at",
    },
    "memory_item_keys": {"item_id", "normalized_key"},
}  # fmt: skip

_IN_SCOPE: Final = """i.lifecycle_state = 'active' AND (
  i.scope_type = 'global' OR (i.scope_type = 'workspace' AND i.scope_key = :scope))"""
_END: Final = "\U0010ffff"
"""Behind every character: the end of a range of beginnings."""


class Memory:
    """One workspace's facts; implements `search.ports.FactSource`. Safe to use from any thread."""

    def __init__(self, files: Files) -> None:
        """Open nothing yet."""
        self._path = files.memory

    def facts(self, terms: Sequence[str], scope: str = "") -> list[Fact]:
        """Return the facts a term is a key of, or begins a key of; at most `LIMIT`.

        Those that most terms lead to come first, then the latest. A store that cannot be read
        gives none (S0-117).

        Args:
            terms: As the caller wrote them.
            scope: Root of the workspace that is asking: its facts and the global ones are seen.
        """
        keys = list(dict.fromkeys(filter(None, map(normalized, terms))))[:MAX_TERMS]
        if not keys or not os.path.exists(self._path):
            return []
        try:
            with database.opened(self._path, database.MEMORY_VERSION) as connection:
                _check(connection, self._path)
                return _matching(connection, keys, scope)
        except SourceError:
            return []

    def gaps(self, *, matched: bool) -> list[Gap]:
        """Return why a fact may not have been found: the store is broken, or how little it holds.

        Args:
            matched: Whether any fact matched.
        """
        if not os.path.exists(self._path):
            words = "this workspace has no facts"
            return [] if matched else [Gap(GapKind.NO_FACTS, 1, words, "", self._path)]
        try:
            with database.opened(self._path, database.MEMORY_VERSION) as connection:
                _check(connection, self._path)
                items, sessions = _held(connection)
        except SourceError as error:
            words = f"facts cannot be read: {safe(error.message)}"
            return [Gap(GapKind.UNREADABLE, 1, words, error.hint, self._path)]
        if matched:
            return []
        words = f"no fact matched; the distilled layer holds {items:,} from {sessions:,} sessions"
        return [Gap(GapKind.NO_FACTS, 1, words, "", self._path)]


def normalized(term: str) -> str:
    """Return a term in the form keys are stored in: NFC, trimmed, spaces collapsed, lower case.

    Not folded: the keys were written by the app, with the rules of lower case.
    """
    key = " ".join(unicodedata.normalize("NFC", sanitize(term)).split()).lower()
    return key[:MAX_KEY_CHARS].rstrip()


def _check(connection: Database, path: str) -> None:
    for table, needed in _NEEDED.items():
        if not needed <= connection.columns(table):
            raise SourceError(f"{path}: {table} has another form than is known here")


def _matching(connection: Database, keys: Sequence[str], scope: str) -> list[Fact]:
    values: dict[str, str | int] = {"scope": scope}
    parts = []
    for number, key in enumerate(keys):
        values[f"k{number}"], values[f"e{number}"] = key, key + _END
        parts.append(
            f"SELECT {number} AS term, item_id, normalized_key FROM memory_item_keys "
            f"WHERE normalized_key >= :k{number} AND normalized_key < :e{number}"
        )
    observed = "i.observed_at" if _has_time(connection) else "0"
    rows = connection.execute(
        f"""SELECT k.term, k.normalized_key, i.updated_at, i.item_id, i.content, i.kind, {observed}
        FROM ({" UNION ALL ".join(parts)}) AS k
        JOIN memory_items AS i ON i.item_id = k.item_id WHERE {_IN_SCOPE}""",
        values,
    )
    terms: dict[tuple[object, ...], set[int]] = {}
    for term, key, *item in rows:
        if not _holds_secret(key, item[2]):
            terms.setdefault(tuple(item), set()).add(term)
    best = sorted(terms, key=lambda item: str(item[1]))
    best.sort(key=lambda item: (len(terms[item]), item[0]), reverse=True)
    return [_fact(*item[2:]) for item in best[:LIMIT]]


def _holds_secret(key: object, content: object) -> bool:
    """Whether a key is made of a secret, so that finding it would tell the secret letter by letter.

    Keys are in lower case, in which not every secret is known: so those of the content count too.
    """
    if not isinstance(key, str) or mark(key) != key:
        return True
    if not isinstance(content, str):
        return False
    clean = sanitize(content)
    secrets = (clean[found.start : found.end].lower() for found in findings(clean))
    return any(secret in key or key in secret for secret in secrets)


def _has_time(connection: Database) -> bool:
    return "observed_at" in connection.columns("memory_items")


def _fact(content: object, kind: object, observed_ms: object) -> Fact:
    return Fact(
        cut_bytes(shown(mark(sanitize(content))), FACT_BYTES)[0]
        if isinstance(content, str)
        else "",
        safe(kind) if isinstance(kind, str) else "",
        observed_ms if isinstance(observed_ms, int) and observed_ms > 0 else 0,
    )


def _held(connection: Database) -> tuple[int, int]:
    """Return how many facts are active, and from how many sessions they were drawn."""
    (found,) = connection.execute(
        "SELECT count(*) FROM memory_items WHERE lifecycle_state = 'active'"
    ).fetchone()
    sessions = 0
    if "session_id" in connection.columns("memory_item_sources"):
        query = "SELECT count(DISTINCT session_id) FROM memory_item_sources"
        (sessions,) = connection.execute(query).fetchone()
    return found, sessions
