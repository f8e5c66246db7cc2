"""Reading one source into finished blocks: in this process, or in a worker process.

A worker is a fresh interpreter that takes tasks on stdin and answers on stdout, each answer some
blocks and then one `Reading`. It shares nothing with its parent but the two pipes: when the parent
dies the pipe ends and so does the worker; when the worker dies the parent reads the end.
"""

from __future__ import annotations

import io
import os
import sqlite3
import stat
import sys
from dataclasses import dataclass, field
from importlib import import_module
from itertools import takewhile
from typing import TYPE_CHECKING, Final, cast

from recall_tui.errors import SourceError
from recall_tui.harnesses.base import Checkpoint, Facts, Source, StaleCheckpoint
from recall_tui.named import NamedTuple
from recall_tui.store import ingest, memory
from recall_tui.store.clean import clean_facts
from recall_tui.store.kept import Unwanted
from recall_tui.store.stored import StoredBlock, store
from recall_tui.store.sync import digest
from recall_tui.store.sync.plan import Known  # noqa: TC001 - msgspec reads the annotation
from recall_tui.text.redact import mark
from recall_tui.text.safe import safe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import IO, BinaryIO

    from recall_tui.harnesses.base import Harness, Transcript
    from recall_tui.store.build import BuiltBlock


COMPARED_WHOLE: Final = 64 << 20
"""Bytes read before, up to which a grown file is compared with all of them (1 ms per 10 MiB). Of a
longer one only the ends are, as long as nobody asks for more."""


LONG_BYTES: Final = 16 << 20
"""A session so long is compressed beside its reading, which is a third of the time it takes: one
process reads it, and other processors are idle once it is the last."""


