"""Real sessions, counted by other means than the reader's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from recall_tui.harnesses.copilot import Copilot
from recall_tui.model import Kind

if TYPE_CHECKING:
    from pathlib import Path


def test_real_sessions(shared: Path):
    copilot = Copilot()
    count = pictures = 0
    for root in ("transcripts/copilot-cli", "live/copilot-cli"):
        for source in copilot.discover(str(shared / root), []):
            if "/stage0/" in source.path:
                continue  # a peer's fixture, scrubbed
            count += 1
            transcript = copilot.open(source)
            messages = list(transcript)
            assert not transcript.unknown, source.path
            assert transcript.unparsed == 0
            with open(source.path, encoding="utf-8") as stream:
                events = [json.loads(line) for line in stream]
            data = {
                kind: [e["data"] for e in events if e["type"] == kind]
                for kind in ("user.message", "assistant.message", "tool.execution_complete")
            }
            kinds = [m.kind for m in messages]
            typed = [d for d in data["user.message"] if "source" not in d]
            assert kinds.count(Kind.PROMPT) == len(typed)
            assert kinds.count(Kind.ANSWER) == sum(
                1 for d in data["assistant.message"] if d["content"]
            )
            asked = {r["toolCallId"] for d in data["assistant.message"] for r in d["toolRequests"]}
            assert kinds.count(Kind.TOOL_CALL) == len(asked)
            assert kinds.count(Kind.TOOL_RESULT) == len(data["tool.execution_complete"])
            for message in messages:
                for material in message.materials:
                    pictures += 1
                    assert len(copilot.material(source, material.locator)) == material.bytes
    assert count >= 9
    assert pictures == 1
