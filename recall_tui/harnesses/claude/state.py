"""What the Claude Code reader remembers between lines: small, bounded, and carried by checkpoints.

A session may hold a hundred thousand messages, so nothing here grows with it beyond its limit.
"""

from __future__ import annotations

from typing import Final

import msgspec

from recall_tui.harnesses.base import Facts  # noqa: TC001 - msgspec reads the annotation
from recall_tui.harnesses.claude.copies import Mark
from recall_tui.harnesses.claude.queued import Waiting  # noqa: TC001

REPLIES: Final = 16
"""API replies whose lines may still come: parallel subagents in one file interleave theirs."""
CALLS: Final = 512
"""Tool calls that wait for their result."""
LEAVES: Final = 64
"""Records a `summary` may name: it is written a few lines behind its leaf, or at the file's top."""


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
    copies: Mark = msgspec.field(default_factory=Mark)
    local: bool = False
    """The last text was the caveat that announces one of the program's own commands."""
    caveat: str = ""
    """Id of the latest such text."""
    by_hand: bool = False
    by_program: bool = False
