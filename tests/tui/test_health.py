"""Health: gaps, the retention guard, the doctor's lines, the sync; each with what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recall_tui.model import Gap, GapKind, Reach
from recall_tui.store.sync.progress import SyncProgress
from recall_tui.tui import bars, health
from recall_tui.tui.app import RecallApp
from recall_tui.tui.bars import Coverage
from recall_tui.tui.gap_words import joined, summary
from recall_tui.tui.health import HealthListing
from recall_tui.tui.messages import SyncReported
from recall_tui.tui.screens.health import HealthScreen
from recall_tui.tui.widgets.result_list import ResultList
from recall_tui.tui.widgets.row import Row
from recall_tui.tui.widgets.sheet import Sheet
from tests.tui.conftest import make
from tests.tui.driving import main_of, rested, until
from tests.tui.fake import CHECKS, HOME, NOW, STANDARD_GAPS, FakeHistory

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

WIDE = (120, 40)


def drawn(listing: HealthListing) -> str:
    return "\n".join(line.text for row in range(len(listing)) for line in listing.draw(row, 116, 0))


def test_every_gap_and_every_check_is_a_row() -> None:
    items = [*health.of_gaps(STANDARD_GAPS), *health.of_checks(CHECKS)]
    listing = HealthListing(items, HOME)
    assert len(listing) == len(STANDARD_GAPS) + len(CHECKS)
    groups = [words for _, words in listing.heads]
    assert groups[0] == "Answers may miss something" and "Will be lost" in groups
    assert {"Sources", "Index", "Machine", "Terminal"} <= set(groups)
    words = drawn(listing)
    assert "~/.claude: 5 found" in words and HOME not in words
    assert "→ make room in ~/.recall" in words


def test_the_guard_asks_and_offers_the_setting_without_writing_it() -> None:
    guard = next(one for one in health.of_checks(CHECKS) if "keep them?" in one.head)
    assert guard.head == "Claude Code will delete 2 sessions in 7 days: keep them?"
    assert guard.copy == '"cleanupPeriodDays": 3650'
    assert guard.file == f"{HOME}/.claude/settings.json"
    assert guard.file in guard.action and guard.copy in guard.action
    assert "Recall keeps the text" in guard.detail


def test_a_gap_without_words_of_its_own_is_told_once() -> None:
    (item,) = health.of_gaps([Gap(GapKind.NO_FACTS, 1, "no fact matched")])
    assert (item.head, item.detail, item.copy) == ("no fact matched", "", "no fact matched")


def test_a_gap_that_a_search_meets_again_is_one_gap() -> None:
    known = Gap(GapKind.UNREADABLE, 1, "no database", "", "/x.db")
    met = [known._replace(count=2), Gap(GapKind.TIMED_OUT, 1, "slow")]
    assert summary(joined([known], met), loud=True) == [
        "2 files unreadable",
        "1 block ran out of time",
    ]


def test_the_banner_grows_old_with_the_clock_and_says_nothing_of_age_while_it_is_kept_live() -> (
    None
):
    reach = Reach(sessions_total=9, index_age_ms=500)
    coverage = Coverage(reach, subagents=2, as_of_ms=NOW)

    def words(later_s: int) -> str:
        return bars.banner(coverage, (), "alt+g", NOW + later_s * 1000).left[0].text.strip()

    assert words(0) == "all 7 sessions, read just now"
    assert words(600) == "all 7 sessions, 10 min old"
    coverage.live = True
    assert words(600) == "all 7 sessions"


async def test_the_screen_shows_gaps_at_once_then_the_doctor_and_the_sync(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("recall_tui.tui.screens.health.LOOK_S", 0.02)
    app = make()
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        await pilot.press("alt+g")
        await until(pilot, lambda: isinstance(app.screen, HealthScreen))
        screen = app.screen
        rows = screen.query_one(ResultList)
        whole = len(STANDARD_GAPS) + len(CHECKS)
        await until(pilot, lambda: rows.listing is not None and len(rows.listing) == whole)
        progress = SyncProgress(bytes_done=10**9, bytes_total=4 * 10**9, seconds=10)
        main_of(pilot).post_message(SyncReported(progress))
        reach = screen.query_one("#gap-reach", Row)
        await until(pilot, lambda: "25 % of 4.0 GB · 100 MB/s · 31 s left" in reach.text)
        listing = rows.listing
        assert isinstance(listing, HealthListing)
        guard = next(row for row, one in enumerate(listing.items) if "keep them?" in one.head)
        rows.cursor = guard
        await until(
            pilot, lambda: '"cleanupPeriodDays": 3650 in ~/.claude' in screen.query_one(Sheet).text
        )
        copied: list[str] = []
        monkeypatch.setattr(
            "recall_tui.tui.copying.copy_in_thread", lambda _, text, what: copied.append(text)
        )
        await pilot.press("y")
        await until(pilot, lambda: copied == ['"cleanupPeriodDays": 3650'])
        edited: list[str] = []
        monkeypatch.setattr(app, "_edit", lambda path, line: edited.append(path))
        monkeypatch.setattr(health.os.path, "isfile", lambda path: path.startswith(HOME))
        await pilot.press("v")
        await until(pilot, lambda: edited == [f"{HOME}/.claude/settings.json"])
        await pilot.press("escape")
        assert app.screen is main_of(pilot)


async def test_the_real_doctor_can_be_asked_inside_the_app(tmp_path) -> None:
    from recall_tui.history import History

    history = History.open(env={"RECALL_HOME": str(tmp_path), "HOME": str(tmp_path)}, live=True)
    app = make(history, examine=None)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("alt+g")
        await until(pilot, lambda: isinstance(app.screen, HealthScreen))
        rows = app.screen.query_one(ResultList)
        await until(pilot, lambda: "terminal" in drawn(rows.listing))  # type: ignore[arg-type]
    history.close()


async def test_the_banner_says_quietly_what_will_be_deleted(tmp_path: Path) -> None:
    import os

    history = FakeHistory(gaps=[])
    folder = tmp_path / ".claude"
    folder.mkdir()
    for number, session in enumerate(history._sessions):
        if session.harness == "claude":
            path = folder / f"{number}.jsonl"
            path.write_text("{}")
            os.utime(path, (1, 1))
            history._sessions[number] = session._replace(path=str(path))
    app = RecallApp(history, now_ms=lambda: NOW, home=str(tmp_path), examine=lambda: [])
    async with app.run_test(size=WIDE) as pilot:
        banner = main_of(pilot).row("banner")
        await until(pilot, lambda: "sessions will be deleted soon" in banner.text)
        assert "⚠" not in banner.text and "alt+g" in banner.text
