"""Titles Claude Code keeps beside a session: its index of a folder, a subagent's description."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Final

import msgspec


class _Entry(msgspec.Struct):
    sessionId: str = ""  # noqa: N815 - their name
    summary: str | None = None


class _Index(msgspec.Struct):
    entries: list[_Entry] = []


class _Meta(msgspec.Struct):
    description: str | None = None


_index: Final = msgspec.json.Decoder(_Index)
_meta: Final = msgspec.json.Decoder(_Meta)


def indexed(path: str, session: str) -> str:
    """Return the summary `sessions-index.json` holds of a session, empty without one.

    Args:
        path: The session's file; the index lies in its folder.
        session: Its id.
    """
    index = os.path.join(os.path.dirname(path), "sessions-index.json")
    try:
        status = os.stat(index)
    except OSError:
        return ""
    return _summaries(index, status.st_size, status.st_mtime_ns).get(session, "")


@lru_cache(maxsize=8)
def _summaries(path: str, _size: int, _mtime_ns: int) -> dict[str, str]:
    """Return the summaries of an index by session; its size and time make the key of the cache."""
    try:
        with open(path, "rb") as stream:
            entries = _index.decode(stream.read()).entries
    except (OSError, msgspec.MsgspecError):
        return {}
    return {entry.sessionId: entry.summary for entry in entries if entry.summary}


def described(path: str) -> str:
    """Return what a subagent was started for, from the `.meta.json` beside its file."""
    try:
        with open(path.removesuffix(".jsonl") + ".meta.json", "rb") as stream:
            return _meta.decode(stream.read()).description or ""
    except (OSError, msgspec.MsgspecError):
        return ""
