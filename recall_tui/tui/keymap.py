"""Every action a key can do, said once: for bindings, footer, help, palette and keymap file.

An action has a stable id. A keymap file maps ids to keys; it is checked when it is loaded, because
two actions on one key would silently lose one of them.
"""

from __future__ import annotations

from difflib import get_close_matches
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from textual.binding import Binding

from recall_tui.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping


class Scope(StrEnum):
    """Where a key means something. Keys of `EVERYWHERE` may not be used by another scope."""

    EVERYWHERE = "everywhere"
    BOX = "search box"
    LIST = "list"
    SESSION = "session"
    FIND = "find box"
    HEALTH = "health"
    MATERIAL = "pictures and files"
    ASK = "question"
    SHEET = "text"
    CONTINUE = "continue"
    REPEAT = "repeat"
    SKILL = "skill"
    HANDOFF = "hand off"
    STATS = "statistics"
    PICK = "jump list"
    NOTES = "list of notes"
    CHOICE = "choice"


class Action(NamedTuple):
    """One thing a person can do."""

    id: str
    scope: Scope
    keys: str
    """Keys separated by commas; the first is the one shown."""
    action: str
    """Textual action, resolved on the widget or screen that binds the scope."""
    words: str
    """What it does: footer, palette and help."""
    footer: int = 0
    """Place in the footer of its scope, 0 for none; at most six are shown, help among them."""
    priority: bool = False
    palette: bool = True


E, B, L, S = Scope.EVERYWHERE, Scope.BOX, Scope.LIST, Scope.SESSION
M, T, C = Scope.MATERIAL, Scope.SHEET, Scope.CONTINUE

