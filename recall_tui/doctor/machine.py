"""The versions results depend on, the settings, and what the terminal can show."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from recall_tui.doctor.checks import Check, Level
from recall_tui.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def machine_checks(env: Mapping[str, str]) -> Iterator[Check]:
    """Yield the versions results depend on, and whether the settings are sound."""
    import platform
    import sqlite3

    from recall_tui import __version__
    from recall_tui.config import load

    yield Check(
        "machine", Level.OK, "recall",
        f"{__version__}, Python {platform.python_version()}, {platform.system()} "
        f"{platform.machine()}", "",
        {"version": __version__, "python": platform.python_version()},
    )  # fmt: skip
    yield Check(
        "machine", Level.OK, "sqlite",
        f"{sqlite3.sqlite_version}, thread safety {sqlite3.threadsafety} of 3", "",
        {"version": sqlite3.sqlite_version, "threadsafety": sqlite3.threadsafety},
    )  # fmt: skip
    yield _scanner()
    try:
        held = load(env)
    except ConfigError as error:
        yield Check("machine", Level.WARN, "config", error.message, error.hint)
    else:
        own = len(held.origins)
        words = f"{own} set" if own else "all at their defaults"
        facts: dict[str, object] = {"set": own, "settings": held.file}
        yield Check("machine", Level.OK, "config", f"{held.file}: {words}", "", facts)


def _scanner() -> Check:
    """Say with which instructions text is scanned."""
    import stringzilla

    able = [word for word in stringzilla.__capabilities__ if word != "serial"]
    version = stringzilla.__version__
    return Check(
        "machine", Level.OK, "scanner", f"stringzilla {version}: {', '.join(able) or 'serial'}",
        "", {"version": version, "capabilities": able},
    )  # fmt: skip


def terminal_checks(env: Mapping[str, str]) -> Iterator[Check]:
    """Yield what the terminal can show, as far as it says so itself."""
    import shutil

    size = shutil.get_terminal_size((0, 0))
    term = env.get("TERM", "")
    depth = env.get("COLORTERM", "") or ("256 colours" if "256" in term else "16 colours")
    if "NO_COLOR" in env:
        depth = "no colour (NO_COLOR)"
    inside = "tmux" if env.get("TMUX") else "ssh" if env.get("SSH_TTY") else ""
    # Under the app it is replaced by one that has no encoding.
    stream = sys.stdout if hasattr(sys.stdout, "encoding") else sys.__stdout__
    encoding = (stream.encoding if stream else "") or "unknown"
    words = [term or "no TERM", depth, f"{size.columns}×{size.lines}" if size.columns else "",
             encoding, f"inside {inside}" if inside else ""]  # fmt: skip
    facts: dict[str, object] = {
        "term": term, "colour": depth, "columns": size.columns, "lines": size.lines,
        "encoding": encoding, "tty": bool(stream and stream.isatty()), "inside": inside,
    }  # fmt: skip
    broken = encoding.lower().replace("-", "") not in ("utf8", "utf16", "utf32")
    yield Check(
        "terminal",
        Level.WARN if broken else Level.OK,
        "terminal",
        ", ".join(word for word in words if word),
        "set LC_ALL=C.UTF-8, other letters are shown as ? now" if broken else "",
        facts,
    )
