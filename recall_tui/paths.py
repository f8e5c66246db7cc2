"""Where Recall keeps its own files. The only module that knows `platformdirs`.

`RECALL_HOME` moves everything into one folder; without it configuration, data and state lie where
the platform wants them.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from fnmatch import fnmatch
from typing import Final

from recall_tui.errors import ConfigError, StoreError
from recall_tui.named import NamedTuple

PROGRAM: Final = (sys.executable, "-P", "-m", "recall_tui")
"""Starts this program again. `-P`: what lies in the folder a person is in is none of our modules,
and may be anybody's (a `json.py` of the project they just cloned)."""

APPLICATION: Final = "recall-tui"
"""Folder name. Several other programs are called "recall", so the plain word would collide."""

HOME: Final = "RECALL_HOME"
"""Environment variable that moves configuration, data and state into one folder."""


class Paths(NamedTuple):
    """The folders of one user; nothing here creates them."""

    config: str
    data: str
    state: str

    @property
    def config_file(self) -> str:
        """The settings a person wrote (TOML)."""
        return os.path.join(self.config, "config.toml")

    @property
    def index_file(self) -> str:
        """The disposable index: everything in it comes back from the sources."""
        return os.path.join(self.data, "index.db")

    @property
    def user_file(self) -> str:
        """What a person wrote (notes, pins, reviews, tombstones); survives a rebuild."""
        return os.path.join(self.data, "user.db")

    @property
    def looks_file(self) -> str:
        """How a person last looked at things in the app."""
        return os.path.join(self.state, "looks.json")

    @property
    def logs(self) -> str:
        """The folder of log files."""
        return os.path.join(self.state, "logs")


def locate(env: Mapping[str, str] | None = None) -> Paths:
    """Return where this user's files lie, absolute, whether they exist or not.

    Args:
        env: Looked at for `RECALL_HOME` only; the platform's own folders always come from the
            environment of the process.

    Raises:
        ConfigError: `RECALL_HOME` names something that is no folder.
    """
    home = (os.environ if env is None else env).get(HOME, "")
    if home:
        folder = full(home)
        if os.path.exists(folder) and not os.path.isdir(folder):
            raise ConfigError(f"{HOME} is not a folder: {folder}", "name a folder, or unset it")
        return Paths(folder, folder, folder)
    return _of_linux() or _of_the_platform()


def _of_linux() -> Paths | None:
    """Return what the platform wants on a usual Linux; None: `platformdirs` knows, for 8 ms."""
    home = os.environ.get("HOME", "")
    if sys.platform != "linux" or not os.path.isabs(home) or "ANDROID_ROOT" in os.environ:
        return None
    bases = {
        "XDG_CONFIG_HOME": ".config",
        "XDG_DATA_HOME": ".local/share",
        "XDG_STATE_HOME": ".local/state",
    }
    folders = []
    for variable, default in bases.items():
        base = os.environ.get(variable) or os.path.join(home, default)
        if not os.path.isabs(base):
            return None
        folders.append(os.path.join(base, APPLICATION))
    return Paths(*folders)


def _of_the_platform() -> Paths:
    import platformdirs

    dirs = platformdirs.PlatformDirs(APPLICATION, appauthor=False)
    return Paths(dirs.user_config_dir, dirs.user_data_dir, dirs.user_state_dir)


def here() -> str:
    """Return the current folder, empty when it is gone: a worktree removed around a shell."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def absolute(name: str) -> str:
    """Return a path a person wrote as an absolute one (`~` is home), empty when it has none.

    A relative one has none when the current folder is gone.
    """
    spelled = os.path.expanduser(name)
    if os.path.isabs(spelled):
        return os.path.normpath(spelled)
    above = here()
    return os.path.normpath(os.path.join(above, spelled)) if above else ""


def full(name: str) -> str:
    """Return a path a person wrote as an absolute one.

    Raises:
        ConfigError: It is relative, and the current folder is gone.
    """
    if found := absolute(name):
        return found
    raise ConfigError(
        f"the current folder is gone, so {name or '.'} names nothing",
        "cd to a folder that is there, or give the whole path",
    )


def matches(path: str, patterns: Sequence[str]) -> bool:
    """Return whether a path is what one of some globs names, or lies below it."""
    plain = path.rstrip(os.sep) or path
    return any(
        fnmatch(plain, pattern) or fnmatch(plain, f"{pattern.rstrip(os.sep)}{os.sep}*")
        for pattern in patterns
    )


def is_utf8(path: str) -> bool:
    """Return whether a path can be named in an answer, and in a store: its bytes are UTF-8."""
    if path.isascii():  # as nearly every one of thousands
        return True
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def shown_bytes(path: str) -> str:
    """Return a path with those of its bytes that are no UTF-8 written out."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def private_folder(path: str) -> str:
    """Create a folder only its owner can open (0700), parents included, and return its path.

    An existing folder keeps its mode: it may be shared on purpose, and a parent is not ours.

    Raises:
        StoreError: It cannot be created, or is no folder.
    """
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"cannot create the folder {path}: {error.strerror or error}",
            f"check its permissions, or set {HOME} to another folder",
        ) from error
    return path


def write_new(path: str, data: bytes) -> None:
    """Write a file that was not there, for its owner only (0600), following no link.

    Raises:
        FileExistsError: Something is there already, be it a link that leads nowhere.
        OSError: It cannot be written; nothing of it stays.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    handle = os.open(path, flags | getattr(os, "O_BINARY", 0), 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
    except OSError:
        os.unlink(path)
        raise
