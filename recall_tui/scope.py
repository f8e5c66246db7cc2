"""What a history is about: the places read, our own files, the settings, who keeps the index."""

import os
from collections.abc import Mapping, Sequence

from recall_tui import clock, roots
from recall_tui.config import Settings, load
from recall_tui.errors import ConfigError
from recall_tui.named import NamedTuple
from recall_tui.paths import HOME, Paths, is_utf8, locate, private_folder, shown_bytes
from recall_tui.store.sync.discover import Place


class Scope(NamedTuple):
    """Everything that is decided before a history is opened, and stays so."""

    places: tuple[Place, ...]
    """Where sessions lie."""
    paths: Paths
    """Where our own files lie."""
    settings: Settings
    env: Mapping[str, str]
    """The environment, which a background sync is started with."""
    only: tuple[str, ...] = ()
    """Every answer is restricted to these roots (`--source`)."""
    live: bool = False
    """Somebody else keeps the index live (the app's child), so no question looks at the sources."""


def scope_of(
    sources: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    *,
    demo: bool = False,
    live: bool = False,
) -> Scope:
    """Return the scope of this machine, of the named `--source`s, or of the bundled demo.

    Raises:
        ConfigError: A source or a setting is wrong.
    """
    environment = dict(os.environ if env is None else env)
    settings = load(environment).settings
    if demo:
        sources, environment = _demo(locate(environment), environment)
    paths = locate(environment)
    only: tuple[str, ...] = ()
    if sources:
        places = roots.named(sources)
        only = tuple(dict.fromkeys(place.root for place in places))
    else:
        home = environment.get("HOME") or os.path.expanduser("~")
        workspaces = [f"maka={settings.workspace}"] if settings.workspace else []
        named = roots.named([*settings.sources, *workspaces])
        places = [*roots.own(environment, home), *named]
    _require_names(paths, places)
    return Scope(tuple(places), paths, settings, environment, only, live)


def _require_names(paths: Paths, places: Sequence[Place]) -> None:
    """Refuse a folder whose name is no UTF-8: neither an index nor an answer could name it."""
    for path in (*paths, *(place.root for place in places)):
        if not is_utf8(path):
            raise ConfigError(
                f"{shown_bytes(path)}: the name is not valid UTF-8",
                f"rename the folder, or set {HOME}, or name others with --source",
            )


def _demo(paths: Paths, env: dict[str, str]) -> tuple[list[str], dict[str, str]]:
    """Return the sources of the demo and an environment in which Recall keeps to its folder."""
    from pathlib import Path

    from recall_tui import demo

    folder = private_folder(os.path.join(paths.state, f"demo-{demo.VERSION}"))
    sources = demo.ensure(Path(folder), clock.now_ms())
    return sources, {**env, HOME: os.path.join(folder, "recall")}
