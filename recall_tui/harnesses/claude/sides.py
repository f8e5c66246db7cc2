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

_FILES: Final = ("edited_text_file", "file", "directory", "plan_file_reference")
_NOTICES: Final = ("goal_status", "hook_blocking_error")
_ERRORS: Final = ("api_error", "error")
_SPOKEN: Final = ("api_refusal", "away_summary", "informational", "model_refusal_fallback")


def attachment(tracking: Tracking, record: Record, time_ms: int, offset: int) -> list[Parsed]:
    """Return the message of an attachment that holds content: a file, a notice."""
    sent = record.attachment
    if sent is None or sent.type in noise.SILENT_ATTACHMENTS:
        return []
    if sent.type in _FILES:
        message = tracking.message(Kind.INJECTED, sent.filename or "", record, time_ms)
        parts = (sent.snippet, sent.planContent, *results.raw_leaves(sent.content))
        message.rest = "\n".join(part for part in parts if part and part != sent.filename)
        message.materials = _picture(sent, record, offset)
        return [message] if message.text or message.rest or message.materials else []
    if sent.type in _NOTICES:
        fields = (sent.content, sent.blockingError)
        text = "\n".join(leaf for field in fields for leaf in results.raw_leaves(field))
        message = tracking.message(Kind.NOTICE, text, record, time_ms)
        message.failed = sent.type == "hook_blocking_error"
        return [message] if text else []
    tracking.unknown[f"attachment/{sent.type}"] += 1
    return []


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
