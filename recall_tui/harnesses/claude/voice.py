"""Texts in the user's place: prompts, delegations, commands, and what the program put there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from recall_tui.harnesses.base import Parsed
from recall_tui.harnesses.claude import materials, noise, records, spoken
from recall_tui.harnesses.claude.noise import Heard, Said
from recall_tui.harnesses.claude.tracking import Tracking
from recall_tui.harnesses.jsonl import REFUSED
from recall_tui.model import OWN_SHELL, Kind, Material

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recall_tui.harnesses.claude.queued import Waiting
    from recall_tui.harnesses.claude.records import Content, Record

_KINDS: Final = {
    Said.COMMAND: Kind.NOTICE,
    Said.OUTPUT: Kind.NOTICE,
    Said.NOTICE: Kind.NOTICE,
    Said.SHELL: Kind.TOOL_CALL,
    Said.SHELL_OUTPUT: Kind.TOOL_RESULT,
    Said.INJECTED: Kind.INJECTED,
    Said.SUMMARY: Kind.SUMMARY,
}


class Voice(Tracking):
    """Turns a text in the user's place into messages."""

    def said(
        self, text: str, pictures: tuple[Material, ...], record: Record, time_ms: int, number: int
    ) -> list[Parsed]:
        """Return the messages of a text.

        Args:
            text: The text blocks of the record, tags and reminders included.
            pictures: What stands beside it.
            record: The record.
            time_ms: Its time.
            number: Messages the record has yielded before.
        """
        heard = noise.hear(text)
        kind = self._kind(heard, record, pictured=bool(pictures))
        if kind is Kind.DELEGATION and noise.is_housekeeping(heard.text):
            if record.uuid:
                self.hidden.add(record.uuid)
            return []
        typed = kind is Kind.PROMPT
        as_typed = heard.text if heard.said in (Said.COMMAND, Said.SHELL) else text
        found = self.from_queue(self.queue.spoken(as_typed, time_ms, typed=typed))
        if heard.aside:
            found.append(self.message(Kind.INJECTED, heard.aside, record, time_ms, number))
            number += 1
        if kind is None:
            return found
        message = self.message(kind, heard.text, record, time_ms, number)
        message.materials = pictures
        if heard.said in (Said.SHELL, Said.SHELL_OUTPUT):
            message.tool = OWN_SHELL
            message.failed = heard.failed
        found.append(message)
        if typed:
            if record.parentUuid and record.type == "user" and heard.said is not Said.COMMAND:
                self.parents.add(record.parentUuid)
            self._note_hand(record)
        return found

    def _kind(self, heard: Heard, record: Record, *, pictured: bool) -> Kind | None:
        """Return the kind of a text, None when nothing of it is kept."""
        said = heard.said
        if said is Said.CAVEAT:
            self.local, self.caveat = True, record.uuid or ""
            return None
        if record.isCompactSummary:
            return Kind.SUMMARY
        if said is Said.NOTHING and not pictured:
            return None
        if said in (Said.TYPED, Said.NOTHING):
            if spoken.is_programs(record):
                return Kind.INJECTED
            return Kind.DELEGATION if self.subagent or record.isSidechain else Kind.PROMPT
        if said is Said.COMMAND:
            # The program's own commands are announced by a caveat (1.0 writes one and hangs them
            # all under it); a custom command or a skill a person called is the prompt of its turn.
            announced = self.local or (self.caveat and record.parentUuid == self.caveat)
            own = announced or spoken.is_programs(record) or not heard.text.startswith("/")
            return Kind.NOTICE if own else Kind.PROMPT
        if said in (Said.OUTPUT, Said.SHELL):
            self.local = False
        return _KINDS[said] if heard.text else None

    def _note_hand(self, record: Record) -> None:
        """Note whether a prompt came from a person's hand or from a program."""
        human = record.origin is not None and record.origin.kind == "human"
        if (record.entrypoint or "").startswith("sdk") and not human:
            self.by_program = True
        else:
            self.by_hand = True

    def queued(self, record: Record, time_ms: int, offset: int) -> list[Parsed]:
        """Return a prompt that was typed while the agent worked and taken up by it."""
        sent = record.attachment
        text = spoken.text_of(sent.prompt) if sent else ""
        pictures = self.pictures(sent.prompt if sent else None, record, offset, "attachment.prompt")
        if sent is None or not (text or pictures):
            return []
        record.isMeta = record.isMeta or spoken.is_commands(sent)
        found = self.said(text, pictures, record, time_ms, 0)
        if sent.commandMode == "bash":
            for message in found:
                if message.kind is Kind.PROMPT:
                    message.kind, message.tool = Kind.TOOL_CALL, OWN_SHELL
        return found

    def pictures(
        self, content: Content, record: Record, offset: int, place: str
    ) -> tuple[Material, ...]:
        """Return the images and documents that stand beside a text."""
        if content is None or isinstance(content, str):
            return ()
        found: list[Material] = []
        for index, block in enumerate(content):
            if block.type in spoken.MATERIALS:
                locator = f"{offset}:{place}.{index}.source"
                found.append(materials.from_block(block, record.uuid or str(offset), locator))
            elif block.type not in ("text", "tool_result"):
                self.unknown[f"user/{block.type}"] += 1
        return tuple(found)

    def from_queue(self, given_up: Iterable[Waiting]) -> list[Parsed]:
        """Return queued texts that nothing repeats as messages."""
        found: list[Parsed] = []
        for held in given_up:
            heard = noise.hear(self._queued_at(held.offset) if held.cut else held.text)
            kind = _KINDS.get(heard.said)
            if heard.said is Said.TYPED:
                kind = Kind.NOTICE if noise.is_command(heard.text) else Kind.PROMPT
            if kind is not None and heard.text:
                found.append(Parsed(kind, heard.text, held.time_ms))
        return found

    def _queued_at(self, offset: int) -> str:
        """Return the whole text of the queue record at an offset."""
        with open(self.source.path, "rb") as stream:
            stream.seek(offset)
            try:
                return records.decode(stream.readline().strip(b"\0\r\n\t ")).content or ""
            except REFUSED:
                return ""
