"""`response_item`: what goes to the model and comes from it. The transcript is built from these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from recall_tui.harnesses.arguments import leaves
from recall_tui.harnesses.base import Parsed
from recall_tui.harnesses.codex import pictures, processes, prompts
from recall_tui.harnesses.codex.records import NO_RAW, BareLine, Event, EventLine, Part, decode
from recall_tui.harnesses.codex.said import EVENT, ITEM, keep, known, said
from recall_tui.harnesses.codex.tools import read_call, read_output, tool_name
from recall_tui.model import OWN_SHELL, Kind, SessionKind

if TYPE_CHECKING:
    from recall_tui.harnesses.codex.reader import CodexTranscript
    from recall_tui.harnesses.codex.records import Payload
    from recall_tui.model import Material

_CALLS: Final = 256
"""Open calls that are remembered: more never wait for their output at once."""

_SILENT: Final = frozenset(
    (
        "reasoning", "ghost_snapshot", "compaction", "compaction_summary", "compaction_trigger",
        "context_compaction", "other", "additional_tools", "configuration_update",
    )
)  # fmt: skip
_TYPED: Final = ("user.", "shell.user_command")
"""Kinds of what a person put there: words, pictures, a command run with `!`."""
_LISTING: Final = frozenset(("type", "parameters", "inputSchema", "strict", "defer_loading"))


def item(reader: CodexTranscript, payload: Payload, line: bytes) -> list[Parsed]:
    """Take an item of any kind."""
    kind = payload.type
    handler = _FREQUENT.get(kind)
    if handler is not None:
        return handler(reader, payload)
    if kind in _SILENT:
        return []
    if kind in ("tool_call", "tool_result", "function_result"):
        from recall_tui.harnesses.codex import bare  # noqa: PLC0415 - rare, and it imports us

        return bare.item(reader, decode(line, BareLine).payload)
    rare = _RARE.get(kind)
    if rare is None:
        reader.unknown[f"response_item.{kind}"] += 1
        return []
    reader.state.items = True
    return rare(reader, decode(line, EventLine).payload)


# ---------------------------------------------------------------- messages


def message(reader: CodexTranscript, payload: Payload) -> list[Parsed]:
    """Take what somebody says to the model, or the model to somebody."""
    state = reader.state
    state.items = True
    text, materials = content(reader, payload.content, "content")
    if not text and not materials:
        return []
    if payload.role == "assistant":
        if known(state.answers, text, ITEM):
            return []
        if not state.bare:
            keep(state.answers, said(text, ITEM))
        return [Parsed(Kind.ANSWER, text, materials=materials, model=reader.state.model)]
    if payload.role != "user":
        return [Parsed(Kind.INJECTED, text)]
    return _user(reader, payload, text, materials)


def _user(
    reader: CodexTranscript, payload: Payload, text: str, materials: tuple[Material, ...]
) -> list[Parsed]:
    """Take a text in the user's place: typed, injected, or not known yet."""
    state = reader.state
    passthrough = payload.internal_chat_message_metadata_passthrough
    kinds = passthrough.content_item_kinds if passthrough is not None else None
    if kinds:
        if not any(kind.startswith(_TYPED) for kind in kinds):
            return _injected(reader, text)
        if known(state.prompts, text, ITEM):
            return []
        keep(state.prompts, said(text, ITEM))
        return prompt(reader, text, materials)
    if known(state.prompts, text, ITEM):
        return []
    if prompts.is_summary(text) or prompts.is_injected(text):
        return _injected(reader, text)
    before = reader.decide()
    reader.wait(prompt(reader, text, materials), text)
    return before


def _injected(reader: CodexTranscript, text: str) -> list[Parsed]:
    if prompts.is_summary(text):
        return _summary(reader, text, ITEM)
    reader.facts.saw_cwd(prompts.directory(text))
    return [Parsed(Kind.INJECTED, text)]


def compacted(reader: CodexTranscript, payload: Payload, line: bytes) -> list[Parsed]:
    """Take a compaction: its summary. What it keeps of the history was shown before."""
    return _summary(reader, payload.message or "", EVENT)


def _summary(reader: CodexTranscript, text: str, way: int) -> list[Parsed]:
    """Return the summary of a compacted history; an item may repeat it to the model."""
    summaries = reader.state.summaries
    if not text or known(summaries, text, way):
        return []
    keep(summaries, said(text, way))
    return [Parsed(Kind.SUMMARY, text)]


def prompt(
    reader: CodexTranscript, text: str, materials: tuple[Material, ...] = ()
) -> list[Parsed]:
    """Return a typed text; what the client put around it goes before it, as injected."""
    shell = prompts.shell_command(text)
    if shell is not None:
        command, printed = shell
        found = [Parsed(Kind.TOOL_CALL, command, tool=OWN_SHELL)]
        if printed:
            ended = read_output(printed)
            found.append(Parsed(Kind.TOOL_RESULT, ended.text, tool=OWN_SHELL, failed=ended.failed))
        return found
    request, around = prompts.typed(text)
    found = [Parsed(Kind.INJECTED, around)] if around else []
    if request or materials:
        found.append(Parsed(reader.typed, request, materials=materials))
    return found


def content(
    reader: CodexTranscript, parts: str | list[Part] | None, path: str
) -> tuple[str, tuple[Material, ...]]:
    """Return (text, pictures) of a content; the tags around pictures are no text.

    Args:
        reader: The pass.
        parts: The content.
        path: Where it lies in the payload.
    """
    if isinstance(parts, str):
        return parts, ()
    if parts is None:
        return "", ()
    texts: list[str] = []
    materials: tuple[Material, ...] = ()
    for number, part in enumerate(parts):
        text, more = _part(reader, part, f"{path}.{number}")
        if text:
            texts.append(text)
        materials += more
    return "\n".join(texts), materials


