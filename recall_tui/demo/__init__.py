"""The demo history: invented sessions of six harnesses, written the way the programs write them.

`build` writes real files in each program's own format, with times relative to the present, so that
the demo runs through the same readers, index and search as a person's own history, and its ages
read "2 hours ago" whenever it is opened. Nothing here comes from a real transcript.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Final

from recall_tui.demo.claude import write_claude
from recall_tui.demo.codex import write_codex
from recall_tui.demo.others import write_copilot, write_gemini, write_opencode, write_pi
from recall_tui.demo.stories import STORIES

if TYPE_CHECKING:
    from pathlib import Path

VERSION: Final = 2
"""Goes up when the stories or the formats change, so that an older copy is not reused."""

FRESH_MS: Final = 6 * 3_600_000
"""How long a written demo is reused: references stay, and "5 minutes ago" is not far off."""

_WRITERS = {
    "claude": (write_claude, ".claude"),
    "codex": (write_codex, ".codex"),
    "pi": (write_pi, ".pi/agent"),
    "opencode": (write_opencode, ".local/share/opencode"),
    "gemini": (write_gemini, ".gemini"),
    "copilot": (write_copilot, ".copilot"),
}


def build(folder: Path, now_ms: int) -> list[str]:
    """Write the demo history below a folder.

    Args:
        folder: An empty or missing directory; it stands for a home directory.
        now_ms: The present in epoch ms; stories are dated back from it.

    Returns:
        The roots to read, in the notation of `--source`: `HARNESS=PATH`.
    """
    for harness, (write, place) in _WRITERS.items():
        home = folder / place
        home.mkdir(parents=True, exist_ok=True)
        write(home, [story for story in STORIES if story.harness == harness], now_ms)
    return roots(folder)


def roots(folder: Path) -> list[str]:
    """Return the roots of a demo history, in the notation of `--source`."""
    return [f"{harness}={folder / place}" for harness, (_, place) in _WRITERS.items()]


def ensure(folder: Path, now_ms: int) -> list[str]:
    """Return the roots of a demo history below `folder / "home"`, written anew when it is stale.

    A new history replaces the folder as a whole, the index of the older one included: its files
    have other names, because programs put times into them.
    """
    home = folder / "home"
    stamp = folder / "written"
    try:
        age_ms = now_ms - int(stamp.read_text("utf-8"))
    except (OSError, ValueError):
        age_ms = -1
    if not 0 <= age_ms < FRESH_MS:
        shutil.rmtree(folder, ignore_errors=True)
        build(home, now_ms)
        stamp.write_text(str(now_ms), "utf-8")
    return roots(home)
