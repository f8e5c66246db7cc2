"""History that a resume wrote into the same file again (seen around 2.0.29).

The second writing has new record ids, one and the same timestamp, and the message ids of the first.
A reply is a copy when its id was seen and other replies stand between; a result or a prompt is one
when it carries the timestamp of such a run. A run begins with a prompt, before its first reply: a
prompt whose text was seen is in doubt until the next record.
"""

from __future__ import annotations

import zlib
from typing import Final

import msgspec

from recall_tui.harnesses.claude.ring import Ring

REPLIES: Final = 4096
PROMPTS: Final = 1024


class Mark(msgspec.Struct):
    """The state in the form it is stored."""

    replies: list[str] = []
    said: list[str] = []
    run_ms: int = 0
    last_ms: int = 0
    reply: str = ""
    copying: bool = False


class Copies:
    """What was seen, in versions that wrote twice."""

    def __init__(self, mark: Mark) -> None:
        self.replies = Ring(REPLIES, mark.replies)
        self.said = Ring(PROMPTS, mark.said)
        self.run_ms = mark.run_ms
        """Timestamp of the latest run of copies, 0 without one."""
        self._last_ms = mark.last_ms
        self._reply = mark.reply
        self._copying = mark.copying

    @property
    def mark(self) -> Mark:
        """The state in the form it is stored."""
        replies, said = list(self.replies), list(self.said)
        return Mark(replies, said, self.run_ms, self._last_ms, self._reply, self._copying)

    @staticmethod
    def concerns(version: str | None) -> bool:
        """Say whether a version may repeat its history: only 2.0 and before."""
        return version is not None and version.startswith(("2.0.", "1."))

    def is_copy(self, reply: str, time_ms: int) -> bool:
        """Say whether a line of a reply belongs to a copy of it; note the reply when not.

        The id alone does not say so: a model behind a proxy may use one id for many replies. In a
        run of copies the record before has the same timestamp, to the millisecond.
        """
        before, self._last_ms = self._last_ms, time_ms
        if reply != self._reply:
            self._reply = reply
            self._copying = False
            if reply not in self.replies:
                self.replies.add(reply)
            elif time_ms and time_ms in (before, self.run_ms):
                self._copying = True
        if self._copying:
            self.run_ms = time_ms
        return self._copying

    def turn(self, time_ms: int) -> None:
        """Note a text in the user's place: the next line begins a reply."""
        self._last_ms = time_ms
        self._reply = ""

    def repeats(self, text: str) -> bool:
        """Say whether a text stood in the user's place before; note it."""
        if not text:
            return False
        mark = f"{zlib.crc32(text.encode('utf-8', 'replace')):x}"
        known = mark in self.said
        self.said.add(mark)
        return known
