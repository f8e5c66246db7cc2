"""GitHub Copilot CLI: `~/.copilot/session-state/<id>/events.jsonl`, early `<id>.jsonl`.

Before October 2025 a session was one JSON file, `history-session-state/session_<id>_<time>.json`.

`reader` knows what is in them; this module only finds them, with the standard library, because
discovery runs on every query.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Final

from recall_tui.harnesses.base import Checkpoint, ResumeCommand, SessionLike, Source, Transcript
from recall_tui.harnesses.files import file_source, first_bytes, unreadable, walk
from recall_tui.text.late import late

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from recall_tui.model import Gap

_STATE: Final = "session-state"
_TIMELINES: Final = "history-session-state"
_EVENTS: Final = "events.jsonl"
_WORKSPACE: Final = "workspace.yaml"
_HOME_FILES: Final = frozenset(
    ("session-store.db", "command-history-state.json", "config.json", "mcp-config.json", "logs")
)
"""Neighbours of `session-state` in the program's home, where its own packages lie as well."""

_HEAD: Final = 8192
"""Bytes within which the first event says whose it is."""

_FIRST: Final = late(rb'\s*\{"type":\s*"(?:session|user|assistant|tool|system|hook)\.\w+"')
_STARTED: Final = late(rb'"type":\s*"session\.start"')
_PRODUCER: Final = late(rb'"producer":\s*"copilot|"copilotVersion"')
_ID: Final = late(rb'"sessionId":\s*"([^"]{4,64})"')
_TIMELINE: Final = late(
    rb'\{\s*"sessionId":\s*"[^"]+",\s*"startTime":\s*"[^"]+",\s*"chatMessages":\s*\['
)
_TIMELINE_NAME: Final = late(r"session_(.+)_\d+\.json")


