"""Related: sessions that share the project, the branch or files with a folder or a session.

Overlap is one point for the project, one for the branch, one for each shared file (S3-40); ties go
to the newer. A project is a folder, what lies below it, and the other working trees of its
repository.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from recall_tui.model import Filter, Kind
from recall_tui.playbooks import git
from recall_tui.playbooks.acts import Doing, doing, relative, touched
from recall_tui.playbooks.turns import positions_of, read
from recall_tui.search.results import Case, GrepQuery

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from recall_tui.model import Session
    from recall_tui.playbooks.ports import Past

FILES: Final = 8
"""Files looked for in other sessions: those edited most. Each is one scan of all tool calls."""

SEEDS: Final = 5
"""Newest sessions of a folder whose files are looked for."""

CALLS: Final = 2000
"""Tool calls of a session read for its files: the last ones."""

HITS: Final = 5000
"""Mentions of one file looked at, over all sessions."""

MENTIONS: Final = 100
"""Mentions of one file looked at in one session: the last ones."""

EVERYWHERE: Final = frozenset({"", "HEAD", "main", "master", "develop", "trunk"})
"""Branches that say nothing about a session of another project, unless they are asked for."""


@dataclass(slots=True, frozen=True)
class Seed:
    """What others are compared with."""

    folders: tuple[str, ...]
    """Absolute folders of the project."""
    branch: str
    """Empty: branches do not count."""
    files: tuple[str, ...]
    """Absolute paths."""
    own: frozenset[str] = frozenset()
    """Keys that are not compared: the session itself."""
    files_known: int = 0
    """Files the project's sessions touched; `files` are the first of them."""


@dataclass(slots=True, frozen=True)
class Related:
    """One session, and what it shares."""

    session: Session
    project: bool
    branch: bool
    files: tuple[str, ...]

    @property
    def overlap(self) -> int:
        """The points it is ranked by."""
        return int(self.project) + int(self.branch) + len(self.files)


def seed_of_folder(past: Past, folder: str, branch: str = "") -> Seed:
    """Return the seed of a folder: its project, its branch now, the files of its newest sessions.

    Args:
        past: The history.
        folder: An absolute path, whether it exists or not.
        branch: Counts whatever its name is; empty: the branch checked out, when it tells.
    """
    folders = _project(folder)
    newest = [s for s in past.sessions() if _within(s, folders)][:SEEDS]
    files = _most_touched(past, newest)
    now = git.branch(folder)
    named = branch or ("" if now in EVERYWHERE else now)
    return Seed(folders, named, files[:FILES], files_known=len(files))


def seed_of_session(past: Past, session: Session, branch: str = "") -> Seed:
    """Return the seed of a session: its project, its branch, the files it touched."""
    folder = session.last_cwd or session.cwd
    files = _most_touched(past, [session])
    named = branch or ("" if session.branch in EVERYWHERE else session.branch)
    folders = _project(folder) if folder else ()
    return Seed(folders, named, files[:FILES], frozenset({session.key}), len(files))


def related(past: Past, seed: Seed, chosen: Filter) -> list[Related]:
    """Return the sessions a filter admits that share something, most overlap first, then newest.

    Args:
        past: The history.
        seed: What they are compared with.
        chosen: Restricts which sessions are compared.
    """
    shared = _sharing(past, seed, chosen)
    found = []
    for session in past.sessions(chosen):
        if session.key in seed.own:
            continue
        one = Related(
            session,
            project=_within(session, seed.folders),
            branch=bool(seed.branch) and session.branch == seed.branch,
            files=tuple(shared.get(session.key, ())),
        )
        if one.overlap:
            found.append(one)
    return sorted(found, key=lambda one: (-one.overlap, -one.session.ended_ms, one.session.key))


def _project(folder: str) -> tuple[str, ...]:
    """Return a folder, the top of its working tree and the other working trees."""
    trees = [tree.path for tree in git.worktrees(folder)]
    top = git.top(folder)
    return tuple(dict.fromkeys(path.rstrip("/") or "/" for path in (folder, top, *trees) if path))


def _within(session: Session, folders: Iterable[str]) -> bool:
    """Say whether a session worked in one of the folders, or below it."""
    return any(
        place == folder or (folder != "/" and place.startswith(f"{folder}/"))
        for place in {session.cwd.rstrip("/"), session.last_cwd.rstrip("/")}
        for folder in folders
        if place
    )


def _most_touched(past: Past, sessions: Sequence[Session]) -> tuple[str, ...]:
    """Return the files that sessions touched: edited before read, more often first."""
    edited: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for session in sessions:
        cwd = session.last_cwd or session.cwd
        places = positions_of(past, session, [Kind.TOOL_CALL])[-CALLS:]
        for call in read(past, session, places):
            (seen if doing(call) is Doing.READ else edited).update(touched(call, cwd))
    ranked = [path for path, _ in edited.most_common()]
    return tuple(dict.fromkeys([*ranked, *(path for path, _ in seen.most_common())]))


def _sharing(past: Past, seed: Seed, chosen: Filter) -> dict[str, list[str]]:
    """Return session key -> the seed's files that it touched too."""
    found: dict[str, list[str]] = {}
    for path in seed.files:
        for session in _touching(past, path, seed, chosen):
            if session.key not in seed.own:
                found.setdefault(session.key, []).append(path)
    return found


def _touching(past: Past, path: str, seed: Seed, chosen: Filter) -> Iterator[Session]:
    """Yield the sessions one of whose tool calls names a file, however it is written there.

    The file is searched for as the project writes it (`src/app.py`), because half of the programs
    record paths relative to the directory; each candidate is then read and compared whole.
    """
    tops = sorted(seed.folders, key=len, reverse=True)
    inside = next((relative(path, top) for top in tops if relative(path, top) != path), path)
    query = GrepQuery(
        inside,
        case=Case.EXACT,
        limit=HITS,
        chosen=chosen._replace(kinds=(Kind.TOOL_CALL,), roles=()),
    )
    wanted = {path, *(f"{top}/{inside}" for top in tops)}
    mentions: dict[str, tuple[Session, list[int]]] = {}
    for update in past.grep(query):
        for hit in update.hits:
            mentions.setdefault(hit.session.key, (hit.session, []))[1].append(hit.position)
    for session, places in mentions.values():
        cwd = session.last_cwd or session.cwd
        calls = read(past, session, sorted(places)[-MENTIONS:])
        if any(not wanted.isdisjoint(touched(call, cwd)) for call in calls):
            yield session
