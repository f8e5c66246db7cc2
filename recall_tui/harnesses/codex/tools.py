"""Tool calls and their outputs, as the messages show them.

Names and shapes changed often: `shell` with a list, `local_shell`, `shell_command`,
`exec_command`, a custom `exec` whose input is JavaScript, `apply_patch` in four disguises. A call
becomes (projection, rest): the command without its `bash -lc`, the paths a patch touches; an output
loses its frame of JSON or header lines, which say failure and duration.
"""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from recall_tui.harnesses.arguments import PROJECTED, leaves, project
from recall_tui.harnesses.codex.records import milliseconds
from recall_tui.named import NamedTuple

_PATCH: Final = "*** Begin Patch"
_PATCH_END: Final = "*** End Patch"
_PATHS: Final = re.compile(
    r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$", re.MULTILINE
)
_SHELLS: Final = frozenset(("bash", "sh", "zsh", "cmd", "pwsh", "powershell"))
_SCRIPT_FLAGS: Final = frozenset(("-c", "-lc", "-ic", "-lic", "/c", "-Command"))
_LITERAL: Final = re.compile(
    r"""\b(?:cmd|command|path|file_path|pattern|query|url|workdir)["']?\s*:\s*"""
    r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)"""
)
_SHORT: Final = 2000
"""Characters of a script that may be shown whole when nothing in it looks like a command."""

_CONTENT_TYPES: Final = frozenset(("text", "image", "audio", "resource", "resource_link"))
_FRAME_KEYS: Final = frozenset(("type", "data", "mimeType", "annotations", "_meta"))
_FRAMED: Final = ('{"output"', '{"metadata"')
_LISTED: Final = ('[{"type":', '[{"text":')
_STATUS: Final = '{"status":'
_HEADED: Final = ("Exit code: ", "Chunk ID: ", "Wall time: ", "Process ", "Total output lines: ")
_OUTPUT: Final = "Output:"
_HEADER_BYTES: Final = 400
"""The header of an output is five short lines; `Output:` further on is output."""

_EXIT: Final = re.compile(r"^(?:Exit code: |Process exited with code )(-?\d+)$", re.MULTILINE)
_WALL: Final = re.compile(r"^Wall time: (\d+(?:\.\d+)?) ?s", re.MULTILINE)
_RUNNING: Final = re.compile(r"^Process running with session ID (.+)$", re.MULTILINE)
_SCRIPT: Final = re.compile(
    r"Script (completed|failed|running[^\n]*)\nWall time:? (\d+(?:\.\d+)?) seconds?\nOutput:\n{0,2}"
)
_FAILURE: Final = re.compile(
    r"(?:[\w.]+ failed\b|execution error|failed (?:in sandbox|to )|unsupported call|error: "
    r"|aborted by user|[\w.]+ verification failed)"
)


class _Frame(msgspec.Struct):
    exit_code: int | None = None
    duration_seconds: float | None = None


class _Framed(msgspec.Struct):
    output: str
    metadata: _Frame | None = None


_framed: Final = msgspec.json.Decoder(_Framed)


class Output(NamedTuple):
    """What a tool gave back."""

    body: str
    failed: bool = False
    duration_ms: int = 0
    head: str = ""
    """What its frame says that the body does not."""
    process: str = ""
    """The program's number of a command that runs on."""

    @property
    def text(self) -> str:
        """All that is shown of it."""
        return _lines(self.head, self.body)


def tool_name(name: str | None, namespace: str | None) -> str:
    """Return the name of a tool; an MCP namespace stays part of it as `mcp__server__tool`."""
    if namespace and namespace.startswith("mcp__"):
        return f"{namespace.rstrip('_')}__{name or ''}"
    return name or namespace or ""


def read_call(name: str, arguments: object) -> tuple[str, str]:
    """Return (projection, rest) of the arguments of a call (Q5).

    Args:
        name: The tool's name.
        arguments: A string of JSON, a decoded object, or a raw string: a patch, JavaScript, or
            JSON that is broken, all of which are kept as they are.
    """
    if isinstance(arguments, str):
        if not arguments.startswith(("{", "[")):
            return _raw(name, arguments)
        try:
            arguments = msgspec.json.decode(arguments)
        except (msgspec.MsgspecError, RecursionError):
            return _raw(name, str(arguments))
    if isinstance(arguments, dict) and not arguments.keys().isdisjoint(_SCRIPTS):
        return _scripted(arguments)
    return project(arguments)


_SCRIPTS: Final = ("cmd", "command", "input", "patch")
"""Arguments that may be a script: a command, or a patch."""


