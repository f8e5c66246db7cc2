"""Which prompts a person went back from: known before the first message is yielded.

Going back to an earlier prompt writes the new one under the same parent. What hangs under all but
the last of such siblings is abandoned. Two children are otherwise normal (parallel tool calls, an
attachment beside a prompt), so only prompts a person typed count, and the new root a resume opens
has no parent to share. The pass over the file ahead of the reading one costs little: it decodes
only the lines that are a user's and no tool result, and finds those without splitting the rest.
"""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Final

from stringzilla import Str

from recall_tui.harnesses.base import StaleCheckpoint
from recall_tui.harnesses.claude import records, spoken
from recall_tui.harnesses.jsonl import REFUSED
from recall_tui.harnesses.streams import LONGEST
from recall_tui.named import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

PARENTS: Final = 2048
"""Prompts a later read can still find rewound."""
ABANDONED: Final = 1024
"""Records of abandoned branches under which a late one may still hang."""

_CHUNK: Final = 1 << 20
_USER: Final = '"user"'
"""As a JSON value it names a record's type or a message's role; inside a text it is escaped."""
_RESULT: Final = b'"tool_use_id"'
_RESULT_WITHIN: Final = 4096
"""Bytes within which a tool result says so."""


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
    held: list[bytes] = []
    while chunk := stream.read(_CHUNK):
        held.append(chunk)
        if b"\n" not in chunk:  # the middle of a line longer than a chunk
            if len(held) * _CHUNK >= LONGEST:
                offset += sum(map(len, held))
                held.clear()
            continue
        text = b"".join(held)
        end = text.rfind(b"\n") + 1
        held = [text[end:]]
        offset += end
        for line in _candidates(text, end):
            record = _prompt(line)
            if record is None or not record.uuid or not record.parentUuid:
                continue
            if record.parentUuid in known:
                raise StaleCheckpoint("the person went back to an earlier prompt")
            before = latest.get(record.parentUuid, record.uuid)
            if before != record.uuid:
                abandoned.add(before)
            latest[record.parentUuid] = record.uuid
    return Ahead(offset, frozenset(abandoned))


def _candidates(text: bytes, end: int) -> Iterator[bytes]:
    """Yield the lines of a text that may be a prompt: a user's, and no tool result."""
    view = Str(text)
    at = 0
    while (found := view.find(_USER, at, end)) >= 0:
        start = text.rfind(b"\n", at, found) + 1 or at
        at = text.find(b"\n", found) + 1
        if text.find(_RESULT, start, min(at, start + _RESULT_WITHIN)) < 0:
            yield text[start:at]


def _prompt(line: bytes) -> records.Record | None:
    """Return the record of a line a person typed, None for every other."""
    try:
        record = records.decode(line)
    except REFUSED:
        return None
    return record if record.type == "user" and spoken.is_prompt(record) else None
