"""Lines as Claude Code writes them, made by code."""

from __future__ import annotations

import base64
import json
import struct
from typing import TYPE_CHECKING, Any

from recall_tui import clock

if TYPE_CHECKING:
    from pathlib import Path

SESSION = "11111111-2222-4333-8444-555555555555"
START = clock.from_iso("2026-05-04T08:00:00Z")


class Lines:
    """A session in the making. Every record hangs under the one before unless told otherwise."""

    def __init__(self, version: str = "2.1.101", *, session: str = SESSION, **common: Any) -> None:
        self.lines: list[bytes] = []
        self.time_ms = START
        self.last: str | None = None
        self.common: dict[str, Any] = {
            "isSidechain": False,
            "userType": "external",
            "cwd": "/home/a/my.app",
            "sessionId": session,
            "version": version,
            "gitBranch": "main",
        } | common

    def raw(self, record: dict[str, Any]) -> None:
        """Append a record as it is."""
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
        self.lines.append(line.encode() + b"\n")

    def add(self, type_: str, parent: str | None = "", **fields: Any) -> str:
        """Append a record of the conversation; return its uuid."""
        self.time_ms += 1000
        uuid = fields.pop("uuid", f"00000000-0000-4000-8000-{len(self.lines):012d}")
        self.raw(
            {"parentUuid": self.last if parent == "" else parent}
            | self.common
            | {"type": type_}
            | {"uuid": uuid, "timestamp": clock.to_iso(self.time_ms)}
            | fields
        )
        self.last = uuid
        return uuid

    def user(self, content: Any, parent: str | None = "", **fields: Any) -> str:
        return self.add("user", parent, message={"role": "user", "content": content}, **fields)

    def assistant(
        self, *blocks: dict[str, Any], reply: str = "", model: str = "claude-x-1", **fields: Any
    ) -> str:
        usage = fields.pop("usage", {"input_tokens": 10, "output_tokens": 2})
        message = {
            "model": model,
            "id": reply or f"msg_{len(self.lines)}",
            "type": "message",
            "role": "assistant",
            "content": list(blocks),
            "stop_reason": None,
            "usage": usage,
        }
        return self.add("assistant", message=message, **fields)

    def call(self, call: str, name: str = "Bash", **arguments: Any) -> str:
        return self.assistant({"type": "tool_use", "id": call, "name": name, "input": arguments})

    def result(self, call: str, content: Any, twin: Any = None, **fields: Any) -> str:
        block = {"tool_use_id": call, "type": "tool_result", "content": content}
        if "is_error" in fields:
            block["is_error"] = fields.pop("is_error")
        if twin is not None:
            fields["toolUseResult"] = twin
        return self.user([block], **fields)

    def attachment(self, type_: str, **fields: Any) -> str:
        return self.add("attachment", attachment={"type": type_} | fields)

    def system(self, subtype: str, **fields: Any) -> str:
        return self.add("system", subtype=subtype, isMeta=False, **fields)

    def queue(self, operation: str, content: str | None = None) -> None:
        self.time_ms += 1000
        record = {
            "type": "queue-operation",
            "operation": operation,
            "timestamp": clock.to_iso(self.time_ms),
            "sessionId": self.common["sessionId"],
        }
        self.raw(record | ({"content": content} if content is not None else {}))

    @property
    def content(self) -> bytes:
        return b"".join(self.lines)

    def write(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.content)
        return path


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def thinking(value: str) -> dict[str, Any]:
    return {"type": "thinking", "thinking": value, "signature": "c2ln"}


def png(width: int, height: int, size: int = 200) -> str:
    """Base64 of a PNG's head and zeros."""
    head = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height)
    return base64.b64encode(head.ljust(size, b"\0")).decode()


def image(data: str, mime: str = "image/png") -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": mime, "data": data}}
