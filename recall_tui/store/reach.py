"""What the index covers and what it knows to be missing: the facts behind reach and gaps."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from recall_tui import clock
from recall_tui.model import Filter, Gap, GapKind
from recall_tui.store import choice
from recall_tui.store.schema import LACKING
from recall_tui.store.sync.discover import covers

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

EVERYTHING: Final = Filter()

_NAMED: Final = 5
"""Failed sources named one by one; beyond, they are counted."""

_KINDS_NAMED: Final = 4
"""Unknown kinds of records named one by one."""


def totals(connection: sqlite3.Connection) -> tuple[int, int]:
    """Return (sessions, messages) of the index; copies count once."""
    row = connection.execute(
        "SELECT count(*), coalesce(sum(messages - copied), 0) FROM session WHERE folded=0"
    ).fetchone()
    return int(row[0]), int(row[1])


def gaps(
    connection: sqlite3.Connection,
    chosen: Filter = EVERYTHING,
    named: Sequence[int] | None = None,
) -> list[Gap]:
    """Return what the index knows it is missing.

    Args:
        connection: A reader's or the writer's.
        chosen: Only what may be missing of its harnesses, roots and named sessions.
        named: Row ids of these sessions, None when it names none.
    """
    where, values = choice.sources(chosen, named)
    # What could not be looked at holds nothing of a session that is here.
    found = [] if named else [*_unseen(connection, chosen), *_pending(connection)]
    found += _failed(connection, where, values)
    counted = connection.execute(
        f"""SELECT total(unparsed), total(unparsed > 0), total(torn), total(state = 'gone'),
        min(CASE WHEN state = 'gone' THEN gone_ms END), total(state = 'excluded')
        FROM source WHERE {LACKING} AND {where}""",
        values,
    ).fetchone()
    lines, files, cut, gone, since, left_out = (int(value or 0) for value in counted)
    found += [*excluded(left_out), *unparsed(lines, files), *torn(cut)]
    if gone:
        day = clock.to_iso(since, clock.local_zone())[:10]
        found.append(
            Gap(
                GapKind.GONE,
                gone,
                f"deleted by their program since {day}: {_many(gone, 'source')}; the text is kept",
            )
        )
    return found + _unknown(connection, where, values)


def _unseen(connection: sqlite3.Connection, chosen: Filter) -> list[Gap]:
    """Return what the last looks at places of a filter's harnesses and roots could not see."""
    rows = connection.execute(
        "SELECT harness, root, kind, count, detail, action, place FROM gap ORDER BY rowid"
    )
    return [
        Gap(GapKind(kind), count, detail, action, place)
        for harness, root, kind, count, detail, action, place in rows
        if (not chosen.harnesses or harness in chosen.harnesses)
        and (not chosen.roots or any(_meet(place or root, wanted) for wanted in chosen.roots))
    ]


def _meet(one: str, other: str) -> bool:
    """Whether two paths are the same, or one lies below the other."""
    return covers(one, other) or covers(other, one)


def noted(
    connection: sqlite3.Connection, places: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], list[Gap]]:
    """Return what the last look at each of these (harness, root) could not see."""
    query = "SELECT kind, count, detail, action, place FROM gap WHERE harness=? AND root=?"
    return {
        place: [Gap(GapKind(kind), *rest) for kind, *rest in connection.execute(query, place)]
        for place in places
    }


def _pending(connection: sqlite3.Connection) -> list[Gap]:
    row = connection.execute("SELECT value FROM meta WHERE key='pending'").fetchone()
    if row is None or not row[0]:
        return []
    return [
        Gap(
            GapKind.NOT_INDEXED,
            row[0],
            f"not indexed yet: {_many(row[0], 'source')}",
            "recall index",
        )
    ]


def _failed(connection: sqlite3.Connection, where: str, values: tuple[str | int, ...]) -> list[Gap]:
    rows = connection.execute(
        f"""SELECT path, error FROM source WHERE {LACKING} AND state='failed' AND {where}
        ORDER BY mtime_ns DESC""",
        values,
    ).fetchall()
    return unreadable(
        rows, "what was read before is kept; it is tried again when it changes or can be opened"
    )


def unreadable(failed: Sequence[tuple[str, str]], action: str) -> list[Gap]:
    """Return the gaps of sources that could not be read: (path, why)."""
    named = [Gap(GapKind.UNREADABLE, 1, why, action, path) for path, why in failed[:_NAMED]]
    if len(failed) > _NAMED:
        more = len(failed) - _NAMED
        named.append(
            Gap(
                GapKind.UNREADABLE,
                more,
                f"not readable either: {_many(more, 'source')}",
                "recall doctor names them",
            )
        )
    return named


def excluded(count: int) -> list[Gap]:
    """Return the gap of sessions that are not wanted, if there are any."""
    words = f"{_many(count, 'session')} left out by the setting exclude, or forgotten"
    return [Gap(GapKind.EXCLUDED, count, words, "recall config show")] if count else []


def unparsed(lines: int, files: int) -> list[Gap]:
    """Return the gap of damaged lines, if there are any."""
    words = f"{_many(lines, 'damaged line')} in {_many(files, 'file')} could not be read"
    return [Gap(GapKind.UNPARSED, lines, words, "recall doctor names the files")] if lines else []


def torn(count: int) -> list[Gap]:
    """Return the gap of files that end in the middle of a line, if there are any."""
    words = f"the last line of {_many(count, 'file')} is not finished yet"
    return [Gap(GapKind.TORN, count, words)] if count else []


def _unknown(
    connection: sqlite3.Connection, where: str, values: tuple[str | int, ...]
) -> list[Gap]:
    rows = connection.execute(
        f"SELECT harness, unknown FROM source WHERE {LACKING} AND unknown <> '' AND {where}",
        values,
    ).fetchall()
    if not rows:
        return []
    import json  # noqa: PLC0415 - 8 ms, for something rare

    kinds: dict[str, Counter[str]] = {}
    for harness, packed in rows:
        kinds.setdefault(harness, Counter()).update(json.loads(packed))
    return unknown(kinds)


def unknown(kinds: Mapping[str, Counter[str]]) -> list[Gap]:
    """Return the gaps of records of unknown kind, by harness; the most frequent are named."""
    found = []
    for harness, counter in sorted(kinds.items()):
        most = sorted(counter, key=lambda kind: (-counter[kind], kind))
        names = ", ".join(most[:_KINDS_NAMED])
        more = f" and {len(most) - _KINDS_NAMED} more" if len(most) > _KINDS_NAMED else ""
        found.append(
            Gap(
                GapKind.UNKNOWN_RECORDS,
                counter.total(),
                f"{_many(counter.total(), f'{harness} record')} of unknown kind: {names}{more}",
                "update recall-tui",
                harness,
            )
        )
    return found


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count:,} {noun}s"
