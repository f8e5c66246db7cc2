"""pi: one JSONL tree a session.

Standard library only: this runs on every query; `reader` is loaded by `open`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from recall_tui.harnesses.base import ResumeCommand
from recall_tui.harnesses.files import file_source, first_bytes, walk
from recall_tui.text.late import late

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from recall_tui.harnesses.base import Checkpoint, SessionLike, Source, Transcript
    from recall_tui.model import Gap

_NAME: Final = late(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z_([\w.-]+)\.jsonl")
_HEADER: Final = 4096
"""Bytes a first line may have."""

_SESSIONS: Final = (os.path.join("agent", "sessions"), "sessions")
"""Where sessions lie below `~/.pi` and below `~/.pi/agent`."""


class Pi:
    """The harness `pi`."""

    id = "pi"
    name = "pi"
    mark = "pi"

    def roots(self, env: Mapping[str, str], home: str) -> list[str]:
        """Return the folder of sessions: named by the environment, by the settings, or `~/.pi`."""
        agent = env.get("PI_CODING_AGENT_DIR", "").strip()
        agent = _absolute(agent, home) if agent else os.path.join(home, ".pi", "agent")
        sessions = env.get("PI_CODING_AGENT_SESSION_DIR", "").strip() or _configured(agent)
        if sessions:
            return [os.path.join(agent, _absolute(sessions, home))]
        return [os.path.join(agent, "sessions")]

    def discover(self, root: str, gaps: list[Gap]) -> Iterator[Source]:
        """Yield every session below a root; see `base.Harness`.

        The names are this program's own; another name is looked into.
        """
        start = next(
            (path for part in _SESSIONS if os.path.isdir(path := os.path.join(root, part))), root
        )
        for _, entries in walk(start, gaps):
            for entry in entries:
                name = entry.name
                if not name.endswith(".jsonl"):
                    continue
                match = _NAME.fullmatch(name)
                native_id = match[1] if match else _header_id(entry.path)
                if not native_id:
                    continue
                source = file_source(self.id, entry, native_id, root)
                if source is not None:
                    yield source

    def recognise(self, path: str, head: bytes) -> bool:
        """Say whether a file is a session of this program, by its first line."""
        return path.endswith(".jsonl") and bool(_id_in(head))

    def open(self, source: Source, since: Checkpoint | None = None) -> Transcript:
        """Return a reader for the session; see `base.Harness`."""
        from recall_tui.harnesses.pi.reader import PiTranscript  # noqa: PLC0415

        return PiTranscript(source, since)

    def material(self, source: Source, locator: str) -> bytes:
        """Read the bytes of a material; see `base.Harness`."""
        from recall_tui.harnesses import inline  # noqa: PLC0415

        return inline.read(source.path, locator)

    def resume(self, session: SessionLike) -> ResumeCommand | None:
        """Return `pi --session PATH`: by path it works from any folder, by id it asks.

        Run in the session's own folder all the same, because the tools work where pi is started.
        """
        warning = "" if os.path.exists(session.path) else _GONE
        return ResumeCommand(
            ("pi", "--session", os.path.abspath(session.path)),
            session.last_cwd or session.cwd,
            warning,
        )


_GONE: Final = "The session's file is gone, so pi cannot resume it any more."


def _absolute(path: str, home: str) -> str:
    return home + path[1:] if path == "~" or path.startswith("~/") else path


def _configured(agent: str) -> str:
    """Return the `sessionDir` of pi's settings, empty when they name none."""
    try:
        with open(os.path.join(agent, "settings.json"), encoding="utf-8") as stream:
            text = stream.read()
    except (OSError, ValueError):
        return ""
    import json  # noqa: PLC0415 - 2 ms that who has no pi need not wait for

    try:
        settings = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    value = settings.get("sessionDir") if isinstance(settings, dict) else None
    return value if isinstance(value, str) else ""


def _header_id(path: str) -> str:
    """Return the id in a file's first line, empty when it is no session."""
    return _id_in(first_bytes(path, _HEADER))


def _id_in(head: bytes) -> str:
    """Return the session id of a head, empty when it is none of this program's."""
    first = head.partition(b"\n")[0].strip(b"\0\r\t ").removeprefix(b"\xef\xbb\xbf")
    if b'"session"' not in first:
        return ""
    import json  # noqa: PLC0415

    try:
        header = json.loads(first)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(header, dict) or header.get("type") != "session":
        return ""
    name = header.get("id")
    return name if isinstance(name, str) and "cwd" in header and "timestamp" in header else ""
