"""What the command line offers, and the page that tells it, without click.

Click and what it needs of the standard library are more than half of `recall --help`.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
"""Stands for `typing.TYPE_CHECKING`, whose module costs a third of `recall --help`."""

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Entry:
    """One command as it is known before its module is imported.

    Attributes:
        target: `module:function` below `recall_tui.cli`.
        about: One line of help.
        section: Of the help page.
    """

    __slots__ = ("about", "section", "target")

    def __init__(self, target: str, about: str, section: str) -> None:
        self.target = target
        self.about = about
        self.section = section


FIND = "Find and read"
USE = "Go on from a session"
SERVE = "Serve agents"
KEEP = "Keep the index"
KNOW = "Know the program"

COMMANDS = {
    "search": Entry("search:search", "Print the passages that best answer a question.", FIND),
    "grep": Entry("grep:grep", "Print every message that holds a text or a pattern.", FIND),
    "sessions": Entry("sessions:sessions", "List sessions, newest first.", FIND),
    "show": Entry("show:show", "Print a message with its neighbours, or a session.", FIND),
    "more": Entry("more:more", "Print more of the turn around a passage.", FIND),
    "material": Entry("material:material", "Describe a picture or file; -o saves it.", FIND),
    "related": Entry("related:related", "List sessions that share project, branch or files.", FIND),
    "relations": Entry("relations:relations", "Print the family of a session.", FIND),
    "continue": Entry("continue_:continue_", "Show where a session stood and how to go on.", USE),
    "repeat": Entry("repeat:repeat", "Give a session's prompts again, with fresh inputs.", USE),
    "handoff": Entry("handoff:handoff", "Print a cited page for another agent to go on with.", USE),
    "export": Entry("export:export", "Write sessions out: Markdown, HTML or JSON lines.", USE),
    "skill": Entry("skill:skill", "Make a SKILL.md from what worked, with provenance.", USE),
    "mcp": Entry("mcp:mcp", "Serve the agents' tools over stdin and stdout.", SERVE),
    "index": Entry("index:index", "Read what is new in the sources.", KEEP),
    "forget": Entry("forget:forget", "Remove a session from everything Recall keeps.", KEEP),
    "pause": Entry("pause:pause", "Let nothing be searched or read.", KEEP),
    "unpause": Entry("pause:unpause", "Let history be searched and read again.", KEEP),
    "doctor": Entry("doctor:doctor", "Check sources, index, terminal and retention.", KEEP),
    "config": Entry("config:config", "Show the settings and where each comes from.", KNOW),
    "spec": Entry("spec:spec", "Describe every command, for programs and for the docs.", KNOW),
}
"""Command name -> where it is. The order is that of the help page."""

USAGE = "recall [OPTIONS] [COMMAND] [ARGS]..."
ABOUT = """Search, read and continue everything your coding agents ever did.

Without a command it opens the app."""
OPTIONS = {
    "--version": "Show the version and exit.",
    "--demo": "Use the bundled demo history; yours is not touched.",
    "--source [HARNESS=]PATH": (
        "Read only this: a harness's home, a folder of sessions, or one file. Repeatable."
    ),
    "-h, --help": "Show this message and exit.",
}
"""Options of every command's group, as they are typed -> what they do."""
EPILOG = (
    "Exit codes: 0 found, 1 searched completely and found nothing, 2 wrong call or configuration, "
    "3 could not search or only in part, 130 interrupted. stdout is data, stderr is words; every "
    "command answers --json and -h."
)


def page(width: int) -> str:
    """Return the help page, without a last line break.

    Args:
        width: Cells of a line.
    """
    lines = [f"Usage: {USAGE}"]
    for paragraph in ABOUT.split("\n\n"):
        lines += ["", *_indented(paragraph, 2, width)]
    lines += ["", "Options:", *_listed(list(OPTIONS.items()), width)]
    for section in dict.fromkeys(entry.section for entry in COMMANDS.values()):
        rows = [(name, of.about) for name, of in COMMANDS.items() if of.section == section]
        lines += ["", f"{section}:", *_listed(rows, width)]
    return "\n".join([*lines, "", *_indented(EPILOG, 2, width)])


def help_width() -> int:
    """Return the cells of a line of a help page. Click would import 7 ms of `shutil` for it."""
    columns = os.environ.get("COLUMNS", "")
    try:
        width = int(columns) if columns.isdigit() else os.get_terminal_size(1).columns
    except OSError:
        width = 80  # not a terminal
    return max(40, min(width, 100) - 2)


def _listed(rows: Sequence[tuple[str, str]], width: int) -> Iterator[str]:
    """Yield the lines of names with what they mean beside them."""
    column = max(len(name) for name, _ in rows) + 4
    for name, about in rows:
        first, *others = _indented(about, column, width)
        yield f"  {name}".ljust(column) + first.lstrip()
        yield from others


def _indented(text: str, indent: int, width: int) -> list[str]:
    """Return a text as indented lines of at most `width` cells; a longer word has its own."""
    lines = [""]
    for word in text.split():
        if lines[-1] and indent + len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return [" " * indent + line for line in lines]
