"""What the tests of the Codex reader share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from recall_tui.harnesses.codex import Codex
from tests.harnesses.codex.build import Rollout
from tests.harnesses.steps import source_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from recall_tui.harnesses.base import Parsed, Transcript

    Read = Callable[..., tuple[list[Parsed], Transcript]]


@pytest.fixture
def codex() -> Codex:
    return Codex()


@pytest.fixture
def day(home: Path) -> Path:
    """The folder of a day's sessions."""
    folder = home / ".codex" / "sessions" / "2026" / "02" / "03"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def read(day: Path, codex: Codex) -> Read:
    """Write a rollout (or take a file) and read it to the end."""

    def run(what: Rollout | Path) -> tuple[list[Parsed], Transcript]:
        path = what.write(day) if isinstance(what, Rollout) else what
        transcript = codex.open(source_of(codex, path))
        return list(transcript), transcript

    return run


def told(messages: list[Parsed]) -> list[tuple[str, str]]:
    """Messages as (kind, text)."""
    return [(message.kind.word, message.text) for message in messages]
