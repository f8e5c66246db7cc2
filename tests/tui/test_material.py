"""Pictures and files that hang on messages: known first, fetched when asked, never trusted."""

from __future__ import annotations

import os
import stat
from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from PIL import Image
from textual.widgets import Input

from recall_tui.errors import HandoffError, RecallError
from recall_tui.tui import attachments
from recall_tui.tui.attachments import PDF, PNG, TEXT, UNKNOWN, default_name, save, understand
from recall_tui.tui.graphics import protocol
from recall_tui.tui.pictures import (
    MOST_PIXELS,
    PictureCache,
    UnshowableError,
    fit,
    half_cells,
    shades,
)
from recall_tui.tui.screens.ask import AskScreen
from recall_tui.tui.screens.material import MaterialScreen
from recall_tui.tui.widgets.notice import Notice
from recall_tui.tui.widgets.picture import TILE_ROWS, Picture, TileStrip
from recall_tui.tui.widgets.row import Row
from recall_tui.tui.widgets.sheet import Sheet
from tests.tui.conftest import make
from tests.tui.drawn import (
    NOTES,
    animated,
    bomb,
    cut_short,
    encoded,
    held,
    png,
    scene,
    transparent,
)
from tests.tui.driving import rested, transcript_of, until
from tests.tui.fake import FakeHistory

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from textual.pilot import Pilot

GROUND = (10, 20, 30)
WIDE = (120, 40)


async def previewer(pilot: Pilot[object], *keys: str) -> MaterialScreen:
    """Open the previewer on the current session's first material, then press keys."""
    await rested(pilot)
    await pilot.press("enter", "m")
    await until(pilot, lambda: isinstance(pilot.app.screen, MaterialScreen), "the previewer")
    screen = pilot.app.screen
    assert isinstance(screen, MaterialScreen)
    for key in keys:
        await pilot.press(key)
        await until(pilot, lambda: not any(item.fetching for item in screen._items), "the bytes")
    return screen


def row(screen: MaterialScreen, name: str) -> str:
    return screen.query_one(f"#{name}", Row).text


async def test_what_is_known_is_said_before_any_byte_is_read() -> None:
    history = held({"overflow.png": png()})
    history.bytes.clear()
    async with make(history).run_test(size=WIDE) as pilot:
        screen = await previewer(pilot)
        facts = row(screen, "material-facts")
        assert "overflow.png" in row(screen, "material-head")
        assert "image/png · 640 × 400 pixels · 4." in facts and "tokens" in facts
        assert "Not read yet" in screen.query_one(Notice).text
        assert screen.current.content is None


async def test_an_explicit_key_fetches_and_shows_the_picture() -> None:
    async with make(held({"overflow.png": png()})).run_test(size=WIDE) as pilot:
        screen = await previewer(pilot, "enter")
        picture = screen.query_one(Picture)
        await until(pilot, lambda: picture.bitmap is not None, "the picture")
        assert picture.bitmap and picture.bitmap.width <= 120 and picture.bitmap.rows <= 35
        strip = picture.render_line(picture.size.height // 2)
        assert strip.cell_length == 120
        colours = {s.style.bgcolor.triplet for s in strip if s.style and s.style.bgcolor}
        assert len(colours) > 5, "the picture's own colours"


async def test_one_to_one_shows_every_pixel_and_pans() -> None:
    async with make(held({"overflow.png": png()})).run_test(size=WIDE) as pilot:
        screen = await previewer(pilot, "enter", "z")
        picture = screen.query_one(Picture)
        await until(pilot, lambda: picture.virtual_size.width == 640)
        before = picture.scroll_offset
        await pilot.press("right", "down")
        after = picture.scroll_offset
        assert after.x > before.x and after.y > before.y
        await pilot.press("z")
        await until(pilot, lambda: picture.virtual_size.width <= 120)


async def test_several_are_a_strip_and_each_is_fetched_on_its_own() -> None:
    history = held({"a.png": png(), "b.gif": animated()})
    async with make(history).run_test(size=WIDE) as pilot:
        screen = await previewer(pilot, "enter", "n")
        assert "2 of 2" in row(screen, "material-head")
        assert screen.current.content is None, "the second was not asked for"
        await pilot.press("enter")
        await until(pilot, lambda: screen.current.content is not None)
        assert "first of 3 frames" in row(screen, "material-facts")


async def test_a_tile_goes_on_below_a_picture_of_odd_height() -> None:
    history = held({"a.png": png(160, 90), "b.png": png(160, 90)})
    async with make(history).run_test(size=WIDE) as pilot:
        screen = await previewer(pilot, "enter")
        await until(pilot, lambda: screen.current.tile is not None)
        assert screen.current.tile is not None and screen.current.tile.height == 9
        tiles = screen.query_one(TileStrip)
        grounds = {s.style.bgcolor for s in tiles.render_line(TILE_ROWS - 1) if s.style}
        assert None not in grounds, "else the terminal's own shows through"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (bomb(), "too large"),
        (cut_short(), "broken"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 40, "no picture"),
        (b"", "empty"),
        (b"%PDF-1.7 x", "PDF"),
        (b"\x7fELF\0\0\0\0", "unknown kind"),
    ],
)
async def test_what_cannot_be_shown_ends_in_one_sentence(data: bytes, words: str) -> None:
    async with make(held({"x.png": data})).run_test(size=(80, 24)) as pilot:
        screen = await previewer(pilot, "enter")
        text = screen.query_one(Notice).text
        assert words in text and "s" in text
        assert not screen.has_class("-picture")


