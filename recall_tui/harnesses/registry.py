"""Every harness Recall reads: one line each, loaded when used.

A third party adds one with an entry point of the group `recall_tui.harnesses` whose name is the
harness id and whose value is a class that fits `base.Harness`.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
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
}

GROUP: Final = "recall_tui.harnesses"


@cache
def _extra() -> dict[str, str]:
    """Return third-party harnesses by id, without importing them."""
    return {point.name: point.value for point in entry_points(group=GROUP)}


def ids() -> list[str]:
    """Return every harness id, built-in ones first."""
    return [*BUILT_IN, *(name for name in _extra() if name not in BUILT_IN)]


@cache
def get(harness_id: str) -> Harness:
    """Return the harness of an id.

    Raises:
        ConfigError: There is no such harness, or a third party's cannot be imported.
    """
    target = BUILT_IN.get(harness_id) or _extra().get(harness_id)
    if target is None:
        raise ConfigError(f"unknown harness {harness_id!r}", f"known: {', '.join(ids())}")
    module, _, name = target.partition(":")
    try:
        return cast("Harness", getattr(import_module(module), name)())
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"harness {harness_id!r} cannot be loaded: {error}") from error


def all_harnesses() -> list[Harness]:
    """Return every harness in registry order."""
    return [get(name) for name in ids()]
