"""Codex CLI: `$CODEX_HOME/sessions/YYYY/MM/DD/rollout-<local time>-<id>.jsonl`.

Three generations lie side by side on disks (one JSON file, bare JSONL, an envelope a line), old
ones also as `.jsonl.zst`. `reader` knows what is in them; this module only finds them, with the
standard library, because discovery runs on every query.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final

from recall_tui.harnesses.base import Checkpoint, ResumeCommand, SessionLike, Source, Transcript
from recall_tui.harnesses.files import Known, file_source, first_bytes, walk
from recall_tui.text.late import late

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from recall_tui.model import Gap

_SUFFIXES: Final = (".jsonl", ".jsonl.zst", ".json")
_FOLDERS: Final = ("sessions", "archived_sessions")
_HOME_FILES: Final = frozenset(
    ("archived_sessions", "config.toml", "history.jsonl", "session_index.jsonl", "version.json")
)
"""Neighbours of `sessions` in the program's home, where worktrees and plugins may lie as well."""

_STAMP: Final = late(r"rollout-\d{4}-\d\d-\d\d(?:T\d\d-\d\d-\d\d)?-(.+)")
_ENVELOPE: Final = late(
    rb'\{"timestamp":\s*"[^"]*",\s*(?:"ordinal":\s*\d+,\s*)?"type":\s*'
    rb'"(?:session_meta|response_item|event_msg|turn_context)",\s*"payload":\s*\{'
)
_BARE: Final = late(rb'\{"id":\s*"[^"]+",\s*"timestamp":\s*"[^"]+",\s*"instructions"')
_WHOLE: Final = late(rb'\s*\{\s*"session":\s*\{[^{}]*"id":')
_ANY_ORDER: Final = late(rb'"type":\s*"session_meta"')
_GLANCE: Final = 4096
_OURS: Final = late(rb'"payload"|"session_meta"|"instructions"|"session"')
"""In whatever order its fields come, a rollout begins with one of these."""

_ID: Final = late(rb'"id":\s*"([^"]{4,64})"')
_ZSTD: Final = b"\x28\xb5\x2f\xfd"


class Codex:
    """Sessions of Codex CLI, its desktop app and its IDE extension."""

    id = "codex"
    name = "Codex"
    mark = "cx"

    def roots(self, env: Mapping[str, str], home: str) -> list[str]:
        """Return the folders of live and of archived sessions; `CODEX_HOME` moves both."""
        base = env.get("CODEX_HOME") or os.path.join(home, ".codex")
        return [os.path.join(base, folder) for folder in _FOLDERS]

    def discover(self, root: str, gaps: list[Gap]) -> Iterator[Source]:
        """Yield every rollout below a root; see `base.Harness.discover`.

        A live and an archived copy of a session are two sources with one native id.
        """
        return self._found(root, gaps, None)

    def discover_changed(self, root: str, gaps: list[Gap], known: Known) -> Iterator[Source]:
        """Yield what is not as it was; see `base.Quick`."""
        return self._found(root, gaps, known)

    def _found(self, root: str, gaps: list[Gap], known: Known | None) -> Iterator[Source]:
        alone = os.path.isfile(root)
        for folder in _folders(root):
            for _, entries in walk(folder, gaps, known=known):
                for entry in entries:
                    if not (alone or entry.name.endswith(_SUFFIXES)):
                        continue
                    native_id = self._native_id(entry)
                    if native_id:
                        source = file_source(self.id, entry, native_id, root)
                        if source is not None:
                            yield source

    def _native_id(self, entry: os.DirEntry[str]) -> str:
        """Return the id of a rollout, by its name or else its content; empty for other files."""
        name = entry.name
        if name.startswith("rollout-") and name.endswith(_SUFFIXES):
            return rollout_id(name)
        head = first_bytes(entry.path, _GLANCE)
        if not head.startswith(_ZSTD) and _OURS.search(head) is None:
            return ""  # as nearly every file of another program, without reading more of it
        head = first_bytes(entry.path)
        if not self.recognise(entry.path, head):
            return ""
        found = _ID.search(head)
        return found[1].decode("utf-8", "replace") if found else _stem(name)

    def recognise(self, path: str, head: bytes) -> bool:
        """Say whether a file is a rollout of any generation."""
        if head.startswith(_ZSTD):
            return os.path.basename(path).startswith("rollout-")
        first = head.lstrip(b"\xef\xbb\xbf\0 \t\r\n").partition(b"\n")[0]
        if _ENVELOPE.match(first) or _BARE.match(first):
            return True
        if first.startswith(b"{") and b'"payload"' in first and _ANY_ORDER.search(first):
            return True
        return bool(_WHOLE.match(head)) and path.endswith(".json")

    def open(self, source: Source, since: Checkpoint | None = None) -> Transcript:
        """Return a reader for the session; see `base.Harness.open`."""
        from recall_tui.harnesses.codex.reader import open_transcript  # noqa: PLC0415

        return open_transcript(source, since)

    def material(self, source: Source, locator: str) -> bytes:
        """Read the bytes of a picture again; see `base.Harness.material`."""
        from recall_tui.harnesses.codex.pictures import read_back  # noqa: PLC0415

        return read_back(source, locator)

    def resume(self, session: SessionLike) -> ResumeCommand | None:
        """Return `codex resume ID`, to run in the session's latest directory.

        Sessions of the first generation (one `.json` file) cannot be resumed by today's program.
        """
        if session.path.endswith(".json"):
            return None
        command = ("codex", "resume", thread_of(session.native_id))
        cwd = session.last_cwd or session.cwd
        if cwd and not os.path.isdir(cwd):
            return ResumeCommand(
                command, "", f"{cwd} is gone: Codex will go on in the directory you are in"
            )
        if "archived_sessions" in re.split(r"[\\/]", session.path):
            return ResumeCommand(
                command, cwd, "the session is archived: unarchive it in Codex first"
            )
        return ResumeCommand(command, cwd)


def rollout_id(name: str) -> str:
    """Return the session id a file name ends with; the bare name when it has another form.

    The id of the name is the session's even when a line inside says otherwise: a fork repeats its
    parent's first line.
    """
    if name[18:19] == "T" and name[27:28] == "-" and name.endswith(".jsonl"):
        return name[28:-6]  # all names since mid 2025, at a third of the time
    stem = _stem(name)
    match = _STAMP.fullmatch(stem)
    return match[1] if match else stem.removeprefix("rollout-")


def thread_of(native_id: str) -> str:
    """Return the id the program knows a session by.

    Since 0.171 a thread goes on in a file of its own, `<thread>_<id>`, when turns are taken back.
    """
    return native_id[:36] if native_id[36:37] == "_" else native_id


def _stem(name: str) -> str:
    for suffix in (".zst", ".jsonl", ".json"):
        name = name.removesuffix(suffix)
    return name


def _folders(root: str) -> list[str]:
    """Return where to look below a root: of the program's home only the folders of sessions."""
    try:
        names = set(os.listdir(root))
    except OSError:
        return [root]  # `walk` reports it
    if "sessions" in names and names & _HOME_FILES:
        return [os.path.join(root, folder) for folder in _FOLDERS if folder in names]
    return [root]
