"""The first two generations, packed files, and damaged ones."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
import zstandard

from recall_tui import clock
from recall_tui.errors import SourceError
from recall_tui.harnesses.jsonl import mostly_damaged
from recall_tui.model import Kind
from tests.harnesses.codex.build import NAME, SESSION, START, Rollout, data_url, png
from tests.harnesses.codex.conftest import told
from tests.harnesses.steps import source_of

if TYPE_CHECKING:
    from pathlib import Path

BEGUN = "2025-08-29T08:15:46.693Z"


def bare(*records: dict[str, Any], git: bool = True) -> bytes:
    first = {"id": SESSION, "timestamp": BEGUN, "instructions": None}
    if git:
        first["git"] = {"branch": "main"}
    lines = [json.dumps(record) + "\n" for record in (first, *records)]
    return "".join(lines).encode()


def said(role: str, text: str, id_: str | None = None) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": text}]
    return {"type": "message", "id": id_, "role": role, "content": content}


STATE = {"record_type": "state"}
ENVIRONMENT = (
    "<environment_context>\nCurrent working directory: /home/a/app\n</environment_context>"
)


def test_the_second_generation(read, day):
    made = f"{clock.from_iso('2025-08-29T08:28:29Z') // 1000:x}"
    path = day / NAME
    path.write_bytes(
        bare(
            STATE, said("user", ENVIRONMENT), said("user", "build a site"), STATE,
            {"type": "reasoning", "id": f"rs_{made}{'0' * 40}", "summary": []},
            said("assistant", "Let me look first.", f"msg_{made}{'0' * 40}"),
            {"type": "function_call", "id": None, "name": "shell", "call_id": "c1",
             "arguments": '{"command":["bash","-lc","ls"]}'},
            {"type": "function_call_output", "call_id": "c1",
             "output": '{"output":"a","metadata":{"exit_code":0,"duration_seconds":0.1}}'},
            said("user", "thanks"),
        )
    )  # fmt: skip
    messages, transcript = read(path)
    assert told(messages) == [
        ("injected", ENVIRONMENT),
        ("prompt", "build a site"),
        ("answer", "Let me look first."),
        ("tool_call", "ls"),
        ("tool_result", "a"),
        ("prompt", "thanks"),
    ]
    facts = transcript.facts
    assert (facts.cwd, facts.branch) == ("/home/a/app", "main")
    assert facts.started_ms == messages[0].time_ms == clock.from_iso(BEGUN)
    assert messages[2].time_ms == facts.ended_ms == clock.from_iso("2025-08-29T08:28:29Z")
    assert [m.duration_ms for m in messages if m.kind is Kind.TOOL_RESULT] == [100]
    assert not transcript.unknown


@pytest.mark.parametrize("written", ["2025-08-29T09:00:00Z", "2026-01-01T00:00:00Z"])
def test_without_any_time_the_files_own_counts_unless_it_was_copied(read, day, written):
    path = day / NAME
    path.write_bytes(bare(said("user", "hello"), said("assistant", "hi")))
    seconds = clock.from_iso(written) / 1000
    os.utime(path, (seconds, seconds))
    _, transcript = read(path)
    copied = written.startswith("2026")
    assert transcript.facts.ended_ms == clock.from_iso(BEGUN if copied else written)


def test_an_id_that_is_no_date_gives_no_time(read, day):
    path = day / NAME
    path.write_bytes(
        bare(said("user", "hello"), said("assistant", "hi", f"msg_{'f' * 48}"),
             said("assistant", "ho", f"msg_{'z' * 48}"))
    )  # fmt: skip
    messages, _ = read(path)
    assert {m.time_ms for m in messages} == {clock.from_iso(BEGUN)}


def test_the_first_generation(codex, day):
    content = png(20, 10)
    items = [
        {"role": "user", "content": [{"type": "text", "text": "make it build"},
         {"type": "input_image", "image_url": data_url(content)}]},
        {"role": "assistant", "content": "", "reasoning": "zebra", "tool_calls": [
            {"id": "c1", "type": "function", "function": {
                "name": "shell", "arguments": '{"command":["bash","-lc","make"]}'}}]},
        {"role": "tool", "tool_call_id": "c1",
         "content": '{"output":"no","metadata":{"exit_code":2,"duration_seconds":4.4}}'},
        {"role": "assistant", "content": "It does not build.", "reasoning": "zebra"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "why"}]},
        {"type": "function_call", "name": "shell", "call_id": "c2", "arguments": "{}"},
        {"type": "hologram"}, 7,
    ]  # fmt: skip
    path = day / f"rollout-2025-08-23-{SESSION}.json"
    session = {"timestamp": BEGUN, "id": SESSION, "instructions": ""}
    path.write_text(json.dumps({"session": session, "items": items}, indent=2))
    source = source_of(codex, path)
    assert source.native_id == SESSION
    transcript = codex.open(source)
    messages = list(transcript)
    assert told(messages) == [
        ("prompt", "make it build"),
        ("tool_call", "make"),
        ("tool_result", "Exit code: 2\nno"),
        ("answer", "It does not build."),
        ("prompt", "why"),
        ("tool_call", ""),
    ]
    assert messages[2].failed
    assert messages[2].duration_ms == 4400
    assert transcript.checkpoint is None
    assert transcript.facts.started_ms == clock.from_iso(BEGUN)
    assert transcript.unparsed == 1
    assert dict(transcript.unknown) == {"response_item.hologram": 1}

    (material,) = messages[0].materials
    assert codex.material(source, material.locator) == content


def test_a_file_cut_in_its_rewrite_is_torn(codex, day):
    path = day / f"rollout-2025-08-23-{SESSION}.json"
    path.write_text('{"session": {"id": "x", "timestamp": "t"}, "items": [{"role": "us')
    source = source_of(codex, path)
    transcript = codex.open(source)
    assert list(transcript) == []
    assert transcript.torn
    path.write_text('{"session": 5}')
    with pytest.raises(SourceError):
        list(codex.open(source))


def packed(path: Path, content: bytes) -> Path:
    target = path.with_name(path.name + ".zst")
    target.write_bytes(zstandard.ZstdCompressor().compress(content))
    return target


def test_packed_files_read_like_plain_ones(codex, day):
    content = png(8, 8, 4000)
    rollout = Rollout().prompt("one").answer("The first answer of all.")
    rollout.call("view_image", {"path": "a.png"})
    rollout.output([{"type": "input_image", "image_url": data_url(content)}])
    rollout.prompt("two").event("thread_rolled_back", num_turns=1)
    plain = source_of(codex, rollout.write(day))
    zst = source_of(codex, packed(day / NAME, rollout.bytes()))
    assert zst.native_id == plain.native_id
    transcript = codex.open(zst)
    messages = list(transcript)
    assert messages == list(codex.open(plain))
    assert messages[-1].abandoned
    assert transcript.checkpoint is None
    (material,) = messages[3].materials
    assert codex.material(zst, material.locator) == content


def test_a_damaged_packed_file_is_an_error(codex, day):
    path = packed(day / NAME, Rollout().prompt("one").bytes() * 200)
    content = bytearray(path.read_bytes())
    content[len(content) // 2 :] = b"\xff" * (len(content) - len(content) // 2)
    path.write_bytes(content)
    with pytest.raises(SourceError):
        list(codex.open(source_of(codex, path)))


@pytest.mark.parametrize("options", [{}, {"write_checksum": True}, {"write_content_size": False}])
def test_a_packed_file_that_was_cut_off_is_a_loss(codex, day, options):
    lines = Rollout().prompt("one").answer("The answer. " * 20_000).bytes()
    zstd = zstandard.ZstdCompressor(**options)
    empty = b"\x50\x2a\x4d\x18\x03\0\0\0abc"  # a frame to be skipped
    whole = zstd.compress(lines) + empty + zstd.compress(b"")
    path = day / f"{NAME}.zst"
    ends = {len(zstd.compress(lines)), len(zstd.compress(lines) + empty), len(whole)}
    for size in (0, *range(1, 40, 3), *ends, *(end - 1 for end in ends), len(lines) // 2):
        path.write_bytes(whole[:size])
        transcript = codex.open(source_of(codex, path))
        assert isinstance(list(transcript), list)
        cut = size not in {0, *ends} and size < len(whole)
        assert transcript.unparsed == cut, size
    path.write_bytes(whole)
    assert len(list(codex.open(source_of(codex, path)))) == 2


def test_lines_of_a_packed_file_are_counted_unpacked(codex, day):
    path = packed(day / NAME, Rollout().prompt("one").bytes() * 50 + b"{broken\n" * 9)
    transcript = codex.open(source_of(codex, path))
    list(transcript)
    assert transcript.unparsed == 9
    assert mostly_damaged(transcript) == ""


def test_a_vanished_file_is_an_error(codex, day):
    source = source_of(codex, Rollout().prompt("one").write(day))
    os.remove(source.path)
    with pytest.raises(SourceError):
        list(codex.open(source))


def test_a_tail_of_nuls_and_a_cut_record_before_the_next(codex, day):
    rollout = Rollout().prompt("one")
    cut = rollout.bytes()
    good = Rollout(meta=False).prompt("two").bytes()
    path = day / NAME
    path.write_bytes(cut + b"\0" * 3772)
    source = source_of(codex, path)
    transcript = codex.open(source)
    assert told(list(transcript)) == [("prompt", "one")]
    assert (transcript.unparsed, transcript.torn) == (0, False)
    path.write_bytes(cut + b"\0" * 3772 + good)
    assert told(list(codex.open(source))) == [("prompt", "one"), ("prompt", "two")]
    for broken in (
        b'{"timestamp":"2026-02-03T10:00:09.000Z","type":"event_msg","payload":{"type":"tok',
        b'{"timestamp":"2026-02-03T10:00:09.000Z","type":"event_msg","payload":{"type":'
        b'"token_count","info":{"a":1}}',
        b'{"timestamp":"2026-02-03T10:00:09.000Z","type":"response_item","payload":{"type":"mess',
    ):
        path.write_bytes(cut + broken + good)
        transcript = codex.open(source)
        assert told(list(transcript)) == [("prompt", "one"), ("prompt", "two")]
        assert transcript.unparsed == 1


def test_a_line_cut_while_it_is_written_waits(codex, day):
    whole = Rollout().prompt("one").bytes()
    for last in (Rollout(meta=False).tokens(5, 6), Rollout(meta=False).answer("It is so.")):
        path = day / NAME
        path.write_bytes(whole + last.bytes()[:-9])
        transcript = codex.open(source_of(codex, path))
        messages = list(transcript)
        assert transcript.torn
        assert transcript.unparsed == 0
        assert transcript.checkpoint is not None
        assert transcript.checkpoint.offset <= path.read_bytes().rfind(b"\n") + 1
        assert [m.text for m in messages][:1] == ["one"]


def test_odd_values_cost_only_themselves(read, day):
    lines = Rollout().prompt("one").bytes().splitlines(keepends=True)

    def line(payload: object, type_: str = "response_item") -> bytes:
        stamp = clock.to_iso(START + 60_000)
        return json.dumps({"timestamp": stamp, "type": type_, "payload": payload}).encode() + b"\n"

    lines += [
        line({"type": "message", "role": "assistant", "content": ["bare", {"text": 7}]}),
        line({"type": "message", "role": "assistant", "content": {"text": "an object"}}),
        line({"type": "message", "role": "assistant", "content": 5, "id": 9}),
        line({"type": "function_call", "name": 5, "arguments": 7, "call_id": "c"}),
        line({"type": "function_call_output", "call_id": "c", "output": {"deep": ["a", 1]}}),
        line({"type": "function_call_output", "call_id": "c", "output": 12}),
        line({"type": "error", "message": ["x"], "codex_error_info": 5}, "event_msg"),
        line({"type": "item_completed", "item": 5}, "event_msg"),
        line({"type": "token_count", "info": [1]}, "event_msg"),
        line({"type": "mcp_tool_call_end", "result": [1], "invocation": 5}, "event_msg"),
        line(7),
        line(None),
        b"[1, 2]\n",
        b"7\n",
        b'"text"\n',
        b"not json\n",
        b'{"timestamp":5,"type":"response_item","payload":{"type":"message","role":"assistant",'
        b'"content":[{"type":"output_text","text":"half \\ud83d a pair"}]}}\n',
    ]
    path = day / NAME
    path.write_bytes(b"".join(lines))
    messages, transcript = read(path)
    texts = [m.text for m in messages]
    assert texts[0] == "one"
    assert "bare" in texts
    assert "an object" in texts
    assert "a" in texts
    assert texts[-1] == "half \ufffd a pair"
    assert transcript.unparsed == 6
    assert not transcript.torn


def test_what_newer_versions_note_for_themselves_is_silent(read: Any) -> None:
    rollout = Rollout()
    for kind in ("dynamic_tools_updated", "id_allocation", "security_risk_score"):
        rollout.line(kind, {"note": "zqnoise"})
    for kind in ("additional_tools", "configuration_update"):
        rollout.item(kind, note="zqnoise")
    for kind in ("thread_queue_changed", "environment_connected", "safety_buffering"):
        rollout.event(kind, note="zqnoise")
    rollout.completed("FunctionCallOutput", output="zqnoise")
    rollout.event("guardian_warning", message="mind this")
    rollout.prompt("go")
    messages, transcript = read(rollout)
    assert told(messages) == [("notice", "mind this"), ("prompt", "go")]
    assert not transcript.unknown
