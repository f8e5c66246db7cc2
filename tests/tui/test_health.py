"""Health: gaps, the retention guard, the doctor's lines, the sync; each with what to do."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from recall_tui.doctor import Check, Level
from recall_tui.doctor.damage import damage_checks
from recall_tui.model import Gap, GapKind, Reach
from recall_tui.store.damage import Damaged
from recall_tui.store.sync.progress import SyncProgress
from recall_tui.tui import bars, health
from recall_tui.tui.app import DEMO, RecallApp
from recall_tui.tui.bars import Coverage
from recall_tui.tui.gap_words import joined, summary
from recall_tui.tui.health import Deed, HealthListing, Item
from recall_tui.tui.messages import SyncReported
from recall_tui.tui.screens.health import HealthScreen
from recall_tui.tui.widgets.result_list import ResultList
from recall_tui.tui.widgets.row import Row
from recall_tui.tui.widgets.sheet import Sheet
from tests.tui.conftest import make
from tests.tui.driving import main_of, rested, results_of, until
from tests.tui.fake import CHECKS, HOME, NO_HISTORY_GAPS, NOW, STANDARD_GAPS, FakeHistory

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


def item_of(gap: Gap, *, reading: bool = False) -> Item:
    (item,) = health.of_gaps([gap], reading=reading)
    return item


def test_enter_does_the_next_step_where_recall_can(tmp_path: Path) -> None:
    log = tmp_path / "a.jsonl"
    log.write_text("{}")
    deeds = {
        "recall index": Deed.READ, "recall index waits for it": Deed.READ,
        "check its permissions, then run recall index": Deed.READ,
        "what was read before is kept; it is tried again when it changes": Deed.READ,
        "recall index --rebuild makes it anew from the sources": Deed.REBUILD,
        "recall --demo shows a sample": Deed.DEMO, "chmod u+r /x": Deed.COPY,
    }  # fmt: skip
    for action, deed in deeds.items():
        item = item_of(Gap(GapKind.UNREADABLE, 1, "it is", action, "/x/index.db"))
        assert item.deed is deed, action
        assert [("⏎ ", "strong"), (deed, "muted")] in HealthListing([item], HOME).whole(0, "⏎")
    assert item_of(Gap(GapKind.UNREADABLE, 1, "it is", "", str(log))).deed is Deed.FILE
    assert item_of(Gap(GapKind.UNREADABLE, 1, "it is", "", str(tmp_path))).deed is Deed.NOTHING


def test_the_line_that_keeps_transcripts_is_copied_and_its_file_opened(tmp_path: Path) -> None:
    settings = str(tmp_path / "settings.json")
    for soon in (0, 2):
        facts = {"settings": settings, "days": 30, "soon": soon, "soon_days": 7}
        check = Check("retention", Level.WARN, "claude", "it deletes", "set it", facts)
        (item,) = health.of_checks([check])
        assert (item.deed, item.copy) == (Deed.SETTING, '"cleanupPeriodDays": 3650'), soon


def test_what_is_being_read_needs_nobody_to_do_it() -> None:
    waiting = Gap(GapKind.NOT_INDEXED, 5, "not indexed yet: 5 sources", "recall index")
    assert item_of(waiting).deed is Deed.READ
    item = item_of(waiting, reading=True)
    assert (item.head, item.detail, item.action) == (
        "5 sessions not indexed yet", "being read now", "",
    )  # fmt: skip


def test_what_needs_a_person_comes_first() -> None:
    checks = [
        Check("sources", Level.OK, "pi", "6 found"),
        Check("sources", Level.WARN, "Codex", "1 unreadable"),
        Check("index", Level.OK, "file", "whole"),
        Check("terminal", Level.WARN, "terminal", "latin-1"),
    ]
    items = HealthListing(health.of_checks(checks), HOME).items
    assert [item.head for item in items] == ["Codex", "pi", "terminal", "file"]


def test_of_damage_the_reason_is_said_before_the_path() -> None:
    lost = Damaged("claude", "/x/y.jsonl", "", "", 3, torn=False, unknown=0)
    (item,) = health.of_checks(damage_checks([lost]))
    assert (item.head, item.detail, item.file) == ("3 damaged lines", "/x/y.jsonl", "/x/y.jsonl")


async def test_the_next_step_is_done_and_looked_at_again() -> None:
    looked: list[int] = []
    gap = Gap(GapKind.NOT_INDEXED, 5, "not indexed yet: 5 sources", "recall index")
    app = make(
        FakeHistory(gaps=[gap]), index=(sys.executable, "-c", "import sys; sys.exit('disk full')"),
        examine=lambda: looked.append(1) or [],
    )  # fmt: skip
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        await pilot.press("alt+g")
        await until(pilot, lambda: isinstance(app.screen, HealthScreen) and len(looked) == 1)
        await pilot.press("enter")
        await until(pilot, lambda: len(looked) == 2)
        assert any("disk full" in notice.message for notice in app._notifications)
    app = make(FakeHistory(gaps=NO_HISTORY_GAPS), examine=lambda: [])
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        await pilot.press("alt+g")
        await until(pilot, lambda: isinstance(app.screen, HealthScreen))
        await pilot.press("enter")
        await until(pilot, lambda: app.return_value == DEMO)


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


async def test_what_ended_the_watching_is_said_with_the_next_key_and_begins_again(
    tmp_path: Path,
) -> None:
    mark = tmp_path / "again"
    code = f"""import os, sys
if os.path.exists({str(mark)!r}): sys.stdin.readline()
elif '--watch' in sys.argv: sys.exit("note: 1\\nrecall:  the disk is full\\n         free space")
open({str(mark)!r}, 'w')"""
    history = FakeHistory(gaps=[])
    app = make(history, index=(sys.executable, "-c", code), live=True)
    async with app.run_test(size=WIDE) as pilot:
        banner = main_of(pilot).row("banner")
        said = "live updates are off: the disk is full · free space"
        await until(pilot, lambda: said in banner.text)
        assert "alt+g" in banner.text
        assert not history.live, "whoever asks looks at the sources"
        await pilot.press("alt+g")
        await until(pilot, lambda: isinstance(app.screen, HealthScreen))
        rows = app.screen.query_one(ResultList)
        await until(pilot, lambda: said in drawn(rows.listing))  # type: ignore[arg-type]
        await pilot.press("enter")
        await until(pilot, lambda: mark.exists() and app._watching and history.live)


async def test_what_cannot_be_kept_live_is_read_by_whoever_asks(home: Path, tmp_path: Path) -> None:
    from recall_tui import demo
    from recall_tui.history import History

    history = History.open(demo.build(tmp_path / "agents", NOW), live=True)
    code = "import sys; sys.exit('it cannot be started')"
    app = make(history, index=(sys.executable, "-c", code), live=True)
    async with app.run_test(size=WIDE) as pilot:
        banner = main_of(pilot).row("banner")
        await until(pilot, lambda: "it cannot be started" in banner.text)
        await until(pilot, lambda: len(results_of(pilot).listing or ()) == 10, "they were found")
    history.close()
