"""A picture as half cells, fitted or pixel by pixel; and a strip of small ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.segment import Segment
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from recall_tui.named import NamedTuple
from recall_tui.tui.ink import Inked
from recall_tui.tui.lines import Line, clean, cut
from recall_tui.tui.pictures import half_cells, shades

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events

    from recall_tui.tui.pictures import Bitmap

TILE_CELLS: Final = 16
TILE_ROWS: Final = 5
"""Size of a small picture in the strip; its name stands below it."""

_GAP_CELLS: Final = 2


class Picture(Inked, ScrollView, can_focus=True):
    """One bitmap, centred when it is smaller than the widget, scrolled when it is larger."""

    ALLOW_SELECT = False

    class Resized(Message):
        """There is other room for the picture."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._bitmap: Bitmap | None = None

    @property
    def bitmap(self) -> Bitmap | None:
        """What is shown."""
        return self._bitmap

    def show(self, bitmap: Bitmap | None) -> None:
        """Show other pixels, from their middle when there are more than fit."""
        self._bitmap = bitmap
        size = Size(bitmap.width, bitmap.rows) if bitmap else Size(0, 0)
        self.virtual_size = size
        self.scroll_to(
            max(0, (size.width - self.size.width) // 2),
            max(0, (size.height - self.size.height) // 2),
            animate=False,
            force=True,
        )
        self.refresh()

    def on_resize(self) -> None:
        """Have the picture scaled to the room there is now."""
        self.post_message(self.Resized())

    def on_unmount(self) -> None:
        """Let go of the pixels: a widget that is gone may be held for a while."""
        self._bitmap = None

    def pan(self, columns: int, rows: int) -> None:
        """Move the view by steps of an eighth of it."""
        self.scroll_to(
            self.scroll_offset.x + columns * max(1, self.size.width // 8),
            self.scroll_offset.y + rows * max(1, self.size.height // 8),
            animate=False,
            force=True,
        )

    def render_line(self, y: int) -> Strip:
        """Return one row of cells."""
        bitmap, width = self._bitmap, self.size.width
        if bitmap is None:
            return self.blank(width)
        row = y + self.scroll_offset.y - max(0, self.size.height - bitmap.rows) // 2
        if not 0 <= row < bitmap.rows:
            return self.blank(width)
        draw = shades if self.app.no_color else half_cells
        margin = max(0, width - bitmap.width) // 2
        segments = [Segment(" " * margin, self.plain())] if margin else []
        segments += draw(bitmap, row, self.scroll_offset.x, width)
        return Strip(segments).adjust_cell_length(width, self.plain()).apply_style(self.plain())


class Tile(NamedTuple):
    """One of several materials."""

    name: str
    sign: str
    """What stands for it until its picture is there."""
    bitmap: Bitmap | None = None


class TileStrip(Inked):
    """Several materials side by side, the current one marked."""

    ALLOW_SELECT = False

    class Chosen(Message):
        """A tile was clicked."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._tiles: Sequence[Tile] = ()
        self._current = 0

    def show(self, tiles: Sequence[Tile], current: int) -> None:
        """Show other tiles."""
        self._tiles, self._current = tiles, current
        self.refresh()

    @property
    def _first(self) -> int:
        """The tile at the left: as few are passed over as keep the current one in view."""
        fit = max(1, (self.size.width - 1) // (TILE_CELLS + _GAP_CELLS))
        return max(0, min(self._current - fit // 2, len(self._tiles) - fit))

    def render_line(self, y: int) -> Strip:
        """Return one row across the tiles."""
        parts = [self.blank(1)]
        for index, tile in enumerate(self._tiles):
            if index >= self._first:
                parts.append(self._row(tile, y, here=index == self._current))
                parts.append(self.blank(_GAP_CELLS))
        return Strip.join(parts).adjust_cell_length(self.size.width, self.plain())

    def _row(self, tile: Tile, y: int, *, here: bool) -> Strip:
        if y > TILE_ROWS:
            return self.blank(TILE_CELLS)
        if y == TILE_ROWS:
            mark = ("▌", "bar") if here else (" ", "")
            name = cut(clean(tile.name), TILE_CELLS - 1)
            return self.strip(Line((mark, (name, "title" if here else "muted"))), TILE_CELLS)
        if tile.bitmap is None:
            middle = tile.sign if y == TILE_ROWS // 2 else ""
            pad = " " * (TILE_CELLS // 2 - 1)
            return self.strip(Line(((pad, ""), (middle, "accent")), "band"), TILE_CELLS)
        bitmap = tile.bitmap
        row = y - (TILE_ROWS - bitmap.rows) // 2
        if not 0 <= row < bitmap.rows:
            return self.strip(Line((), "band"), TILE_CELLS)
        ground = self.plain() + self.ink("band")
        margin = (TILE_CELLS - bitmap.width) // 2
        draw = shades if self.app.no_color else half_cells
        segments = [Segment(" " * margin, ground), *draw(bitmap, row, 0, TILE_CELLS)]
        # Below the last pixel of an odd height the tile goes on.
        return Strip(segments).adjust_cell_length(TILE_CELLS, ground).apply_style(ground)

    def on_click(self, event: events.Click) -> None:
        """Choose the tile under the pointer."""
        index = self._first + max(0, event.x - 1) // (TILE_CELLS + _GAP_CELLS)
        if index < len(self._tiles):
            event.stop()
            self.post_message(self.Chosen(index))
