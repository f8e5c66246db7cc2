"""Claude Code's lines as typed structs: only the fields that are read, base64 left undecoded.

msgspec skips what is not named here (thinking, tool twins, snapshots) without building it. A field
of an unexpected type does not lose its record: `decode` falls back to taking what fits.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeAlias

import msgspec

from recall_tui.harnesses.lenient import Count, lenient


class Source(msgspec.Struct, gc=False):
    """Where the bytes of an image or document block are."""

    type: str = ""
    media_type: str = ""
    data: msgspec.Raw = msgspec.Raw()
    url: str = ""


class Block(msgspec.Struct, gc=False):
    """One element of `message.content`, whatever its type. Thinking text is not even decoded."""

    type: str = ""
    text: str = ""
    id: str = ""
    name: str = ""
    title: str | None = None
    input: Any = None
    tool_use_id: str = ""
    content: str | list[msgspec.Raw] | None = None
    is_error: bool | None = None
    source: msgspec.Raw = msgspec.Raw()


Content: TypeAlias = str | list[Block] | None


class Piece(msgspec.Struct, gc=False):
    """One element of a tool result's content list."""

    type: str = ""
    text: str = ""
    source: Source | None = None


class Usage(msgspec.Struct, gc=False):
    """Tokens of one API reply, repeated on each of its lines."""

    input_tokens: Count = 0
    cache_creation_input_tokens: Count = 0
    cache_read_input_tokens: Count = 0
    output_tokens: Count = 0


class Body(msgspec.Struct, gc=False):
    """The `message` of a user or assistant record."""

    model: str | None = ""
    id: str | None = ""
    content: Content = None
    usage: Usage | None = None


class TwinFile(msgspec.Struct, gc=False):
    """The file in a structured tool result; `base64` is the picture a second time."""

    base64: msgspec.Raw = msgspec.Raw()
    type: str | None = ""


class Twin(msgspec.Struct, gc=False):
    """The few facts of `toolUseResult` its tool_result block lacks."""

    durationMs: float | None = None  # noqa: N815 - their name
    totalDurationMs: float | None = None  # noqa: N815
    file: TwinFile | None = None
    agentId: str | None = None  # noqa: N815


class Origin(msgspec.Struct, gc=False):
    """Who put a prompt there, in newer versions."""

    kind: str | None = None


class Attachment(msgspec.Struct, gc=False):
    """What the program sends along with a turn."""

    type: str = ""
    prompt: Content = None
    commandMode: str | None = None  # noqa: N815
    origin: Origin | None = None
    isMeta: bool | None = None  # noqa: N815
    filename: str | None = None
    path: str | None = None
    uri: str | None = None
    snippet: str | None = None
    content: msgspec.Raw = msgspec.Raw()
    message: msgspec.Raw = msgspec.Raw()
    messages: msgspec.Raw = msgspec.Raw()
    reads: msgspec.Raw = msgspec.Raw()
    planContent: str | None = None  # noqa: N815
    blockingError: msgspec.Raw = msgspec.Raw()  # noqa: N815


class Record(msgspec.Struct, gc=False):
    """One line. Every kind of record is read into this one shape.

    The first fields stand in the order the program writes them, which decodes faster.
    """

    parentUuid: str | None = None  # noqa: N815
    isSidechain: bool | None = None  # noqa: N815
    cwd: str | None = None
    sessionId: str | None = None  # noqa: N815
    version: str | None = None
    gitBranch: str | None = None  # noqa: N815
    agentId: str | None = None  # noqa: N815
    type: str = ""
    message: Body | None = None
    toolUseResult: Twin | list[msgspec.Raw] | str | None = None  # noqa: N815
    uuid: str | None = None
    timestamp: datetime | None = None
    isMeta: bool | None = None  # noqa: N815
    isCompactSummary: bool | None = None  # noqa: N815
    isVisibleInTranscriptOnly: bool | None = None  # noqa: N815
    isApiErrorMessage: bool | None = None  # noqa: N815
    promptSource: str | None = None  # noqa: N815
    turnOrigin: str | None = None  # noqa: N815
    textNotTyped: bool | None = None  # noqa: N815
    handedOff: bool | None = None  # noqa: N815
    scheduledTaskId: str | None = None  # noqa: N815
    origin: Origin | None = None
    sourceToolUseID: str | None = None  # noqa: N815
    entrypoint: str | None = None
    attachment: Attachment | None = None
    subtype: str | None = None
    content: str | None = None
    error: msgspec.Raw = msgspec.Raw()
    operation: str | None = None
    customTitle: str | None = None  # noqa: N815
    aiTitle: str | None = None  # noqa: N815
    summary: str | None = None
    leafUuid: str | None = None  # noqa: N815
    relocatedCwd: str | None = None  # noqa: N815
    totalCostUSD: float | None = None  # noqa: N815


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_NAIVE_EPOCH: Final = datetime(1970, 1, 1)
_MS: Final = timedelta(milliseconds=1)


def epoch_ms(moment: datetime | None) -> int:
    """Return epoch ms, 0 for none."""
    if moment is None:
        return 0
    return (moment - (_EPOCH if moment.tzinfo else _NAIVE_EPOCH)) // _MS


strict: Final = msgspec.json.Decoder(Record).decode
"""Decodes a line whose fields have the expected types: nearly every one."""


def decode(line: bytes) -> Record:
    """Return the record of a line; a field of another type than expected is left empty.

    Raises:
        msgspec.DecodeError: It is not JSON.
        BadLine: It is JSON, but no object.
    """
    try:
        return strict(line)
    except msgspec.ValidationError:
        return lenient(line, Record)


class Attached(msgspec.Struct, gc=False):
    """The `content` of a file attachment."""

    file: TwinFile | None = None


attached: Final = msgspec.json.Decoder(Attached)
piece: Final = msgspec.json.Decoder(Piece)
source: Final = msgspec.json.Decoder(Source)
anything: Final = msgspec.json.Decoder()
