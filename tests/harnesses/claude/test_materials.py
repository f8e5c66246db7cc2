"""Pictures and documents: measured without being decoded, read again on demand."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import pytest

from recall_tui.errors import SourceError
from recall_tui.harnesses import inline
from tests.harnesses.claude.build import SESSION, Lines, image, png, text
from tests.harnesses.steps import source_of

if TYPE_CHECKING:
    from pathlib import Path

    from recall_tui.harnesses.claude import Claude
    from recall_tui.model import Material


def materials(transcript: Any) -> list[Material]:
    return [material for message in transcript.messages for material in message.materials]


def test_pictures_of_a_prompt(read: Any, claude: Claude, place: Path) -> None:
    first, second = png(640, 480, 300), png(10, 20, 301)
    lines = Lines()
    lines.user([image(first), text("[Image #1] [Image #2] look"), image(second)])
    one, two = materials(read(lines))
    assert (one.kind, one.mime, one.bytes, one.width, one.height) == (
        "image", "image/png", 300, 640, 480,
    )  # fmt: skip
    assert (two.bytes, two.width, two.height) == (301, 10, 20)
    assert one.id != two.id
    source = source_of(claude, place)
    assert claude.material(source, one.locator) == base64.b64decode(first)
    assert claude.material(source, two.locator) == base64.b64decode(second)


def test_the_twin_of_a_picture_is_not_counted(read: Any) -> None:
    data = png(8, 8)
    lines = Lines()
    lines.call("t1", "Read", file_path=r"C:\pictures\a b.png")
    lines.result(
        "t1", [image(data)], {"type": "image", "file": {"base64": data, "type": "image/png"}}
    )
    (material,) = materials(read(lines))
    assert material.name == "a b.png"
    assert "message.content.0.content.0" in material.locator


def test_a_picture_only_in_the_structured_result_is_found(
    read: Any, claude: Claude, place: Path
) -> None:
    data = png(8, 9)
    lines = Lines()
    lines.call("t1", "Read", file_path="/a.png")
    lines.result("t1", "", {"type": "image", "file": {"base64": data, "type": "image/png"}})
    transcript = read(lines)
    (material,) = materials(transcript)
    assert (material.name, material.height) == ("a.png", 9)
    assert transcript.messages[1].text == ""
    assert claude.material(source_of(claude, place), material.locator) == base64.b64decode(data)


def test_documents_and_what_is_not_here(read: Any, claude: Claude, place: Path) -> None:
    pdf = base64.b64encode(b"%PDF-1.7 content").decode()
    source = {"type": "base64", "media_type": "application/pdf", "data": pdf}
    plain = {"type": "text", "media_type": "text/plain", "data": "früh"}
    lines = Lines()
    lines.user(
        [
            {"type": "document", "source": source, "title": "spec.pdf"},
            {"type": "document", "source": plain},
            {"type": "image", "source": {"type": "url", "url": "https://host/x.png"}},
            {"type": "image"},
        ]
    )
    whole = materials(read(lines))
    assert [(m.name, m.kind, m.bytes) for m in whole] == [
        ("spec.pdf", "pdf", 16),
        ("", "text", 5),
        ("", "other", -1),
        ("", "other", -1),
    ]
    origin = source_of(claude, place)
    assert claude.material(origin, whole[0].locator) == b"%PDF-1.7 content"
    assert claude.material(origin, whole[1].locator) == "früh".encode()
    with pytest.raises(SourceError, match="no longer"):
        claude.material(origin, whole[2].locator)


def test_an_attached_picture_file(read: Any, claude: Claude, place: Path) -> None:
    body = {"type": "image", "file": {"base64": png(3, 4), "type": "image/png"}}
    lines = Lines()
    lines.attachment("file", filename="/p/shot.png", content=body)
    transcript = read(lines)
    (material,) = materials(transcript)
    assert (material.name, material.width) == ("shot.png", 3)
    assert transcript.messages[0].rest == ""
    assert claude.material(source_of(claude, place), material.locator).startswith(b"\x89PNG")


def test_ids_are_the_same_in_a_fork_and_after_growth(read: Any, place: Path) -> None:
    lines = Lines()
    lines.user([image(png(8, 8))], uuid="record-1")
    before = materials(read(lines))
    fork = Lines(session="99999999-2222-4333-8444-555555555555")
    fork.user("something before")
    fork.user([image(png(8, 8))], uuid="record-1")
    after = materials(read(fork, place.with_name("99999999-2222-4333-8444-555555555555.jsonl")))
    assert [m.id for m in before] == [m.id for m in after]
    assert before[0].locator != after[0].locator


def test_a_jpeg_behind_its_thumbnail_and_escaped_base64(read: Any) -> None:
    thumbnail = b"\xff\xe1" + (20_002).to_bytes(2, "big") + b"\0" * 20_000
    frame = b"\xff\xc0\x00\x11\x08" + (480).to_bytes(2, "big") + (640).to_bytes(2, "big")
    jpeg = base64.b64encode(b"\xff\xd8" + thumbnail + frame + b"\0" * 100).decode()
    lines = Lines()
    lines.user([image(jpeg, "image/jpeg"), image(png(5, 6))])
    lines.lines[0] = lines.lines[0].replace(b"/", b"\\/")
    first, second = materials(read(lines))
    assert (first.width, first.height) == (640, 480)
    assert (second.width, second.height, second.bytes) == (5, 6, 200)


def test_broken_materials_are_errors_with_a_place(place: Path, claude: Claude) -> None:
    lines = Lines()
    lines.user([image("not!base64")])
    source = source_of(claude, lines.write(place))
    for locator in (
        "0:message.content.0.source",
        "0:message.content.7.source",
        "0:message",
        "5:message.content.0.source",
        "99999:message.content.0.source",
        "x:y",
        "",
        "-1:message",
    ):
        with pytest.raises(SourceError, match=SESSION):
            claude.material(source, locator)
    place.unlink()
    with pytest.raises(SourceError, match=SESSION):
        claude.material(source, "0:message.content.0.source")


def test_a_picture_on_a_damaged_line_is_read(place: Path, claude: Claude, read: Any) -> None:
    data = png(7, 7)
    lines = Lines()
    lines.user([text("X"), image(data)])
    lines.lines[0] = lines.lines[0].replace(b'"X"', b'"\\ud83d"')
    transcript = read(lines)
    (material,) = materials(transcript)
    assert transcript.messages[0].text == "\ufffd"
    assert claude.material(source_of(claude, place), material.locator) == base64.b64decode(data)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 100, 101, 102, 5000])
def test_the_size_is_that_of_the_bytes(size: int) -> None:
    import msgspec

    for padded in (True, False):
        data = base64.b64encode(b"x" * size).decode().rstrip("=" if not padded else "")
        raw = msgspec.Raw(json.dumps(data).encode())
        material = inline.from_base64(raw, "image/png", "r", "", "0:a")
        assert (material.bytes if material else 0) == size
