"""Lines and tables: plain elsewhere, styled and fitted on a terminal, never dangerous."""

from __future__ import annotations

import io
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_tui.cli import output
from recall_tui.cli.screen import Column, Screen, TerminalScreen, emphasised, one_line, screen_for
from recall_tui.text.cells import cell_width

SGR = re.compile(r"\x1b\[[0-9;]*m")
NASTY = "a\x1b[2Jb\x1b]0;owned\x07c\x9b31md\u202ee\x00f\ud800g"


class Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


def terminal(monkeypatch, width: int = 80, **env: str) -> Screen:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm-256color")
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    return screen_for(Tty())


def test_a_pipe_gets_plain_lines() -> None:
    screen = screen_for(io.StringIO())
    screen.line(("title", "title"), "  ", ("x" * 500, "muted"))
    screen.block(("one\ntwo", "match"), indent=2)
    assert screen.stream.getvalue() == "title  " + "x" * 500 + "\n  one\n  two\n"


def test_a_dumb_terminal_gets_plain_lines(monkeypatch) -> None:
    screen = terminal(monkeypatch)
    assert isinstance(screen, TerminalScreen)
    monkeypatch.setenv("TERM", "dumb")
    assert type(screen_for(Tty())) is Screen


def test_colour_only_where_it_is_wanted(monkeypatch) -> None:
    screen = terminal(monkeypatch)
    screen.line(("found", "match"))
    assert "\x1b[1;4;36mfound" in screen.stream.getvalue()
    screen = terminal(monkeypatch, NO_COLOR="1")
    screen.line(("found", "match"))
    assert "36" not in screen.stream.getvalue()
    assert SGR.sub("", screen.stream.getvalue()) == "found\n"
    assert "\x1b[1;4m" in screen.stream.getvalue(), "a match survives without colour"


def test_a_pipe_can_be_forced_to_colour(monkeypatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert screen_for(io.StringIO()).terminal


@pytest.mark.contract("X-8")
@given(st.text(alphabet=st.characters(), max_size=60))
def test_no_text_can_act_on_a_terminal(text: str) -> None:
    stream = io.StringIO()
    screen = Screen(stream)
    screen.line(text)
    screen.block(text)
    screen.table([Column("A"), Column("B")], [(text, text)])
    written = stream.getvalue()
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", written)


def test_a_styled_terminal_passes_no_foreign_sequence(monkeypatch) -> None:
    screen = terminal(monkeypatch)
    screen.line(NASTY, (NASTY, "title"))
    screen.block(NASTY, "[bold]not markup[/bold]", (NASTY, "match"))
    screen.table([Column("A"), Column("B")], [(NASTY, NASTY)])
    written = SGR.sub("", screen.stream.getvalue())
    assert "\x1b" not in written and "\x07" not in written and "\x9b" not in written
    assert "[bold]not markup[/bold]" in written


@pytest.mark.parametrize("width", [40, 80, 200])
def test_nothing_is_wider_than_the_terminal(monkeypatch, width: int) -> None:
    screen = terminal(monkeypatch, width)
    title = "修复上下文窗口 🚀 的预算 " * 20
    screen.line("cc  ", (title, "title"))
    screen.block(title, lead=("note:", "warn"), indent=6)
    screen.table(
        [Column("AGE", right=True), Column("PROJECT", most=12), Column("TITLE")],
        [("2d", "演示项目演示项目演示项目", one_line(title)), ("11mo", "x", "y")],
    )
    for line in SGR.sub("", screen.stream.getvalue()).splitlines():
        assert cell_width(line) <= width, line


def test_what_is_to_be_copied_is_never_cut(monkeypatch) -> None:
    screen = terminal(monkeypatch, 40)
    screen.uncut("    ", ("claude:" + "x" * 60, "muted"))
    assert "x" * 60 in screen.stream.getvalue()


def test_columns_line_up_for_wide_letters(monkeypatch) -> None:
    screen = terminal(monkeypatch, 60)
    screen.table(
        [Column("N", right=True), Column("WORD"), Column("TITLE")],
        [("7", "演示", "A"), ("1,234", "recall", "B")],
    )
    rows = SGR.sub("", screen.stream.getvalue()).splitlines()
    assert {
        cell_width(row[: row.index(letter)]) for row, letter in zip(rows, "TAB", strict=False)
    } == {15}


def test_a_narrow_terminal_keeps_the_last_column_and_spares_others(monkeypatch) -> None:
    columns = [
        Column("ID"), Column("MSGS", spare=True), Column("PROJECT", most=12, spare=True),
        Column("TITLE"),
    ]  # fmt: skip
    row = ("0199c2d4", "1,234", "assistant", "how big is the context window")
    shown = {}
    for width in (80, 45, 38, 20):
        screen = terminal(monkeypatch, width)
        screen.table(columns, [row])
        shown[width] = SGR.sub("", screen.stream.getvalue()).splitlines()[0].split()
    assert shown == {
        80: ["ID", "MSGS", "PROJECT", "TITLE"], 45: ["ID", "MSGS", "TITLE"], 38: ["ID", "TITLE"],
        20: ["ID", "TITLE"],
    }  # fmt: skip


def test_a_block_is_bounded_and_says_so(monkeypatch) -> None:
    screen = terminal(monkeypatch, 40)
    screen.block("word " * 100, indent=4, lines=2)
    lines = SGR.sub("", screen.stream.getvalue()).splitlines()
    assert len(lines) == 2
    assert lines[1].endswith("…")
    assert all(line.startswith("    word") for line in lines)


def test_a_table_elsewhere_is_tab_separated() -> None:
    screen = Screen(io.StringIO())
    screen.table([Column("AGE"), Column("TITLE")], [("2d", "a\tb\nc")])
    assert screen.stream.getvalue() == "age\ttitle\n2d\ta b c\n"


def test_emphasised() -> None:
    pieces = emphasised("one two", [(4, 7)], "muted")
    assert pieces == [("one ", "muted"), ("two", "match"), ("", "muted")]


# ------------------------------------------------------------------ JSON


@given(st.recursive(st.text(max_size=20) | st.integers() | st.booleans() | st.none(),
                    lambda held: st.lists(held, max_size=4)
                    | st.dictionaries(st.text("abc", max_size=3), held, max_size=4)))  # fmt: skip
def test_json_stays_json_and_carries_no_control(value) -> None:
    text = output._encode({"value": value})
    assert not re.search(
        "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", text
    )
    assert isinstance(json.loads(text), dict)


def test_json_with_sequences_that_would_eat_it(capsys) -> None:
    output.print_json({"a": "\x9b", "b": ["\x9d", "\x1b]0;x"], "c": "\ufdd0jwt:\ufdd1"})
    answer = json.loads(capsys.readouterr().out)
    assert answer == {"schema_version": 1, "a": "", "b": ["", "0;x"], "c": "[redacted:jwt]"}


def test_paths_are_exact_with_nul_and_visible_without(capfdbinary) -> None:
    output.print_paths(["/a/\udcff\x1b.jsonl"], nul=True)
    output.print_paths(["/a/\x1b.jsonl"], nul=False)
    import sys

    sys.stdout.flush()
    assert capfdbinary.readouterr().out == b"/a/\xff\x1b.jsonl\0/a/\\x1b.jsonl\n"
