"""How agent programs are started: a fork of a session, a fresh session with a first prompt.

Argv lists only, never a shell. What stands here is each program's own documented option.
"""

from __future__ import annotations

import os
import shlex
import shutil
from typing import TYPE_CHECKING, Final, NoReturn

from recall_tui.errors import ConfigError, HandoffError
from recall_tui.named import NamedTuple

if TYPE_CHECKING:
    from recall_tui.harnesses.base import ResumeCommand
    from recall_tui.model import Session
    from recall_tui.playbooks.ports import Past

PROMPT: Final = "{prompt}"

PROMPT_BYTES: Final = 100_000
"""A longer first prompt does not fit on a command line (Linux: 128 KiB an argument)."""


class Command(NamedTuple):
    """A command a person may run, and where."""

    argv: tuple[str, ...]
    cwd: str
    """Empty when any directory works."""
    warning: str = ""

    @property
    def line(self) -> str:
        """The command for a shell, with the change of directory: one line of visible characters."""
        words = " ".join(map(_quoted, self.argv))
        folder = f"./{self.cwd}" if self.cwd.startswith("-") else self.cwd  # `cd -` goes elsewhere
        return f"cd {_quoted(folder)} && {words}" if folder else words

    @property
    def installed(self) -> bool:
        """Whether the program is found on the PATH."""
        return bool(self.argv) and shutil.which(self.argv[0]) is not None


class Program(NamedTuple):
    """What one agent program can be told when it is started."""

    start: tuple[str, ...]
    """Opens it with a first prompt in the place of `PROMPT`."""


PROGRAMS: Final = {
    "claude": Program(("claude", PROMPT)),
    "codex": Program(("codex", PROMPT)),
    "pi": Program(("pi", PROMPT)),
    "opencode": Program(("opencode", "--prompt", PROMPT)),
    "gemini": Program(("gemini", "--prompt-interactive", PROMPT)),
    "copilot": Program(("copilot", "--interactive", PROMPT)),
}
"""Harness id -> how it is started."""


def _quoted(word: str) -> str:
    """Return a word as a shell reads it; what a screen does not show stands as an escape."""
    if word.isprintable():
        return shlex.quote(word)
    inside = "".join(
        char if char.isprintable() and char not in "'\\" else _escaped(char) for char in word
    )
    return f"$'{inside}'"


def _escaped(char: str) -> str:
    # Octal has at most three digits: a digit behind it is never taken along.
    return "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", "surrogateescape"))


def given(past: Past, session: Session) -> ResumeCommand | None:
    """Return the program's own command; None also when its reader is not installed any more."""
    try:
        return past.resume(session)
    except ConfigError:
        return None


def start(harness: str, prompt: str, cwd: str, *, name: str = "") -> Command | None:
    """Return the command that opens a program with a first prompt, None when it has none.

    Args:
        harness: Whose program.
        prompt: What it is told first.
        cwd: Where to; empty for anywhere.
        name: What the program is called where that is not the usual one: `kilo` is an OpenCode.
    """
    program = PROGRAMS.get(harness)
    if program is None:
        return None
    said = _no_option(prompt)
    words = (said if word == PROMPT else word for word in program.start[1:])
    return Command((name or program.start[0], *words), cwd)


def _no_option(prompt: str) -> str:
    """Return a prompt that a program cannot take for an option, a file or a command of its own.

    Prompts come from history: `--yolo`, `@notes.md` and `update` are words to the agent here. A
    space before them is read by nobody.
    """
    alone = len(prompt.split(None, 1)) < 2
    return f" {prompt}" if alone or prompt[:1] in "-@" else prompt


def fork(harness: str, resume: ResumeCommand) -> Command | None:
    """Return the command that goes on in a copy of a session, None when the program has none."""
    argv = resume.argv
    match harness:
        case "claude":
            argv = (*argv, "--fork-session")
        case "codex" if argv[1:2] == ("resume",):
            argv = (argv[0], "fork", *argv[2:])
        case "pi" if argv[1:2] == ("--session",):
            argv = (argv[0], "--fork", *argv[2:])
        case "opencode":
            argv = (*argv, "--fork")
        case _:
            return None
    return Command(argv, resume.cwd, resume.warning)


def become(command: Command) -> NoReturn:
    """Replace this process by a command, in its directory. A person has confirmed it before.

    Raises:
        HandoffError: The directory or the program is not there, or the system refuses.
    """
    try:
        if command.cwd:
            os.chdir(command.cwd)
    except (OSError, ValueError) as error:
        raise HandoffError(
            f"cannot go to {command.cwd}: {_reason(error)}", "name another directory"
        ) from error
    try:
        os.execvp(command.argv[0], command.argv)  # noqa: S606 - an argv, no shell
    except (OSError, ValueError) as error:
        raise HandoffError(
            f"cannot start {command.argv[0]}: {_reason(error)}", "is it installed, and on the PATH?"
        ) from error


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else "") or str(error)
