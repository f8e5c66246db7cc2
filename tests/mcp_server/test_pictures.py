"""Pictures without their words: the same pixels, and nothing that was written beside them."""

from __future__ import annotations

import io

import pytest
from PIL import Image, PngImagePlugin

from recall_tui.mcp_server.pictures import wordless

SECRET = b"zq-planted-words"


def drawn(kind: str) -> Image.Image:
    picture = Image.new("RGB", (16, 9), "red")
    picture.putpixel((3, 4), (0, 0, 255))
    return picture.convert("P") if kind == "GIF" else picture


def saved(kind: str, **options) -> bytes:
    out = io.BytesIO()
    exif = Image.Exif()
    exif[270] = SECRET.decode()
    if kind == "PNG":
        info = PngImagePlugin.PngInfo()
        info.add_text("Comment", SECRET.decode())
        info.add_itxt("XML:com.adobe.xmp", SECRET.decode())
        options |= {"pnginfo": info, "exif": exif}
    elif kind == "GIF":
        second = drawn(kind).transpose(Image.Transpose.ROTATE_180)
        options |= {"comment": SECRET, "save_all": True, "append_images": [second], "loop": 0}
    else:
        options |= {"exif": exif, "xmp": SECRET}
        options |= {"comment": SECRET} if kind == "JPEG" else {"lossless": True}
    drawn(kind).save(out, kind, **options)
    return out.getvalue()


@pytest.mark.contract("X-3")
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_a_picture_loses_its_words_and_no_pixel(kind):
    data = saved(kind)
    assert SECRET in data
    clean = wordless(data + SECRET)
    assert SECRET not in clean
    old, new = (Image.open(io.BytesIO(each)) for each in (data, clean))
    assert getattr(old, "n_frames", 1) == getattr(new, "n_frames", 1)
    assert old.convert("RGB").tobytes() == new.convert("RGB").tobytes()
    assert wordless(clean) == clean


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_what_is_cut_off_is_no_fault(kind):
    data = saved(kind)
    for size in range(len(data)):
        assert len(wordless(data[:size])) <= size + 1
