"""Markdown and messages as lines."""

from __future__ import annotations

from datetime import UTC

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from recall_tui.model import Flag, Kind, Material, Message
from recall_tui.search.results import Case, GrepQuery
from recall_tui.tui import markdown
from recall_tui.tui.code import coloured, is_diff
from recall_tui.tui.frame import FOLDED_LINES, Frame, Level, foldable
from recall_tui.tui.hit_listing import excerpt_rows
from recall_tui.tui.layout import lay
from recall_tui.tui.matching import Matcher
from recall_tui.tui.pairs import Outcome
from tests.tui.fake import DIFF, FAILURE, LISTING, FakeHistory

FRAME = Frame(width=90, zone=UTC)


def message(kind: Kind, text: str, **more: object) -> Message:
    return Message("claude:x", 0, kind, 1_796_000_000_000, text, 0, **more)  # type: ignore[arg-type]


def texts(text: str, width: int = 60) -> list[str]:
    return [line.text for line in markdown.lines_of(text, width)]


def inks(text: str) -> dict[str, str]:
    return {t: ink for line in markdown.lines_of(text, 60) for t, ink in line.pieces}


def test_emphasis_loses_its_signs_and_keeps_its_ink() -> None:
    found = inks("a **bold** and `code` and *slanted* [label](http://x.y)")
    assert found["bold"] == "strong"
    assert found["code"] == "code"
    assert found["slanted"] == "emphasis"
    assert found["label"] == "link"


def test_signs_that_are_no_emphasis_stay() -> None:
    assert texts("2 * 3 * 4 and snake_case_name and **open") == [
        "2 * 3 * 4 and snake_case_name and **open"
    ]


def test_list_items_hang() -> None:
    assert texts("- one two three four", 12) == ["• one two", "  three four"]
    assert texts("12. one two three", 12) == ["12. one two", "    three"]
    assert texts("- [x] done") == ["☑ done"]


def test_a_table_is_aligned_by_cells() -> None:
    rows = texts("| 名称 | n |\n| --- | --- |\n| a | 10 |")
    assert rows == ["名称 │ n ", "─────┼───", "a    │ 10"]


def test_a_wide_table_is_narrowed_to_fit() -> None:
    rows = texts("| a | b |\n|---|---|\n| " + "x" * 90 + " | y |", 40)
    assert all(len(row) <= 40 for row in rows)
    assert rows[2].startswith("xxx") and "…" in rows[2]


def test_an_unclosed_fence_is_still_shown() -> None:
    assert [row.strip() for row in texts("```python\nx = 1\n# open")] == ["x = 1", "# open"]


def test_code_is_coloured_and_an_unknown_language_is_not() -> None:
    assert ("def", "code-keyword") in coloured("def f(): pass", "python")[0]
    assert coloured("def f(): pass", "nope") == [[("def f(): pass", "code-block")]]


def test_a_diff_keeps_its_signs() -> None:
    assert is_diff(DIFF)
    lines = markdown.block(DIFF, "diff", 80)
    added = [line for line in lines if line.fill == "added"]
    assert len(added) == 2 and all(line.text.startswith("+") for line in added)


@given(st.text(max_size=300), st.integers(4, 80))
def test_any_text_is_drawn(text: str, width: int) -> None:
    for line in markdown.lines_of(text, width):
        assert "\n" not in line.text and "\x1b" not in line.text


@given(st.sampled_from(list(Kind)), st.text(max_size=300), st.booleans())
def test_any_message_is_drawn(kind: Kind, text: str, unfolded: bool) -> None:
    for line in lay(message(kind, text, tool=text[:20]), FRAME, unfolded=unfolded):
        assert not any(ord(c) < 32 for c in line.text)


def test_a_call_is_one_line_with_its_outcome() -> None:
    (line,) = lay(
        message(Kind.TOOL_CALL, "rg -n context src", tool="shell"), FRAME,
        outcome=Outcome(failed=False, duration_ms=412), spaced=False,
    )  # fmt: skip
    assert line.text.split() == ["▸", "00:53", "shell", "rg", "-n", "context", "src", "✓", "412ms"]
    (line,) = lay(
        message(Kind.TOOL_CALL, "false", tool="shell"), FRAME,
        outcome=Outcome(failed=True, duration_ms=0), spaced=False,
    )  # fmt: skip
    assert line.text.rstrip().endswith("✗ failed")


def test_a_long_name_of_a_tool_is_whole_and_a_server_stands_apart() -> None:
    (line,) = lay(message(Kind.TOOL_CALL, "uname", tool="exec_command"), FRAME, spaced=False)
    assert line.text.split() == ["▸", "00:53", "exec_command", "uname"]
    tool = "mcp__Claude_Browser__navigate"
    (line,) = lay(
        message(Kind.TOOL_CALL, "https://x.y", tool=tool), FRAME, outcome=Outcome(), spaced=False
    )
    assert line.text.split()[2:] == ["navigate", "https://x.y", "Claude_Browser", "✓"]
    asked = message(Kind.TOOL_CALL, "click", tool=f"mcp__{'s' * 80}__browser")
    (line,) = lay(asked, FRAME, outcome=Outcome(), spaced=False)
    assert "browser  click" in line.text and line.cells <= FRAME.width
    (line,) = lay(message(Kind.TOOL_CALL, "x", tool="n" * 99), FRAME, spaced=False)
    assert line.cells <= FRAME.width and "nnn…" in line.text


