"""Looking for a secret: the sources themselves are read, and only the places come out.

The index holds no secret, so it cannot say where one is. This reads every source through its own
reader, compares the texts as they were written, and names the messages. For a credential it names,
of files that consist of lines, also the lines, which may hold what no message shows (thinking, the
program's own state). Of any other word nobody learns that it was thought (Q8). Nothing is stored,
and no text, no part of it and nothing of what was looked for is in an answer.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from recall_tui.errors import SourceError
from recall_tui.model import Gap, GapKind, Kind, Reference
from recall_tui.named import NamedTuple
from recall_tui.store import ingest
from recall_tui.store.clean import session_name
from recall_tui.store.keys import session_keys
from recall_tui.text.redact import is_secret
from recall_tui.text.safe import safe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from recall_tui.harnesses.base import Facts, Harness, Parsed, Source
    from recall_tui.search.ports import Stop
    from recall_tui.store.kept import Kept

_PLAIN: Final = re.compile(rb"[\w.+=~:@-]+\Z")
"""What every program writes into JSON as it is."""
_HIDING: Final = re.compile(rb"\\u00[2-7][0-9a-fA-F]")
"""A plain character that was written as an escape all the same."""
MOST_LINES: Final = 1000
"""Line numbers named of one file."""


class RawMessage(NamedTuple):
    """A message that holds what was looked for."""

    reference: Reference
    kind: Kind
    time_ms: int


@dataclass(slots=True)
class RawFile:
    """A source that holds what was looked for."""

    path: str
    harness: str
    session: str
    """Key of its session, as the index would name it; empty when it could not be read."""
    messages: list[RawMessage] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    """Numbers of the lines that hold it, from 1; none of what is no file of lines."""
    more_lines: int = 0
    """Lines beyond those named."""


class Wanted:
    """What is looked for: a text as it stands, in one letter case or any, or a pattern."""

    def __init__(self, text: str, *, regex: bool = False, ignore_case: bool = False) -> None:
        """Prepare to look.

        Args:
            text: A text, or a pattern.
            regex: It is a pattern.
            ignore_case: Letters match in any case.

        Raises:
            re.error: The pattern cannot be compiled.
        """
        flags = re.IGNORECASE if ignore_case else 0
        self._pattern = re.compile(text if regex else re.escape(text), flags)
        escaped = json.dumps(text, ensure_ascii=False)[1:-1]
        ascii_only = json.dumps(text)[1:-1]
        spellings = [text] if regex else list(dict.fromkeys((text, escaped, ascii_only)))
        patterns = spellings if regex else [re.escape(one) for one in spellings]
        encoded = [one.encode("utf-8", "surrogatepass") for one in patterns]
        self._bytes = re.compile(b"|".join(b"(?:%s)" % one for one in encoded), flags)
        self.everywhere = not regex and (is_secret(text) or any(map(is_secret, text.split())))
        """Whether lines are looked at as well: it is a credential, which should be nowhere."""
        self._plain = not regex and _PLAIN.match(text.encode("utf-8", "replace")) is not None

    def in_text(self, text: str) -> bool:
        """Whether a text holds it."""
        return self._pattern.search(text) is not None

    def in_bytes(self, data: bytes) -> bool:
        """Whether bytes of a file hold it, as it is or as JSON spells it."""
        return self._bytes.search(data) is not None

    def may_be_in(self, data: bytes) -> bool:
        """Whether a message read from these bytes may hold it."""
        return not self._plain or self.in_bytes(data) or _HIDING.search(data) is not None


def raw(
    sources: Iterable[tuple[Harness, Source]],
    wanted: Wanted,
    kept: Kept,
    admits: Callable[[Kind, int], bool],
    gaps: list[Gap],
    stop: Stop,
) -> Iterator[RawFile]:
    """Yield the sources that hold something, in the order given.

    Args:
        sources: What to read, each with its harness.
        wanted: What to look for.
        kept: What a person left out or had forgotten is not looked into.
        admits: Whether messages of a kind and a time count.
        gaps: Takes in what could not be read.
        stop: Asked between sources.
    """
    unwanted, out = kept.unwanted, 0
    for harness, source in sources:
        if stop():
            gaps.append(Gap(GapKind.CANCELLED, 1, "the search was stopped", "search again"))
            break
        if kept.refuses(source):
            out += 1
            continue
        found = RawFile(source.path, source.harness, "")
        try:
            data = _lines_of(source)
            if data is None or wanted.may_be_in(data):
                facts, first_record = _messages(found, harness, source, wanted, admits)
                if unwanted.covers(source.harness, facts, first_record):
                    out += 1
                    continue
            if data is not None and wanted.everywhere and wanted.in_bytes(data):
                _lines(found, data, wanted)
        except SourceError as error:
            gaps.append(Gap(GapKind.UNREADABLE, 1, safe(error.message)))
        except Exception as error:  # a reader's fault costs its source, and never shows its text
            words = f"{type(error).__name__} while it was read"
            gaps.append(Gap(GapKind.UNREADABLE, 1, f"{safe(source.path)}: {words}"))
        if found.messages or found.lines:
            yield found
    if out:
        words = "source is left out by settings, or was forgotten, and was not looked into"
        gaps.append(Gap(GapKind.EXCLUDED, out, words, "recall config show"))


def of_messages(
    found: RawFile,
    key: str,
    messages: Iterable[Parsed],
    wanted: Wanted,
    admits: Callable[[Kind, int], bool],
) -> None:
    """Note the messages of a session that hold something, read as they were written."""
    harness, _, name = key.partition(":")
    for position, parsed in enumerate(messages):
        if admits(parsed.kind, parsed.time_ms) and _holds(parsed, wanted):
            digest = ingest.prepare(parsed).digest
            place = Reference(harness, name, position, digest)
            found.messages.append(RawMessage(place, parsed.kind, parsed.time_ms))


def _holds(parsed: Parsed, wanted: Wanted) -> bool:
    texts = (parsed.text, parsed.rest, parsed.tool, *(m.name for m in parsed.materials))
    return any(map(wanted.in_text, filter(None, texts)))


def _messages(
    found: RawFile,
    harness: Harness,
    source: Source,
    wanted: Wanted,
    admits: Callable[[Kind, int], bool],
) -> tuple[Facts, int]:
    """Note the messages of a source; return what it says, and the hash of its first record id."""
    transcript = harness.open(source)
    messages = iter(transcript)
    first = [*islice(messages, 1)]
    of_messages(found, f"{source.harness}:", chain(first, messages), wanted, admits)
    native_id = session_name(transcript.facts.native_id or source.native_id)
    found.session = session_keys(source, native_id)[0]
    name = found.session.partition(":")[2]
    found.messages = [m._replace(reference=m.reference._replace(session=name))
                      for m in found.messages]  # fmt: skip
    return transcript.facts, ingest.record_hash(first[0].record) if first else 0


def _lines_of(source: Source) -> bytes | None:
    """Return the bytes of a source that is a file of lines, None for anything else."""
    if source.part or not source.path.endswith((".jsonl", ".json")):
        return None
    try:
        if os.path.isdir(source.path):
            return None
        with open(source.path, "rb") as stream:
            return stream.read()
    except OSError as error:
        raise SourceError(f"{source.path}: {error.strerror or error}") from error


def _lines(found: RawFile, data: bytes, wanted: Wanted) -> None:
    for number, line in enumerate(data.split(b"\n"), 1):
        if wanted.in_bytes(line):
            if len(found.lines) < MOST_LINES:
                found.lines.append(number)
            else:
                found.more_lines += 1
