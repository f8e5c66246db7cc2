"""Every harness Recall reads: one line each, loaded when used.

A third party adds one with an entry point of the group `recall_tui.harnesses` whose name is the
harness id and whose value is a class that fits `base.Harness`.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

from recall_tui.errors import ConfigError

if TYPE_CHECKING:
    from recall_tui.harnesses.base import Harness

BUILT_IN: Final = {
    "claude": "recall_tui.harnesses.claude:Claude",
    "codex": "recall_tui.harnesses.codex:Codex",
    "pi": "recall_tui.harnesses.pi:Pi",
    "opencode": "recall_tui.harnesses.opencode:OpenCode",
    "gemini": "recall_tui.harnesses.gemini:Gemini",
    "copilot": "recall_tui.harnesses.copilot:Copilot",
    "maka": "recall_tui.workspace:Maka",
}

GROUP: Final = "recall_tui.harnesses"

_MEMBERS: Final = (
    "id", "name", "mark", "roots", "discover", "recognise", "open", "material", "resume",
)  # fmt: skip
"""What a `base.Harness` has."""


@cache
def _extra() -> dict[str, str]:
    """Return third-party harnesses by id, without importing them."""
    if not any(_names_group(folder) for folder in dict.fromkeys(sys.path)):
        return {}
    from importlib.metadata import entry_points  # noqa: PLC0415 - 40 ms that few people need

    return {point.name: point.value for point in entry_points(group=GROUP)}


def _names_group(folder: str) -> bool:
    """Whether a package installed in a folder of `sys.path` mentions our entry point group.

    Reading 100 small files takes 2 ms; `importlib.metadata` takes 40 and every query pays it.
    """
    try:
        with os.scandir(folder or ".") as entries:
            packages = [e.path for e in entries if e.name.endswith((".dist-info", ".egg-info"))]
    except OSError:
        return False
    for package in packages:
        try:
            with open(os.path.join(package, "entry_points.txt"), "rb") as file:
                if GROUP.encode() in file.read():
                    return True
        except OSError:
            continue
    return False


def ids() -> list[str]:
    """Return every harness id, built-in ones first."""
    return [*BUILT_IN, *(name for name in _extra() if name not in BUILT_IN)]


@cache
def get(harness_id: str) -> Harness:
    """Return the harness of an id.

    Raises:
        ConfigError: There is no such harness, or a third party's cannot be imported or is none.
    """
    target = BUILT_IN.get(harness_id) or _extra().get(harness_id)
    if target is None:
        raise ConfigError(f"unknown harness {harness_id!r}", f"known: {', '.join(ids())}")
    module, _, name = target.partition(":")
    try:
        harness = getattr(import_module(module), name)()
    except Exception as error:  # a third party's code may raise anything
        fault = f"{type(error).__name__}: {error}"
        raise ConfigError(f"harness {harness_id!r} cannot be loaded: {fault}") from error
    if harness_id not in BUILT_IN:
        _check(harness, harness_id)
    return cast("Harness", harness)


def _check(harness: object, harness_id: str) -> None:
    """Refuse a third party's harness that would fail later, in the middle of an answer."""
    lacking = [name for name in _MEMBERS if not hasattr(harness, name)]
    if lacking:
        raise ConfigError(f"harness {harness_id!r} cannot be loaded: no {', '.join(lacking)}")
    own = getattr(harness, "id", None)
    if own != harness_id:
        raise ConfigError(f"harness {harness_id!r} cannot be loaded: it calls itself {own!r}")


def all_harnesses() -> list[Harness]:
    """Return every harness that can be loaded, in registry order; see `faults`."""
    return [get(name) for name in ids() if name not in faults()]


@cache
def faults() -> dict[str, str]:
    """Return why a harness cannot be loaded, by id: one broken package must not stop the rest.

    Only a third party's can be: loading our own to see would cost every question 10 ms.
    """
    found = {}
    for name in _extra():
        try:
            get(name)
        except ConfigError as error:
            found[name] = str(error)
    return found
