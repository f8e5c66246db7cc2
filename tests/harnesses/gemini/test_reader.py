"""What the records of a Gemini CLI session become, and which state of them counts."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recall_tui import clock
from recall_tui.errors import SourceError
from recall_tui.harnesses.base import Facts, Parsed, Source
from recall_tui.harnesses.gemini import Gemini
from recall_tui.model import Kind
from tests.harnesses.gemini import build

HARNESS = Gemini()
PNG = base64.b64encode(
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (8).to_bytes(4, "big") + (6).to_bytes(4, "big") + b"\x08\2"
).decode()


def source_of(path: Path) -> Source:
    (source,) = HARNESS.discover(str(path), [])
    return source


def read(path: Path) -> tuple[list[Parsed], Facts]:
    transcript = HARNESS.open(source_of(path))
    messages = list(transcript)
    assert (transcript.unparsed, transcript.torn, dict(transcript.unknown)) == (0, False, {})
    assert transcript.checkpoint is None
    return messages, transcript.facts


def told(tmp_path: Path, *records: dict[str, Any]) -> list[Parsed]:
    return read(build.lines(tmp_path / "session-x.jsonl", build.meta(), *records))[0]


def kinds(messages: list[Parsed]) -> list[tuple[str, str]]:
    return [(m.kind.word, m.text) for m in messages]


# ---------------------------------------------------------------- which state counts


def test_a_record_written_again_replaces_the_first(tmp_path: Path) -> None:
    messages = told(
        tmp_path,
        build.user(1, "go"),
        build.agent(2),
        build.user(3, "next"),
        build.agent(2, "late answer"),
        {"$set": {"lastUpdated": build.at(9)}},
    )
    assert kinds(messages) == [("prompt", "go"), ("answer", "late answer"), ("prompt", "next")]


def test_a_patch_with_messages_replaces_all_and_what_it_leaves_out_is_abandoned(
    tmp_path: Path,
) -> None:
    messages = told(
        tmp_path,
        build.user(1, "gone"),
        build.agent(2, "gone too"),
        {"$set": {"messages": [build.user(3, "kept"), build.agent(4, "also")]}},
        build.agent(4, "also, later"),
        build.user(5, "after"),
    )
    assert [(m.text, m.abandoned) for m in messages] == [
        ("gone", True),
        ("gone too", True),
        ("kept", False),
        ("also, later", False),
        ("after", False),
    ]


def test_what_a_resume_states_again_is_said_once_and_as_it_was_first(tmp_path: Path) -> None:
    """0.61: a list with the opening alone, then all of it, at another time and without results."""
    later = build.at(50)
    asked = {"functionCall": {"id": "c1", "name": "glob", "args": {"pattern": "*.py"}}}
    stated = [
        build.user(1, "go", timestamp=later),
        build.agent(2, [{"text": "so"}, asked], timestamp=later),
        build.user(3, "changed", timestamp=later),
    ]
    messages = told(
        tmp_path,
        build.user(1, "go"),
        build.agent(2, "so", toolCalls=[build.call("glob", {"pattern": "*.py"}, "a.py", id="c1")]),
        build.user(3, "next"),
        {"$set": {"messages": [build.user(9, "kept")]}},
        {"$set": {"messages": [build.user(9, "kept"), *stated]}},
    )
    assert [(m.kind.word, m.text, m.time_ms, m.abandoned) for m in messages] == [
        ("prompt", "go", clock.from_iso(build.at(1)), False),
        ("answer", "so", clock.from_iso(build.at(2)), False),
        ("tool_call", "*.py", clock.from_iso(build.at(2)), False),
        ("tool_result", "a.py", clock.from_iso(build.at(2)), False),
        ("prompt", "changed", clock.from_iso(build.at(3)), False),
        ("prompt", "kept", clock.from_iso(build.at(9)), False),
    ]


@pytest.mark.parametrize("written", [True, False])
def test_a_compressed_history_stays_and_its_copied_end_counts_once(
    tmp_path: Path, written: bool
) -> None:
    """A compression writes a summary and the latest messages again, under new ids and times."""
    copies = [
        build.user(11, "<state_snapshot>so far</state_snapshot>"),
        build.agent(12, "Got it. Thanks for the additional context!"),
        build.user(13, "latest"),
        build.agent(14, "its answer"),
    ]
    appended = copies if written else []
    messages = told(
        tmp_path,
        build.user(1, "first"),
        build.agent(2, "its answer"),
        build.user(3, "latest"),
        build.agent(4, "its answer"),
        *appended,
        {"$set": {"messages": copies}},
        build.user(15, "after"),
        {"$rewindTo": build.uid(15)},
        {"$set": {"messages": copies}},  # as a resume writes them
    )
    assert [(m.kind.word, m.text, m.abandoned, m.time_ms) for m in messages] == [
        ("prompt", "first", False, clock.from_iso(build.at(1))),
        ("answer", "its answer", False, clock.from_iso(build.at(2))),
        ("prompt", "latest", False, clock.from_iso(build.at(3))),
        ("answer", "its answer", False, clock.from_iso(build.at(4))),
        ("summary", "<state_snapshot>so far</state_snapshot>", False, clock.from_iso(build.at(11))),
        (
            "answer",
            "Got it. Thanks for the additional context!",
            False,
            clock.from_iso(build.at(12)),
        ),
        ("prompt", "after", True, clock.from_iso(build.at(15))),
    ]


@pytest.mark.parametrize(
    "words",
    [
        "Please continue.",
        "System: Potential loop detected. Details: x",
        "Background execution update:\n<background_output>\nx\n</background_output>\n\nObey.",
        "[Function Response: probe]<image/png>",
        "Here is the user's editor context as a JSON object. This is for your information only.",
    ],
)
def test_what_the_program_says_in_the_users_place(tmp_path: Path, words: str) -> None:
    assert kinds(told(tmp_path, build.user(1, words))) == [("injected", words)]


def test_what_a_hook_adds_behind_a_prompt_is_not_typed(tmp_path: Path) -> None:
    prompt = build.user(1, "fix it", "<hook_context>on branch x</hook_context>")
    assert kinds(told(tmp_path, prompt)) == [
        ("prompt", "fix it"),
        ("injected", "<hook_context>on branch x</hook_context>"),
    ]


def test_several_metadata_lines_are_one_session(tmp_path: Path) -> None:
    path = build.lines(
        tmp_path / "session-x.jsonl",
        build.meta(summary="first title"),
        build.user(1, "one"),
        build.meta(summary="second title"),
        build.user(2, "two"),
        {"$set": {"summary": "third title"}},
    )
    messages, facts = read(path)
    assert [m.text for m in messages] == ["one", "two"]
    assert facts.title == "third title"


def test_what_was_rewound_is_abandoned(tmp_path: Path) -> None:
    messages = told(
        tmp_path,
        build.user(1, "keep"),
        build.agent(2, "kept"),
        build.user(3, "undo me"),
        build.agent(4, "undone"),
        {"$rewindTo": build.uid(3)},
        build.user(5, "instead"),
        {
            "$set": {
                "messages": [
                    build.user(n, t) for n, t in ((1, "keep"), (2, "kept"), (5, "instead"))
                ]
            }
        },
    )
    assert [(m.text, m.abandoned) for m in messages] == [
        ("keep", False),
        ("kept", False),
        ("undo me", True),
        ("undone", True),
        ("instead", False),
    ]


def test_a_rewind_to_an_unknown_message_drops_all(tmp_path: Path) -> None:
    messages = told(
        tmp_path, build.user(1, "a"), {"$rewindTo": "nowhere"}, build.user(1, "a again")
    )
    assert [(m.text, m.abandoned) for m in messages] == [("a", True), ("a again", False)]


def test_a_torn_last_line_waits(tmp_path: Path) -> None:
    path = build.lines(tmp_path / "session-x.jsonl", build.meta(), build.user(1, "whole"))
    line = json.dumps(build.user(2, "half")).encode()
    path.write_bytes(path.read_bytes() + line[:-10])
    transcript = HARNESS.open(source_of(path))
    assert [m.text for m in transcript] == ["whole"]
    assert (transcript.torn, transcript.unparsed) == (True, 0)
    path.write_bytes(path.read_bytes()[: -len(line) + 10] + line + b"\n")
    assert [m.text for m in HARNESS.open(source_of(path))] == ["whole", "half"]


def test_damaged_lines_are_counted_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "session-x.jsonl"
    surrogate = json.dumps(build.user(2, "SUR")).replace("SUR", "\\ud83d lone")
    path.write_bytes(
        b"\xef\xbb\xbf" + json.dumps(build.meta()).encode() + b"\r\n"
        + b"\0\0\0" + json.dumps(build.user(1, "a\u2028b")).encode() + b"\n"
        + surrogate.encode() + b"\n"
        + b'{"id": "cut\n'
        + b'{"$set": {"messages": 7}}\n'
        + json.dumps(build.user(3, "c")).encode() + json.dumps(build.user(4, "d")).encode() + b"\n"
        + b'{"novelty": true}\n'
    )  # fmt: skip
    transcript = HARNESS.open(source_of(path))
    assert [m.text for m in transcript] == ["a\u2028b", "\ufffd lone", "c", "d"]
    assert transcript.unparsed == 2
    assert transcript.unknown == {"line": 1}


def test_a_document_cut_while_it_is_written_is_refused(tmp_path: Path) -> None:
    path = build.document(tmp_path / "session-x.json", build.user(1, "hello"))
    source = source_of(path)
    assert [m.text for m in HARNESS.open(source)] == ["hello"]
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(SourceError, match="no whole JSON"):
        list(HARNESS.open(source))
    path.unlink()
    with pytest.raises(SourceError):
        list(HARNESS.open(source))


# ---------------------------------------------------------------- who speaks


def test_the_oldest_form_and_the_newest_read_the_same(tmp_path: Path) -> None:
    """A text, a part, a list of texts, a list of parts."""
    shapes: list[object] = ["go", {"text": "go"}, ["go"], [{"text": "go"}]]
    records = [build.user(n) | {"content": shape} for n, shape in enumerate(shapes, 1)]
    old = {"id": "m", "timestamp": build.at(9), "type": "model", "parts": [{"text": "fine"}]}
    expected = [("prompt", "go")] * 4 + [("answer", "fine")]
    assert kinds(told(tmp_path, *records, old)) == expected
    path = build.document(tmp_path / "doc" / "session-x.json", *records, old)
    assert kinds(read(path)[0]) == expected


def test_the_opening_text_is_injected(tmp_path: Path) -> None:
    plain = "This is the Gemini CLI. We are setting up the context for our chat."
    messages = told(tmp_path, build.opening(), build.user(1, plain), build.user(2, "go"))
    assert [m.kind.word for m in messages] == ["injected", "injected", "prompt"]
    opening = build.opening()["$set"]["messages"][0]["id"]  # the same in every session
    assert messages[0].record == f"{build.SESSION}:{opening}"


def test_a_saved_history_joins_the_first_prompt_to_the_opening(tmp_path: Path) -> None:
    files = "\n--- Full File Context ---\nx"
    entry = {"role": "user", "parts": [{"text": build.OPENING}, {"text": files}, {"text": "go"}]}
    path = tmp_path / "checkpoint-x.json"
    path.write_text(json.dumps({"history": [entry]}), "utf-8")
    messages, facts = read(path)
    assert kinds(messages) == [("injected", f"{build.OPENING}\n{files}"), ("prompt", "go")]
    assert facts.cwd == "/home/dev/work/demo"


@pytest.mark.contract("S3-51")
def test_thoughts_are_never_yielded(tmp_path: Path) -> None:
    progress = {
        "isSubagentProgress": True,
        "recentActivity": [{"type": "thought", "content": "zzthinking"}],
        "result": "done",
    }
    parts = [{"text": "zzthinking", "thought": True}, {"text": "shown"}]
    result = [{"text": "zzthinking", "thought": True}]
    messages = told(
        tmp_path,
        build.user(1, "go"),
        build.agent(2, parts),
        build.agent(3, toolCalls=[build.call("invoke_agent", {}, resultDisplay=progress)]),
        build.agent(4, toolCalls=[build.call("x", {}) | {"id": "x", "result": result}]),
    )
    assert "zz" not in repr(messages)
    assert [m.text for m in messages] == ["go", "shown", "", "done", "", ""]


def test_the_contents_of_named_files_are_cut_from_the_prompt(tmp_path: Path) -> None:
    files = "\n--- Content from referenced files ---\nContent from @a.py:\nzzbody\n"
    end = "--- End of content ---"
    whole = told(tmp_path, build.user(1, f"fix @a.py{files}{end}\nand test"))
    assert kinds(whole) == [
        ("prompt", "fix @a.py\nand test"),
        ("injected", f"{files.strip()}\n{end}"),
    ]
    parts = told(tmp_path, build.user(1, "fix @a.py", files, end))
    assert parts[0].text == "fix @a.py"
    assert "zzbody" in parts[1].text
    open_end = told(tmp_path, build.user(1, f"fix @a.py{files}"))
    assert open_end[0].text == "fix @a.py"


def test_what_was_displayed_is_what_was_typed(tmp_path: Path) -> None:
    shown = told(
        tmp_path, build.user(1, "the expanded template", displayContent=[{"text": "/plan x"}])
    )
    assert kinds(shown) == [("prompt", "/plan x"), ("injected", "the expanded template")]
    same = told(tmp_path, build.user(1, "hello", displayContent="hello"))
    assert kinds(same) == [("prompt", "hello")]
    only_results = told(
        tmp_path, build.user(1, "added", displayContent=[build.response("bash", "x")])
    )
    assert kinds(only_results) == [("injected", "added")]


def test_steering_while_the_agent_works_is_typed(tmp_path: Path) -> None:
    text = "User steering update (high priority):\n<user_input>\nuse tabs\n</user_input>\nObey."
    messages = told(tmp_path, build.user(1, build.response("bash", "out"), text))
    assert kinds(messages) == [("tool_result", "out"), ("prompt", "use tabs")]


def test_text_beside_tool_results_is_not_typed(tmp_path: Path) -> None:
    messages = told(tmp_path, build.user(1, build.response("bash", "out"), "Loop detected."))
    assert kinds(messages) == [("tool_result", "out"), ("injected", "Loop detected.")]


def test_a_picture_alone_is_a_prompt(tmp_path: Path) -> None:
    blob = {"inlineData": {"mimeType": "image/png", "data": PNG}}
    (message,) = told(tmp_path, build.user(1, blob))
    assert (message.kind, message.text) == (Kind.PROMPT, "")
    (material,) = message.materials
    assert (material.kind, material.bytes, material.width, material.height) == ("image", 26, 8, 6)


def test_what_the_program_reports(tmp_path: Path) -> None:
    records = [
        {"id": build.uid(n), "timestamp": build.at(n), "type": kind, "content": f"a {kind}"}
        for n, kind in enumerate(("info", "warning", "error"))
    ]
    messages = told(tmp_path, *records)
    assert [(m.kind, m.text, m.failed) for m in messages] == [
        (Kind.NOTICE, "a info", False),
        (Kind.NOTICE, "a warning", False),
        (Kind.NOTICE, "a error", True),
    ]


def test_unknown_records_are_counted(tmp_path: Path) -> None:
    path = build.lines(
        tmp_path / "session-x.jsonl",
        build.meta(),
        build.user(1, "go"),
        build.user(2, "?") | {"type": "hologram"},
    )
    transcript = HARNESS.open(source_of(path))
    assert len(list(transcript)) == 1
    assert transcript.unknown == {"type hologram": 1}


# ---------------------------------------------------------------- tools


def test_a_call_holds_its_result_and_no_copy_counts(tmp_path: Path) -> None:
    shell = build.call(
        "run_shell_command",
        {"command": "uname", "reason": "why not"},
        "<untrusted_context>\nOutput: Linux\n</untrusted_context>",
        timestamp=build.at(5),
        resultDisplay="Linux",
    )
    parts = [{"functionCall": {"id": "run_shell_command__1", "name": "run_shell_command"}}]
    messages = told(
        tmp_path,
        build.user(1, "go"),
        build.agent(2, parts, toolCalls=[shell]),
        build.user(6, build.response("run_shell_command", "Output: Linux")),
        build.agent(7, "done"),
    )
    _, call, result, _ = messages
    assert (call.kind, call.text, call.rest) == (Kind.TOOL_CALL, "uname", "why not")
    assert (result.kind, result.text) == (Kind.TOOL_RESULT, "Output: Linux")
    assert (call.tool, call.call) == (result.tool, result.call)
    assert (result.time_ms - call.time_ms, result.duration_ms) == (3000, 3000)
    assert len({m.record for m in messages}) == 4
    assert all(m.record for m in messages)


def test_a_call_and_a_result_in_records_of_their_own(tmp_path: Path) -> None:
    part = {"functionCall": {"id": "read__1", "name": "read", "args": {"file_path": "/a.py"}}}
    messages = told(
        tmp_path,
        build.agent(1, [part]),
        build.user(2, build.response("read", {"error": "no such file"})),
        build.user(3, build.response("read", "again")),
    )
    assert [(m.kind.word, m.text, m.failed) for m in messages] == [
        ("tool_call", "/a.py", False),
        ("tool_result", "no such file", True),
    ]


@pytest.mark.parametrize(
    ("call", "text", "failed"),
    [
        (build.call("read", {}, {"error": "gone"}, "error"), "gone", True),
        (build.call("run", {}, "stopped", "cancelled"), "stopped", True),
        (build.call("run", {}, status="cancelled"), "cancelled", True),
        (build.call("run_shell_command", {}, "x\nExit Code: 2"), "x\nExit Code: 2", True),
        (build.call("run_shell_command", {}, "x\nExit Code: 0"), "x\nExit Code: 0", False),
        (build.call("list", {}, {"output": ["a", {"b": "c", "n": 3}]}), "a\nc", False),
        (build.call("edit", {}, resultDisplay={"fileDiff": "+x", "fileName": "a"}), "+x", False),
        (build.call("run", {}, resultDisplay=[[{"text": "a"}, {"text": "b"}], []]), "ab", False),
        (build.call("run", {}, resultDisplay="shown"), "shown", False),
    ],
)  # fmt: skip
def test_results(tmp_path: Path, call: dict[str, Any], text: str, failed: bool) -> None:
    _, result = told(tmp_path, build.agent(1, toolCalls=[call]))
    assert (result.text, result.failed) == (text, failed)


def test_a_running_call_has_no_result(tmp_path: Path) -> None:
    messages = told(tmp_path, build.agent(1, toolCalls=[build.call("run", {}, status="executing")]))
    assert [m.kind for m in messages] == [Kind.TOOL_CALL]


def test_a_call_names_the_subagent(tmp_path: Path) -> None:
    args = {"agent_name": "generalist", "prompt": "look around"}
    (call,) = told(tmp_path, build.agent(1, toolCalls=[build.call("invoke_agent", args)]))
    assert (call.text, call.rest) == ("generalist", "look around")


def test_materials_are_found_again_after_the_file_grew(tmp_path: Path) -> None:
    blob = {"inlineData": {"mimeType": "image/png", "data": PNG}}
    file = {"fileData": {"mimeType": "application/pdf", "fileUri": "gs://bucket/paper.pdf"}}
    first = build.call("read", {"file_path": "C:\\pics\\a.png"}, {"output": "ok", "parts": [blob]})
    second = build.call("look", {}) | {"result": [build.response("look", "ok"), blob, file]}
    records = [build.user(1, "see", blob), build.agent(2, "", toolCalls=[first, second])]
    path = build.lines(tmp_path / "session-x.jsonl", build.meta(), *records)
    messages = read(path)[0]
    build.lines(path, build.meta(), build.user(0, "earlier"), *records, build.user(9, "later"))
    source = source_of(path)
    materials = [m for message in messages for m in message.materials]
    assert [(m.kind, m.bytes) for m in materials] == [
        ("image", 26), ("image", 26), ("image", 26), ("pdf", -1),
    ]  # fmt: skip
    assert len({m.id for m in materials}) == 4
    assert [m.name for m in materials] == ["", "a.png", "", "paper.pdf"]
    for material in materials[:3]:
        assert HARNESS.material(source, material.locator) == base64.b64decode(PNG)
    for locator in (materials[3].locator, "", "0 nowhere", f"9 {build.uid(1)}", "x y"):
        with pytest.raises(SourceError):
            HARNESS.material(source, locator)
    for message in messages:
        assert PNG not in message.text + message.rest


def test_materials_of_an_answer_and_of_its_calls_are_apart(tmp_path: Path) -> None:
    drawn = {"inlineData": {"mimeType": "image/png", "data": PNG}}
    noted = {"inlineData": {"mimeType": "text/plain", "data": base64.b64encode(b"note").decode()}}
    look = build.call("look", {}) | {"result": [build.response("look", "ok"), noted]}
    path = build.lines(
        tmp_path / "session-x.jsonl", build.meta(), build.agent(1, [drawn], toolCalls=[look])
    )
    answer, _, result = read(path)[0]
    source = source_of(path)
    (picture,), (note,) = answer.materials, result.materials
    assert HARNESS.material(source, picture.locator) == base64.b64decode(PNG)
    assert HARNESS.material(source, note.locator) == b"note"


def test_facts_are_gathered(tmp_path: Path) -> None:
    path = build.lines(
        tmp_path / "session-x.jsonl",
        build.meta(summary="A title"),
        build.user(1, "go"),
        build.agent(2, "a"),
        build.agent(2, "a, at last"),
        build.agent(3, "b", model="gemini-3-pro", tokens=None),
    )
    _, facts = read(path)
    assert (facts.native_id, facts.title) == (build.SESSION, "A title")
    assert facts.models == ["gemini-3-flash", "gemini-3-pro"]
    assert (facts.tokens_in, facts.tokens_out) == (101, 15)  # a replaced record counts once
    assert facts.ended_ms - facts.started_ms == 2000


LOOSE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            [
                "text", "thought", "functionCall", "functionResponse", "response", "output",
                "error", "inlineData", "fileData", "data", "mimeType", "id", "name", "args",
                "result", "resultDisplay", "status", "fileDiff", "timestamp",
            ]
        ),
        inner,
        max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip


@settings(suppress_health_check=list(HealthCheck))
@given(
    records=st.lists(
        st.dictionaries(
            st.sampled_from(
                [
                    "id", "content", "parts", "toolCalls", "displayContent", "tokens", "model",
                    "timestamp", "$set", "$rewindTo", "messages", "sessionId", "directories",
                ]
            ),
            LOOSE,
            max_size=5,
        ).flatmap(
            lambda record: st.sampled_from(["user", "gemini", "info", "?", None]).map(
                lambda kind: record | {"type": kind}
            )
        ),
        max_size=4,
    )
)  # fmt: skip
def test_no_shape_of_a_field_breaks_the_reader(tmp_path: Path, records: list[Any]) -> None:
    whole = build.lines(tmp_path / "session-x.jsonl", build.meta(), *records)
    document = build.document(tmp_path / "doc" / "session-y.json", *records)
    for path in (whole, document):
        source = source_of(path)
        for parsed in HARNESS.open(source):
            assert isinstance(parsed.text, str)
            assert isinstance(parsed.tool + parsed.call + parsed.record + parsed.rest, str)
            assert parsed.time_ms >= 0
            for material in parsed.materials:
                assert isinstance(material.name + material.mime, str)


def test_real_sessions_hold_nothing_unknown(shared: Path) -> None:
    listed = 0
    for place in ("transcripts/gemini-cli", "live/gemini-cli"):
        for source in HARNESS.discover(str(shared / place), []):
            transcript = HARNESS.open(source)
            messages = list(transcript)
            assert (transcript.unparsed, dict(transcript.unknown)) == (0, {}), source
            listed += bool(messages)
    assert listed == 20


@pytest.mark.parametrize("behind", ["", "and now?"])
def test_a_command_a_person_ran_is_theirs(tmp_path: Path, behind: str) -> None:
    """What they write behind one that they went back to stands in the same record."""
    text = (
        "I ran the following shell command:\n```sh\nls\n```\n\n"
        f"This produced the following result:\n```\na.py\nExit Code: 2\n```{behind}"
    )
    messages = told(tmp_path, build.user(1, "go"), build.user(2, text))
    assert [(m.kind.word, m.tool, m.text, m.failed) for m in messages[1:]] == [
        ("tool_call", "!", "ls", False),
        ("tool_result", "!", "a.py\nExit Code: 2", True),
        *([("prompt", "", behind, False)] if behind else []),
    ]
