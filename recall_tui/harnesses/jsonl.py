r"""Reading append-only JSONL: lines by byte offset, torn tails, two values on a line.

The rules are formats.md section 0: split on `\\n` only, strip NULs, BOM and `\\r`, keep the offset
of the last `\\n`, try a sequence of values before giving a line up, bound what is kept.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from typing import IO, TYPE_CHECKING, Final

import msgspec

from recall_tui.errors import SourceError
from recall_tui.harnesses.base import Checkpoint, Facts, Parsed, Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_BOM: Final = b"\xef\xbb\xbf"
_READ_BUFFER: Final = 1 << 20
"""Bytes per read call: large enough that a 200 MB session costs 200 calls."""

_any_value = msgspec.json.Decoder(msgspec.Raw)


class BadLine(Exception):  # noqa: N818 - control flow inside a reader
    """A line that is not the JSON the reader expects."""


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
        self._offset = 0
        self._position = 0
        self._held: Checkpoint | None = None
        if since is not None:
            self._offset = since.offset
            self._position = since.position
            self.load(since.carry)

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
            self._held = Checkpoint(offset, self._position, self.save())

    def release(self) -> None:
        """What was held is final."""
        self._held = None

    def finish(self) -> Iterable[Parsed]:
        """Yield what can only be known at the end (provisional: it is read again next time)."""
        return ()

    def open_stream(self) -> IO[bytes]:
        """Open the bytes of the source."""
        return open(self.source.path, "rb", buffering=_READ_BUFFER)

    def __iter__(self) -> Iterator[Parsed]:
        """Yield messages; see `base.Transcript`."""
        try:
            with self.open_stream() as stream:
                if self._offset:
                    stream.seek(self._offset)
                yield from self._lines(stream)
        except OSError as error:
            raise SourceError(f"{self.source.path}: {error.strerror or error}") from error

    def _lines(self, stream: IO[bytes]) -> Iterator[Parsed]:
        offset = self._offset
        tail = b""
        for line in stream:
            if not line.endswith(b"\n"):
                tail = line
                break
            for message in self._line(line, offset):
                yield message
                self._position += 1
            offset += len(line)
        self.checkpoint = self._held or Checkpoint(offset, self._position, self.save())
        if tail.strip(b"\0\r\n\t "):
            # A complete value without its newline is shown now and read again next time; a cut one
            # waits. A truncated JSON object never decodes, so this cannot store half a record.
            before = self.unparsed
            yield from self._line(tail, offset)
            if self.unparsed > before:
                self.unparsed = before
                self.torn = True
        yield from self.finish()

    def _line(self, line: bytes, offset: int) -> Iterable[Parsed]:
        text = line.strip(b"\0\r\n\t ")
        if text.startswith(_BOM):
            text = text[3:]
        if not text:
            return ()
        try:
            return list(self.record(text, offset))
        except (msgspec.MsgspecError, BadLine, ValueError, TypeError, RecursionError):
            return self._salvage(text, offset)

    def _salvage(self, text: bytes, offset: int) -> list[Parsed]:
        """Try a line as several values, and as text with lone surrogates, before giving it up."""
        found: list[Parsed] = []
        for value in _values(text):
            try:
                found.extend(self.record(value, offset))
            except (msgspec.MsgspecError, BadLine, ValueError, TypeError, RecursionError):
                self.unparsed += 1
        return found


def _values(text: bytes) -> Iterator[bytes]:
    """Yield the JSON values a damaged line holds, re-encoded so that a strict decoder takes them.

    `json` accepts lone surrogates, msgspec refuses the line: they become U+FFFD here. Text between
    values that is no JSON is passed over up to the next `{`.
    """
    import json  # noqa: PLC0415 - only damaged lines need it

    decoder = json.JSONDecoder()
    string = text.decode("utf-8", "replace")
    at = 0
    found = False
    while at < len(string):
        at = string.find("{", at)
        if at < 0:
            break
        try:
            value, at = decoder.raw_decode(string, at)
        except (ValueError, RecursionError):
            break
        found = True
        clean = json.dumps(value, ensure_ascii=False)
        yield clean.encode("utf-8", "surrogatepass").decode("utf-8", "replace").encode()
    if not found:
        yield b"\0"  # no value at all: the reader refuses it once, and it is counted
