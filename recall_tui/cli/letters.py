"""Locales whose streams cannot write every letter."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO


def takes_all_letters(stream: TextIO) -> bool:
    """Whether a stream can write any text: in some locales it knows but a few letters."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return encoding.lower().replace("_", "-") in ("utf-8", "utf8")


def say_others_by_a_mark() -> None:
    """Let what such a stream cannot write become `?`, as everywhere in that locale."""
    for stream in (sys.stdout, sys.stderr):
        if not takes_all_letters(stream) and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
