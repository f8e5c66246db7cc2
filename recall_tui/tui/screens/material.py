"""The materials of one message: what is known of them first, their bytes on an explicit key."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.color import Color
from textual.containers import Container
from textual.message import Message as Event

from recall_tui.errors import RecallError
from recall_tui.tui import bars, notation
from recall_tui.tui.attachments import (
    Content,
    default_name,
    open_with_viewer,
    save,
    taken,
    understand,
)
from recall_tui.tui.graphics import OFF
from recall_tui.tui.keymap import Keymap, Scope, bindings
from recall_tui.tui.material_facts import (
    Shown,
    facts_of,
    head_of,
    name_of,
    sentence_of,
    sign_of,
    where_of,
    words_of,
)
from recall_tui.tui.pictures import MOST_BYTES, pillow_image
from recall_tui.tui.screens.leaving import LeftOnce
from recall_tui.tui.widgets.notice import Notice
from recall_tui.tui.widgets.picture import TILE_CELLS, TILE_ROWS, Picture, Tile, TileStrip
from recall_tui.tui.widgets.row import Part, Row
from recall_tui.tui.widgets.sheet import Sheet, rows_of

if TYPE_CHECKING:
    from datetime import tzinfo

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from recall_tui.history import History
    from recall_tui.model import Material, Message, Session
    from recall_tui.tui.graphics import PixelWidget
    from recall_tui.tui.lines import Piece
    from recall_tui.tui.pictures import Bitmap, PictureCache


class MaterialScreen(LeftOnce[int | None]):
    """One message's pictures and files.

    Args:
        history: Where bytes are fetched.
        session: Whose message it is.
        message: What the materials hang on.
        cache: Decoded pictures.
        keymap: The keys in force.
        zone: Of the times shown.
        images: The person's setting: `off` shows no picture.
        pixels: Makes the widget for real pixels; None draws half cells.
    """

    AUTO_FOCUS = "#picture"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Scope.MATERIAL)]

    @dataclass
    class _Fetched(Event):
        index: int
        data: bytes
        content: Content
        tile: Bitmap | None
        after: str

    @dataclass
    class _Failed(Event):
        index: int
        sentence: str

    @dataclass
    class _Scaled(Event):
        index: int
        bitmap: Bitmap

    def __init__(
        self,
        history: History,
        session: Session,
        message: Message,
        *,
        cache: PictureCache,
        keymap: Keymap,
        zone: tzinfo,
        images: str,
        pixels: PixelWidget | None = None,
    ) -> None:
        super().__init__()
        self._history = history
        self._session = session
        self._message = message
        self._cache = cache
        self._keymap = keymap
        self._zone = zone
        self._off = images == OFF
        self._pixels = pixels
        self._items = [Shown(material) for material in message.materials]
        self._index = 0
        self._zoomed = False

    def compose(self) -> ComposeResult:
        """Lay the screen out."""
        yield Row(id="material-head")
        yield Row(id="material-facts")
        yield Row(id="material-where")
        yield TileStrip(id="tiles")
        yield Picture(id="picture")
        yield Container(id="pixels")
        yield Sheet(id="sheet")
        yield Notice(id="material-note")
        yield Row(id="keys")

    def on_mount(self) -> None:
        """Say what is known before any byte is read."""
        self.set_class(len(self._items) > 1, "-several")
        self.query_one("#keys", Row).show(*bars.keys(self._keymap, Scope.MATERIAL))
        self._show()

    def on_unmount(self) -> None:
        """Free what only a look at the pictures needs: the screen itself may be held a while."""
        self._cache.let_go()
        for item in self._items:
            item.content, item.data = None, b""

    # What is shown

    @property
    def current(self) -> Shown:
        """The material that is looked at."""
        return self._items[self._index]

    def _show(self) -> None:
        """Draw everything that depends on the current material and what is known of it."""
        self._show_facts()
        tiles = [
            Tile(name_of(item.material), sign_of(item.material), item.tile) for item in self._items
        ]
        self.query_one(TileStrip).show(tiles, self._index)
        content = self.current.content
        picture = bool(content and content.picture and not self._off)
        text = bool(content and content.text)
        self.set_class(picture and not self._by_pixels, "-picture")
        self.set_class(picture and self._by_pixels, "-pixels")
        self.set_class(text and not picture, "-text")
        self.query_one(Notice).show(words_of(self.current, self._keymap, off=self._off))
        if picture:
            self.query_one("#picture").focus()
            self._draw()
        elif text and content:
            sheet = self.query_one(Sheet)
            first: list[list[Piece]] = [[(content.sentence, "warning")], []]
            sheet.show([*(first if content.sentence else []), *rows_of(content.text)])
            sheet.focus()

    @property
    def _by_pixels(self) -> bool:
        return self._pixels is not None and not self._zoomed

    def _show_facts(self) -> None:
        item, several = self.current, len(self._items) > 1
        key = self._keymap.shown("material.next")
        of = f"{key} next · {self._index + 1:,} of {len(self._items):,} " if several else ""
        self.query_one("#material-head", Row).show(head_of(item.material), [Part(of, "muted")])
        how = self._how(item)
        self.query_one("#material-facts", Row).show(facts_of(item.material), [Part(how, "muted")])
        words = where_of(self._session, self._message, self._zone)
        self.query_one("#material-where", Row).show([Part(f"   {words}", "muted")])

    def _how(self, item: Shown) -> str:
        """Return how the picture is shown, for the right of the facts."""
        if item.content is None or item.content.picture is None or self._off:
            return ""
        how = "1:1, arrows move it" if self._zoomed else "fitted"
        shades = " · no colour: five shades" if self.app.no_color else ""
        return f"{' · '.join(filter(None, (item.content.picture.note, how)))}{shades} "

    # Fetching

    def action_show(self) -> None:
        """Fetch the current material, or draw it again."""
        if self.current.content is None and self.current.material.bytes <= MOST_BYTES:
            self._fetch("show")

    def _fetch(self, after: str) -> None:
        """Fetch the bytes, then do what they were wanted for: show, save or open."""
        item = self.current
        if item.fetching:
            return
        item.fetching, item.failed = True, ""
        self.run_worker(
            partial(self._fetch_in_thread, self._index, item.material, after, self._ground()),
            thread=True, group="material", exit_on_error=False, description="read material",
        )  # fmt: skip
        self._show()

    def _ground(self) -> tuple[int, int, int]:
        """Return the colour below transparent pixels: the screen's own."""
        ground = self.background_colors[1] if self.is_attached else Color(0, 0, 0)
        return (ground.r, ground.g, ground.b)

    def _fetch_in_thread(
        self, index: int, material: Material, after: str, ground: tuple[int, int, int]
    ) -> None:
        try:
            data = self._history.material(self._message.reference, material.id)
        except RecallError as error:
            self.post_message(self._Failed(index, sentence_of(error)))
            return
        content = understand(data, ground, self._cache)
        tile = None
        if content.picture is not None:
            tile = self._cache.fitted(content.picture, TILE_CELLS, TILE_ROWS)
        self.post_message(self._Fetched(index, data, content, tile, after))

    def on_material_screen__failed(self, event: _Failed) -> None:
        """Say why there is nothing to see."""
        event.stop()
        item = self._items[event.index]
        item.fetching, item.failed = False, event.sentence
        self._show()

    def on_material_screen__fetched(self, event: _Fetched) -> None:
        """Take the bytes; drop those of others when it is too many at once."""
        event.stop()
        item = self._items[event.index]
        item.fetching, item.content, item.tile = False, event.content, event.tile
        item.data = event.data
        others = [other for other in self._items if other is not item and other.data]
        while others and sum(len(i.data) for i in self._items) > MOST_BYTES:
            others.pop(0).data = b""
        self._show()
        if event.after == "save":
            self._ask_where(item)
        elif event.after == "open":
            self._open(item)

    # Drawing

    def _draw(self) -> None:
        """Draw the current picture for the room there is."""
        content = self.current.content
        if content is None or content.picture is None:
            return
        picture = self.query_one("#picture", Picture)
        if self._zoomed:
            picture.show(content.picture.bitmap)
            return
        if self._pixels is not None:
            self._draw_pixels(content.picture.bitmap)
            return
        size = picture.size
        if not size.width:  # not laid out yet: it says so when it is
            return
        self.run_worker(
            partial(self._scale_in_thread, self._index, content, size.width, size.height),
            thread=True, group="scale", exclusive=True, exit_on_error=False,
            description="scale picture",
        )  # fmt: skip

    def _scale_in_thread(self, index: int, content: Content, columns: int, rows: int) -> None:
        if content.picture is not None:
            bitmap = self._cache.fitted(content.picture, columns, rows)
            self.post_message(self._Scaled(index, bitmap))

    def on_material_screen__scaled(self, event: _Scaled) -> None:
        """Show the scaled pixels, unless something else is looked at by now."""
        event.stop()
        if event.index == self._index and not self._zoomed:
            self.query_one("#picture", Picture).show(event.bitmap)

    def _draw_pixels(self, bitmap: Bitmap) -> None:
        """Put the terminal's own picture in place of the half cells."""
        if self._pixels is not None:
            place = self.query_one("#pixels", Container)
            place.remove_children()
            widget = self._pixels(pillow_image(bitmap))
            widget.styles.width, widget.styles.height = "auto", "100%"
            place.mount(widget)

    @on(Picture.Resized)
    def _resized(self, event: Picture.Resized) -> None:
        event.stop()
        self._draw()

    # Keys

    def action_step(self, by: int) -> None:
        """Go to the next or the previous material."""
        self._index = (self._index + by) % len(self._items)
        self._zoomed = False
        self._show()

    @on(TileStrip.Chosen)
    def _chosen(self, event: TileStrip.Chosen) -> None:
        event.stop()
        self.action_step(event.index - self._index)

    def action_zoom(self) -> None:
        """Go from fitted to pixel by pixel, or back."""
        if self.current.content is not None and self.current.content.picture is not None:
            self._zoomed = not self._zoomed
            self._show()

    def action_pan(self, columns: int, rows: int) -> None:
        """Move a picture or a text; left and right go to the neighbours when nothing moves."""
        if self.has_class("-text"):
            self.query_one(Sheet).step(rows * 3)
        elif self._zoomed:
            self.query_one("#picture", Picture).pan(columns, rows)
        elif columns:
            self.action_step(columns)

    def action_page(self, by: int) -> None:
        """Move by a screenful."""
        self.query_one(Sheet).page(by)
        self.query_one("#picture", Picture).pan(0, by * 7)

    def action_save(self) -> None:
        """Save the current material as a new file."""
        if self.current.data:
            self._ask_where(self.current)
        else:
            self._fetch("save")

    def _ask_where(self, item: Shown) -> None:
        from recall_tui.tui.screens.ask import AskScreen, new_file_hint

        mime = item.content.mime if item.content else ""
        name = default_name(item.material.name, mime)
        title = f"Save {notation.size(len(item.data))} as"
        hint = new_file_hint()

        def chosen(path: str | None) -> None:
            if path:
                self.run_worker(
                    partial(self._save_in_thread, path, item.data, name), thread=True,
                    group="save", exit_on_error=False, description="save material",
                )  # fmt: skip

        self.app.push_screen(AskScreen(title, hint, value=name, wrong=taken), chosen)

    def _save_in_thread(self, path: str, data: bytes, name: str) -> None:
        try:
            where = save(path, data, name)
        except RecallError as error:
            self.app.notify(sentence_of(error), severity="error", markup=False)
            return
        self.app.notify(f"{notation.size(len(data))} saved as {where}", markup=False)

    def action_open(self) -> None:
        """Open the current material with the system's viewer."""
        if self.current.data:
            self._open(self.current)
        else:
            self._fetch("open")

    def _open(self, item: Shown) -> None:
        self.run_worker(
            partial(self._open_in_thread, item.data, item.content.mime if item.content else ""),
            thread=True, group="viewer", exit_on_error=False, description="open viewer",
        )  # fmt: skip

    def _open_in_thread(self, data: bytes, mime: str) -> None:
        try:
            open_with_viewer(data, mime, os.environ)
        except RecallError as error:
            self.app.notify(sentence_of(error), severity="error", markup=False)

    def action_copy_reference(self) -> None:
        """Copy the reference of the message the material hangs on."""
        from recall_tui.tui.copying import copy_in_thread

        self.run_worker(
            partial(copy_in_thread, self.app, str(self._message.reference), "reference"),
            thread=True, group="copy", exit_on_error=False, description="copy",
        )  # fmt: skip

    def action_message(self, by: int) -> None:
        """Leave for the next or the previous message that has materials."""
        self.dismiss(by)

    def action_close(self) -> None:
        """Leave."""
        self.dismiss(None)
