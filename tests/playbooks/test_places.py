"""Recorded directories and branches against the disk and git."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from recall_tui.playbooks import git, places
from tests.cli.fake import session


def git_in(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "app"
    folder.mkdir()
    git_in(folder, "init", "-q", "-b", "main")
    git_in(
        folder,
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "x",
    )
    git_in(folder, "branch", "fix/dst")
    return folder


def worked(cwd: object, branch: str = "main"):
    return session("claude:x", "t", cwd=str(cwd), last_cwd=str(cwd), branch=branch)


@pytest.mark.contract("S3-4")
def test_nothing_to_say_when_all_is_as_it_was(repository: Path) -> None:
    place = places.check(worked(repository), [])
    assert place.exists and place.branch_exists and place.branch_now == "main"
    assert place.notes == () and place.offers == ()
    assert place.repository == str(repository)


@pytest.mark.contract("S3-4")
def test_another_branch_is_checked_out_now(repository: Path) -> None:
    place = places.check(worked(repository, "fix/dst"), [])
    assert "fix/dst; main is checked out" in place.notes[0]
    gone = places.check(worked(repository, "gone"), [])
    assert not gone.branch_exists
    assert gone.notes == ("The branch gone is gone; main is checked out.",)


def test_a_worktree_that_has_the_branch_is_offered(repository: Path, tmp_path: Path) -> None:
    git_in(repository, "worktree", "add", "-q", str(tmp_path / "tree"), "fix/dst")
    place = places.check(worked(repository, "fix/dst"), [])
    assert [offer.path for offer in place.offers] == [str(tmp_path / "tree")]


def test_a_worktree_is_offered_whatever_its_path_is_called(
    repository: Path, tmp_path: Path
) -> None:
    """Of git's lines only those between NULs are whole."""
    odd = tmp_path / "a b\n目录 'x'"
    git_in(repository, "worktree", "add", "-q", str(odd), "fix/dst")
    place = places.check(worked(repository, "fix/dst"), [])
    assert [offer.path for offer in place.offers] == [str(odd)]


def test_an_older_git_lists_worktrees_by_lines(repository: Path, tmp_path, monkeypatch) -> None:
    git_in(repository, "worktree", "add", "-q", str(tmp_path / "tree"), "fix/dst")
    ask = git._ask
    monkeypatch.setattr(git, "_ask", lambda *words: "" if "-z" in words else ask(*words))
    assert [tree.branch for tree in git.worktrees(str(repository))] == ["main", "fix/dst"]


def test_a_removed_worktree_beside_its_repository_offers_it(
    repository: Path, tmp_path: Path
) -> None:
    """`git worktree remove` leaves nothing but the branch."""
    (tmp_path / "else").mkdir()
    others = [worked(tmp_path / "else"), worked(repository), worked(tmp_path / "gone")]
    place = places.check(worked(tmp_path / "app-dst", "fix/dst"), others)
    assert [(offer.path, offer.reason) for offer in place.offers] == [
        (str(repository), "a repository beside it that has fix/dst")
    ]
    everywhere = places.check(worked(tmp_path / "app-dst", "main"), others)
    assert [offer.path for offer in everywhere.offers] == [str(tmp_path)], "main tells nothing"


def test_a_directory_a_person_names_says_what_is_checked_out(
    repository: Path, tmp_path: Path
) -> None:
    assert places.standing(str(repository)).reason == "main is checked out there"
    assert places.standing(str(tmp_path)).reason == "in no git repository"
    git_in(repository, "checkout", "-q", "--detach")
    assert places.standing(str(repository)).reason == "no branch is checked out there"


def test_without_anything_better_the_directory_above_is_offered(tmp_path: Path) -> None:
    place = places.check(worked(tmp_path / "a" / "b"), [])
    assert [(offer.path, offer.reason) for offer in place.offers] == [
        (str(tmp_path), "the nearest directory above it")
    ]
    assert places.check(worked("/tmp/no/such/place"), []).offers == (), "of no project"


