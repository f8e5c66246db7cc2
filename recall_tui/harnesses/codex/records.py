"""The lines of a rollout as typed structs: only the fields a reader needs.

`Payload` holds what nine tenths of all lines consist of; kinds that are rare or rich are decoded a
second time, into a struct of their own. Types are as wide as the program ever wrote them; a value
of yet another type makes the strict decoder refuse the line, and `lenient` reads it field by field.
"""

from __future__ import annotations

from typing import Any, Final, TypeVar

import msgspec

from recall_tui.harnesses import lenient
from recall_tui.harnesses.arguments import leaves

_S = TypeVar("_S", bound=msgspec.Struct)
NO_RAW: Final = msgspec.Raw()


class Part(msgspec.Struct):
    """A piece of content: text or a picture (data URL, link or base64)."""

    type: str = ""
    text: str | None = None
    image_url: msgspec.Raw = NO_RAW
    data: msgspec.Raw = NO_RAW
    mimeType: str | None = None  # noqa: N815 - the name on disk
    refusal: str | None = None
    content: str | None = None
    success: bool | None = None


class Passthrough(msgspec.Struct):
    """What 0.171 says about the parts of a message: `user.text` is typed."""

    content_item_kinds: list[str] | None = None


class Payload(msgspec.Struct):
    """The payload of an envelope, or a bare item of the second generation."""

    type: str = ""
    id: str | None = None
    role: str | None = None
    name: str | None = None
    namespace: str | None = None
    arguments: str | dict[str, Any] | list[Any] | None = None
    input: str | dict[str, Any] | None = None
    call_id: str | None = None
    output: str | list[Part] | None = None
    content: str | list[Part] | None = None
    message: str | None = None
    images: list[msgspec.Raw] | None = None
    local_images: list[str] | None = None
    internal_chat_message_metadata_passthrough: Passthrough | None = None
    cwd: str | None = None
    model: str | None = None
    turn_id: str | None = None


class Line(msgspec.Struct):
    """An envelope of the third generation."""

    timestamp: str = ""
    type: str = ""
    payload: Payload | None = None


class Function(msgspec.Struct):
    """The inner half of a chat-style tool call."""

    name: str | None = None
    arguments: str | dict[str, Any] | None = None


class ToolCall(msgspec.Struct):
    """A tool call of the chat API, inside an assistant message (first generation)."""

    id: str | None = None
    function: Function | None = None


class Bare(Payload):
    """An item without an envelope, with what other programs and the first generation add."""

    record_type: str | None = None
    function: Function | None = None
    tool_calls: list[ToolCall] | None = None
    tool_call_id: str | None = None
    result: Any = None
    created_at: str | float | None = None
    timestamp: str | float | None = None


class BareLine(msgspec.Struct):
    """A line of the third generation whose payload is shaped like that."""

    payload: Bare


class Git(msgspec.Struct):
    """Where the session's repository stood."""

    branch: str | None = None


class HistoryBase(msgspec.Struct):
    """The file that a paginated history goes on from."""

    thread_id: str | None = None
    """The last id in its name: a thread's, or what was added to that when turns were taken back."""


class Meta(msgspec.Struct):
    """`session_meta` of the third generation, line 1 of the second, `session` of the first."""

    id: str | None = None
    timestamp: str | None = None
    cwd: str | None = None
    originator: str | None = None
    cli_version: str | None = None
    source: str | dict[str, Any] | None = None
    parent_thread_id: str | None = None
    forked_from_id: str | None = None
    history_base: HistoryBase | None = None
    git: Git | None = None


class MetaLine(msgspec.Struct):
    """A line that holds a `session_meta`."""

    payload: Meta


class Settings(msgspec.Struct):
    """What `thread_settings_applied` sets."""

    thread_settings: Payload


class SettingsLine(msgspec.Struct):
    """A line that changes where and with which model the thread runs."""

    payload: Settings


class Usage(msgspec.Struct):
    """Tokens of a thread so far."""

    input_tokens: lenient.Count = 0
    output_tokens: lenient.Count = 0


class UsageInfo(msgspec.Struct):
    """The `info` of a `token_count`, the payload of a `token_usage_record`."""

    total_token_usage: Usage | None = None
    thread_token_usage: Usage | None = None
    info: UsageInfo | None = None


class UsageLine(msgspec.Struct):
    """A line that counts tokens."""

    payload: UsageInfo


class Duration(msgspec.Struct):
    """A Rust duration."""

    secs: int = 0
    nanos: int = 0


class ErrorInfo(msgspec.Struct):
    """Why a turn or a call failed."""

    message: str | None = None


class Event(msgspec.Struct):
    """The payload of a rare line, or the item that an `item_completed` holds."""

    type: str = ""
    id: str | None = None
    call_id: str | None = None
    message: str | None = None
    text: str | None = None
    content: str | list[Part] | None = None
    reason: str | None = None
    num_turns: int | None = None
    thread_name: str | None = None
    success: bool | None = None
    status: Any = None
    exit_code: int | None = None
    duration: Duration | str | float | None = None
    duration_ms: float | None = None
    error: ErrorInfo | str | None = None
    command: list[str] | str | None = None
    aggregated_output: str | None = None
    process_id: str | int | None = None
    stdout: str | None = None
    stderr: str | None = None
    changes: dict[str, Any] | None = None
    invocation: dict[str, Any] | None = None
    server: str | None = None
    tool: str | None = None
    arguments: str | dict[str, Any] | None = None
    result: msgspec.Raw = NO_RAW
    action: dict[str, Any] | None = None
    query: str | None = None
    results: list[Any] | None = None
    tools: list[Any] | None = None
    revised_prompt: str | None = None
    saved_path: str | None = None
    author: str | None = None
    target: dict[str, Any] | None = None
    user_facing_hint: str | None = None
    review_output: dict[str, Any] | None = None
    goal: dict[str, Any] | None = None
    rationale: str | None = None
    turn_attribution: dict[str, Any] | None = None
    item: Event | None = None


class EventLine(msgspec.Struct):
    """A line of a rare kind."""

    payload: Event


def parts_of(raw: msgspec.Raw) -> list[Part]:
    """Return the parts of a content whose shape is not the known one, losing no text."""
    value = msgspec.json.decode(raw)
    parts: list[Part] = []
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict):
            parts.append(lenient.lenient(msgspec.json.encode(item), Part))
            if not parts[-1].text and not parts[-1].content:
                parts[-1].text = "\n".join(leaves(item, frozenset(("type", "image_url", "data"))))
        elif isinstance(item, str):
            parts.append(Part("text", item))
    return parts


RESCUE: Final = {"content": parts_of, "output": parts_of}
"""Fields that hold what was said: no text is lost when their type changes."""


def decode(data: bytes | msgspec.Raw, kind: type[_S]) -> _S:
    """Decode an object of a rollout; see `lenient.decode`."""
    return lenient.decode(data, kind, RESCUE)


def milliseconds(duration: Duration | str | float | None) -> int:
    """Return a duration (Rust's, or seconds) as whole milliseconds, 0 when it is none."""
    if isinstance(duration, Duration):
        took = duration.secs * 1000 + duration.nanos // 1_000_000
    elif isinstance(duration, (int, float)) and duration < 1e9:
        took = int(duration * 1000)
    else:
        return 0
    return took if 0 < took < 1e12 else 0
