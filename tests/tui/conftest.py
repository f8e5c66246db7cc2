"""The app under test: a fixed history, a fixed clock, no cursor blink, no animation."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

import pytest
from textual.widgets import Input

from recall_tui.tui.app import RecallApp
from tests.tui.fake import CHECKS, HOME, NOW, FakeHistory

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(autouse=True)
def _still_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Input, "cursor_blink", False)


def make(history: FakeHistory | None = None, **more: object) -> RecallApp:
    """Return the app on a fixed history."""
    more = {"examine": lambda: CHECKS, **more}
    return RecallApp(history or FakeHistory(), now_ms=lambda: NOW, zone=UTC, home=HOME, **more)  # type: ignore[arg-type]


@pytest.fixture
def app() -> RecallApp:
    """The app on the standard history."""
    return make()


@pytest.fixture
def make_app() -> Callable[..., RecallApp]:
    """The app on any history."""
    return make
