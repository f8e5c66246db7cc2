"""From what a reader yields to what is searched: sanitised, redacted, folded, packed.

The store and the cold path both go through here, so both see the same text. A secret is replaced
before anything else happens to a text; nothing after that line has ever seen it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from zlib import crc32

from recall_tui.model import SEARCHABLE, Flag, Kind, Material
from recall_tui.store.block import TARGET_BYTES, BlockKind, Meta
from recall_tui.store.build import BlockBuilder, Prepared
from recall_tui.store.clean import LAST_MS, known_time, title_of
from recall_tui.text.batch import ready
from recall_tui.text.fold import fold_bytes, fold_encoded
from recall_tui.text.redact import CLOSE, OPEN, mark
from recall_tui.text.safe import safe
from recall_tui.text.sanitize import sanitize

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from recall_tui.harnesses.base import Facts, Parsed, Transcript
    from recall_tui.store.build import BuiltBlock

RESULT_HORIZON: Final = 10 * 1024
"""Bytes of UTF-8 of a tool result that the agents' path sees (S0-30)."""


def prepare(parsed: Parsed) -> Prepared:
    """Turn a reader's message into what a block holds."""
    return prepare_all([parsed])[0]


def prepare_all(batch: Sequence[Parsed]) -> list[Prepared]:
    """Turn a reader's messages into what a block holds."""
    texts = []
    for parsed in batch:
        texts.append(parsed.text)
        if parsed.rest:
            # Marked apart: the two are different arguments, and the border is then exact.
            texts.append(parsed.rest)
    of_all = iter(ready(texts))
    return [_prepare(parsed, of_all) for parsed in batch]


def _prepare(parsed: Parsed, of_all: Iterator[tuple[str, bytes, bytes]]) -> Prepared:
    """Prepare a message whose text (and rest, if it has one) comes next."""
    text, raw, fold = next(of_all)
    facts = _attributes(parsed)
    horizon = Meta.WHOLE
    if parsed.rest:
        _, rest_raw, rest_fold = next(of_all)
        if parsed.kind is not _TOOL_RESULT:  # whose horizon is its first bytes
            facts["seen"], horizon = len(text), len(fold)
        # Nothing folds across a line break.
        raw = b"%b\n%b" % (raw, rest_raw) if raw else rest_raw
        fold = b"%b\n%b" % (fold, rest_fold) if fold else rest_fold
    flags = 0
    if parsed.abandoned:
        flags |= _ABANDONED
    if parsed.sidechain:
        flags |= _SIDECHAIN
    if parsed.failed:
        flags |= _FAILED
    names: list[str] = []
    if parsed.materials:
        flags |= _MATERIAL
        names = [mark(sanitize(m.name)) for m in parsed.materials if m.name]
    record = record_hash(parsed.record) if parsed.record else None
    return _prepared(
        parsed.kind, raw, fold, horizon, known_time(parsed.time_ms), flags, record, facts,
        names,
    )  # fmt: skip


def record_hash(record: str) -> int:
    """Return what stands for a native record id in the index, 0 for none."""
    return crc32(record.encode("utf-8", "replace")) if record else 0


# Looking a member up by name costs as much as calling a function, and `|` of members builds one.
_TOOL_RESULT: Final = Kind.TOOL_RESULT
_ABANDONED: Final = int(Flag.ABANDONED)
_SIDECHAIN: Final = int(Flag.SIDECHAIN)
_FAILED: Final = int(Flag.FAILED)
_MATERIAL: Final = int(Flag.MATERIAL)


def prepare_again(
    kind: Kind,
    marked: str,
    time_ms: int,
    flags: int,
    record: int,
    attributes: dict[str, object] | None,
) -> Prepared:
    """Turn a stored message into what a block holds under the text rules of today."""
    facts = dict(attributes or {})
    seen_chars = facts.pop("seen", -1)
    held = facts.get("materials")
    materials = [Material(*values) for values in held] if isinstance(held, (list, tuple)) else []
    names = [m.name for m in materials if m.name and _REDACTED not in m.name]
    horizon = Meta.WHOLE
    if isinstance(seen_chars, int) and seen_chars >= 0 and kind is not Kind.TOOL_RESULT:
        head, rest = mark(marked[:seen_chars]), mark(marked[seen_chars:])
        facts["seen"], horizon = len(head), len(fold_bytes(head))
        text = head + rest
    else:
        text = mark(marked)
    raw = text.encode("utf-8", "replace")
    fold = fold_encoded(text, raw)
    return _prepared(kind, raw, fold, horizon, time_ms, flags, record, facts, names)


