"""Prompts typed while the agent works: found again in the conversation, or shown from the queue.

Claude Code writes what is typed during a run as a `queue-operation`. Mostly a `user` record or a
`queued_command` repeats the text soon after, alone or joined with others by line breaks; some
prompts exist in the queue only, and dropping those records loses them (formats.md, additions).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE: Final = 3
"""Later prompts without a queued text after which nothing will repeat it."""
LIMIT: Final = 64
"""Texts that may wait: more are given up, oldest first, so that a checkpoint stays small."""
KEPT: Final = 2000
"""Characters kept of a text: enough to know it again. A longer one is read again from its line."""


class Waiting(msgspec.Struct):
    """A prompt typed while the agent worked, seen only in the queue so far."""

    text: str
    time_ms: int
    offset: int
    """Of its line."""
    cut: bool = False
    """`text` is only its beginning."""
    passed: int = 0
    """Later prompts that did not hold it."""


class Queue:
    """The texts that wait, in the order they were typed."""

    def __init__(self, waiting: list[Waiting], length: int) -> None:
        self.waiting = waiting
        self.length = length
        """Texts in the program's own queue, as far as its operations say."""

    def operate(self, operation: str, text: str, time_ms: int, offset: int) -> list[Waiting]:
        """Follow one operation; return texts given up because too many wait."""
        if operation == "enqueue":
            self.length += 1
            if text.strip():
                kept = text.strip()[:KEPT]
                self.waiting.append(Waiting(kept, time_ms, offset, len(text.strip()) > KEPT))
        elif operation == "popAll":
            self.length = 0
        else:
            self.length = max(0, self.length - 1)
        return [self.waiting.pop(0)] if len(self.waiting) > LIMIT else []

    def spoken(self, text: str, time_ms: int, *, typed: bool) -> list[Waiting]:
        """Take a text of the conversation; return queued ones that nothing will repeat.

        Only a later prompt says that: not what the program puts there, and not a record written
        before the queued text (a fork copies old ones behind the queue record of its first prompt).

        Args:
            text: The text as typed, or what the program wrote in the user's place.
            time_ms: Its time.
            typed: Whether it is a prompt.
        """
        if not self.waiting:
            return []
        lines = f"\n{text.strip()}\n"
        kept = [
            held
            for held in self.waiting
            if (f"\n{held.text}" if held.cut else f"\n{held.text}\n") not in lines
        ]
        matched = len(kept) < len(self.waiting)
        self.waiting = kept
        return list(self._give_up(time_ms)) if typed and not matched else []

    def _give_up(self, time_ms: int) -> Iterator[Waiting]:
        for held in list(self.waiting):
            if time_ms <= held.time_ms:
                continue
            held.passed += 1
            if self.length == 0 or held.passed >= PATIENCE:
                self.waiting.remove(held)
                yield held