def test_a_long_command_of_one_line_unfolds() -> None:
    command = " && ".join(f"step-{n}" for n in range(40))
    asked = message(Kind.TOOL_CALL, command, tool="Bash")
    (line,) = lay(asked, FRAME, spaced=False)
    assert line.text.startswith("▸") and "step-39" not in line.text
    whole = lay(asked, FRAME, unfolded=True, spaced=False)
    assert whole[0].text.startswith("▾")
    assert "step-0 " in whole[1].text and "step-39" in whole[-1].text


def test_what_is_written_to_a_file_is_code_of_its_language() -> None:
    asked = message(Kind.TOOL_CALL, "src/a.py\ndef f(): pass", tool="Write")
    _, code = lay(asked, FRAME, unfolded=True, spaced=False)
    assert ("def", "code-keyword") in code.pieces and code.fill == "code-block"
    asked = message(Kind.TOOL_CALL, "see a.py\ndef f(): pass", tool="Bash")
    _, plain = lay(asked, FRAME, unfolded=True, spaced=False)
    assert not plain.fill, "a command is no file"


def test_an_output_that_is_a_picture_is_not_called_none() -> None:
    assert "no output" in lay(message(Kind.TOOL_RESULT, ""), FRAME, spaced=False)[0].text
    item = Material("id", "a.png", "image", "image/png", 74, 8, 8)
    (line,) = lay(message(Kind.TOOL_RESULT, "", materials=(item,)), FRAME, spaced=False)
    assert "a.png" in line.text


def test_an_output_apart_from_its_call_names_it() -> None:
    asked = message(Kind.TOOL_CALL, "cat a.py\nmore", tool="Bash")
    out = message(Kind.TOOL_RESULT, "x = 1\ny = 2")
    named, first, _ = lay(out, FRAME, made_by=asked, spaced=False)
    assert "↑ cat a.py" in named.text and "x = 1" in first.text
    frame = Frame(width=90, zone=UTC, level=Level.LINE)
    (line,) = lay(out, frame, made_by=asked, spaced=False)
    assert "↑ cat a.py  x = 1" in line.text and line.cells <= 90


def test_a_text_that_a_program_put_there_tells_what_it_is() -> None:
    def first(text: str) -> str:
        (line,) = lay(message(Kind.INJECTED, text), FRAME, spaced=False)
        return line.text

    assert "environment_context · /src · zsh" in first(
        "<environment_context>\n  <cwd>/src</cwd>\n  <shell>zsh</shell>\n</environment_context>"
    )
    told = "<task-notification>\n<id>1</id>\n<summary>Agent done</summary>\n</task-notification>"
    assert "task-notification · Agent done" in first(told)
    assert "a < b" in first("a < b\nc")


def test_a_summary_stands_below_a_rule() -> None:
    rule, line = lay(message(Kind.SUMMARY, "# so far\nall *well*"), FRAME, spaced=False)
    assert set(rule.text.strip()) == {"─"} and "summary" in line.text
    whole = lay(message(Kind.SUMMARY, "# so far\nall *well*"), FRAME, unfolded=True, spaced=False)
    assert ("so far", "heading") in whole[1].pieces, "a summary is Markdown"


def test_what_a_subagent_said_in_the_file_of_its_parent_is_set_in() -> None:
    own = lay(message(Kind.ANSWER, "done"), FRAME)
    other = lay(message(Kind.ANSWER, "done", flags=int(Flag.SIDECHAIN)), FRAME)
    assert not any("┊" in line.text for line in own)
    assert all(line.text.startswith("  ┊ ") for line in other)


def test_output_is_folded_and_says_how_much_there_is() -> None:
    lines = lay(message(Kind.TOOL_RESULT, LISTING), FRAME, spaced=False)
    assert len(lines) == FOLDED_LINES + 1
    assert "27 more lines · 190 B of 1.5 KB" in lines[-1].text
    assert len(lay(message(Kind.TOOL_RESULT, LISTING), FRAME, unfolded=True, spaced=False)) == 31
    five = lay(message(Kind.TOOL_RESULT, "1\n2\n3\n4\nlast"), FRAME, spaced=False)
    assert "last" in five[-1].text, "one line more takes the room of its announcement"


def test_a_failure_shows_its_last_lines() -> None:
    long = "\n".join(f"line {n}" for n in range(50)) + "\nValueError: why"
    lines = lay(message(Kind.TOOL_RESULT, long, flags=int(Flag.FAILED)), FRAME, spaced=False)
    assert "43 lines above" in lines[0].text
    assert "ValueError: why" in lines[-1].text
    assert foldable(message(Kind.TOOL_RESULT, FAILURE, flags=int(Flag.FAILED)), FRAME)


