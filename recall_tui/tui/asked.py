"""What a person wants done with a session or a message of it: one message, from any widget."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from textual.message import Message as Event

if TYPE_CHECKING:
    from recall_tui.model import Session


class Deed(StrEnum):
    """The things that can be done, as the key table names them: `ask('materials')`."""

    MATERIALS = "materials"
    CONTINUE = "continue"
    REPEAT = "repeat"
    SKILL = "skill"
    HANDOFF = "handoff"
    OUTLINE = "outline"
    NOTES = "notes"
    NEXT_FILE = "next_file"
    LAST_FILE = "last_file"
    FAMILY = "family"
    PARENT = "parent"
    TIME = "time"
    PIN = "pin"
    NOTE = "note"
    COPY = "copy"
    FOLDER = "folder"
    EDITOR = "editor"
    EXPORT = "export"


OF_MANY: Final = frozenset({Deed.PIN, Deed.COPY, Deed.EXPORT})
"""What is done with all selected sessions at once; the rest is about the one under the cursor."""


@dataclass
class Asked(Event):
    """Something is to be done with a session; the app does it."""

    deed: Deed
    session: Session
    position: int = -1
    """The message that is looked at, -1 for none in particular."""


@dataclass
class AskedOfMany(Event):
    """Something is to be done with several sessions; the app does it."""

    deed: Deed
    sessions: list[Session]