def test_a_gone_worktree_offers_its_siblings(repository: Path, tmp_path: Path) -> None:
    git_in(repository, "worktree", "add", "-q", str(tmp_path / "tree"), "fix/dst")
    place = places.check(worked(repository / ".worktrees" / "old", "fix/dst"), [])
    assert not place.exists
    assert [offer.path for offer in place.offers] == [str(tmp_path / "tree"), str(repository)]


def test_a_moved_project_is_found_by_its_name(tmp_path: Path) -> None:
    moved = tmp_path / "new" / "app"
    moved.mkdir(parents=True)
    place = places.check(worked("/nowhere/app"), [worked(moved), worked("/nowhere/else")])
    assert [offer.path for offer in place.offers] == [str(moved)]
    assert place.notes == ("The directory /nowhere/app is gone.",)


@pytest.mark.parametrize(
    "cwd", ["", "relative/dir", "/no\0where", "C:\\src\\app", "[trimmed]", "/nothing/at/all"]
)
def test_what_is_no_directory_asks_git_nothing(cwd: str, monkeypatch) -> None:
    monkeypatch.setattr(git.subprocess, "run", lambda *_, **__: pytest.fail("git was started"))
    assert not places.check(worked(cwd), []).exists


def test_a_hostile_repository_runs_nothing(repository: Path, tmp_path: Path) -> None:
    """Its configuration names programs; looking at it starts none of them."""
    trap, flag = tmp_path / "trap.sh", tmp_path / "sprung"
    trap.write_text(f"#!/bin/sh\ntouch {flag}\n", "utf-8")
    trap.chmod(0o755)
    for key in (
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "filter.x.clean",
        "diff.external",
    ):
        git_in(repository, "config", key, str(trap))
    git_in(repository, "config", "core.hooksPath", str(tmp_path))
    (repository / ".gitattributes").write_text("* filter=x\n", "utf-8")
    before = sorted((p, p.stat().st_mtime_ns) for p in repository.rglob("*"))
    places.check(worked(repository, "fix/dst"), [])
    places.check(worked(repository / "gone", "fix/dst"), [])
    assert not flag.exists()
    assert sorted((p, p.stat().st_mtime_ns) for p in repository.rglob("*")) == before


def test_git_missing_or_slow_is_no_failure(repository: Path, monkeypatch) -> None:
    def slow(*_, **__):
        raise subprocess.TimeoutExpired("git", 1)

    monkeypatch.setattr(git.subprocess, "run", slow)
    place = places.check(worked(repository), [])
    assert place.exists and place.branch_now == ""


def test_only_a_branch_of_the_very_name_is_that_branch(repository: Path) -> None:
    git_in(repository, "update-ref", "refs/remotes/origin/far/off", "HEAD")
    named = ["fix/dst", "far/off", "fix", "far", "off", "*", "fix/*", "origin/far/off"]
    assert [name for name in named if git.has_branch(str(repository), name)] == named[:2]
    place = places.check(worked(repository, "fix"), [])
    assert place.notes == ("The branch fix is gone; main is checked out.",)


def test_a_submodule_is_not_where_its_repository_lies(repository: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git_in(outer, "init", "-q")
    git_in(outer, "-c", "protocol.file.allow=always", "submodule", "add", str(repository), "s")
    assert git.top(str(outer / "s")) == str(outer / "s")
    assert git.worktrees(str(outer / "s")) == []


def test_a_git_that_does_not_answer_is_no_missing_repository(
    repository: Path, tmp_path: Path, monkeypatch
) -> None:
    below = repository / "src"
    below.mkdir()
    monkeypatch.setenv("PATH", str(tmp_path))
    (note,) = places.check(worked(below), []).notes
    assert note == f"git does not tell what is checked out in {below}; the session was on main."
    (note,) = places.check(worked(tmp_path), []).notes
    assert "is in no git repository now" in note
