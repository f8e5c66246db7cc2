"""A pinned set of questions over the demo history: what must stay first while weights move."""

from __future__ import annotations

import pytest

from recall_tui.history import History
from recall_tui.search.recall.request import RecallRequest


@pytest.fixture(scope="module")
def history(tmp_path_factory):
    env = {"RECALL_HOME": str(tmp_path_factory.mktemp("demo")), "RECALL_BACKGROUND": "0"}
    opened = History.open(env=env, demo=True)
    opened.sync()
    yield opened
    opened.close()


PINNED = [
    ("why is high tide an hour late after the clocks changed", "High tide is one hour late"),
    ("slow rendering of map tiles", "Tile rendering takes 14 seconds"),
    ("which port was already in use in the flaky test", "Flaky test: port already in use"),
    ("should the queue use Redis or Postgres", "Queue: Redis streams or Postgres"),
    ("test_high_tide_across_dst_change", "High tide is one hour late"),
    ("stylesheet missing from the wheel", "Wheel misses the stylesheet"),
    ("Excel 打开 CSV 乱码", "导出 CSV 在 Excel 里乱码"),
    ("乱码", "导出 CSV 在 Excel 里乱码"),
    ("地図のショートカット", "地図画面のキーボードショートカット"),
    ("alerts by mail, not SMS", "Add an alert when the water"),
    ("contour.py smooth", "Tile rendering takes 14 seconds"),
    ("backported the fix of the clock", "Backport the clock fix"),
]


@pytest.mark.parametrize(("question", "title"), PINNED)
def test_the_session_that_answers_is_first(history, question, title):
    answer = history.recall(RecallRequest(sentence=question))
    assert answer.passages[0].session.title.startswith(title)
    assert answer.reach.complete


def test_every_reference_of_an_answer_can_be_extended(history):
    from recall_tui.search.recall.request import MoreRequest

    answer = history.recall(RecallRequest(terms=("tide", "error")))
    assert answer.passages
    for passage in answer.passages:
        more = history.more(MoreRequest(str(passage.anchor)))
        assert passage.anchor in {message.reference for message in more.messages}