async def test_a_source_that_vanished_is_said() -> None:
    async with make(FakeHistory()).run_test(size=WIDE) as pilot:
        screen = await previewer(pilot, "enter")
        assert "not there any more" in screen.query_one(Notice).text
        await pilot.press("escape")
        assert transcript_of(pilot).cursor == 5, "the message that holds it is the current one"


async def test_a_text_is_shown_without_escapes_and_secrets() -> None:
    history = held({"notes.txt": NOTES.encode()}, kinds={"notes.txt": "text"})
    async with make(history).run_test(size=WIDE) as pilot:
        screen = await previewer(pilot, "enter")
        text = screen.query_one(Sheet).text
        assert "first line" in text and "[redacted:" in text
        assert not {"\x1b", "\x07", "\u202e"} & set(text)
        assert "wJ8sKq2LmZ9x" not in text


async def test_saving_makes_a_new_private_file(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = png()
    async with make(held({"../../ev\x1bil.png": data})).run_test(size=WIDE) as pilot:
        await previewer(pilot, "s")
        await until(pilot, lambda: isinstance(pilot.app.screen, AskScreen))
        assert pilot.app.screen.query_one(Input).value == "evl.png"
        await pilot.press("enter")
        path = tmp_path / "evl.png"
        await until(pilot, lambda: path.exists() and path.read_bytes() == data)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        await pilot.press("s")
        await until(pilot, lambda: isinstance(pilot.app.screen, AskScreen))
        await pilot.press("enter")
        assert isinstance(pilot.app.screen, AskScreen)
        assert "there already" in pilot.app.screen.query_one("#ask-hint", Row).text


def test_saving_never_writes_over_a_file_or_through_a_link(tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("mine")
    link = tmp_path / "link.png"
    link.symlink_to(target)
    dangling = tmp_path / "dangling.png"
    dangling.symlink_to(tmp_path / "nowhere")
    for path in (target, link, dangling):
        with pytest.raises(RecallError, match="there already"):
            save(str(path), b"data", "x.png")
    assert target.read_text() == "mine" and not (tmp_path / "nowhere").exists()
    assert save(str(tmp_path), b"data", "x.png") == str(tmp_path / "x.png")
    with pytest.raises(RecallError, match="cannot save"):
        save(str(tmp_path / "no" / "such" / "x.png"), b"data", "x.png")


@pytest.mark.parametrize(
    ("name", "mime", "expected"),
    [
        ("overflow.png", PNG, "overflow.png"),
        ("../../etc/passwd", TEXT, "passwd.txt"),
        ("C:\\temp\\a.JPG", "image/jpeg", "a.JPG"),
        ("run.sh", PNG, "run.sh.png"),
        ("", PNG, "picture.png"),
        ("..", UNKNOWN, "attachment.bin"),
        (".bashrc", TEXT, "bashrc.txt"),
        ("截图 1.png", PNG, "截图 1.png"),
        ("-rf", PDF, "rf.pdf"),
        ("a\nb\x1b]0;x\x07.png", PNG, "a_b.png"),
    ],
)
def test_default_names_are_one_safe_component(name: str, mime: str, expected: str) -> None:
    assert default_name(name, mime) == expected


def test_the_viewer_gets_a_private_file_with_our_suffix(monkeypatch, tmp_path: Path) -> None:
    started: list[Sequence[str]] = []
    monkeypatch.setattr(attachments, "start", started.append)
    monkeypatch.setattr(attachments.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(attachments.tempfile, "tempdir", str(tmp_path))
    path = attachments.open_with_viewer(b"#!/bin/sh", TEXT, {"DISPLAY": ":0"})
    assert started == [["/usr/bin/xdg-open", path]] and path.endswith(".txt")
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700
    with pytest.raises(HandoffError, match="save it instead"):
        attachments.open_with_viewer(b"x", TEXT, {"SSH_TTY": "/dev/pts/1"})


def test_real_pixels_only_where_they_are_sure_to_arrive() -> None:
    kitty = {"KITTY_WINDOW_ID": "1", "TERM": "xterm-kitty"}
    assert protocol("auto", kitty, tty=True) == "kitty"
    assert protocol("auto", {**kitty, "TMUX": "/tmp/tmux"}, tty=True) == "half"
    assert protocol("auto", kitty, tty=False) == "half"
    assert protocol("auto", {"TERM": "xterm-256color"}, tty=True) == "half"
    assert protocol("sixel", {"TMUX": "/tmp/tmux"}, tty=True) == "sixel", "told so"
    assert protocol("sixel", {}, tty=False) == "half"
    assert protocol("off", kitty, tty=True) == "off"


def test_pictures_are_decoded_upright_and_over_the_ground() -> None:
    cache = PictureCache()
    bitmap = cache.decode(transparent(), GROUND).bitmap
    assert bitmap.pixels[:3] == bytes((0, 200, 0))
    assert bitmap.pixels[-3:] == bytes(GROUND)
    exif = Image.Exif()
    exif[0x0112] = 6
    turned = cache.decode(encoded(scene(60, 40), "JPEG", exif=exif.tobytes()), GROUND).bitmap
    assert (turned.width, turned.height) == (40, 60)
    deep = cache.decode(encoded(Image.new("I;16", (4, 4), 32768)), GROUND).bitmap
    assert 120 <= deep.pixels[0] <= 135


def test_what_is_too_much_is_refused_before_it_is_decoded() -> None:
    side = int(MOST_PIXELS**0.5) + 1
    big = Image.new("1", (side, side))
    for form in ("PNG", "GIF"):
        out = BytesIO()
        big.save(out, form)
        with pytest.raises(UnshowableError, match="too large"):
            PictureCache().decode(out.getvalue(), GROUND)


def test_hostile_bytes_never_raise_anything_else() -> None:
    cache = PictureCache()
    whole = [
        png(40, 30),
        animated(),
        encoded(scene(40, 30), "JPEG"),
        encoded(scene(40, 30), "WEBP"),
    ]
    for data in whole:
        for at in range(0, len(data), max(1, len(data) // 60)):
            broken = data[:at] + bytes((data[at] ^ 0xFF,)) + data[at + 1 :]
            content = understand(broken, GROUND, cache)
            assert content.picture or content.sentence or content.text
            understand(data[:at], GROUND, cache)


def test_the_cache_is_bounded_and_knows_content() -> None:
    cache = PictureCache(most_bytes=300_000)
    first = cache.decode(png(200, 200), GROUND)
    assert cache.decode(png(200, 200), GROUND) is first
    assert cache.decode(png(200, 200), (0, 0, 0)) is not first
    for width in range(201, 212):
        cache.fitted(cache.decode(png(width, 200), GROUND), 40, 20)
    assert cache.held_bytes <= 300_000


def test_what_nobody_looks_at_is_let_go_but_for_thumbnails() -> None:
    cache = PictureCache()
    decoded = cache.decode(png(640, 400), (0, 0, 0))
    small = cache.fitted(decoded, 16, 5)
    cache.fitted(decoded, 600, 300)
    cache.let_go()
    assert cache.held_bytes == len(small.pixels)
    assert cache.fitted(decoded, 16, 5) is small


def test_pictures_keep_their_proportions() -> None:
    bitmap = PictureCache().decode(png(640, 400), GROUND).bitmap
    wide = fit(bitmap, 100, 100)
    assert wide.width == 100 and abs(wide.height - 62) <= 1
    small = PictureCache().decode(png(16, 10), GROUND).bitmap
    assert fit(small, 120, 40).width == 16 * 7, "by whole pixels"
    assert fit(small, 20, 40) is small


def test_cells_cover_the_row_and_shades_need_no_colour() -> None:
    bitmap = PictureCache().decode(png(31, 21), GROUND).bitmap
    for row_ in range(bitmap.rows):
        assert sum(segment.cell_length for segment in half_cells(bitmap, row_, 0, 99)) == 31
        assert sum(segment.cell_length for segment in half_cells(bitmap, row_, 20, 5)) == 5
        (segment,) = shades(bitmap, row_, 0, 99)
        assert segment.style is None and set(segment.text) <= set(" ░▒▓█")


async def test_without_colour_shades_stand_in(monkeypatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with make(held({"overflow.png": png()})).run_test(size=WIDE) as pilot:
        screen = await previewer(pilot, "enter")
        assert "no colour" in row(screen, "material-facts")
        picture = screen.query_one(Picture)
        await until(pilot, lambda: picture.bitmap is not None)
        assert "▀" not in picture.render_line(15).text


async def test_switched_off_pictures_are_not_drawn() -> None:
    app = make(held({"overflow.png": png()}))
    app.images = "off"
    async with app.run_test(size=WIDE) as pilot:
        screen = await previewer(pilot, "enter")
        assert "switched off" in screen.query_one(Notice).text


async def test_a_session_without_materials_says_so() -> None:
    history = FakeHistory()
    async with make(history).run_test(size=WIDE, notifications=True) as pilot:
        await rested(pilot)
        await pilot.press("down", "enter", "m")
        await until(pilot, lambda: bool(pilot.app._notifications))
        assert not isinstance(pilot.app.screen, MaterialScreen)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
async def test_real_pixels_are_drawn_by_the_widget_given() -> None:
    widgets = pytest.importorskip("textual_image.widget")
    app = make(held({"overflow.png": png()}))
    app.pixels = widgets.HalfcellImage
    async with app.run_test(size=WIDE) as pilot:
        screen = await previewer(pilot, "enter")
        await until(pilot, lambda: bool(screen.query("#pixels HalfcellImage, #pixels > *")))
        assert screen.has_class("-pixels")
        await pilot.press("z")
        picture = screen.query_one(Picture)
        await until(pilot, lambda: picture.virtual_size.width == 640, "1:1 is ours")
