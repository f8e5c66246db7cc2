"""What a running sync reports: one shape for the app, the command line and the agents."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recall_tui.model import Gap


@dataclass(slots=True, eq=False, repr=False)
class SyncProgress:
    """Where a sync stands; also the shape of `recall index --json` lines."""

    sessions: int = 0
    """Sessions in the index."""
    messages: int = 0
    """Messages in the index."""
    seen: int = 0
    """Sources discovered (an OpenCode database counts once a session)."""
    parsed: int = 0
    """Sources read from their start."""
    appended: int = 0
    """Sources of which only the new tail was read."""
    unchanged: int = 0
    """Sources whose text stands: where it was, back again, or under another path."""
    failed: int = 0
    """Sources that could not be read; what was read of them before is kept."""
    gone: int = 0
    """Sources that vanished since the last sync; their text is kept."""
    returned: int = 0
    """Of these, those that had vanished."""
    renamed: int = 0
    """Sources found under another path; their references still hold."""
    removed: int = 0
    """Sessions taken out because their sources hold nothing any more, or are excluded."""
    bytes_done: int = 0
    bytes_total: int = 0
    """Bytes of the sources that had to be read."""
    seconds: float = 0.0
    done: bool = False
    gaps: list[Gap] = field(default_factory=list)
    """What could not be reached, set on the last report."""
