"""Outputs that the program moved out of the session are read from where it put them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from recall_tui.harnesses.gemini import Gemini
from recall_tui.model import Kind
from tests.harnesses.gemini import build

WHOLE = "\n".join(f"line {n}" for n in range(200))
NAME = "run_shell_command_call-1_4f2k9.txt"
MASKED = """<tool_output_masked>
Output: line 0
... [180 lines omitted] ...
line 199

Output too large. Full output available at: {path}
</tool_output_masked>"""
CUT = """Output too large. Showing first 8,000 and last 32,000 characters. \
For full output see: {path}
line 0
... [omitted] ...
line 199"""


def result(project: Path, recorded: str, *, subagent: bool = False) -> str:
    """The text of the one result of a session that holds it."""
    call = build.call("run_shell_command", {"command": "seq"}, recorded, "call-1")
    folder = project / "chats" / build.SESSION if subagent else project / "chats"
    folder.mkdir(parents=True, exist_ok=True)
    path = build.lines(
        folder / "session-x.jsonl", build.meta(), build.user(1, "go"),
        build.agent(2, toolCalls=[call]),
    )  # fmt: skip
    (source,) = Gemini().discover(str(path), [])
    (found,) = (m.text for m in Gemini().open(source) if m.kind is Kind.TOOL_RESULT)
    return found


def save(project: Path, content: str, folder: str = "session-abc") -> None:
    place = project / "tool-outputs" / folder
    place.mkdir(parents=True)
    (place / NAME).write_text(content)


@pytest.mark.parametrize("subagent", [False, True])
@pytest.mark.parametrize(
    ("recorded", "saved"),
    [
        pytest.param(MASKED, json.dumps({"output": WHOLE}, indent=2), id="masked"),
        pytest.param(CUT, WHOLE, id="cut"),
        pytest.param(
            CUT, f"<untrusted_context>\n{WHOLE}\n</untrusted_context>", id="cut, with its warning"
        ),
    ],
)
@pytest.mark.parametrize("path", [f"/elsewhere/tool-outputs/session-abc/{NAME}",
                                  f"C:\\Users\\a\\tool-outputs\\session-abc\\{NAME}"])  # fmt: skip
def test_the_whole_output_is_read(
    tmp_path: Path, recorded: str, saved: str, path: str, *, subagent: bool
) -> None:
    save(tmp_path, saved)
    assert result(tmp_path, recorded.format(path=path), subagent=subagent) == WHOLE


@pytest.mark.parametrize(
    "path",
    [
        "/elsewhere/tool-outputs/session-abc/gone.txt",
        f"/elsewhere/../../outside/{NAME}",
        "/elsewhere/session-abc/..",
        "../../secret.txt",
    ],
)
def test_nothing_else_is_opened(tmp_path: Path, path: str) -> None:
    project = tmp_path / "project"
    save(project, WHOLE)
    (tmp_path / "secret.txt").write_text("secret " * 100)
    assert "line 0\n" in result(project, MASKED.format(path=path))


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (tmp_path / "secret.txt").write_text("secret " * 100)
    place = project / "tool-outputs" / "session-abc"
    place.mkdir(parents=True)
    os.symlink(tmp_path / "secret.txt", place / NAME)
    recorded: Any = MASKED.format(path=f"/x/session-abc/{NAME}")
    assert "secret" not in result(project, recorded)
