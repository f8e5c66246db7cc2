"""`event_msg`: what the program showed on its screen.

Most events repeat items. They say which user items are prompts, how tool calls ended, and what has
no item: errors, interruptions, rollbacks, names, results of web searches, reviews. A file without
any items is read from its events alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from recall_tui.harnesses.arguments import leaves
from recall_tui.harnesses.base import Parsed
from recall_tui.harnesses.codex import items, origin, pictures, processes
from recall_tui.harnesses.codex.records import (
    NO_RAW,
    Duration,
    Event,
    EventLine,
    decode,
    milliseconds,
)
from recall_tui.harnesses.codex.said import COMPLETED, EVENT, REVIEW, keep, known, repeated, said
from recall_tui.model import Kind, SessionKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recall_tui.harnesses.codex.reader import CodexTranscript
    from recall_tui.harnesses.codex.records import Payload
    from recall_tui.model import Material

_OUTCOMES: Final = 64
"""Ends of calls that are remembered until their output comes, a few lines on."""

_WITHIN: Final = "exec-"
"""Begins the id of a call that a script made."""

_TYPED_TURN: Final = re.compile(rb'"turn_trigger":\s*"user"')


def event(reader: CodexTranscript, payload: Payload, line: bytes) -> list[Parsed]:
    """Take an event of any kind."""
    kind = payload.type
    if kind == "agent_message":
        return _agent(reader, payload.message or "", EVENT)
    if kind == "user_message":
        return _user_message(reader, payload)
    if kind == "token_count":
        return origin.tokens(reader, payload, line)
    if kind in _SILENT:
        return []
    if kind in ("task_started", "turn_started"):
        if reader.facts.kind is SessionKind.AUTOMATED and _TYPED_TURN.search(line):
            reader.facts.kind = SessionKind.MAIN  # begun by a script, gone on with by a person
        return processes.begin(reader)
    if kind == "thread_settings_applied":
        return origin.settings(reader, payload, line)
    rare = _RARE.get(kind)
    if rare is None:
        if not kind.endswith(_SILENT_ENDS):
            reader.unknown[f"event_msg.{kind}"] += 1
        return []
    return rare(reader, decode(line, EventLine).payload)


_SILENT: Final = frozenset(
    (
        "agent_reasoning", "agent_reasoning_raw_content", "agent_reasoning_section_break",
        "context_compacted", "view_image_tool_call", "image_generation_end", "plan_update",
        "dynamic_tool_call_request", "dynamic_tool_call_response", "terminal_interaction",
        "sub_agent_activity", "session_configured", "background_event", "turn_diff",
        "mcp_startup_complete", "shutdown_complete", "skills_update_available", "raw_response_item",
        "model_reroute", "model_verification", "deprecation_notice", "hook_started",
        "hook_completed", "patch_apply_updated", "thread_memory_mode_updated",
        "auth_recovery_completed", "elicitation_abandoned", "environment_connected",
        "environment_disconnected", "network_approval_resolved", "raw_response_completed",
        "realtime_conversation_closed", "realtime_conversation_realtime",
        "realtime_conversation_sdp", "request_permissions", "request_user_input",
        "safety_buffering", "thread_queue_changed", "turn_moderation_metadata",
    )
)  # fmt: skip
_SILENT_ENDS: Final = (
    "_begin", "_delta", "_request", "_response", "_started", "_update", "_interaction_end",
    "_spawn_end", "_waiting_end", "_close_end", "_resume_end",
)  # fmt: skip
"""The screen's own traffic: progress, approvals, and the agents' calls, which are items as well."""


# ---------------------------------------------------------------- who said what


def _user_message(reader: CodexTranscript, payload: Payload) -> list[Parsed]:
    identity = reader.facts.native_id
    materials: list[Material] = []
    for number, image in enumerate(payload.images or ()):
        material = pictures.from_raw(image, identity, reader.locator(f"images.{number}"))
        if material is not None:
            materials.append(material)
    materials += [pictures.named(path, identity) for path in payload.local_images or ()]
    return _user(reader, payload.message or "", tuple(materials), EVENT)


def _user(
    reader: CodexTranscript, text: str, materials: tuple[Material, ...], way: int
) -> list[Parsed]:
    """Take a prompt as the screen shows it: of an item seen before, or the first to tell of it."""
    confirmed = reader.confirm(text, way)
    if confirmed is not None:
        return confirmed
    before = reader.decide()
    if not text and not materials:
        return before
    review, prompts = reader.state.review, reader.state.prompts
    if review and repeated(prompts, text):
        return before
    keep(prompts, said(text, way))
    if review:  # the program asks its reviewer, in the person's name, and twice
        return [*before, Parsed(Kind.INJECTED, text)]
    reader.state.confirms = True
    return [*before, *items.prompt(reader, text, materials)]


def _agent(reader: CodexTranscript, text: str, way: int) -> list[Parsed]:
    """Take an answer as the screen shows it."""
    answers = reader.state.answers
    if not text or known(answers, text, way):
        return []
    keep(answers, said(text, way))
    return [Parsed(Kind.ANSWER, text, model=reader.state.model)]


# ---------------------------------------------------------------- what the program reports


def _error(reader: CodexTranscript, event: Event) -> list[Parsed]:
    return notice(reader, event.message or "", failed=True)


def _warning(reader: CodexTranscript, event: Event) -> list[Parsed]:
    return notice(reader, event.message or "", failed=False)


def notice(reader: CodexTranscript, text: str, *, failed: bool) -> list[Parsed]:
    """Return a report of the program, once: errors come again at the end of the turn."""
    if not text or text == reader.state.notice:
        return []
    reader.state.notice = text
    return [Parsed(Kind.NOTICE, text, failed=failed)]


def _task_complete(reader: CodexTranscript, event: Event) -> list[Parsed]:
    found = notice(reader, _message_of(event.error), failed=True)
    if reader.state.items or not event.message:
        reader.state.notice = ""
    return [*processes.left(reader), *found]


def _message_of(error: object) -> str:
    return error if isinstance(error, str) else getattr(error, "message", None) or ""


def _aborted(reader: CodexTranscript, event: Event) -> list[Parsed]:
    text = f"turn aborted: {event.reason}" if event.reason else "turn aborted"
    told = Parsed(Kind.NOTICE, text, duration_ms=int(event.duration_ms or 0))
    return [*processes.left(reader), told]


def _undone(reader: CodexTranscript, event: Event) -> list[Parsed]:
    return notice(reader, event.message or "", failed=event.success is False)


def _denied(reader: CodexTranscript, event: Event) -> list[Parsed]:
    """Take what the approval reviewer says, when it forbids."""
    if event.status not in ("denied", "rejected") or not event.rationale:
        return []
    return [Parsed(Kind.NOTICE, event.rationale, failed=True)]


def _rolled_back(reader: CodexTranscript, event: Event) -> list[Parsed]:
    return reader.roll_back(event.num_turns or 0)


def _named(reader: CodexTranscript, event: Event) -> list[Parsed]:
    reader.facts.title = event.thread_name or reader.facts.title
    return []


def _goal(reader: CodexTranscript, event: Event) -> list[Parsed]:
    objective = (event.goal or {}).get("objective")
    if not isinstance(objective, str) or objective == reader.state.goal:
        return []
    reader.state.goal = objective
    return [Parsed(Kind.NOTICE, f"goal: {objective}")]


# ---------------------------------------------------------------- reviews


def _entered_review(reader: CodexTranscript, event: Event) -> list[Parsed]:
    """Take the start of a `/review`; instructions of their own are typed."""
    reader.state.review = True
    asked = (event.target or {}).get("instructions")
    if isinstance(asked, str) and asked:
        keep(reader.state.prompts, said(asked, COMPLETED))
        return [Parsed(reader.typed, asked)]
    told = f"review: {event.user_facing_hint or 'started'}"
    if not reader.state.begun:  # by `codex review`: nobody types anything
        reader.facts.title = reader.facts.title or told
    return [Parsed(Kind.NOTICE, told)]


def _left_review(reader: CodexTranscript, event: Event) -> list[Parsed]:
    """Take what a review found; an item behind it may say it again."""
    reader.state.review = False
    review = event.review_output or {}
    explained = review.get("overall_explanation")
    texts = [explained] if isinstance(explained, str) and explained else []
    for finding in review.get("findings") or ():
        texts += leaves(finding)
    if not texts:
        return []
    answers = reader.state.answers
    if known(answers, texts[0], REVIEW):
        return []
    keep(answers, said(texts[0], REVIEW))
    return [Parsed(Kind.ANSWER, "\n".join(texts), model=reader.state.model)]


# ---------------------------------------------------------------- how tools ended


def _command_end(reader: CodexTranscript, event: Event) -> list[Parsed]:
    call_id = event.call_id or event.id or ""
    failed = event.exit_code not in (None, 0) or event.status in ("failed", "declined")
    printed = event.aggregated_output or "\n".join(filter(None, (event.stdout, event.stderr)))
    end = failed, milliseconds(event.duration)
    late = processes.ended(reader, call_id, str(event.process_id), printed, end)
    arguments = {"command": event.command}
    return [*late, *_ended(reader, call_id, "shell", arguments, printed, failed, event.duration)]


def _patch_end(reader: CodexTranscript, event: Event) -> list[Parsed]:
    call_id = event.call_id or event.id or ""
    failed = event.success is False or event.status in ("failed", "declined")
    changes = event.changes or {}
    arguments = {"paths": list(changes), "changes": list(changes.values())}
    printed = "\n".join(filter(None, (event.stdout, event.stderr)))
    return _ended(reader, call_id, "apply_patch", arguments, printed, failed, event.duration)


def _mcp_end(reader: CodexTranscript, event: Event) -> list[Parsed]:
    asked: Mapping[str, Any] = event.invocation or {
        "server": event.server, "tool": event.tool, "arguments": event.arguments,
    }  # fmt: skip
    result = None if event.result is NO_RAW else msgspec.json.decode(event.result)
    failed = bool(_message_of(event.error)) or event.status == "failed"
    if isinstance(result, dict):
        failed = failed or "Err" in result
        result = result.get("Ok", result.get("Err", result))
    if isinstance(result, dict):
        failed = failed or result.get("isError") is True
        result = result.get("content", result)
    name = "__".join(str(asked.get(key) or "") for key in ("server", "tool"))
    printed = "\n".join(leaves(result, _FRAME)) or _message_of(event.error)
    call_id = event.call_id or event.id or ""
    return _ended(
        reader, call_id, f"mcp__{name}", asked.get("arguments"), printed, failed, event.duration
    )


_FRAME: Final = frozenset(("type", "data", "mimeType", "_meta"))


def _ended(
    reader: CodexTranscript, call_id: str, name: str, arguments: object, printed: str,
    failed: bool, duration: Duration | str | float | None,  # noqa: FBT001 - one caller's table
) -> list[Parsed]:  # fmt: skip
    """Note how a call ended for its output item; without items, the event is call and output."""
    state = reader.state
    took = milliseconds(duration)
    if state.items:
        if call_id.startswith(_WITHIN):
            processes.within(reader, printed, failed=failed)
        elif call_id in state.calls and (failed or took):
            state.outcomes[call_id] = (failed, took)
            if len(state.outcomes) > _OUTCOMES:
                del state.outcomes[next(iter(state.outcomes))]
        return []
    asked = items.calling(reader, call_id, name, arguments)
    state.calls.pop(call_id, None)
    given = Parsed(
        Kind.TOOL_RESULT, printed, tool=name, call=call_id, failed=failed, duration_ms=took
    )
    return [asked, given]


def _search_end(reader: CodexTranscript, event: Event) -> list[Parsed]:
    """Take what a web search found: no item holds it."""
    call_id = event.call_id or event.id or ""
    state = reader.state
    found: list[Parsed] = []
    if not state.items:
        action = items.web_action(event.action or {"query": event.query})
        found.append(items.calling(reader, call_id, "web_search", action))
    text = "\n".join(leaves(event.results or [], _SEARCH_FRAME))
    if text:
        state.calls.pop(call_id, None)
        found.append(Parsed(Kind.TOOL_RESULT, text, tool="web_search", call=call_id))
    return found


_SEARCH_FRAME: Final = frozenset(("type", "ref_id", "domain", "thumbnail_url"))


# ---------------------------------------------------------------- item_completed


def _completed(reader: CodexTranscript, event: Event) -> list[Parsed]:
    """Take the third form of what happened, and from 0.171 the only one beside the item."""
    done = event.item
    if done is None:
        return []
    if done.type == "UserMessage":
        text, materials = items.content(reader, done.content, "item.content")
        return _user(reader, text, materials, COMPLETED)
    if done.type == "AgentMessage":
        text, _ = items.content(reader, done.content, "item.content")
        return _agent(reader, text, COMPLETED)
    if done.type == "Plan":
        return _agent(reader, done.text or "", COMPLETED)
    if done.type in _SILENT_DONE:
        return []
    ended = _DONE.get(done.type)
    if ended is None:
        reader.unknown[f"item_completed.{done.type}"] += 1
        return []
    return ended(reader, done)


_SILENT_DONE: Final = frozenset(
    (
        "Reasoning", "ImageView", "ImageGeneration", "CollabAgentToolCall", "ContextCompaction",
        "HookPrompt", "SubAgentActivity", "Sleep", "DynamicToolCall", "FunctionCallOutput",
    )
)  # fmt: skip
_DONE: Final = {
    "CommandExecution": _command_end,
    "FileChange": _patch_end,
    "McpToolCall": _mcp_end,
    "WebSearch": _search_end,
    "Extension": _search_end,
    "EnteredReviewMode": _entered_review,
    "ExitedReviewMode": _left_review,
}
_RARE: Final = {
    "item_completed": _completed,
    "error": _error,
    "stream_error": _error,
    "warning": _warning,
    "guardian_warning": _warning,
    "task_complete": _task_complete,
    "turn_complete": _task_complete,
    "turn_aborted": _aborted,
    "undo_completed": _undone,
    "guardian_assessment": _denied,
    "thread_rolled_back": _rolled_back,
    "thread_name_updated": _named,
    "thread_goal_updated": _goal,
    "entered_review_mode": _entered_review,
    "exited_review_mode": _left_review,
    "exec_command_end": _command_end,
    "patch_apply_end": _patch_end,
    "mcp_tool_call_end": _mcp_end,
    "web_search_end": _search_end,
}
