"""Gemini CLI's files: JSON written whole, and JSONL whose last state counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from recall_tui.errors import SourceError
from recall_tui.harnesses import fields, images
from recall_tui.harnesses.base import Facts
from recall_tui.harnesses.gemini import outputs, project
from recall_tui.harnesses.gemini.parts import attachments, words_of
from recall_tui.harnesses.gemini.places import SHARED_IDS
from recall_tui.harnesses.gemini.records import SNAPSHOT, Records
from recall_tui.harnesses.jsonl import BadLine, JsonlTranscript
from recall_tui.harnesses.streams import read_document
from recall_tui.model import Kind, SessionKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from recall_tui.harnesses.base import Checkpoint, Parsed, Source

    State = Iterator[tuple[dict[str, Any], bool]]
    """The records of a session, each with whether the person rewound past it."""


class _Line(msgspec.Struct):
    """What tells the lines of a JSONL session apart; a message's content stays undecoded."""

    id: Any = None
    type: Any = None
    role: Any = None
    sessionId: Any = None  # noqa: N815 - the name in the file
    patch: msgspec.Raw = msgspec.field(name="$set", default_factory=lambda: msgspec.Raw(b""))
    rewind: Any = msgspec.field(name="$rewindTo", default=None)


class _Meta(msgspec.Struct):
    """What a session says about itself."""

    sessionId: Any = None  # noqa: N815
    projectHash: Any = None  # noqa: N815
    kind: Any = None
    summary: Any = None
    directories: Any = None

    def take(self, newer: _Meta) -> None:
        """Take what a later line or patch says; what it does not mention stays."""
        for name in self.__struct_fields__:
            value = getattr(newer, name)
            if value is not None:
                setattr(self, name, value)


class _Patch(msgspec.Struct):
    """The messages of a `$set`."""

    messages: list[msgspec.Raw] | None = None


_line = msgspec.json.Decoder(_Line)
_meta = msgspec.json.Decoder(_Meta)
_patch = msgspec.json.Decoder(_Patch)


@dataclass(slots=True, eq=False)
class _Entry:
    """A message as last written."""

    name: str
    """Its id, empty when it has none."""
    raw: bytes
    abandoned: bool = False
    past: bool = False
    """A summary stands for it by now."""
    began: object = None
    """Its time, where it was written again under another id and at another time."""

    @property
    def settled(self) -> bool:
        """Whether it belongs to no list of messages any more."""
        return self.abandoned or self.past

    def repeated_as(self, name: str) -> None:
        """Go on under another id; its time stays."""
        self._keep_time()
        self.name = name

    def restated(self, raw: bytes) -> None:
        """Come back in a new list of messages; the same words were written better before.

        A resume writes all messages anew at its own time, and of calls what the model is sent.
        """
        self.abandoned = self.past = False
        if _said(raw) != _said(self.raw):
            self._keep_time()
            self.raw = raw

    def _keep_time(self) -> None:
        self.began = self.began or fields.mapping(fields.decode(self.raw)).get("timestamp")


