"""Every action a key can do, said once: for bindings, footer, help, palette and keymap file.

An action has a stable id. A keymap file maps ids to keys; it is checked when it is loaded, because
two actions on one key would silently lose one of them.
"""

from __future__ import annotations

from difflib import get_close_matches
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from textual.binding import Binding

from recall_tui.errors import ConfigError
from recall_tui.named import NamedTuple
from recall_tui.tui.key_names import is_key, is_typed, like, listed, shown

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence


class Scope(StrEnum):
    """Where a key means something."""

    EVERYWHERE = "everywhere"
    MAIN = "searching"
    BOX = "search box"
    ROWS = "any list"
    LIST = "list of sessions"
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
    minor: bool = False
    """Moving, editing, leaving: nobody looks for it in the palette, where it comes last."""


E, P, B, S = Scope.EVERYWHERE, Scope.MAIN, Scope.BOX, Scope.SESSION
R, L = Scope.ROWS, Scope.LIST
M, T, C = Scope.MATERIAL, Scope.SHEET, Scope.CONTINUE

ACTIONS: Final = (
    Action("help", E, "f1", "app.help", "Help", 7),
    Action("palette", E, "ctrl+p", "app.command_palette", "Every command", 5, minor=True),
    Action("quit", E, "ctrl+q,ctrl+c", "app.leave", "Quit", 6, priority=True),
    Action("gaps", E, "alt+g", "app.gaps", "Health: gaps and checks"),
    Action("statistics", E, "f3", "app.statistics", "Statistics"),
    Action("theme", E, "alt+t", "app.next_theme", "Light or dark"),
    Action("mode", P, "ctrl+t,alt+m", "screen.toggle_mode", "Grep or recall: exact or ranked"),
    Action("case", P, "alt+c", "screen.cycle_case", "Case: smart, exact, ignore"),
    Action("word", P, "alt+w", "screen.toggle_word", "Whole words only"),
    Action("regex", P, "alt+r", "screen.toggle_regex", "Regular expression"),
    Action("narrow", P, "alt+n", "screen.narrow", "Narrow: program, project, time"),
    Action("past", P, "ctrl+r", "screen.past_searches", "Earlier searches"),
    Action("keep", P, "alt+s", "screen.keep_search", "Keep this search, or let it go"),
    Action("order", P, "alt+o", "screen.cycle_order", "Sort: age, size, prompts, title"),
    Action("group", P, "alt+p", "screen.cycle_group", "Group: day, project, harness"),
    Action("refresh", P, "f5,alt+l", "screen.reload", "Read the list again"),
    Action("demo", E, "f2", "app.open_demo", "Demo history, and back"),
    Action("box.open", B, "enter", "screen.open", "Open", 1, priority=True, minor=True),
    Action("box.down", B, "down,ctrl+n", "move(1)", "Next", 2, minor=True),
    Action("box.up", B, "up", "move(-1)", "Previous", minor=True),
    Action("box.complete", B, "tab", "complete", "Complete a filter"),
    Action("box.page_down", B, "pagedown", "page(1)", "A page down", minor=True),
    Action("box.page_up", B, "pageup", "page(-1)", "A page up", minor=True),
    Action("box.clear", B, "escape", "peel", "Clear the query", 4, minor=True),
    Action("box.start", B, "ctrl+a,home", "home", "Start of the line", minor=True),
    Action("box.end", B, "ctrl+e,end", "end", "End of the line", minor=True),
    Action("box.back_word", B, "alt+b,ctrl+left", "cursor_left_word", "A word back", minor=True),
    Action("box.next_word", B, "alt+f,ctrl+right", "cursor_right_word", "A word on", minor=True),
    Action("box.kill", B, "ctrl+k", "delete_right_all", "Delete to the end", minor=True),
    Action("box.kill_back", B, "ctrl+u", "delete_left_all", "Delete to the start", minor=True),
    Action("box.kill_word", B, "ctrl+w", "delete_left_word", "Delete a word back", minor=True),
    Action("box.kill_next", B, "alt+d", "delete_right_word", "Delete a word on", minor=True),
    Action("list.open", R, "enter,right,l", "screen.open", "Open", 1),
    Action("list.down", R, "down,j", "move(1)", "Next", minor=True),
    Action("list.up", R, "up,k", "move(-1)", "Previous", minor=True),
    Action("list.page_down", R, "pagedown,space", "page(1)", "A page down", minor=True),
    Action("list.page_up", R, "pageup", "page(-1)", "A page up", minor=True),
    Action("list.top", R, "home,g", "edge(-1)", "First", minor=True),
    Action("list.end", R, "end,G", "edge(1)", "Last", minor=True),
    Action("list.next_group", R, "]", "group(1)", "Next day or group", minor=True),
    Action("list.last_group", R, "[", "group(-1)", "Previous day or group", minor=True),
    Action("list.copy", L, "Y", "copy_reference", "Copy the reference", 5),
    Action("list.continue", L, "c", "screen.ask('continue')", "Continue", 3),
    Action("list.repeat", L, "r", "screen.ask('repeat')", "Repeat", 4),
    Action("list.materials", L, "m", "screen.ask('materials')", "Pictures"),
    Action("list.handoff", L, "H", "screen.ask('handoff')", "Hand off"),
    Action("list.pin", L, "p", "screen.ask('pin')", "Pin"),
    Action("list.select", L, "x", "select", "Select several, for X, p, C"),
    Action("list.export", L, "X", "screen.ask('export')", "Export"),
    Action("list.copy_else", L, "C", "screen.ask('copy')", "Copy something else"),
    Action("list.folder", L, "O", "screen.ask('folder')", "Open its folder"),
    Action("list.search", L, "slash", "screen.search", "Search", 2),
    Action("list.back", L, "escape", "let_go", "Select none; back to the box", minor=True),
    Action("list.help", R, "question_mark", "app.help", "Help", minor=True),
    Action("session.down", S, "down,j", "step(1)", "Next message", minor=True),
    Action("session.up", S, "up,k", "step(-1)", "Previous message", minor=True),
    Action("session.page_down", S, "pagedown", "page(1)", "A page down", minor=True),
    Action("session.page_up", S, "pageup", "page(-1)", "A page up", minor=True),
    Action("session.top", S, "g,home", "edge(-1)", "First message", minor=True),
    Action("session.end", S, "G,end", "edge(1)", "Last message, and follow", minor=True),
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
    Action("session.help", S, "question_mark", "app.help", "Help", minor=True),
    Action("find.next", Scope.FIND, "enter,down", "next", "Next hit", 1, minor=True),
    Action("find.last", Scope.FIND, "up", "last", "Previous hit", 2, minor=True),
    Action("find.close", Scope.FIND, "escape", "close", "Close", 3, minor=True),
    Action("material.show", M, "enter,space", "show", "Read and show", 1),
    Action("material.zoom", M, "z,1", "zoom", "Fit or 1:1", 2),
    Action("material.save", M, "s", "save", "Save as", 3),
    Action("material.open", M, "o", "open", "Viewer", 4),
    Action("material.left", M, "left,h", "pan(-1,0)", "Left", minor=True),
    Action("material.right", M, "right,l", "pan(1,0)", "Right", minor=True),
    Action("material.up", M, "up,k", "pan(0,-1)", "Up", minor=True),
    Action("material.down", M, "down,j", "pan(0,1)", "Down", minor=True),
    Action("material.page_down", M, "pagedown", "page(1)", "A page down", minor=True),
    Action("material.page_up", M, "pageup", "page(-1)", "A page up", minor=True),
    Action("material.next", M, "n,tab", "step(1)", "Next of the message"),
    Action("material.last", M, "N,shift+tab", "step(-1)", "Previous of it"),
    Action("material.next_message", M, "]", "message(1)", "Of the next message"),
    Action("material.last_message", M, "[", "message(-1)", "Of the one before"),
    Action("material.copy", M, "Y", "copy_reference", "Copy the reference"),
    Action("material.close", M, "escape,q", "close", "Back", 5, minor=True),
    Action("material.help", M, "question_mark", "app.help", "Help", minor=True),
    Action("sheet.down", T, "down,j", "step(1)", "A line down", minor=True),
    Action("sheet.up", T, "up,k", "step(-1)", "A line up", minor=True),
    Action("sheet.page_down", T, "pagedown,space", "page(1)", "A page down", minor=True),
    Action("sheet.page_up", T, "pageup", "page(-1)", "A page up", minor=True),
    Action("sheet.top", T, "home,g", "edge(-1)", "Start", minor=True),
    Action("sheet.end", T, "end,G", "edge(1)", "End", minor=True),
    Action("sheet.close", T, "escape,q", "close", "Back", 1, minor=True),
    Action("sheet.help", T, "question_mark", "app.help", "Help", minor=True),
    Action("continue.resume", C, "enter", "resume", "Resume here", 1),
    Action("continue.fork", C, "f", "fork", "Fork", 2),
    Action("continue.copy", C, "y", "copy", "Copy the command", 3),
    Action("continue.handoff", C, "H", "handoff", "Hand off", 4),
    Action("continue.elsewhere", C, "d", "elsewhere", "Another directory"),
    *(
        Action(f"continue.offer{n}", C, str(n), f"offer({n})", f"Directory {n}", minor=True)
        for n in range(1, 6)
    ),
    Action("repeat.fill", Scope.REPEAT, "enter", "fill", "Fresh inputs", 1),
    Action("repeat.copy", Scope.REPEAT, "y", "copy", "Copy them", 2),
    Action("repeat.save", Scope.REPEAT, "s", "save", "Save as", 3),
    Action("repeat.start", Scope.REPEAT, "x", "start", "Start", 4),
    Action("skill.save", Scope.SKILL, "s,enter", "save", "Write it", 1),
    Action("skill.proof", Scope.SKILL, "p", "proof", "Provenance", 2),
    Action("skill.rename", Scope.SKILL, "n", "rename", "Name", 3),
    Action("skill.copy", Scope.SKILL, "y", "copy", "Copy it", 4),
    Action("handoff.start", Scope.HANDOFF, "enter,x", "start", "Hand it over", 1),
    Action("handoff.copy", Scope.HANDOFF, "y", "copy", "Copy the page", 2),
    Action("handoff.save", Scope.HANDOFF, "s", "save", "Save as", 3),
    *(
        Action(f"handoff.{n}", Scope.HANDOFF, str(n), f"target({n})", f"Program {n}", minor=True)
        for n in range(1, 7)
    ),
    Action("stats.next", Scope.STATS, "tab,l", "turn(1)", "By something else", 1),
    Action("stats.last", Scope.STATS, "shift+tab,h", "turn(-1)", "By the last one"),
    Action("stats.close", Scope.STATS, "escape,q", "close", "Back", 2, minor=True),
    Action("stats.help", Scope.STATS, "question_mark", "app.help", "Help", minor=True),
    Action("pick.open", Scope.PICK, "enter", "screen.open", "Go there", 1),
    Action("pick.close", Scope.PICK, "escape,q", "close", "Back", 2, minor=True),
    Action("notes.remove", Scope.NOTES, "d,delete", "remove", "Remove it", 1),
    Action("choice.down", Scope.CHOICE, "down,tab", "step(1)", "Next", minor=True),
    Action("choice.up", Scope.CHOICE, "up,shift+tab", "step(-1)", "Previous", minor=True),
    Action("choice.take", Scope.CHOICE, "enter", "take", "Take it"),
    Action("choice.close", Scope.CHOICE, "escape", "close", "Leave", minor=True),
    Action("ask.close", Scope.ASK, "escape", "close", "Leave", minor=True),
    Action("gaps.do", Scope.HEALTH, "enter", "screen.open", "Do it", 1),
    Action("gaps.copy", Scope.HEALTH, "y", "copy_action", "Copy it", 2),
    Action("gaps.file", Scope.HEALTH, "v", "file", "Open its file", 3),
    Action("gaps.again", Scope.HEALTH, "r", "again", "Look again", 4),
    Action("gaps.close", Scope.HEALTH, "escape,q", "close", "Back", 5, minor=True),
)  # fmt: skip

