"""What a message is known by where the program's own record ids do not last, and a turn on its own.

Before 2.0 every resume began a new file: the history again, under new record ids and one and the
same time. The ids of API replies and tool calls last, so what belongs to one is known by it.

Around the same time (1.0.128, 2.0.10) `-p --continue` wrote its turn into a new file that says
whose it is; the next one copied that turn behind the history of the session it belongs to.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from recall_tui.model import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recall_tui.harnesses.base import Parsed
    from recall_tui.harnesses.claude.records import Record


def concerns(version: str | None) -> bool:
    """Say whether a version writes the history anew when it resumes."""
    return version is not None and version.startswith(("1.", "0."))


def continued(first: Record, native_id: str) -> str:
    """Return the session that a file's first record goes on with, empty when it begins its own."""
    goes_on = first.parentUuid and first.sessionId != native_id
    return (first.sessionId or "") if goes_on else ""


def of_reply(reply: str, found: Iterable[Parsed]) -> None:
    """Name the pieces of a reply."""
    for message in found:
        message.record = _of_call(message) or (f"{reply}/{_mark(message.text)}" if reply else "")


def of_turn(reply: str, found: Iterable[Parsed]) -> None:
    """Name results, the prompts a reply answers, and summaries: no two are alike.

    Nothing lasting is known of other texts.
    """
    for message in found:
        if message.kind is Kind.SUMMARY:
            message.record = f"summary/{_mark(message.text)}"
        elif reply and message.kind in (Kind.PROMPT, Kind.DELEGATION):
            message.record = _of_call(message) or f"{reply}<{_mark(message.text)}"
        else:
            message.record = _of_call(message)


def _of_call(message: Parsed) -> str:
    return f"{message.call}:{message.kind.word}" if message.call else ""


def _mark(text: str) -> str:
    return f"{zlib.crc32(text.encode('utf-8', 'replace')):x}"
