"""How often the sources are looked at: each question once, and a command's questions together."""

from __future__ import annotations

import pytest

from recall_tui import demo
from recall_tui.errors import StoreBusyError
from recall_tui.history import History
from recall_tui.upkeep import Upkeep


@pytest.fixture
def upkeep(tmp_path, monkeypatch):
    demo.build(tmp_path, 1_764_500_000_000)
    looks = []
    look = Upkeep._pending
    monkeypatch.setattr(Upkeep, "_pending", lambda self: looks.append(1) or look(self))
    history = History.open(env={"HOME": str(tmp_path), "RECALL_HOME": str(tmp_path / "recall")})
    history._upkeep.looks = looks
    yield history._upkeep
    history.close()


def test_what_a_search_left_alone_is_read_by_who_lists_everything(upkeep):
    assert upkeep.catch_up(0).sources
    assert not upkeep.exists()
    assert upkeep.catch_up() is None
    assert upkeep.exists()


def test_the_questions_of_a_command_share_one_look(upkeep):
    assert upkeep.catch_up() is None
    assert upkeep.catch_up() is None
    assert len(upkeep.looks) == 1
    assert upkeep.catch_up(0) is None
    assert len(upkeep.looks) == 2


def test_what_could_not_be_read_is_not_tried_again_at_once(upkeep, monkeypatch):
    def busy(*_args, **_more):
        raise StoreBusyError("another")

    monkeypatch.setattr(Upkeep, "sync", busy)
    waiting = upkeep.catch_up()
    assert waiting is not None
    assert upkeep.catch_up() is waiting
    assert len(upkeep.looks) == 1
