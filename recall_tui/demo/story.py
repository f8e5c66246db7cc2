"""The shape of a demo story: events any harness's writer can turn into its own records."""

from __future__ import annotations

import hashlib
import struct
import uuid
import zlib
from dataclasses import dataclass, field
from typing import Final

NAMESPACE: Final = uuid.UUID("5f6e0d5a-6f1c-4d51-9a43-7a1d9f0f2b11")


@dataclass(slots=True, frozen=True)
class User:
    """A prompt somebody typed; `picture` names one pasted with it."""

    text: str
    picture: str = ""


@dataclass(slots=True, frozen=True)
class Say:
    """What the agent answered."""

    text: str


@dataclass(slots=True, frozen=True)
class Run:
    """A shell command, its output, and whether it succeeded."""

    command: str
    output: str
    ok: bool = True
    seconds: float = 1.0


@dataclass(slots=True, frozen=True)
class Read:
    """A file the agent read."""

    path: str
    output: str
    picture: str = ""


@dataclass(slots=True, frozen=True)
class Edit:
    """An edit of a file."""

    path: str
    old: str
    new: str


@dataclass(slots=True, frozen=True)
class Agent:
    """A subagent's run: what it was asked, what it did."""

    description: str
    task: str
    events: tuple[Event, ...]


@dataclass(slots=True, frozen=True)
class Compact:
    """A compaction and the summary that survived it."""

    summary: str


Event = User | Say | Run | Read | Edit | Agent | Compact


@dataclass(slots=True, frozen=True)
class Story:
    """One session."""

    harness: str
    name: str
    """Names it for ids; never shown."""
    title: str
    cwd: str
    branch: str
    hours_ago: float
    events: tuple[Event, ...]
    model: str = ""
    torn: bool = False
    """The file ends in the middle of a line, as after a crash."""
    fork_of: str = ""
    """Name of the story whose events come first, copied."""
    branches: tuple[tuple[Event, ...], ...] = field(default=())
    """Other branches of a tree session, abandoned."""


class Clock:
    """Gives each record of a story its time and its ids, the same in every run."""

    def __init__(self, story: Story, now_ms: int) -> None:
        self.ms = now_ms - int(story.hours_ago * 3_600_000)
        self._name = story.name
        self._count = 0

    def tick(self, seconds: float = 8.0) -> int:
        """Move on and return the time in epoch ms."""
        self.ms += int(seconds * 1000)
        return self.ms

    def id(self) -> str:
        """Return a fresh UUID text."""
        self._count += 1
        return story_id(f"{self._name}/{self._count}")

    def short(self, prefix: str, length: int = 20) -> str:
        """Return a fresh id of another shape."""
        self._count += 1
        digest = hashlib.sha256(f"{self._name}/{self._count}".encode()).hexdigest()
        return prefix + digest[:length]


def story_id(name: str) -> str:
    """Return the UUID a name stands for."""
    return str(uuid.uuid5(NAMESPACE, name))


def picture(name: str) -> bytes:
    """Draw a small PNG: a tide curve over a grid, its colours from the name.

    Written with zlib alone so that the demo needs no image library.
    """
    width, height = 320, 200
    seed = hashlib.sha256(name.encode()).digest()
    line = (seed[0] // 2 + 110, seed[1] // 2 + 60, seed[2] // 2 + 40)
    rows = bytearray()
    levels = [int(height * (0.5 + 0.33 * _wave(x / width, seed[3] / 255))) for x in range(width)]
    for y in range(height):
        rows.append(0)  # PNG filter type: none
        for x in range(width):
            if abs(y - levels[x]) <= 2:
                rows += bytes(line)
            elif y > levels[x]:
                rows += bytes((24, 54, 82))
            elif x % 40 == 0 or y % 40 == 0:
                rows += bytes((44, 50, 60))
            else:
                rows += bytes((24, 28, 36))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        _chunk(kind, data)
        for kind, data in (
            (b"IHDR", header),
            (b"IDAT", zlib.compress(bytes(rows), 9)),
            (b"IEND", b""),
        )
    )


def _wave(x: float, phase: float) -> float:
    """Return a tide-like curve in -1..1 from two parabolic arcs (no `math` needed)."""
    t = (2 * x + phase) % 1
    arc = 4 * t * (1 - t)
    return arc if int(2 * x + phase) % 2 else -arc


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
