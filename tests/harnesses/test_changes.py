"""Where the text of an edit's call has what is taken out and put in."""

from __future__ import annotations

import pytest

from recall_tui.harnesses.arguments import changes, project

OLD, NEW = "a\nb", "a\nc\nd"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"file_path": "f", "old_string": OLD, "new_string": NEW}, (6, 1, 2, 3)),
        ({"filePath": "f", "oldString": OLD, "newString": ""}, (3, 1, 2, 0)),
        ({"path": "f", "oldText": "", "newText": NEW}, (4, 1, 0, 3)),
        ({"instruction": "one\ntwo", "file_path": "f", "old_string": OLD, "new_string": "x"},
         (6, 3, 2, 1)),
        ({"file_path": "f", "edits": [{"old_string": OLD, "new_string": "x"},
                                      {"old_string": OLD, "new_string": "y"}]},
         (7, 1, 2, 1, 4, 2, 1)),
        ({"old_str": OLD, "new_str": NEW, "path": "f", "command": "str_replace"}, (7, 2, 2, 3)),
        ({"file_path": "f", "content": "a\nb"}, ()),
        ({"file_path": "f", "old_string": 7, "new_string": ["x"]}, ()),
        ({"file_path": "f", "edits": ["x", None]}, ()),
        ("old_string", ()),
        (None, ()),
    ],
)  # fmt: skip
def test_changes(arguments, expected) -> None:
    text, rest = project(arguments)
    found = changes(arguments, text, rest)
    assert found == expected
    if found:
        lines = "\n".join(filter(None, (text, rest))).split("\n")
        assert len(lines) == found[0]
        start, old, new = found[1:4]
        assert "\n".join(lines[start : start + old]) in (OLD, "")
        assert "\n".join(lines[start + old : start + old + new]) in (NEW, "x", "")
