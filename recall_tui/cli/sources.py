"""Checking `--source [HARNESS=]PATH` while the person can still correct it."""

from __future__ import annotations

import os
import re
from typing import Final

from recall_tui.errors import ConfigError

_NAMED: Final = re.compile(r"([a-z][a-z0-9_-]*)=(.+)\Z", re.DOTALL)


def split(text: str) -> tuple[str, str]:
    """Return (harness id or "", path) of a `--source` value; `~` is expanded.

    A path that holds "=" is taken whole when it exists as it stands.
    """
    match = _NAMED.match(text)
    if match is None or os.path.exists(os.path.expanduser(text)):
        return "", os.path.expanduser(text)
    return match[1], os.path.expanduser(match[2])


def checked(text: str) -> str:
    """Return a `--source` value with an absolute path.

    Raises:
        ConfigError: There is no such harness or path; the hint says what exists nearby.
    """
    harness, path = split(text)
    if harness:
        from recall_tui.harnesses import registry

        if harness not in registry.BUILT_IN and harness not in registry.ids():
            raise ConfigError(f"unknown harness {harness!r}", f"known: {', '.join(registry.ids())}")
    if not os.path.exists(path):
        raise ConfigError(f"--source: no such file or folder: {path}", nearby(path))
    path = os.path.abspath(path)
    return f"{harness}={path}" if harness else path


def nearby(path: str) -> str:
    """Return what exists next to a missing path: the folder and a similar name in it."""
    folder = os.path.abspath(path)
    while not os.path.isdir(folder):
        missing, folder = os.path.basename(folder), os.path.dirname(folder)
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return f"{folder} exists but cannot be read"
    import difflib

    near = difflib.get_close_matches(missing, names, 3, 0.5)
    held = ", ".join(near or names[:5]) or "nothing"
    return f"{folder} holds {held}{'' if near or len(names) <= 5 else ', ...'}"