def _scripted(arguments: dict[str, Any]) -> tuple[str, str]:
    for key in _SCRIPTS:
        value = arguments.get(key)
        script = command_line(value)
        if not script or (key in ("input", "patch") and _PATCH not in script):
            continue
        shown, body = _without_patch(script)
        if body or shown != value:
            text, rest = project({**arguments, key: ""}, _AFTER_COMMAND)
            return _lines(shown, text), _lines(body, rest)
    return project(arguments)


_AFTER_COMMAND: Final = tuple(k for k in PROJECTED if k not in ("command", "cmd"))


def command_line(value: object) -> str:
    """Return a command as a person would type it: `["bash", "-lc", script]` is its script."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return ""
    words = [word for word in value if isinstance(word, str)]
    if len(words) == 3 and words[1] in _SCRIPT_FLAGS:
        program = re.split(r"[\\/]", words[0])[-1].removesuffix(".exe")
        if program in _SHELLS:
            return words[2]
    return " ".join(words)


def _without_patch(script: str) -> tuple[str, str]:
    """Split a script into (what is shown, the patch in it): the patch is shown by its paths."""
    start = script.find(_PATCH)
    if start < 0:
        return script, ""
    end = script.find(_PATCH_END, start)
    end = len(script) if end < 0 else end + len(_PATCH_END)
    body = script[start:end]
    shown = _lines(script[:start].rstrip(), *_PATHS.findall(body), script[end:].strip())
    return shown, body


def _raw(name: str, text: str) -> tuple[str, str]:
    """Project an input that is no JSON object."""
    if _PATCH in text:
        return _without_patch(text)
    if name == "exec":
        found = dict.fromkeys(_literal(match[1]) for match in _LITERAL.finditer(text))
        if found:
            return "\n".join(found), text
        if len(text) <= _SHORT:
            return text, ""
    return project(text)


def _literal(token: str) -> str:
    """Return the value of a JavaScript string literal, its escapes as JSON reads them."""
    body = token[1:-1]
    if "\\" not in body:
        return body
    if token[0] != '"':
        body = body.replace(f"\\{token[0]}", token[0]).replace('"', '\\"').replace("\n", "\\n")
    try:
        return str(msgspec.json.decode(f'"{body}"', type=str))
    except msgspec.MsgspecError:
        return token[1:-1]


def _lines(*parts: str) -> str:
    return "\n".join(part for part in parts if part)


def read_output(text: str) -> Output:
    """Take an output out of its frame: JSON with an exit code, or header lines."""
    if text.startswith(_FRAMED):
        try:
            framed = _framed.decode(text)
        except msgspec.MsgspecError:
            return Output(text)
        frame = framed.metadata or _Frame()
        body, code = framed.output, frame.exit_code
        told = code is not None and (code or not body or body.isspace())
        head = f"Exit code: {code}" if told else ""
        return Output(body, code not in (None, 0), milliseconds(frame.duration_seconds), head)
    if text.startswith(_HEADED):
        return _headed(text)
    if script := _SCRIPT.match(text):
        state, wall = script.groups()
        head = f"Script {state}" if state.startswith("running") else ""
        took = milliseconds(float(wall))
        return Output(text[script.end() :], state == "failed", took, head)
    if text.startswith((*_LISTED, _STATUS)):
        return Output(_unlisted(text), _FAILURE.match(text) is not None)
    return Output(text, _FAILURE.match(text) is not None)


def _headed(text: str) -> Output:
    """Read header lines; what they say beyond success and time stays in the text."""
    at = text.find(_OUTPUT, 0, _HEADER_BYTES)
    if at < 0:
        return Output(text)
    header = text[:at]
    body = text[at + len(_OUTPUT) :].removeprefix("\n")
    exits, wall, running = _EXIT.search(header), _WALL.search(header), _RUNNING.search(header)
    failed = exits is not None and int(exits[1]) != 0
    duration = milliseconds(float(wall[1])) if wall else 0
    if exits is None and running is None and body.startswith(_LISTED):
        body = _unlisted(body)
    if exits is not None and (failed or not body or body.isspace()):
        return Output(body, failed, duration, exits[0])
    if running is not None:
        return Output(body, failed, duration, running[0], running[1])
    return Output(body, failed, duration)


def _unlisted(text: str) -> str:
    """Return the texts of an MCP content list or of an agents' status, else the text itself.

    The shape is tested strictly: a JSON file that a tool printed must stay as it is.
    """
    try:
        value = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError):
        return text
    if isinstance(value, dict):
        known = value.keys() <= {"status", "timed_out"} and isinstance(value["status"], dict)
    else:
        known = all(isinstance(v, dict) and v.get("type") in _CONTENT_TYPES for v in value)
    return "\n".join(leaves(value, _FRAME_KEYS)) if known else text
