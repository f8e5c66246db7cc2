"""Type, size and pixels of an attachment from its head alone."""

from __future__ import annotations

import base64
import io
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from recall_tui.harnesses import images


def picture(form: str, mode: str = "RGB", **options: object) -> bytes:
    out = io.BytesIO()
    Image.new(mode, (321, 123), 7 if mode == "P" else (9, 99, 200)[: len(mode)]).save(
        out, form, **options
    )
    return out.getvalue()


PICTURES = {
    "png": picture("PNG"),
    "gif": picture("GIF", "P"),
    "jpeg": picture("JPEG"),
    "progressive": picture("JPEG", progressive=True),
    "jpeg behind a profile": picture("JPEG", icc_profile=os.urandom(50_000)),
    "lossy webp": picture("WEBP"),
    "lossless webp": picture("WEBP", lossless=True),
    "extended webp": picture("WEBP", icc_profile=b"x" * 200),
}


@pytest.mark.parametrize("data", PICTURES.values(), ids=PICTURES)
def test_pixels_come_from_the_head(data: bytes) -> None:
    assert images.pixel_size(data) == (321, 123)
    assert images.pixel_size(data[: images.HEAD]) == (321, 123)


@given(st.binary(max_size=80), st.sampled_from(list(PICTURES.values())), st.integers(0, 400))
def test_cut_and_wrong_bytes_have_no_pixels_or_the_right_ones(
    junk: bytes, data: bytes, length: int
) -> None:
    assert images.pixel_size(data[:length]) in ((0, 0), (321, 123))
    width, height = images.pixel_size(data[:12] + junk)
    assert width >= 0
    assert height >= 0


def test_a_data_url_is_not_decoded_whole() -> None:
    data = PICTURES["png"] + bytes(10 * images.HEAD)
    url = f"data:image/png;base64,{base64.b64encode(data).decode()}"
    mime, size, head = images.data_url(url)
    assert (mime, size, len(head)) == ("image/png", len(data), images.HEAD)
    assert data.startswith(head)
    assert images.data_url_bytes(url) == data


@given(st.binary(max_size=200), st.booleans(), st.booleans(), st.booleans())
def test_any_spelling_of_base64(data: bytes, urlsafe: bool, padded: bool, lines: bool) -> None:
    text = (base64.urlsafe_b64encode if urlsafe else base64.b64encode)(data).decode()
    if not padded:
        text = text.rstrip("=")
    if lines:
        text = "\r\n".join(text[i : i + 76] for i in range(0, len(text), 76))
    assert images.base64_size(text) == len(data)
    assert images.base64_head(text) == data
    assert images.base64_bytes(text) == data


def test_other_data_urls() -> None:
    assert images.data_url("data:,a%20b") == ("text/plain", 3, b"a b")
    assert images.data_url("data:text/html;charset=utf-8,<p>") == ("text/html", 3, b"<p>")
    assert images.data_url("file:///a.png") == ("", -1, b"")
    assert images.data_url("data:no comma") == ("", -1, b"")
    with pytest.raises(ValueError, match="not a data URL"):
        images.data_url_bytes("file:///a.png")
    with pytest.raises(ValueError):
        images.data_url_bytes("data:image/png;base64,né")


@given(st.text(max_size=60))
def test_no_text_breaks_it(text: str) -> None:
    mime, size, head = images.data_url(f"data:{text}")
    assert isinstance(mime, str)
    assert size >= -1
    assert isinstance(head, bytes)
    assert isinstance(images.base64_head(text), bytes)


@pytest.mark.parametrize(
    ("mime", "kind"),
    [
        ("image/webp", "image"),
        ("application/pdf", "pdf"),
        ("text/markdown", "text"),
        ("application/json", "text"),
        ("application/zip", "other"),
        ("", "other"),
    ],
)
def test_kinds(mime: str, kind: str) -> None:
    assert images.material_kind(mime) == kind


def test_ids_are_stable_and_apart() -> None:
    assert images.material_id("a", "b") == images.material_id("a", "b")
    assert (
        len({images.material_id("a", "b"), images.material_id("ab"), images.material_id("b", "a")})
        == 3
    )
