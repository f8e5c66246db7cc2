"""Messages as OpenCode's new server keeps them: one row each, nothing beside it.

The table `session_message` stands in every store since 1.17 and is empty until a session is led
through that server (`OPENCODE_EXPERIMENTAL_EVENT_SYSTEM`); such a session has no rows elsewhere.
"""

from __future__ import annotations

from typing import Any, Final

from recall_tui.harnesses import fields

_INJECTED: Final = ("synthetic", "system")
_BARE: Final = ("agent-switched", "model-switched")
"""Rows that say nothing."""


def modern(
    kind: str, message: dict[str, Any]
) -> tuple[dict[str, Any], list[dict[str, Any]]] | None:
    """Return a message and its parts in the form of the other layouts.

    Args:
        kind: The row's `type`.
        message: Its `data`, with its id.

    Returns:
        None for a row that says nothing. A kind that is not known becomes a role, and is counted.
    """
    if kind in _BARE:
        return None
    info = {"id": message.get("id"), "time": message.get("time"), "role": kind}
    if kind == "user" or kind in _INJECTED:
        said = {"type": "text", "text": message.get("text"), "synthetic": kind in _INJECTED}
        files = [
            {
                "type": "file", "url": file.get("uri"), "mime": file.get("mime"),
                "filename": file.get("name"),
            }
            for file in map(fields.mapping, fields.items(message.get("files")))
        ]  # fmt: skip
        return _numbered(info | {"role": "user"}, [said, *files])
    if kind == "shell":
        times = fields.mapping(message.get("time"))
        return _numbered(info | {"role": "assistant"}, [_shell(message, times)])
    if kind == "compaction":
        said = {"type": "text", "text": message.get("summary")}
        return _numbered(info | {"role": "assistant", "summary": True}, [said])
    if kind == "assistant":
        info |= {name: message.get(name) for name in ("cost", "tokens", "error")}
        info["modelID"] = fields.mapping(message.get("model")).get("id")
        pieces = map(fields.mapping, fields.items(message.get("content")))
        return _numbered(info, [_tool(p) if p.get("type") == "tool" else p for p in pieces])
    return info, []


def _numbered(
    info: dict[str, Any], pieces: list[dict[str, Any]]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Give parts ids within their message: only the message has one of its own."""
    return info, [p | {"id": f"{info['id']}.{number}"} for number, p in enumerate(pieces)]


def _shell(message: dict[str, Any], times: dict[str, Any]) -> dict[str, Any]:
    """Return a command the person ran as a tool part."""
    done = times.get("completed") is not None
    state = {
        "status": "completed" if done else "running",
        "input": {"command": message.get("command")},
        "output": message.get("output"),
        "time": {"start": times.get("created"), "end": times.get("completed")},
    }
    return {"type": "tool", "callID": message.get("callID"), "tool": "bash", "state": state}


def _tool(piece: dict[str, Any]) -> dict[str, Any]:
    """Return a tool call in the form of a tool part."""
    state = fields.mapping(piece.get("state"))
    times = fields.mapping(piece.get("time"))
    given = list(map(fields.mapping, fields.items(state.get("content"))))
    attached = [file | {"url": file.get("uri")} for file in given if file.get("type") == "file"]
    today = {
        "status": state.get("status"),
        "input": state.get("input"),
        "output": [item.get("text") for item in given if item.get("type") == "text"],
        "error": fields.mapping(state.get("error")).get("message"),
        "time": {"start": times.get("ran") or times.get("created"), "end": times.get("completed")},
        "attachments": attached,
    }
    return {"type": "tool", "callID": piece.get("id"), "tool": piece.get("name"), "state": today}
