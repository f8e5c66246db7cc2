"""`workspace.yaml` beside the events: what the program knows of a session, its title above all.

The file is a flat list of `key: value`; a YAML parser would be a dependency for six lines.
"""

from __future__ import annotations

import json
import os
import re
from typing import Final

_PAIR: Final = re.compile(r"([A-Za-z_][\w-]*):(?:\s+(.*))?$")
_BLOCK: Final = re.compile(r"[|>][+-]?\d?\s*$")
_LARGEST: Final = 1 << 20


def workspace_beside(path: str) -> dict[str, str]:
    """Return the values of the `workspace.yaml` beside the events, empty when there is none."""
    name = os.path.join(os.path.dirname(path), "workspace.yaml")
    try:
        with open(name, "rb") as stream:
            text = stream.read(_LARGEST).decode("utf-8", "replace")
    except OSError:
        return {}
    return parse(text)


def parse(text: str) -> dict[str, str]:
    """Return the top-level scalars of a YAML mapping; nested values are passed over."""
    found: dict[str, str] = {}
    block = ""
    for line in text.replace("\r\n", "\n").split("\n"):
        if line[:1] in (" ", "\t"):
            if block:
                found[block] = f"{found[block]} {line.strip()}".strip()
            continue
        block = ""
        match = _PAIR.match(line)
        if match is None:
            continue
        key, value = match[1], (match[2] or "").strip()
        if _BLOCK.fullmatch(value):
            block, value = key, ""
        found[key] = _scalar(value)
    return found


def _scalar(value: str) -> str:
    """Return a scalar without its quotes; `null` and `~` are empty."""
    if value in ("null", "~"):
        return ""
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    if len(value) > 1 and value[0] == value[-1] == '"':
        try:
            return str(json.loads(value))
        except ValueError:
            return value[1:-1]
    return value
