"""What a running sync reports: one shape for the app, the command line and the agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recall_tui.model import Gap


class SyncProgress:
    """Where a sync stands; also the shape of `recall index --json` lines.

    Written out, for `dataclasses` costs a sync without work 2 ms.

    Attributes:
        sessions: Sessions in the index.
        messages: Messages in the index.
        seen: Sources discovered (an OpenCode database counts once a session).
        parsed: Sources read from their start.
        appended: Sources of which only the new tail was read.
        unchanged: Sources whose text stands: where it was, back again, or under another path.
        failed: Sources that could not be read; what was read of them before is kept.
        gone: Sources that vanished since the last sync; their text is kept.
        returned: Of these, those that had vanished.
        renamed: Sources found under another path; their references still hold.
        removed: Sessions taken out because their sources hold nothing any more, or are excluded.
        bytes_done: Of `bytes_total`, those read.
        bytes_total: Bytes of the sources that had to be read.
        gaps: What could not be reached, set on the last report.
    """

    __slots__ = (
        "appended", "bytes_done", "bytes_total", "done", "failed", "gaps", "gone", "messages",
        "parsed", "removed", "renamed", "returned", "seconds", "seen", "sessions", "unchanged",
    )  # fmt: skip

    def __init__(
        self, *, sessions: int = 0, messages: int = 0, seen: int = 0, parsed: int = 0,
        appended: int = 0, unchanged: int = 0, failed: int = 0, gone: int = 0, returned: int = 0,
        renamed: int = 0, removed: int = 0, bytes_done: int = 0, bytes_total: int = 0,
        seconds: float = 0.0, done: bool = False, gaps: Iterable[Gap] = (),
    ) -> None:  # fmt: skip
        self.sessions = sessions
        self.messages = messages
        self.seen = seen
        self.parsed = parsed
        self.appended = appended
        self.unchanged = unchanged
        self.failed = failed
        self.gone = gone
        self.returned = returned
        self.renamed = renamed
        self.removed = removed
        self.bytes_done = bytes_done
        self.bytes_total = bytes_total
        self.seconds = seconds
        self.done = done
        self.gaps = list(gaps)