class _Conversation:
    """The state that the lines of a JSONL session build up."""

    def __init__(self) -> None:
        self.meta = _Meta()
        self.entries: list[_Entry] = []
        self._live: dict[str, _Entry] = {}
        self._known: dict[str, _Entry] = {}
        """All that ever had an id: a list may leave out what the next one states again."""

    def apply(self, line: bytes) -> str:
        """Apply one line; return the name of its kind when it is an unknown one, else nothing.

        Raises:
            msgspec.MsgspecError: The line is no JSON object.
        """
        found = _line.decode(line)
        patch = bytes(found.patch)
        if patch:
            messages = _patch.decode(patch).messages
            self.meta.take(_meta.decode(patch))
            if messages is not None:
                self._replace([bytes(message) for message in messages])
        elif found.rewind is not None:
            self._rewind(found.rewind)
        elif isinstance(found.id, str) and found.type is not None:
            self._write(found.id, line)
        elif found.sessionId is not None:
            self.meta.take(_meta.decode(line))
        elif found.type is not None or found.role is not None:
            self.entries.append(_Entry("", line))
        else:
            return "line"
        return ""

    def _write(self, name: str, raw: bytes) -> None:
        """Append a message; one whose id is known takes the place of the earlier."""
        entry = self._live.get(name)
        if entry is not None:
            entry.raw = raw
            return
        entry = self._live[name] = self._known[name] = _Entry(name, raw)
        self.entries.append(entry)

    def _replace(self, messages: list[bytes]) -> None:
        """Take a whole new list of messages, and leave what was said before where it stands.

        What the list leaves out was said all the same: a history that was compressed is part of the
        conversation, anything else is abandoned. What it repeats under another id, as a compression
        does with the latest messages, is what was first written.
        """
        named = [(fields.text(_line.decode(raw).id), raw) for raw in messages]
        stated = {name for name, _ in named if name}
        left = [e for e in self.entries if not e.settled and e.name not in stated]
        compressed = any(SNAPSHOT.encode() in raw for _, raw in named)
        twins = _twins(left, named) if left and compressed else [None] * len(named)
        before, self._live = self._live, {}
        copies: set[int] = set()
        for (name, raw), twin in zip(named, twins, strict=True):
            if twin is not None:
                copies.add(id(before.get(name)))
                twin.repeated_as(name)
                self._live[name] = self._known[name] = twin
            elif name in self._known:
                self._live[name] = self._known[name]
                self._live[name].restated(raw)
            elif name:
                self._write(name, raw)
            else:
                self.entries.append(_Entry("", raw))
        for entry in left:
            if entry not in twins:
                entry.past, entry.abandoned = compressed, not compressed
        self.entries = [entry for entry in self.entries if id(entry) not in copies]

    def _rewind(self, name: object) -> None:
        """Give up a message and all after it; all, when there is no such message."""
        target = self._live.get(name) if isinstance(name, str) else None
        begin = self.entries.index(target) if target is not None else 0
        for entry in self.entries[begin:]:
            entry.abandoned = not entry.past
        self._live = {name: e for name, e in self._live.items() if not e.abandoned}


def _twins(left: list[_Entry], named: list[tuple[str, bytes]]) -> list[_Entry | None]:
    """Return for each message of a new list the one left out of it that says the same, if any.

    The latest first: those are the ones a compression writes again.
    """
    held: dict[tuple[str, str], list[_Entry]] = {}
    for entry in left:
        if said := _said(entry.raw):
            held.setdefault(said, []).append(entry)
    found: list[_Entry | None] = []
    for _, raw in reversed(named):
        said = _said(raw)
        found.append(held[said].pop() if said and held.get(said) else None)
    return found[::-1]


def _said(raw: bytes) -> tuple[str, str] | None:
    """Return who said what in a message, to know it again under another id; None for no words."""
    try:
        record = fields.mapping(fields.decode(raw))
    except ValueError:
        return None
    words = words_of(record)
    return (fields.text(record.get("type")), words) if words else None


def opened(source: Source) -> LinesTranscript | DocumentTranscript:
    """Return the reader that fits the file."""
    if source.path.endswith(".jsonl"):
        return LinesTranscript(source)
    return DocumentTranscript(source)


