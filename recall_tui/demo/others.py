"""Writes demo stories as pi, OpenCode, Gemini CLI and Copilot CLI do."""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from recall_tui.clock import to_iso
from recall_tui.demo.story import Clock, Edit, Event, Read, Run, Say, Story, User, story_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    Record = dict[str, Any]


def write_pi(home: Path, stories: Sequence[Story], now_ms: int) -> None:
    """Write the stories below `~/.pi/agent`: a tree of entries in one file."""
    for story in stories:
        clock = Clock(story, now_ms)
        start = clock.tick(0)
        session = story_id(story.name)
        folder = home / "sessions" / f"--{story.cwd.strip('/').replace('/', '-')}--"
        folder.mkdir(parents=True, exist_ok=True)
        entries: list[Record] = [
            {
                "type": "session",
                "version": 3,
                "id": session,
                "timestamp": to_iso(start),
                "cwd": story.cwd,
            }
        ]
        first = _pi_entries(story, clock, story.events[:2], None, entries)
        for branch in story.branches:  # written before the branch that stays active
            _pi_entries(story, clock, branch, first, entries)
        last = _pi_entries(story, clock, story.events[2:], first, entries)
        entries.append(
            {
                "type": "session_info",
                "id": clock.short("", 8),
                "parentId": last,
                "timestamp": to_iso(clock.tick(1)),
                "name": story.title,
            }
        )
        stamp = to_iso(start).replace(":", "-").replace(".", "-")
        _write_lines(folder / f"{stamp}_{session}.jsonl", entries)


def _pi_entries(
    story: Story, clock: Clock, events: Iterable[Event], parent: str | None, out: list[Record]
) -> str | None:
    """Append the entries of a run of events below `parent`; return the last one's id."""

    def entry(message: Record) -> None:
        nonlocal parent
        time_ms = clock.tick(20)
        this = clock.short("", 8)
        message["timestamp"] = time_ms
        out.append(
            {
                "type": "message",
                "id": this,
                "parentId": parent,
                "timestamp": to_iso(time_ms),
                "message": message,
            }
        )
        parent = this

    def assistant(block: Record) -> None:
        entry(
            {
                "role": "assistant",
                "content": [block],
                "provider": "anthropic",
                "model": story.model,
                "stopReason": "stop",
                "usage": {"input": 900, "output": 120, "cost": {"total": 0.004}},
            }
        )

    for event in events:
        match event:
            case User(text):
                entry({"role": "user", "content": [{"type": "text", "text": text}]})
            case Say(text):
                assistant({"type": "text", "text": text})
            case Run() | Read() | Edit():
                call = clock.short("toolu_", 20)
                name, arguments, output, ok = _call(event)
                assistant({"type": "toolCall", "id": call, "name": name, "arguments": arguments})
                entry(
                    {
                        "role": "toolResult",
                        "toolCallId": call,
                        "toolName": name,
                        "content": [{"type": "text", "text": output}],
                        "isError": not ok,
                    }
                )
            case _:
                continue
    return parent


def write_opencode(home: Path, stories: Sequence[Story], now_ms: int) -> None:
    """Write the stories into an `opencode.db`."""
    database = home / "opencode.db"
    database.unlink(missing_ok=True)
    connection = sqlite3.connect(database)
    connection.executescript(
        """
        CREATE TABLE project(id TEXT PRIMARY KEY, worktree TEXT);
        CREATE TABLE session(id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, slug TEXT,
            directory TEXT, title TEXT, version TEXT, time_created INTEGER, time_updated INTEGER,
            time_archived INTEGER, time_compacting INTEGER, revert TEXT, share_url TEXT);
        CREATE TABLE message(id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER,
            time_updated INTEGER, data TEXT);
        CREATE TABLE part(id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT,
            time_created INTEGER, time_updated INTEGER, data TEXT);
        CREATE INDEX part_session_idx ON part(session_id);
        """
    )
    for story in stories:
        _opencode_session(connection, story, now_ms)
    connection.commit()
    connection.close()


