"""Attachments and system records: what the program says and sends along beside the conversation."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import msgspec

from recall_tui.harnesses import inline
from recall_tui.harnesses.claude import noise, records, results
from recall_tui.harnesses.claude.noise import Said
from recall_tui.model import Kind, Material

if TYPE_CHECKING:
    from recall_tui.harnesses.base import Parsed
    from recall_tui.harnesses.claude.records import Attachment, Record
    from recall_tui.harnesses.claude.tracking import Tracking

_FILES: Final = frozenset(
    {
        "already_read_file", "directory", "edited_image_file", "edited_text_file", "file",
        "mcp_resource", "message_pdf_reads", "new_directory", "new_file", "pdf_reference",
        "plan_file_reference",
    }
)  # fmt: skip
_NOTICES: Final = frozenset(
    {
        "goal_status", "hook_blocking_error", "hook_error_during_execution",
        "hook_stopped_continuation",
    }
)  # fmt: skip
_FAULTS: Final = frozenset({"hook_blocking_error", "hook_error_during_execution"})
_TOLD: Final = frozenset({"plugin_note", "teammate_mailbox"})
"""What other agents and plugins say to this one."""
_ERRORS: Final = ("api_error", "error")
_SPOKEN: Final = frozenset(
    {
        "api_refusal", "away_summary", "informational", "model_consent_fallback", "model_fallback",
        "model_refusal_fallback", "model_refusal_no_fallback", "permission_retry",
        "scheduled_task_fire",
    }
)  # fmt: skip


def attachment(tracking: Tracking, record: Record, time_ms: int, offset: int) -> list[Parsed]:
    """Return the message of an attachment that holds content: a file, a notice."""
    sent = record.attachment
    if sent is None or sent.type in noise.SILENT_ATTACHMENTS:
        return []
    if sent.type in _FILES:
        name = sent.filename or sent.path or sent.uri or ""
        message = tracking.message(Kind.INJECTED, name, record, time_ms)
        parts = (sent.snippet, sent.planContent, *_texts(sent.content, sent.reads))
        message.rest = "\n".join(part for part in parts if part and part != name)
        message.materials = _picture(sent, record, offset)
        return [message] if message.text or message.rest or message.materials else []
    if sent.type in _NOTICES or sent.type in _TOLD:
        kind = Kind.NOTICE if sent.type in _NOTICES else Kind.INJECTED
        text = "\n".join(_texts(sent.message, sent.content, sent.blockingError, sent.messages))
        message = tracking.message(kind, text, record, time_ms)
        message.failed = sent.type in _FAULTS
        return [message] if text else []
    tracking.unknown[f"attachment/{sent.type}"] += 1
    return []


def _texts(*fields: msgspec.Raw) -> list[str]:
    """Return the string leaves of fields of any shape."""
    return [leaf for field in fields for leaf in results.raw_leaves(field)]


def _picture(sent: Attachment, record: Record, offset: int) -> tuple[Material, ...]:
    """Return the picture or document of an attached file."""
    try:
        file = records.attached.decode(sent.content).file
    except msgspec.MsgspecError:
        return ()
    if file is None:
        return ()
    found = inline.from_base64(
        file.base64,
        file.type or "",
        record.uuid or str(offset),
        os.path.basename((sent.filename or "").replace("\\", "/")),
        f"{offset}:attachment.content.file",
    )
    return (found,) if found else ()


def system(tracking: Tracking, record: Record, time_ms: int) -> list[Parsed]:
    """Return the notice of a system record that says something to a person."""
    subtype = record.subtype or ""
    text = record.content or ""
    if subtype in noise.SILENT_SYSTEM:
        return []
    if subtype == "local_command":
        heard = noise.hear(text)
        text = "" if heard.said is Said.CAVEAT else heard.text
        tracking.queue.spoken(text, time_ms, typed=False)
    elif subtype in _ERRORS:
        text = text or results.error_text(record.error)
    elif subtype not in _SPOKEN:
        tracking.unknown[f"system/{subtype}"] += 1
        return []
    message = tracking.message(Kind.NOTICE, text, record, time_ms)
    message.failed = subtype in _ERRORS or subtype == "api_refusal"
    return [message] if text else []
