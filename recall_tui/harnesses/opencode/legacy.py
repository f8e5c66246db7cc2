"""Messages of the middle of 2025, which held their parts and their own names for everything."""

from __future__ import annotations

from typing import Any

from recall_tui.harnesses import fields


def modern(message: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return a message and the parts inside it in today's form.

    A message of today comes back as it is, without parts.
    """
    inner = message.get("parts")
    if not isinstance(inner, list):
        return message, []
    metadata = fields.mapping(message.get("metadata"))
    info = dict(fields.mapping(metadata.get("assistant")))
    info |= {"id": message.get("id"), "role": message.get("role")}
    info |= {"time": metadata.get("time"), "error": metadata.get("error")}
    tools = fields.mapping(metadata.get("tool"))
    parts: list[dict[str, Any]] = []
    for position, part in enumerate(inner):
        if isinstance(part, dict):
            parts.append(_part(part, tools) | {"id": f"{message.get('id')}.{position}"})
    return info, parts


def _part(part: dict[str, Any], tools: dict[str, Any]) -> dict[str, Any]:
    """Return a part in today's form; `tools` is the metadata of calls by id."""
    if part.get("type") == "file":
        return part | {"mime": part.get("mediaType") or part.get("mime")}
    if part.get("type") != "tool-invocation":
        return part
    call = fields.mapping(part.get("toolInvocation"))
    call_id = fields.text(call.get("toolCallId"))
    about = fields.mapping(tools.get(call_id))
    state: dict[str, Any] = {"input": call.get("args"), "time": about.get("time")}
    if call.get("state") == "result":
        state |= {"output": call.get("result"), "metadata": about}
        state["status"] = "error" if about.get("error") is True else "completed"
    else:
        state["status"] = "pending" if call.get("state") == "partial-call" else "running"
    return {"type": "tool", "callID": call_id, "tool": call.get("toolName"), "state": state}
