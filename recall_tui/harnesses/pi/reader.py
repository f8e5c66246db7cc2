"""One pass over a pi session: entries in, messages out. The rules are formats.md section 3."""

from __future__ import annotations

import os
import re
from typing import IO, TYPE_CHECKING, Final

import msgspec

from recall_tui import clock
from recall_tui.harnesses import inline
from recall_tui.harnesses.arguments import changes, project
from recall_tui.harnesses.base import Checkpoint, Facts, Parsed, Source
from recall_tui.harnesses.jsonl import JsonlTranscript
from recall_tui.harnesses.lenient import lenient
from recall_tui.harnesses.pi import records, tree
from recall_tui.model import OWN_SHELL, Kind, SessionKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recall_tui.harnesses.pi.records import Block, Entry, Message, Usage
    from recall_tui.model import Material

_SILENT: Final = frozenset(
    {"model_change", "thinking_level_change", "custom", "label", "context_edit", "usage"}
)
"""Entries that say nothing; a `context_edit` only changes what the model is shown of an earlier."""
_ID: Final = re.compile(r"_([\w.-]+)\.jsonl$")
_SKILL: Final = re.compile(r'<skill name="([^"]+)"[^>]*>\n(.*?)\n</skill>\s*', re.DOTALL)
_FILE: Final = re.compile(r'<file name="([^"]+)">\n?(.*?)\n?</file>\s*', re.DOTALL)


class Carry(msgspec.Struct):
    """The state in the form it is stored."""

    facts: Facts
    last: str
    """Id of the last entry: the next one hangs under it, or begins a branch."""


_carry: Final = msgspec.msgpack.Decoder(Carry)


