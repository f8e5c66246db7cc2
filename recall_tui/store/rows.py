"""Rows of the index as sessions and messages."""

from __future__ import annotations

from bisect import bisect_left
from sys import intern
from typing import TYPE_CHECKING, Any, Final

from recall_tui.model import Kind, Material, Message, Presence, Session, SessionKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recall_tui.model import Listed
    from recall_tui.store.block import Attributes, Meta
    from recall_tui.store.within import Within

SESSION: Final = ", ".join(
    f"session.{name}"
    for name in (
        "id", "key", "harness", "native_id", "path", "title", "cwd", "last_cwd", "branch",
        "models", "kind", "parent", "started_ms", "ended_ms", "messages", "prompts", "tool_calls",
        "errors", "materials", "size", "copied", "children", "presence", "gone_ms", "tokens_in",
        "tokens_out", "cost_usd", "version", "root", "part",
    )
)  # fmt: skip
"""Columns of a session, in the order of its fields."""
_MODELS, _KIND, _PRESENCE = 9, 10, 22
_REPEATED: Final = (2, 6, 7, 8, 27, 28)
"""Texts that many sessions share: held once they are a third less of a long list."""
_UNREAD: Final = (False,)
"""The fields after those: an index does not tell what is archived."""

_KINDS: Final = {kind.value: kind for kind in SessionKind}
_PRESENCES: Final = {presence.value: presence for presence in Presence}


def newest_first(session: Session | Listed) -> tuple[int, str]:
    """Return what sessions are listed by (S0-24)."""
    return -session.ended_ms, session.key


def session_of(row: tuple[Any, ...], here: Within) -> Session:
    """Return the session of a row of `SESSION`, as it is below the roots."""
    # By position and by dictionary: a list of 5,000 sessions is made while somebody waits.
    values = list(row)
    values[_MODELS] = tuple(row[_MODELS].split("\n")) if row[_MODELS] else ()
    values[_KIND] = _KINDS[row[_KIND]]
    values[_PRESENCE] = _PRESENCES[row[_PRESENCE]]
    for place in _REPEATED:
        values[place] = intern(values[place])
    values += _UNREAD
    found = Session._make(values)
    if here.children is None:
        return found
    return found._replace(
        copied=here.copied.get(found.id, found.copied),
        parent=here.parents.get(found.id, found.parent),
        children=here.children.get(found.key, 0),
    )


def messages_of(
    key: str, meta: Meta, text: bytes, facts: Attributes, start: int, stop: int
) -> Iterator[Message]:
    """Yield the messages of a block at positions from `start` up to `stop`.

    Args:
        key: Their session's.
        meta: The block's arrays.
        text: Its marked texts, `BuiltBlock.raw`.
        facts: Its sparse facts by index.
        start: First position wanted.
        stop: First position not wanted.
    """
    first, last = bisect_left(meta.positions, start), bisect_left(meta.positions, stop)
    for index in range(first, last):
        begin, end = meta.raw_span(index)
        known = facts.get(index, {})
        yield Message(
            key,
            meta.positions[index],
            Kind(meta.kinds[index]),
            meta.times[index],
            text[begin:end].decode("utf-8", "replace"),
            meta.digests[index],
            meta.flags[index],
            known.get("seen", -1),
            known.get("tool", ""),
            known.get("call", ""),
            known.get("ms", 0),
            known.get("model", ""),
            tuple(Material(*values) for values in known.get("materials", ())),
            tuple(known.get("changes", ())),
        )
