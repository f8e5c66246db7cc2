"""How a person last looked at things is there again; a broken file changes nothing."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest

from recall_tui.search.results import Case
from recall_tui.tui import first_frame, kept
from recall_tui.tui.arrangement import Arrangement, Group, Order
from recall_tui.tui.kept import Kept
from recall_tui.tui.query import Mode, Switches
from tests.tui.conftest import make
from tests.tui.driving import main_of, rested

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "new" / "looks.json"
    for mode in Mode:
        for case in Case:
            for order in Order:
                for group in Group:
                    looks = Kept(
                        Switches(mode, case, word=True, regex=True), Arrangement(order, group)
                    )
                    kept.write(str(path), looks)
                    assert kept.read(str(path)) == looks
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in path.parent.iterdir()] == ["looks.json"]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"mode": 7, "case": [], "word": "yes", "order": "no"}', "\xff"]
)
def test_a_broken_file_changes_nothing(text: str, tmp_path: Path) -> None:
    path = tmp_path / "looks.json"
    path.write_bytes(text.encode("latin-1"))
    assert kept.read(str(path)) == Kept()


def test_a_disk_that_cannot_be_written_only_forgets(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    kept.write(str(tmp_path / "file" / "looks.json"), Kept())


async def test_mode_switches_and_arrangement_come_back(tmp_path: Path) -> None:
    path = str(tmp_path / "looks.json")
    async with make(kept_in=path).run_test() as pilot:
        await rested(pilot)
        await pilot.press("alt+w", "ctrl+t", "alt+o", "alt+p")
    async with make(kept_in=path).run_test() as pilot:
        await rested(pilot)
        main = main_of(pilot)
        assert main._search.switches == Switches(Mode.RECALL, word=True)
        assert main._arrangement == Arrangement(Order.SIZE, Group.PROJECT)
        assert main.has_class("-recall")


async def test_the_theme_that_was_chosen_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "looks.json"
    async with make(kept_in=str(path)).run_test() as pilot:
        await rested(pilot)
    assert not path.exists(), "nothing was chosen"
    async with make(kept_in=str(path)).run_test() as pilot:
        await rested(pilot)
        await pilot.press("alt+t")
    assert first_frame.theme({"TERM": "xterm-256color"}, str(path), "recall") == "recall-light"
    async with make(kept_in=str(path), theme="nord").run_test() as pilot:
        await rested(pilot)
        await pilot.press("alt+w")
    assert kept.read(str(path)).theme == "recall-light", "a setting is no choice made in the app"


@pytest.mark.parametrize(
    ("env", "text", "theme"),
    [
        ({"TERM": "xterm-256color"}, "", "recall"),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, '{"theme": "gruvbox"}', "gruvbox"),
        ({"TERM": "xterm-256color"}, '{"theme": "no such"}', "recall"),
        ({"TERM": "xterm-256color"}, '["theme"]', "recall"),
        ({"TERM": "linux"}, "", "ansi-dark"),
        ({"TERM": "linux", "NO_COLOR": "1"}, "", "recall"),
    ],
)
def test_the_theme_of_who_sets_none(
    env: dict[str, str], text: str, theme: str, tmp_path: Path
) -> None:
    path = tmp_path / "looks.json"
    path.write_text(text)
    assert first_frame.theme(env, str(path), "recall") == theme
    assert first_frame.theme({"TERM": "linux"}, "", "recall") == "ansi-dark"


async def test_less_motion_means_a_cursor_that_stands_still(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.undo()  # the tests' own still cursor
    for still in (False, True):
        app = make()
        app.still = still
        async with app.run_test() as pilot:
            await rested(pilot)
            assert main_of(pilot).box.cursor_blink is not still
            assert (app.animation_level == "none") is still
