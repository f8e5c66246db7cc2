"""Pictures made for tests, good and hostile; and a history whose message holds them."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO
from typing import TYPE_CHECKING

from PIL import Image, ImageDraw

from recall_tui.model import Flag, Material
from tests.tui.fake import NOW, FakeHistory, Talk

if TYPE_CHECKING:
    from collections.abc import Mapping


def scene(width: int = 640, height: int = 400) -> Image.Image:
    """A sky, a sun, hills, some words: enough to see whether a picture is upright."""
    image = Image.new("RGB", (width, height))
    draw = ImageDraw.Draw(image)
    for y in range(height):
        share = y / height
        draw.line((0, y, width, y), (int(40 + 180 * share), int(90 + 90 * share), 190))
    sun = width // 6
    draw.ellipse((width - 2 * sun, sun // 3, width - sun, sun // 3 + sun), (255, 220, 120))
    hills = [(0, height), (0, height * 2 // 3), (width // 3, height // 2), (width, height)]
    draw.polygon(hills, (30, 90, 60))
    draw.polygon(
        [(width // 4, height), (width * 3 // 4, height // 2), (width, height)], (20, 60, 50)
    )
    draw.rectangle((width // 80, height // 50, width // 3, height // 6), (250, 250, 250))
    draw.rectangle((width // 40, height // 25, width // 4, height // 7), (200, 40, 40))
    return image


def encoded(image: Image.Image, form: str = "PNG", **more: object) -> bytes:
    """An image as the bytes of a file."""
    out = BytesIO()
    image.save(out, form, **more)  # type: ignore[arg-type]
    return out.getvalue()


def png(width: int = 640, height: int = 400) -> bytes:
    """A good picture."""
    return encoded(scene(width, height))


def animated() -> bytes:
    """A GIF of three frames, the first one red."""
    frames = [Image.new("RGB", (24, 16), colour) for colour in ("red", "green", "blue")]
    return encoded(frames[0], "GIF", save_all=True, append_images=frames[1:], duration=50)


def transparent() -> bytes:
    """A picture that is half nothing."""
    image = Image.new("RGBA", (40, 40), (0, 0, 0, 0))
    ImageDraw.Draw(image).rectangle((0, 0, 40, 19), (0, 200, 0, 255))
    return encoded(image)


def bomb(side: int = 60_000) -> bytes:
    """A PNG of a few bytes that says it is 3.6 billion pixels."""

    def chunk(name: bytes, body: bytes) -> bytes:
        checksum = zlib.crc32(name + body)
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", checksum)

    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    body = zlib.compress(b"\0" * 100_000)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")
    )


def cut_short() -> bytes:
    """A PNG whose second half is missing."""
    whole = png(320, 200)
    return whole[: len(whole) // 2]


NOTES = """# Crash notes

The overflow comes from `budget()`.
key = ghp_wJ8sKq2LmZ9xVb4NcR7tYp3HdF6gAe1UiO0s
\x1b]0;owned\x07\x1b[31mred\x1b[0m and \u202eevil

- first line
- second line
"""


def held(
    files: Mapping[str, bytes], *, kinds: Mapping[str, str] | None = None, sizes: bool = True
) -> FakeHistory:
    """A history whose newest session has one prompt that holds these files, by name."""
    history = FakeHistory()
    materials = []
    for number, (name, data) in enumerate(files.items()):
        kind = (kinds or {}).get(name, "image")
        width, height = (640, 400) if kind == "image" else (0, 0)
        mime = {"image": "image/png", "pdf": "application/pdf", "text": "text/plain"}.get(kind, "")
        identity = f"p{number}"
        materials.append(
            Material(identity, name, kind, mime, len(data) if sizes else -1, width, height)
        )
        history.bytes[identity] = data
    talk = Talk("claude", "look at these screenshots", "app", NOW - 1000)
    talk.you("what is wrong here?", materials=tuple(materials), flags=int(Flag.MATERIAL))
    talk.agent("The sun is on the left.")
    history.add(talk, 77)
    return history