class LinesTranscript(JsonlTranscript):
    """One pass over a JSONL session: every line is read before the first message is known."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.conversation = _Conversation()

    def record(self, line: bytes, offset: int) -> Iterable[Parsed]:
        """Apply one line; messages come at the end."""
        if not line.startswith(b"{"):
            raise BadLine
        unknown = self.conversation.apply(line)
        if unknown:
            self.unknown[unknown] += 1
        return ()

    def finish(self) -> Iterator[Parsed]:
        """Yield the messages of the last state."""
        self.checkpoint = None
        yield from _told(self, self.conversation.meta, self.state())

    def read(self) -> State:
        """Read the whole file and return its last state."""
        for _ in self:
            pass
        return self.state()

    def state(self) -> State:
        """Yield every message that decodes, as the lines so far leave it."""
        for entry in self.conversation.entries:
            try:
                value = fields.decode(entry.raw)
            except ValueError:
                value = None
            if isinstance(value, dict):
                yield value | ({"timestamp": entry.began} if entry.began else {}), entry.abandoned
            else:
                self.unparsed += 1


class DocumentTranscript:
    """One pass over a session that is one JSON value."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.facts = Facts(native_id=source.native_id, parent=source.parent)
        self.unparsed = 0
        self.torn = False
        self.unknown: Counter[str] = Counter()
        self.checkpoint: Checkpoint | None = None

    def __iter__(self) -> Iterator[Parsed]:
        """Yield messages; see `base.Transcript`."""
        value = self._value()
        meta = msgspec.convert({name: value.get(name) for name in _Meta.__struct_fields__}, _Meta)
        yield from _told(self, meta, self._state(value))

    def read(self) -> State:
        """Read the whole file and return its records."""
        return self._state(self._value())

    def _state(self, value: dict[str, Any]) -> State:
        for item in fields.items(value.get("messages")) or fields.items(value.get("history")):
            if isinstance(item, dict):
                yield item, False
            else:
                self.unparsed += 1

    def _value(self) -> dict[str, Any]:
        """Decode the file.

        Raises:
            SourceError: It cannot be read, or holds no whole object: it is being rewritten.
        """
        try:
            value = fields.decode(read_document(self.source.path))
        except OSError as error:
            raise SourceError(f"{self.source.path}: {error.strerror or error}") from error
        except ValueError as error:
            raise SourceError(f"{self.source.path}: no whole JSON value") from error
        if not isinstance(value, dict):
            raise SourceError(f"{self.source.path}: not a session of Gemini CLI")
        return value


def _told(
    transcript: LinesTranscript | DocumentTranscript, meta: _Meta, state: State
) -> Iterator[Parsed]:
    """Yield a session's messages and fill its facts.

    A session that holds nothing but its opening text yields none: a resume leaves such a file. The
    IDE companion's do too, and those are sessions.
    """
    source, facts = transcript.source, transcript.facts
    subagent = bool(source.parent) or meta.kind == "subagent"
    if subagent:
        facts.kind = SessionKind.SUBAGENT
    facts.title = fields.text(meta.summary)
    records = Records(source.native_id, facts, transcript.unknown, subagent=subagent)
    held: list[Parsed] = []
    stated = fields.text(meta.sessionId)
    spoken = stated in SHARED_IDS
    if not spoken:
        facts.saw_id(stated)
    for position, (record, abandoned) in enumerate(state):
        for parsed in records.messages(record, _place(record, position)):
            parsed.abandoned = abandoned
            if parsed.kind is Kind.TOOL_RESULT:
                parsed.text = outputs.whole(parsed.text, source.path)
            if not spoken and parsed.kind is Kind.INJECTED and parsed.text == records.opening:
                # The program gives the opening of every session one id: with the session's it
                # tells the copies of a file, which are known by other names.
                if stated and not parsed.record:
                    parsed.record = f"{stated}:{_place(record, position)}"
                held.append(parsed)
                continue
            spoken = True
            yield from held
            held.clear()
            yield parsed
    folders = [*map(fields.text, fields.items(meta.directories))]
    facts.saw_cwd(
        project.directory(
            source.path, fields.text(meta.projectHash), records.opening, folders, records.paths
        )
    )


def _place(record: dict[str, Any], position: int) -> str:
    """Return the name of a record for locators."""
    return fields.text(record.get("id")) or f"#{position}"


def material(source: Source, locator: str) -> bytes:
    """Read the bytes behind a locator: the attachment's number in its record, and that record.

    Raises:
        SourceError: It is gone or broken, or was only a reference to a file elsewhere.
    """
    number, _, place = locator.partition(" ")
    for position, (record, _) in enumerate(opened(source).read()):
        if _place(record, position) == place:
            found = list(attachments(record))
            if number.isdecimal() and int(number) < len(found):
                return _bytes(source, found[int(number)])
    raise SourceError(f"{source.path}: the attachment is gone")


def _bytes(source: Source, blob: dict[str, Any]) -> bytes:
    data = fields.text(blob.get("data"))
    if not data:
        raise SourceError(f"{source.path}: the session only names the file")
    try:
        return images.base64_bytes(data)
    except ValueError as error:
        raise SourceError(f"{source.path}: the attachment is broken") from error
