"""The earliest sessions of Copilot CLI (until October 2025): one JSON value, rewritten whole.

`timeline` is what the screen showed, each entry with its time. `chatMessages` is what went to the
model and back: it is read only where a run without a screen left no timeline.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from recall_tui.errors import SourceError
from recall_tui.harnesses import fields
from recall_tui.harnesses.arguments import changes, project
from recall_tui.harnesses.base import Facts, Parsed
from recall_tui.harnesses.streams import read_document
from recall_tui.model import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recall_tui.harnesses.base import Checkpoint, Source

_SAID: Final = {"user": Kind.PROMPT, "copilot": Kind.ANSWER, "info": Kind.NOTICE}
_CALLS: Final = ("tool_call_requested", "tool_call_completed")
_REMINDER: Final = "<reminder>"
"""Begins what the program put behind a prompt for the model."""
_UNIQUE: Final = 32
"""Characters of an id that is unique in the world."""


class TimelineTranscript:
    """One pass over a session; see `base.Transcript`."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.facts = Facts(native_id=source.native_id)
        self.unparsed = 0
        self.torn = False
        self.unknown: Counter[str] = Counter()
        self.checkpoint: Checkpoint | None = None

    def __iter__(self) -> Iterator[Parsed]:
        """Yield messages; see `base.Transcript`. A file cut in its rewrite is torn, and empty."""
        try:
            session = fields.mapping(fields.decode(read_document(self.source.path)))
        except OSError as error:
            raise SourceError(f"{self.source.path}: {error.strerror or error}") from error
        except ValueError:
            self.torn = True
            return
        self.facts.saw_id(fields.text(session.get("sessionId")))
        begun = fields.time_ms(session.get("startTime"))
        model = fields.text(session.get("selectedModel"))
        self.facts.saw_model(model)
        entries = fields.items(session.get("timeline"))
        chat = fields.items(session.get("chatMessages"))
        shown = any(fields.mapping(entry).get("type") in ("user", "copilot") for entry in entries)
        for item in entries if shown else [*chat, *entries]:
            entry = fields.mapping(item)
            for message in self._entry(entry) if "type" in entry else self._chat(entry):
                message.time_ms = fields.time_ms(entry.get("timestamp")) or begun
                message.model = model if message.kind is Kind.ANSWER else ""
                self.facts.saw_time(message.time_ms)
                yield message

    def _entry(self, entry: dict[str, Any]) -> Iterator[Parsed]:
        """Yield what an entry of the timeline shows."""
        kind = fields.text(entry.get("type"))
        name = fields.text(entry.get("id"))
        record = name if len(name) >= _UNIQUE else ""
        text = fields.text(entry.get("text"))
        if kind in _CALLS:
            yield from self._call(entry, record)
        elif kind == "error" or kind in _SAID:
            if text.strip():
                kept = _SAID.get(kind, Kind.NOTICE)
                yield Parsed(kept, text, record=record, failed=kind == "error")
        else:
            self.unknown[f"timeline/{kind or 'entry without a type'}"] += 1

    def _call(self, entry: dict[str, Any], record: str) -> Iterator[Parsed]:
        """Yield a call, and its result when it has ended: both stand in one entry."""
        tool, call = fields.text(entry.get("name")), fields.text(entry.get("callId"))
        arguments = entry.get("arguments")
        text, rest = project(arguments)
        intention = fields.text(entry.get("intentionSummary"))
        if intention and intention not in text:
            text = f"{text}\n{intention}" if text else intention
        yield Parsed(
            Kind.TOOL_CALL, text, record=record, rest=rest, tool=tool, call=call,
            changes=changes(arguments, text, rest),
        )  # fmt: skip
        result = fields.mapping(entry.get("result"))
        if result:
            outcome = fields.text(result.get("type"))
            printed = fields.text(result.get("log"))
            failed = outcome != "success"
            yield Parsed(
                Kind.TOOL_RESULT,
                printed or (outcome if failed else ""),
                record=f"{record}/result" if record else "",
                tool=tool,
                call=call,
                failed=failed,
            )

    def _chat(self, entry: dict[str, Any]) -> Iterator[Parsed]:
        """Yield what went to the model or came from it; its instructions are nobody's words."""
        role = fields.text(entry.get("role"))
        text = _text(entry.get("content"))
        if role == "user":
            typed = text.rpartition(_REMINDER)[0] if _REMINDER in text else text
            if typed.strip():
                yield Parsed(Kind.PROMPT, typed.strip())
        elif role == "assistant":
            if text.strip():
                yield Parsed(Kind.ANSWER, text)
            for request in fields.items(entry.get("tool_calls")):
                yield _asked(fields.mapping(request))
        elif role == "tool":
            call = fields.text(entry.get("tool_call_id"))
            yield Parsed(Kind.TOOL_RESULT, text, call=call)
        elif role not in ("system", "developer"):
            self.unknown[f"chat/{role or 'message without a role'}"] += 1


def _asked(request: dict[str, Any]) -> Parsed:
    """Return the message of a call as the model asks for it: its arguments are JSON in a text."""
    function = fields.mapping(request.get("function"))
    stated = fields.text(function.get("arguments"))
    arguments: object = stated
    with suppress(ValueError):  # else shown as it is
        arguments = fields.decode(stated.encode("utf-8", "replace"))
    text, rest = project(arguments)
    call, tool = fields.text(request.get("id")), fields.text(function.get("name"))
    marks = changes(arguments, text, rest)
    return Parsed(Kind.TOOL_CALL, text, rest=rest, tool=tool, call=call, changes=marks)


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = (fields.text(fields.mapping(part).get("text")) for part in fields.items(content))
    return "\n".join(filter(None, parts))
