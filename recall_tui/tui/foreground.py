"""Another program on the real terminal, and back again: an editor."""

from __future__ import annotations

import os
import re
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

_FORMS: Final = {
    "+{line} {path}": "vi vim gvim mvim nvim vimx view ex vis nano pico emacs emacsclient xemacs "
    "micro kak joe jed jmacs mg ne zile gedit geany bbedit mcedit",
    "{path}:{line}": "subl sublime_text zed zeditor hx helix atom pulsar lapce",
    "--goto {path}:{line}": "code codium vscodium cursor windsurf positron trae kiro antigravity",
    "--line {line} {path}": "idea pycharm webstorm phpstorm goland clion rubymine rustrover rider "
    "datagrip studio kate kwrite mate",
    "-n{line} {path}": "notepad++",
}
"""How editors take a line. Of others nobody knows: to most of them `+7` is the name of a file."""

_HOW: Final = {name: form for form, names in _FORMS.items() for name in names.split()}

_STEM: Final = r"[a-z]+"
"""What editions of an editor have in common: `vim.basic`, `emacs-nox`, `idea64`."""


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


def template(configured: str, env: Mapping[str, str]) -> list[str]:
    """Return the command that opens a file, with `{path}` and, if it takes one, `{line}` in it.

    Args:
        configured: The setting `editor`, empty for `$VISUAL` or `$EDITOR`.
        env: The environment.

    Raises:
        HandoffError: It is not there.
    """
    if not configured:
        argv = editor(env)
        return [*argv, *_form_of(argv[0]).split()]
    words = shlex.split(configured)
    if shutil.which(words[0]) is None:
        raise HandoffError(f"no editor: {words[0]} is not there", "set `editor` in the config")
    return words


def _form_of(program: str) -> str:
    """Return how an editor takes a file and a line; the file alone when nobody knows.

    A name that says nothing (`editor`) is followed to what it stands for.
    """
    for path in (program, os.path.realpath(shutil.which(program) or program)):
        name = re.split(r"[\\/]", path)[-1].lower().removesuffix(".exe")
        stem = re.match(_STEM, name)
        if form := _HOW.get(name) or _HOW.get(stem[0] if stem else ""):
            return form
    return "{path}"


def filled(words: Sequence[str], path: str, line: int) -> list[str]:
    """Return the command of a template for a file and a line, from 1."""
    return [word.replace("{line}", str(line)).replace("{path}", path) for word in words]


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
