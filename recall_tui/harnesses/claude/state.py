"""What the Claude Code reader remembers between lines: small, bounded, and carried by checkpoints.

A session may hold a hundred thousand messages, so nothing here grows with it beyond its limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from recall_tui.harnesses.base import Facts  # noqa: TC001 - msgspec reads the annotation

if TYPE_CHECKING:
    from collections.abc import Iterable

REPLIES: Final = 16
"""API replies whose lines may still come: parallel subagents in one file interleave theirs."""
CALLS: Final = 512
"""Tool calls that wait for their result."""
LEAVES: Final = 64
"""Records a `summary` may name: it is written a few lines behind its leaf, or at the file's top."""


class Ring(dict[str, None]):
    """A set of strings in the order they came that forgets its oldest member beyond a limit."""

    __slots__ = ("limit",)

    def __init__(self, limit: int, members: Iterable[str] = ()) -> None:
        super().__init__(dict.fromkeys(members))
        self.limit = limit

    def add(self, member: str) -> None:
        """Take in a member; one that is there already keeps its age."""
        if member not in self and len(self) >= self.limit:
            del self[next(iter(self))]
        self[member] = None


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


class Carry(msgspec.Struct):
    """The state in the form it is stored."""

    facts: Facts
    custom_title: str = ""
    ai_title: str = ""
    summary: str = ""
    summaries: dict[str, str] = {}
    """By the leaf they name, while that record has not come."""
    leaves: list[str] = []
    calls: dict[str, tuple[str, str]] = {}
    """Tool name and file path of each call that waits for its result."""
    replies: dict[str, tuple[int, int]] = {}
    """Tokens in and out counted for the latest API replies."""
    waiting: list[Waiting] = []
    queue_length: int = 0
    parents: list[str] = []
    abandoned: list[str] = []
    hidden: list[str] = []
    copies: list[str] = []
    said: list[str] = []
    copied_ms: int = 0
    last_ms: int = 0
    local: bool = False
    """The last text was the caveat that announces one of the program's own commands."""
    by_hand: bool = False
    by_program: bool = False
