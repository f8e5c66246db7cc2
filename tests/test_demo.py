"""The demo history: real files, fresh ages, stable references, no secret in a file of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from recall_tui import clock, demo
from recall_tui.history import History
from recall_tui.model import Kind, SessionKind
from recall_tui.search.results import GrepQuery

HOUR_MS = 3_600_000


@pytest.fixture
def history() -> Iterator[History]:
    with closing(History.open(demo=True)) as opened:
        opened.sync()
        yield opened


def test_six_harnesses_are_read_without_a_loss(history: History) -> None:
    sessions = history.sessions()
    assert {s.harness for s in sessions} == {
        "claude", "codex", "pi", "opencode", "gemini", "copilot"
    }  # fmt: skip
    kinds = {gap.kind.value for gap in history.gaps()}
    assert kinds <= {"torn"}, history.gaps()


def test_a_story_of_each_sort_is_there(history: History) -> None:
    sessions = {s.title: s for s in history.sessions()}
    fork = sessions["Backport the clock fix to 0.3"]
    assert fork.copied == fork.messages - 4
    main = sessions["High tide is one hour late after the clock change"]
    assert {s.kind for s in history.children(main)} >= {SessionKind.SUBAGENT}
    assert main.materials == 1
    assert "导出 CSV 在 Excel 里乱码" in sessions
    tree = history.messages(sessions["Queue: Redis streams or Postgres"])
    assert any(message.flags & 1 for message in tree), "an abandoned branch"


def test_the_dummy_secret_is_in_a_source_and_nowhere_else(history: History) -> None:
    secret = demo.stories._DUMMY_TOKEN.encode()
    folder = Path(history.paths.data).parent
    holding = [path for path in folder.rglob("*") if path.is_file() and secret in path.read_bytes()]
    assert len(holding) == 1
    assert holding[0].name.startswith("rollout-")


def test_the_picture_comes_back_byte_for_byte(history: History) -> None:
    [update] = [u for u in history.grep(GrepQuery("what a visitor sent me")) if u.done]
    hits = [h for u in history.grep(GrepQuery("what a visitor sent me")) for h in u.hits]
    assert update.total == 1
    message = history.resolve(hits[0].reference).message
    assert message is not None
    assert message.kind is Kind.PROMPT
    [material] = message.materials
    data = history.material(hits[0].reference, material.id)
    assert data == demo.story.picture("esbjerg-one-hour-late.png")
    assert (material.width, material.height) == (320, 200)


def test_opening_again_reuses_the_history_and_a_stale_one_is_replaced(tmp_path: Path) -> None:
    now = clock.now_ms()
    folder = tmp_path / "demo"
    first = demo.ensure(folder, now)
    (folder / "kept").touch()
    assert demo.ensure(folder, now + HOUR_MS) == first
    assert (folder / "kept").exists()
    demo.ensure(folder, now + 7 * HOUR_MS)
    assert not (folder / "kept").exists()
