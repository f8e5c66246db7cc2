"""From OpenCode's messages and parts to ours."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from recall_tui.errors import SourceError
from recall_tui.harnesses import fields, images
from recall_tui.harnesses.arguments import leaves
from recall_tui.harnesses.base import Facts, Parsed
from recall_tui.harnesses.opencode import database, layouts, parts
from recall_tui.harnesses.sqlite import FAULTS, words_of
from recall_tui.model import Kind, SessionKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recall_tui.harnesses.base import Checkpoint, Source
    from recall_tui.model import Material

_UNTITLED: Final = re.compile(
    r"(?:New|Child) session - \d{4}-\d\d-\d\dT[\d:.]+Z(?: \(fork #\d+\))?\Z"
)
"""Titles the program gives before a model has named the session."""

_SILENT: Final = frozenset(
    {"step-start", "step-finish", "snapshot", "patch", "agent", "compaction", "reasoning"}
)
"""Parts that say nothing of their own: bookkeeping, marks inside the typed text, thinking (Q8)."""

_TITLE_CHARACTERS: Final = 500


class OpenCodeTranscript:
    """One pass over a session of OpenCode."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.facts = Facts(native_id=source.native_id, parent=source.parent)
        self.unparsed = 0
        self.torn = False
        self.unknown: Counter[str] = Counter()
        self.checkpoint: Checkpoint | None = None
        self._child = bool(source.parent)
        self._originals: dict[str, str] = {}
        self._undone_message = self._undone_part = ""
        self._undone = False
        self._home = ""
        self._first_prompt = ""

    def __iter__(self) -> Iterator[Parsed]:
        """Yield messages; see `base.Transcript`."""
        try:
            with layouts.opened(self.source) as layout:
                yield from self._session(layout)
                self.unparsed = layout.unparsed
        except FAULTS as error:
            raise SourceError(f"{self.source.path}: {words_of(error)}") from error
        except OSError as error:
            raise SourceError(f"{self.source.path}: {error.strerror or error}") from error

    def _session(self, layout: layouts.Layout) -> Iterator[Parsed]:
        info = layout.info()
        facts = self.facts
        facts.saw_cwd(fields.text(info.get("directory")))
        facts.version = fields.text(info.get("version"))
        facts.parent = fields.text(info.get("parentID")) or facts.parent
        self._child = bool(facts.parent)
        self._home = layout.home
        title = fields.text(info.get("title"))
        if self._child:
            facts.kind = SessionKind.SUBAGENT
        elif database.FORK.match(title):
            facts.kind = SessionKind.FORK
            facts.parent, self._originals = layout.origin(info)
        revert = fields.mapping(info.get("revert"))
        self._undone_message = fields.text(revert.get("messageID"))
        self._undone_part = fields.text(revert.get("partID"))
        for message, pieces in layout.messages():
            for parsed in self._message(message, pieces):
                facts.saw_time(parsed.time_ms)
                if parsed.kind is Kind.PROMPT and not self._first_prompt:
                    self._first_prompt = parsed.text
                yield parsed
        facts.title = self._title(title)

    def _title(self, title: str) -> str:
        """Return the program's title; without one a quoted first prompt, out of its quotes.

        `opencode run "two words"` stores the prompt with quotation marks around it.
        """
        if title and not _UNTITLED.match(title):
            return unquoted(title)
        bare = unquoted(self._first_prompt)
        return bare[:_TITLE_CHARACTERS] if bare != self._first_prompt.strip() else ""

    def _message(self, message: dict[str, Any], pieces: list[dict[str, Any]]) -> Iterator[Parsed]:
        """Yield what one message says, marked as undone when the person reverted to before it."""
        if self._undone_message and message.get("id") == self._undone_message:
            self._undone = not self._undone_part
        role = message.get("role")
        if role == "user":
            found = self._user(message, pieces)
        elif role == "assistant":
            found = self._assistant(message, pieces)
        else:
            self.unknown[f"role {role}"] += 1
            return
        for parsed in found:
            name, mark, suffix = parsed.record.partition(":")
            parsed.record = f"{self._originals.get(name, name)}{mark}{suffix}"
            parsed.abandoned = self._undone
            yield parsed

    def _user(self, message: dict[str, Any], pieces: list[dict[str, Any]]) -> Iterator[Parsed]:
        """Yield the prompt of a user message, then what the program added to it."""
        message_id = fields.text(message.get("id"))
        time = _created(message)
        typed: list[str] = []
        materials: list[Material] = []
        added: list[Parsed] = []
        for part in pieces:
            self._reach(part)
            kind = fields.text(part.get("type"))
            identity = parts.record(fields.text(part.get("id")))
            if kind == "text":
                words = fields.text(part.get("text"))
                if part.get("synthetic") is True or part.get("ignored") is True:
                    added.append(Parsed(Kind.INJECTED, words, time, identity))
                else:
                    typed.append(words)
            elif kind == "file":
                place = parts.locator(message_id, part)
                materials.append(parts.attachment(self.source.native_id, place, part))
            elif kind == "subtask":
                command = fields.text(part.get("command"))
                if command:  # what the person typed; its arguments stand in the task only
                    typed.append(f"/{command}")
                added.append(Parsed(Kind.DELEGATION, _subtask(part), time, identity))
            elif kind not in _SILENT:
                self.unknown[f"part {kind or 'without a type'}"] += 1
        words = "\n".join(typed)
        if words.strip() or materials:
            speaker = Kind.DELEGATION if self._child else Kind.PROMPT
            identity = parts.record(message_id)
            yield Parsed(speaker, words, time, identity, materials=tuple(materials))
        yield from (parsed for parsed in added if parsed.text.strip())

    def _assistant(self, message: dict[str, Any], pieces: list[dict[str, Any]]) -> Iterator[Parsed]:
        """Yield an agent's message part by part, then the error that ended it."""
        message_id = fields.text(message.get("id"))
        time = _created(message)
        model = self._account(message)
        for part in pieces:
            self._reach(part)
            kind = fields.text(part.get("type"))
            if kind == "text":
                yield from self._answer(part, message, time, model)
            elif kind == "tool":
                yield from parts.tool(part, message_id, self.source.native_id, self._home, time)
            elif kind == "file":
                place = parts.locator(message_id, part)
                material = parts.attachment(self.source.native_id, place, part)
                identity = parts.record(fields.text(part.get("id")))
                yield Parsed(Kind.ANSWER, "", time, identity, model=model, materials=(material,))
            elif kind == "retry":
                yield from _fault(part.get("error"), _created(part) or time, "")
            elif kind not in _SILENT:
                self.unknown[f"part {kind or 'without a type'}"] += 1
        completed = fields.time_ms(fields.mapping(message.get("time")).get("completed"))
        self.facts.saw_time(completed)
        yield from _fault(message.get("error"), completed or time, parts.record(message_id))

    def _answer(
        self, part: dict[str, Any], message: dict[str, Any], time: int, model: str
    ) -> Iterator[Parsed]:
        words = fields.text(part.get("text"))
        if not words.strip():
            return
        kind = Kind.SUMMARY if message.get("summary") is True else Kind.ANSWER
        if part.get("synthetic") is True or part.get("ignored") is True:
            kind = Kind.INJECTED
        start = fields.time_ms(fields.mapping(part.get("time")).get("start"))
        identity = parts.record(fields.text(part.get("id")))
        yield Parsed(kind, words, start or time, identity, model=model)

    def _reach(self, part: dict[str, Any]) -> None:
        """Note that a part was reached: the revert may begin inside a message."""
        if self._undone_part and part.get("id") == self._undone_part:
            self._undone = True

    def _account(self, message: dict[str, Any]) -> str:
        """Add a reply's model, directory, tokens and cost to the facts; return the model."""
        facts = self.facts
        model = fields.text(message.get("modelID"))
        model = model or fields.text(fields.mapping(message.get("model")).get("modelID"))
        facts.saw_model(model)
        facts.saw_cwd(fields.text(fields.mapping(message.get("path")).get("cwd")))
        tokens = fields.mapping(message.get("tokens"))
        cache = fields.mapping(tokens.get("cache"))
        facts.tokens_in += sum(
            map(fields.count, (tokens.get("input"), cache.get("read"), cache.get("write")))
        )
        facts.tokens_out += fields.count(tokens.get("output")) + fields.count(
            tokens.get("reasoning")
        )
        facts.cost_usd += fields.number(message.get("cost"))
        return model


