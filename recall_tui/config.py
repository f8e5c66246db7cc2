"""Settings: what they are, where each value came from, and what is wrong with them.

Later wins: defaults, the user's file, environment variables `RECALL_<NAME>`, flags really typed.
An unknown key or a value of another shape is an error that names the file and the key, because a
setting silently ignored is worse than a program that stops.
"""

import math
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

from recall_tui.errors import ConfigError
from recall_tui.named import NamedTuple
from recall_tui.paths import locate

if TYPE_CHECKING:
    from datetime import tzinfo

PREFIX: Final = "RECALL_"
"""Environment variables of settings: the prefix and the key in capitals."""

DEFAULT: Final = "default"
"""Origin of a value nobody set."""


# ------------------------------------------------------------------ shapes of values

Reader: TypeAlias = Callable[[object], object]
"""Turns a TOML value or the text of an environment variable into a setting.

Raises ValueError with the words for "must be ...".
"""


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("a text")
    return value


def _path(value: object) -> str:
    return os.path.expanduser(_text(value))


def _texts(value: object) -> tuple[str, ...]:
    """A list of texts; in the environment separated like PATH."""
    if isinstance(value, str):
        value = [part for part in value.split(os.pathsep) if part]
    if not isinstance(value, (list, tuple)) or not all(isinstance(v, str) and v for v in value):
        raise ValueError("a list of texts, none of them empty")
    return tuple(value)


def _command(value: object) -> str:
    """A command with `{path}` in it, empty for none."""
    text = _text(value)
    if text:
        import shlex  # 2 ms that few settings need

        try:
            words = shlex.split(text)
        except ValueError:
            words = []
        if not any("{path}" in word for word in words[1:]):
            raise ValueError("a command such as 'myed --line {line} {path}'")
    return text


_TRUTH: Final = {"1": True, "true": True, "yes": True, "on": True,
                 "0": False, "false": False, "no": False, "off": False}  # fmt: skip