_REDACTED: Final = "[redacted:"
"""How a mark reads. Of a stored name only that is left of it, and its words must match nothing."""


def _prepared(
    kind: Kind,
    raw: bytes,
    fold: bytes,
    horizon: int,
    time_ms: int,
    flags: int,
    record: int | None,
    facts: dict[str, object],
    names: Sequence[str] = (),
) -> Prepared:
    """Hash the UTF-8 of a marked text, and find the horizon of a tool result.

    A prompt is also found by the (marked) names of its attachments, and does not show them: they
    come back as materials only (S0-32).
    """
    if names and kind is not _TOOL_RESULT:
        fold = b"\n".join([fold, *map(fold_bytes, names)])
    if kind is _TOOL_RESULT and len(raw) > RESULT_HORIZON:
        facts["seen"], horizon = _result_horizon(raw, fold)
    content = crc32(raw, kind)
    # `Prepared(...)` goes through a Python function, which doubles its time.
    return tuple.__new__(Prepared, (
        kind, time_ms, flags, fold, raw, horizon,
        content if record is None else record,
        (content ^ (content >> 16)) & 0xFFFF,
        facts or None,
    ))  # fmt: skip


def _result_horizon(raw: bytes, fold: bytes) -> tuple[int, int]:
    """Return how far the agents' path sees into a long tool result, in (characters, fold bytes).

    The cut never splits a mark, and lies where folding the head alone gives the head of the fold:
    a combining mark right behind it would otherwise belong to both sides.
    """
    if raw.isascii():
        return RESULT_HORIZON, RESULT_HORIZON
    head = raw[:RESULT_HORIZON].decode("utf-8", "ignore")
    opened = head.rfind(OPEN)
    if opened > head.rfind(CLOSE):
        head = head[:opened]
    for _ in range(_CLUSTER_CHARS):
        folded = fold_bytes(head)
        if fold.startswith(folded):
            return len(head), len(folded)
        head = head[:-1]
    # No script has such clusters. Nothing joins an ASCII character to what stands before it.
    head = head[: next((i for i in range(len(head) - 1, 0, -1) if head[i].isascii()), 0)]
    return len(head), len(fold_bytes(head))


_CLUSTER_CHARS: Final = 32
"""Characters that may belong together at the horizon of a tool result before it is moved further:
twice the longest cluster of any language."""


def _attributes(parsed: Parsed) -> dict[str, object]:
    """Return what only the display needs; the keys are the store's own notation."""
    facts: dict[str, object] = {}
    if parsed.tool:
        facts["tool"] = safe(parsed.tool)
    if parsed.call:
        call = parsed.call
        # Ids are short, plain, and all different.
        plain = call.isascii() and call.isprintable()
        facts["call"] = call if plain else sanitize(call)
    if parsed.model:
        facts["model"] = safe(parsed.model)
    if 0 < parsed.duration_ms < LAST_MS:
        facts["ms"] = parsed.duration_ms
    if parsed.materials:
        facts["materials"] = [_material(material) for material in parsed.materials]
    if parsed.changes:
        facts["changes"] = parsed.changes
    return facts


def _material(material: Material) -> tuple[str | int, ...]:
    clean = (safe(value) if isinstance(value, str) else value for value in material)
    return tuple(clean)


@dataclass(slots=True)
class Counts:
    """What a session row counts; blocks add up to it."""

    messages: int = 0
    prompts: int = 0
    tool_calls: int = 0
    errors: int = 0
    materials: int = 0
    searchable: int = 0
    """Messages of the kinds recall finds."""

    def add(self, block: BuiltBlock, sign: int = 1) -> None:
        """Count a block's messages, or take them off with `sign` -1."""
        kinds, flags = block.meta.kinds.tobytes(), block.meta.flags.tobytes()
        self.messages += sign * len(kinds)
        self.prompts += sign * kinds.count(Kind.PROMPT)
        self.tool_calls += sign * kinds.count(Kind.TOOL_CALL)
        self.searchable += sign * searchable(kinds)
        self.errors += sign * (len(flags) - len(flags.translate(None, _FAILURES)))
        if len(flags) == len(flags.translate(None, _HOLDING)):
            return
        for facts in block.attributes.values():
            materials = facts.get("materials")
            if isinstance(materials, (list, tuple)):
                self.materials += sign * len(materials)