def test_what_is_folded_can_be_unfolded_and_nothing_else() -> None:
    listed = message(Kind.PROMPT, "\n".join("short" for _ in range(50)))
    assert "more line" in lay(listed, FRAME, spaced=False)[-1].text
    assert foldable(listed, FRAME)
    assert not foldable(message(Kind.ANSWER, "word " * 1000), FRAME), "an answer is always whole"


def test_folded_output_shows_the_match() -> None:
    frame = Frame(width=90, zone=UTC, find=Matcher(GrepQuery("module_20")).spans)
    lines = lay(message(Kind.TOOL_RESULT, LISTING), frame, spaced=False)
    assert any(("module_20", "match") in line.pieces for line in lines)


def test_a_folded_prompt_shows_the_match_that_lies_beyond_the_fold() -> None:
    frame = Frame(width=90, zone=UTC, find=Matcher(GrepQuery("needle")).spans)
    straw = "\n".join(f"straw {n}" for n in range(90))
    for prompt in (f"{straw}\na needle\n{straw}", f"{'straw ' * 3000}needle {'straw ' * 3000}"):
        lines = lay(message(Kind.PROMPT, prompt), frame, spaced=False)
        assert len(lines) < 50
        assert any(("needle", "match") in line.pieces for line in lines)


def test_what_is_folded_away_shows_the_line_a_hit_is_in() -> None:
    frame = Frame(width=90, zone=UTC, find=Matcher(GrepQuery("needle")).spans)
    text = "first line\n" + "hay\n" * 30 + "a needle here\nmore hay"
    for kind in (Kind.INJECTED, Kind.NOTICE, Kind.SUMMARY, Kind.TOOL_CALL, Kind.TOOL_RESULT):
        lines = lay(message(kind, text, tool="Edit"), frame)
        assert any(("needle", "match") in line.pieces for line in lines), kind
    plain = lay(message(Kind.TOOL_CALL, text, tool="Edit"), FRAME, spaced=False)
    assert len(plain) == 1


def test_a_huge_line_costs_no_more_than_what_shows() -> None:
    huge = message(Kind.TOOL_RESULT, "x" * 20_000_000)
    lines = lay(huge, FRAME, spaced=False)
    assert len(lines) == 2
    assert "long lines are cut · 20 MB" in lines[-1].text
    unfolded = lay(huge, FRAME, unfolded=True, spaced=False)
    assert "y copies the whole message" in unfolded[-1].text


def test_what_was_rewound_is_dim_and_a_material_is_facts() -> None:
    lines = lay(message(Kind.PROMPT, "never mind", flags=int(Flag.ABANDONED)), FRAME)
    assert {ink for line in lines for _, ink in line.pieces} == {"abandoned"}
    assert lines[-1].text.startswith("╎"), "told without colours too"
    found = Frame(width=90, zone=UTC, find=Matcher(GrepQuery("mind")).spans)
    left = message(Kind.PROMPT, "never mind", flags=int(Flag.ABANDONED))
    _, told, line = lay(left, found, turned=True)
    assert "the person went back" in told.text
    assert ("mind", "match") in line.pieces, "a hit is one in a branch that was left, too"
    item = Material("1", "a.png", "image", "image/png", 412_311, 1280, 800)
    lines = lay(message(Kind.PROMPT, "see", materials=(item,)), FRAME)
    assert "a.png  1280×800  412 KB  ~1.4k tokens" in lines[-1].text


def test_highlights_follow_the_switches() -> None:
    def spans(query: GrepQuery, text: str) -> list[tuple[int, int]]:
        return Matcher(query).spans(text)

    assert spans(GrepQuery("ab"), "AB ab") == [(0, 2), (3, 5)]
    assert spans(GrepQuery("Ab"), "AB Ab") == [(3, 5)]
    assert spans(GrepQuery("ab", case=Case.EXACT), "AB ab") == [(3, 5)]
    assert spans(GrepQuery("ab", word=True), "abc ab") == [(4, 6)]
    assert spans(GrepQuery("a.", regex=True), "ab a") == [(0, 2)]
    assert spans(GrepQuery("(a", regex=True), "(a") == []
    assert spans(GrepQuery("strasse"), "Straße") == [(0, 6)]


@given(st.text(max_size=200), st.integers(0, 60), st.integers(1, 20), st.integers(16, 80))
def test_an_excerpt_fits_and_shows_its_match(
    text: str, start: int, length: int, width: int
) -> None:

    (update,) = [u for u in FakeHistory().grep(GrepQuery("context window")) if u.done]
    spans = ((start, start + length),) if start + length <= len(text) else ()
    hit = update.hits[0]._replace(text=text, spans=spans, kind=Kind.PROMPT)
    for count in (1, 2):
        rows = excerpt_rows(hit, width, count)
        assert len(rows) == count
        assert all(sum(cell_len(piece) for piece, _ in row) <= width for row in rows)
        if spans and text[start : start + length].isalpha() and text.isascii():
            assert any(ink == "match" for row in rows for _, ink in row)
