"""Questions to git that only read: no hook, filter, pager or monitor of a repository runs.

A transcript names the directory, so nothing there is trusted: only commands that look at refs and
worktrees are used, never `status` or `diff`, which may start programs the repository configures.
"""

from __future__ import annotations

import os
import subprocess
from typing import Final

from recall_tui.named import NamedTuple

TIMEOUT_S: Final = 3.0
"""A repository on a share that does not answer must not hold up a person."""

_SAFE: Final = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-pager")


_ENV: Final = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",  # nothing asked for needs an object that is not here,
    "GIT_ALLOW_PROTOCOL": "none",  # and nobody may be asked for one, whatever a repository says
    "LC_ALL": "C",
}


class Worktree(NamedTuple):
    """A directory in which a branch of a repository is checked out."""

    path: str
    branch: str
    """Empty when it is on no branch."""


def top(folder: str) -> str:
    """Return the top directory of the working tree a folder lies in, empty when it is in none."""
    return _ask(folder, "rev-parse", "--show-toplevel").strip("\n")


def branch(folder: str) -> str:
    """Return the branch checked out, `HEAD` for none, empty when the folder is in no repository."""
    name = _ask(folder, "symbolic-ref", "--quiet", "--short", "HEAD").strip()
    return name or ("HEAD" if _ask(folder, "rev-parse", "--verify", "--quiet", "HEAD") else "")


def has_branch(folder: str, name: str) -> bool:
    """Say whether the repository of a folder has a branch of this name, local or remote.

    What git lists is compared again: to it `feature` also means `feature/x`, and `*` anything.
    """
    listed = _ask(
        folder, "for-each-ref", "--format=%(refname)",
        f"refs/heads/{name}", f"refs/remotes/*/{name}",
    )  # fmt: skip
    found = (full.split("/", 2) for full in listed.splitlines())
    return any(
        rest == name if kind == "heads" else rest.partition("/")[2] == name
        for _, kind, rest in found
    )


def worktrees(folder: str) -> list[Worktree]:
    """Return the working trees of the repository a folder lies in, the main one first."""
    found: list[Worktree] = []
    asked = ("worktree", "list", "--porcelain")
    listed = _ask(folder, *asked, "-z")  # git 2.36: else a line break in a path ends it
    end = "\0" if listed else "\n"
    for record in (listed or _ask(folder, *asked)).split(2 * end):
        fields = dict(line.partition(" ")[::2] for line in record.split(end))
        path = fields.get("worktree", "")
        inside = "/.git/" in f"{path}/"  # of a submodule git names where its repository lies
        if path and not inside and "bare" not in fields:
            name = fields.get("branch", "").removeprefix("refs/heads/")
            found.append(Worktree(path, name))
    return found


def _ask(folder: str, *words: str) -> str:
    """Return what git prints, empty when it fails, is missing or takes too long."""
    if not os.path.isabs(folder) or not os.path.isdir(folder):
        return ""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    env = kept | _ENV
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program, an argv, no shell
            ["git", *_SAFE, "-C", folder, *words],  # noqa: S607 - the person's own git
            stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S, check=False, env=env,
        )  # fmt: skip
    except (OSError, ValueError, subprocess.SubprocessError):
        return ""
    return os.fsdecode(done.stdout) if done.returncode == 0 else ""
