"""Reads the events of a session of GitHub Copilot CLI: an append-only JSONL file, linear.

Subagents write into the same file, marked by `agentId` or `parentToolCallId`. A tool call is told
twice, by the model's `toolRequests` and by `tool.execution_start`, in either order: the first one
is shown. Hooks repeat whole tool payloads and are most lines of some files: they are not decoded.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import msgspec

from recall_tui.clock import from_iso
from recall_tui.harnesses import inline
from recall_tui.harnesses.arguments import PROJECTED, changes, project
from recall_tui.harnesses.base import Checkpoint, Facts, Parsed, Source
from recall_tui.harnesses.copilot import session
from recall_tui.harnesses.copilot.records import (
    NO_RAW,
    RESCUE,
    Binary,
    Data,
    Event,
    Failure,
    Result,
    ToolRequest,
)
from recall_tui.harnesses.copilot.workspace import workspace_beside
from recall_tui.harnesses.jsonl import JsonlTranscript
from recall_tui.harnesses.lenient import lenient
from recall_tui.harnesses.opening import Opening
from recall_tui.model import Kind, Material, SessionKind

if TYPE_CHECKING:
    from collections.abc import Iterable

_HOOK: Final = b'{"type":"hook.'
_CALLS: Final = 1024
"""Calls that are remembered: their other form and their result follow within a few lines."""

_UNIQUE: Final = 32
"""Characters of an id that is unique in the world; test data has `e1`."""

_ORDER: Final = (*PROJECTED, "intent", "agent_type")
_INJECTED: Final = ("skill-", "system", "command-", "hook", "autopilot", "schedule-")
"""Sources of user messages the program writes itself."""

_NO_FILES: Final = ("directory", "selection", "github_reference", "extension_context")
"""Attachments that have no bytes: a folder, words of a file, an issue, what an extension says."""

_SILENT: Final = frozenset(
    (
        "assistant.turn_start", "assistant.turn_end", "assistant.reasoning", "assistant.intent",
        "assistant.usage", "system.message", "permission.requested", "permission.completed",
        "subagent.started", "subagent.completed", "subagent.selected", "subagent.deselected",
        "subagent.configured", "session.info", "session.snapshot_rewind",
        "session.auto_mode_resolved",
        "session.permissions_changed", "session.usage_checkpoint", "session.mode_changed",
        "session.plan_changed", "session.workspace_file_changed", "session.compaction_start",
        "session.idle", "session.tools_updated", "session.skills_loaded", "tool.execution_progress",
        "tool.execution_partial_result", "user_input.requested",
        "session.autopilot_objective_changed", "session.remote_steerable_changed",
        "session.schedule_cancelled", "session.mode_notice_delivered",
        "external_tool.requested", "external_tool.completed",
        "user_input.completed", "elicitation.requested", "elicitation.completed",
        "pending_messages.modified", "hook.start", "hook.end", "hook.progress",
    )
)  # fmt: skip


_TRACES: Final = "model."
"""Begins events about calls to a model: a compaction writes them, and its summary once more."""


class State(msgspec.Struct):
    """What a later read must know of the lines before it."""

    facts: Facts
    now: int = 0
    """The last known time."""
    begun: bool = False
    """Somebody spoke."""
    model: str = ""
    """The model that was chosen last."""
    calls: dict[str, tuple[str, int]] = msgspec.field(default_factory=dict)
    """Call id -> (tool, when it began), of calls that were shown."""
    assets: dict[str, Material] = msgspec.field(default_factory=dict)
    """Pictures the file holds, by the id messages refer to them."""
    aborted: bool = False
    """The turn was stopped, and no other has begun."""
    used: tuple[int, int] = (0, 0)
    """Tokens in and out, as single answers count them."""


_state_decoder: Final = msgspec.msgpack.Decoder(State)
_event_decoder: Final = msgspec.json.Decoder(Event)


class CopilotTranscript(JsonlTranscript):
    """One pass over a session; see `base.Transcript`."""

    def __init__(self, source: Source, since: Checkpoint | None = None) -> None:
        self.state = State(Facts())
        self.offset = 0
        self._opening = Opening()
        super().__init__(source, since)
        self.state.facts = self.facts

    def save(self) -> bytes:
        """Return the state; see `JsonlTranscript.save`."""
        return msgspec.msgpack.encode(self.state)

    def load(self, carry: bytes) -> None:
        """Take up the state of an earlier read."""
        self.state = _state_decoder.decode(carry)
        self.facts = self.state.facts

    def finish(self) -> Iterable[Parsed]:
        """Complete the facts by what lies beside the events; nothing of it is carried on."""
        if os.path.basename(self.source.path) == "events.jsonl":
            known = workspace_beside(self.source.path)
            facts = self.facts
            facts.title = known.get("name") or known.get("summary") or facts.title
            facts.branch = facts.branch or known.get("branch", "")
            if not facts.cwd:
                facts.saw_cwd(known.get("cwd", ""))
        return ()

    def record(self, line: bytes, offset: int) -> list[Parsed]:
        """Turn one event into messages; see `JsonlTranscript.record`."""
        if line.startswith(_HOOK):
            return []
        try:
            event = _event_decoder.decode(line)
        except msgspec.ValidationError:
            event = lenient(line, Event, RESCUE)
        if not self.state.begun:
            self.hold(offset)
        self.offset = offset
        kind = event.type
        handler = _HANDLERS.get(kind)
        if handler is not None:
            found = handler(self, event)
        elif kind in session.HANDLERS:
            found = session.report(self, kind, line)
        else:
            if kind not in _SILENT and not kind.startswith(_TRACES):
                self.unknown[kind] += 1
            return []
        return self._admit(found, event) if found else found

    def _admit(self, found: list[Parsed], event: Event) -> list[Parsed]:
        """Give messages their time, place and id; hold back what comes before anybody speaks."""
        self.state.now = time_ms = from_iso(event.timestamp) or self.state.now
        self.facts.saw_time(time_ms)
        side = bool(event.agentId or event.data.parentToolCallId)
        for number, message in enumerate(found):
            message.time_ms = time_ms
            message.sidechain = side
            if len(event.id) >= _UNIQUE:
                message.record = f"{event.id}/{number}" if number else event.id
        if self.state.begun:
            return found
        found = self._opening.until_somebody_speaks(found)
        if found:
            self.state.begun = True
            self.release()
        return found

    def pictures(self, holders: list[Binary] | None, event: str, path: str) -> list[Material]:
        """Return the materials of a result or prompt; a file elsewhere is only a name."""
        found: list[Material] = []
        for number, holder in enumerate(holders or ()):
            if holder.assetId and holder.assetId in self.state.assets:
                found.append(self.state.assets[holder.assetId])
                continue
            mime = holder.mimeType or ""
            name = holder.displayName or file_name(holder.path or holder.filePath or "")
            material = None
            if holder.data is not NO_RAW:
                locator = f"{self.offset}:{path}.{number}"
                material = inline.from_base64(holder.data, mime, event, name, locator)
            if material is None and holder.type not in _NO_FILES:
                material = inline.elsewhere(mime or mime_of(name), event, name, "")
            if material is not None:
                found.append(material)
        return found


def file_name(path: str) -> str:
    """Return the last part of a path of either system."""
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def mime_of(name: str) -> str:
    """Return the type a file name suggests, empty when it suggests none."""
    import mimetypes  # noqa: PLC0415 - few prompts have attachments

    return mimetypes.guess_type(name)[0] or ""


# ---------------------------------------------------------------- who said what


def _user(reader: CopilotTranscript, event: Event) -> list[Parsed]:
    """Take a prompt: `content` is what was typed, `transformedContent` what the model saw of it."""
    data = event.data
    reader.state.aborted = False
    text = data.content or ""
    materials = tuple(reader.pictures(data.attachments, event.id, "data.attachments"))
    if not text and not materials:
        return []
    source = data.source or ""
    if (
        event.agentId
        or data.parentToolCallId
        or source.startswith("agent-")
        or reader.facts.kind is SessionKind.SUBAGENT
    ):
        kind = Kind.DELEGATION
    else:
        kind = Kind.INJECTED if source.startswith(_INJECTED) else Kind.PROMPT
    return [Parsed(kind, text, materials=materials), *_attached(data.attachments)]


def _attached(attachments: list[Binary] | None) -> list[Parsed]:
    """Return what stands beside a prompt as words: a selection in a file, an issue by its title."""
    return [
        Parsed(Kind.INJECTED, held.filePath or held.url or "", rest=held.text or held.title or "")
        for held in attachments or ()
        if held.text or held.title
    ]


def _assistant(reader: CopilotTranscript, event: Event) -> list[Parsed]:
    """Take an answer, which is often empty, and the calls it asks for."""
    data = event.data
    model = data.model or reader.state.model
    reader.facts.saw_model(model)
    reader.state.aborted = False
    found = [Parsed(Kind.ANSWER, data.content, model=model)] if data.content else []
    for request in data.toolRequests or ():
        call = _call(reader, event, request)
        if call is not None:
            found.append(call)
    return found


# ---------------------------------------------------------------- tools


def _started(reader: CopilotTranscript, event: Event) -> list[Parsed]:
    data = event.data
    request = ToolRequest(data.toolCallId or "", data.toolName or "", data.arguments)
    call = _call(reader, event, request)
    return [call] if call is not None else []


def _call(reader: CopilotTranscript, event: Event, request: ToolRequest) -> Parsed | None:
    """Return the message of a call, None when it was shown already; note when it began."""
    calls = reader.state.calls
    call_id = request.toolCallId
    shown = call_id in calls
    if call_id:
        if len(calls) >= _CALLS:
            for old in list(calls)[: _CALLS // 2]:
                del calls[old]
        calls[call_id] = request.name, from_iso(event.timestamp)
    if shown:
        return None
    arguments = request.arguments
    if isinstance(arguments, str) and arguments[:1] in ("{", "["):
        with suppress(msgspec.MsgspecError, RecursionError):
            arguments = msgspec.json.decode(arguments)
    text, rest = project(arguments if arguments is not None else {}, _ORDER)
    intention = request.intentionSummary or ""
    known = any(line in intention for line in text.split("\n") if line)
    if not known and intention not in ("", *rest.split("\n")):
        text = f"{text}\n{intention}" if text else intention
    model = event.data.model or reader.state.model
    return Parsed(
        Kind.TOOL_CALL, text, rest=rest, tool=request.name, call=call_id, model=model,
        changes=changes(arguments, text, rest),
    )  # fmt: skip


def _completed(reader: CopilotTranscript, event: Event) -> list[Parsed]:
    data = event.data
    call_id = data.toolCallId or ""
    result = data.result
    materials: list[Material] = []
    if isinstance(result, Result):
        text = _result_text(result)
        path = "data.result.binaryResultsForLlm"
        materials = reader.pictures(result.binaryResultsForLlm, event.id, path)
    else:
        text = result or ""
    error = data.error.message if isinstance(data.error, Failure) else data.error
    if error and error not in text:
        text = f"{text}\n{error}" if text else error
    tool, began = reader.state.calls.get(call_id, ("", 0))
    reader.facts.saw_model(data.model or "")  # some versions name it nowhere else while they run
    ended = from_iso(event.timestamp)
    return [
        Parsed(
            Kind.TOOL_RESULT,
            text,
            tool=tool,
            call=call_id,
            failed=data.success is False or _exit_code(data, text) != 0,
            duration_ms=max(0, ended - began) if began and ended else 0,
            materials=tuple(materials),
        )
    ]


_EXIT: Final = re.compile(r"<(?:shellId: \S+ completed|exited) with exit code (-?\d+)>\s*\Z")


def _exit_code(data: Data, text: str) -> int:
    """Return how a shell command ended: a tool succeeds in running one that fails."""
    if data.shellExecution is not None and data.shellExecution.exitCode is not None:
        return data.shellExecution.exitCode
    match = _EXIT.search(text, max(0, len(text) - 100))
    return int(match[1]) if match else 0


def _result_text(result: Result) -> str:
    """Return what a tool gave back: the screen's form is added where it says more.

    For a file that was read it is the same text again, as a diff without changes.
    """
    text, detail = result.content or "", (result.detailedContent or "").strip("\n")
    if not detail or detail in text:
        return text
    if detail.startswith("diff --git") and not _changes(detail):
        return text
    return detail if text in detail else f"{text}\n{detail}"


def _changes(diff: str) -> bool:
    """Say whether a diff changes any line."""
    return any(
        line[:1] in ("+", "-") and line[:3] not in ("+++", "---") for line in diff.split("\n")
    )


_HANDLERS: Final = {
    "user.message": _user,
    "assistant.message": _assistant,
    "tool.execution_start": _started,
    "tool.user_requested": _started,
    "tool.execution_complete": _completed,
}
