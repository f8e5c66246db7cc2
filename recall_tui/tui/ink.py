"""Inks: the named styles of every drawn line, resolved once per theme.

A line says `muted` or `match`; this table says which of the theme's colours that is. Component
classes would say it in the stylesheet, but Textual resolves those for every widget that has them:
forty of them on a dozen widgets were more than half of the first frame.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.strip import Strip
from textual.widget import Widget

from recall_tui.named import NamedTuple
from recall_tui.tui.themes import ink_variables

if TYPE_CHECKING:
    from textual.theme import Theme

    from recall_tui.tui.lines import Line


class Look(NamedTuple):
    """How an ink looks: names of `themes.ink_variables`, without their prefix."""

    colour: str = ""
    ground: str = ""
    style: str = ""
    """Rich attributes: `bold underline`."""


INKS: Final = {
    "title": Look("foreground", style="bold"),
    "strong": Look("foreground", style="bold"),
    "emphasis": Look(style="italic"),
    "muted": Look("muted"),
    "dim": Look("dim"),
    "why": Look("dim", style="bold"),
    "rule": Look("rule"),
    "accent": Look("accent"),
    "bar": Look("accent", style="bold"),
    "warning": Look("warning"),
    "error": Look("error"),
    "success": Look("success"),
    "match": Look("accent", ground="tint", style="bold underline"),
    "here": Look("accent", style="bold underline"),
    "band": Look(ground="band"),
    "cursor": Look(ground="cursor"),
    "heading": Look("accent", style="bold"),
    "quote": Look("muted", style="italic"),
    "link": Look(style="underline"),
    "you": Look("accent", style="bold"),
    "agent": Look("foreground", style="bold"),
    "code": Look("code-number"),
    "code-block": Look(ground="code"),
    "code-keyword": Look("code-keyword", ground="code"),
    "code-string": Look("code-string", ground="code"),
    "code-number": Look("code-number", ground="code"),
    "code-comment": Look("code-comment", ground="code", style="italic"),
    "code-name": Look("code-name", ground="code"),
    "added": Look(ground="added"),
    "removed": Look(ground="removed"),
    "hunk": Look("code-name"),
    "abandoned": Look("dim", style="italic"),
    "harness-claude": Look("harness-claude", style="bold"),
    "harness-codex": Look("harness-codex", style="bold"),
    "harness-pi": Look("harness-pi", style="bold"),
    "harness-opencode": Look("harness-opencode", style="bold"),
    "harness-gemini": Look("harness-gemini", style="bold"),
    "harness-copilot": Look("harness-copilot", style="bold"),
    "harness-other": Look("harness-other", style="bold"),
}

_resolved: dict[str, tuple[Theme, dict[str, Style]]] = {}
"""Theme name -> the theme and its inks. A theme registered anew under its name is another one."""


def inks_of(theme: Theme) -> dict[str, Style]:
    """Return the style of each ink in a theme; the empty ink is plain."""
    held = _resolved.get(theme.name)
    if held is not None and held[0] is theme:
        return held[1]
    colours = {
        name.removeprefix("ink-"): Color.parse(value).rich_color
        for name, value in ink_variables(theme).items()
    }
    inks = {
        name: Style(color=colours.get(look.colour), bgcolor=colours.get(look.ground))
        + Style.parse(look.style)
        for name, look in INKS.items()
    }
    inks[""] = Style.null()
    _resolved[theme.name] = (theme, inks)
    return inks


class Inked(Widget):
    """A widget that draws lines with inks."""

    _inks: dict[str, Style] | None = None
    _plain: Style | None = None

    def ink(self, name: str) -> Style:
        """Return the style of an ink in the current theme; the empty name is plain text."""
        if self._inks is None:
            self._inks = inks_of(self.app.current_theme)
        return self._inks[name]

    def plain(self) -> Style:
        """Return the widget's own style: its background and text colour."""
        if self._plain is None:
            self._plain = self.rich_style
        return self._plain

    def blank(self, width: int) -> Strip:
        """Return an empty row."""
        return Strip.blank(width, self.plain())

    def strip(self, line: Line, width: int, under: str = "") -> Strip:
        """Return a line as a strip of exactly `width` cells.

        Args:
            line: What to draw.
            width: Cells of the strip.
            under: Ink under the whole row (the cursor), below the line's own fill.
        """
        plain = self.plain() + self.ink(under)
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
        self._plain = None
        super().notify_style_update()
