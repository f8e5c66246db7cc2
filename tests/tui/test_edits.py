"""An edit's call is drawn as a diff, as long as its lines are those that were counted."""

from __future__ import annotations

from recall_tui.model import Kind, Message
from recall_tui.tui.edits import Edit, edit


def call(text: str, *changes: int) -> Message:
    return Message("claude:a", 0, Kind.TOOL_CALL, 0, text, 0, tool="Edit", changes=changes)


def test_lines_that_stayed_are_told_from_those_that_did_not() -> None:
    made = call("f.py\nwhy\na\nb\na\nc\nd\nend", 8, 2, 2, 3)
    assert edit(made) == Edit([" why", " a", "-b", "+c", "+d", " end"], 2, 1)


def test_several_edits() -> None:
    made = call("f.py\na\nb\nx\ny", 5, 1, 1, 1, 3, 1, 1)
    assert edit(made) == Edit(["-a", "+b", "-x", "+y"], 2, 2)


def test_very_long_edits_are_not_compared() -> None:
    old, new = ["a"] * 300, ["a"] * 299
    made = call("\n".join(["f", *old, *new]), 600, 1, 300, 299)
    found = edit(made)
    assert found is not None
    assert (found.put_in, found.taken_out) == (299, 300)


def test_what_does_not_fit_its_text_is_none() -> None:
    for changes in ((), (5, 1, 1, 1), (3, 2, 1, 1), (3, 1, 1), (3, 0, 1, 1), (3, 1, 1, -1)):
        assert edit(call("f.py\na\nb", *changes)) is None