def _opencode_session(connection: sqlite3.Connection, story: Story, now_ms: int) -> None:
    clock = Clock(story, now_ms)
    session = f"ses_{story_id(story.name).replace('-', '')[:24]}"
    start = clock.tick(0)
    count = 0

    def part(message: str, data: Record, time_ms: int) -> None:
        nonlocal count
        count += 1
        connection.execute(
            "INSERT INTO part VALUES (?,?,?,?,?,?)",
            (f"prt_{session[4:12]}{count:06d}", message, session, time_ms, time_ms,
             json.dumps(data, ensure_ascii=False)),
        )  # fmt: skip

    def message(data: Record) -> tuple[str, int]:
        nonlocal count
        count += 1
        time_ms = clock.tick(15)
        name = f"msg_{session[4:12]}{count:06d}"
        data["time"] = {"created": time_ms, "completed": time_ms + 4000}
        connection.execute(
            "INSERT INTO message VALUES (?,?,?,?,?)",
            (name, session, time_ms, time_ms, json.dumps(data)),
        )
        return name, time_ms

    answer = {
        "role": "assistant",
        "providerID": "zai",
        "modelID": story.model,
        "mode": "build",
        "path": {"cwd": story.cwd, "root": story.cwd},
        "cost": 0.002,
        "tokens": {"input": 1200, "output": 90, "reasoning": 0, "cache": {"read": 0, "write": 0}},
        "finish": "stop",
    }
    for event in story.events:
        match event:
            case User(text):
                name, time_ms = message({"role": "user", "agent": "build"})
                part(name, {"type": "text", "text": text}, time_ms)
            case Say(text):
                name, time_ms = message(dict(answer))
                part(name, {"type": "text", "text": text}, time_ms)
            case Run() | Read() | Edit():
                name, time_ms = message(dict(answer, finish="tool-calls"))
                tool, arguments, output, ok = _call(event)
                state = {
                    "status": "completed",
                    "input": arguments,
                    "output": output,
                    "title": next(iter(arguments.values())),
                    "metadata": {"exit": 0 if ok else 1},
                    "time": {"start": time_ms, "end": time_ms + 900},
                }
                data = {"type": "tool", "callID": f"call_{count}", "tool": tool, "state": state}
                part(name, data, time_ms)
            case _:
                continue
    end = clock.tick(1)
    connection.execute("INSERT OR IGNORE INTO project VALUES (?,?)", ("global", story.cwd))
    connection.execute(
        "INSERT INTO session VALUES (?,?,?,?,?,?,?,?,?,NULL,NULL,NULL,NULL)",
        (session, "global", None, story.name, story.cwd, story.title, "1.18.33", start, end),
    )


def write_gemini(home: Path, stories: Sequence[Story], now_ms: int) -> None:
    """Write the stories below `~/.gemini`: a metadata line, then a message a line."""
    for story in stories:
        clock = Clock(story, now_ms)
        session = story_id(story.name)
        start = clock.tick(0)
        project = home / "tmp" / story.cwd.rsplit("/", 1)[-1]
        (project / "chats").mkdir(parents=True, exist_ok=True)
        (project / ".project_root").write_text(story.cwd, "utf-8")
        lines: list[Record] = [
            {
                "sessionId": session,
                "projectHash": story_id(story.cwd),
                "startTime": to_iso(start),
                "lastUpdated": to_iso(start),
                "kind": "main",
            }
        ]
        for event in story.events:
            record: Record = {"id": clock.id(), "timestamp": to_iso(clock.tick(25))}
            match event:
                case User(text):
                    record |= {"type": "user", "content": [{"text": text}]}
                case Say(text):
                    record |= {"type": "gemini", "content": text, "model": story.model}
                    record["tokens"] = {"input": 3000, "output": 80, "total": 3080}
                case Run() | Read() | Edit():
                    name, arguments, output, ok = _call(event)
                    response = {"output" if ok else "error": output}
                    call = {
                        "id": clock.short(name, 8),
                        "name": "run_shell_command" if name == "bash" else name,
                        "args": arguments,
                        "status": "success" if ok else "error",
                        "result": [{"functionResponse": {"name": name, "response": response}}],
                        "timestamp": record["timestamp"],
                    }
                    record |= {"type": "gemini", "content": "", "toolCalls": [call]}
                    record["model"] = story.model
                case _:
                    continue
            lines.append(record)
        day = datetime.fromtimestamp(start / 1000, UTC).strftime("%Y-%m-%dT%H-%M")
        _write_lines(project / "chats" / f"session-{day}-{session[:8]}.jsonl", lines)


