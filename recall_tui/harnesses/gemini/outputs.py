"""Tool outputs that Gemini CLI moved out of a session: cut when they came, or masked later.

What is left says which file holds the whole, by an absolute path of the machine that wrote it. The
file lies in `tool-outputs/session-<id>` beside `chats`, and is looked for only there.
"""

from __future__ import annotations

import os
import re
from typing import Final

import msgspec

from recall_tui.harnesses.arguments import leaves
from recall_tui.harnesses.saved import saved

_MOVED: Final = re.compile(
    r"Output too large\. (?:Full output available at|Showing first \S+ and last \S+ characters\. "
    r"For full output see): (\S.*)"
)
_UNTRUSTED: Final = re.compile(
    r"\A\s*<untrusted_context>\n?(.*?)\n?</untrusted_context>\s*\Z", re.S
)
_NAME: Final = re.compile(r"[\w][\w. -]*\Z")
_FOLDER: Final = "tool-outputs"
_LARGEST: Final = 64 << 20
"""Bytes of an output that are read."""


def whole(text: str, session: str) -> str:
    """Return the whole output that a recorded one stands for; the recorded one if it is gone.

    Args:
        text: The recorded output.
        session: Path of the session file.
    """
    match = _MOVED.search(text) if "Output too large. " in text else None
    if match is None:
        return text
    *_, folder, name = ["", *re.split(r"[/\\]", match[1].strip())]
    found = _read(os.path.join(_beside_chats(session), _FOLDER), folder, name)
    return found if len(found) > len(text) else text


def unframed(text: str) -> str:
    """Return an output without the tags that warn the model of it."""
    match = _UNTRUSTED.match(text)
    return match[1] if match else text


def _beside_chats(session: str) -> str:
    """Return the project's folder, which holds `chats`."""
    folder = os.path.dirname(session)
    if os.path.basename(folder) != "chats":  # a subagent's
        folder = os.path.dirname(folder)
    return os.path.dirname(folder)


def _read(place: str, folder: str, name: str) -> str:
    """Return the words of a saved output, empty when there is none."""
    if not _NAME.match(name):
        return ""
    inner = folder if _NAME.match(folder) and folder != _FOLDER else ""
    data = saved(os.path.join(place, inner, name), _LARGEST)
    if data is None:
        return ""
    try:  # what was masked is saved as the JSON of the response
        value = msgspec.json.decode(data)
    except (msgspec.MsgspecError, RecursionError):
        value = None
    if isinstance(value, dict):
        return unframed("\n".join(leaves(value)))
    return unframed(data.decode("utf-8", "replace"))
