"""Where a session worked, and whether that is still there: directory, branch, worktree."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from recall_tui.playbooks import git

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recall_tui.model import Session

OFFERS: Final = 5
"""Other directories named, at most."""

BESIDE: Final = 16
"""Folders beside a gone one that git is asked about, at most."""

COMMON: Final = frozenset({"main", "master", "develop", "trunk"})
"""Branches every repository has: having one tells nothing."""

DETACHED: Final = "HEAD"
"""What programs record as the branch when none was checked out."""


@dataclass(slots=True, frozen=True)
class Offer:
    """A directory that exists and may stand in for one that is gone."""

    path: str
    reason: str


@dataclass(slots=True, frozen=True)
class Place:
    """The recorded directory and branch, against the disk and git as they are now."""

    cwd: str
    """The latest recorded directory; empty when the session names none."""
    branch: str
    """The recorded branch, empty when the session names none."""
    exists: bool
    branch_now: str = ""
    """The branch checked out there now; empty outside a repository."""
    branch_exists: bool = False
    repository: str = ""
    """Top of the working tree the directory lies in."""
    silent: bool = False
    """There is a repository, but git is missing, refuses it or does not answer."""
    offers: tuple[Offer, ...] = ()
    """Where to go on instead, best first."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not as it was, each in one sentence; empty when all is."""
        if not self.cwd:
            return ("The session does not say in which directory it worked.",)
        if not self.exists:
            return (f"The directory {self.cwd} is gone.",)
        if self.branch in ("", DETACHED) or self.branch_now == self.branch:
            return ()
        if not self.branch_now and self.silent:
            return (
                f"git does not tell what is checked out in {self.cwd}; "
                f"the session was on {self.branch}.",
            )
        if not self.branch_now:
            return (f"{self.cwd} is in no git repository now; the session was on {self.branch}.",)
        now = "no branch" if self.branch_now == DETACHED else self.branch_now
        if not self.branch_exists:
            return (f"The branch {self.branch} is gone; {now} is checked out.",)
        return (f"The session was on {self.branch}; {now} is checked out there now.",)


def check(session: Session, others: Iterable[Session]) -> Place:
    """Compare where a session worked with the disk and git as they are now.

    Args:
        session: Which session.
        others: The sessions in which a directory of the same name is looked for.
    """
    cwd = session.last_cwd or session.cwd
    branch = session.branch
    if not is_folder(cwd):
        above = _above(cwd)
        offers = _instead(cwd, branch, above, others)
        return Place(cwd, branch, exists=False, offers=offers)
    now = git.branch(cwd)
    if not now:  # no repository, or one that does not answer: more questions would wait as long
        return Place(cwd, branch, exists=True, silent=_holds_repository(cwd))
    if branch in ("", DETACHED, now):
        return Place(
            cwd,
            branch,
            exists=True,
            branch_now=now,
            branch_exists=branch == now,
            repository=git.top(cwd),
        )
    offers = tuple(
        Offer(tree.path, f"{branch} is checked out there")
        for tree in git.worktrees(cwd)
        if tree.branch == branch and is_folder(tree.path)
    )
    return Place(
        cwd, branch, exists=True, branch_now=now, branch_exists=git.has_branch(cwd, branch),
        repository=git.top(cwd), offers=offers,
    )  # fmt: skip


def standing(path: str) -> Offer:
    """Return a directory that a person names, with what is checked out there."""
    now = git.branch(path)
    words = {"": "in no git repository", DETACHED: "no branch is checked out there"}
    return Offer(path, words.get(now, f"{now} is checked out there"))


def is_folder(path: str) -> bool:
    """Say whether a recorded path is a directory of this machine now."""
    try:
        return os.path.isabs(path) and os.path.isdir(path)
    except ValueError:  # a NUL in the name
        return False


def _holds_repository(folder: str) -> bool:
    """Say whether a folder, or one above it, has a repository in it, without asking git."""
    while not os.path.lexists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return False
        folder = above
    return True


def _above(cwd: str) -> str:
    """Return the nearest directory above a gone one that exists, empty for none or the root."""
    folder = os.path.dirname(cwd.rstrip("/")) if os.path.isabs(cwd) else ""
    while folder and not is_folder(folder):
        folder = os.path.dirname(folder) if folder != "/" else ""
    return "" if folder in ("", "/", os.path.expanduser("~")) else folder


def _beside(cwd: str, branch: str, others: Iterable[Session]) -> list[str]:
    """Return the repositories beside a gone directory that have its branch.

    A working tree that was removed is known to its repository no more, but its branch stays there.
    """
    if branch in ("", DETACHED) or branch in COMMON or not os.path.isabs(cwd):
        return []
    folder = os.path.dirname(cwd.rstrip("/"))
    known = dict.fromkeys(path for other in others for path in (other.last_cwd, other.cwd))
    near = [path for path in known if path != cwd and os.path.dirname(path.rstrip("/")) == folder]
    there = [path for path in near if is_folder(path)][:BESIDE]
    return [path for path in there if git.has_branch(path, branch)]


def _instead(cwd: str, branch: str, above: str, others: Iterable[Session]) -> tuple[Offer, ...]:
    """Return directories that exist and may stand in for a gone one, best first."""
    found: dict[str, str] = {}
    trees = git.worktrees(above) if above else []
    for tree in trees:
        if branch not in ("", DETACHED) and tree.branch == branch and is_folder(tree.path):
            found.setdefault(tree.path, f"{branch} is checked out there")
    others = list(others)
    for path in _beside(cwd, branch, others):
        found.setdefault(path, f"a repository beside it that has {branch}")
    for path in _namesakes(cwd, others):
        found.setdefault(path, "a directory of the same name, from another session")
    for tree in trees:
        if is_folder(tree.path):
            on = f", on {tree.branch}" if tree.branch else ""
            found.setdefault(tree.path, f"a working tree of the same repository{on}")
    if not found and above.count("/") > 1:  # `/home` and `/tmp` are nobody's project
        found[above] = "the nearest directory above it"
    return tuple(Offer(path, reason) for path, reason in list(found.items())[:OFFERS])


def _namesakes(cwd: str, others: Iterable[Session]) -> list[str]:
    """Return existing directories of other sessions that are named like a gone one."""
    name = _last(cwd)
    if not name:
        return []
    known = dict.fromkeys(path for other in others for path in (other.last_cwd, other.cwd))
    return [path for path in known if path != cwd and _last(path) == name and is_folder(path)]


def _last(path: str) -> str:
    return re.split(r"[\\/]", path.rstrip("\\/"))[-1]
