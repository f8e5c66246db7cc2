"""What is done with a session: jump, note, pin, copy, open, fold, select, come back to."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from textual.widgets import DataTable, Input

from recall_tui.config import load
from recall_tui.errors import ConfigError, HandoffError
from recall_tui.model import SessionKind
from recall_tui.playbooks import programs
from recall_tui.tui import attachments, foreground
from recall_tui.tui.copies import blocks
from recall_tui.tui.foreground import filled, template
from recall_tui.tui.places import at_time, moment
from recall_tui.tui.screens.ask import AskScreen
from recall_tui.tui.screens.choose import Choices, ChooseScreen
from recall_tui.tui.screens.handoff import HandoffScreen
from recall_tui.tui.screens.outline import OutlineListing, OutlineScreen
from recall_tui.tui.screens.pick import NotesScreen, PickScreen
from recall_tui.tui.screens.statistics import StatisticsScreen, short
from recall_tui.tui.source_line import line_of
from recall_tui.tui.statistics import statistics
from recall_tui.tui.widgets.notice import Notice
from recall_tui.tui.widgets.result_list import ResultList
from recall_tui.tui.widgets.row import Row
from recall_tui.tui.widgets.sheet import Sheet
from tests.tui.conftest import make
from tests.tui.driving import main_of, rested, transcript_of, until
from tests.tui.fake import DAY, HOUR, NOW, UTC, FakeHistory, Talk, big_talk

if TYPE_CHECKING:
    from pathlib import Path

    from textual.pilot import Pilot

WIDE = (120, 40)


async def opened(pilot: Pilot[object], *keys: str) -> None:
    """Open the newest session at its start, then press keys."""
    await rested(pilot)
    await pilot.press("enter", "g", *keys)


async def screen(pilot: Pilot[object], kind: type) -> object:
    await until(pilot, lambda: isinstance(pilot.app.screen, kind), kind.__name__)
    return pilot.app.screen


async def test_the_outline_jumps_to_a_prompt() -> None:
    async with make().run_test(size=WIDE) as pilot:
        await opened(pilot, "l")
        picks = await screen(pilot, PickScreen)
        rows = picks.query_one(ResultList)  # type: ignore[attr-defined]
        listing = rows.listing
        assert isinstance(listing, OutlineListing)
        await until(pilot, lambda: listing.place(1).words.startswith("do both"), "its words")
        assert listing.positions == [1, 5]
        assert "3 tool calls · 2 failed" in listing.place(1).about
        await pilot.press("down", "enter")
        await rested(pilot)
        assert transcript_of(pilot).cursor == 5 and main_of(pilot).focused is transcript_of(pilot)


async def test_the_outline_reads_the_words_that_show_and_no_others() -> None:
    talk = Talk("pi", "a thousand prompts", "p", NOW)
    for number in range(1000):
        talk.you(f"prompt {number}")
    async with make(FakeHistory([talk])).run_test(size=WIDE) as pilot:
        await opened(pilot, "l")
        picks = await screen(pilot, OutlineScreen)
        rows = picks.query_one(ResultList)  # type: ignore[attr-defined]
        listing = rows.listing
        await until(pilot, lambda: listing.place(0).words == "prompt 0")
        await pilot.press("G")
        await until(pilot, lambda: listing.place(999).words == "prompt 999")
        rows.scroll_to(y=1000, animate=False, force=True)  # as a wheel does: no cursor moves
        await until(pilot, lambda: listing.place(510).words == "prompt 510")
        await pilot.pause()
        assert len(listing._said) <= 6 * 32
        assert rows.rows_in_view == range(500, 500 + len(rows.rows_in_view))


async def test_a_note_is_shown_where_it_was_written() -> None:
    history = FakeHistory()
    async with make(history).run_test(size=WIDE) as pilot:
        await opened(pilot, "down", "i")
        ask = await screen(pilot, AskScreen)
        ask.query_one(Input).value = "ask Ben\x1b[31m about this"  # type: ignore[attr-defined]
        await pilot.press("enter")
        transcript = transcript_of(pilot)
        await until(pilot, lambda: bool(transcript._opening and transcript._opening.frame.notes))
        drawn = [line.text for line in transcript._pages[0].lines[1]]
        assert any("✎ ask Ben about this" in line for line in drawn)
        assert history.written[0].position == 1
        await pilot.press("G", "I")
        picks = await screen(pilot, PickScreen)
        await pilot.press("enter")
        await rested(pilot)
        assert transcript.cursor == 1
        assert picks is not pilot.app.screen


async def test_a_pin_goes_on_and_off() -> None:
    history = FakeHistory()
    async with make(history).run_test(size=WIDE) as pilot:
        await opened(pilot, "p")
        await until(pilot, lambda: len(history.pinned) == 1)
        await pilot.press("p")
        await until(pilot, lambda: not history.pinned)


async def test_four_levels_of_tool_output() -> None:
    async with make().run_test(size=WIDE) as pilot:
        await opened(pilot, "down", "down", "down")
        transcript = transcript_of(pilot)

        def lines() -> int:
            return transcript._opening.heights[3] if transcript._opening else 0

        assert lines() == 5
        top = transcript._opening.heights.top(3) - transcript.scroll_offset.y  # type: ignore[union-attr]
        await pilot.press("minus")
        assert lines() == 1
        await pilot.press("minus")
        assert lines() == 1, "there is no fifth level"
        await pilot.press("plus", "plus")
        assert lines() == 31
        now = transcript._opening.heights.top(3) - transcript.scroll_offset.y  # type: ignore[union-attr]
        assert now == top, "the current message stands still"
        await pilot.press("plus", "enter")
        assert lines() == 31, "all is shown: there is nothing to unfold"


async def test_levels_of_a_long_session_keep_the_place() -> None:
    async with make(FakeHistory([big_talk(2000)])).run_test(size=WIDE) as pilot:
        await opened(pilot)
        transcript = transcript_of(pilot)
        transcript.go_to(1000, centre=True)
        await rested(pilot)
        for key in ("plus", "minus", "minus", "plus", "plus", "plus"):
            await pilot.press(key)
            await rested(pilot)
            top = transcript._opening.heights.top(1000)  # type: ignore[union-attr]
            height = transcript.size.height
            assert 0 <= top - transcript.scroll_offset.y < height
        assert transcript.cursor == 1000


async def test_the_place_where_one_stopped_reading_is_remembered() -> None:
    history = FakeHistory()
    async with make(history).run_test(size=WIDE) as pilot:
        await opened(pilot, "down", "down", "down", "down")
        key = transcript_of(pilot).session.key  # type: ignore[union-attr]
        await pilot.press("escape", "down")
        await until(pilot, lambda: history.read_to.get(key) == 4)
        await rested(pilot)
        await pilot.press("up")
        await rested(pilot)
        assert transcript_of(pilot).cursor == 4
        await pilot.press("enter", "G", "escape")
        await until(pilot, lambda: history.read_to.get(key) == -1)
    assert set(history.read_to) == {key}, "what was only looked at is not noted"


async def test_leaving_the_app_keeps_the_place() -> None:
    history = FakeHistory()
    async with make(history).run_test(size=WIDE) as pilot:
        await opened(pilot, "down", "down")
    assert list(history.read_to.values()) == [2]


async def test_a_time_is_gone_to() -> None:
    async with make().run_test(size=WIDE) as pilot:
        await opened(pilot, "t")
        ask = await screen(pilot, AskScreen)
        ask.query_one(Input).value = "soon"  # type: ignore[attr-defined]
        await pilot.press("enter")
        assert "not a time" in ask.query_one("#ask-hint", Row).text  # type: ignore[attr-defined]
        ask.query_one(Input).value = "14:30"  # type: ignore[attr-defined]
        await pilot.press("enter")
        await rested(pilot)
        transcript = transcript_of(pilot)
        times = transcript._opening.skeleton.times  # type: ignore[union-attr]
        at = transcript.cursor
        wanted = moment("14:30", NOW, UTC, NOW)
        assert times[at] >= wanted > times[at - 1]


def test_times_are_of_the_day_that_is_looked_at() -> None:
    assert moment("9:05", NOW - 3 * DAY, UTC, NOW) == NOW - 3 * DAY - 6 * HOUR + 5 * 60_000
    assert moment("2h", NOW, UTC, NOW) == NOW - 2 * HOUR
    assert at_time([1, 5, 3, 9], 4) == 1 and at_time([1, 2], 100) == 1


async def test_copying_something_else_offers_blocks_and_facts(monkeypatch) -> None:
    copied: list[tuple[str, str]] = []
    monkeypatch.setattr(
        "recall_tui.tui.copying.copy_in_thread", lambda _, text, what: copied.append((text, what))
    )
    async with make().run_test(size=WIDE) as pilot:
        await opened(pilot, "down", "down", "down", "down", "C")
        chooser = await screen(pilot, ChooseScreen)
        words = [one.words for one in chooser.query_one(Choices).choices]  # type: ignore[attr-defined]
        assert words[:3] == ["Message", "Block 1", "Reference"] and "Resume command" in words
        await pilot.press("1")
        await until(pilot, lambda: bool(copied))
        assert copied[0][0].startswith("def budget") and copied[0][1] == "block 1"
        await pilot.press("C")
        await screen(pilot, ChooseScreen)
        await pilot.press("down", "down", "enter")
        await until(pilot, lambda: len(copied) == 2)
        assert copied[1][0].startswith("codex:")


def test_blocks_are_found_between_their_fences() -> None:
    assert blocks("a\n```py\nx = 1\n\ny\n```\nb\n~~~\nz\n~~~") == ["x = 1\n\ny", "z"]
    assert blocks("```\nnever closed") == []


async def test_the_folder_is_opened_or_its_absence_said(monkeypatch, tmp_path: Path) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(attachments, "start", started.append)
    monkeypatch.setattr(attachments, "viewer", lambda _: ["open"])
    history = FakeHistory()
    async with make(history).run_test(size=WIDE, notifications=True) as pilot:
        await opened(pilot, "O")
        await until(pilot, lambda: bool(pilot.app._notifications))
        assert not started
        session = transcript_of(pilot).session._replace(last_cwd=str(tmp_path))
        pilot.app.do_folder(session, 0)  # type: ignore[attr-defined]
        await until(pilot, lambda: started == [["open", str(tmp_path)]])


def command(line: int = 7, configured: str = "", **env: str) -> list[str]:
    return filled(template(configured, env), "/a", line)


def test_editors_are_told_the_line(monkeypatch) -> None:
    monkeypatch.setattr(foreground.shutil, "which", lambda name: f"/bin/{name}")
    assert command(EDITOR="nvim -R") == ["nvim", "-R", "+7", "/a"]
    assert command(VISUAL="code --wait", EDITOR="vi") == ["code", "--wait", "--goto", "/a:7"]
    assert command(EDITOR="/opt/idea64.exe") == ["/opt/idea64.exe", "--line", "7", "/a"]
    assert command(EDITOR="hx") == ["hx", "/a:7"] and command(EDITOR="notepad++")[1] == "-n7"
    for edition in ("vim.basic", "emacs-nox", "emacsclient -t", "nvim-0.10", "micro"):
        assert command(EDITOR=edition)[-2:] == ["+7", "/a"]
    assert command(EDITOR="code-insiders")[1:] == command(EDITOR="cursor")[1:]
    assert command(EDITOR="odd") == ["odd", "/a"], "to most programs +7 is a file"
    with pytest.raises(HandoffError):
        command(EDITOR='vim "')
    monkeypatch.setattr(foreground.shutil, "which", lambda _: None)
    with pytest.raises(HandoffError, match="no editor"):
        command(EDITOR="vim")


def test_an_editor_is_what_its_name_stands_for(monkeypatch, tmp_path: Path) -> None:
    (tmp_path / "vim.basic").touch(mode=0o700)
    (tmp_path / "editor").symlink_to(tmp_path / "vim.basic")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert command(EDITOR="editor") == ["editor", "+7", "/a"]


def test_a_person_says_how_their_editor_is_opened(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(foreground.shutil, "which", lambda name: f"/bin/{name}")
    own = "'my ed' --at={line}:1 {path}"
    assert command(configured=own, EDITOR="vim") == ["my ed", "--at=7:1", "/a"]
    env = {"RECALL_HOME": str(tmp_path), "RECALL_EDITOR": own}
    assert load(env).settings.editor == own
    for wrong in ("myed", "'myed {path}", "{path}"):
        with pytest.raises(ConfigError, match="RECALL_EDITOR: editor must be a command"):
            load({**env, "RECALL_EDITOR": wrong})
    monkeypatch.setattr(foreground.shutil, "which", lambda _: None)
    with pytest.raises(HandoffError, match="my ed is not there"):
        command(configured=own)


def test_a_message_is_found_in_its_source(tmp_path: Path) -> None:
    history = FakeHistory()
    session = history.sessions()[0]
    path = tmp_path / "x.jsonl"
    rows = [{"n": n, "text": m.text} for n, m in enumerate(history.messages(session))]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    session = session._replace(path=str(path))
    for position in (1, 3, 4, 9):
        assert line_of(session, history.messages(session)[position]) == position + 1
    assert line_of(session, None) == 1


def test_outputs_alike_are_told_apart_by_their_calls(tmp_path: Path) -> None:
    history = FakeHistory([Talk("claude", "alike", "app", NOW).call("sh", "make", "no").call(
        "sh", "make", "no"
    )])  # fmt: skip
    session, path = history.sessions()[0], tmp_path / "x.jsonl"
    messages = history.messages(session)
    rows = [{"id": m.call, "text": m.text} for m in messages]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    session = session._replace(path=str(path))
    assert [line_of(session, message) for message in messages] == [1, 2, 3, 4]


async def test_an_editor_opens_the_source_at_the_line(monkeypatch, tmp_path: Path) -> None:
    ran: list[list[str]] = []
    monkeypatch.setattr(foreground, "run_foreground", lambda _, argv: ran.append(argv) or "")
    monkeypatch.setattr(foreground, "editor", lambda _: ["vim"])
    history = FakeHistory()
    path = tmp_path / "x.jsonl"
    rows = [json.dumps(m.text) for m in history._messages[history._sessions[0].key]]
    path.write_text("\n".join(rows))
    history._sessions[0] = history._sessions[0]._replace(path=str(path))
    async with make(history).run_test(size=WIDE, notifications=True) as pilot:
        await opened(pilot, "down", "v")
        await until(pilot, lambda: bool(ran))
        assert ran == [["vim", "+2", str(path)]]
        monkeypatch.setattr(foreground, "editor", lambda _: ["odd"])
        await pilot.press("v")
        await until(pilot, lambda: len(ran) == 2)
        assert ran[1] == ["odd", str(path)]
        told = [note.message for note in pilot.app._notifications]
        assert any("meant to open at line 2" in words for words in told), told


async def test_a_terminal_that_cannot_be_lent_says_so() -> None:
    app = make()
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        assert "cannot be lent" in foreground.run_foreground(app, ["true"])


def family() -> FakeHistory:
    history = FakeHistory()
    main = history._sessions[0]
    child = Talk("codex", "look for callers", "app", NOW - HOUR, kind=SessionKind.SUBAGENT)
    child.parent = main.key
    child.agent("There are three callers.")
    history.add(child, 60)
    return history


async def test_subagents_are_one_key_away_and_so_is_the_way_back() -> None:
    async with make(family()).run_test(size=WIDE) as pilot:
        await opened(pilot, "a")
        picks = await screen(pilot, PickScreen)
        assert picks.query_one(ResultList).listing.places[0].words == "look for callers"  # type: ignore[attr-defined]
        await pilot.press("enter")
        await rested(pilot)
        assert transcript_of(pilot).session.title == "look for callers"  # type: ignore[union-attr]
        await pilot.press("u")
        await until(pilot, lambda: transcript_of(pilot).session.title == "fix token budget")  # type: ignore[union-attr]


async def test_no_subagents_is_said() -> None:
    async with make().run_test(size=WIDE) as pilot:
        await opened(pilot, "a")
        picks = await screen(pilot, PickScreen)
        assert "no subagents" in picks.query_one(Notice).text  # type: ignore[attr-defined]
        await pilot.press("escape")


async def test_text_is_selected_with_the_mouse_without_the_gutter() -> None:
    async with make().run_test(size=WIDE) as pilot:
        await opened(pilot)
        transcript = transcript_of(pilot)
        await pilot.mouse_down(transcript, offset=(2, 2))
        await pilot.hover(transcript, offset=(30, 3))
        await pilot.mouse_up(transcript, offset=(30, 3))
        selected = pilot.app.screen.get_selected_text() or ""
        assert selected.startswith("how big is the context window") and "14:27" not in selected
        assert any(
            segment.style and segment.style.reverse for segment in transcript.render_line(2)
        ), "the selection is seen without colours"
        await pilot.press("y")
        assert not pilot.app.screen.get_selected_text(), "it was taken"


async def test_wide_characters_are_selected_whole() -> None:
    async with make().run_test(size=WIDE) as pilot:
        await rested(pilot)
        await pilot.press("down", "down")
        await rested(pilot)
        await pilot.press("enter", "g")
        transcript = transcript_of(pilot)
        lead = transcript._opening.frame.lead  # type: ignore[union-attr]
        await pilot.mouse_down(transcript, offset=(lead, 0))
        await pilot.hover(transcript, offset=(lead + 6, 0))
        await pilot.mouse_up(transcript, offset=(lead + 6, 0))
        assert (pilot.app.screen.get_selected_text() or "").startswith("输入法")


async def test_the_list_has_the_same_acts() -> None:
    history = FakeHistory()
    async with make(history).run_test(size=(80, 24)) as pilot:
        await rested(pilot)
        main_of(pilot).results.focus()
        await pilot.press("down", "p")
        await until(pilot, lambda: history.pinned == [history.sessions()[1].key])


async def test_a_hand_off_is_read_then_written_then_started(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(programs.shutil, "which", lambda name: f"/bin/{name}")
    app = make()
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, "H")
        shown = await screen(pilot, HandoffScreen)
        sheet = shown.query_one(Sheet)  # type: ignore[attr-defined]
        await until(pilot, lambda: "evidence of what was said" in sheet.text)
        await pilot.press("5", "enter")
        ask = await screen(pilot, AskScreen)
        ask.query_one(Input).value = str(tmp_path / "page.md")  # type: ignore[attr-defined]
        await pilot.press("enter")
        await until(pilot, lambda: app.return_value is not None, "the command")
    command = app.return_value
    assert isinstance(command, programs.Command) and command.argv[0] == "gemini"
    assert str(tmp_path / "page.md") in command.argv[-1]
    assert "context window" in (tmp_path / "page.md").read_text()


async def test_statistics_count_by_four_things() -> None:
    async with make(family()).run_test(size=WIDE) as pilot:
        await rested(pilot)
        await pilot.press("f3")
        stats = await screen(pilot, StatisticsScreen)
        total = stats.query_one("#stats-total", Row)  # type: ignore[attr-defined]
        await until(pilot, lambda: "7 sessions · 1 subagent" in total.text)
        table = stats.query_one(DataTable)  # type: ignore[attr-defined]
        assert table.row_count == 6
        await pilot.press("tab")
        assert "app" in str(table.get_cell_at((0, 0)))
        await pilot.press("shift+tab", "shift+tab")
        assert "2026-11-30" in str(table.get_cell_at((0, 0)))
        await pilot.press("escape")
        assert pilot.app.screen is main_of(pilot)


def test_sums_say_what_was_recorded() -> None:
    one, two, *_ = FakeHistory().sessions()
    one = one._replace(tokens_in=1500, tokens_out=500, cost_usd=0.25, copied=4)
    sums = statistics([one, two], UTC)
    assert (sums.with_tokens, sums.with_cost, sums.count) == (1, 1, 2)
    assert sums.total.messages == one.messages - 4 + two.messages
    assert [short(n) for n in (7, 999, 1000, 12_345, 3_200_000)] == [
        "7", "999", "1.0k", "12k", "3.2M",
    ]  # fmt: skip


async def test_a_note_is_removed_by_pressing_twice() -> None:
    history = FakeHistory()
    key = history.sessions()[0].key
    session = history.sessions()[0]
    for text in ("first", "second"):
        history.add_note(session, 1, text)
    async with make(history).run_test(size=WIDE) as pilot:
        await opened(pilot, "I")
        notes = await screen(pilot, NotesScreen)
        rows = notes.query_one(ResultList)  # type: ignore[attr-defined]
        await pilot.press("d")
        assert len(rows.listing) == 2, "once is not enough"
        await pilot.press("down", "d")
        assert len(rows.listing) == 2, "another note was meant the first time"
        await pilot.press("d")
        await until(pilot, lambda: [note.text for note in history.notes(session)] == ["first"])
        await pilot.press("d", "d")
        await until(pilot, lambda: not history.written)
        assert "no notes" in notes.query_one(Notice).text  # type: ignore[attr-defined]
        transcript = transcript_of(pilot)
        assert transcript._opening is not None and transcript._opening.session.key == key
        await until(pilot, lambda: not transcript._opening.frame.notes)  # type: ignore[union-attr]


async def test_from_file_to_file() -> None:
    talk = Talk("claude", "files", "/work", NOW)
    talk.you("go on")
    talk.call("Read", "src/one.py", "text")
    talk.call("Edit", "src/one.py\nold\nnew", "done")
    talk.call("Bash", "ls", "out")
    talk.call("Edit", "/work/src/two.py\nold\nnew", "done")
    talk.agent("there")
    talk.call("Read", "src/one.py", "text")
    history = FakeHistory([talk])
    async with make(history).run_test(size=WIDE) as pilot:
        await opened(pilot)
        transcript = transcript_of(pilot)
        for expected in (1, 7, 10):
            await pilot.press("f")
            await until(pilot, lambda at=expected: transcript.cursor == at)
        await pilot.press("f")
        await until(pilot, lambda: any("No other file" in n.message
                                       for n in pilot.app._notifications))  # fmt: skip
        assert transcript.cursor == 10
        for expected in (7, 3):
            await pilot.press("F")
            await until(pilot, lambda at=expected: transcript.cursor == at)


async def test_several_sessions_are_selected_and_exported_pinned_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    copied: list[str] = []
    monkeypatch.setattr(
        "recall_tui.tui.copying.copy_in_thread", lambda _, text, what: copied.append(text)
    )
    history = FakeHistory()
    keys = [session.key for session in history.sessions()]
    async with make(history).run_test(size=WIDE) as pilot:
        await rested(pilot)
        results = main_of(pilot).results
        results.focus()
        await pilot.press("x", "x", "up", "x", "x")
        assert list(results.marked) == [keys[0], keys[2]], "x lets go, too"
        count = main_of(pilot).row("count")
        assert "2 sessions selected" in count.text and "X export" in count.text
        await pilot.press("X")
        await screen(pilot, AskScreen)
        answer = pilot.app.screen.query_one(Input)
        answer.value = "two.txt"
        await pilot.press("enter")
        assert isinstance(pilot.app.screen, AskScreen), "its ending says nothing"
        answer.value = "two.md"
        await pilot.press("enter")
        path = tmp_path / "two.md"
        await until(pilot, lambda: path.exists() and keys[2] in path.read_text())
        assert keys[0] in path.read_text() and keys[1] not in path.read_text()
        await pilot.press("C")
        await screen(pilot, ChooseScreen)
        await pilot.press("k")
        await until(pilot, lambda: copied == [f"{keys[0]}\n{keys[2]}"])
        await pilot.press("p")
        await until(pilot, lambda: set(history.pinned) == {keys[0], keys[2]})
        await rested(pilot)
        await pilot.press("p")
        await until(pilot, lambda: not history.pinned)
        await pilot.press("escape")
        assert not results.marked and main_of(pilot).focused is results
        assert "type to search" in count.text
        await pilot.press("escape")
        assert main_of(pilot).focused is main_of(pilot).box


async def test_a_double_click_unfolds_and_selects_nothing() -> None:
    app = make()
    async with app.run_test(size=(120, 40)) as pilot:
        await rested(pilot)
        await pilot.press("enter", "g")
        for times in (2, 3):
            await pilot.click("#transcript", offset=(30, 2), times=times)
            await rested(pilot)
            assert not app.screen.get_selected_text()


async def test_hits_inside_a_tall_message_are_gone_to_one_by_one() -> None:
    rows = [f"row {n}" + (" needle" if n in {100, 200} else "") for n in range(300)]
    talk = Talk("claude", "tall", "app", NOW).you("go").call("sh", "make", "\n".join(rows))
    talk.agent("the needle is found")
    app = make(FakeHistory([talk]))
    async with app.run_test(size=WIDE) as pilot:
        await rested(pilot)
        await pilot.press("enter", "slash", *"needle")
        await rested(pilot)
        await pilot.press("escape", "g", "n", "enter")
        await rested(pilot)
        transcript = transcript_of(pilot)

        def seen() -> set[str]:
            text = "\n".join(transcript.render_line(y).text for y in range(transcript.size.height))
            return {row for row in (*rows, "the needle is found") if f"{row} " in text + " "}

        await until(pilot, lambda: rows[100] in seen(), "the first match of the unfolded output")
        assert transcript.cursor == 2
        await pilot.press("n")
        await until(pilot, lambda: rows[200] in seen(), "the second")
        assert transcript.cursor == 2
        await pilot.press("n")
        await until(pilot, lambda: transcript.cursor == 3, "the next message")
        await pilot.press("N")
        await until(pilot, lambda: transcript.cursor == 2 and rows[200] in seen(), "its last match")
        await pilot.press("N")
        await until(pilot, lambda: rows[100] in seen(), "and up")