def _part(reader: CodexTranscript, part: Part, path: str) -> tuple[str, tuple[Material, ...]]:
    text = part.text or part.content or part.refusal or ""
    if part.image_url is not NO_RAW or part.data is not NO_RAW:
        material = pictures.from_part(part, reader.facts.native_id, reader.locator(path))
        return text, (material,) if material is not None else ()
    if not text and part.type not in _TEXTLESS:
        reader.unknown[f"part.{part.type}"] += 1
    return ("" if prompts.is_tag(text) else text), ()


_TEXTLESS: Final = frozenset(
    ("", "text", "Text", "input_text", "output_text", "input_image", "image", "local_image",
     "encrypted_content", "skill", "mention")
)  # fmt: skip


# ---------------------------------------------------------------- tools


def call(reader: CodexTranscript, payload: Payload) -> list[Parsed]:
    """Take a tool call."""
    reader.state.items = True
    name = tool_name(payload.name, payload.namespace)
    arguments = payload.arguments if payload.arguments is not None else payload.input
    return [calling(reader, payload.call_id or "", name, arguments)]


def calling(reader: CodexTranscript, call_id: str, name: str, arguments: object) -> Parsed:
    """Return the message of a call, and remember it until its output comes."""
    if call_id:
        calls = reader.state.calls
        if len(calls) >= _CALLS:
            for old in list(calls)[: _CALLS // 2]:
                del calls[old]
        calls[call_id] = name
        processes.asking(reader, call_id, name, arguments)
    text, rest = read_call(name, arguments if arguments is not None else {})
    return Parsed(
        Kind.TOOL_CALL, text, rest=rest, tool=name, call=call_id, model=reader.state.model
    )


def output(reader: CodexTranscript, payload: Payload) -> list[Parsed]:
    """Take what a tool gave back."""
    given = payload.output
    if isinstance(given, str):
        return [resulting(reader, payload.call_id or "", given)]
    text, materials = content(reader, given, "output")
    found = resulting(reader, payload.call_id or "", text)
    found.materials = materials
    found.failed = found.failed or any(part.success is False for part in given or ())
    return [found]


def resulting(reader: CodexTranscript, call_id: str, text: str) -> Parsed:
    """Return the message of an output, with what an event told of it before."""
    state = reader.state
    tool = state.calls.pop(call_id, "")
    output = processes.answered(reader, call_id, tool, read_output(text))
    failed, duration = output.failed, output.duration_ms
    if state.outcomes and call_id in state.outcomes:
        told_failed, told_duration = state.outcomes.pop(call_id)
        failed, duration = failed or told_failed, duration or told_duration
    return Parsed(
        Kind.TOOL_RESULT,
        output.text,
        tool=tool,
        call=call_id,
        failed=failed,
        duration_ms=duration,
    )


# ---------------------------------------------------------------- rare kinds


def _local_shell(reader: CodexTranscript, event: Event) -> list[Parsed]:
    action = event.action or {}
    return [calling(reader, event.call_id or event.id or "", "local_shell", action)]


def _web_search(reader: CodexTranscript, event: Event) -> list[Parsed]:
    action = event.action or {}
    return [calling(reader, event.call_id or event.id or "", "web_search", web_action(action))]


def web_action(action: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a web search: a list of queries repeats the query."""
    kept = {key: value for key, value in action.items() if key != "type"}
    queries = kept.get("queries")
    if isinstance(queries, list) and queries[:1] == [kept.get("query")]:
        kept["queries"] = queries[1:]
    return kept


def _tool_search(reader: CodexTranscript, event: Event) -> list[Parsed]:
    return [calling(reader, event.call_id or "", "tool_search", event.arguments)]


def _tool_search_output(reader: CodexTranscript, event: Event) -> list[Parsed]:
    text = "\n".join(leaves(event.tools or [], _LISTING))
    return [resulting(reader, event.call_id or "", text)]


def _image_generation(reader: CodexTranscript, event: Event) -> list[Parsed]:
    call_id = event.call_id or event.id or ""
    asked = calling(reader, call_id, "image_generation", {"description": event.revised_prompt})
    material = None
    if event.result is not NO_RAW:
        material = pictures.from_raw(
            event.result, reader.facts.native_id, reader.locator("result"), "image/png"
        )
    given = resulting(reader, call_id, event.saved_path or "")
    given.materials = (material,) if material is not None else ()
    return [asked, given] if given.materials or given.text else [asked]


def _agent_message(reader: CodexTranscript, event: Event) -> list[Parsed]:
    """Take a message between agents: a parent's is a task, a child's comes from the program."""
    text, _ = content(reader, event.content, "content")
    if not text:
        return []
    child = reader.facts.kind is SessionKind.SUBAGENT
    return [Parsed(Kind.DELEGATION if child else Kind.INJECTED, text)]


_RARE: Final = {
    "local_shell_call": _local_shell,
    "web_search_call": _web_search,
    "tool_search_call": _tool_search,
    "tool_search_output": _tool_search_output,
    "image_generation_call": _image_generation,
    "agent_message": _agent_message,
}
_FREQUENT: Final = {
    "message": message,
    "": message,
    "function_call": call,
    "custom_tool_call": call,
    "function_call_output": output,
    "custom_tool_call_output": output,
}
