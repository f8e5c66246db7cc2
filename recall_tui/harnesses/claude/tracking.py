"""What the Claude Code reader keeps track of while lines go by: facts, tree, queue, copies."""

from __future__ import annotations

import os
from collections import deque
from typing import IO, TYPE_CHECKING, Final

import msgspec

from recall_tui.harnesses.base import Checkpoint, Parsed, Source
from recall_tui.harnesses.claude import identity, records, rewinds, titles
from recall_tui.harnesses.claude.copies import Copies
from recall_tui.harnesses.claude.queued import Queue
from recall_tui.harnesses.claude.ring import Ring
from recall_tui.harnesses.claude.state import LEAVES, Carry
from recall_tui.harnesses.jsonl import JsonlTranscript
from recall_tui.model import Kind, SessionKind

if TYPE_CHECKING:
    from recall_tui.harnesses.claude.records import Record

_carry: Final = msgspec.msgpack.Decoder(Carry)


class Tracking(JsonlTranscript):
    """The state of one pass, taken up from and left in a checkpoint."""

    def __init__(self, source: Source, since: Checkpoint | None = None) -> None:
        name = os.path.basename(source.path)
        self.subagent = bool(source.parent) or name.startswith("agent-")
        self.results_folder = _results_folder(source.path)
        self._abandoned_prompts: frozenset[str] = frozenset()
        super().__init__(source, since)
        if since is None:
            self._take(Carry(self.facts))

    def _take(self, carry: Carry) -> None:
        """Set the working state from its stored form."""
        self.facts = carry.facts
        self.custom_title, self.ai_title = carry.custom_title, carry.ai_title
        self.summary, self.summaries = carry.summary, dict(carry.summaries)
        self.leaves = deque(carry.leaves, LEAVES)
        self.calls = dict(carry.calls)
        self.replies = dict(carry.replies)
        self.queue = Queue(list(carry.waiting), carry.queue_length)
        self.parents = Ring(rewinds.PARENTS, carry.parents)
        self.abandoned = Ring(rewinds.ABANDONED, carry.abandoned)
        self.hidden = Ring(rewinds.ABANDONED, carry.hidden)
        self.copies = Copies(carry.copies)
        self.local, self.caveat = carry.local, carry.caveat
        self.by_hand, self.by_program = carry.by_hand, carry.by_program
        self.twice = Copies.concerns(self.facts.version)
        """Whether the version at hand may write history twice."""
        self.anew = identity.concerns(self.facts.version)
        """Whether it writes history anew, under other record ids, when it resumes."""
        self.forget_place()

    def forget_place(self) -> None:
        """Look again at where the next record was written, also if the last one was there too."""
        self._where: tuple[str | None, ...] = ()

    def load(self, carry: bytes) -> None:
        """Take up the state of an earlier read."""
        self._take(_carry.decode(carry))

    def save(self) -> bytes:
        """Return the state: a few KB, at most a few hundred however long the session is."""
        self.settle()
        return msgspec.msgpack.encode(
            Carry(
                facts=self.facts,
                custom_title=self.custom_title,
                ai_title=self.ai_title,
                summary=self.summary,
                summaries=self.summaries,
                leaves=list(self.leaves),
                calls=self.calls,
                replies=self.replies,
                waiting=self.queue.waiting,
                queue_length=self.queue.length,
                parents=list(self.parents),
                abandoned=list(self.abandoned),
                hidden=list(self.hidden),
                copies=self.copies.mark,
                local=self.local,
                caveat=self.caveat,
                by_hand=self.by_hand,
                by_program=self.by_program,
            )
        )

    def settle(self) -> None:
        """Bring the facts that follow from others up to date."""
        facts = self.facts
        if self.subagent:
            facts.kind = SessionKind.SUBAGENT
            facts.title = self.custom_title or titles.described(self.source.path)
            return
        automated = self.by_program and not self.by_hand
        facts.kind = SessionKind.AUTOMATED if automated else SessionKind.MAIN
        if facts.parent:
            facts.kind = SessionKind.FORK
        facts.title = (
            self.custom_title
            or titles.indexed(self.source.path, self.source.native_id)
            or self.ai_title
            or self.summary
        )

    def survey(self, stream: IO[bytes]) -> int | None:
        """Find the prompts that will turn out to be abandoned; see `rewinds`."""
        ahead = rewinds.look_ahead(stream, self._offset, self.parents)
        self._abandoned_prompts = ahead.abandoned
        return ahead.end

    def enter(self, record: Record) -> int:
        """Note what every record of the conversation says about the session.

        Returns:
            Its time in epoch ms, 0 when unknown, -1 when it hangs under what is hidden.
        """
        facts = self.facts
        time_ms = records.epoch_ms(record.timestamp)
        if time_ms > facts.ended_ms and facts.started_ms:
            facts.ended_ms = time_ms
        elif time_ms < facts.started_ms or not facts.started_ms:
            facts.saw_time(time_ms)
        where = (record.cwd, record.gitBranch, record.version, record.sessionId)
        if where != self._where:
            self._where = where
            self._go(*where)
        uuid = record.uuid
        if not uuid:
            return time_ms
        if not self.leaves and not self.subagent:
            facts.parent = identity.continued(record, facts.native_id)
        self.leaves.append(uuid)
        if self.summaries:
            self.summary = self.summaries.pop(uuid, self.summary)
        if self.hidden and record.parentUuid in self.hidden:
            self.hidden.add(uuid)
            return -1
        if uuid in self._abandoned_prompts or (
            self.abandoned and record.parentUuid in self.abandoned
        ):
            self.abandoned.add(uuid)
        return time_ms

    def _go(
        self, cwd: str | None, branch: str | None, version: str | None, session: str | None
    ) -> None:
        """Note where a record was written, and by what."""
        facts = self.facts
        facts.saw_cwd(cwd or "")
        if branch and (branch != "HEAD" or not facts.branch):
            facts.branch = branch
        if version and version != facts.version:
            facts.version = version
            self.twice = Copies.concerns(version)
            self.anew = identity.concerns(version)
        facts.saw_id(session or "")
        if self.subagent and not facts.parent:
            facts.parent = session or ""

    def message(
        self, kind: Kind, text: str, record: Record, time_ms: int, number: int = 0
    ) -> Parsed:
        """Return a message of a record; `number` counts those of the same record."""
        uuid = record.uuid or ""
        message = Parsed(kind, text, time_ms, f"{uuid}/{number}" if number and uuid else uuid)
        if self.abandoned and uuid in self.abandoned:
            message.abandoned = True
        if record.isSidechain and not self.subagent:
            message.sidechain = True
        return message


def _results_folder(path: str) -> str:
    """Return where the outputs of a session, or of the session a subagent belongs to, are saved."""
    session, found, _ = path.rpartition(f"{os.sep}subagents{os.sep}")
    return os.path.join(session if found else path.removesuffix(".jsonl"), "tool-results")
