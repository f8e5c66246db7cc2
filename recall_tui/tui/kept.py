"""How a person last looked at things: mode, switches, arrangement, theme, kept between runs.

A small file beside the logs, read before the first paint. It holds no text of anybody's; when it
cannot be read, things look as they do at first.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from recall_tui.config import THEMES
from recall_tui.errors import StoreError
from recall_tui.named import NamedTuple
from recall_tui.paths import private_folder
from recall_tui.search.results import Case
from recall_tui.tui.arrangement import Arrangement, Group, Order
from recall_tui.tui.query import Mode, Switches

if TYPE_CHECKING:
    from enum import StrEnum

C = TypeVar("C", bound="StrEnum")


class Kept(NamedTuple):
    """What is kept."""

    switches: Switches = Switches()
    how: Arrangement = Arrangement()
    theme: str = ""
    """The theme that was chosen in the app, empty for none."""


def read(path: str) -> Kept:
    """Return what a file keeps; what it does not say, or says wrongly, is as at first."""
    try:
        with open(path, encoding="utf-8") as file:
            import json  # 2 ms that a first run does not need

            found = json.load(file)
    except (OSError, ValueError):
        return Kept()
    if not isinstance(found, dict):
        return Kept()
    switches = Switches(
        _choice(found.get("mode"), Mode.GREP), _choice(found.get("case"), Case.SMART),
        found.get("word") is True, found.get("regex") is True,
    )  # fmt: skip
    how = Arrangement(
        _choice(found.get("order"), Order.AGE), _choice(found.get("group"), Group.DAY)
    )
    theme = found.get("theme")
    return Kept(switches, how, theme if theme in THEMES else "")


def write(path: str, kept: Kept) -> None:
    """Keep it in a file. A disk that cannot be written only forgets."""
    import json

    switches, how, theme = kept
    text = json.dumps(
        {
            "mode": switches.mode, "case": switches.case, "word": switches.word,
            "regex": switches.regex, "order": how.order.name.lower(),
            "group": how.group.name.lower(), "theme": theme,
        }
    )  # fmt: skip
    with suppress(OSError, StoreError):
        private_folder(os.path.dirname(path))
        new = f"{path}.{os.getpid()}"
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(text)
        os.replace(new, path)


def _choice(value: object, usual: C) -> C:
    """Return the choice of a name or a value, the usual one for anything else."""
    for choice in type(usual):
        if value in (choice.value, choice.name.lower()):
            return choice
    return usual