BY_ID: Final = {action.id: action for action in ACTIONS}

_TOGETHER: Final = (
    {Scope.MAIN, Scope.BOX}, {Scope.MAIN, Scope.FIND}, {Scope.MAIN, Scope.SESSION},
    {Scope.MAIN, Scope.ROWS, Scope.LIST}, {Scope.ROWS, Scope.HEALTH},
    {Scope.ROWS, Scope.PICK, Scope.NOTES},
    *({Scope.SHEET, one} for one in (Scope.CONTINUE, Scope.REPEAT, Scope.SKILL, Scope.HANDOFF)),
)  # fmt: skip
"""Scopes that hold at one time; `EVERYWHERE` holds beside each, and each beside itself."""

_TYPED_IN: Final = frozenset({Scope.BOX, Scope.FIND, Scope.ASK, Scope.CHOICE})
"""Scopes of a box, which takes every letter for its own."""


class Keymap:
    """The keys in force: the defaults, with a person's own over them.

    Args:
        own: Action id -> keys separated by commas.
        named: What the person calls them: the path of their file.

    Raises:
        ConfigError: An unknown id or key, no key at all, a letter where letters are typed, or two
            actions on one key.
    """

    def __init__(self, own: Mapping[str, str] | None = None, named: str = "keymap") -> None:
        self._named = named
        self._own = {name: listed(keys) for name, keys in (own or {}).items()}
        for name, keys in self._own.items():
            self._check(name, keys)
        if self._own:
            self._check_clashes()

    @property
    def own(self) -> dict[str, str]:
        """The person's own keys, as Textual takes them."""
        return {name: ",".join(keys) for name, keys in self._own.items()}

    def keys(self, action_id: str) -> list[str]:
        """Return the keys of an action, the one to show first."""
        return self._own.get(action_id) or listed(BY_ID[action_id].keys)

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

    def _check(self, name: str, keys: Sequence[str]) -> None:
        """Refuse what would never do anything."""
        if name not in BY_ID:
            near = get_close_matches(name, BY_ID, 1)
            hint = f"did you mean {near[0]!r}?" if near else ""
            raise ConfigError(f"{self._named}: no action {name!r}", hint)
        if not keys:
            raise ConfigError(f"{self._named}: {name!r} has no key")
        for key in keys:
            if not is_key(key):
                near_key = like(key)
                hint = f"did you mean {near_key!r}?" if near_key else "such as ctrl+o, f9, x or /"
                raise ConfigError(f"{self._named}: there is no key {key!r} for {name!r}", hint)
            if BY_ID[name].scope in _TYPED_IN and is_typed(key):
                raise ConfigError(
                    f"{self._named}: {name!r} cannot be {shown(key)}: there it is typed",
                    "take a key with ctrl or alt, or one such as f9",
                )

    def _check_clashes(self) -> None:
        """Refuse two actions on one key where both hold: one would be lost without a word."""
        taken: dict[str, list[Action]] = {}
        for action in ACTIONS:
            for key in self.keys(action.id):
                for other in taken.setdefault(key, []):
                    if action.action != other.action and _together(action.scope, other.scope):
                        words = (
                            f"{self._named}: {shown(key)} is both {other.id!r} and {action.id!r}"
                        )
                        raise ConfigError(words, "give one of them another key")
                taken[key].append(action)


def _together(one: Scope, other: Scope) -> bool:
    """Return whether keys of two scopes are in force at one time."""
    both = {one, other}
    return len(both) == 1 or Scope.EVERYWHERE in both or any(both <= held for held in _TOGETHER)


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
