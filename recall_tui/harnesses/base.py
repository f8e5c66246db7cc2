"""The contract between a harness (one agent program's format) and the rest of the house.

A harness answers four questions: where its sessions lie (`roots`, `discover`, `recognise`), what is
in one (`open`), where a material's bytes are (`material`), and how the program resumes one
(`resume`). It never writes, never opens a path a transcript names outside its own root, and never
raises for bad content: that is a counted gap.

This module and every harness's `__init__` use the standard library only, because discovery runs
on every query; decoders (msgspec, zstandard) are imported by the `reader` module that `open` loads.
For the same reason `Parsed` and `Facts`, which take 2 ms to make, come with their first use.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, Protocol

from recall_tui.errors import SourceError
from recall_tui.model import Gap
from recall_tui.named import NamedTuple

if TYPE_CHECKING:
    from collections import Counter

    from recall_tui.harnesses.files import Known
    from recall_tui.harnesses.parsed import Facts, Parsed

__all__ = [
    "MOSTLY_DAMAGED",
    "Checkpoint",
    "Compacting",
    "Facts",
    "Harness",
    "Kindred",
    "Parsed",
    "Quick",
    "ResumeCommand",
    "SessionLike",
    "Source",
    "StaleCheckpoint",
    "Transcript",
]


class Source(NamedTuple):
    """One session as it lies on disk: the unit of change detection.

    `size`, `mtime_ns` and `ctime_ns` are only a hint "probably unchanged"; authority is the content
    digest (Q22). For rows of a database they are the session's own byte count and update time.
    """

    harness: str
    path: str
    part: str
    """The session inside the path (a row id), empty when the path is one session."""
    native_id: str
    size: int
    mtime_ns: int
    ctime_ns: int
    root: str
    parent: str = ""
    """Native id of the main session, when the place on disk already says so."""


class Checkpoint(NamedTuple):
    """Where a later read may go on.

    Messages at or after `position` were provisional (an unterminated last line, a prompt not yet
    confirmed): the next read starts at `offset`, yields them again, and the store replaces them.
    """

    offset: int
    """Bytes of the source consumed for good."""
    position: int
    """Messages yielded for good."""
    carry: bytes
    """The reader's own state (facts included), opaque to everyone else."""


class StaleCheckpoint(SourceError):  # noqa: N818 - a state of the caller's, not a fault
    """What lies beyond a checkpoint changes what was read before it.

    A person went back to an earlier prompt, or the file became shorter: open the source again,
    without the checkpoint. Raised before the first message of the pass.
    """


class Transcript(Protocol):
    """One pass over one session. Iterate to the end, then look at the other attributes."""

    facts: "Facts"
    unparsed: int
    """Lines or values that could not be decoded, those before the checkpoint included."""
    torn: bool
    """The last line is incomplete; it will be read again."""
    unknown: "Counter[str]"
    """Record kinds this reader does not know, by name; counted as `unparsed` is."""
    checkpoint: Checkpoint | None
    """None: this format is rewritten, read it whole each time."""

    def __iter__(self) -> Iterator["Parsed"]:
        """Yield the messages in file order, streaming: a 200 MB session stays flat in memory.

        Raises:
            StaleCheckpoint: The pass cannot go on from its checkpoint: read from the start.
            SourceError: The source cannot be opened or has another format.
        """
        ...


class ResumeCommand(NamedTuple):
    """How to go on with a session in its own program."""

    argv: tuple[str, ...]
    cwd: str
    """Where it must be run; empty when any directory works."""
    warning: str = ""
    """What will surprise the person (Gemini deletes it, OpenCode hangs elsewhere, ...)."""


class SessionLike(Protocol):
    """The part of a session that a resume command needs (`model.Session` fits)."""

    @property
    def native_id(self) -> str:
        """The session's id in its own program."""
        ...

    @property
    def path(self) -> str:
        """Where its source lies."""
        ...

    @property
    def cwd(self) -> str:
        """The directory it began in."""
        ...

    @property
    def last_cwd(self) -> str:
        """The latest recorded directory."""
        ...


class Harness(Protocol):
    """One agent program. Instances hold no state."""

    id: str
    """`claude`, `codex`, ...: the first part of every reference."""
    name: str
    """`Claude Code`."""
    mark: str
    """Two lower-case letters for lists."""

    def roots(self, env: Mapping[str, str], home: str) -> list[str]:
        """Return the directories this program uses on this machine, whether they exist or not."""
        ...

    def discover(self, root: str, gaps: list[Gap]) -> Iterator[Source]:
        """Yield every session below a root, in any order.

        The root may be the program's home, its sessions folder, any folder that holds its files at
        any depth, or one file. Uses `os.scandir`; a folder that cannot be read is a gap, a symlink
        loop ends, a directory named like a session file is passed over. Housekeeping files
        (warm-ups, indexes, prompt histories) are not sessions.
        """
        ...

    def recognise(self, path: str, head: bytes) -> bool:
        """Say whether a file (its first 64 KiB given) is a session of this program."""
        ...

    def open(self, source: Source, since: Checkpoint | None = None) -> Transcript:
        """Return a reader for the session, from the start or from an earlier read's checkpoint."""
        ...

    def material(self, source: Source, locator: str) -> bytes:
        """Read the bytes of a material.

        Raises:
            SourceError: The source or the material is gone, changed or broken.
        """
        ...

    def resume(self, session: SessionLike) -> ResumeCommand | None:
        """Return the program's own resume command, None when it has none."""
        ...


class Quick(Protocol):
    """A harness that can pass over what is known; most have only few or slow sources.

    Its sources are files, none is a part of one.
    """

    def discover_changed(self, root: str, gaps: list[Gap], known: "Known") -> Iterator[Source]:
        """Yield what `discover` yields, without known files that are as they were.

        More may be yielded than `discover` would: then everything is looked at.
        """
        ...


class Kindred(Protocol):
    """A harness that keeps many sessions in one place and can tell there which may be copies."""

    def alike(self, path: str) -> Mapping[str, str]:
        """Return, by `Source.part`, a mark that a copy and what it was copied from have in common.

        Sessions without one are no copies of others in that place.
        """
        ...


class Compacting(Protocol):
    """A harness whose copies of a compacted session have nothing from before the summary."""

    def begins_midway(self, head: bytes) -> bytes:
        """Return the id of a record that a file begins with, and its original has midway.

        Args:
            head: The first bytes of the file.

        Returns:
            The id as it stands in both files; none for a file that begins where its session did.
        """
        ...


MOSTLY_DAMAGED: Final = "most of its lines are damaged"
"""Stands in the error of a source that is one, though what could be read of it is kept."""


def __getattr__(name: str) -> object:
    """Return `Parsed` or `Facts`."""
    if name not in ("Parsed", "Facts"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from recall_tui.harnesses import parsed  # noqa: PLC0415 - see above

    return getattr(parsed, name)
