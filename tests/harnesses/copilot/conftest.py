"""What the tests of the Copilot reader share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from recall_tui.harnesses.copilot import Copilot
from tests.harnesses.copilot.build import Events
from tests.harnesses.steps import source_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from recall_tui.harnesses.base import Parsed, Transcript

    Read = Callable[..., tuple[list[Parsed], Transcript]]


@pytest.fixture
def copilot() -> Copilot:
    return Copilot()


@pytest.fixture
def state(home: Path) -> Path:
    """The folder of sessions."""
    folder = home / ".copilot" / "session-state"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def read(state: Path, copilot: Copilot) -> Read:
    """Write events (or take a file) and read them to the end."""

    def run(what: Events | Path) -> tuple[list[Parsed], Transcript]:
        path = what.write(state) if isinstance(what, Events) else what
        transcript = copilot.open(source_of(copilot, path))
        return list(transcript), transcript

    return run


def told(messages: list[Parsed]) -> list[tuple[str, str]]:
    """Messages as (kind, text)."""
    return [(message.kind.word, message.text) for message in messages]
