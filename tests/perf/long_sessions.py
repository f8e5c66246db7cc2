"""Sessions larger than anybody's, made for measurements."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Final

from recall_tui.clock import to_iso

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

START_MS: Final = 1_767_225_600_000
_LARGE_BYTES: Final = 150_000_000


def write_large(path: Path) -> None:
    """Write a session of 170 MB: messages of 8 KB, one pasted picture of 20 MB."""
    data = "QUJD" * 5_000_000
    picture: object = [
        {"type": "text", "text": "a picture"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}},
    ]
    with path.open("w", encoding="utf-8") as file:
        for number, text in enumerate(_texts(1200), 1):
            if file.tell() >= _LARGE_BYTES:
                return
            content: object = picture if number == 5001 else text
            if number % 2 == 0:
                content = [{"type": "text", "text": text}]
            file.write(_line(path.stem, number, content, answer=number % 2 == 0))


def write_long(path: Path, messages: int) -> None:
    """Write a session of many small messages: a prompt, a command, its output, an answer."""
    with path.open("w", encoding="utf-8") as file:
        for number, text in zip(range(1, messages + 1), _texts(20), strict=False):
            command = {"type": "tool_use", "id": f"t{number}", "name": "Bash",
                       "input": {"command": f"rg -n {text[:6]}"}}  # fmt: skip
            output = {"type": "tool_result", "tool_use_id": f"t{number - 1}", "content": text}
            said = {"type": "text", "text": text}
            content: object = ([said], text, [command], [output])[number % 4]
            file.write(_line(path.stem, number, content, answer=number % 2 == 0))


def _texts(words: int) -> Iterator[str]:
    """Yield texts of so many words, always the same ones."""
    draw = random.Random(7)
    known = [f"w{draw.randrange(50_000):05d}" for _ in range(4000)]
    while True:
        yield " ".join(draw.choices(known, k=words))


def _line(session: str, number: int, content: object, *, answer: bool) -> str:
    """Return a record of a Claude session."""
    record: dict[str, object] = {
        "parentUuid": _uuid(number - 1), "isSidechain": False, "cwd": "/work/large",
        "sessionId": session, "version": "2.0.1", "gitBranch": "main", "uuid": _uuid(number),
        "timestamp": to_iso(START_MS + number * 1000),
    }  # fmt: skip
    if answer:
        record |= {"type": "assistant", "message": {
            "id": f"m{number}", "role": "assistant", "model": "m", "content": content}}  # fmt: skip
    else:
        record |= {"type": "user", "message": {"role": "user", "content": content}}
    return json.dumps(record) + "\n"


def _uuid(number: int) -> str | None:
    return f"{number:08x}-0000-4000-8000-000000000000" if number > 0 else None
