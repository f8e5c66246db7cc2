"""Pictures from untrusted bytes: decoded within bounds, scaled, drawn as half cells.

Everything here runs in worker threads but `half_cells` and `shades`, which draw one row of the
screen from raw pixels. Pillow is imported by the first picture decoded, never before.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from rich.color import Color
from rich.segment import Segment
from rich.style import Style

from recall_tui.harnesses.images import HEAD, pixel_size
from recall_tui.named import NamedTuple
from recall_tui.tui.notation import counted, size

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_PIXELS: Final = 8 << 20
"""Pixels decoded at most (a screen of 3840 by 2160 is just within): 24 MB of memory."""

MOST_BYTES: Final = 64 << 20
"""Bytes of a material that are looked at."""

_FORMATS: Final = ("PNG", "JPEG", "GIF", "WEBP")
"""The decoders untrusted bytes may reach: what agents exchange, and no more."""

_LARGEST_PIXEL: Final = 8
"""Cells a side to which a pixel of a tiny picture grows when it is fitted."""

_CACHED_BYTES: Final = 48 << 20

_SMALL_BYTES: Final = 64 << 10
"""A scaled picture of no more than this is kept when nobody looks at it: it fills a terminal."""

_SHADES: Final = " ░▒▓█"

RGB = tuple[int, int, int]


class UnshowableError(Exception):
    """A picture cannot be shown; the text is one sentence for a person."""


class Bitmap(NamedTuple):
    """Pixels, row by row."""

    width: int
    height: int
    pixels: bytes
    """Three bytes a pixel: red, green, blue."""

    @property
    def rows(self) -> int:
        """Rows of cells it takes: two pixels each."""
        return -(-self.height // 2)


class Decoded(NamedTuple):
    """A picture ready to be drawn."""

    bitmap: Bitmap
    digest: bytes
    """Of its bytes and the ground below its transparent parts: the key of everything cached."""
    note: str = ""
    """What the picture shows less than all of: `first of 12 frames`."""


class PictureCache:
    """Decoded and scaled pictures by content, the least recently used dropped first.

    Args:
        most_bytes: Pixels kept, in bytes.
    """

    def __init__(self, most_bytes: int = _CACHED_BYTES) -> None:
        self._most = most_bytes
        self._lock = threading.Lock()
        self._decoded: OrderedDict[bytes, Decoded] = OrderedDict()
        self._scaled: OrderedDict[tuple[bytes, int, int], Bitmap] = OrderedDict()

    @property
    def held_bytes(self) -> int:
        """The bytes held now."""
        with self._lock:
            return self._total()

    def decode(self, data: bytes, ground: RGB) -> Decoded:
        """Return the picture in some bytes, transparent parts over a ground colour.

        Raises:
            UnshowableError: They are no picture, broken, or more than is decoded.
        """
        digest = blake2b(data, digest_size=16, key=bytes(ground)).digest()
        with self._lock:
            held = self._decoded.get(digest)
            if held is not None:
                self._decoded.move_to_end(digest)
                return held
        bitmap, note = _decode(data, ground)
        decoded = Decoded(bitmap, digest, note)
        with self._lock:
            self._decoded[digest] = decoded
            self._trim()
        return decoded

    def fitted(self, picture: Decoded, columns: int, rows: int) -> Bitmap:
        """Return a picture scaled to fit into some cells, its proportions kept."""
        key = (picture.digest, columns, rows)
        with self._lock:
            held = self._scaled.get(key)
            if held is not None:
                self._scaled.move_to_end(key)
                return held
        bitmap = fit(picture.bitmap, columns, rows)
        with self._lock:
            self._scaled[key] = bitmap
            self._trim()
        return bitmap

    def let_go(self) -> None:
        """Drop all but thumbnails: nobody looks at the pictures, and one is up to 24 MB."""
        with self._lock:
            self._decoded.clear()
            for key in [
                key for key, held in self._scaled.items() if len(held.pixels) > _SMALL_BYTES
            ]:
                del self._scaled[key]

    def _total(self) -> int:
        whole = sum(len(held.bitmap.pixels) for held in self._decoded.values())
        return whole + sum(len(bitmap.pixels) for bitmap in self._scaled.values())

    def _trim(self) -> None:
        while self._total() > self._most and len(self._decoded) > 1:
            self._decoded.popitem(last=False)
        while self._total() > self._most and len(self._scaled) > 1:
            self._scaled.popitem(last=False)


def _decode(data: bytes, ground: RGB) -> tuple[Bitmap, str]:
    """Return the pixels of a picture and what is left out of it."""
    width, height = pixel_size(data[:HEAD])
    _check_size(width, height, len(data))
    from io import BytesIO

    from PIL import Image, ImageOps

    try:
        with Image.open(BytesIO(data), formats=_FORMATS) as image:
            _check_size(*image.size, len(data))
            frames = getattr(image, "n_frames", 1) if len(data) <= MOST_PIXELS else 1
            image.draft("RGB", image.size)
            ImageOps.exif_transpose(image, in_place=True)  # else it copies, upright or not
            flat = _flat(image, ground)
            bitmap = Bitmap(flat.width, flat.height, flat.tobytes())
    except UnshowableError:
        raise
    except Exception as error:  # a decoder fed with hostile bytes may raise anything
        raise UnshowableError(f"The picture is broken: {_first_words(error)}.") from error
    note = f"first of {counted(frames, 'frame')}" if frames > 1 else ""
    return bitmap, note


def _check_size(width: int, height: int, count: int) -> None:
    if width <= 0 or height <= 0:
        raise UnshowableError("These bytes are no picture Recall can read.")
    if width * height > MOST_PIXELS:
        raise UnshowableError(
            f"The picture is too large to show here: {width:,} by {height:,} pixels in "
            f"{size(count)}."
        )


def _first_words(error: Exception) -> str:
    """Return what a decoder said, short; its own words may quote the bytes."""
    words = str(error).split("\n")[0]
    return words[:80] if words.isascii() and words.isprintable() and words else "it ends too early"


def _flat(image: Image, ground: RGB) -> Image:
    """Return an image without transparency."""
    from PIL import Image as Pillow

    if image.mode in {"I;16", "I"}:
        image = image.point(lambda value: value / 257).convert("L")
    if image.mode in {"RGBA", "LA", "PA"} or "transparency" in image.info:
        above = image.convert("RGBA")
        below = Pillow.new("RGBA", above.size, (*ground, 255))
        return Pillow.alpha_composite(below, above).convert("RGB")
    return image if image.mode == "RGB" else image.convert("RGB")


def pillow_image(bitmap: Bitmap) -> Image:
    """Return a bitmap as Pillow has it, for the widgets that draw real pixels."""
    from PIL import Image

    return Image.frombytes("RGB", (bitmap.width, bitmap.height), bitmap.pixels)


def fit(bitmap: Bitmap, columns: int, rows: int) -> Bitmap:
    """Return a bitmap scaled to fit `columns` by `rows` cells; a tiny one grows by whole pixels."""
    from PIL.Image import Resampling

    columns, rows = max(1, columns), max(1, rows)
    scale = min(columns / bitmap.width, 2 * rows / bitmap.height)
    if 1 <= scale < 2:
        return bitmap
    if scale >= 2:
        scale = min(int(scale), _LARGEST_PIXEL)
    width = max(1, round(bitmap.width * scale))
    height = max(1, round(bitmap.height * scale))
    how = Resampling.NEAREST if scale > 1 else Resampling.BOX
    scaled = pillow_image(bitmap).resize((width, height), how)
    return Bitmap(width, height, scaled.tobytes())


# Drawing


@lru_cache(maxsize=8192)
def _style(top: bytes, bottom: bytes) -> Style:
    """Return the style of a cell: the upper pixel in front, the lower one behind."""
    below = Color.from_rgb(*bottom) if bottom else None
    return Style.from_color(Color.from_rgb(*top), below)


def half_cells(bitmap: Bitmap, row: int, left: int, columns: int) -> list[Segment]:
    """Return one row of cells of a bitmap, cropped; equal neighbours are one segment.

    Args:
        bitmap: What to draw.
        row: Row of cells, from 0.
        left: First pixel column.
        columns: Cells, at most; fewer when the bitmap ends.
    """
    upper, lower = _pixel_rows(bitmap, row, left, columns)
    segments: list[Segment] = []
    run, held = 0, (b"", b"")
    for at in range(0, len(upper), 3):
        pair = (upper[at : at + 3], lower[at : at + 3])
        if pair != held and run:
            segments.append(_cells(held, run))
            run = 0
        held = pair
        run += 1
    if run:
        segments.append(_cells(held, run))
    return segments


def _cells(pair: tuple[bytes, bytes], run: int) -> Segment:
    return Segment((" " if pair[0] == pair[1] else "▀") * run, _style(*pair))


def shades(bitmap: Bitmap, row: int, left: int, columns: int) -> list[Segment]:
    """Return one row of a bitmap for a terminal without colours: five shades of brightness."""
    upper, lower = _pixel_rows(bitmap, row, left, columns)
    lower = lower or upper
    text = []
    for at in range(0, len(upper), 3):
        red, green, blue = (upper[at + n] + lower[at + n] for n in range(3))
        light = (299 * red + 587 * green + 114 * blue) // 2000
        text.append(_SHADES[min(4, light * 5 // 256)])
    return [Segment("".join(text))]


def _pixel_rows(bitmap: Bitmap, row: int, left: int, columns: int) -> tuple[bytes, bytes]:
    """Return the upper and the lower pixels of a row of cells; no lower ones below the last."""
    stride = 3 * bitmap.width
    first = 3 * max(0, min(left, bitmap.width))
    last = min(stride, first + 3 * columns)
    start = 2 * row * stride
    upper = bitmap.pixels[start + first : start + last]
    if 2 * row + 1 >= bitmap.height:
        return upper, b""
    return upper, bitmap.pixels[start + stride + first : start + stride + last]
