"""Another program on the real terminal, and back again: an editor."""

from __future__ import annotations

import shlex
import shutil
import signal
import subprocess
from typing import TYPE_CHECKING, Final

from textual.app import SuspendNotSupported

from recall_tui.errors import HandoffError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.app import App

_GOTO: Final = frozenset({"code", "code-insiders", "codium", "cursor", "windsurf"})
_COLON: Final = frozenset({"subl", "zed", "hx", "helix"})
_PLUS: Final = frozenset(
    {"vi", "vim", "nvim", "view", "nano", "pico", "emacs", "emacsclient", "micro", "kak", "joe",
     "ne", "mg", "jed", "gvim", "mvim", "kate", "gedit"}
)  # fmt: skip
"""How editors are told a line: `--goto FILE:LINE`, `FILE:LINE`, `+LINE FILE`."""


def editor(env: Mapping[str, str]) -> list[str]:
    """Return the person's editor as an argv, a file to be added.

    Raises:
        HandoffError: `$VISUAL` and `$EDITOR` name none that is there.
    """
    named = env.get("VISUAL") or env.get("EDITOR") or ""
    try:
        argv = shlex.split(named)
    except ValueError as error:
        raise HandoffError(f"$EDITOR cannot be read: {error}") from error
    for words in (argv, ["vi"], ["nano"]):
        if words and shutil.which(words[0]) is not None:
            return words
    raise HandoffError(f"no editor: {named or 'vi'} is not there", "set $EDITOR")


def at_line(argv: Sequence[str], path: str, line: int) -> list[str]:
    """Return the command that opens a file at a line, from 1; an unknown editor gets the file."""
    name = argv[0].rsplit("/", 1)[-1].removesuffix(".exe")
    if name in _GOTO:
        return [*argv, "--goto", f"{path}:{line}"]
    if name in _COLON:
        return [*argv, f"{path}:{line}"]
    return [*argv, f"+{line}", path] if name in _PLUS else [*argv, path]


def run_foreground(app: App[object], argv: Sequence[str]) -> str:
    """Run a program on the real terminal; return why it did not go well, empty when it did.

    Nothing may escape the suspended block: an exception there would leave the app dead.
    """
    fault = ""
    try:
        with app.suspend():
            # A handler, not SIG_IGN: the program would inherit that.
            previous = signal.signal(signal.SIGINT, lambda *_: None)
            try:
                code = subprocess.run(argv, check=False).returncode  # noqa: S603 - the person's own editor
                fault = f"{argv[0]} ended with {code}" if code else ""
            except (OSError, ValueError) as error:  # ValueError: a NUL in an argument
                fault = f"cannot start {argv[0]}: {error}"
            finally:
                signal.signal(signal.SIGINT, previous)
    except SuspendNotSupported:
        return "this terminal cannot be lent to an editor"
    return fault
