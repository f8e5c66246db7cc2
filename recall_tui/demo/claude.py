"""Writes demo stories as Claude Code does: one block a line, subagents in a sibling folder."""

from __future__ import annotations

import base64
import json
import re
from typing import TYPE_CHECKING, Any

from recall_tui.clock import to_iso
from recall_tui.demo.story import (
    Agent,
    Clock,
    Compact,
    Edit,
    Event,
    Read,
    Run,
    Say,
    Story,
    User,
    picture,
    story_id,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    Record = dict[str, Any]

_VERSION = "2.1.332"


def write_claude(home: Path, stories: Sequence[Story], now_ms: int) -> None:
    """Write the stories below `~/.claude`."""
    written: dict[str, list[Record]] = {}
    for story in stories:
        session = story_id(story.name)
        folder = home / "projects" / re.sub(r"[^A-Za-z0-9]", "-", story.cwd)
        folder.mkdir(parents=True, exist_ok=True)
        records = [
            {**record, "sessionId": session} for record in written.get(story.fork_of, ())
        ]  # a fork repeats the records with their uuids under its own session id
        writer = _Writer(story, session, now_ms, folder / session)
        if records:
            writer.parent = records[-1]["uuid"]
        records += list(writer.conversation(story.events))
        written[story.name] = records
        lines = [json.dumps(record, ensure_ascii=False) for record in records]
        if story.title:
            title = {"type": "ai-title", "aiTitle": story.title, "sessionId": session}
            lines.append(json.dumps(title, ensure_ascii=False))
        text = "\n".join(lines) + "\n"
        if story.torn:
            text = text[: -len(lines[-1]) // 2]
        (folder / f"{session}.jsonl").write_text(text, "utf-8")


class _Writer:
    """Turns events into records that hang on each other by uuid."""

    def __init__(
        self, story: Story, session: str, now_ms: int, side: Path, agent: str = ""
    ) -> None:
        self.story = story
        self.session = session
        self.side = side
        self.agent = agent
        self.now_ms = now_ms
        self.clock = Clock(story, now_ms)
        self.parent: str | None = None

    def conversation(self, events: Iterable[Event]) -> Iterator[Record]:
        """Yield the records of a run of events."""
        for event in events:
            if isinstance(event, User):
                yield self._user(event)
            elif isinstance(event, Say):
                yield self._assistant({"type": "text", "text": event.text})
            elif isinstance(event, Compact):
                yield from self._compaction(event)
            else:
                yield from self._tool(event)

    def _record(self, kind: str, seconds: float = 8.0, **fields: object) -> Record:
        uuid = self.clock.id() if not self.agent else story_id(f"{self.agent}/{self.clock.id()}")
        record: Record = {
            "parentUuid": self.parent,
            "isSidechain": bool(self.agent),
            "userType": "external",
            "cwd": self.story.cwd,
            "sessionId": self.session,
            "version": _VERSION,
            "gitBranch": self.story.branch,
            "type": kind,
            **fields,
            "uuid": uuid,
            "timestamp": to_iso(self.clock.tick(seconds)),
        }
        if self.agent:
            record["agentId"] = self.agent
        self.parent = uuid
        return record

    def _user(self, event: User) -> Record:
        content: str | list[Record] = event.text
        if event.picture:
            content = [{"type": "text", "text": event.text}, _image(event.picture)]
        return self._record(
            "user",
            0.1 if self.agent else 40.0,
            message={"role": "user", "content": content},
            promptSource="typed",
        )  # fmt: skip

    def _assistant(self, block: Record) -> Record:
        message = {
            "id": self.clock.short("msg_01", 22),
            "type": "message",
            "role": "assistant",
            "model": self.story.model,
            "content": [block],
            "stop_reason": None,
            "usage": {"input_tokens": 2100, "output_tokens": 40 + len(str(block)) // 4},
        }
        return self._record("assistant", message=message, requestId=self.clock.short("req_01", 20))

    def _tool(self, event: Run | Read | Edit | Agent) -> Iterator[Record]:
        call = self.clock.short("toolu_01", 22)
        name, arguments, result, ok, seconds = _call(event)
        extra: Record = {}
        yield self._assistant({"type": "tool_use", "id": call, "name": name, "input": arguments})
        if isinstance(event, Agent):
            extra["agentId"] = self._subagent(event)
        block = {"type": "tool_result", "tool_use_id": call, "content": result, "is_error": not ok}
        yield self._record(
            "user", seconds, message={"role": "user", "content": [block]}, toolUseResult=extra
        )

    def _subagent(self, event: Agent) -> str:
        agent = self.clock.short("a", 16)
        folder = self.side / "subagents"
        folder.mkdir(parents=True, exist_ok=True)
        writer = _Writer(self.story, self.session, self.now_ms, self.side, agent)
        writer.clock.ms = self.clock.ms
        records = list(writer.conversation((User(event.task), *event.events)))
        text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        (folder / f"agent-{agent}.jsonl").write_text(text, "utf-8")
        meta = {"agentType": "Explore", "description": event.description}
        (folder / f"agent-{agent}.meta.json").write_text(json.dumps(meta), "utf-8")
        return agent

    def _compaction(self, event: Compact) -> Iterator[Record]:
        before, self.parent = self.parent, None
        yield self._record(
            "system",
            subtype="compact_boundary",
            content="Conversation compacted",
            logicalParentUuid=before,
            compactMetadata={"trigger": "auto", "preTokens": 151_000},
        )
        text = (
            "This session is being continued from a previous conversation that ran out of "
            f"context. The conversation is summarized below:\n{event.summary}"
        )
        yield self._record(
            "user",
            message={"role": "user", "content": text},
            isCompactSummary=True,
            isVisibleInTranscriptOnly=True,
        )


def _image(name: str) -> Record:
    data = base64.b64encode(picture(name)).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


def _call(event: Run | Read | Edit | Agent) -> tuple[str, Record, str, bool, float]:
    """Return tool name, arguments, result text, success and seconds."""
    match event:
        case Run(command, output, ok, seconds):
            return "Bash", {"command": command}, output, ok, seconds
        case Read(path, output):
            return "Read", {"file_path": path}, output, True, 0.2
        case Edit(path, old, new):
            arguments = {"file_path": path, "old_string": old, "new_string": new}
            return "Edit", arguments, f"The file {path} has been updated.", True, 0.3
        case Agent(description, task, events):
            arguments = {"description": description, "prompt": task, "subagent_type": "Explore"}
            last = events[-1]
            return "Agent", arguments, last.text if isinstance(last, Say) else "", True, 60.0
