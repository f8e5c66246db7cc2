"""Reads a rollout of the second and third generation: an append-only JSONL file.

The transcript is built from the items that go to and come from the model. The program repeats them
as events for its screen, up to twice, shortly before or after: what is said in two ways is one
message (`Said`). Whether a user item is a prompt is often known only by the event behind it, so
such an item waits (`hold`) until its event or another message comes.

Copies of records in forks, resumed files and archives are left to the store's comparison of
content: ids are missing in most versions, and a new version gives new ones to old records it
replays, so `Parsed.record` stays empty. The reader sees to it that such files name each other
(`native_id`, `parent`).
"""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Final

import msgspec
import stringzilla

from recall_tui.clock import from_iso
from recall_tui.harnesses.base import (
    Checkpoint,
    Facts,
    Parsed,
    Source,
    StaleCheckpoint,
    Transcript,
)
from recall_tui.harnesses.codex import bare, events, items, origin, spoken
from recall_tui.harnesses.codex.processes import Processes
from recall_tui.harnesses.codex.records import RESCUE, Line
from recall_tui.harnesses.codex.said import ITEM, Said, keep, known, said
from recall_tui.harnesses.codex.streams import is_whole, open_rollout
from recall_tui.harnesses.jsonl import BadLine, JsonlTranscript
from recall_tui.harnesses.lenient import lenient
from recall_tui.harnesses.opening import Opening
from recall_tui.model import Kind, SessionKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_ROLLBACK: Final = b'"thread_rolled_back"'
_CHUNK: Final = 256 << 10

_AFTER_TIME: Final = len(b'{"timestamp":"2025-09-16T00:00:00.000Z"')
_TOKENS: Final = b',"type":"event_msg","payload":{"type":"token_count"'
_NOISE: Final = (
    _TOKENS,
    b',"type":"event_msg","payload":{"type":"agent_reasoning"',
    b',"type":"response_item","payload":{"type":"reasoning"',
    b',"type":"response_item","payload":{"type":"ghost_snapshot"',
)
"""A third of all lines is known by its first bytes not to be shown: it is not decoded."""
_ANOTHER: Final = b'{"timestamp":"'
"""Behind a record that was cut, another may stand on its line."""


class State(msgspec.Struct):
    """What a later read must know of the lines before it."""

    facts: Facts
    now: int = 0
    """The time of the current line; in the second generation the last known one."""
    model: str = ""
    """The model that speaks."""
    own: bool = False
    """The session's own meta was read: a later one with another id is its parent's."""
    own_id: str = ""
    """The id in that meta; the file name's is the session's."""
    heir: bool = False
    """A subagent that was given its parent's history."""
    inherited: bool = False
    """The lines at hand are of that history."""
    bare: bool = False
    """The lines have no envelope, and so no times."""
    begun: bool = False
    """Somebody spoke. Until then there are only injected texts: not a session yet."""
    items: bool = False
    """The file holds items, so events of tools only repeat them."""
    confirms: bool = False
    """The file says which user texts are prompts."""
    waiting: list[Parsed] = msgspec.field(default_factory=list)
    """A user item whose event may still come, in its parts."""
    waiting_for: Said = msgspec.field(default_factory=lambda: Said("", 0, 0))
    answers: list[Said] = msgspec.field(default_factory=list)
    prompts: list[Said] = msgspec.field(default_factory=list)
    calls: dict[str, str] = msgspec.field(default_factory=dict)
    """Call id -> tool, of calls without an output yet."""
    outcomes: dict[str, tuple[bool, int]] = msgspec.field(default_factory=dict)
    """Call id -> (failed, ms) as an event told it before the output came."""
    processes: Processes = msgspec.field(default_factory=Processes)
    notice: str = ""
    """The last error: it is reported twice."""
    summaries: list[Said] = msgspec.field(default_factory=list)
    review: bool = False
    goal: str = ""


_state_decoder: Final = msgspec.msgpack.Decoder(State)
_line_decoder: Final = msgspec.json.Decoder(Line)


def open_transcript(source: Source, since: Checkpoint | None = None) -> Transcript:
    """Return the reader for the generation a rollout belongs to."""
    if source.path.endswith(".json"):
        from recall_tui.harnesses.codex.whole import WholeTranscript  # noqa: PLC0415 - rare

        return WholeTranscript(source)
    return CodexTranscript(source, None if source.path.endswith(".zst") else since)


