"""What a tool call did, whichever program made it: ran a command, touched a file, wrote a plan.

Read from what the harnesses agree on: the tool's name, and the projection of its arguments (Q5)
with the command or the path first. A tool nobody knows is `OTHER`.
"""

from __future__ import annotations

import ntpath
import posixpath
import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from recall_tui.model import Flag
from recall_tui.text.marks import shown

if TYPE_CHECKING:
    from recall_tui.model import Message


class Doing(Enum):
    """The kinds of act playbooks tell apart."""

    RUN = "run"
    EDIT = "edit"
    READ = "read"
    PLAN = "plan"
    AGENT = "agent"
    OTHER = "other"


_TOOLS: Final = {
    Doing.RUN: (
        "bash shell shell_command exec_command powershell run_shell_command run_command "
        "container.exec local_shell execute_command terminal !"
    ),
    Doing.EDIT: (
        "edit multiedit write notebookedit apply_patch create create_file str_replace write_file "
        "replace edit_file patch str_replace_editor str_replace_based_edit_tool"
    ),
    Doing.READ: "read view read_file view_image read_many_files open_file notebookread",
    Doing.PLAN: "todowrite todo_write update_plan write_todos",
    Doing.AGENT: "agent task spawn_agent invoke_agent",
}
_DOING: Final = {name: doing for doing, names in _TOOLS.items() for name in names.split()}

PATCHED: Final = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$", re.MULTILINE)
"""The lines of a patch that name a file."""

PATH_CHARS: Final = 1024
"""A longer line is no path."""

_DESCRIPTION: Final = re.compile(r"[A-Z][\w'’]*(?: [\w'’.,:/()+&#>→—-]+){1,24}\.?\Z")
"""The line some programs add to a command, for a person: words, the first with a capital."""

_FOLDER: Final = re.compile(r"(?:/|~/|\.{1,2}(?:/|\Z)|[A-Za-z]:[\\/])[^\n;|&<>$`*?]*\Z")

DONE: Final = frozenset({"completed", "done", "cancelled", "canceled", "deleted"})
_STATUS: Final = DONE | {"pending", "in_progress", "todo", "blocked", "in-progress", "open"}


@dataclass(slots=True, frozen=True)
class Act:
    """A tool call with what came back."""

    call: Message
    result: Message | None
    """None: nothing came back."""

    @property
    def doing(self) -> Doing:
        """What kind of act it is."""
        return doing(self.call)

    @property
    def failed(self) -> bool:
        """Whether what came back says that it failed."""
        return self.result is not None and bool(self.result.flags & Flag.FAILED)


@dataclass(slots=True, frozen=True)
class Item:
    """One line of a plan an agent wrote."""

    text: str
    status: str
    """As the program wrote it: `pending`, `in_progress`, `completed`, ..."""

    @property
    def open(self) -> bool:
        """Whether it is still to be done."""
        return self.status not in DONE


def doing(call: Message) -> Doing:
    """Return what kind of act a tool call is."""
    return _DOING.get(call.tool.lower(), Doing.OTHER)


def projection(call: Message) -> str:
    """Return the part of a call's arguments that every program has (Q5), as marked text."""
    return (call.text if call.horizon < 0 else call.text[: call.horizon]).rstrip("\n")


def command(call: Message) -> str:
    """Return the command line of a `RUN` call, without the words and folder some programs add.

    Marked text, so that a secret in it is still known as one.
    """
    lines = projection(call).split("\n")
    while len(lines) > 1 and (
        not lines[-1].strip() or _DESCRIPTION.match(lines[-1]) or _FOLDER.match(lines[-1])
    ):
        lines.pop()
    return "\n".join(lines).strip()


def touched(call: Message, cwd: str) -> tuple[str, ...]:
    """Return the files an `EDIT`, `READ` or patching `RUN` call names, absolute where `cwd` is.

    Patches name every file they change; other tools name one.
    """
    kind = doing(call)
    if kind not in (Doing.EDIT, Doing.READ, Doing.RUN):
        return ()
    names = PATCHED.findall(call.text)
    if not names and kind is not Doing.RUN:
        names = projection(call).split("\n")[:1]
    found = (_absolute(name.strip(), cwd) for name in names)
    return tuple(dict.fromkeys(path for path in found if path))


def _absolute(name: str, cwd: str) -> str:
    """Return a path in one spelling: without `..`, below `cwd` when it is relative."""
    if not name or len(name) > PATH_CHARS or "\ufdd0" in name or "://" in name:
        return ""
    if ntpath.splitdrive(name)[0] or (ntpath.splitdrive(cwd)[0] and not name.startswith("/")):
        return ntpath.normpath(ntpath.join(cwd, name)).replace("\\", "/")
    return posixpath.normpath(posixpath.join(cwd, name))


def relative(path: str, folder: str) -> str:
    """Return a path as seen from a folder when it lies below it, else as it is."""
    folder = folder.replace("\\", "/").rstrip("/") if ntpath.splitdrive(folder)[0] else folder
    lead = folder.rstrip("/") + "/"
    return path[len(lead) :] if folder and path.startswith(lead) else path


def plan(call: Message) -> tuple[Item, ...]:
    """Return the items of a `PLAN` call, in order.

    Programs write each item as text and status, with other fields around; the text stands right
    before the status, or right behind it when the list begins with a status.
    """
    lines = [line.strip() for line in shown(call.text).split("\n") if line.strip()]
    places = [at for at, line in enumerate(lines) if line in _STATUS]
    step = 1 if places[:1] == [0] else -1
    return tuple(Item(lines[at + step], lines[at]) for at in places if 0 <= at + step < len(lines))
