"""The events that report about the session: where it runs, errors, summaries, tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from recall_tui.clock import from_iso
from recall_tui.harnesses import inline
from recall_tui.harnesses.base import Parsed
from recall_tui.harnesses.copilot.records import Failure, ModelMetrics, Rare, RareEvent, Tokens
from recall_tui.harnesses.lenient import decode
from recall_tui.model import Kind, SessionKind

if TYPE_CHECKING:
    from recall_tui.harnesses.copilot.reader import CopilotTranscript

_ASSETS: Final = 512
"""Pictures that are remembered by their id."""


def report(reader: CopilotTranscript, kind: str, line: bytes) -> list[Parsed]:
    """Take an event of one of `HANDLERS`."""
    return HANDLERS[kind](reader, decode(line, RareEvent).data)


def _begins(reader: CopilotTranscript, data: Rare) -> list[Parsed]:
    """Take where a run takes place; a resumed session may be somewhere else."""
    facts = reader.facts
    facts.saw_id(data.sessionId or "")
    facts.saw_time(from_iso(data.startTime or ""))
    where = data.context or data
    facts.saw_cwd(where.cwd or "")
    facts.branch = where.branch or facts.branch
    facts.version = data.copilotVersion or facts.version
    parent = data.detachedFromSpawningParentSessionId
    if parent:  # the program goes on by itself with what a session held
        facts.kind, facts.parent = SessionKind.SUBAGENT, parent
    return _model(reader, data)


def _model(reader: CopilotTranscript, data: Rare) -> list[Parsed]:
    """Take the model that answers from now on: old versions do not say it with each answer."""
    chosen = data.newModel or data.selectedModel
    if chosen and chosen != "auto":
        reader.state.model = chosen
    return []


def _scheduled(reader: CopilotTranscript, data: Rare) -> list[Parsed]:
    """Take a prompt that was typed to be sent later, or again and again."""
    return [Parsed(Kind.PROMPT, data.prompt)] if data.prompt else []


def _renamed(reader: CopilotTranscript, data: Rare) -> list[Parsed]:
    reader.facts.title = data.title or reader.facts.title
    return []


def _error(reader: CopilotTranscript, data: Rare) -> list[Parsed]:
    return _notice(data.message, failed=True)


def _warning(reader: CopilotTranscript, data: Rare) -> list[Parsed]:
    return _notice(data.message, failed=False)


def _agent_failed(reader: CopilotTranscript, data: Rare) -> list[Parsed]:
    error = data.error.message if isinstance(data.error, Failure) else data.error
    return _notice(error or data.message, failed=True)


def _notice(text: str | None, *, failed: bool) -> list[Parsed]:
    return [Parsed(Kind.NOTICE, text, failed=failed)] if text else []


def _aborted(reader: CopilotTranscript, data: Rare) -> list[Parsed]:
    """Say that a turn was stopped, once: some versions write it twice in a row."""
    if reader.state.aborted:
        return []
    reader.state.aborted = True
    return _notice(f"turn aborted: {data.reason}" if data.reason else "turn aborted", failed=False)


def _truncated(reader: CopilotTranscript, data: Rare) -> list[Parsed]:
    tokens = int(data.droppedTokens or data.tokensRemovedDuringTruncation or 0)
    return _notice(f"context cut by {tokens} tokens" if tokens > 0 else "", failed=False)


def _injected(reader: CopilotTranscript, data: Rare) -> list[Parsed]:
    return [Parsed(Kind.INJECTED, data.content)] if data.content else []


def _summary(reader: CopilotTranscript, data: Rare) -> list[Parsed]:
    text = data.summaryContent or data.summary
    if text:
        return [Parsed(Kind.SUMMARY, text)]
    return _agent_failed(reader, data) if data.success is False else []


def _done(reader: CopilotTranscript, data: Rare) -> list[Parsed]:
    return _notice(data.summary, failed=False)


def _asset(reader: CopilotTranscript, data: Rare) -> list[Parsed]:
    """Remember a picture: the messages that show it come later and name its id."""
    assets = reader.state.assets
    if data.assetId and len(assets) < _ASSETS:
        mime = data.mimeType or ""
        name = (data.description or "").replace("\\", "/").rpartition("/")[2]
        locator = f"{reader.offset}:data"
        material = inline.from_base64(data.data, mime, data.assetId, name, locator)
        if material is not None:
            assets[data.assetId] = material
    return []


def _usage(reader: CopilotTranscript, data: Rare) -> list[Parsed]:
    """Count an answer's tokens."""
    if data.usage is not None:
        used = reader.state.used
        reader.state.used = (
            used[0] + int(data.usage.inputTokens),
            used[1] + int(data.usage.outputTokens),
        )
        _count(reader, *reader.state.used)
    return []


def _shutdown(reader: CopilotTranscript, data: Rare) -> list[Parsed]:
    """Take the totals a run ends with; of later runs they include the earlier ones."""
    total = Tokens()
    for model, metrics in (data.modelMetrics or {}).items():
        usage = _tokens_of(metrics)
        total.inputTokens += usage.inputTokens
        total.outputTokens += usage.outputTokens
        if usage.outputTokens:
            reader.facts.saw_model(model)
    _count(reader, int(total.inputTokens), int(total.outputTokens))
    return []


def _tokens_of(metrics: object) -> Tokens:
    try:
        return msgspec.convert(metrics, ModelMetrics).usage or Tokens()
    except msgspec.ValidationError:
        return Tokens()


def _count(reader: CopilotTranscript, tokens_in: int, tokens_out: int) -> None:
    facts = reader.facts
    facts.tokens_in = max(facts.tokens_in, tokens_in)
    facts.tokens_out = max(facts.tokens_out, tokens_out)


HANDLERS: Final = {
    "session.start": _begins,
    "session.resume": _begins,
    "session.context_changed": _begins,
    "session.title_changed": _renamed,
    "session.schedule_created": _scheduled,
    "session.error": _error,
    "session.warning": _warning,
    "session.truncation": _truncated,
    "session.compaction_complete": _summary,
    "session.handoff": _summary,
    "session.task_complete": _done,
    "session.shutdown": _shutdown,
    "session.model_change": _model,
    "session.usage_record": _usage,
    "session.binary_asset": _asset,
    "subagent.failed": _agent_failed,
    "system.notification": _injected,
    "skill.invoked": _injected,
    "abort": _aborted,
}