ACTIONS: Final = (
    Action("help", E, "f1", "app.help", "Help", 6),
    Action("palette", E, "ctrl+p", "app.command_palette", "Every command", 5, palette=False),
    Action("quit", E, "ctrl+q,ctrl+c", "app.leave", "Quit", priority=True),
    Action("gaps", E, "alt+g", "screen.gaps", "Health: gaps and checks"),
    Action("statistics", E, "f3", "app.statistics", "Statistics"),
    Action("theme", E, "alt+t", "app.next_theme", "Light or dark"),
    Action("mode", E, "ctrl+t,alt+m", "screen.toggle_mode", "Grep or recall: exact or ranked"),
    Action("case", E, "alt+c", "screen.cycle_case", "Case: smart, exact, ignore"),
    Action("word", E, "alt+w", "screen.toggle_word", "Whole words only"),
    Action("regex", E, "alt+r", "screen.toggle_regex", "Regular expression"),
    Action("narrow", E, "alt+n", "screen.narrow", "Narrow: program, project, time"),
    Action("past", E, "ctrl+r", "screen.past_searches", "Earlier searches"),
    Action("keep", E, "alt+s", "screen.keep_search", "Keep this search, or let it go"),
    Action("order", E, "alt+o", "screen.cycle_order", "Sort: age, size, prompts, title"),
    Action("group", E, "alt+p", "screen.cycle_group", "Group: day, project, harness"),
    Action("refresh", E, "f5,alt+l", "screen.reload", "Read the list again"),
    Action("demo", E, "f2", "app.open_demo", "Open the demo history"),
    Action("box.open", B, "enter", "screen.open", "Open", 1, priority=True, palette=False),
    Action("box.down", B, "down,ctrl+n", "move(1)", "Next", 2, palette=False),
    Action("box.up", B, "up", "move(-1)", "Previous", palette=False),
    Action("box.complete", B, "tab", "complete", "Complete a filter", palette=False),
    Action("box.page_down", B, "pagedown", "page(1)", "A page down", palette=False),
    Action("box.page_up", B, "pageup", "page(-1)", "A page up", palette=False),
    Action("box.clear", B, "escape", "peel", "Clear the query", 4, palette=False),
    Action("box.start", B, "ctrl+a,home", "home", "Start of the line", palette=False),
    Action("box.end", B, "ctrl+e,end", "end", "End of the line", palette=False),
    Action("box.back_word", B, "alt+b,ctrl+left", "cursor_left_word", "A word back", palette=False),
    Action("box.next_word", B, "alt+f,ctrl+right", "cursor_right_word", "A word on", palette=False),
    Action("box.kill", B, "ctrl+k", "delete_right_all", "Delete to the end", palette=False),
    Action("box.kill_back", B, "ctrl+u", "delete_left_all", "Delete to the start", palette=False),
    Action("box.kill_word", B, "ctrl+w", "delete_left_word", "Delete a word back", palette=False),
    Action("box.kill_next", B, "alt+d", "delete_right_word", "Delete a word on", palette=False),
    Action("list.open", L, "enter,right,l", "screen.open", "Open", 1),
    Action("list.down", L, "down,j", "move(1)", "Next", palette=False),
    Action("list.up", L, "up,k", "move(-1)", "Previous", palette=False),
    Action("list.page_down", L, "pagedown,space", "page(1)", "A page down", palette=False),
    Action("list.page_up", L, "pageup", "page(-1)", "A page up", palette=False),
    Action("list.top", L, "home,g", "edge(-1)", "First", palette=False),
    Action("list.end", L, "end,G", "edge(1)", "Last", palette=False),
    Action("list.next_group", L, "]", "group(1)", "Next day or group", palette=False),
    Action("list.last_group", L, "[", "group(-1)", "Previous day or group", palette=False),
    Action("list.copy", L, "Y", "copy_reference", "Copy the reference", 5),
    Action("list.continue", L, "c", "screen.ask('continue')", "Continue", 3, palette=False),
    Action("list.repeat", L, "r", "screen.ask('repeat')", "Repeat", 4, palette=False),
    Action("list.materials", L, "m", "screen.ask('materials')", "Pictures", palette=False),
    Action("list.handoff", L, "H", "screen.ask('handoff')", "Hand off", palette=False),
    Action("list.pin", L, "p", "screen.ask('pin')", "Pin", palette=False),
    Action("list.select", L, "x", "select", "Select several, for X, p, C", palette=False),
    Action("list.export", L, "X", "screen.ask('export')", "Export", palette=False),
    Action("list.copy_else", L, "C", "screen.ask('copy')", "Copy something else", palette=False),
    Action("list.folder", L, "O", "screen.ask('folder')", "Open its folder", palette=False),
    Action("list.search", L, "slash", "screen.search", "Search", 2),
    Action("list.back", L, "escape", "let_go", "Select none; back to the box", palette=False),
    Action("list.help", L, "question_mark", "app.help", "Help", palette=False),
    Action("session.down", S, "down,j", "step(1)", "Next message", palette=False),
    Action("session.up", S, "up,k", "step(-1)", "Previous message", palette=False),
    Action("session.page_down", S, "pagedown", "page(1)", "A page down", palette=False),
    Action("session.page_up", S, "pageup", "page(-1)", "A page up", palette=False),
    Action("session.top", S, "g,home", "edge(-1)", "First message", palette=False),
    Action("session.end", S, "G,end", "edge(1)", "Last message, and follow", palette=False),
    Action("session.next_hit", S, "n", "hit(1)", "Next hit", 2),
    Action("session.last_hit", S, "N", "hit(-1)", "Previous hit"),
    Action("session.next_prompt", S, "],J", "prompt(1)", "Next prompt", 3),
    Action("session.last_prompt", S, "[,K", "prompt(-1)", "Previous prompt"),
    Action("session.next_failure", S, "e", "failure(1)", "Next failure"),
    Action("session.last_failure", S, "E", "failure(-1)", "Previous failure"),
    Action("session.next_file", S, "f", "ask('next_file')", "Next file"),
    Action("session.last_file", S, "F", "ask('last_file')", "Previous file"),
    Action("session.unfold", S, "enter,space", "unfold", "Unfold", 1),
    Action("session.unfold_all", S, "z", "unfold_all", "Unfold or fold everything"),
    Action("session.find", S, "slash", "screen.find", "Find inside", 4),
    Action("session.copy", S, "y", "copy_message", "Copy the message"),
    Action("session.copy_reference", S, "Y", "copy_reference", "Copy the reference"),
    Action("session.solo", S, "o", "screen.solo", "Session on the whole screen"),
    Action("session.materials", S, "m", "ask('materials')", "Pictures and files", 6),
    Action("session.continue", S, "c", "ask('continue')", "Continue this session"),
    Action("session.repeat", S, "r", "ask('repeat')", "Repeat its prompts"),
    Action("session.skill", S, "s", "ask('skill')", "Make a skill of it"),
    Action("session.handoff", S, "H", "ask('handoff')", "Hand off to another program"),
    Action("session.outline", S, "l", "ask('outline')", "List of prompts"),
    Action("session.time", S, "t", "ask('time')", "Go to a time"),
    Action("session.more", S, "plus", "level(1)", "More of every tool's output"),
    Action("session.less", S, "minus", "level(-1)", "Less of every tool's output"),
    Action("session.family", S, "a", "ask('family')", "Subagents, forks and copies"),
    Action("session.parent", S, "u", "ask('parent')", "Up to the main session"),
    Action("session.pin", S, "p", "ask('pin')", "Pin the session, or take the pin off"),
    Action("session.note", S, "i", "ask('note')", "Write a note here"),
    Action("session.notes", S, "I", "ask('notes')", "List of notes"),
    Action("session.copy_else", S, "C", "ask('copy')", "Copy something else"),
    Action("session.export", S, "X", "ask('export')", "Export it to a file"),
    Action("session.folder", S, "O", "ask('folder')", "Open its folder"),
    Action("session.editor", S, "v", "ask('editor')", "Open its source in your editor"),
    Action("session.close", S, "escape,left,h", "screen.close_session", "Back", 5),
    Action("session.help", S, "question_mark", "app.help", "Help", palette=False),
    Action("find.next", Scope.FIND, "enter,down", "next", "Next hit", 1, palette=False),
    Action("find.last", Scope.FIND, "up", "last", "Previous hit", 2, palette=False),
    Action("find.close", Scope.FIND, "escape", "close", "Close", 3, palette=False),
    Action("material.show", M, "enter,space", "show", "Read and show", 1, palette=False),
    Action("material.zoom", M, "z,1", "zoom", "Fit or 1:1", 2, palette=False),
    Action("material.save", M, "s", "save", "Save as", 3, palette=False),
    Action("material.open", M, "o", "open", "Viewer", 4, palette=False),
    Action("material.left", M, "left,h", "pan(-1,0)", "Left", palette=False),
    Action("material.right", M, "right,l", "pan(1,0)", "Right", palette=False),
    Action("material.up", M, "up,k", "pan(0,-1)", "Up", palette=False),
    Action("material.down", M, "down,j", "pan(0,1)", "Down", palette=False),
    Action("material.page_down", M, "pagedown", "page(1)", "A page down", palette=False),
    Action("material.page_up", M, "pageup", "page(-1)", "A page up", palette=False),
    Action("material.next", M, "n,tab", "step(1)", "Next of the message", palette=False),
    Action("material.last", M, "N,shift+tab", "step(-1)", "Previous of it", palette=False),
    Action("material.next_message", M, "]", "message(1)", "Of the next message", palette=False),
    Action("material.last_message", M, "[", "message(-1)", "Of the one before", palette=False),
    Action("material.copy", M, "Y", "copy_reference", "Copy the reference", palette=False),
    Action("material.close", M, "escape,q", "close", "Back", 5, palette=False),
    Action("material.help", M, "question_mark", "app.help", "Help", palette=False),
    Action("sheet.down", T, "down,j", "step(1)", "A line down", palette=False),
    Action("sheet.up", T, "up,k", "step(-1)", "A line up", palette=False),
    Action("sheet.page_down", T, "pagedown,space", "page(1)", "A page down", palette=False),
    Action("sheet.page_up", T, "pageup", "page(-1)", "A page up", palette=False),
    Action("sheet.top", T, "home,g", "edge(-1)", "Start", palette=False),
    Action("sheet.end", T, "end,G", "edge(1)", "End", palette=False),
    Action("sheet.close", T, "escape,q", "close", "Back", 1, palette=False),
    Action("sheet.help", T, "question_mark", "app.help", "Help", palette=False),
    Action("continue.resume", C, "enter", "resume", "Resume here", 1, palette=False),
    Action("continue.fork", C, "f", "fork", "Fork", 2, palette=False),
    Action("continue.copy", C, "y", "copy", "Copy the command", 3, palette=False),
    Action("continue.handoff", C, "H", "handoff", "Hand off", 4, palette=False),
    *(
        Action(f"continue.offer{n}", C, str(n), f"offer({n})", f"Directory {n}", palette=False)
        for n in range(1, 6)
    ),
    Action("repeat.fill", Scope.REPEAT, "enter", "fill", "Fresh inputs", 1, palette=False),
    Action("repeat.copy", Scope.REPEAT, "y", "copy", "Copy them", 2, palette=False),
    Action("repeat.save", Scope.REPEAT, "s", "save", "Save as", 3, palette=False),
    Action("repeat.start", Scope.REPEAT, "x", "start", "Start", 4, palette=False),
    Action("skill.save", Scope.SKILL, "s,enter", "save", "Write it", 1, palette=False),
    Action("skill.proof", Scope.SKILL, "p", "proof", "Provenance", 2, palette=False),
    Action("skill.rename", Scope.SKILL, "n", "rename", "Name", 3, palette=False),
    Action("skill.copy", Scope.SKILL, "y", "copy", "Copy it", 4, palette=False),
    Action("handoff.start", Scope.HANDOFF, "enter,x", "start", "Hand it over", 1, palette=False),
    Action("handoff.copy", Scope.HANDOFF, "y", "copy", "Copy the page", 2, palette=False),
    Action("handoff.save", Scope.HANDOFF, "s", "save", "Save as", 3, palette=False),
    *(
        Action(f"handoff.{n}", Scope.HANDOFF, str(n), f"target({n})", f"Program {n}", palette=False)
        for n in range(1, 7)
    ),
    Action("stats.next", Scope.STATS, "tab,l", "turn(1)", "By something else", 1, palette=False),
    Action("stats.last", Scope.STATS, "shift+tab,h", "turn(-1)", "By the last one", palette=False),
    Action("stats.close", Scope.STATS, "escape,q", "close", "Back", 2, palette=False),
    Action("stats.help", Scope.STATS, "question_mark", "app.help", "Help", palette=False),
    Action("pick.open", Scope.PICK, "enter", "open", "Go there", 1, palette=False),
    Action("pick.close", Scope.PICK, "escape,q", "close", "Back", 2, palette=False),
    Action("notes.remove", Scope.NOTES, "d,delete", "remove", "Remove it", 1, palette=False),
    Action("choice.down", Scope.CHOICE, "down,tab", "step(1)", "Next", palette=False),
    Action("choice.up", Scope.CHOICE, "up,shift+tab", "step(-1)", "Previous", palette=False),
    Action("choice.take", Scope.CHOICE, "enter", "take", "Take it", palette=False),
    Action("choice.close", Scope.CHOICE, "escape", "close", "Leave", palette=False),
    Action("ask.close", Scope.ASK, "escape", "close", "Leave", palette=False),
    Action("gaps.copy", Scope.HEALTH, "y", "copy_action", "Copy the next step", 1, palette=False),
    Action("gaps.file", Scope.HEALTH, "v", "file", "Open its file", 2, palette=False),
    Action("gaps.again", Scope.HEALTH, "r", "again", "Look again", 3, palette=False),
    Action("gaps.close", Scope.HEALTH, "escape,q", "close", "Close", 4, palette=False),
)  # fmt: skip

