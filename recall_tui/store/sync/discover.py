"""Which sources there are now, and how much of the answer can be trusted."""

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from recall_tui.model import Gap, GapKind
from recall_tui.named import NamedTuple
from recall_tui.paths import is_utf8, shown_bytes

if TYPE_CHECKING:
    from recall_tui.harnesses.base import Harness, Source


class Place(NamedTuple):
    """A root to look under, and the harness that can read what lies there."""

    harness: "Harness"
    root: str
    """Absolute, without a trailing separator."""


class Discovery:
    """What a look at some places found.

    Attributes:
        sources: (harness, path, part) -> source.
        gaps: (harness, root) -> what could not be looked at. Each place looked at has an entry.
    """

    __slots__ = ("gaps", "sources")

    def __init__(self) -> None:
        self.sources: dict[tuple[str, str, str], Source] = {}
        self.gaps: dict[tuple[str, str], list[Gap]] = {}

    def vouches_for(self, harness: str, path: str) -> bool:
        """Whether a source of this path that was not found is really gone.

        Not when no place looked at holds it, and not when something on the way to it could not be
        read: an unmounted disk, a folder without permission, a locked database.
        """
        holding = [
            (root, gaps)
            for (name, root), gaps in self.gaps.items()
            if name == harness and covers(root, path)
        ]
        return bool(holding) and not any(
            covers(gap.where or root, path) for root, gaps in holding for gap in gaps
        )

    def gaps_that_matter(self, known: Iterable[str]) -> dict[tuple[str, str], list[Gap]]:
        """Return the gaps, without missing roots from which no path of `known` was indexed."""
        paths = list(known) if any(map(len, self.gaps.values())) else []
        return {
            (harness, root): [
                gap
                for gap in gaps
                if gap.kind is not GapKind.GONE or any(covers(root, path) for path in paths)
            ]
            for (harness, root), gaps in self.gaps.items()
        }


def discover(places: Iterable[Place]) -> Discovery:
    """Look at every place. A root that is not there is a gap; see `gaps_that_matter`."""
    discovery = Discovery()
    for harness, root in places:
        gaps: list[Gap] = []
        if os.path.lexists(root):
            for source in _found(harness, root, gaps):
                if is_utf8(source.path):
                    discovery.sources[source[:3]] = source
                else:
                    gaps.append(unnameable(source.path))
        else:
            gaps.append(missing_root(root))
        discovery.gaps.setdefault((harness.id, root), []).extend(gaps)
    return discovery


def _found(harness: "Harness", root: str, gaps: list[Gap]) -> "Iterator[Source]":
    """Yield the sources below a root; a fault of a harness costs what it had not named yet."""
    try:
        yield from harness.discover(root, gaps)
    except Exception as error:
        reason = (error.strerror if isinstance(error, OSError) else "") or type(error).__name__
        gaps.append(Gap(GapKind.UNREADABLE, 1, f"cannot read {root}: {reason}", "", root))


def look_at(places: Iterable[Place], paths: Iterable[str]) -> Discovery:
    """Look only at some files below the places, as after a change there.

    A path that is not there any more is vouched for as gone, with all that lay below it. One
    beside a database (`-wal`) means the database. Folders are passed over: what is in them needs
    the whole place to be told from noise.
    """
    discovery = Discovery()
    for path in {_database(path) for path in paths}:
        if os.path.isdir(path):
            continue
        for harness, root in places:
            if not covers(root, path):
                continue
            gaps: list[Gap] = []
            if os.path.lexists(path):
                for source in _found(harness, path, gaps):
                    if is_utf8(source.path):
                        discovery.sources[source[:3]] = source._replace(root=root)
            discovery.gaps[harness.id, path] = gaps
    return discovery


def _database(path: str) -> str:
    for suffix in ("-wal", "-shm", "-journal"):
        path = path.removesuffix(suffix)
    return path


def missing_root(root: str) -> Gap:
    """Return the gap for a root that is not there."""
    return Gap(
        GapKind.GONE,
        1,
        f"{root} is not there; what was indexed from it is kept",
        "mount it again, or forget its sessions",
        root,
    )


def unnameable(path: str) -> Gap:
    """Return the gap for a file whose name is no UTF-8: it cannot be named in an answer."""
    name = shown_bytes(path)
    return Gap(
        GapKind.UNREADABLE, 1, f"{name}: the name is not valid UTF-8", "rename the file", name
    )


def covers(place: str, path: str) -> bool:
    """Whether a path is a place or lies below it (or is a file beside a database: `-wal`)."""
    return path == place or path.startswith(place.rstrip(os.sep) + os.sep)
