"""What of a session and its message can be copied or opened: the choices."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final

from recall_tui.playbooks.acts import touched
from recall_tui.playbooks.programs import Command
from recall_tui.text.marks import shown
from recall_tui.tui.screens.choose import Choice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recall_tui.harnesses.base import ResumeCommand
    from recall_tui.model import Message, Session

_BLOCK: Final = re.compile(
    r"^([ \t]*)(`{3,}|~{3,})[^\n]*\n(.*?)\n\1\2[ \t]*$", re.MULTILINE | re.DOTALL
)
_BLOCKS: Final = 9


def choices(
    session: Session, message: Message | None, resume: ResumeCommand | None
) -> list[Choice]:
    """Return what can be copied, the message first.

    Args:
        session: The session.
        message: The message that is looked at.
        resume: How the session's own program goes on with it.
    """
    found: list[Choice] = []
    if message is not None:
        text = shown(message.text)
        found.append(Choice("m", "Message", _first(text), text))
        for number, block in enumerate(blocks(text)[:_BLOCKS], 1):
            found.append(Choice(str(number), f"Block {number}", _first(block), block))
        found.append(Choice("r", "Reference", str(message.reference), str(message.reference)))
    if resume is not None:
        line = Command(resume.argv, resume.cwd).line
        found.append(Choice("c", "Resume command", line, line))
    facts = (
        ("i", "Session id", session.native_id),
        ("k", "Session key", session.key),
        ("p", "Path of its source", session.path),
        ("d", "Directory", session.last_cwd or session.cwd),
        ("t", "Title", session.title),
    )
    return [*found, *(Choice(key, words, value, value) for key, words, value in facts if value)]


def choices_of_many(
    sessions: Sequence[Session], resumed: Sequence[ResumeCommand | None]
) -> list[Choice]:
    """Return what can be copied of several sessions, one a line.

    Args:
        sessions: Which.
        resumed: How the program of each goes on with it.
    """
    commands = [Command(one.argv, one.cwd).line for one in resumed if one is not None]
    lines = (
        ("k", "Session keys", [session.key for session in sessions]),
        ("i", "Session ids", [session.native_id for session in sessions]),
        ("t", "Titles", [session.title or "untitled" for session in sessions]),
        ("p", "Paths of their sources", [session.path for session in sessions]),
        ("c", "Resume commands", commands),
    )
    return [
        Choice(key, words, f"{held[0]} …", "\n".join(held)) for key, words, held in lines if held
    ]


def blocks(text: str) -> list[str]:
    """Return the fenced blocks of a Markdown text."""
    return [match[3] for match in _BLOCK.finditer(text)]


def files_of(session: Session, message: Message | None) -> list[str]:
    """Return the files a message's tool call names that are there now."""
    if message is None:
        return []
    named = touched(message, session.last_cwd or session.cwd)
    return [path for path in named if os.path.isabs(path) and os.path.isfile(path)][:9]


def _first(text: str) -> str:
    return next((row.strip() for row in text.split("\n") if row.strip()), "")[:200]
