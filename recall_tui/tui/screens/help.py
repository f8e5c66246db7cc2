"""Every key in force, those of the place one is in first, from the table of the bindings."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from rich.cells import cell_len
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.screen import ModalScreen

from recall_tui.harnesses import registry
from recall_tui.search.filters import FIELDS
from recall_tui.tui.frame import PROSE_CELLS
from recall_tui.tui.ink import Inked
from recall_tui.tui.keymap import ACTIONS, Keymap, Scope, shown
from recall_tui.tui.lines import Line, pad, wrap
from recall_tui.tui.screens.leaving import LeftOnce

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.strip import Strip

_KEYS_CELLS: Final = 16
_COLUMN_CELLS: Final = 48
_SIGN_CELLS: Final = 10
_ABOUT: Final = (
    "Type to search everything you and your agents ever said and did, in any script, down to "
    "single letters. What could not be searched is named in the line below the box. Shift and drag "
    "selects text with the terminal's own mouse."
)
_SWITCHES: Final = (
    ("grep", "finds every place that says exactly this, newest first"),
    ("recall", "ranks the passages that answer a question; WHY says why each is there"),
    ("Aa", "case: smart (small letters match both), exact, ignored (aa)"),
    ("\\b", "whole words only"),
    (".*", "regular expression"),
    ("since:7d", f"and other filters: {' '.join(f'{field}:' for field in FIELDS)}"),
)
_SIGNS: Final = (
    ("● live", "Written to in the last minutes"),
    ("◐ interrupted", "The agent's answer never came"),
    ("○ idle", "Written to in the last day"),
    ("3 ❯", "Prompts you gave"),
    ("↳2", "Subagents"),
    ("▣1", "Pictures and files"),
    ("✗1", "Tool calls that failed"),
)


class HelpSheet(Inked):
    """The keys in as many columns as fit, those that work here first."""

    def __init__(self, keymap: Keymap, here: Scope) -> None:
        super().__init__(id="help-sheet")
        self._keymap = keymap
        first = (here, Scope.EVERYWHERE)
        self._scopes = list(dict.fromkeys((*first, *Scope)))
        self._here = here
        self._lines: list[Line] = []
        self._width = 0

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        """Return the lines the keys take in a width."""
        del container, viewport
        self._lay(width)
        return len(self._lines)

    def render_line(self, y: int) -> Strip:
        """Return one line."""
        self._lay(self.size.width)
        line = self._lines[y] if y < len(self._lines) else Line(())
        return self.strip(line, self.size.width)

    @property
    def text(self) -> str:
        """Everything on the sheet."""
        self._lay(self.size.width or 80)
        return "\n".join(line.text for line in self._lines)

    def _lay(self, width: int) -> None:
        if width == self._width:
            return
        self._width = width
        lines = [Line(tuple(row)) for row in wrap([(_ABOUT, "muted")], min(width, PROSE_CELLS))]
        lines.append(Line(()))
        for sign, words in _SWITCHES:
            switch = wrap(
                [(pad(sign, _SIGN_CELLS), "accent"), (words, "muted")], width, _SIGN_CELLS
            )
            lines.append(Line(tuple(switch[0])))
            lines += [Line(((" " * _SIGN_CELLS, ""), *row)) for row in switch[1:]]
        lines.append(Line(()))
        columns = max(1, min(3, width // _COLUMN_CELLS))
        here, everywhere, *others = (self._block(one, width // columns) for one in self._scopes)
        blocks = [here, everywhere, _signs(width // columns), *others]
        lines += _in_columns(blocks, columns, width // columns)
        self._lines = lines

    def _block(self, scope: Scope, width: int) -> list[Line]:
        """Return the keys of a scope under its name."""
        name = f"Here: {scope.value}" if scope is self._here else scope.value.capitalize()
        rows = [Line(((name, "heading"),))]
        for action in ACTIONS:
            if action.scope != scope:
                continue
            keys = " ".join(shown(key) for key in self._keymap.keys(action.id)[:3])
            rows.append(_entry(keys, action.words, width))
        rows.append(Line(()))
        return rows


def _entry(sign: str, words: str, width: int) -> Line:
    """Return a key or a sign, and what it means."""
    room = max(8, width - _KEYS_CELLS - 2)
    return Line(((pad(sign, _KEYS_CELLS), "strong"), (pad(words, room), "muted")))


def _signs(width: int) -> list[Line]:
    """Return what the signs of the list mean, under a name."""
    programs = [registry.get(name) for name in registry.ids()]
    rows = [*_SIGNS, *((program.mark, program.name) for program in programs)]
    return [
        Line((("Signs in the list", "heading"),)),
        *(_entry(sign, words, width) for sign, words in rows),
        Line(()),
    ]


def _in_columns(blocks: list[list[Line]], columns: int, width: int) -> list[Line]:
    """Return blocks set in columns, each block going to the shortest column so far."""
    stacks: list[list[Line]] = [[] for _ in range(columns)]
    for block in blocks:
        min(stacks, key=len).extend(block)
    height = max(len(stack) for stack in stacks)
    out: list[Line] = []
    for row in range(height):
        pieces: list[tuple[str, str]] = []
        for stack in stacks:
            line = stack[row] if row < len(stack) else Line(())
            pieces.extend(line.pieces)
            pieces.append((" " * max(0, width - sum(cell_len(t) for t, _ in line.pieces)), ""))
        out.append(Line(tuple(pieces)))
    return out


class HelpScreen(ModalScreen[None], LeftOnce[None]):
    """Help, over whatever was there."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,f1,enter", "close", "Close", show=False)
    ]

    def __init__(self, keymap: Keymap, here: Scope) -> None:
        super().__init__()
        self._keymap = keymap
        self._here = here

    def compose(self) -> ComposeResult:
        """Lay the sheet out."""
        with VerticalScroll(id="help"):
            yield HelpSheet(self._keymap, self._here)

    def action_close(self) -> None:
        """Leave."""
        self.dismiss()
