"""What the tests of the search room share."""

from __future__ import annotations

import pytest

from recall_tui.search import aside


@pytest.fixture
def forking(monkeypatch):
    """A child is started wherever one is asked for, whatever else runs here."""
    monkeypatch.setattr(aside, "_alone", lambda: True)
    monkeypatch.setattr(aside, "_a_core_is_idle", lambda: True)
