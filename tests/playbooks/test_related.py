"""Related: project, branch and shared files, most overlap first."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from recall_tui.model import Filter, SessionKind
from recall_tui.playbooks.related import FILES, related, seed_of_folder, seed_of_session
from tests.cli.fake import MINUTE, NOON
from tests.playbooks.build import call, edit, prompt, several

A, B, C, D, E = (f"claude:0000000{n}-0000-4000-8000-000000000000" for n in range(5))
APP = "/home/ann/src/app"


def place(cwd: str, branch: str = "main", at: int = 0, **more) -> dict:
    return {"cwd": cwd, "last_cwd": cwd, "branch": branch, "at": NOON + at * MINUTE, **more}


def history():
    return several(
        (A, place(APP, "fix/dst"), [prompt("a"), *edit("src/a.py"), *edit("src/b.py")]),
        (B, place(f"{APP}/docs", at=1), [prompt("b")]),
        (C, place("/elsewhere", at=2),
         [prompt("c"), *edit(f"{APP}/src/a.py"), *edit(f"{APP}/src/b.py")]),
        (D, place("/elsewhere", "fix/dst", at=3), [prompt("d"), call("Read", "src/a.py")]),
        (E, place("/elsewhere", at=4), [prompt("src/a.py"), call("Bash", "cat src/a.py")]),
    )  # fmt: skip


@pytest.mark.contract("S3-38", "S3-40")
def test_overlap_then_recency() -> None:
    past = history()
    (one,) = past.find(A)
    found = related(past, seed_of_session(past, one), Filter())
    assert [(r.session.key, r.overlap) for r in found] == [(C, 2), (D, 1), (B, 1)]
    assert found[0].files == (f"{APP}/src/a.py", f"{APP}/src/b.py")
    assert found[1].branch and not found[1].files, "its src/a.py is another file"
    assert found[2].project


def test_a_branch_that_is_everywhere_counts_only_when_asked_for() -> None:
    past = several((A, place("/x"), [prompt("a")]), (B, place("/y"), [prompt("b")]))
    (one,) = past.find(A)
    assert related(past, seed_of_session(past, one), Filter()) == []
    asked = related(past, seed_of_session(past, one, "main"), Filter())
    assert [r.session.key for r in asked] == [B]


@pytest.mark.contract("S3-39")
def test_a_folder_with_its_worktrees_and_without_subagents(tmp_path: Path) -> None:
    top, tree = tmp_path / "app", tmp_path / "tree"
    top.mkdir()
    for words in (
        ("init", "-q", "-b", "fix/dst"),
        ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"),
        ("worktree", "add", "-q", "-b", "other", str(tree)),
    ):
        subprocess.run(["git", "-C", str(top), *words], check=True, capture_output=True)
    past = several(
        (A, place(str(tree), "other"), [prompt("a"), *edit("a.py")]),
        (B, place("/else", "fix/dst", at=1), [prompt("b")]),
        (C, place(str(top), "fix/dst", at=5, kind=SessionKind.SUBAGENT, parent=A), [prompt("c")]),
    )
    seed = seed_of_folder(past, str(top))
    assert seed.branch == "fix/dst" and str(tree) in seed.folders
    assert [(r.session.key, r.overlap) for r in related(past, seed, Filter())] == [
        (C, 2), (A, 2), (B, 1),
    ]  # fmt: skip
    mains = related(past, seed, Filter(mains_only=True))
    assert [r.session.key for r in mains] == [A, B]


def test_many_files_are_counted_and_some_looked_for() -> None:
    past = several(
        (A, place(APP), [prompt("a"), *[e for n in range(30) for e in edit(f"f{n}.py")]])
    )
    seed = seed_of_folder(past, APP)
    assert (len(seed.files), seed.files_known) == (FILES, 30)


def test_nothing_is_related_to_nowhere() -> None:
    past = history()
    assert related(past, seed_of_folder(past, "/"), Filter()) == []
    assert related(past, seed_of_folder(past, "/home/ann/src/ap"), Filter()) == []
