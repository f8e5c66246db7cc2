"""From Gemini CLI's records to messages: what a person typed, what was added, calls and results."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from recall_tui.harnesses import fields, images
from recall_tui.harnesses.arguments import PROJECTED, changes, leaves, project
from recall_tui.harnesses.base import Parsed
from recall_tui.harnesses.gemini.outputs import unframed
from recall_tui.harnesses.gemini.parts import (
    NOT_WORDS,
    as_parts,
    blobs,
    content,
    parts_of,
    words_in,
)
from recall_tui.model import OWN_SHELL, Kind

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator

    from recall_tui.harnesses.base import Facts
    from recall_tui.model import Material

_OPENING: Final = (
    "<session_context>",
    "This is the Gemini CLI. We are setting up the context",
)
_ADDED: Final = (
    "<hook_context>",
    "Background execution update:\n<background_output>",
    "System: Potential loop detected.",
    "[Function Response: ",
    "Here is the user's editor context as a JSON object.",
    "Here is a summary of changes in the user's editor context, in JSON format.",
)
"""How texts begin that the program puts in the user's place."""

_BEHIND_OPENING: Final = "\n--- Full File Context"
"""Begins a part of the opening that old versions keep apart: the files of the project."""

_RAN: Final = re.compile(
    r"I ran the following shell command:\n```sh\n(.*?)\n```\n\n"
    r"This produced the following result:\n```\n(.*?)(?:\n```(?P<behind>.*))?\Z",
    re.S,
)
"""What the program says in the place of a person who ran a command with `!`."""

_GO_ON: Final = "Please continue."
"""What the program says in the user's place when the agent stopped before it was done."""

SNAPSHOT: Final = "<state_snapshot>"
"""Begins what stands for a history that was compressed."""

_HOOK: Final = re.compile(r"\n?<hook_context>.*?</hook_context>", re.S)
"""What a hook of the person's adds behind a prompt."""

_STEERING: Final = re.compile(r"User steering update.*?<user_input>\s*(.*?)\s*</user_input>", re.S)
"""Typed while the agent worked; the program wraps it in instructions."""

_FILES_BEGIN: Final = "--- Content from referenced files ---"
_FILES_END: Final = "--- End of content ---"
_EXIT_CODE: Final = re.compile(r"^Exit Code: -?[1-9]", re.M)
_GLOBAL_ID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
"""Only a UUID is the same record wherever it is copied; the opening text has one id in all."""

_ARGUMENTS: Final = (*PROJECTED, "agent_name")
_PATHS: Final = ("file_path", "absolute_path", "path", "dir_path")
"""Arguments that name the file a tool reads."""
_WHOLE: Final = re.compile(r"/.|[A-Za-z]:[/\\]")
"""How a path begins that does not depend on a directory, on either system."""
_MAX_PATHS: Final = 32
_REPLIES: Final = frozenset({"gemini", "model", "assistant"})
_NOTICES: Final = frozenset({"info", "warning", "error"})


