"""pi's lines as typed structs: only the fields that are read, base64 left undecoded."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from recall_tui.harnesses.lenient import Count  # noqa: TC001 - msgspec reads annotations


class Cost(msgspec.Struct, gc=False):
    """Dollars of one reply."""

    total: float = 0.0


class Usage(msgspec.Struct, gc=False):
    """Tokens of one reply."""

    input: Count = 0
    output: Count = 0
    cacheRead: Count = 0  # noqa: N815 - their name
    cacheWrite: Count = 0  # noqa: N815
    cost: Cost | None = None


class Block(msgspec.Struct, gc=False):
    """One element of a content list. Thinking text is not even decoded."""

    type: str = ""
    text: str = ""
    id: str = ""
    name: str = ""
    arguments: Any = None
    data: msgspec.Raw = msgspec.Raw()
    mimeType: str = ""  # noqa: N815


class Message(msgspec.Struct, gc=False):
    """The `message` of an entry, whatever its role."""

    role: str = ""
    content: str | list[Block] | None = None
    model: str = ""
    usage: Usage | None = None
    stopReason: str = ""  # noqa: N815
    errorMessage: str = ""  # noqa: N815
    toolCallId: str = ""  # noqa: N815
    toolName: str = ""  # noqa: N815
    isError: bool = False  # noqa: N815
    durationMs: float = 0.0  # noqa: N815
    command: str = ""
    output: str = ""
    exitCode: int | None = None  # noqa: N815
    summary: str = ""
    display: bool = True
    timestamp: float | str = 0.0


class Entry(msgspec.Struct, gc=False):
    """One line."""

    type: str = ""
    id: str = ""
    parentId: str | msgspec.UnsetType | None = msgspec.UNSET  # noqa: N815
    timestamp: str = ""
    message: Message | None = None
    summary: str = ""
    content: str | list[Block] | None = None
    display: bool = True
    usage: Usage | None = None
    name: str = ""
    cwd: str = ""
    parentSession: str = ""  # noqa: N815
    branchedFrom: str = ""  # noqa: N815


class Link(msgspec.Struct, gc=False):
    """Where an entry hangs in the tree."""

    id: str = ""
    parentId: str | msgspec.UnsetType | None = msgspec.UNSET  # noqa: N815


strict: Final = msgspec.json.Decoder(Entry).decode
"""Decodes a line whose fields have the expected types: nearly every one."""

link: Final = msgspec.json.Decoder(Link)
