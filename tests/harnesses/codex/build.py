"""Rollouts as the program writes them, made by code."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from recall_tui import clock

if TYPE_CHECKING:
    from pathlib import Path

SESSION = "019a0000-0000-7000-8000-000000000001"
PARENT = "019a0000-0000-7000-8000-0000000000aa"
START = clock.from_iso("2026-02-03T10:00:00Z")
NAME = f"rollout-2026-02-03T11-00-00-{SESSION}.jsonl"


def png(width: int = 640, height: int = 480, size: int = 300) -> bytes:
    """Bytes that begin like a PNG of that many pixels."""
    head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + width.to_bytes(4, "big") + height.to_bytes(4, "big")
    return head + bytes(range(256)) * (size // 256 + 1)


def data_url(content: bytes, mime: str = "image/png") -> str:
    return f"data:{mime};base64,{base64.b64encode(content).decode()}"


class Rollout:
    """A rollout of the third generation in the making, one second a line."""

    def __init__(self, session: str = SESSION, *, meta: bool = True, **fields: Any) -> None:
        self.session = session
        self.lines: list[bytes] = []
        self.time_ms = START
        self.calls = 0
        if meta:
            self.meta(**fields)

    def line(self, type_: str, payload: dict[str, Any]) -> Rollout:
        record = {"timestamp": clock.to_iso(self.time_ms), "type": type_, "payload": payload}
        text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
        self.lines.append(text.encode() + b"\n")
        self.time_ms += 1000
        return self

    def meta(self, **fields: Any) -> Rollout:
        known = {
            "id": self.session,
            "timestamp": clock.to_iso(self.time_ms),
            "cwd": "/home/a/app",
            "originator": "codex_cli_rs",
            "cli_version": "0.139.0",
            "source": "cli",
            "git": {"branch": "main", "commit_hash": "0" * 40},
        }
        return self.line("session_meta", known | fields)

    def turn(self, cwd: str = "/home/a/app", model: str = "gpt-x") -> Rollout:
        return self.line("turn_context", {"cwd": cwd, "model": model, "summary": "auto"})

    def item(self, type_: str, **fields: Any) -> Rollout:
        return self.line("response_item", {"type": type_} | fields)

    def event(self, type_: str, **fields: Any) -> Rollout:
        return self.line("event_msg", {"type": type_} | fields)

    def completed(self, type_: str, **fields: Any) -> Rollout:
        return self.event("item_completed", item={"type": type_} | fields)

    def said(self, role: str, *parts: str | dict[str, Any], **fields: Any) -> Rollout:
        kind = "output_text" if role == "assistant" else "input_text"
        content = [p if isinstance(p, dict) else {"type": kind, "text": p} for p in parts]
        return self.item("message", role=role, content=content, **fields)

    def prompt(self, text: str) -> Rollout:
        """A prompt as versions 0.36 to 0.14x write it: the item, then its event."""
        return self.said("user", text).event("user_message", message=text, images=[])

    def answer(self, text: str) -> Rollout:
        """An answer as they write it: the event, then its item."""
        return self.event("agent_message", message=text).said("assistant", text)

    def newest_prompt(self, text: str) -> Rollout:
        """A prompt as 0.171 writes it."""
        kinds = {"content_item_kinds": ["user.text"], "turn_id": "t"}
        self.said("user", text, internal_chat_message_metadata_passthrough=kinds)
        return self.completed("UserMessage", content=[{"type": "text", "text": text}])

    def newest_answer(self, text: str) -> Rollout:
        self.completed("AgentMessage", content=[{"type": "Text", "text": text}])
        return self.said("assistant", text)

    def call(self, name: str, arguments: Any, **fields: Any) -> Rollout:
        self.calls += 1
        if not isinstance(arguments, str):
            arguments = json.dumps(arguments)
        call_id = f"call_{self.calls}"
        return self.item("function_call", name=name, arguments=arguments, call_id=call_id, **fields)

    def output(self, output: Any) -> Rollout:
        return self.item("function_call_output", call_id=f"call_{self.calls}", output=output)

    def reasoning(self, text: str) -> Rollout:
        self.event("agent_reasoning", text=text)
        summary = [{"type": "summary_text", "text": text}]
        return self.item("reasoning", summary=summary, content=None, encrypted_content=text)

    def tokens(self, into: int, out: int) -> Rollout:
        usage = {"input_tokens": into, "output_tokens": out, "total_tokens": into + out}
        return self.event("token_count", info={"total_token_usage": usage}, rate_limits=None)

    def bytes(self) -> bytes:
        return b"".join(self.lines)

    def write(self, folder: Path, name: str = NAME) -> Path:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.bytes())
        return path
