"""One pass over a Claude Code session: lines in, messages out, facts on the way.

The rules, and where they were seen, are formats.md section 1. What needs more than a line to decide
has a module of its own: `rewinds` (abandoned branches), `queued` (prompts typed during a run),
`copies` (history a resume wrote twice), `results` (outputs saved elsewhere).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

import msgspec

from recall_tui.harnesses.arguments import changes, project
from recall_tui.harnesses.base import Checkpoint, Parsed, Source
from recall_tui.harnesses.claude import identity, noise, records, results, sides, spoken
from recall_tui.harnesses.claude.state import CALLS, LEAVES, REPLIES
from recall_tui.harnesses.claude.voice import Voice
from recall_tui.harnesses.lenient import lenient
from recall_tui.model import Kind, Material

if TYPE_CHECKING:
    from recall_tui.harnesses.claude.records import Block, Content, Record, Usage

_TYPE: Final = b'{"type":"'
_SILENT_LINES: Final = frozenset(kind.encode() for kind in noise.SILENT)
_SYNTHETIC: Final = "<synthetic>"
_CALLS: Final = ("tool_use", "server_tool_use", "mcp_tool_use")
_THOUGHTS: Final = ("thinking", "redacted_thinking", "fallback")
"""Blocks that are never shown: thinking (Q8), and the change of a model."""


class ClaudeTranscript(Voice):
    """A streaming pass over one session or subagent file."""

    def __init__(self, source: Source, since: Checkpoint | None = None) -> None:
        self._doubted: list[Parsed] = []
        self._model = ""
        super().__init__(source, since)

    def finish(self) -> Iterable[Parsed]:
        """Yield what is still open: a prompt that may be a copy, prompts left in the queue."""
        self.settle()
        return [*self._doubted, *self.from_queue(self.queue.waiting)]

    def record(self, line: bytes, offset: int) -> Iterable[Parsed]:
        """Turn one line into messages."""
        if line.startswith(_TYPE):
            kind = line[len(_TYPE) : line.find(b'"', len(_TYPE))]
            if kind in _SILENT_LINES and b'}{"' not in line:
                return ()
        try:
            record = records.strict(line)
        except msgspec.ValidationError:
            record = lenient(line, records.Record)
        read = _READERS.get(record.type)
        if read is not None:
            return read(self, record, offset, line)
        if record.type not in noise.SILENT:
            self.unknown[record.type or "record without a type"] += 1
        return ()

    # ------------------------------------------------------------ assistant

    def _assistant(self, record: Record, offset: int, line: bytes) -> Iterable[Parsed]:
        body = record.message
        if body is None:
            self.unknown["assistant without a message"] += 1
            return ()
        time_ms = self.enter(record)
        if time_ms < 0:
            return self._certain()
        reply = body.id or ""
        if self.twice and reply and self.copies.is_copy(reply, time_ms):
            return self._without_copies(time_ms)
        self.local = False
        if body.usage is not None:
            self._count(reply, body.usage)
        model = body.model or ""
        if model not in (self._model, _SYNTHETIC):
            self._model = model
            self.facts.saw_model(model)
        if record.isApiErrorMessage or model == _SYNTHETIC:
            said = self._notice(body.content, record, time_ms)
        else:
            said = self._blocks(body.content, record, time_ms, offset, line)
        if self.anew:
            identity.of_reply(reply, said)
        return [*self._certain(reply), *said] if self._doubted else said

    def _notice(self, content: Content, record: Record, time_ms: int) -> list[Parsed]:
        """Return what the program says in the agent's place: an error, a limit."""
        text = spoken.text_of(content)
        if not text.strip():
            return []
        notice = self.message(Kind.NOTICE, text, record, time_ms)
        notice.failed = bool(record.isApiErrorMessage)
        return [notice]

    def _blocks(
        self, content: Content, record: Record, time_ms: int, offset: int, line: bytes
    ) -> list[Parsed]:
        """Return the messages of an agent's line: mostly one block."""
        found: list[Parsed] = []
        if isinstance(content, str):
            content = [records.Block("text", content)]
        for index, block in enumerate(content or ()):
            kind = block.type
            number = len(found)
            if kind == "text":
                text = block.text
                if not text or text.isspace() or text == noise.NO_CONTENT:
                    continue
                message = self.message(Kind.ANSWER, text, record, time_ms, number)
            elif kind in _CALLS:
                message = self._call(block, record, time_ms, number)
            elif kind.endswith("_tool_result"):
                place = f"message.content.{index}"
                message = self._result(block, place, record, time_ms, offset, line, number)
            else:
                if kind not in _THOUGHTS:
                    self.unknown[f"assistant/{kind}"] += 1
                continue
            message.model = self._model
            found.append(message)
        return found

    def _call(self, block: Block, record: Record, time_ms: int, number: int) -> Parsed:
        """Return the message of a tool call and wait for its result."""
        arguments = block.input
        text, rest = project(arguments)
        message = self.message(Kind.TOOL_CALL, text, record, time_ms, number)
        message.rest = rest
        message.changes = changes(arguments, text, rest)
        message.tool = block.name
        message.call = block.id
        path = arguments.get("file_path") if isinstance(arguments, dict) else None
        if len(self.calls) >= CALLS:
            del self.calls[next(iter(self.calls))]
        self.calls[block.id] = (block.name, path if isinstance(path, str) else "")
        return message

    def _count(self, reply: str, usage: Usage) -> None:
        """Count the tokens of a reply in place of what its earlier lines said."""
        into = (
            usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens
        )
        counted = (into, usage.output_tokens)
        before = self.replies.get(reply)
        if before == counted:
            return
        facts = self.facts
        facts.tokens_in += into - (before[0] if before else 0)
        facts.tokens_out += usage.output_tokens - (before[1] if before else 0)
        if reply:
            self._note_reply(reply, counted)

    def _note_reply(self, reply: str, tokens: tuple[int, int]) -> None:
        """Remember a reply as one whose lines are still coming."""
        if reply not in self.replies and len(self.replies) >= REPLIES:
            del self.replies[next(iter(self.replies))]
        self.replies[reply] = tokens

    def _certain(self, reply: str = "") -> list[Parsed]:
        """Return the messages that were in doubt and are none of a copy, in a new list.

        Args:
            reply: Id of the reply that follows them, if one does.
        """
        certain, self._doubted = self._doubted, []
        if certain:
            self.release()
            if self.anew:
                identity.of_turn(reply, certain)
        return certain

    def _without_copies(self, time_ms: int) -> list[Parsed]:
        """Drop the messages in doubt that share the time of a copied reply; return the others."""
        kept = [message for message in self._certain() if message.time_ms != time_ms]
        self.release()
        return kept

    # ------------------------------------------------------------ user

    def _user(self, record: Record, offset: int, line: bytes) -> Iterable[Parsed]:
        content = record.message.content if record.message else None
        if content is None:
            self.unknown["user without content"] += 1
            return ()
        time_ms = self.enter(record)
        if time_ms < 0:
            return self._certain()
        mine: list[Parsed] = []
        results_only = not isinstance(content, str)
        if not isinstance(content, str):
            if self.twice and self._is_copied_result(content, time_ms):
                return ()
            for index, block in enumerate(content):
                if block.type == "tool_result":
                    place = f"message.content.{index}"
                    number = len(mine)
                    mine.append(self._result(block, place, record, time_ms, offset, line, number))
                else:
                    results_only = False
        if results_only:
            if self.anew:
                identity.of_turn("", mine)
            return [*self._certain(), *mine] if self._doubted else mine
        text = spoken.text_of(content)
        doubtful = False
        if self.twice:
            if time_ms and time_ms == self.copies.run_ms:
                return ()
            self.copies.turn(time_ms)
            doubtful = self.copies.repeats(text) or self.anew
            if doubtful:
                self.hold(offset)
        pictures = self.pictures(content, record, offset, "message.content")
        mine += self.said(text, pictures, record, time_ms, len(mine))
        if doubtful:
            self._doubted += mine
            return ()
        return [*self._certain(), *mine]

    def _is_copied_result(self, content: list[Block], time_ms: int) -> bool:
        """Say whether tool results belong to a run of copies: nothing waits for them."""
        return (
            bool(time_ms)
            and time_ms == self.copies.run_ms
            and not any(block.tool_use_id in self.calls for block in content)
        )

    def _result(
        self,
        block: Block,
        place: str,
        record: Record,
        time_ms: int,
        offset: int,
        line: bytes,
        number: int,
    ) -> Parsed:
        """Return the message of a tool result: whole, from wherever its text was put."""
        call = block.tool_use_id
        tool, path = self.calls.pop(call, ("", ""))
        content = block.content
        twin = record.toolUseResult
        pictures: list[Material] = []
        if isinstance(content, str) and content:
            text = noise.without_reminders(content)
        else:
            text, pictures = results.text_of(block, place, record.uuid or str(offset), path, offset)
        if text.startswith(results.PERSISTED):
            whole = results.overflow(text, self.results_folder)
            if whole is None and twin is not None:
                whole = results.twin_text(line)
            text = whole if whole is not None and len(whole) > len(text) else text
        elif twin is not None and not pictures and (not text or text.isspace()):
            text = results.twin_text(line)
        message = self.message(Kind.TOOL_RESULT, text, record, time_ms, number)
        message.call = call
        message.tool = tool
        if block.is_error:
            message.failed = True
        if isinstance(twin, records.Twin):
            message.duration_ms = int(twin.durationMs or twin.totalDurationMs or 0)
            if twin.file is not None and not pictures:
                pictures = results.twin_picture(twin.file, record.uuid or str(offset), path, offset)
        message.materials = tuple(pictures)
        return message

    # ------------------------------------------------------------ the rest

    def _attachment(self, record: Record, offset: int, line: bytes) -> Iterable[Parsed]:
        time_ms = self.enter(record)
        if time_ms < 0 or record.attachment is None:
            return ()
        if record.attachment.type == "queued_command":
            return self.queued(record, time_ms, offset)
        return sides.attachment(self, record, time_ms, offset)

    def _system(self, record: Record, offset: int, line: bytes) -> Iterable[Parsed]:
        time_ms = self.enter(record)
        return sides.system(self, record, time_ms) if time_ms >= 0 else ()

    def _progress(self, record: Record, offset: int, line: bytes) -> Iterable[Parsed]:
        """Follow the tree through a record that says nothing itself."""
        self.enter(record)
        return ()

    def _operation(self, record: Record, offset: int, line: bytes) -> Iterable[Parsed]:
        text = record.content or ""
        time_ms = records.epoch_ms(record.timestamp)
        given_up = self.queue.operate(record.operation or "", text, time_ms, offset)
        return self.from_queue(given_up)

    def _title(self, record: Record, offset: int, line: bytes) -> Iterable[Parsed]:
        self.custom_title = record.customTitle or self.custom_title
        self.ai_title = record.aiTitle or self.ai_title
        return ()

    def _summarised(self, record: Record, offset: int, line: bytes) -> Iterable[Parsed]:
        """Take a summary as the title if the record it names is in this file: most are not."""
        if record.summary and record.leafUuid:
            if record.leafUuid in self.leaves:
                self.summary = record.summary
            else:
                if len(self.summaries) >= LEAVES:
                    del self.summaries[next(iter(self.summaries))]
                self.summaries[record.leafUuid] = record.summary
        return ()

    def _relocated(self, record: Record, offset: int, line: bytes) -> Iterable[Parsed]:
        self.facts.saw_cwd(record.relocatedCwd or "")
        self.forget_place()
        return ()

    def _cost(self, record: Record, offset: int, line: bytes) -> Iterable[Parsed]:
        """Take the running total: each resume goes on from the last one."""
        self.facts.cost_usd = record.totalCostUSD or self.facts.cost_usd
        return ()


_Read = Callable[[ClaudeTranscript, "Record", int, bytes], Iterable[Parsed]]

_READERS: Final[dict[str, _Read]] = {
    "user": ClaudeTranscript._user,
    "assistant": ClaudeTranscript._assistant,
    "attachment": ClaudeTranscript._attachment,
    "system": ClaudeTranscript._system,
    "progress": ClaudeTranscript._progress,
    "queue-operation": ClaudeTranscript._operation,
    "ai-title": ClaudeTranscript._title,
    "custom-title": ClaudeTranscript._title,
    "summary": ClaudeTranscript._summarised,
    "relocated": ClaudeTranscript._relocated,
    "cost-state": ClaudeTranscript._cost,
}
