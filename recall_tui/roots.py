"""Which places are read: the harnesses' own folders, settings, or the `--source`s named."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from recall_tui.errors import ConfigError
from recall_tui.harnesses import registry
from recall_tui.harnesses.files import first_bytes
from recall_tui.paths import full
from recall_tui.store.sync.discover import Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def own(env: Mapping[str, str], home: str) -> list[Place]:
    """Return every harness's own places on this machine, whether they exist or not."""
    return _unique(
        Place(harness, os.path.abspath(root))
        for harness in registry.all_harnesses()
        for root in harness.roots(env, home)
    )


def named(sources: Sequence[str]) -> list[Place]:
    """Return the places of `--source` values.

    Args:
        sources: `HARNESS=PATH`; or a bare path, whose harness is recognised by its content.

    Raises:
        ConfigError: An unknown harness, no path or one that is not there, or a file no harness
            knows.
    """
    places: list[Place] = []
    for source in sources:
        harness, given, path = source.partition("=")
        if not given or os.path.lexists(source):
            places += _recognised(_existing(source))
        else:
            places.append(Place(registry.get(harness), _existing(path)))
    return _unique(places)


def _existing(path: str) -> str:
    if not path:  # an unset variable of a script must not stand for the current folder
        raise ConfigError("a source without a path", "give [HARNESS=]PATH")
    place = full(path)
    if not os.path.exists(place):
        raise ConfigError(f"no such file or folder: {place}", nearby(place))
    return place


def nearby(path: str) -> str:
    """Return what exists next to a missing path: the nearest folder and similar names in it."""
    folder = os.path.abspath(path)
    missing = ""
    while not os.path.isdir(folder):
        missing, folder = os.path.basename(folder), os.path.dirname(folder)
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return f"{folder} exists but cannot be read"
    import difflib  # noqa: PLC0415 - 4 ms that a path which exists does not need

    near = difflib.get_close_matches(missing, names, 3, 0.5)
    held = ", ".join(near or names[:5]) or "nothing"
    return f"{folder} holds {held}{'' if near or len(names) <= 5 else ', ...'}"


def _recognised(path: str) -> list[Place]:
    """Return the places a bare path stands for: a folder is offered to every harness."""
    harnesses = registry.all_harnesses()
    if os.path.isdir(path):
        return [Place(harness, path) for harness in harnesses]
    if not os.access(path, os.R_OK):
        raise ConfigError(f"cannot read {path}: permission denied", "check its permissions")
    head = first_bytes(path)
    failed = ""
    for harness in harnesses:
        try:
            known = harness.recognise(path, head)
        except Exception as error:  # a third party's fault must not stop the others
            failed += f"; harness {harness.id!r} failed on it: {type(error).__name__}"
            continue
        if known:
            return [Place(harness, path)]
    raise ConfigError(
        f"{path} is no session file of a program known here{failed}",
        f"say which it is: --source HARNESS=PATH ({', '.join(registry.ids())})",
    )


def _unique(places: Iterable[Place]) -> list[Place]:
    """Drop repeated places and those inside another place of the same harness."""
    kept: list[Place] = []
    for place in places:
        inside = any(
            other.harness.id == place.harness.id
            and (place.root == other.root or place.root.startswith(other.root + os.sep))
            for other in kept
        )
        if not inside:
            kept.append(place)
    return kept
