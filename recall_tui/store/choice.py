"""Filters as SQL: which sessions, blocks and sources a question is about.

Every value is bound and every comparison literal: `%` and `_` mean themselves.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, TypeAlias

from recall_tui.model import Kind, SessionKind
from recall_tui.paths import absolute
from recall_tui.store.block import BlockKind

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from recall_tui.model import Filter

Condition: TypeAlias = tuple[str, tuple[str | int, ...]]
"""SQL and its parameters."""

PREFIX_CHARS: Final = 8
"""Fewest characters of an id that name a session: fewer would often name two."""


def sessions(chosen: Filter, named: Sequence[int] | None, alone: Collection[int] = ()) -> Condition:
    """Return the condition on `session` that a filter's session fields make.

    Args:
        chosen: The filter.
        named: Row ids of the sessions it names, None when it names none. Naming a session beats
            folding: it is admitted even if all its messages are copies.
        alone: Copies that count here (`within`).
    """
    parts, values = _session_parts(chosen)
    if named is not None:
        parts.append(f"id IN ({', '.join(map(str, named))})")
    elif not chosen.include_copies:
        parts.append(f"(folded=0 OR id IN ({listed(alone)}))" if alone else "folded=0")
    if chosen.since_ms is not None:
        parts.append("(ended_ms>=? OR ended_ms=0)")
        values.append(chosen.since_ms)
    if chosen.until_ms is not None:
        parts.append("started_ms<=?")
        values.append(chosen.until_ms)
    return " AND ".join(parts) or "1", tuple(values)


def blocks(chosen: Filter, named: Sequence[int] | None, alone: Collection[int] = ()) -> Condition:
    """Return the query for the blocks that may hold an admitted message, by falling `last_ms`.

    Its columns are id, session, kind, last_ms; it is answered from an index alone.
    """
    where: list[str] = []
    values: list[str | int] = []
    kinds = _block_kinds(chosen)
    if len(kinds) < len(BlockKind):
        where.append(f"kind IN ({', '.join(map(str, kinds))})")
    if chosen.since_ms is not None:
        where.append("last_ms>=?")
        values.append(chosen.since_ms)
    if chosen.until_ms is not None:
        where.append("first_ms<=?")
        values.append(chosen.until_ms)
    hidden = "SELECT session FROM draft"
    if named is not None:
        where.append(f"session IN ({', '.join(map(str, named))})")
    elif not chosen.include_copies:
        hidden += " UNION ALL SELECT id FROM session WHERE folded=1"
        hidden += f" AND id NOT IN ({listed(alone)})" if alone else ""
    where.append(f"session NOT IN ({hidden})")
    parts, session_values = _session_parts(chosen)
    if parts:
        # Few sessions are quickest by their own blocks. What most sessions pass must go down the
        # times: else SQLite (the plus stops it) fetches and sorts every block for the first page.
        by = "session" if chosen.cwd or chosen.branch or chosen.model else "+session"
        where.append(f"{by} IN (SELECT id FROM session WHERE {' AND '.join(parts)})")
        values += session_values
    return (
        f"""SELECT id, session, kind, last_ms FROM block WHERE {" AND ".join(where)}
        ORDER BY last_ms DESC, id DESC""",
        tuple(values),
    )


def _block_kinds(chosen: Filter) -> list[int]:
    kinds = []
    if chosen.kinds_admitted - {Kind.TOOL_RESULT}:
        kinds.append(int(BlockKind.TALK))
    if chosen.admits_kind(Kind.TOOL_RESULT):
        kinds.append(int(BlockKind.TOOL))
    return kinds


def _session_parts(chosen: Filter) -> tuple[list[str], list[str | int]]:
    """Return the conditions that do not depend on time or copies."""
    parts: list[str] = []
    values: list[str | int] = []
    if chosen.harnesses:
        parts.append(f"harness IN ({', '.join('?' * len(chosen.harnesses))})")
        values += chosen.harnesses
    for column, part in (
        ("cwd", chosen.cwd),
        ("branch", chosen.branch),
        ("models", chosen.model),
    ):
        if part:
            from recall_tui.text.fold import fold  # noqa: PLC0415 - a sync without work folds none

            parts.append(f"instr(fold({column}), ?)")
            values.append(fold(part))
    if chosen.roots:
        condition, root_values = below(chosen.roots)
        parts.append(condition)
        values += root_values
    if chosen.mains_only:
        parts.append(f"kind<>'{SessionKind.SUBAGENT}'")
    return parts, values


def below(roots: Sequence[str]) -> Condition:
    """Return the condition that `path` is one of these paths or lies below one."""
    parts: list[str] = []
    values: list[str | int] = []
    for root in roots:
        folder = root.rstrip(os.sep) + os.sep
        parts.append("path=? OR substr(path, 1, ?)=?")
        values += [root, len(folder), folder]
    return f"({' OR '.join(parts)})", tuple(values)


def unrooted(connection: sqlite3.Connection, chosen: Filter) -> Filter:
    """Return a filter without its roots where all sources lie below one of them, as they often do.

    Two looks into an index tell: what sorts between two paths below a folder lies below it too.
    Every session lies where a source does.
    """
    if not chosen.roots:
        return chosen
    ends = connection.execute(_ENDS).fetchone()
    if None not in ends and any(all(map(_test_below(root), ends)) for root in chosen.roots):
        return chosen._replace(roots=())
    return chosen


_ENDS: Final = "SELECT (SELECT min(path) FROM source), (SELECT max(path) FROM source)"


def _test_below(root: str) -> Callable[[str], bool]:
    folder = root.rstrip(os.sep) + os.sep
    return lambda path: path == root or path.startswith(folder)


def listed(numbers: Iterable[int]) -> str:
    """Return row ids as SQL writes a list of them."""
    return ", ".join(map(str, numbers))


def sources(chosen: Filter, named: Sequence[int] | None = None) -> Condition:
    """Return the condition on `source` for the harnesses, roots and named sessions of a filter.

    Args:
        chosen: The filter.
        named: As of `sessions`. None, or none found: any source may be one that it means.
    """
    parts: list[str] = []
    values: list[str | int] = []
    if chosen.harnesses:
        parts.append(f"harness IN ({', '.join('?' * len(chosen.harnesses))})")
        values += chosen.harnesses
    if chosen.roots:
        condition, root_values = below(chosen.roots)
        parts.append(condition)
        values += root_values
    if named:
        parts.append(f"session IN ({', '.join(map(str, named))})")
    return " AND ".join(parts) or "1", tuple(values)


def naming(name: str) -> Iterator[Condition]:
    """Yield the ways a name may name a session, the most exact first."""
    yield "key=?", (name,)
    yield "native_id=?", (name,)
    if os.sep in name:
        yield "path=?", (absolute(name),)
    harness, colon, rest = name.partition(":")
    prefix = rest if colon else name
    if len(prefix) >= PREFIX_CHARS:
        end = prefix + "\U0010ffff"
        of, values = ("harness=? AND ", (harness,)) if colon else ("", ())
        yield f"{of}native_id>=? AND native_id<?", (*values, prefix, end)
