"""Inks: the named styles of every drawn line, resolved once per theme.

`app.tcss` gives each ink its look (`.ink--muted { color: $ink-muted; }`); a widget that draws
lines inherits `Inked` and asks for strips.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

if TYPE_CHECKING:
    from recall_tui.tui.lines import Line

INKS: Final = (
    "title", "muted", "dim", "rule", "accent", "warning", "error", "success", "match", "here",
    "band", "cursor", "bar", "strong", "emphasis", "heading", "quote", "link", "you", "agent",
    "code", "code-block", "code-keyword", "code-string", "code-number", "code-comment",
    "code-name", "added", "removed", "hunk", "abandoned",
    "harness-claude", "harness-codex", "harness-pi", "harness-opencode", "harness-gemini",
    "harness-copilot", "harness-other",
)  # fmt: skip


class Inked(Widget):
    """A widget that draws lines with inks."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"ink--{name}" for name in INKS}

    _inks: dict[str, Style] | None = None

    def ink(self, name: str) -> Style:
        """Return the style of an ink in the current theme; the empty name is plain text."""
        inks = self._inks
        if inks is None:
            inks = self._inks = {"": Style.null()}
        style = inks.get(name)
        if style is None:
            style = self.get_component_rich_style(f"ink--{name}", partial=True)
            inks[name] = style
        return style

    def strip(self, line: Line, width: int, under: str = "") -> Strip:
        """Return a line as a strip of exactly `width` cells.

        Args:
            line: What to draw.
            width: Cells of the strip.
            under: Ink under the whole row (the cursor), below the line's own fill.
        """
        plain = self.rich_style + self.ink(under)
        base = plain + self.ink(line.fill)
        segments: list[Segment] = []
        left = line.inset
        for text, name in line.pieces:
            if text:
                segments.append(Segment(text, (plain if left > 0 else base) + self.ink(name)))
                left -= cell_len(text) if left > 0 else 0
        return Strip(segments).adjust_cell_length(width, base)

    def notify_style_update(self) -> None:
        """Forget the resolved styles: the theme or the state of the widget changed."""
        self._inks = None
        super().notify_style_update()