BY_ID: Final = {action.id: action for action in ACTIONS}

_SHOWN: Final = {
    "plus": "+", "minus": "-",
    "enter": "⏎", "escape": "esc", "space": "space", "down": "↓", "up": "↑", "left": "←",
    "right": "→", "pagedown": "pgdn", "pageup": "pgup", "slash": "/", "question_mark": "?",
}  # fmt: skip


class Keymap:
    """The keys in force: the defaults, with a person's own over them.

    Args:
        own: Action id -> keys separated by commas.

    Raises:
        ConfigError: An unknown id, no key at all, or two actions on one key.
    """

    def __init__(self, own: Mapping[str, str] | None = None) -> None:
        self.own = {name: _normal(keys) for name, keys in (own or {}).items()}
        for name, keys in self.own.items():
            if name not in BY_ID:
                near = get_close_matches(name, BY_ID, 1)
                raise ConfigError(
                    f"keymap: no action {name!r}", f"did you mean {near[0]!r}?" if near else ""
                )
            if not keys:
                raise ConfigError(f"keymap: {name!r} has no key")
        self._check_clashes()

    def keys(self, action_id: str) -> list[str]:
        """Return the keys of an action, the one to show first."""
        return self.own.get(action_id, _normal(BY_ID[action_id].keys)).split(",")

    def everything(self) -> list[str]:
        """Return every key in force."""
        return [key for action in ACTIONS for key in self.keys(action.id)]

    def shown(self, action_id: str) -> str:
        """Return the key to show for an action, as a person reads it."""
        return shown(self.keys(action_id)[0])

    def footer(self, *scopes: Scope, idle: Container[str] = ()) -> list[Action]:
        """Return at most six actions for the footer where these scopes hold, help last.

        Args:
            scopes: The first is where the focus is.
            idle: Ids of actions that would do nothing now.
        """
        footers = [a for a in ACTIONS if a.footer and a.id not in idle]
        everywhere = [a for a in footers if a.scope == Scope.EVERYWHERE]
        of_scopes = [a for a in footers if a.scope in scopes]
        first = sorted(of_scopes, key=lambda a: (scopes.index(a.scope), a.footer))
        *others, helping = sorted(everywhere, key=lambda a: a.footer)
        return [*[*first, *others][:5], helping]

    def _check_clashes(self) -> None:
        taken: dict[tuple[Scope, str], str] = {}
        for action in ACTIONS:
            for key in self.keys(action.id):
                if (other := taken.setdefault((action.scope, key), action.id)) != action.id:
                    raise ConfigError(f"keymap: {shown(key)} is both {other!r} and {action.id!r}")
        for (scope, key), name in taken.items():
            everywhere = taken.get((Scope.EVERYWHERE, key))
            if scope != Scope.EVERYWHERE and everywhere:
                raise ConfigError(f"keymap: {shown(key)} is both {everywhere!r} and {name!r}")


def _normal(keys: str) -> str:
    return ",".join(key.strip() for key in keys.split(",") if key.strip())


def shown(key: str) -> str:
    """Return a key as a person reads it: `⏎`, `/`, `alt+g`."""
    *modifiers, name = key.split("+")
    return "+".join([*modifiers, _SHOWN.get(name, name)])


def bindings(*scopes: Scope) -> Iterable[Binding]:
    """Return the default bindings of scopes, for a `BINDINGS` class attribute."""
    return [
        Binding(
            action.keys, action.action, action.words, show=bool(action.footer), id=action.id,
            priority=action.priority,
        )
        for action in ACTIONS
        if action.scope in scopes
    ]  # fmt: skip
