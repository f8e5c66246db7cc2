"""Writes invented sessions as Gemini CLI does."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

Record = dict[str, Any]
SESSION = "417c17c0-817f-4ccc-82c3-d662f6c32ebd"
OPENING = (
    "<session_context>\nThis is the Gemini CLI. We are setting up the context for our chat.\n"
    "- **Workspace Directories:**\n  - /home/dev/work/demo\n- **Directory Structure:**\n"
    "</session_context>"
)


def uid(number: int) -> str:
    """A record id."""
    return str(uuid.UUID(int=number))


def at(second: int) -> str:
    """A time of the session."""
    return f"2026-11-30T17:{second // 60:02d}:{second % 60:02d}.500Z"


def meta(session: str = SESSION, **more: Any) -> Record:
    """The metadata line."""
    return {
        "sessionId": session,
        "projectHash": "64891c1f78d3de6468fe0be6f20296236127124236b44f5492f252299e16e9db",
        "startTime": at(0),
        "lastUpdated": at(0),
        "kind": "main",
    } | more


def opening() -> Record:
    """The patch that starts every session."""
    record = {"id": "d04923d38bb0f6017037e74183378ef4", "timestamp": at(0), "type": "user"}
    return {"$set": {"messages": [record | {"content": [{"text": OPENING}]}]}}


def user(number: int, *content: Record | str, **more: Any) -> Record:
    """A user record of parts."""
    parts = [{"text": part} if isinstance(part, str) else part for part in content]
    record = {"id": uid(number), "timestamp": at(number), "type": "user", "content": parts}
    return record | more


def agent(number: int, text: object = "", **more: Any) -> Record:
    """A reply with its thoughts and tokens."""
    return {
        "id": uid(number),
        "timestamp": at(number),
        "type": "gemini",
        "content": text,
        "thoughts": [{"subject": "zzsubject", "description": "zzthinking"}],
        "tokens": {"input": 100, "output": 10, "cached": 90, "thoughts": 5, "tool": 1},
        "model": "gemini-3-flash",
    } | more


def call(
    name: str, args: object, output: object = None, status: str = "success", **more: Any
) -> Record:
    """A tool call that holds its result."""
    record: Record = {"id": f"{name}__1", "name": name, "args": args, "status": status}
    if output is not None:
        record["result"] = [response(name, output)]
    return record | more


def response(name: str, output: object) -> Record:
    """A function response part."""
    answer = output if isinstance(output, dict) else {"output": output}
    return {"functionResponse": {"id": f"{name}__1", "name": name, "response": answer}}


def lines(path: Path, *records: Record) -> Path:
    """Write a JSONL session."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def document(path: Path, *messages: Record, **more: Any) -> Path:
    """Write a session that is one JSON value."""
    path.parent.mkdir(parents=True, exist_ok=True)
    value = meta() | {"messages": list(messages)} | more
    path.write_text(json.dumps(value, indent=2), "utf-8")
    return path
