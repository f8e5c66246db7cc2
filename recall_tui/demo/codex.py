"""Writes demo stories as Codex does: rollouts of enveloped items under a folder a day."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from recall_tui.clock import to_iso
from recall_tui.demo.story import Clock, Edit, Read, Run, Say, Story, User, story_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    Record = dict[str, Any]


def write_codex(home: Path, stories: Sequence[Story], now_ms: int) -> None:
    """Write the stories below `~/.codex`, and their titles into the session index."""
    index: list[str] = []
    for story in stories:
        session = story_id(story.name)
        clock = Clock(story, now_ms)
        start = clock.tick(0)
        day = datetime.fromtimestamp(start / 1000, UTC)
        folder = home / "sessions" / day.strftime("%Y/%m/%d")
        folder.mkdir(parents=True, exist_ok=True)
        records = _records(story, session, clock)
        text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        name = f"rollout-{day.strftime('%Y-%m-%dT%H-%M-%S')}-{session}.jsonl"
        (folder / name).write_text(text, "utf-8")
        index.append(
            json.dumps({"id": session, "thread_name": story.title, "updated_at": to_iso(start)})
        )
    (home / "session_index.jsonl").write_text("\n".join(index) + "\n", "utf-8")


def _records(story: Story, session: str, clock: Clock) -> Iterator[Record]:
    def record(kind: str, payload: Record, seconds: float = 6.0) -> Record:
        return {"timestamp": to_iso(clock.tick(seconds)), "type": kind, "payload": payload}

    yield record(
        "session_meta",
        {
            "id": session,
            "timestamp": to_iso(clock.tick(0)),
            "cwd": story.cwd,
            "originator": "codex_cli_rs",
            "cli_version": "0.118.0",
            "source": "cli",
            "git": {"branch": story.branch},
        },
        0,
    )
    for event in story.events:
        match event:
            case User(text):
                yield record("turn_context", {"cwd": story.cwd, "model": story.model}, 30)
                yield record("response_item", _message("user", "input_text", text))
                yield record("event_msg", {"type": "user_message", "message": text}, 0)
            case Say(text):
                yield record("response_item", _message("assistant", "output_text", text))
                yield record("event_msg", {"type": "agent_message", "message": text}, 0)
            case Run() | Edit() | Read():
                call = clock.short("call_", 24)
                name, arguments, output, ok, seconds = _call(event)
                yield record(
                    "response_item",
                    {
                        "type": "function_call",
                        "name": name,
                        "arguments": json.dumps(arguments, ensure_ascii=False),
                        "call_id": call,
                    },
                )
                metadata = {"exit_code": 0 if ok else 1, "duration_seconds": seconds}
                result = json.dumps({"output": output, "metadata": metadata}, ensure_ascii=False)
                payload = {"type": "function_call_output", "call_id": call, "output": result}
                yield record("response_item", payload, seconds)
            case _:
                continue


def _message(role: str, kind: str, text: str) -> Record:
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def _call(event: Run | Edit | Read) -> tuple[str, Record, str, bool, float]:
    match event:
        case Run(command, output, ok, seconds):
            return "shell", {"command": ["bash", "-lc", command]}, output, ok, seconds
        case Read(path, output):
            return "shell", {"command": ["sed", "-n", "1,80p", path]}, output, True, 0.1
        case Edit(path, old, new):
            lines = [f"-{line}" for line in old.splitlines()]
            lines += [f"+{line}" for line in new.splitlines()]
            patch = "\n".join(
                ["*** Begin Patch", f"*** Update File: {path}", "@@", *lines, "*** End Patch"]
            )
            return "apply_patch", {"input": patch}, "Success. Updated the file.", True, 0.1
