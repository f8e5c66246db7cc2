"""Real rollouts of many versions, counted by other means than the reader's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from recall_tui.harnesses.codex import Codex
from recall_tui.model import Kind

if TYPE_CHECKING:
    from pathlib import Path

    from recall_tui.harnesses.base import Source


MADE_UP = ("/stage0/", "/fixtures/")
"""Peers' fixtures: scrubbed, or with shapes no version writes."""


def sources(shared: Path) -> list[Source]:
    codex = Codex()
    return [
        source
        for root in ("transcripts/codex", "live/codex")
        for source in codex.discover(str(shared / root), [])
        if not any(folder in source.path for folder in MADE_UP)
    ]


def records(path: str) -> list[dict[str, Any]]:
    with open(path, "rb") as stream:
        lines = stream.read().split(b"\n")
    found = []
    for line in lines:
        try:
            found.append(json.loads(line.strip(b"\0\r ")))
        except ValueError:
            continue
    return found


def payloads(path: str, type_: str) -> list[dict[str, Any]]:
    return [r["payload"] for r in records(path) if r.get("type") == type_ and "payload" in r]


@pytest.fixture
def read(shared: Path) -> list[tuple[Source, list, Any]]:
    codex = Codex()
    found = []
    for source in sources(shared):
        transcript = codex.open(source)
        found.append((source, list(transcript), transcript))
    assert len(found) > 20
    return found


def test_everything_is_known(read):
    for source, _, transcript in read:
        assert not transcript.unknown, source.path
        assert transcript.unparsed == 0, source.path


def test_prompts_and_answers_are_those_of_the_file(read):
    checked = 0
    for source, messages, _ in read:
        if source.path.endswith(".json"):
            continue
        items, events = payloads(source.path, "response_item"), payloads(source.path, "event_msg")
        if not items:
            continue
        checked += 1
        typed = [e for e in events if e.get("type") == "user_message"]
        typed += [
            e for e in events
            if e.get("type") == "item_completed" and e["item"]["type"] == "UserMessage"
        ]  # fmt: skip
        said = [i for i in items if i.get("role") == "assistant" and i.get("content")]
        kinds = [m.kind for m in messages]
        prompts = kinds.count(Kind.PROMPT) + kinds.count(Kind.DELEGATION)
        assert prompts == len(typed), source.path
        assert kinds.count(Kind.ANSWER) == len(said), source.path
        calls = [i for i in items if i["type"].endswith("_call")]
        outputs = [i for i in items if i["type"].endswith("_call_output")]
        assert kinds.count(Kind.TOOL_CALL) == len(calls), source.path
        assert kinds.count(Kind.TOOL_RESULT) >= len(outputs), source.path
    assert checked > 10


def test_every_picture_can_be_read_again(read):
    codex = Codex()
    count = 0
    for source, messages, _ in read:
        for message in messages:
            for material in message.materials:
                if material.locator:
                    content = codex.material(source, material.locator)
                    assert material.bytes in (len(content), -1)  # -1: not quite base64
                    count += 1
    assert count > 10


def test_every_session_is_somewhere_at_some_time(read):
    for source, messages, transcript in read:
        if messages:
            assert transcript.facts.started_ms, source.path
            assert all(m.time_ms for m in messages), source.path
