"""What is well and what is not: sources, index, machine, retention. Checks as data.

The command line prints them and the app's health screen shows them. Looking changes nothing: no
file is created, no source is written, and a missing index stays missing (S3-76).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from recall_tui.doctor.checks import Check, Level, worst
from recall_tui.model import Filter
from recall_tui.privacy import is_paused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recall_tui.history import History
    from recall_tui.model import Session

__all__ = ["Check", "Level", "examine", "worst"]


def examine(
    env: Mapping[str, str], home: str, history: History | None, *, deep: bool = False
) -> list[Check]:
    """Look at everything and return one check a line.

    Args:
        env: The environment.
        home: The home directory.
        history: The opened history, `live` so that looking does not change it; None when opening
            it failed.
        deep: Check every page of the index, however large it is.
    """
    from recall_tui.doctor import damage, index, machine, retention
    from recall_tui.doctor import sources as places
    from recall_tui.paths import locate

    paths = history.paths if history is not None else locate(env)  # the demo has its own
    paused = is_paused(paths.data)
    if paused:
        history = None  # then nothing may be read, not even to be counted
    sessions = _sessions(history)
    damaged = history.damaged() if history else []
    held = history
    return [
        *([_PAUSED] if paused else ()),
        *places.broken_harnesses(),
        *(
            places.source_checks(held.places, sessions, damaged, held.sources, held.left_out)
            if held
            else ()
        ),
        *damage.damage_checks(damaged),
        *index.index_checks(paths, history, deep=deep),
        *retention.retention_checks(env, home, sessions),
        *machine.machine_checks(env),
        *machine.terminal_checks(env),
    ]


_PAUSED: Final = Check(
    "privacy", Level.WARN, "paused", "nothing is searched, shown or indexed", "recall unpause",
    {"paused": True},
)  # fmt: skip


def _sessions(history: History | None) -> list[Session]:
    """Return every session of the index, copies too: each is a source that was read."""
    return history.sessions(Filter(include_copies=True)) if history else []
