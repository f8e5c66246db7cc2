"""Which sources lost something: not, or not wholly, read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from recall_tui.named import NamedTuple
from recall_tui.store.schema import LACKING

if TYPE_CHECKING:
    import sqlite3


class Damaged(NamedTuple):
    """A source that was not, or not wholly, read."""

    harness: str
    path: str
    part: str
    error: str
    """Why it could not be read at all, empty when it could."""
    unparsed: int
    torn: bool
    unknown: int
    """Records of kinds this version does not know."""


def damaged(
    connection: sqlite3.Connection, where: str = "1", values: tuple[str | int, ...] = ()
) -> list[Damaged]:
    """Return every source that lost something, the worst first; parameters as of `reach.gaps`."""
    rows = connection.execute(
        f"""SELECT harness, path, part, CASE state WHEN 'failed' THEN error ELSE '' END, unparsed,
        torn, unknown FROM source
        WHERE {LACKING} AND (state='failed' OR unparsed > 0 OR torn OR unknown <> '') AND {where}
        ORDER BY state='failed' DESC, unparsed DESC, torn DESC, path""",
        values,
    ).fetchall()
    return [
        Damaged(harness, path, part, error, unparsed, bool(torn), _total(unknown))
        for harness, path, part, error, unparsed, torn, unknown in rows
    ]


def _total(packed: str) -> int:
    return sum(json.loads(packed).values()) if packed else 0
