"""Which prompts a person went back from: known before the first message is yielded.

Going back to an earlier prompt writes the new one under the same parent. What hangs under all but
the last of such siblings is abandoned. Two children are otherwise normal (parallel tool calls, an
attachment beside a prompt), so only prompts a person typed count, and the new root a resume opens
has no parent to share. The pass over the file ahead of the reading one costs little: a line is
looked at only when its beginning says it is a user's and no tool result.
"""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Final, NamedTuple

import msgspec

from recall_tui.harnesses.base import StaleCheckpoint
from recall_tui.harnesses.claude import records, spoken
from recall_tui.harnesses.jsonl import BadLine

if TYPE_CHECKING:
    from collections.abc import Container

PARENTS: Final = 2048
"""Prompts a later read can still find rewound."""
ABANDONED: Final = 1024
"""Records of abandoned branches under which a late one may still hang."""

_BEGINNING: Final = 2048
"""Bytes in which a record names its type: what stands before is bounded, but for the cwd."""
_RESULT_WITHIN: Final = 4096


class Ahead(NamedTuple):
    """What lies ahead."""

    end: int
    """Offset behind the last whole line."""
    abandoned: frozenset[str]
    """Ids of the prompts the person went back from."""


def look_ahead(stream: IO[bytes], offset: int, known: Container[str]) -> Ahead:
    """Read from the stream's place to its end and find the abandoned prompts.

    Args:
        stream: Stands at the first line.
        offset: The offset it stands at.
        known: Parents of the prompts read before.

    Raises:
        StaleCheckpoint: The person went back to a prompt that was read before.
    """
    latest: dict[str, str] = {}
    abandoned: set[str] = set()
    for line in stream:
        if not line.endswith(b"\n"):
            break
        offset += len(line)
        record = _prompt(line) if _may_be_prompt(line) else None
        if record is None or not record.uuid or not record.parentUuid:
            continue
        if record.parentUuid in known:
            raise StaleCheckpoint("the person went back to an earlier prompt")
        before = latest.get(record.parentUuid, record.uuid)
        if before != record.uuid:
            abandoned.add(before)
        latest[record.parentUuid] = record.uuid
    return Ahead(offset, frozenset(abandoned))


def _may_be_prompt(line: bytes) -> bool:
    """Say whether a line can be a prompt, from its beginning where that says so."""
    beginning = line[:_BEGINNING]
    if b'"user"' not in beginning and (b'"type"' in beginning or b'"user"' not in line):
        return False
    beginning = line[:_RESULT_WITHIN]
    return b'"tool_use_id"' not in beginning and b'"tool_result"' not in beginning


def _prompt(line: bytes) -> records.Record | None:
    """Return the record of a line a person typed, None for every other."""
    try:
        record = records.decode(line)
    except (msgspec.MsgspecError, BadLine, ValueError):
        return None
    return record if record.type == "user" and spoken.is_prompt(record) else None