class Records:
    """Turns the records of one session into messages, in order.

    Args:
        session_id: The session's id, for the ids of materials.
        facts: Takes models, tokens and times.
        unknown: Takes record kinds this reader does not know.
        subagent: Whether a parent agent speaks in the user's place.
    """

    def __init__(
        self, session_id: str, facts: Facts, unknown: Counter[str], *, subagent: bool
    ) -> None:
        self.opening = ""
        """The text that opened the session."""
        self.paths: dict[str, None] = {}
        """The first files and folders its calls name whole."""
        self._session = session_id
        self._facts = facts
        self._unknown = unknown
        self._subagent = subagent
        self._tasked = False
        self._called: set[str] = set()
        self._answered: set[str] = set()

    def messages(self, record: dict[str, Any], place: str) -> Iterator[Parsed]:
        """Yield what one record says.

        Args:
            record: The record.
            place: Its name for locators.
        """
        time = fields.time_ms(record.get("timestamp")) or fields.time_ms(record.get("ts"))
        kind = fields.text(record.get("type")) or fields.text(record.get("role"))
        if kind == "user":
            found = self._user(record, place, time)
        elif kind in _REPLIES:
            found = self._reply(record, place, time)
        elif kind in _NOTICES:
            found = self._notice(record, time, failed=kind == "error")
        else:
            self._unknown[f"type {kind or 'missing'}"] += 1
            return
        for parsed in found:
            self._facts.saw_time(parsed.time_ms)
            yield parsed

    def _notice(self, record: dict[str, Any], time: int, *, failed: bool) -> Iterator[Parsed]:
        words = words_in(parts_of(record))
        if words.strip():
            yield Parsed(Kind.NOTICE, words, time, _record(record), failed=failed)

    def _user(self, record: dict[str, Any], place: str, time: int) -> Iterator[Parsed]:
        """Yield a user record's tool results, its prompt, and what the program added to it."""
        parts = parts_of(record)
        responses = [part for part in parts if fields.mapping(part.get("functionResponse"))]
        for part in responses:
            call = fields.text(part["functionResponse"].get("id"))
            if not call or call not in self._answered:
                self._answered.add(call)
                name = fields.text(part["functionResponse"].get("name"))
                yield _result([part], _record(record, "result", call), time, name, call)
        identity = _record(record)
        if words_in(parts).startswith(_OPENING):
            opening, parts = _opened(parts)
            self.opening = words_in(opening)
            yield Parsed(Kind.INJECTED, self.opening, time, identity)
            identity = _record(record, "prompt")
        words = words_in(parts)
        materials = self._materials(place, 0, content(record))
        if not words.strip() and not materials:
            return
        if self._subagent:
            kind = Kind.INJECTED if self._tasked else Kind.DELEGATION
            self._tasked = True
            yield Parsed(kind, words, time, identity, materials=materials)
            return
        if words.lstrip().startswith(SNAPSHOT):
            yield Parsed(Kind.SUMMARY, words, time, identity)
            return
        if ran := _RAN.match(words):
            yield Parsed(Kind.TOOL_CALL, ran[1], time, identity, tool=OWN_SHELL)
            yield Parsed(
                Kind.TOOL_RESULT, ran[2], time, _record(record, "result"), tool=OWN_SHELL,
                failed=bool(_EXIT_CODE.search(ran[2])),
            )  # fmt: skip
            words = (ran["behind"] or "").strip()
        typed, added = _typed(record, words, beside_results=bool(responses))
        if typed.strip() or (materials and not responses):
            yield Parsed(Kind.PROMPT, typed, time, identity, materials=materials)
        if added.strip():
            yield Parsed(Kind.INJECTED, added, time, _record(record, "added"))

    def _reply(self, record: dict[str, Any], place: str, time: int) -> Iterator[Parsed]:
        """Yield an agent's answer, then each call with its result."""
        model = self._account(record)
        parts = parts_of(record)
        words = words_in(parts)
        materials = self._materials(place, 0, content(record))
        if words.strip() or materials:
            yield Parsed(
                Kind.ANSWER, words, time, _record(record), model=model, materials=materials
            )
        behind = len(materials)
        for call in fields.items(record.get("toolCalls")):
            if not isinstance(call, dict):
                continue
            yield self._call(call, record, time)
            args = fields.mapping(call.get("args"))
            path = next((args[key] for key in _PATHS if key in args), None)
            pictures = self._materials(place, behind, call.get("result"), path)
            behind += len(pictures)
            yield from self._finished(call, record, time, pictures)
        for part in parts:
            call = fields.mapping(part.get("functionCall"))
            if call and fields.text(call.get("id")) not in self._called:
                yield self._call(call, record, time)

    def _call(self, call: dict[str, Any], record: dict[str, Any], time: int) -> Parsed:
        name = fields.text(call.get("name"))
        call_id = fields.text(call.get("id"))
        if call_id:
            self._called.add(call_id)
        arguments = call.get("args")
        for key in _PATHS:
            path = fields.text(fields.mapping(arguments).get(key))
            if len(self.paths) < _MAX_PATHS and _WHOLE.match(path):
                self.paths[path] = None
        seen, rest = project(arguments, _ARGUMENTS)
        return Parsed(
            Kind.TOOL_CALL, seen, time, _record(record, "call", call_id), rest=rest, tool=name,
            call=call_id, changes=changes(arguments, seen, rest),
        )  # fmt: skip

    def _finished(
        self,
        call: dict[str, Any],
        record: dict[str, Any],
        time: int,
        materials: tuple[Material, ...],
    ) -> Iterator[Parsed]:
        """Yield the result that a call's record holds, nothing while the tool runs."""
        name = fields.text(call.get("name"))
        call_id = fields.text(call.get("id"))
        status = fields.text(call.get("status"))
        end = fields.time_ms(call.get("timestamp")) or time
        result = call.get("result")
        parts = result if isinstance(result, list) else [result]
        identity = _record(record, "result", call_id)
        parsed = _result(parts, identity, end, name, call_id)
        parsed.text = parsed.text or _display(call.get("resultDisplay"))
        parsed.failed = parsed.failed or status in ("error", "cancelled")
        if parsed.failed and not parsed.text:
            parsed.text = status
        if not parsed.text and not materials and not result:
            return
        if call_id:
            self._answered.add(call_id)
        parsed.duration_ms = max(0, end - time)
        parsed.materials = materials
        yield parsed

    def _materials(
        self, place: str, first: int, value: object, path: object = None
    ) -> tuple[Material, ...]:
        """Return the materials inside a record's content, or inside a call's result.

        Args:
            place: Name of the record.
            first: Attachments of the record that come before.
            value: The content or the result.
            path: The file a tool read, which names what has no name of its own.
        """
        found: list[Material] = []
        for number, blob in enumerate(blobs(value), first):
            data = fields.text(blob.get("data"))
            name = fields.text(blob.get("displayName"))
            source = fields.text(path) if data else fields.text(blob.get("fileUri"))
            name = name or re.split(r"[/\\]", source.rstrip("/\\"))[-1]
            mime = fields.text(blob.get("mimeType"))
            size = images.base64_size(data) if data else -1
            head = images.base64_head(data)
            locator = f"{number} {place}"
            identity = images.material_id(self._session, locator)
            found.append(images.described(identity, name, mime, size, head, locator))
        return tuple(found)

    def _account(self, record: dict[str, Any]) -> str:
        """Add a reply's model and tokens to the facts; return the model.

        `input` already counts what came from the cache.
        """
        model = fields.text(record.get("model"))
        self._facts.saw_model(model)
        tokens = fields.mapping(record.get("tokens"))
        self._facts.tokens_in += fields.count(tokens.get("input")) + fields.count(
            tokens.get("tool")
        )
        self._facts.tokens_out += fields.count(tokens.get("output")) + fields.count(
            tokens.get("thoughts")
        )
        return model


