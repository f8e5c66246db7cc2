"""History that a resume wrote into the same file again (seen around 2.0.29).

The second writing has new record ids, one and the same timestamp, and the message ids of the first.
A reply is a copy when its id was seen and other replies stand between; a result or a prompt is one
when it carries the timestamp of such a run. A run begins with a prompt, before its first reply: a
prompt whose text was seen is in doubt until the next record.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

from recall_tui.harnesses.claude.state import Ring

if TYPE_CHECKING:
    from collections.abc import Iterable

REPLIES: Final = 4096
PROMPTS: Final = 1024


class Copies:
    """What was seen, in versions that wrote twice."""

    def __init__(
        self, replies: Iterable[str], said: Iterable[str], run_ms: int, last_ms: int
    ) -> None:
        self.replies = Ring(REPLIES, replies)
        self.said = Ring(PROMPTS, said)
        self.run_ms = run_ms
        """Timestamp of the latest run of copies, 0 without one."""
        self.last_ms = last_ms
        """Timestamp of the last record."""

    @staticmethod
    def concerns(version: str | None) -> bool:
        """Say whether a version may repeat its history: only 2.0 and before."""
        return version is not None and version.startswith(("2.0.", "1."))

    def is_copy(self, reply: str, time_ms: int) -> bool:
        """Say whether a reply that begins now was written before; note it when not.

        The id alone does not say so: a model behind a proxy may use one id for many replies. In a
        run of copies the record before has the same timestamp, to the millisecond.
        """
        before, self.last_ms = self.last_ms, time_ms
        if reply in self.replies and time_ms and time_ms in (before, self.run_ms):
            self.run_ms = time_ms
            return True
        self.replies.add(reply)
        return False

    def repeats(self, text: str) -> bool:
        """Note a text in the user's place; say whether it stood there before."""
        if not text:
            return False
        mark = f"{zlib.crc32(text.encode('utf-8', 'replace')):x}"
        known = mark in self.said
        self.said.add(mark)
        return known
