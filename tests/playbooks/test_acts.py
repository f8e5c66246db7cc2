"""What a tool call did, from the words every program leaves."""

from __future__ import annotations

import pytest

from recall_tui.model import Kind, Message
from recall_tui.playbooks import acts
from recall_tui.playbooks.acts import Doing


def call(tool: str, text: str, seen: int = -1) -> Message:
    return Message("claude:x", 0, Kind.TOOL_CALL, 0, text, 0, horizon=seen, tool=tool)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("git push\nPush the critical fixes", "git push"),
        ("ls\n/tmp/repo", "ls"),
        ("pnpm install\n/Users/x/Code\nInstall workspace dependencies", "pnpm install"),
        ("cat > a.go <<'EOF'\npackage a\nEOF", "cat > a.go <<'EOF'\npackage a\nEOF"),
        ("git commit -m \"one\n\nCo-Authored-By: X <x@example.com>\"\nCommit test isolation fix",
         "git commit -m \"one\n\nCo-Authored-By: X <x@example.com>\""),
        ("make", "make"),
        ("", ""),
    ],
)  # fmt: skip
def test_a_command_without_the_words_beside_it(text: str, command: str) -> None:
    assert acts.command(call("Bash", text)) == command


def test_files_an_edit_names_are_absolute_in_one_spelling() -> None:
    one = call("Edit", "src/../src/a b.py\nold", seen=len("src/../src/a b.py"))
    assert acts.touched(one, "/home/ann/app") == ("/home/ann/app/src/a b.py",)
    assert acts.touched(call("Read", "/etc/hosts"), "/home/ann") == ("/etc/hosts",)
    assert acts.touched(call("Write", "a.py"), r"C:\src") == ("C:/src/a.py",)
    assert acts.touched(call("Edit", ""), "/home") == ()


def test_a_patch_names_every_file_it_changes() -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n*** Add File: b.py\n*** Move to: c.py\n"
    for tool in ("apply_patch", "shell"):
        assert acts.touched(call(tool, patch, 0), "/w") == ("/w/a.py", "/w/b.py", "/w/c.py")


def test_a_command_and_an_unknown_tool_touch_nothing() -> None:
    assert acts.touched(call("Bash", "rm -rf /"), "/w") == ()
    assert acts.touched(call("mcp__x__y", "/etc/hosts"), "/w") == ()
    assert acts.doing(call("mcp__x__y", "")) is Doing.OTHER


@pytest.mark.parametrize(
    "text",
    [
        "Fix it\nin_progress\nFixing it\nTest it\npending\nTesting it",  # text, status, form
        "Fixing it\nFix it\nin_progress\nTesting it\nTest it\npending",  # form, text, status
        "in_progress\nFix it\npending\nTest it",  # status, text
        "What I will do.\nFix it\nin_progress\nTest it\npending",  # an explanation first
    ],
)
def test_a_plan_in_every_order_programs_write(text: str) -> None:
    items = acts.plan(call("TodoWrite", text, 0))
    assert [(item.text, item.status) for item in items] == [
        ("Fix it", "in_progress"), ("Test it", "pending"),
    ]  # fmt: skip
    assert all(item.open for item in items)


def test_paths_below_a_folder_are_shown_from_there() -> None:
    assert acts.relative("/a/b/c", "/a") == "b/c"
    assert acts.relative("/ab/c", "/a") == "/ab/c"
    assert acts.relative("C:/src/a.py", "C:\\src") == "a.py"
    assert acts.relative("/x", "") == "/x"
