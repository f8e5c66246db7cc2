"""Copying, and saying honestly where the text went.

A native tool when the terminal is on this machine, tmux's buffer inside tmux, else the OSC 52
sequence, which no terminal acknowledges: then the text was *sent*, not copied.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Final

from recall_tui.named import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

LIMIT_BYTES: Final = 100_000
"""What OSC 52 may carry: terminals drop longer ones without a word."""

_TIMEOUT_S: Final = 2.0

_TOOLS: Final = (
    (("pbcopy",), ""),
    (("wl-copy",), "WAYLAND_DISPLAY"),
    (("xclip", "-selection", "clipboard"), "DISPLAY"),
    (("xsel", "--clipboard", "--input"), "DISPLAY"),
    (("clip.exe",), ""),
)


class Copied(NamedTuple):
    """Where a text went."""

    words: str
    osc52: str = ""
    """Text the caller still has to send to the terminal itself."""


def copy(text: str, what: str, env: Mapping[str, str]) -> Copied:
    """Put a text on the clipboard, as well as this machine can; blocks for at most seconds.

    Args:
        text: What to copy.
        what: Its name in the answer: `message`, `reference`.
        env: The environment.
    """
    data = text.encode("utf-8", "replace")
    remote = "SSH_CONNECTION" in env or "SSH_TTY" in env
    if not remote:
        for argv, variable in _TOOLS:
            if (not variable or env.get(variable)) and _feed(argv, data):
                return Copied(f"{what} copied to the clipboard ({argv[0]})")
    if env.get("TMUX") and _feed(("tmux", "load-buffer", "-w", "-"), data):
        return Copied(f"{what} copied to tmux's buffer, and sent on to your terminal")
    if len(data) > LIMIT_BYTES:
        head = data[:LIMIT_BYTES].decode("utf-8", "ignore")
        return Copied(f"first 100 KB of the {what} sent to your terminal's clipboard", head)
    return Copied(f"{what} sent to your terminal's clipboard", text)


def _feed(argv: tuple[str, ...], data: bytes) -> bool:
    """Return whether a program took the data on its standard input."""
    path = shutil.which(argv[0])
    if path is None:
        return False
    try:
        done = subprocess.run(  # noqa: S603 - a fixed argv, the data goes to stdin
            [path, *argv[1:]], input=data, timeout=_TIMEOUT_S, check=False, env=dict(os.environ),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0
