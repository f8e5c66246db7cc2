"""A session read in steps as it grows gives what one read gives."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recall_tui.harnesses.base import StaleCheckpoint
from recall_tui.harnesses.claude import Claude
from recall_tui.model import Kind
from tests.harnesses.claude.build import SESSION, Lines, image, png, text, thinking
from tests.harnesses.steps import in_steps, source_of, whole

if TYPE_CHECKING:
    from recall_tui.harnesses.base import Transcript

REMINDER = "<system-reminder>x</system-reminder>"


def act(lines: Lines, step: tuple[str, int], prompts: list[str | None]) -> None:
    """Append what one step of a made-up session writes."""
    what, number = step
    if what == "prompt":
        prompts.append(lines.last)
        lines.user(f"prompt {number % 3}")
    elif what == "rewind" and prompts:
        lines.user(f"again {number}", prompts[number % len(prompts)])
    elif what == "root":
        lines.user("resumed", None)
    elif what == "answer":
        lines.assistant(thinking("hm"), text(f"answer {number}"), reply=f"msg_{number}")
    elif what == "call":
        lines.call(f"t{number}", command=f"run {number}")
    elif what == "result":
        lines.result(f"t{number}", f"out {number}", {"durationMs": number})
    elif what == "queue":
        lines.queue(("enqueue", "dequeue", "remove", "popAll")[number % 4], f"queued {number % 5}")
    elif what == "queued":
        lines.attachment("queued_command", prompt=f"queued {number % 5}", commandMode="prompt")
    elif what == "typed from the queue":
        lines.user(f"queued {number % 5}")
    elif what == "command":
        lines.user("Caveat: The messages below were generated", isMeta=True)
        lines.user("<command-name>/model</command-name>")
    elif what == "custom":
        lines.user("<command-name>/review</command-name>")
    elif what == "warmup":
        lines.user("Warmup", None, isSidechain=True)
    elif what == "picture":
        lines.user([image(png(4, 4)), text(REMINDER)])
    elif what == "title":
        lines.raw({"type": "ai-title", "aiTitle": f"title {number}"})
    elif what == "summary":
        lines.raw({"type": "summary", "summary": f"s {number}", "leafUuid": lines.last})
    elif what == "cwd":
        lines.common["cwd"] = f"/home/{number}"
    elif what == "copy" and lines.lines:
        records = [line for line in lines.lines if b'"uuid"' in line]
        for index, line in enumerate(records[-number % 8 :]):
            record = json.loads(line)
            record |= {
                "uuid": f"copy-{len(lines.lines)}-{index}",
                "timestamp": "2026-06-01T00:00:00.000Z",
            }
            lines.raw(record)
    elif what == "junk":
        lines.lines.append((b"not json\n", b'{"type":"user"', b"\0\0\n", b"\n")[number % 4])


STEPS = (
    "prompt",
    "rewind",
    "root",
    "answer",
    "call",
    "result",
    "queue",
    "queued",
    "typed from the queue",
    "command",
    "custom",
    "warmup",
    "picture",
    "title",
    "summary",
    "cwd",
    "copy",
    "junk",
)


@pytest.mark.contract("S3-44")
@settings(suppress_health_check=list(HealthCheck))
@given(
    st.sampled_from(["2.0.29", "2.1.101"]),
    st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 12)), max_size=40),
    st.lists(st.floats(0, 1), min_size=7, max_size=7),
)
def test_made_up_sessions(
    tmp_path_factory: pytest.TempPathFactory,
    version: str,
    steps: list[tuple[str, int]],
    cuts: list[float],
) -> None:
    lines = Lines(version)
    prompts: list[str | None] = []
    for step in steps:
        act(lines, step, prompts)
    path = tmp_path_factory.mktemp("x") / "projects" / "-p" / f"{SESSION}.jsonl"
    content = lines.content
    lines.write(path)
    claude = Claude()
    source = source_of(claude, path)
    expected = whole(claude, source)
    places = [int(cut * len(content)) for cut in cuts]
    assert in_steps(claude, source, path, content, places) == expected


@pytest.mark.contract("S3-44")
def test_real_sessions(shared: Path, tmp_path: Path) -> None:
    claude = Claude()
    chance = random.Random(7)
    read = 0
    for folder in ("transcripts/claude-code", "live/claude-code"):
        for source in claude.discover(str(shared / folder), []):
            content = Path(source.path).read_bytes()
            path = tmp_path / f"{read}.jsonl"
            path.write_bytes(content)
            copy = source._replace(path=str(path))
            expected = whole(claude, copy)
            cuts = [chance.randrange(len(content) + 1) for _ in range(7)]
            assert in_steps(claude, copy, path, content, cuts) == expected, source.path
            read += 1
    assert read > 50


def test_going_back_to_a_prompt_that_was_read_makes_the_checkpoint_stale(
    place: Path, claude: Claude
) -> None:
    lines = Lines()
    lines.user("start")
    fork = lines.assistant(text("ready"))
    lines.user("first try")
    lines.assistant(text("first answer"))
    source = source_of(claude, lines.write(place))
    first = claude.open(source)
    assert not any(message.abandoned for message in first)
    lines.user("second try", fork)
    lines.write(place)
    with pytest.raises(StaleCheckpoint):
        next(iter(claude.open(source, first.checkpoint)))
    again = list(claude.open(source))
    assert [m.text for m in again if m.abandoned] == ["first try", "first answer"]


def test_a_prompt_that_goes_on_from_the_end_reads_only_the_tail(
    place: Path, claude: Claude
) -> None:
    lines = Lines()
    lines.user("start")
    lines.call("t1", command="x")
    source = source_of(claude, lines.write(place))
    first = claude.open(source)
    list(first)
    lines.result("t1", "out")
    lines.user("next")
    lines.write(place)
    second = claude.open(source, first.checkpoint)
    assert [(m.kind, m.text, m.tool) for m in second] == [
        (Kind.TOOL_RESULT, "out", "Bash"),
        (Kind.PROMPT, "next", ""),
    ]
    assert second.facts.tokens_out == 2


def test_a_branch_that_grows_late_is_still_abandoned(place: Path, claude: Claude) -> None:
    lines = Lines()
    lines.user("start")
    fork = lines.assistant(text("ready"))
    lines.user("first try")
    late = lines.call("t1", command="x")
    lines.user("second try", fork)
    source = source_of(claude, lines.write(place))
    first = claude.open(source)
    list(first)
    lines.result("t1", "late result", parent=late)
    lines.write(place)
    (result,) = claude.open(source, first.checkpoint)
    assert result.abandoned


def tail(claude: Claude, place: Path, lines: Lines, more: Lines) -> Transcript:
    """Read lines, then only what was added to them."""
    source = source_of(claude, lines.write(place))
    first = claude.open(source)
    list(first)
    place.write_bytes(lines.content + more.content)
    second = claude.open(source, first.checkpoint)
    second.messages = list(second)  # type: ignore[attr-defined]
    return second


def test_what_was_read_before_is_remembered(place: Path, claude: Claude) -> None:
    lines = Lines("2.0.29")
    lines.raw({"type": "summary", "summary": "Of this file", "leafUuid": "the-leaf"})
    lines.user("prompt")
    lines.assistant(text("answer"), reply="msg_a", usage={"input_tokens": 5, "output_tokens": 1})
    more = Lines("2.0.29")
    more.last, more.time_ms = lines.last, lines.time_ms
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}
    more.assistant(call, reply="msg_a", usage={"input_tokens": 5, "output_tokens": 9})
    more.user("next", uuid="the-leaf")
    more.assistant(text("fine"), reply="msg_b", usage={"input_tokens": 0, "output_tokens": 0})
    for add in (
        lambda: more.user("prompt"),
        lambda: more.assistant(text("answer"), reply="msg_a"),
        lambda: more.assistant(text("fine"), reply="msg_b"),
    ):
        more.time_ms = lines.time_ms + 3_600_000
        add()
    second = tail(claude, place, lines, more)
    assert [m.kind for m in second.messages] == [Kind.TOOL_CALL, Kind.PROMPT, Kind.ANSWER]
    assert (second.facts.tokens_in, second.facts.tokens_out) == (5, 9)
    assert second.facts.title == "Of this file"
