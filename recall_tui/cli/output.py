"""Everything a command prints on stdout: data, and nothing else."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

from recall_tui.cli.letters import takes_all_letters
from recall_tui.cli.screen import Screen, plain, screen_for
from recall_tui.text.safe import hide
from recall_tui.text.sanitize import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

SCHEMA_VERSION: Final = 1
"""Of every JSON answer. A new field keeps it; a renamed, removed or re-typed one raises it."""


def out() -> Screen:
    """Return the screen of stdout."""
    return screen_for(sys.stdout)


def print_json(value: dict[str, object]) -> None:
    """Print one answer as JSON: indented for a person's terminal, one line for a program."""
    indent = 2 if sys.stdout.isatty() else None
    sys.stdout.write(_encode({"schema_version": SCHEMA_VERSION, **value}, indent) + "\n")


def print_json_line(value: dict[str, object]) -> None:
    """Print one line of a stream of JSON values, at once."""
    sys.stdout.write(_encode({"schema_version": SCHEMA_VERSION, **value}) + "\n")
    sys.stdout.flush()


def print_json_stream(
    name: str,
    items: Iterable[dict[str, object]],
    rest: Callable[[], dict[str, object]],
) -> None:
    """Print one JSON answer whose long list is written while it is found.

    Args:
        name: Name of the list.
        items: Its members.
        rest: Returns the other fields; called once the list is exhausted.
    """
    sys.stdout.write(f'{{"schema_version": {SCHEMA_VERSION}, "{name}": [')
    for number, item in enumerate(items):
        sys.stdout.write((",\n" if number else "\n") + _encode(item))
    sys.stdout.write("]")
    for key, value in rest().items():
        sys.stdout.write(f",\n{_encode(key)}: {_encode(value)}")
    sys.stdout.write("}\n")


def print_paths(paths: Iterable[str], *, nul: bool) -> None:
    """Print bare paths, a line each; with `nul` the exact bytes, each ended by NUL (`xargs -0`).

    A secret in the name of a file is not printed either: such a path leads nowhere.
    """
    for path in map(hide, paths):
        if nul:
            sys.stdout.flush()
            sys.stdout.buffer.write(os.fsencode(path) + b"\0")
        else:
            sys.stdout.write(f"{visible(path)}\n")


def _encode(value: object, indent: int | None = None) -> str:
    """Return JSON that is safe on a terminal too: it leaves C1 controls as they are, we do not."""
    import json  # 1 ms that words do not pay

    narrow = not takes_all_letters(sys.stdout)
    text = json.dumps(value, ensure_ascii=narrow, indent=indent)
    return (
        text
        if plain(text) == text
        else json.dumps(_cleaned(value), ensure_ascii=narrow, indent=indent)
    )


def _cleaned(value: object) -> object:
    """Return a JSON value with every text in it made plain."""
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, dict):
        return {key: _cleaned(held) for key, held in value.items()}
    if isinstance(value, (list, tuple)):
        return [_cleaned(held) for held in value]
    return value