class PiTranscript(JsonlTranscript):
    """A streaming pass over one session."""

    def __init__(self, source: Source, since: Checkpoint | None = None) -> None:
        self._last = ""
        self._abandoned: frozenset[str] = frozenset()
        super().__init__(source, since)

    def load(self, carry: bytes) -> None:
        """Take up the state of an earlier read."""
        state = _carry.decode(carry)
        self.facts, self._last = state.facts, state.last

    def save(self) -> bytes:
        """Return the state: facts and one id."""
        return msgspec.msgpack.encode(Carry(self.facts, self._last))

    def survey(self, stream: IO[bytes]) -> int | None:
        """Find the entries that are not on the active branch; see `tree`."""
        ahead = tree.look_ahead(stream, self._offset, self._last)
        self._abandoned = ahead.abandoned
        return ahead.end

    def record(self, line: bytes, offset: int) -> Iterable[Parsed]:
        """Turn one line into messages."""
        try:
            entry = records.strict(line)
        except msgspec.ValidationError:
            entry = lenient(line, records.Entry)
        if entry.id and entry.type != "session":
            self._last = entry.id
        time_ms = clock.from_iso(entry.timestamp) if entry.timestamp else 0
        found = self._entry(entry, offset)
        if entry.message is not None and not time_ms:
            time_ms = _time(entry.message.timestamp)
        self.facts.saw_time(time_ms)
        name = f"{entry.id}@{entry.timestamp}" if entry.id else ""
        for number, message in enumerate(found):
            message.time_ms = time_ms
            message.record = f"{name}/{number}" if number and name else name
            message.abandoned = entry.id in self._abandoned
        return found

    def _entry(self, entry: Entry, offset: int) -> list[Parsed]:
        """Return the messages of an entry, time and record still empty."""
        kind = entry.type
        self._count(entry.usage)
        if kind == "message" and entry.message is not None:
            return self._message(entry.message, entry, offset)
        if kind == "session":
            self._begin(entry)
        elif kind in ("compaction", "branch_summary"):
            return [Parsed(Kind.SUMMARY, entry.summary)] if entry.summary else []
        elif kind == "custom_message":
            return _injected(entry.content) if entry.display else []
        elif kind == "session_info":
            self.facts.title = entry.name.strip()
        elif kind not in _SILENT:
            self.unknown[kind or "entry without a type"] += 1
        return []

    def _begin(self, header: Entry) -> None:
        """Take the facts of the first line."""
        facts = self.facts
        facts.saw_cwd(header.cwd)
        facts.saw_id(header.id)
        origin = header.parentSession or header.branchedFrom
        if origin:
            facts.kind = SessionKind.FORK
            match = _ID.search(origin)
            facts.parent = match[1] if match else os.path.basename(origin).removesuffix(".jsonl")

    def _message(self, message: Message, entry: Entry, offset: int) -> list[Parsed]:
        role = message.role
        if role == "user":
            return self._user(message, entry, offset)
        if role == "assistant":
            return self._assistant(message)
        if role == "toolResult":
            result = Parsed(Kind.TOOL_RESULT, _text(message.content))
            result.tool, result.call = message.toolName, message.toolCallId
            result.failed = message.isError
            result.duration_ms = int(message.durationMs)
            result.materials = self._pictures(message, entry, offset)
            return [result]
        if role == "bashExecution":
            call = Parsed(Kind.TOOL_CALL, message.command, tool=OWN_SHELL)
            result = Parsed(Kind.TOOL_RESULT, message.output, tool=OWN_SHELL)
            result.failed = message.exitCode not in (None, 0)
            return [call, result]
        if role in ("branchSummary", "compactionSummary"):
            text = message.summary or _text(message.content)
            return [Parsed(Kind.SUMMARY, text)] if text else []
        if role in ("custom", "hookMessage"):
            return _injected(message.content) if message.display else []
        if role == "system":
            # The program's own prompt stands in `sections`, with an empty content: nobody said it.
            text = _text(message.content)
            return [Parsed(Kind.NOTICE, text)] if text else []
        self.unknown[f"message/{role}"] += 1
        return []

    def _user(self, message: Message, entry: Entry, offset: int) -> list[Parsed]:
        """Return a prompt, and apart from it the skill and the files the program put into it."""
        text = _text(message.content)
        found: list[Parsed] = []
        while match := _FILE.match(text):
            found.append(Parsed(Kind.INJECTED, match[1], rest=match[2]))
            text = text[match.end() :]
        if match := _SKILL.match(text):
            found.append(Parsed(Kind.INJECTED, match[2]))
            text = f"/skill:{match[1]} {text[match.end() :]}"
        text = text.strip()
        pictures = self._pictures(message, entry, offset)
        if text or pictures:
            found.append(Parsed(Kind.PROMPT, text, materials=pictures))
        return found

    def _count(self, usage: Usage | None) -> None:
        """Add what a request cost, of a reply or of the program's own."""
        if usage is not None:
            facts = self.facts
            facts.tokens_in += usage.input + usage.cacheRead + usage.cacheWrite
            facts.tokens_out += usage.output
            facts.cost_usd += usage.cost.total if usage.cost else 0.0

    def _assistant(self, message: Message) -> list[Parsed]:
        facts = self.facts
        facts.saw_model(message.model)
        self._count(message.usage)
        content = message.content
        blocks = [records.Block("text", content)] if isinstance(content, str) else content or []
        found: list[Parsed] = []
        for block in blocks:
            if block.type == "text":
                if block.text.strip():
                    found.append(Parsed(Kind.ANSWER, block.text, model=message.model))
            elif block.type == "toolCall":
                text, rest = project(block.arguments)
                call = Parsed(Kind.TOOL_CALL, text, rest=rest, model=message.model)
                call.tool, call.call = block.name, block.id
                call.changes = changes(block.arguments, text, rest)
                found.append(call)
            elif block.type != "thinking":
                self.unknown[f"assistant/{block.type}"] += 1
        if message.errorMessage:
            failed = message.stopReason != "aborted"
            found.append(Parsed(Kind.NOTICE, message.errorMessage, failed=failed))
        return found

    def _pictures(self, message: Message, entry: Entry, offset: int) -> tuple[Material, ...]:
        """Return the pictures of a message."""
        found: list[Material] = []
        for index, block in enumerate(_blocks(message.content)):
            if block.type == "image":
                locator = f"{offset}:message.content.{index}"
                name = f"{entry.id}@{entry.timestamp}" if entry.id else str(offset)
                material = inline.from_base64(block.data, block.mimeType, name, "", locator)
                found.append(material or inline.elsewhere(block.mimeType, name, "", locator))
            elif block.type != "text":
                self.unknown[f"{message.role}/{block.type}"] += 1
        return tuple(found)


def _blocks(content: str | list[Block] | None) -> list[Block]:
    return content if isinstance(content, list) else []


def _text(content: str | list[Block] | None) -> str:
    """Return the text blocks of a content, each on lines of its own."""
    if isinstance(content, str):
        return content
    return "\n".join(block.text for block in _blocks(content) if block.type == "text")


def _injected(content: str | list[Block] | None) -> list[Parsed]:
    text = _text(content)
    return [Parsed(Kind.INJECTED, text)] if text.strip() else []


def _time(value: float | str) -> int:
    """Return epoch ms of an inner time: a number, in some versions a text."""
    return clock.from_iso(value) if isinstance(value, str) else clock.from_number(value)
