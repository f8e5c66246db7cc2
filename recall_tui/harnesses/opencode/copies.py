"""What the oh-my-opencode plugin notes down: prompts and tools of a session, without the answers.

Read only where OpenCode's own store is missing, or when a person points at such a file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recall_tui.harnesses import fields
from recall_tui.harnesses.arguments import changes, leaves, project
from recall_tui.harnesses.base import Parsed
from recall_tui.harnesses.jsonl import BadLine, JsonlTranscript
from recall_tui.model import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

_OUTPUT = ("output", "preview", "diff")
"""Where a tool's metadata holds what it printed; the rest repeats the call."""


class CopyTranscript(JsonlTranscript):
    """One pass over `ses_*.jsonl`."""

    def record(self, line: bytes, offset: int) -> Iterable[Parsed]:
        """Turn one line into at most one message; see `JsonlTranscript.record`."""
        value = fields.decode(line)
        if not isinstance(value, dict):
            raise BadLine
        kind = value.get("type")
        time = fields.time_ms(value.get("timestamp"))
        name = fields.text(value.get("tool_name"))
        parsed: Parsed
        if kind == "user":
            words = fields.text(value.get("content"))
            if not words.strip():
                return ()
            parsed = Parsed(Kind.PROMPT, words, time)
        elif kind == "tool_use":
            asked = value.get("tool_input")
            seen, rest = project(asked)
            marks = changes(asked, seen, rest)
            parsed = Parsed(Kind.TOOL_CALL, seen, time, rest=rest, tool=name, changes=marks)
        elif kind == "tool_result":
            output = value.get("tool_output")
            exit_code = fields.mapping(output).get("exit")
            failed = isinstance(exit_code, int) and exit_code != 0
            parsed = Parsed(Kind.TOOL_RESULT, _words(output), time, tool=name, failed=failed)
        else:
            self.unknown[f"type {kind}"] += 1
            return ()
        self.facts.saw_time(time)
        return (parsed,)


def _words(output: object) -> str:
    """Return what a tool printed."""
    for key in _OUTPUT:
        words = fields.text(fields.mapping(output).get(key))
        if words:
            return words
    return "\n".join(leaves(output))
