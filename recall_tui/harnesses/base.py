"""The contract between a harness (one agent program's format) and the rest of the house.

A harness answers four questions: where its sessions lie (`roots`, `discover`, `recognise`), what is
in one (`open`), where a material's bytes are (`material`), and how the program resumes one
(`resume`). It never writes, never opens a path a transcript names outside its own root, and never
raises for bad content: that is a counted gap.

This module and every harness's `__init__` use the standard library only, because discovery runs
on every query; decoders (msgspec, zstandard) are imported by the `reader` module that `open` loads.
For the same reason no annotation is compiled from text here, and `Parsed` and `Facts`, which take
2 ms to make, come with their first use.
"""

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from recall_tui.errors import SourceError
from recall_tui.model import Gap, GapKind

if TYPE_CHECKING:
    from collections import Counter

    from recall_tui.harnesses.parsed import Facts, Parsed

__all__ = [
    "HEAD_BYTES",
    "Checkpoint",
    "Facts",
    "Harness",
    "Kindred",
    "Known",
    "Parsed",
    "Quick",
    "ResumeCommand",
    "SessionLike",
    "Source",
    "StaleCheckpoint",
    "Transcript",
    "file_source",
    "first_bytes",
    "unreadable",
    "walk",
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


class Known:
    """The files below a root that the index knows, for a look that passes over the unchanged.

    Attributes:
        unseen: Path -> size, mtime_ns and ctime_ns of those not seen yet as they were.
    """

    __slots__ = ("unseen",)

    def __init__(self, files: Iterable[tuple[str, int, int, int]]) -> None:
        self.unseen = {path: (size, mtime, ctime) for path, size, mtime, ctime in files}

    def still_so(self) -> bool:
        """Say whether those did not change that change most: the first to be read, and the last.

        The newest come first when there was no index yet, and last ever since.
        """
        ends = [*islice(self.unseen, _LIVELY), *islice(reversed(self.unseen), _LIVELY)]
        try:
            return all(_stamp(os.stat(path)) == self.unseen[path] for path in ends)
        except OSError:
            return False

    def others(self, entries: Iterable[os.DirEntry[str]]) -> Iterator[os.DirEntry[str]]:
        """Yield the entries that are no known file as it was; the rest is no longer unseen."""
        unseen = self.unseen
        for entry in entries:
            stamp = unseen.get(entry.path)
            if stamp is not None:
                try:
                    status = entry.stat()
                except OSError:
                    continue
                if _stamp(status) == stamp and stat.S_ISREG(status.st_mode):
                    del unseen[entry.path]
                    continue
            yield entry


_LIVELY: Final = 16
"""Files looked at before all are: while an agent works, its session is among them."""


def _stamp(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns


class Quick(Protocol):
    """A harness that can pass over what is known; most have only few or slow sources."""

    def discover_changed(self, root: str, gaps: list[Gap], known: Known) -> Iterator[Source]:
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


def walk(
    root: str,
    gaps: list[Gap],
    enter: Callable[[str, str], bool] | None = None,
    known: Known | None = None,
) -> Iterator[tuple[str, list[os.DirEntry[str]]]]:
    """Yield (directory, its file entries) below a root, following links, each directory once.

    A directory is known by device and inode, so a loop of links ends; links are followed last, so
    that what also lies under the root is named by its real path, and never to a folder that holds
    the root. An unreadable folder is one gap; the rest is still walked. A root that is a file is
    yielded alone with its folder; one that is not there yields nothing.

    Args:
        root: A folder or a file.
        gaps: Takes what could not be read.
        enter: Asked with (folder, name of a subfolder) whether to go into it; all by default.
        known: Its unchanged files are left out.
    """
    if os.path.isfile(root):
        yield from _alone(root, gaps)
        return
    home = os.path.realpath(root)
    seen: set[tuple[int, int]] = set()
    stack = [root]
    links: list[str] = []
    while stack or links:
        folder = stack.pop() if stack else links.pop()
        files: list[os.DirEntry[str]] = []
        try:
            status = os.stat(folder)
            mark = (status.st_dev, status.st_ino)
            if mark in seen:
                continue
            seen.add(mark)
            with os.scandir(folder) as entries:
                for entry in entries if known is None else known.others(entries):
                    if not _is_folder(entry):
                        files.append(entry)
                    elif enter is not None and not enter(folder, entry.name):
                        continue
                    elif not entry.is_symlink():
                        stack.append(entry.path)
                    elif not f"{home}{os.sep}".startswith(
                        os.path.join(os.path.realpath(entry.path), "")
                    ):
                        links.append(entry.path)
        except FileNotFoundError:
            continue
        except OSError as error:
            gaps.append(unreadable(folder, error))
            continue
        yield folder, files


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Say whether an entry is a folder or a link to one; a link to itself is neither."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def _alone(path: str, gaps: list[Gap]) -> Iterator[tuple[str, list[os.DirEntry[str]]]]:
    """Yield one file as `walk` yields a folder that holds nothing else."""
    folder, name = os.path.split(path)
    try:
        with os.scandir(folder or os.curdir) as entries:
            files = [entry for entry in entries if entry.name == name]
    except OSError as error:
        gaps.append(unreadable(folder, error))
        return
    yield folder, files


def unreadable(path: str, error: OSError) -> Gap:
    """Return the gap for a folder or file the operating system refuses."""
    return Gap(
        GapKind.UNREADABLE,
        1,
        f"cannot read {path}: {error.strerror or error}",
        "check its permissions, then run recall index",
        path,
    )


MOSTLY_DAMAGED: Final = "most of its lines are damaged"
"""Stands in the error of a source that is one, though what could be read of it is kept."""

HEAD_BYTES: Final = 64 << 10
"""What a harness is shown of a file to recognise it."""

_AT_ONCE: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def first_bytes(path: str, size: int = HEAD_BYTES) -> bytes:
    """Return the first bytes of a regular file.

    Returns:
        At most `size` bytes; none when it cannot be read or is something else: a pipe of that name
        would be waited for without end.
    """
    try:
        descriptor = os.open(path, _AT_ONCE)
    except OSError:
        return b""
    try:
        return os.read(descriptor, size) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def file_holds(path: str, wanted: bytes) -> bool:
    """Whether a regular file that can be read holds some bytes. Reads it in pieces of 1 MiB."""
    kept = b""
    try:
        with open(os.open(path, _AT_ONCE), "rb", buffering=0) as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                return False
            while piece := stream.read(1 << 20):
                if wanted in kept + piece:
                    return True
                kept = piece[1 - len(wanted) :]
    except OSError:
        pass
    return False


def fetch_first_bytes(paths: Iterable[str], size: int = HEAD_BYTES) -> None:
    """Have the system fetch the first bytes of many files side by side, where it can be asked.

    Read one after the other, each waits for the disk alone: 5,119 heads took 1.2 s, so 0.4 s.
    """
    if not hasattr(os, "posix_fadvise"):
        return
    for path in paths:
        with suppress(OSError):
            descriptor = os.open(path, _AT_ONCE)
            try:
                os.posix_fadvise(descriptor, 0, size, os.POSIX_FADV_WILLNEED)
            finally:
                os.close(descriptor)


def file_source(
    harness: str, entry: os.DirEntry[str], native_id: str, root: str, parent: str = ""
) -> Source | None:
    """Return the source for a regular file, None when it vanished or is something else."""
    try:
        status = entry.stat()
    except OSError:
        return None
    if not stat.S_ISREG(status.st_mode):  # opening a pipe would wait for ever
        return None
    return Source(
        harness,
        entry.path,
        "",
        native_id,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
        root,
        parent,
    )


def __getattr__(name: str) -> object:
    """Return `Parsed` or `Facts`."""
    if name not in ("Parsed", "Facts"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from recall_tui.harnesses import parsed  # noqa: PLC0415 - see above

    return getattr(parsed, name)
