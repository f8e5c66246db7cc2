"""Which user texts a person typed, and what of them.

The program puts its own texts in the user's place: the environment, AGENTS.md, skills, reports of
subagents. Files that say themselves what was typed (`user_message` events, `item_completed`,
`content_item_kinds`) are believed by the reader; the prefixes here serve files that do not.
"""

from __future__ import annotations

import re
from typing import Final

from recall_tui.named import NamedTuple

_INJECTED: Final = (
    "<environment_context>",
    "# AGENTS.md instructions",
    "<INSTRUCTIONS>",
    "<user_instructions>",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<multi_agent_mode>",
    "<app-context>",
    "<apps_instructions>",
    "<skills_instructions>",
    "<plugins_instructions>",
    "<personality_spec>",
    "<skill>",
    "<recommended_plugins>",
    "<subagent_notification>",
    "<turn_aborted>",
    "<user_action>",
    "<model_switch>",
    "<goal_context>",
    "<hook_prompt",
    "Warning: apply_patch was requested via ",
    "Warning: The maximum number of unified exec processes",
)
_SUMMARY: Final = "Another language model started to solve this problem"
_REQUEST: Final = "## My request for Codex:"
_WRAPPED: Final = ("# Context from my IDE setup:", "# Files mentioned by the user:")
_WRAPPER: Final = re.compile(
    r"<([a-z]+[_-](?:\w+[_-])*?(?:instructions|context|notification|mode|spec))>"
)
_SHELL: Final = re.compile(
    r"<user_shell_command>\s*<command>\n?(.*?)\n?</command>(.*?)(?:</user_shell_command>|\Z)", re.S
)
_TAG: Final = re.compile(r"\s*</?image\b[^>]*>\s*")
_CWD: Final = re.compile(r"<cwd>([^<\n]+)</cwd>|^Current working directory: (.+)$", re.M)


class Typed(NamedTuple):
    """A user text taken apart."""

    request: str
    """What the person typed."""
    around: str
    """What the client put before it: open tabs, selections, mentioned files."""


def is_injected(text: str) -> bool:
    """Say whether a user text is one the program is known to put there."""
    text = text.lstrip()
    if text.startswith(_INJECTED):
        return True
    match = _WRAPPER.match(text)
    return match is not None and text.rstrip().endswith(f"</{match[1]}>")


def is_summary(text: str) -> bool:
    """Say whether a user text is the summary that replaces a compacted history."""
    return text.startswith(_SUMMARY)


def is_tag(text: str) -> bool:
    """Say whether a part is only the opening or closing tag around a picture."""
    return len(text) < 200 and _TAG.fullmatch(text) is not None


def typed(text: str) -> Typed:
    """Split a prompt from what an IDE or the desktop app wrote before it."""
    if text.startswith(_WRAPPED) and _REQUEST in text:
        around, _, request = text.partition(_REQUEST)
        around = around.strip()
        return Typed(request.strip(), "" if around in _WRAPPED else around)
    return Typed(text, "")


def shell_command(text: str) -> tuple[str, str] | None:
    """Return (command, output) of a `!command` the person ran, None when the text is none."""
    match = _SHELL.match(text)
    if match is None:
        return None
    output = re.sub(r"</?result>\n?", "", match[2])
    return match[1], output.strip()


def directory(text: str) -> str:
    """Return the working directory an environment text names, empty when it names none."""
    match = _CWD.search(text)
    return (match[1] or match[2]).strip() if match else ""