def _switch(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in _TRUTH:
        return _TRUTH[value.lower()]
    raise ValueError("true or false")


def _amount_of(unit: str) -> Reader:
    def read(value: object) -> float:
        try:
            number = float("nan" if isinstance(value, bool) else value)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            number = math.nan
        if not 0 <= number < math.inf:
            raise ValueError(f"a number of {unit}, 0 or more")
        return number

    return read


_seconds: Final = _amount_of("seconds")


def _one_of(*words: str) -> Reader:
    def read(value: object) -> str:
        if not isinstance(value, str) or value not in words:
            raise ValueError(f"one of {', '.join(words)}")
        return value

    return read


def _zone(value: object) -> str:
    name = _text(value)
    try:
        zone(name)
    except ConfigError as error:
        raise ValueError("local, UTC or a name such as Europe/Berlin") from error
    return name


# ------------------------------------------------------------------ the settings


THEMES: Final = (
    "recall", "recall-light", "textual-dark", "textual-light", "nord", "gruvbox",
    "catppuccin-mocha", "dracula", "tokyo-night", "monokai", "flexoki", "catppuccin-latte",
    "catppuccin-frappe", "catppuccin-macchiato", "solarized-light", "solarized-dark", "rose-pine",
    "rose-pine-moon", "rose-pine-dawn", "atom-one-dark", "atom-one-light", "ansi-dark",
    "ansi-light",
)  # fmt: skip
"""The app's themes. Named here, because the app itself is not there to be asked."""


class Settings(NamedTuple):
    """Every setting with its default; `RULES` says how each is read and what it means."""

    sources: tuple[str, ...] = ()
    workspace: str = ""
    exclude: tuple[str, ...] = ()
    keep_gone: bool = True
    keep_searches_days: float = 0.0
    freshness_s: float = 0.0
    regex_timeout_s: float = 10.0
    zone: str = "local"
    theme: str = "recall"
    motion: str = "full"
    images: str = "auto"
    keymap: str = ""
    editor: str = ""


class Rule(NamedTuple):
    """What is asked of a setting."""

    read: Reader
    doc: str
    """What `recall config show` and the docs print."""


RULES: Final = {
    "sources": Rule(
        _texts, "More places to read, each HARNESS=PATH, beside the harnesses' own folders."
    ),
    "workspace": Rule(
        _path, "Folder of a Maka workspace (runtime.sqlite and memory.sqlite); read in place."
    ),
    "exclude": Rule(
        _texts, "Projects, session files or folders (globs of their paths) never read nor kept."
    ),
    "keep_gone": Rule(_switch, "Keep the text of a session whose file its agent has deleted."),
    "keep_searches_days": Rule(
        _amount_of("days"),
        "Days the app's searches are remembered on disk; 0 forgets them when it ends.",
    ),
    "freshness_s": Rule(
        _seconds,
        "Seconds an index may be old before a search looks at the sources; 0 always looks.",
    ),
    "regex_timeout_s": Rule(
        _seconds,
        "Seconds a regular expression may take for a block of text; thrice that is lost at most.",
    ),
    "zone": Rule(_zone, "Zone of the times shown: local, UTC or a name (Europe/Berlin)."),
    "theme": Rule(
        _one_of(*THEMES),
        "Theme of the app; its palette lists them. Unset: the one last chosen there.",
    ),
    "motion": Rule(
        _one_of("full", "reduced"), "reduced: in the app no cursor blinks and nothing glides."
    ),
    "images": Rule(
        _one_of("auto", "half", "kitty", "sixel", "off"),
        "How pictures are drawn: auto, half (half-cells), kitty, sixel or off.",
    ),
    "keymap": Rule(_path, "File that binds other keys to the app's actions."),
    "editor": Rule(
        _command,
        "Command that opens a file in the app, {path} and {line} in it; else $VISUAL or $EDITOR.",
    ),
}


class Origin(NamedTuple):
    """One setting with where its value came from."""

    name: str
    value: object
    origin: str
    """`default`, the path of the file, the environment variable, or the flag."""
    doc: str


class Config(NamedTuple):
    """The settings in force and the origin of each."""

    settings: Settings
    file: str
    """Path of the user's file, whether it exists or not."""
    origins: dict[str, str]
    """Key -> origin, for keys that are not at their default."""

    def listing(self) -> list[Origin]:
        """Return every setting in declared order."""
        return [
            Origin(name, value, self.origins.get(name, DEFAULT), RULES[name].doc)
            for name, value in self.settings._asdict().items()
        ]


def load(
    env: Mapping[str, str] | None = None, flags: Mapping[str, tuple[object, str]] | None = None
) -> Config:
    """Return the settings in force.

    Args:
        env: The environment; None means that of the process.
        flags: Values the person really typed: key -> (value, the flag's name).

    Raises:
        ConfigError: The file is no TOML or unreadable, a key is unknown, a value has another
            shape. The message names the file or variable, the key and what is wanted.
    """
    environment = os.environ if env is None else env
    path = locate(environment).config_file
    values: dict[str, object] = {}
    origins: dict[str, str] = {}

    def put(key: str, value: object, origin: str) -> None:
        try:
            values[key] = RULES[key].read(value)
        except ValueError as error:
            raise ConfigError(f"{origin}: {key} must be {error}, not {value!r}") from error
        origins[key] = origin

    for key, value in _read_file(path).items():
        if key not in RULES:
            raise ConfigError(f"{path}: unknown key {key!r}", _nearest(key, RULES))
        put(key, value, path)
    for key in RULES:
        name = PREFIX + key.upper()
        if name in environment:
            put(key, environment[name], name)
    for key, (value, flag) in (flags or {}).items():
        put(key, value, flag)
    return Config(Settings(**values), path, origins)  # type: ignore[arg-type]


def _read_file(path: str) -> dict[str, object]:
    """Return the decoded TOML file, empty when there is none."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(
            f"cannot read {path}: {error.strerror or error}", "check its permissions"
        ) from error
    import tomllib  # 10 ms that a person without a file does not pay

    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from error


def _nearest(word: str, known: Mapping[str, object]) -> str:
    """Return a hint: the key that was probably meant, or all of them."""
    import difflib

    near = difflib.get_close_matches(word, known, 1, 0.5)
    return f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(known)}"


def zone(name: str) -> "tzinfo":
    """Return the time zone of a `zone` setting.

    Raises:
        ConfigError: There is no such zone on this machine.
    """
    if name.lower() == "local":
        from recall_tui.clock import local_zone

        return local_zone()
    if name.upper() == "UTC":
        from datetime import UTC

        return UTC
    import zoneinfo

    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ConfigError(
            f"unknown time zone {name!r}", "use local, UTC or Europe/Berlin"
        ) from error
