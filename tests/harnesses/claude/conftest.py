"""What the tests of the Claude Code reader share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from recall_tui.harnesses.claude import Claude
from tests.harnesses.claude.build import SESSION, Lines
from tests.harnesses.steps import source_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from recall_tui.harnesses.base import Transcript

    Read = Callable[..., Transcript]


@pytest.fixture
def claude() -> Claude:
    return Claude()


@pytest.fixture
def place(home: Path) -> Path:
    """The file of a main session, in its place."""
    folder = home / ".claude" / "projects" / "-home-a-my-app"
    folder.mkdir(parents=True)
    return folder / f"{SESSION}.jsonl"


@pytest.fixture
def read(place: Path, claude: Claude) -> Read:
    """Write lines and read them to the end; `.messages` holds what came."""

    def run(lines: Lines, path: Path | None = None) -> Transcript:
        where = lines.write(path or place)
        transcript = claude.open(source_of(claude, where))
        transcript.messages = list(transcript)  # type: ignore[attr-defined]
        return transcript

    return run