def material(source: Source, locator: str) -> bytes:
    """Read the bytes behind a locator of `parts.locator`.

    Raises:
        SourceError: The part is gone, broken, or only a reference to a file.
    """
    message_id, _, rest = locator.partition(" ")
    part_id, _, position = rest.partition(" ")
    try:
        part = layouts.part_of(source, message_id, part_id)
    except FAULTS as error:
        raise SourceError(f"{source.path}: {words_of(error)}") from error
    if position:
        attached = fields.items(fields.mapping(part.get("state")).get("attachments"))
        place = int(position) if position.isdecimal() else len(attached)
        part = fields.mapping(attached[place]) if place < len(attached) else {}
    url = fields.text(part.get("url"))
    if not url:
        raise SourceError(f"{source.path}: the attachment is gone")
    if not url.startswith("data:"):
        raise SourceError(
            f"{source.path}: the session only names the file {url[:200]}",
            "open it there, if it still exists",
        )
    try:
        return images.data_url_bytes(url)
    except ValueError as error:
        raise SourceError(f"{source.path}: the attachment is broken") from error


def unquoted(text: str) -> str:
    """Return a text without the one pair of quotation marks around it, if it has just that."""
    bare = text.strip()
    inner = bare[1:-1].replace('\\"', "")
    if len(bare) > 2 and bare[0] == bare[-1] == '"' and '"' not in inner:
        return bare[1:-1].replace('\\"', '"').strip()
    return bare


def _created(message: dict[str, Any]) -> int:
    return fields.time_ms(fields.mapping(message.get("time")).get("created"))


def _subtask(part: dict[str, Any]) -> str:
    """Return what a command such as `/review` gives to a subagent."""
    return "\n".join(filter(None, map(fields.text, (part.get("description"), part.get("prompt")))))


def _fault(error: object, time: int, identity: str) -> Iterator[Parsed]:
    """Yield the notice of an error; its HTTP headers and bodies stay out."""
    if not error:
        return
    fault = fields.mapping(error)
    data = fields.mapping(fault.get("data"))
    message = data.get("message") or fault.get("message") or (None if fault else error)
    words = ": ".join(filter(None, (fields.text(fault.get("name")), *leaves(message))))
    if words:
        yield Parsed(Kind.NOTICE, words, time, f"{identity}:error" if identity else "", failed=True)
