r"""Reading append-only JSONL: lines by byte offset, torn tails, two values on a line.

The rules are formats.md section 0: split on `\\n` only, strip NULs, BOM and `\\r`, keep the offset
of the last `\\n`, try a sequence of values before giving a line up, bound what is kept.
"""

from __future__ import annotations

import io
import json
import sys
from abc import ABC, abstractmethod
from collections import Counter
from functools import partial
from typing import IO, TYPE_CHECKING, Final

import msgspec

from recall_tui.errors import SourceError
from recall_tui.harnesses import streams
from recall_tui.harnesses.base import (
    MOSTLY_DAMAGED,
    Checkpoint,
    Facts,
    Parsed,
    Source,
    StaleCheckpoint,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from recall_tui.harnesses.base import Transcript

_BOM: Final = b"\xef\xbb\xbf"
_NEWLINE: Final = ord("\n")
_BLANK: Final = b"\0\r\n\t "
"""Stripped from both ends of a line: a crash can leave a run of NULs before the next record."""

_SPACE: Final = "\0\r\n\t ,"
_TRIES: Final = 256
"""Places in a damaged line where a whole record may begin: bounds the work on junk."""


class BadLine(Exception):  # noqa: N818 - control flow inside a reader
    """A line that is not the JSON the reader expects."""


REFUSED: Final = (
    msgspec.MsgspecError, BadLine, ValueError, TypeError, ArithmeticError, RecursionError
)  # fmt: skip
"""What reading a line may raise: it is counted, the session is kept."""


class _Carry(msgspec.Struct, array_like=True):
    """What a checkpoint carries from one pass to the next: the losses so far, and the state."""

    unparsed: int
    unknown: dict[str, int]
    state: bytes


_carry: Final = msgspec.msgpack.Decoder(_Carry)


class JsonlTranscript(ABC):
    """A streaming pass over an append-only JSONL session.

    Subclasses implement `record` (one decoded line) and, when they hold state between lines,
    `save` and `load`.
    """

    def __init__(self, source: Source, since: Checkpoint | None = None) -> None:
        self.source = source
        self.facts = Facts(native_id=source.native_id, parent=source.parent)
        self.unparsed = 0
        self.torn = False
        self.unknown: Counter[str] = Counter()
        self.checkpoint: Checkpoint | None = None
        self.data: bytes | None = None
        """All bytes of the source as they were read, where a whole pass held them in memory."""
        self._offset = 0
        self._position = 0
        self._held: Checkpoint | None = None
        if since is not None:
            self._offset = since.offset
            self._position = since.position
            self._go_on(since.carry)

    @abstractmethod
    def record(self, line: bytes, offset: int) -> Iterable[Parsed]:
        """Turn one line into messages.

        Args:
            line: One JSON value, stripped. May be any JSON, or junk.
            offset: Byte offset of the line in the (uncompressed) source, for material locators.

        Raises:
            msgspec.MsgspecError, BadLine: The line is not what this reader expects.
        """

    def save(self) -> bytes:
        """Return the state a later read from here needs; facts included."""
        return msgspec.msgpack.encode(self.facts)

    def load(self, carry: bytes) -> None:
        """Take up the state of an earlier read."""
        self.facts = msgspec.msgpack.decode(carry, type=Facts)

    def hold(self, offset: int) -> None:
        """Call before yielding something a later line may still change.

        Everything from the line at `offset` on is provisional until `release`: a later read starts
        there and yields it again.
        """
        if self._held is None:
            self._held = self._here(offset)

    def release(self) -> None:
        """What was held is final."""
        self._held = None

    def _here(self, offset: int) -> Checkpoint:
        carry = msgspec.msgpack.encode(_Carry(self.unparsed, self.unknown, self.save()))
        return Checkpoint(offset, self._position, carry)

    def _go_on(self, carry: bytes) -> None:
        """Take up where an earlier pass ended.

        Raises:
            StaleCheckpoint: Another version of this reader left it.
        """
        try:
            carried = _carry.decode(carry)
            self.unparsed = carried.unparsed
            self.unknown.update(carried.unknown)
            self.load(carried.state)
        except msgspec.MsgspecError as error:
            raise StaleCheckpoint(f"{self.source.path}: left by another version") from error

    def finish(self) -> Iterable[Parsed]:
        """Yield what can only be known at the end (provisional: it is read again next time)."""
        return ()

    def open_stream(self) -> IO[bytes]:
        """Open the bytes of the source at the first line of the pass.

        Raises:
            StaleCheckpoint: The file ends before the checkpoint.
        """
        stream = streams.open_lines(self.source.path, self._offset)
        if isinstance(stream, io.BytesIO):
            self.data = stream.getvalue()
        return stream

    def survey(self, stream: IO[bytes]) -> int | None:
        """Look ahead, before the first line, for what earlier messages depend on.

        The stream stands at the first line of the pass and may be read to its end.

        Returns:
            The offset behind the last whole line that was looked at: lines from there on wait for
            the next pass. None when nothing was read.

        Raises:
            StaleCheckpoint: What lies ahead changes what was read before the checkpoint.
        """
        return None

    def __iter__(self) -> Iterator[Parsed]:
        """Yield messages; see `base.Transcript`."""
        try:
            with self.open_stream() as stream:
                end = self.survey(stream)
                if end is not None:
                    stream.seek(self._offset)
                yield from self._lines(stream, end)
        except OSError as error:
            raise SourceError(f"{self.source.path}: {error.strerror or error}") from error

    def _lines(self, stream: IO[bytes], end: int | None) -> Iterator[Parsed]:
        offset = self._offset
        last = sys.maxsize if end is None else end
        tail = b""
        record = self.record
        for line in stream:
            if line[-1] != _NEWLINE or offset >= last:
                tail = line
                break
            # As `_line` does it, without a call for each of hundreds a megabyte.
            text = line.strip(_BLANK)
            try:
                given = record(text, offset) if text else ()
                found = given if isinstance(given, (list, tuple)) else list(given)
            except REFUSED:
                found = self._refused(text, offset)
            if found:
                yield from found
                self._position += len(found)
            offset += len(line)
        self.checkpoint = self._held or self._here(offset)
        if tail.strip(_BLANK):
            # A complete value without its newline is shown now and read again next time; a cut one
            # waits. A truncated JSON object never decodes, so this cannot store half a record.
            before = self.unparsed
            yield from self._line(tail, offset)
            if self.unparsed > before:
                self.unparsed = before
                self.torn = True
        yield from self.finish()

    def _line(self, line: bytes, offset: int) -> Sequence[Parsed]:
        text = line.strip(_BLANK)
        try:
            # A generator runs here, not where it is consumed: it may raise.
            return list(self.record(text, offset)) if text else ()
        except REFUSED:
            return self._refused(text, offset)

    def _refused(self, text: bytes, offset: int) -> list[Parsed]:
        """Try a line as several values, and as text with lone surrogates, before giving it up."""
        if text.startswith(_BOM):
            return list(self._line(text.removeprefix(_BOM), offset))
        found: list[Parsed] = []
        for value in _values(text):
            try:
                if value is None:
                    raise BadLine
                found.extend(self.record(value, offset))
            except REFUSED:
                self.unparsed += 1
        return found


def mostly_damaged(transcript: Transcript) -> str:
    """Return why a file that was read to its end is not to be trusted, empty when it is.

    More than half of its lines could not be read (S3-45); those that could are as good as any.
    """
    if not transcript.unparsed or not isinstance(transcript, JsonlTranscript):
        return ""
    path = transcript.source.path
    held = transcript.data
    damaged = transcript.unparsed
    with transcript.open_stream() if held is None else io.BytesIO(held) as stream:
        stream.seek(0)  # of a compressed file these are the lines it unpacks to
        lines = sum(chunk.count(b"\n") for chunk in iter(partial(stream.read, 1 << 20), b""))
    if damaged * 2 <= lines:
        return ""
    return f"{path}: {MOSTLY_DAMAGED}, {min(damaged, lines):,} of {lines:,}"


def objects(line: bytes) -> Iterator[dict[str, object]]:
    """Yield the decoded JSON objects of a line, damaged or not."""
    text = line.strip(_BLANK).removeprefix(_BOM)
    try:
        values: list[object] = [msgspec.json.decode(text)]
    except (msgspec.MsgspecError, RecursionError):
        values = [msgspec.json.decode(value) for value in _values(text) if value is not None]
    for value in values:
        if isinstance(value, dict):
            yield value


def _values(text: bytes) -> Iterator[bytes | None]:
    """Yield the JSON objects a damaged line holds, None for each stretch that is no JSON.

    `json` accepts lone surrogates, msgspec refuses the line: they become U+FFFD here. After a crash
    a record may be cut in its middle and the next one stand right behind it: then the last object
    that reaches the end of the line is taken, and what stands before it is the stretch.
    """
    decoder = json.JSONDecoder(parse_constant=lambda _: None)  # NaN and Infinity are no JSON
    string = text.decode("utf-8", "replace")
    at = 0
    while at < len(string):
        value, end = _decoded(decoder, string, at)
        if value is None:
            yield None
            value, end = _last_object(decoder, string, at + 1)
            if value is None:
                return
        yield _clean(value)
        at = end
        while at < len(string) and string[at] in _SPACE:
            at += 1


def _clean(value: dict[str, object]) -> bytes | None:
    """Encode an object again, lone surrogates replaced; None when it is nested too deep for it."""
    try:
        clean = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return None
    return clean.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def _decoded(
    decoder: json.JSONDecoder, string: str, at: int
) -> tuple[dict[str, object] | None, int]:
    """Return (object, offset behind it) of the JSON object that starts here, (None, at) if none."""
    try:
        value, end = decoder.raw_decode(string, at)
    except (ValueError, RecursionError):
        return None, at
    return (value, end) if isinstance(value, dict) else (None, at)


def _last_object(
    decoder: json.JSONDecoder, string: str, at: int
) -> tuple[dict[str, object] | None, int]:
    """Return the first object after `at` that reaches the end of the line: never a part of one."""
    for _ in range(_TRIES):
        at = string.find('{"', at)
        if at < 0:
            break
        value, end = _decoded(decoder, string, at)
        if value is not None and end == len(string):
            return value, end
        at = max(end, at + 1)
    return None, at