class CodexTranscript(JsonlTranscript):
    """One pass over a rollout; see `base.Transcript`.

    The modules `items`, `events`, `origin` and `bare` hold a function for each kind of line; they
    are given the pass and use its `state`, `facts` and the methods here.
    """

    def __init__(self, source: Source, since: Checkpoint | None = None) -> None:
        self.state = State(Facts())
        self.usage: bytes | None = None
        self.offset = 0
        self.prefix = ""
        self._stamp = ""
        self._latest = 0
        self._opening = Opening()
        self._fresh = False
        self._count = 0
        self._turns: list[int] = []
        self._rollback = 0
        self._abandoned: list[tuple[int, int]] = []
        super().__init__(source, since)
        self.state.facts = self.facts
        self._count = self._position

    def save(self) -> bytes:
        """Return the state; see `JsonlTranscript.save`."""
        origin.count_tokens(self)
        self._ended()
        return msgspec.msgpack.encode(self.state)

    def _ended(self) -> None:
        """Note the latest time: a pass over a tail alone knows nothing of the beginning."""
        if self.facts.started_ms:
            self.facts.ended_ms = max(self.facts.ended_ms, self._latest)
        else:
            self.facts.saw_time(self._latest)

    def load(self, carry: bytes) -> None:
        """Take up the state of an earlier read."""
        self.state = _state_decoder.decode(carry)
        self.facts = self.state.facts

    def open_stream(self) -> IO[bytes]:
        """Open the bytes of the source, uncompressed; see `JsonlTranscript.open_stream`."""
        path = self.source.path
        return open_rollout(path) if path.endswith(".zst") else super().open_stream()

    def survey(self, stream: IO[bytes]) -> int | None:
        """Look ahead for rollbacks: they abandon turns that came long before.

        Raises:
            StaleCheckpoint: There is one behind the checkpoint.
        """
        end, found = _scan(stream, self._offset)
        if found and self._offset:
            raise StaleCheckpoint(f"{self.source.path}: turns were rolled back")
        if found:
            stream.seek(0)
            probe = CodexTranscript(self.source)
            for _ in probe._lines(stream, end):
                pass
            self._abandoned = probe._abandoned
        return end

    def __iter__(self) -> Iterator[Parsed]:
        """Yield messages; see `base.Transcript`."""
        yield from super().__iter__()
        if self.source.path.endswith(".zst"):
            self.checkpoint = None

    def finish(self) -> Iterable[Parsed]:
        """Yield the user item that still waits, and settle the facts."""
        if self.source.path.endswith(".zst") and not is_whole(self.source.path):
            self.unparsed += 1  # whatever was in the part that is missing
        found = self.settled(self.decide())
        self._ended()
        origin.settle(self)
        return found

    def record(self, line: bytes, offset: int) -> list[Parsed]:
        """Turn one line into messages; see `JsonlTranscript.record`."""
        if (
            line.startswith(_NOISE, _AFTER_TIME)
            and line.endswith(b"}}")
            and line.find(_ANOTHER, 1) < 0
        ):
            if line.startswith(_TOKENS, _AFTER_TIME):
                self.usage = line
            return []
        try:
            entry = _line_decoder.decode(line)
        except msgspec.ValidationError:
            entry = lenient(line, Line, RESCUE)
        self.offset = offset
        if not self.state.begun:
            self.hold(offset)
        payload = entry.payload
        if payload is None:
            if entry.type in _LINES or (self.state.own and not self.state.bare):
                raise BadLine
            self.prefix = ""
            return self.settled(bare.line(self, line))
        self._stamp = entry.timestamp
        self.prefix = "payload."
        handler = _LINES.get(entry.type)
        if handler is None:
            self.unknown[entry.type or "(no type)"] += 1
            return []
        if self.state.heir and origin.is_inherited(self, entry.type, payload):
            return []
        return self.settled(handler(self, payload, line))

    # ------------------------------------------------------------ what may be shown, and when

    @property
    def now(self) -> int:
        """The time of the current line; where lines have none, the last known one."""
        if self._stamp:
            self.state.now = from_iso(self._stamp) or self.state.now
            self._stamp = ""
        return self.state.now

    def settled(self, found: list[Parsed]) -> list[Parsed]:
        """Return what of a line's messages may be shown now, with their time and place.

        Injected texts are held back until somebody speaks; a user item that waits goes before
        whatever comes next.
        """
        state = self.state
        if found and state.waiting and not self._fresh:
            found = [*self.decide(), *found]
        self._fresh = False
        if not state.begun:
            found = self._opening_of(found)
        for message in found:
            time_ms = message.time_ms
            if not time_ms:
                message.time_ms = time_ms = self.now
            if time_ms > self._latest:  # noqa: PLR1730 - max() costs a call a message
                self._latest = time_ms
            if message.kind is Kind.PROMPT or message.kind is Kind.DELEGATION:
                self._turns.append(self._count)
            if self._abandoned and any(a <= self._count < b for a, b in self._abandoned):
                message.abandoned = True
            self._count += 1
        if self._rollback:
            self._roll_back()
        return found

    def _opening_of(self, found: list[Parsed]) -> list[Parsed]:
        for message in found:
            message.time_ms = message.time_ms or self.now
            self.facts.saw_time(message.time_ms)
        found = self._opening.until_somebody_speaks(found)
        if found:
            self.state.begun = True
            self.release()
        return found

    @property
    def typed(self) -> Kind:
        """The kind of a typed text: in a subagent's file it is the parent agent that types."""
        return Kind.DELEGATION if self.facts.kind is SessionKind.SUBAGENT else Kind.PROMPT

    def locator(self, path: str) -> str:
        """Return where a value of the current payload lies, for `pictures`."""
        return f"{self.offset}/{self.prefix}{path}"

    def wait(self, found: list[Parsed], text: str) -> None:
        """Keep a user item until it is known whether it was typed."""
        for message in found:
            message.time_ms = self.now
        self.state.waiting = found
        self.state.waiting_for = said(text, ITEM)
        self._fresh = True

    def decide(self) -> list[Parsed]:
        """Return the item that waits; no event came, so it is typed only where there are none."""
        state = self.state
        found, state.waiting = state.waiting, []
        if found and not state.confirms:
            keep(state.prompts, state.waiting_for)
            return found
        for message in found:
            if message.kind is self.typed:
                message.kind = Kind.INJECTED
        return found

    def confirm(self, text: str, way: int) -> list[Parsed] | None:
        """Take an event that repeats a prompt.

        Returns:
            The item that waited for it, nothing when it was shown before, None when the event is
            the first to tell of the prompt.
        """
        state = self.state
        found: list[Parsed] = []
        if state.waiting and state.waiting_for.fits(text):
            found, state.waiting = state.waiting, []
            state.waiting_for.ways |= way
            keep(state.prompts, state.waiting_for)
        elif not known(state.prompts, text, way):
            return None
        state.confirms = True
        return found

    def roll_back(self, turns: int) -> list[Parsed]:
        """Abandon the last turns once this line is done; the item that waits is one of them."""
        self._rollback = max(turns, 0)
        return self.decide()

    def _roll_back(self) -> None:
        turns, self._rollback = self._rollback, 0
        if self._turns:
            start = self._turns[-turns] if turns <= len(self._turns) else self._turns[0]
            del self._turns[-turns:]
            self._abandoned.append((start, self._count))


def _scan(stream: IO[bytes], offset: int) -> tuple[int, bool]:
    """Return (offset behind the last newline, whether a rollback lies in between)."""
    end, at, found = offset, offset, False
    overlap = b""
    while chunk := stream.read(_CHUNK):
        newline = chunk.rfind(b"\n")
        if newline >= 0:
            end = at + newline + 1
        at += len(chunk)
        if not found:
            found = stringzilla.find(chunk, _ROLLBACK) >= 0 or _ROLLBACK in (
                overlap + chunk[: len(_ROLLBACK)]
            )
            overlap = chunk[-len(_ROLLBACK) :]
    return end, found


def _silent(reader: CodexTranscript, payload: object, line: bytes) -> list[Parsed]:
    return []


_LINES: Final = {
    "response_item": items.item,
    "event_msg": events.event,
    "session_meta": origin.meta,
    "turn_context": origin.turn,
    "token_usage_record": origin.tokens,
    "compacted": items.compacted,
    "realtime_item": spoken.realtime,
    "world_state": _silent,
    "inter_agent_communication_metadata": _silent,
    "inter_agent_communication": _silent,
    "dynamic_tools_updated": _silent,
    "id_allocation": _silent,
    "security_risk_score": _silent,
}
