"""Sessions as Copilot CLI writes them, made by code."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from recall_tui import clock

if TYPE_CHECKING:
    from pathlib import Path

SESSION = "13ed9ab3-0000-4000-8000-000000000001"
START = clock.from_iso("2026-06-08T08:00:00Z")


def png(width: int = 8, height: int = 8, size: int = 300) -> bytes:
    """Bytes that begin like a PNG of that many pixels."""
    head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + width.to_bytes(4, "big") + height.to_bytes(4, "big")
    return head + bytes(range(256)) * (size // 256 + 1)


def coded(content: bytes) -> str:
    return base64.b64encode(content).decode()


class Events:
    """A session in the making, one second an event."""

    def __init__(self, *, start: bool = True, **context: Any) -> None:
        self.lines: list[bytes] = []
        self.time_ms = START
        self.agent = ""
        if start:
            where = {"cwd": "/home/a/app", "gitRoot": "/home/a/app", "branch": "main"} | context
            self.add(
                "session.start", sessionId=SESSION, version=1, producer="copilot-agent",
                copilotVersion="1.0.102", startTime=clock.to_iso(START), context=where,
            )  # fmt: skip

    def add(self, type_: str, **data: Any) -> Events:
        number = len(self.lines)
        event = {
            "type": type_,
            "data": data,
            "id": f"00000000-0000-4000-8000-{number:012d}",
            "timestamp": clock.to_iso(self.time_ms),
            "parentId": None,
        }
        if self.agent:
            event["agentId"] = self.agent
        line = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
        self.lines.append(line.encode() + b"\n")
        self.time_ms += 1000
        return self

    def prompt(self, text: str, **data: Any) -> Events:
        seen = f"<current_datetime>2026</current_datetime>\n\n{text}\n<reminder>zebra</reminder>"
        return self.add("user.message", content=text, transformedContent=seen, **data)

    def answer(self, text: str, *requests: dict[str, Any], **data: Any) -> Events:
        return self.add(
            "assistant.message", content=text, toolRequests=list(requests), model="gpt-x", **data
        )

    def call(self, name: str, arguments: Any, call: str = "call_1", **data: Any) -> Events:
        """A call as the model asks for it and as it begins."""
        request = {"toolCallId": call, "name": name, "arguments": arguments, "type": "function"}
        self.answer("", request | data)
        return self.begins(name, arguments, call)

    def begins(self, name: str, arguments: Any, call: str = "call_1") -> Events:
        return self.add("tool.execution_start", toolCallId=call, toolName=name, arguments=arguments)

    def result(self, content: str, call: str = "call_1", **data: Any) -> Events:
        result = {"content": content} | data.pop("result", {})
        known = {"toolCallId": call, "success": True, "result": result}
        return self.add("tool.execution_complete", **(known | data))

    def bytes(self) -> bytes:
        return b"".join(self.lines)

    def write(self, state: Path, session: str = SESSION) -> Path:
        path = state / session / "events.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.bytes())
        return path


def timeline(*entries: dict[str, Any], chat: tuple[dict[str, Any], ...] = ()) -> bytes:
    """A session of before October 2025, one second an entry."""
    shown = [
        {"id": f"00000000-0000-4000-8000-{n:012d}", "timestamp": clock.to_iso(START + 1000 * n)} | e
        for n, e in enumerate(entries)
    ]
    session = {"sessionId": SESSION, "startTime": clock.to_iso(START), "chatMessages": list(chat)}
    session |= {"timeline": shown, "selectedModel": "claude-sonnet-4.5"}
    return json.dumps(session, ensure_ascii=False, indent=2).encode()