_PASSING: Final = frozenset(
    (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
)
"""SQLite's errors of a moment."""


class Task(NamedTuple):
    """One source to read."""

    number: int
    harness: str
    """`module:Class` of its harness."""
    source: Source
    known: Known | None = None
    """Given: look first whether the content is the same, or only longer."""
    verify: bool = False
    """Longer only if every byte read before is the same, however many these are."""
    unwanted: Unwanted = Unwanted()

    @property
    def weight(self) -> int:
        """Bytes that will probably have to be parsed: of a grown file its tail."""
        known, size = self.known, self.source.size
        if known is None or size < known.covered:
            return size
        if size == known.covered:
            return 0  # compared, and probably the same
        return size - known.checkpoint.offset if known.checkpoint is not None else size


@dataclass(slots=True)
class Reading:
    """How reading a source ended. Sent after its blocks."""

    outcome: str
    """same | appended | replaced | failed | excluded"""
    start: int = 0
    """Position of the first message read; earlier ones stand."""
    facts: Facts = field(default_factory=Facts)
    title: str = ""
    """The program's own, empty when it gave none."""
    opening: str = ""
    """The first prompt read, fit to be a title."""
    counts: ingest.Counts = field(default_factory=ingest.Counts)
    first_record: int = 0
    started_ms: int = 0
    ended_ms: int = 0
    unparsed: int = 0
    torn: bool = False
    unknown: dict[str, int] = field(default_factory=dict)
    checkpoint: Checkpoint | None = None
    ends: bytes = b""
    covered: int = 0
    digests: bytes = b""
    error: str = ""
    """Why it failed; or why what was read all the same is not to be trusted."""
    passing: bool = False
    """Nothing is wrong with the source itself: it only could not be opened in that moment."""


def failed(error: str, *, passing: bool = False) -> Reading:
    """Return the reading of a source that could not be read."""
    return Reading("failed", error=error, passing=passing)


def read(harness: Harness, task: Task) -> Iterator[StoredBlock | Reading]:
    """Yield the blocks of a source, then its `Reading`. Never raises for a bad source."""
    source = task.source
    try:
        yield from _read(harness, task)
    except SourceError as error:
        yield failed(error.message, passing=_passes(error.__cause__))
    except OSError as error:
        yield failed(f"{source.path}: {error.strerror or error}", passing=True)
    except MemoryError:
        yield failed(f"{source.path}: no memory for it")
    except Exception as error:
        yield failed(f"{source.path}: {type(error).__name__} while it was read")


def _passes(cause: BaseException | None) -> bool:
    """Whether what kept a source from being read may pass without the source changing."""
    if isinstance(cause, sqlite3.Error):
        return getattr(cause, "sqlite_errorcode", 0) & 0xFF in _PASSING
    return isinstance(cause, OSError)


def _read(harness: Harness, task: Task) -> Iterator[StoredBlock | Reading]:
    source, known = task.source, task.known
    before = os.stat(source.path)
    # Bytes can vouch only for a session that is one file: not for a row of a database, nor for a
    # session whose size is the sum of several files.
    plain = not source.part and stat.S_ISREG(before.st_mode) and before.st_size >= source.size
    since = None
    if plain and known is not None:
        # A time that is not the file's own is that of a file beside it, which counts as well.
        alone = source.mtime_ns <= before.st_mtime_ns
        if (
            alone
            and known.covered == before.st_size
            and not _read_further(known)
            and digest.same(source.path, known.covered, known.digests)
        ):
            yield Reading("same")
            return
        if before.st_size > known.covered:
            since = _still_valid(source.path, known, verify=task.verify)
    if since is not None and known is not None:
        try:
            yield from _pass(harness, task, before.st_size, since, known)
            return
        except StaleCheckpoint:
            pass  # raised before the first message, so nothing was yielded
    yield from _pass(harness, task, before.st_size if plain else -1, None, None)


def _pass(
    harness: Harness, task: Task, size: int, since: Checkpoint | None, known: Known | None
) -> Iterator[StoredBlock | Reading]:
    """Read once; `size` is -1 when the file's bytes cannot vouch for the session."""
    source = task.source
    transcript = harness.open(source, since)
    start = since.position if since else 0
    packing = ingest.pack_session(transcript, start)
    kept = takewhile(lambda _: not task.unwanted.leaves_out(*packing.folders), packing)
    yield from map(store, kept) if source.size < LONG_BYTES else _stored_beside(kept)
    if task.unwanted.covers(source.harness, packing.facts, packing.first_record):
        yield Reading("excluded")
        return
    reading = Reading(
        "appended" if start else "replaced",
        start,
        clean_facts(packing.facts),
        packing.title,
        packing.opening,
        packing.counts,
        packing.first_record,
        packing.started_ms,
        packing.ended_ms,
        transcript.unparsed,
        transcript.torn,
        {safe(name): count for name, count in transcript.unknown.items()},
    )
    if transcript.unparsed:
        from recall_tui.harnesses.jsonl import mostly_damaged  # noqa: PLC0415 - for few sessions

        reading.error = mostly_damaged(transcript)
    if size >= 0:
        _prove(reading, size, transcript, source.path, known)
    yield reading


def _stored_beside(blocks: Iterable[BuiltBlock]) -> Iterator[StoredBlock]:
    """Compress blocks in a thread, one behind the reading: zstd needs no interpreter's lock."""
    from concurrent.futures import Future, ThreadPoolExecutor  # noqa: PLC0415 - for few sessions

    with ThreadPoolExecutor(1) as helper:
        behind: Future[StoredBlock] | None = None
        for built in blocks:
            ahead = helper.submit(store, built)
            if behind is not None:
                yield behind.result()
            behind = ahead
        if behind is not None:
            yield behind.result()


def _read_further(known: Known) -> bool:
    """Whether more was read than the digests cover: the file grew, or was filled, meanwhile."""
    return not known.covered or (
        known.checkpoint is not None and known.checkpoint.offset > known.covered
    )


def _still_valid(path: str, known: Known, *, verify: bool) -> Checkpoint | None:
    """Return the checkpoint of an earlier read if the file still begins with what it consumed."""
    checkpoint = known.checkpoint
    if checkpoint is None:
        return None
    whole = verify or known.covered <= COMPARED_WHOLE
    if whole and not digest.same(path, known.covered, known.digests):
        return None
    with open(path, "rb", buffering=0) as stream:
        valid = digest.ends(stream, checkpoint.offset) == known.ends
    return checkpoint if valid else None


def _bytes_read(transcript: Transcript, path: str) -> IO[bytes]:
    """Return the bytes a transcript was read from: those it holds, or the file again."""
    data: bytes | None = getattr(transcript, "data", None)
    return open(path, "rb", buffering=0) if data is None else io.BytesIO(data)


def _prove(
    reading: Reading, size: int, transcript: Transcript, path: str, known: Known | None
) -> None:
    """Add the proofs of content and the checkpoint to a reading.

    Args:
        reading: Changed in place.
        size: Bytes of the file before it was read.
        transcript: Read to its end; it says where a later read can go on.
        path: The file.
        known: The earlier read this one went on from, None for a read from the start.

    Raises:
        SourceError: The file shrank while it was read.
    """
    checkpoint = transcript.checkpoint
    with _bytes_read(transcript, path) as stream:
        now = stream.seek(0, os.SEEK_END)
        if now < size:
            raise SourceError(f"{path}: became shorter while it was read")
        trusted = 0
        if known is not None and known.checkpoint is not None:
            trusted = min(known.checkpoint.offset, known.covered)
        reading.covered = size
        reading.digests = digest.digests(stream, size, known.digests if known else b"", trusted)
        # An offset past the end is not one into this file, but into what it unpacks to.
        if checkpoint is not None and checkpoint.offset <= now and _fit_to_keep(checkpoint.carry):
            reading.checkpoint = checkpoint
            reading.ends = digest.ends(stream, checkpoint.offset)


def _fit_to_keep(carry: bytes) -> bool:
    """Whether a reader's state holds no secret; otherwise the source is read whole each time."""
    text = carry.decode("utf-8", "replace")
    return mark(text) == text


# ---------------------------------------------------------------- the worker process

PIPE_BYTES: Final = 1 << 20
"""Of answers that are on their way: most sessions' blocks fit."""
_FRAME: Final = 5
"""Bytes before a payload: its length (4, little-endian) and its kind (1)."""
TASK: Final = 0
BLOCK: Final = 1
READING: Final = 2


def send(stream: BinaryIO, kind: int, value: Task | StoredBlock | Reading) -> None:
    """Write one frame. What a block holds in bytes follows it as it is.

    Blocks may wait in the stream's buffer for the reading they belong to: each write wakes whoever
    listens.
    """
    import msgspec  # noqa: PLC0415 - 30 ms that a sync without work does not need

    columns: tuple[bytes, ...] = ()
    content: object = value
    if isinstance(value, StoredBlock):
        columns = (value.meta, value.fold, value.raw, value.attributes)
        content = (value[: -len(columns)], [len(column) for column in columns])
    payload = msgspec.msgpack.encode(content)
    stream.write(len(payload).to_bytes(4, "little") + bytes([kind]))
    stream.write(payload)
    for column in columns:
        stream.write(column)
    if kind != BLOCK:
        stream.flush()


def receive(stream: BinaryIO) -> Task | StoredBlock | Reading | None:
    """Read one frame; None at the end of the stream, also in the middle of a frame."""
    import msgspec  # noqa: PLC0415

    head = stream.read(_FRAME)
    if len(head) < _FRAME:
        return None
    length = int.from_bytes(head[:4], "little")
    payload = stream.read(length)
    if len(payload) < length:
        return None
    if head[4] == BLOCK:
        numbers, sizes = msgspec.msgpack.decode(payload, type=tuple[list[int], list[int]])
        columns = [stream.read(size) for size in sizes]
        return StoredBlock._make([*numbers, *columns]) if [*map(len, columns)] == sizes else None
    types: dict[int, type[Task | Reading]] = {TASK: Task, READING: Reading}
    return msgspec.msgpack.decode(payload, type=types[head[4]])


def harness_of(name: str) -> Harness:
    """Return the harness of `module:Class`."""
    module, _, attribute = name.partition(":")
    return cast("Harness", getattr(import_module(module), attribute)())


def main() -> None:
    """Answer tasks until stdin ends."""
    memory.keep_freed()
    tasks = sys.stdin.buffer
    out = sys.stdout.fileno()
    answers = open(out, "wb", PIPE_BYTES, closefd=False)  # noqa: SIM115 - as long as it lives
    sys.stdout = sys.stderr  # a stray print of a reader must not break the frames
    try:
        while True:
            task = receive(tasks)
            if not isinstance(task, Task):
                return
            for part in read(harness_of(task.harness), task):
                send(answers, BLOCK if isinstance(part, StoredBlock) else READING, part)
    except (BrokenPipeError, KeyboardInterrupt):
        # The parent is gone or has lost interest: nobody reads a word of farewell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), out)