_FAILURES: Final = bytes(flags for flags in range(256) if flags & _FAILED)
_HOLDING: Final = bytes(flags for flags in range(256) if flags & _MATERIAL)
"""Each value of a message's flags that says that it failed, or that something hangs on it."""


def searchable(kinds: bytes) -> int:
    """Return how many messages of a column of kinds recall finds (S0-66)."""
    return sum(map(kinds.count, SEARCHABLE))


class Packing:
    """One pass over a transcript as built blocks; the other attributes are right at its end.

    Attributes:
        counts: Of the messages yielded.
        opening: The first prompt (or delegation) as a title; empty when there is none.
        first_record: Hash of the first message's native record id, 0 without one.
        started_ms: What the facts say, else the earliest message; `ended_ms` likewise.
    """

    def __init__(self, transcript: Transcript, start: int = 0) -> None:
        """Read nothing yet.

        Args:
            transcript: Not yet iterated.
            start: Position of the first message it will yield.
        """
        self.transcript = transcript
        self.counts = Counts()
        self.first_record = 0
        self.started_ms = 0
        self.ended_ms = 0
        self.opening = ""
        self._start = start

    @property
    def facts(self) -> Facts:
        """What the transcript says about its session."""
        return self.transcript.facts

    @property
    def folders(self) -> tuple[str, str]:
        """Where the session took place, as far as it was read: first and last."""
        return self.facts.cwd, self.facts.last_cwd

    @property
    def title(self) -> str:
        """The program's own title, empty when it gave none."""
        return title_of(self.facts.title)

    def __iter__(self) -> Iterator[BuiltBlock]:
        """Yield blocks as they fill, talk and tool results apart.

        Raises:
            SourceError: The source cannot be read (further).
        """
        talk, tools = BlockBuilder(BlockKind.TALK), BlockBuilder(BlockKind.TOOL)
        position = self._start
        for batch in _batches(self.transcript):
            self._note(position, batch)
            messages = prepare_all(batch)
            batch.clear()  # what the reader gave is not needed beside what was made of it
            for message in messages:
                builder = tools if message.kind is _TOOL_RESULT else talk
                # A giant message stands alone: joining it to others would copy it.
                if builder.full or len(message.fold) > TARGET_BYTES:
                    yield from self._close(builder)
                builder.add(position, message)
                position += 1
        for builder in (talk, tools):
            yield from self._close(builder)
        self.started_ms = known_time(self.facts.started_ms) or self.started_ms
        self.ended_ms = max(known_time(self.facts.ended_ms), self.ended_ms)

    def _note(self, position: int, batch: list[Parsed]) -> None:
        """Take from the messages what describes the session."""
        if position == self._start:
            self.first_record = record_hash(batch[0].record)
        if not self.opening:
            openings = (p.text for p in batch if p.kind in (Kind.PROMPT, Kind.DELEGATION))
            self.opening = next(filter(None, map(title_of, openings)), "")

    def _close(self, builder: BlockBuilder) -> Iterator[BuiltBlock]:
        built = builder.take()
        if built is None:
            return
        self.counts.add(built)
        first, last = built.first_ms, built.last_ms
        if first and (not self.started_ms or first < self.started_ms):
            self.started_ms = first
        self.ended_ms = max(self.ended_ms, last)
        yield built


BATCH_CHARS: Final = 128 * 1024
"""Text prepared at a time: saves nearly all of the fixed cost, and is little to hold."""


def _batches(transcript: Iterable[Parsed]) -> Iterator[list[Parsed]]:
    """Yield the messages in batches of about `BATCH_CHARS`; a giant message comes alone."""
    batch: list[Parsed] = []
    held = 0
    for parsed in transcript:
        size = len(parsed.text) + len(parsed.rest)
        if batch and held + size > BATCH_CHARS:
            yield batch
            batch, held = [], 0
        batch.append(parsed)
        held += size
    if batch:
        yield batch


def pack_session(transcript: Transcript, start: int = 0) -> Packing:
    """Return one streaming pass over a transcript: iterate it, then look at its counters."""
    return Packing(transcript, start)