def _result(parts: Iterable[Any], identity: str, time: int, name: str, call: str) -> Parsed:
    """Return the result that function responses hold, and texts beside them."""
    words: list[str] = []
    failed = False
    for piece in parts:
        if isinstance(piece, str):
            words.append(piece)
            continue
        part = fields.mapping(piece)
        answer = fields.mapping(part.get("functionResponse")).get("response")
        failed = failed or bool(fields.mapping(answer).get("error"))
        words.extend(leaves(answer, NOT_WORDS))
        if not part.get("thought"):
            words.append(fields.text(part.get("text")))
    text = unframed("\n".join(filter(None, words)))
    if name == "run_shell_command" and "Exit Code:" in text:
        failed = failed or bool(_EXIT_CODE.search(text))
    return Parsed(Kind.TOOL_RESULT, text, time, identity, tool=name, call=call, failed=failed)


def _opened(parts: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Split the parts of an opening from a prompt, which a history that was saved joins to it."""
    texts = [n for n, part in enumerate(parts) if fields.text(part.get("text")).strip()]
    behind = (n for n in texts[1:] if not parts[n]["text"].startswith(_BEHIND_OPENING))
    end = next(behind, len(parts))
    return parts[:end], parts[end:]


def _typed(record: dict[str, Any], words: str, *, beside_results: bool) -> tuple[str, str]:
    """Split a user record's text into what the person typed and what the program added.

    `displayContent` is what was typed before the program expanded it; it may hold only tool
    results, and then nothing was typed. Nor is what stands beside tool results, but for the
    steering of a person who typed while the agent worked.
    """
    steering = _STEERING.search(words) if "<user_input>" in words else None
    if steering:
        return steering.group(1), ""
    if beside_results or words == _GO_ON:
        return "", words
    body, files = _without_files(words)
    hooks = "".join(_HOOK.findall(body))
    if hooks and not body.startswith(_ADDED):
        body, files = _HOOK.sub("", body), f"{hooks.strip()}\n{files}".rstrip()
    shown = record.get("displayContent")
    if shown:
        display = words_in(as_parts(shown))
        if not display.strip():
            return "", words
        return display, files if body.strip() == display.strip() else _unless(words, display)
    return ("", words) if words.startswith(_ADDED) else (body, files)


def _unless(words: str, display: str) -> str:
    return "" if words.strip() == display.strip() else words


def _without_files(words: str) -> tuple[str, str]:
    """Split a text into itself and the contents of the files it names with `@`."""
    begin = words.find(_FILES_BEGIN)
    if begin < 0:
        return words, ""
    end = words.rfind(_FILES_END, begin)
    behind = len(words) if end < 0 else end + len(_FILES_END)
    typed = (words[:begin].rstrip(), words[behind:].strip())
    return "\n".join(filter(None, typed)), words[begin:behind]


def _display(shown: object) -> str:
    """Return what the terminal showed of a result: a text, a diff, lines of coloured pieces.

    The progress of a subagent holds its thoughts: only its result is taken.
    """
    if isinstance(shown, str):
        return shown
    if isinstance(shown, dict):
        return next(
            filter(None, (fields.text(shown.get(k)) for k in ("fileDiff", "result", "summary"))), ""
        )
    lines = []
    for line in fields.items(shown):
        pieces = [fields.text(fields.mapping(piece).get("text")) for piece in fields.items(line)]
        lines.append("".join(pieces))
    return "\n".join(lines).strip()


def _record(record: dict[str, Any], *place: str) -> str:
    """Return a globally unique id for a place in a record, empty when its id is none."""
    native_id = fields.text(record.get("id"))
    if not _GLOBAL_ID.fullmatch(native_id):
        return ""
    return ":".join((native_id, *place))
