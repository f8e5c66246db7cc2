"""Reading a growing file in steps, the way the store does, to compare with one read."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from recall_tui.harnesses.base import Checkpoint, Facts, Harness, Parsed, StaleCheckpoint

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from recall_tui.harnesses.base import Source


def source_of(harness: Harness, path: Path) -> Source:
    """The one session a file is."""
    (source,) = harness.discover(str(path), [])
    return source


def whole(harness: Harness, source: Source) -> tuple[list[Parsed], Facts]:
    """Messages and facts of one read from the start."""
    transcript = harness.open(source)
    return list(transcript), transcript.facts


def in_steps(
    harness: Harness, source: Source, path: Path, content: bytes, cuts: Iterable[int]
) -> tuple[list[Parsed], Facts]:
    """Write a file up to each cut, and at last whole, reading on after each.

    What stands at or after a checkpoint's position is replaced by the next pass; a stale
    checkpoint means a read from the start. The offset never passes the last line break. What was
    lost on the way is counted as in one read.
    """
    held: list[Parsed] = []
    since: Checkpoint | None = None
    facts = Facts()
    for cut in [*sorted(cuts), len(content)]:
        path.write_bytes(content[:cut])
        transcript = harness.open(source, since)
        try:
            found = list(transcript)
        except StaleCheckpoint:
            since = None
            transcript = harness.open(source)
            found = list(transcript)
        held = held[: since.position if since else 0] + found
        since = transcript.checkpoint
        assert since is not None
        assert since.offset <= content.rfind(b"\n", 0, cut) + 1
        assert since.position <= len(held)
        facts = copy.deepcopy(transcript.facts)
    fresh = harness.open(source)
    list(fresh)
    assert (transcript.unparsed, transcript.unknown) == (fresh.unparsed, fresh.unknown)
    return held, facts
