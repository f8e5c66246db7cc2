"""Every key there is, those that work where a person is first, from the table of the bindings."""

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
from recall_tui.tui.key_names import shown
from recall_tui.tui.keymap import ACTIONS, Keymap, Scope, bindings
from recall_tui.tui.lines import Line, pad, wrap
from recall_tui.tui.screens.leaving import LeftOnce

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.strip import Strip

    from recall_tui.tui.lines import Piece

_KEYS_CELLS: Final = 15
_COLUMN_CELLS: Final = 48
_CLOSING: Final = "   esc closes this page, the arrows scroll it"
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

    def __init__(self, keymap: Keymap, here: Sequence[Scope]) -> None:
        super().__init__(id="help-sheet")
        self._keymap = keymap
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
        columns = max(1, min(3, width // _COLUMN_CELLS))
        cells = width // columns
        here = [self._block(one, cells) for one in self._here]
        others = [self._block(one, cells) for one in Scope if one not in self._here]
        title = [Line((("Help", "heading"), (pad(_CLOSING, width - 4), "dim"))), Line(())]
        # Who is new is in the box; who asks elsewhere wants to know the keys of that place.
        if Scope.BOX in self._here:
            keys = _in_columns([*here, _signs(cells), *others], columns, cells)
            self._lines = [*title, *_about(width), *keys]
        else:
            searching = Scope.MAIN in self._here
            first = _in_columns([*here, _signs(cells)] if searching else here, columns, cells)
            rest = _in_columns(others if searching else [*others, _signs(cells)], columns, cells)
            self._lines = [*title, *first, *rest, *_about(width)]

    def _block(self, scope: Scope, width: int) -> list[Line]:
        """Return the keys of a scope under its name."""
        here = scope in self._here and scope is not Scope.EVERYWHERE
        rows = [Line(((f"Here: {scope.value}" if here else scope.value.capitalize(), "heading"),))]
        for action in ACTIONS:
            if action.scope == scope:
                keys = " ".join(shown(key) for key in self._keymap.keys(action.id)[:3])
                rows += _entry(keys, action.words, width)
        return [*rows, Line(())]


def _about(width: int) -> list[Line]:
    """Return what Recall is, and what its switches mean."""
    lines = [Line(tuple(row)) for row in wrap([(_ABOUT, "muted")], min(width, PROSE_CELLS))]
    lines.append(Line(()))
    for sign, words in _SWITCHES:
        lines += _hanging((pad(sign, _SIGN_CELLS), "accent"), words, width)
    return [*lines, Line(())]


def _entry(sign: str, words: str, width: int) -> list[Line]:
    """Return a key or a sign, and what it means."""
    return _hanging((pad(sign, _KEYS_CELLS), "strong"), words, width - 2)


def _hanging(lead: Piece, words: str, width: int) -> list[Line]:
    """Return words beside a lead, as many rows as they take."""
    cells = cell_len(lead[0])
    first, *more = wrap([lead, (words, "muted")], max(cells + 8, width), cells)
    return [Line(tuple(first)), *(Line(((" " * cells, ""), *row)) for row in more)]


def _signs(width: int) -> list[Line]:
    """Return what the signs of the list mean, under a name."""
    programs = [registry.get(name) for name in registry.ids()]
    rows = [*_SIGNS, *((program.mark, program.name) for program in programs)]
    return [
        Line((("Signs in the list", "heading"),)),
        *(line for sign, words in rows for line in _entry(sign, words, width)),
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
        *(binding for binding in bindings(Scope.SHEET) if binding.id != "sheet.help"),
        Binding("question_mark,f1,enter", "close", "Close", show=False),
    ]

    def __init__(self, keymap: Keymap, here: Sequence[Scope]) -> None:
        super().__init__()
        self._keymap = keymap
        self._here = here

    def compose(self) -> ComposeResult:
        """Lay the sheet out."""
        with VerticalScroll(id="help"):
            yield HelpSheet(self._keymap, self._here)

    @property
    def _view(self) -> VerticalScroll:
        return self.query_one("#help", VerticalScroll)

    def action_step(self, by: int) -> None:
        """Scroll by lines."""
        self._view.scroll_to(y=self._view.scroll_offset.y + by, animate=False, immediate=True)

    def action_page(self, by: int) -> None:
        """Scroll by a screenful."""
        self.action_step(by * max(1, self._view.size.height - 2))

    def action_edge(self, side: int) -> None:
        """Go to the start or the end."""
        self._view.scroll_to(y=0 if side < 0 else self._view.max_scroll_y, animate=False)

    def action_close(self) -> None:
        """Leave."""
        self.dismiss()