def write_copilot(home: Path, stories: Sequence[Story], now_ms: int) -> None:
    """Write the stories below `~/.copilot`: a directory a session."""
    for story in stories:
        clock = Clock(story, now_ms)
        session = story_id(story.name)
        folder = home / "session-state" / session
        folder.mkdir(parents=True, exist_ok=True)
        events: list[Record] = []

        def event_record(
            kind: str, data: Record, seconds: float = 7.0,
            clock: Clock = clock, events: list[Record] = events,
        ) -> None:  # fmt: skip
            events.append(
                {
                    "type": kind,
                    "data": data,
                    "id": clock.id(),
                    "timestamp": to_iso(clock.tick(seconds)),
                    "parentId": events[-1]["id"] if events else None,
                }
            )

        context = {"cwd": story.cwd, "gitRoot": story.cwd, "branch": story.branch}
        event_record(
            "session.start",
            {
                "sessionId": session,
                "version": 1,
                "copilotVersion": "1.0.102",
                "startTime": to_iso(clock.tick(0)),
                "selectedModel": story.model,
                "context": context,
            },
        )
        for event in story.events:
            match event:
                case User(text):
                    event_record(
                        "user.message",
                        {"content": text, "transformedContent": text, "attachments": []},
                    )
                case Say(text):
                    event_record(
                        "assistant.message",
                        {"messageId": clock.id(), "content": text, "toolRequests": [],
                         "model": story.model},
                    )  # fmt: skip
                case Run() | Read() | Edit():
                    name, arguments, output, ok = _call(event)
                    call = clock.short("call_", 22)
                    request = {"toolCallId": call, "name": name, "arguments": arguments}
                    event_record(
                        "assistant.message",
                        {"messageId": clock.id(), "content": "", "toolRequests": [request],
                         "model": story.model},
                    )  # fmt: skip
                    start = {"toolCallId": call, "toolName": name, "arguments": arguments}
                    event_record("tool.execution_start", start, 0.1)
                    done: Record = {"toolCallId": call, "success": ok}
                    done["result" if ok else "error"] = (
                        {"content": output} if ok else {"message": output}
                    )
                    event_record("tool.execution_complete", done)
                case _:
                    continue
        _write_lines(folder / "events.jsonl", events)
        (folder / "workspace.yaml").write_text(
            f"id: {session}\ncwd: {story.cwd}\nbranch: {story.branch}\nname: {story.title!r}\n",
            "utf-8",
        )


def _call(event: Run | Read | Edit) -> tuple[str, Record, str, bool]:
    """Return tool name, arguments, output and success, as these four programs name them."""
    match event:
        case Run(command, output, ok):
            return "bash", {"command": command}, output, ok
        case Read(path, output):
            return "read", {"path": path}, output, True
        case Edit(path, old, new):
            arguments = {"path": path, "oldString": old, "newString": new}
            return "edit", arguments, f"Updated {path}", True


def _write_lines(path: Path, records: Iterable[Record]) -> None:
    text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    path.write_text(text, "utf-8")
