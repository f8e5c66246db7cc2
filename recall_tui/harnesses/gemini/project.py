"""Which directory a session belongs to: Gemini CLI's sessions do not say it themselves."""

from __future__ import annotations

import hashlib
import os
import re
from typing import TYPE_CHECKING, Final

from recall_tui.harnesses import fields

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MENTIONED: Final = re.compile(
    r"(?:Workspace Directories:\**|working in the (?:directory|following directories):)"
    r"\s*(?:- )?(\S.*)"
)
"""How the text that opens a session names the directory it runs in."""

_MAX_BYTES: Final = 4 << 20
"""Most bytes read of a file that lists directories."""


def directory(
    path: str, project_hash: str, opening: str, stated: Iterable[str], used: Iterable[str] = ()
) -> str:
    """Return the working directory of a session, empty when nothing tells it.

    Asked in this order: the marker file beside `chats`, the program's table of projects, known
    directories whose SHA-256 is the project's hash, the opening text, the directories it lists,
    and those above the files it used, if the hash says so.

    Args:
        path: The session file.
        project_hash: The `projectHash` it states.
        opening: Its `<session_context>`, empty when there is none.
        stated: Its `directories`.
        used: Whole paths that its calls name.
    """
    folder = _project_folder(path)
    if folder:
        marker = _read(os.path.join(folder, ".project_root")).strip().partition(b"\n")[0]
        if marker:
            return marker.decode("utf-8", "replace").rstrip()
    match = _MENTIONED.search(opening)
    mentioned = match.group(1).strip() if match else ""
    home = os.path.dirname(os.path.dirname(folder)) if folder else ""
    projects = _table(os.path.join(home, "projects.json")) if home else {}
    projects = fields.mapping(projects.get("projects"))
    name = os.path.basename(folder)
    hashes = {project_hash, name}
    known = [*projects, *(_table(os.path.join(home, "trustedFolders.json")) if home else ())]
    candidates = [*known, mentioned, *stated]
    yes = (cwd for cwd, slug in projects.items() if slug == name)
    above = (folder for path in used for folder in _above(path))
    told = _chain(yes, _hashed(candidates, hashes), (mentioned,), stated, _hashed(above, hashes))
    return next(told, "")


def _above(path: str) -> Iterator[str]:
    """Yield a path of either system and the folders above it."""
    while path:
        yield path
        path = path[: max(path.rfind("/"), path.rfind("\\"), 0)]


def _chain(*groups: Iterable[str]) -> Iterator[str]:
    """Yield what is not empty."""
    for group in groups:
        yield from filter(None, group)


def _hashed(candidates: Iterable[str], hashes: set[str]) -> Iterator[str]:
    """Yield the candidates that a hash was made of."""
    for cwd in candidates:
        if hashlib.sha256(cwd.encode("utf-8", "replace")).hexdigest() in hashes:
            yield cwd


def _project_folder(path: str) -> str:
    """Return the folder that holds the session's `chats`, empty when it lies in no such folder."""
    folder = os.path.dirname(os.path.abspath(path))
    for _ in range(2):  # a subagent's file lies one deeper
        above, name = os.path.split(folder)
        if name == "chats":
            return above
        folder = above
    return ""


def _table(path: str) -> dict[str, object]:
    """Return the object in a file, empty when there is none."""
    try:
        return fields.mapping(fields.decode(_read(path)))
    except ValueError:
        return {}


def _read(path: str) -> bytes:
    """Return a small file's content, empty when it cannot be read."""
    try:
        with open(path, "rb") as stream:
            return stream.read(_MAX_BYTES)
    except OSError:
        return b""
