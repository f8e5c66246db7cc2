"""What lies below a few roots, told as if nothing lay elsewhere (`--source`).

Who asks only below them finds nothing of a session whose original lies elsewhere but its copies
here, and knows only the main sessions that are here.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from recall_tui.model import SessionKind
from recall_tui.named import NamedTuple
from recall_tui.store.choice import below

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence


class Within(NamedTuple):
    """What is otherwise there than in the whole index; all empty without any roots."""

    copied: Mapping[int, int] = {}
    """Row id of a copy whose original lies elsewhere, and that counts here -> how many of its first
    messages another one here holds as well."""
    parents: Mapping[int, str] = {}
    """Row id of a session whose main session lies elsewhere -> key of its main session here."""
    children: Mapping[str, int] | None = None
    """Key -> sessions here that belong to it; None without any roots."""


WHOLE = Within()


class _Kept(NamedTuple):
    """A session below the roots."""

    id: int
    key: str
    harness: str
    native_id: str
    parent_native: str
    kind: str
    original: int
    parent: str
    messages: int


def within(connection: sqlite3.Connection, roots: Sequence[str]) -> Within:
    """Return what some roots hold; see `Within`."""
    if not roots:
        return WHOLE
    here, values = below(roots)
    query = f"SELECT {', '.join(_Kept._fields)} FROM session WHERE {here}"
    rows = connection.execute(f"{query} ORDER BY folded, path, part", values)
    kept = {row[0]: _Kept._make(row) for row in rows}
    strays = [s for s in kept.values() if s.original and s.original not in kept]
    shares = _shares(connection, kept.keys(), strays) if strays else {}
    copied = {row: count for row, (_, count) in shares.items() if count < kept[row].messages}
    parents = _parents(kept, {row: original for row, (original, _) in shares.items()})
    children = Counter(parents.get(s.id, s.parent) for s in kept.values())
    return Within(copied, parents, children)


def _shares(
    connection: sqlite3.Connection, here: Iterable[int], strays: Sequence[_Kept]
) -> dict[int, tuple[int, int]]:
    """Return copies of what lies elsewhere -> (row id of the original here or 0, messages copied).

    Mostly such a copy is the only one of its family: a backup. Then nothing has to be compared,
    unless it names whose fork it is.
    """
    from recall_tui.store import families  # noqa: PLC0415 - few searches need it

    above = dict(connection.execute("SELECT id, original FROM session WHERE original <> 0"))
    inside = set(here)
    first = {stray.id: families.topmost(stray.id, above.get) for stray in strays}
    kin = Counter(first.values())
    found: dict[int, tuple[int, int]] = {}
    for stray in strays:
        if stray.id in found:
            continue
        found[stray.id] = 0, 0
        alone = kin[first[stray.id]] == 1 and first[stray.id] not in inside
        if not alone or stray.kind == SessionKind.FORK:
            members = [m for m in families.family(connection, stray.id) if m.id in inside]
            shared = families.copies_among(connection, members)
            found |= {member.id: shared.get(member.id, (0, 0)) for member in members}
    return {stray.id: found[stray.id] for stray in strays}


def _parents(kept: Mapping[int, _Kept], originals: Mapping[int, int]) -> dict[int, str]:
    """Return the main sessions here of those whose main session lies elsewhere."""
    keys = {session.key for session in kept.values()}
    lost = [s for s in kept.values() if s.parent and s.parent not in keys]
    if not lost:
        return {}
    from recall_tui.store import families  # noqa: PLC0415 - few searches need it

    named: dict[tuple[str, str], list[int]] = {}
    for session in kept.values():
        named.setdefault((session.harness, session.native_id), []).append(session.id)

    above: dict[int, int | None] = {}
    for session in kept.values():
        others = named.get((session.harness, session.parent_native), ())
        parent = next((row for row in others if row != session.id), None)
        original = originals.get(session.id, session.original)
        above[session.id] = parent or (original if original in kept else None)
    tops = {session.id: families.topmost(session.id, above.get) for session in lost}
    return {row: kept[top].key if top != row else "" for row, top in tops.items()}