class Copilot:
    """Sessions of GitHub Copilot CLI."""

    id = "copilot"
    name = "Copilot CLI"
    mark = "co"

    def roots(self, env: Mapping[str, str], home: str) -> list[str]:
        """Return the folders of sessions; `COPILOT_HOME` moves them, early versions used XDG's."""
        bases = [env.get("COPILOT_HOME") or os.path.join(home, ".copilot")]
        early = (env.get(name) for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"))
        bases += (os.path.join(base, ".copilot") for base in early if base)
        bases = list(dict.fromkeys(bases))
        old = (os.path.join(base, _TIMELINES) for base in bases)
        return [*(os.path.join(base, _STATE) for base in bases), *filter(os.path.isdir, old)]

    def discover(self, root: str, gaps: list[Gap]) -> Iterator[Source]:
        """Yield every session below a root; see `base.Harness.discover`.

        A session without events was never used, and is none.
        """
        if os.path.basename(os.path.normpath(root)) in (_STATE, _TIMELINES):
            yield from self._state(root, root, gaps)
        elif _is_home(root):
            for place in (_STATE, _TIMELINES):
                yield from self._state(os.path.join(root, place), root, gaps)
        else:
            alone = os.path.isfile(root)
            for folder, entries in walk(root, gaps):
                for entry in entries:
                    if alone or entry.name.endswith(".jsonl") or _timeline_id(entry.name):
                        native_id = self._native_id(os.path.abspath(folder), entry)
                        source = file_source(self.id, entry, native_id, root) if native_id else None
                        if source is not None:
                            yield _dated(source)

    def _state(self, folder: str, root: str, gaps: list[Gap]) -> Iterator[Source]:
        """Yield the sessions of a `session-state` folder: one stat each, no folder is listed."""
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    native_id = _timeline_id(entry.name)
                    if native_id or entry.name.endswith(".jsonl"):
                        native_id = native_id or entry.name.removesuffix(".jsonl")
                        source = file_source(self.id, entry, native_id, root)
                    else:
                        source = self._events(entry, root)
                    if source is not None:
                        yield source
        except FileNotFoundError:
            return
        except OSError as error:
            gaps.append(unreadable(folder, error))

    def _events(self, entry: os.DirEntry[str], root: str) -> Source | None:
        path = f"{entry.path}{os.sep}{_EVENTS}"
        try:
            status = os.stat(path)
        except OSError:
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        return _dated(Source(
            self.id, path, "", entry.name, status.st_size, status.st_mtime_ns, status.st_ctime_ns,
            root,
        ))  # fmt: skip

    def _native_id(self, folder: str, entry: os.DirEntry[str]) -> str:
        """Return the id of a session, by its place or else its content; empty for other files.

        Other programs have an `events.jsonl` as well.
        """
        above, own = os.path.split(folder)
        name = entry.name
        if name == _EVENTS and os.path.basename(above) == _STATE:
            return own
        if name.endswith(".jsonl") and own == _STATE:
            return name.removesuffix(".jsonl")
        head = first_bytes(entry.path, _HEAD)
        if not self.recognise(entry.path, head):
            return ""
        if name == _EVENTS and own:
            return own
        found = _ID.search(head)
        return found[1].decode("utf-8", "replace") if found else name.removesuffix(".jsonl")

    def recognise(self, path: str, head: bytes) -> bool:
        """Say whether a file holds a session of this program."""
        text = head.lstrip(b"\xef\xbb\xbf\0 \t\r\n")
        if path.endswith(".json") and _TIMELINE.match(text):
            return True
        first = text.partition(b"\n")[0]
        if _STARTED.search(first):
            return _PRODUCER.search(first) is not None
        return _FIRST.match(first) is not None and b'"data":' in first and b'"parentId":' in first

    def open(self, source: Source, since: Checkpoint | None = None) -> Transcript:
        """Return a reader for the session; see `base.Harness.open`."""
        if source.path.endswith(".json") and _TIMELINE.match(first_bytes(source.path, _HEAD)):
            from recall_tui.harnesses.copilot.timeline import TimelineTranscript  # noqa: PLC0415

            return TimelineTranscript(source)
        from recall_tui.harnesses.copilot.reader import CopilotTranscript  # noqa: PLC0415

        return CopilotTranscript(source, since)

    def material(self, source: Source, locator: str) -> bytes:
        """Read the bytes of a picture again; see `base.Harness.material`."""
        from recall_tui.harnesses.inline import read  # noqa: PLC0415

        return read(source.path, locator)

    def resume(self, session: SessionLike) -> ResumeCommand | None:
        """Return `copilot --resume=ID`: it goes on in the session's own directory from anywhere.

        Today's program does not look where the earliest sessions lie.
        """
        if session.path.endswith(".json"):
            return None
        command = ("copilot", f"--resume={session.native_id}")
        cwd = session.last_cwd or session.cwd
        if cwd and not os.path.isdir(cwd):
            return ResumeCommand(
                command, "", f"{cwd} is gone, and Copilot goes on in the session's own directory"
            )
        return ResumeCommand(command, cwd)


def _timeline_id(name: str) -> str:
    """Return the session id in the name of a file of the earliest kind, empty for another name."""
    match = _TIMELINE_NAME.fullmatch(name) if name.endswith(".json") else None
    return match[1] if match else ""


def _dated(source: Source) -> Source:
    """Return a source as changed when the title beside its events changed later."""
    folder, name = os.path.split(source.path)
    try:
        changed = os.stat(f"{folder}{os.sep}{_WORKSPACE}").st_mtime_ns if name == _EVENTS else 0
    except OSError:
        return source
    return source._replace(mtime_ns=max(source.mtime_ns, changed))


def _is_home(root: str) -> bool:
    """Say whether a folder is the program's home, where only one folder holds sessions."""
    try:
        names = set(os.listdir(root))
    except OSError:
        return False  # `walk` reports it
    return _STATE in names and bool(names & _HOME_FILES)
