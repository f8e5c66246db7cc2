"""What commands printed that no output of theirs holds.

An output is what the model was shown: cut, and of a command that ran on only what it had
printed by then. Since 0.171 an event says at the end of a command all it printed. An output behind
it takes the fuller text; what a command printed after its last output, and nobody asked for, is
shown when the turn ends. A script (`exec`) runs commands of its own, and gives back some of
what they printed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from recall_tui.harnesses.base import Parsed
from recall_tui.harnesses.codex.tools import Output
from recall_tui.model import Kind

if TYPE_CHECKING:
    from recall_tui.harnesses.codex.reader import CodexTranscript

_REMEMBERED: Final = 64
"""Texts and processes that are remembered at a time."""

_POLL: Final = "write_stdin"
_SCRIPTS: Final = ("exec", "wait")
"""A script, and the call that waits for the rest of one."""
_INTERRUPTED: Final = "aborted by user"

_V = TypeVar("_V")


class Running(msgspec.Struct):
    """A command that ran on behind its output."""

    call: str
    tool: str
    said: int
    """Characters of what it printed that outputs hold."""
    left: str = ""
    """What it printed behind them, known once it has ended."""
    failed: bool = False
    duration_ms: int = 0


class Processes(msgspec.Struct):
    """Part of the reader's state."""

    printed: dict[str, str] = msgspec.field(default_factory=dict)
    """Call id -> all that it printed, until its output comes, a few lines on."""
    running: dict[str, Running] = msgspec.field(default_factory=dict)
    """By the program's number of the process, or the call id of one whose turn was interrupted."""
    polls: dict[str, str] = msgspec.field(default_factory=dict)
    """Call id of a poll -> the process it asks."""
    within: list[str] = msgspec.field(default_factory=list)
    """What the tools printed that a script called, until the script's output comes."""
    within_failed: bool = False
    """One of them failed."""
    idle: bool = False
    """No turn is on, so nobody will ask a process for more."""


class _Poll(msgspec.Struct):
    session_id: int | str | None = None


def asking(reader: CodexTranscript, call_id: str, name: str, arguments: object) -> None:
    """Note which process a call asks for more."""
    processes = reader.state.processes
    if not name.endswith(_POLL) or not processes.running:
        return
    try:
        poll = (
            msgspec.json.decode(arguments, type=_Poll)
            if isinstance(arguments, str)
            else msgspec.convert(arguments, _Poll)
        )
    except (msgspec.MsgspecError, RecursionError):
        return
    _remember(processes.polls, call_id, str(poll.session_id))


def within(reader: CodexTranscript, printed: str, *, failed: bool) -> None:
    """Take the end of a tool that a script called."""
    processes = reader.state.processes
    processes.within_failed = processes.within_failed or failed
    if printed and not printed.isspace():
        processes.within = [*processes.within[1 - _REMEMBERED :], printed]


def _scripted(processes: Processes, output: Output) -> Output:
    """Return the output of a script with what its tools printed and it did not give back."""
    rest = [text for text in processes.within if text.strip() not in output.body]
    failed, processes.within, processes.within_failed = processes.within_failed, [], False
    body = "\n".join([output.body, *rest] if output.body else rest)
    return output._replace(body=body, failed=output.failed or failed)


def answered(reader: CodexTranscript, call_id: str, tool: str, output: Output) -> Output:
    """Return an output with all its command printed, where that is known and more."""
    processes = reader.state.processes
    if tool in _SCRIPTS:
        return _scripted(processes, output)
    body = output.body
    polled = processes.polls.pop(call_id, "")
    whole = processes.printed.pop(call_id, "")
    process = processes.running.get(output.process or polled)
    if output.process:
        if process is None:
            process = Running(call_id, tool, 0)
            _remember(processes.running, output.process, process)
        process.said += len(body)
    elif body.endswith(_INTERRUPTED):
        _remember(processes.running, call_id, Running(call_id, tool, 0))
    elif process is not None:
        whole = process.left
        del processes.running[polled]
    return output if len(whole) <= len(body) else output._replace(body=whole)


def ended(
    reader: CodexTranscript, call_id: str, number: str, printed: str, end: tuple[bool, int]
) -> list[Parsed]:
    """Take the end of a command.

    Args:
        reader: The pass.
        call_id: Of the call that started it.
        number: The program's number of the process.
        printed: All it printed.
        end: Whether it failed, and the milliseconds it took.
    """
    processes = reader.state.processes
    if call_id in reader.state.calls:
        if printed:
            _remember(processes.printed, call_id, printed)
        return []
    process = processes.running.get(number) or processes.running.get(call_id)
    if process is None:
        return []
    process.left = printed[process.said :]
    process.failed, process.duration_ms = end
    return left(reader) if processes.idle else []


def begin(reader: CodexTranscript) -> list[Parsed]:
    """Take the start of a turn; the one before may have been killed."""
    found = left(reader)
    reader.state.processes.idle = False
    return found


def left(reader: CodexTranscript) -> list[Parsed]:
    """Return what ended commands printed behind their last outputs: the turn is over."""
    processes = reader.state.processes
    processes.idle = True
    found = [process for process in processes.running.values() if process.left]
    processes.running = {n: p for n, p in processes.running.items() if not p.left}
    if processes.within:
        late = _scripted(processes, Output(""))
        found.append(Running("", _SCRIPTS[0], 0, late.body, late.failed))
    return [
        Parsed(
            Kind.TOOL_RESULT, process.left, tool=process.tool, call=process.call,
            failed=process.failed, duration_ms=process.duration_ms,
        )
        for process in found
        if not process.left.isspace()
    ]  # fmt: skip


def _remember(held: dict[str, _V], key: str, value: _V) -> None:
    if len(held) >= _REMEMBERED:
        del held[next(iter(held))]
    held[key] = value
