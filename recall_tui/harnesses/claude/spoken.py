"""Who speaks in a record that stands in the user's place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from recall_tui.harnesses.claude.noise import Said, hear

if TYPE_CHECKING:
    from recall_tui.harnesses.claude.records import Attachment, Content, Record

_HUMAN_TURNS: Final = ("human", "sdk", "unknown")
"""`turnOrigin` of a prompt; `sdk` is one given on a command line."""
_TYPED_COMMANDS: Final = (None, "prompt", "bash")
"""`commandMode` of what a person queues."""
MATERIALS: Final = ("image", "document")


def text_of(content: Content) -> str:
    """Return the text blocks of a content, each on lines of its own."""
    if isinstance(content, str):
        return content
    return "\n".join(block.text for block in content or () if block.type == "text")


def is_programs(record: Record) -> bool:
    """Say whether the record itself states that the program put the text there.

    Newer versions say who began a turn in three ways of growing age: `turnOrigin`, `origin.kind`,
    `promptSource`. The program itself takes a text for typed when the first two agree. Silence
    means a person.
    """
    if record.isMeta or record.isVisibleInTranscriptOnly or record.sourceToolUseID:
        return True
    if record.textNotTyped or record.handedOff or record.scheduledTaskId:
        return True
    origin = record.origin.kind if record.origin is not None else None
    if record.turnOrigin or origin:
        return record.turnOrigin not in (None, "", *_HUMAN_TURNS) or origin not in (None, "human")
    return record.promptSource == "system"


def is_commands(attachment: Attachment) -> bool:
    """Say whether a queued command was queued by the program."""
    if attachment.isMeta or attachment.commandMode not in _TYPED_COMMANDS:
        return True
    return attachment.origin is not None and attachment.origin.kind not in (None, "human")


def is_prompt(record: Record) -> bool:
    """Say whether a record of type `user` is a prompt of the main conversation."""
    if record.isSidechain or record.isCompactSummary or is_programs(record):
        return False
    content = record.message.content if record.message else None
    said = hear(text_of(content)).said
    if said is Said.NOTHING and isinstance(content, list):
        return any(block.type in MATERIALS for block in content)
    return said is Said.TYPED
