"""The events of a session as typed structs: only the fields a reader needs.

A value of a type the program never wrote before makes the strict decoder refuse the line; `decode`
then reads it field by field.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from recall_tui.harnesses.arguments import leaves
from recall_tui.harnesses.lenient import Number  # noqa: TC001 - msgspec reads annotations

NO_RAW: Final = msgspec.Raw()


class Context(msgspec.Struct):
    """Where the program runs."""

    cwd: str | None = None
    branch: str | None = None


class ToolRequest(msgspec.Struct):
    """A tool call as the model asks for it."""

    toolCallId: str = ""  # noqa: N815 - the names on disk
    name: str = ""
    arguments: Any = None
    intentionSummary: str | None = None  # noqa: N815


class Binary(msgspec.Struct):
    """A picture in a result or a prompt: its data, or a reference to a `session.binary_asset`."""

    type: str = ""
    assetId: str | None = None  # noqa: N815
    data: msgspec.Raw = NO_RAW
    mimeType: str | None = None  # noqa: N815
    description: str | None = None
    path: str | None = None
    filePath: str | None = None  # noqa: N815
    displayName: str | None = None  # noqa: N815
    text: str | None = None
    title: str | None = None
    url: str | None = None


class Result(msgspec.Struct):
    """What a tool gave back: for the model, and in more detail for the screen."""

    content: str | None = None
    detailedContent: str | None = None  # noqa: N815
    binaryResultsForLlm: list[Binary] | None = None  # noqa: N815


class Failure(msgspec.Struct):
    """Why a tool failed."""

    message: str | None = None


class Shell(msgspec.Struct):
    """How a shell command ended."""

    exitCode: int | None = None  # noqa: N815


class Data(msgspec.Struct):
    """The data of an event of any kind."""

    content: str | None = None
    toolRequests: list[ToolRequest] | None = None  # noqa: N815
    parentToolCallId: str | None = None  # noqa: N815
    toolCallId: str | None = None  # noqa: N815
    toolName: str | None = None  # noqa: N815
    arguments: Any = None
    success: bool | None = None
    shellExecution: Shell | None = None  # noqa: N815
    result: Result | str | None = None
    error: Failure | str | None = None
    model: str | None = None
    source: str | None = None
    attachments: list[Binary] | None = None


class Event(msgspec.Struct):
    """A line."""

    type: str
    data: Data = msgspec.field(default_factory=Data)
    id: str = ""
    timestamp: str = ""
    agentId: str | None = None  # noqa: N815


class Tokens(msgspec.Struct):
    """Tokens of a model."""

    inputTokens: Number = 0  # noqa: N815
    outputTokens: Number = 0  # noqa: N815


class ModelMetrics(msgspec.Struct):
    """What a session used of a model."""

    usage: Tokens | None = None


class Rare(msgspec.Struct):
    """The data of the events that report something about the session."""

    sessionId: str | None = None  # noqa: N815
    context: Context | None = None
    cwd: str | None = None
    branch: str | None = None
    copilotVersion: str | None = None  # noqa: N815
    selectedModel: str | None = None  # noqa: N815
    newModel: str | None = None  # noqa: N815
    startTime: str | None = None  # noqa: N815
    message: str | None = None
    reason: str | None = None
    summary: str | None = None
    summaryContent: str | None = None  # noqa: N815
    content: str | None = None
    title: str | None = None
    prompt: str | None = None
    detachedFromSpawningParentSessionId: str | None = None  # noqa: N815
    droppedTokens: float | None = None  # noqa: N815
    tokensRemovedDuringTruncation: float | None = None  # noqa: N815
    success: bool | None = None
    error: Failure | str | None = None
    modelMetrics: dict[str, Any] | None = None  # noqa: N815
    usage: Tokens | None = None
    assetId: str | None = None  # noqa: N815
    mimeType: str | None = None  # noqa: N815
    description: str | None = None
    data: msgspec.Raw = NO_RAW


def _text(raw: msgspec.Raw) -> str:
    return "\n".join(leaves(msgspec.json.decode(raw)))


RESCUE: Final = {"content": _text, "detailedContent": _text, "result": _text}
"""Fields that hold what was said: no text is lost when their type changes."""


class RareEvent(msgspec.Struct):
    """A line that reports something about the session."""

    data: Rare
