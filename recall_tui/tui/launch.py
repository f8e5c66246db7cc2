"""How the app is started: what it is given, and what becomes of it when a person leaves it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, cast

from recall_tui.paths import PROGRAM
from recall_tui.tui.app import DEMO, OWN, RecallApp
from recall_tui.tui.keymap import Keymap

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from recall_tui.config import Settings
    from recall_tui.history import History


def run(
    sources: Sequence[str], settings: Settings, *, demo: bool = False, own: Sequence[str] = ()
) -> int:
    """Run the app until the person leaves it; return the exit code.

    Args:
        sources: `--source` values; empty means the harnesses' own places.
        settings: The settings in force.
        demo: Open the bundled demo history.
        own: `--source` values of the history the person may go to from the demo.

    Raises:
        ConfigError: The zone or the keymap file is wrong.
    """
    from recall_tui.config import zone
    from recall_tui.paths import locate
    from recall_tui.playbooks.programs import Command, become
    from recall_tui.tui import first_frame
    from recall_tui.tui.deferred import deferred
    from recall_tui.tui.driver import learn, terminal_driver
    from recall_tui.tui.ending import run_to_its_end, threads_end
    from recall_tui.tui.graphics import pixel_widget

    def opened() -> History:
        from recall_tui.history import History
        from recall_tui.store.memory import bound_freed

        bound_freed()
        return History.open(sources, demo=demo, live=live)

    keymap = Keymap(read_keymap(settings.keymap), settings.keymap)
    live = not demo and os.environ.get("RECALL_BACKGROUND") != "0"
    history = deferred(opened)
    try:
        app = RecallApp(
            history,
            zone=zone(settings.zone),
            zone_name=settings.zone,
            theme=settings.theme,
            keymap=keymap,
            index=index_command(sources, demo=demo),
            live=live,
            home=os.path.expanduser("~"),
            demo=demo,
            driver=terminal_driver(),
            # The demo looks as it did at first, whatever was done in it.
            kept_in="" if demo else locate().looks_file,
        )
        app.editor = settings.editor
        app.still = settings.motion == "reduced"
        app.images = settings.images
        app.pixels = pixel_widget(settings.images, os.environ)
        learn(keymap.everything())
        wish = run_to_its_end(app)
        if app.fault is not None:
            raise app.fault
    finally:
        first_frame.leave()
        if threads_end():  # one that reads still needs it, and the process ends anyway
            history.close()
    if isinstance(wish, Command):
        become(wish)  # the terminal is clean, and no parent lingers
    if wish == DEMO:
        return run((), settings, demo=True, own=sources)
    return run(own, settings) if wish == OWN else app.return_code or 0


def index_command(sources: Sequence[str], *, demo: bool) -> tuple[str, ...]:
    """Return the command that compares the sources with the index."""
    named = [part for source in sources for part in ("--source", source)]
    return (*PROGRAM, *(["--demo"] if demo else named), "index", "--json", "--quiet")


def read_keymap(path: str) -> dict[str, str]:
    """Return a keymap file's action ids and keys; none for an empty path.

    Raises:
        ConfigError: The file cannot be read or is no table of texts.
    """
    if not path:
        return {}
    import tomllib

    from recall_tui.errors import ConfigError

    try:
        with open(path, "rb") as file:
            table = tomllib.load(file)
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        twice = "overwrite" in str(error)
        hint = "an action is named twice; its keys are separated by commas" if twice else ""
        raise ConfigError(f"{path} is not valid TOML: {error}", hint) from error
    keys = dict(_flat(table))
    for name, value in keys.items():
        if not isinstance(value, str):
            raise ConfigError(f'{path}: {name!r} must be a text such as "ctrl+o"')
    return cast("dict[str, str]", keys)


def _flat(table: Mapping[str, object], before: str = "") -> Iterator[tuple[str, object]]:
    """Yield each action of a table: TOML takes the dot of `session.solo`, unquoted, for a table."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield before + name, value
