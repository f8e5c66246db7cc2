"""What is in a session of Copilot CLI."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_tui import clock
from recall_tui.errors import SourceError
from recall_tui.harnesses.copilot import Copilot
from recall_tui.harnesses.copilot.workspace import parse
from recall_tui.model import Kind, SessionKind
from tests.harnesses.copilot.build import SESSION, START, Events, coded, png
from tests.harnesses.copilot.conftest import told
from tests.harnesses.steps import in_steps, source_of, whole


def test_what_was_typed_is_the_prompt(read):
    messages, transcript = read(Events().prompt("fix it").answer("Fixed."))
    assert told(messages) == [("prompt", "fix it"), ("answer", "Fixed.")]
    assert messages[0].time_ms == START + 1000
    assert messages[1].model == "gpt-x"
    assert not any("zebra" in m.text for m in messages)
    assert not transcript.unknown


def test_a_call_is_shown_once_in_either_order(read):
    events = Events().prompt("go").call("bash", {"command": "ls"}).result("a\nb")
    request = {"toolCallId": "call_2", "name": "bash", "arguments": '{"command": "pwd"}'}
    events.begins("bash", {"command": "pwd"}, "call_2").answer("Looking.", request)
    events.result("/home", "call_2")
    messages, _ = read(events)
    assert told(messages)[1:] == [
        ("tool_call", "ls"),
        ("tool_result", "a\nb"),
        ("tool_call", "pwd"),
        ("answer", "Looking."),
        ("tool_result", "/home"),
    ]
    assert [(m.tool, m.call) for m in messages if m.kind is Kind.TOOL_RESULT] == [
        ("bash", "call_1"), ("bash", "call_2")
    ]  # fmt: skip
    assert messages[2].duration_ms == 1000


def test_arguments_and_intentions(read):
    events = Events().prompt("go")
    events.call("bash", {"command": "make"}, "a", intentionSummary="Build the project")
    events.call("view", {"path": "/x/a.py"}, "b", intentionSummary="view the file at /x/a.py.")
    events.call("create", {"path": "/x/b.py", "file_text": "body"}, "c")
    events.call("bash", '{"command": "ls', "d")
    events.call("odd", ["x", 1], "e")
    events.call("ask_user", {"question": "Why?"}, "f", intentionSummary="Why?")
    messages, _ = read(events)
    calls = [(m.text, m.rest) for m in messages if m.kind is Kind.TOOL_CALL]
    assert calls == [
        ("make\nBuild the project", ""),
        ("/x/a.py", ""),
        ("/x/b.py", "body"),
        ("", '{"command": "ls'),
        ("", "x"),
        ("", "Why?"),
    ]


DIFF = "\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-old\n+new\n"
SAME = "\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n one\n two\n"


@pytest.mark.parametrize(
    ("content", "detail", "text"),
    [
        ("Updated x", DIFF, "Updated x\n" + DIFF.strip()),
        ("1. one\n2. two", SAME, "1. one\n2. two"),
        ("one", "one", "one"),
        ("seen", "seen at /x", "seen at /x"),
        ("one", None, "one"),
        ("", "detail", "detail"),
    ],
)
def test_a_result_in_two_forms(read, content, detail, text):
    events = Events().prompt("go").call("edit", {"path": "x"})
    events.result(content, result={"detailedContent": detail})
    messages, _ = read(events)
    assert messages[-1].text == text


def test_failures(read):
    events = Events().prompt("go")
    events.result("no", "a", success=False)
    events.add("tool.execution_complete", toolCallId="b", success=False,
               error={"message": "denied by the user", "code": "denied"})  # fmt: skip
    events.result("x\n<shellId: 0 completed with exit code 2>", "c")
    events.result("x\n<exited with exit code 0>", "d")
    events.result("x", "e", shellExecution={"exitCode": 1})
    events.add("tool.execution_complete", toolCallId="f", success=True, result="bare")
    messages, _ = read(events)
    assert [(m.text.split("\n")[0], m.failed) for m in messages[1:]] == [
        ("no", True), ("denied by the user", True), ("x", True), ("x", False), ("x", True),
        ("bare", False),
    ]  # fmt: skip


def test_subagents_write_into_the_same_file(read):
    events = Events().prompt("go").call("task", {"description": "look", "prompt": "look around"})
    events.agent = "ed6d925f-0000-4000-8000-000000000000"
    events.add("subagent.started", toolCallId="call_1", agentName="explore")
    events.add("subagent.configured", model="gpt-x").add("subagent.selected", tools=["bash"])
    events.prompt("look around", source=f"agent-{SESSION}")
    events.call("bash", {"command": "ls"}, "call_2").result("a", "call_2").answer("There is an a.")
    events.agent = ""
    events.answer("inner, older form", parentToolCallId="call_1")
    events.add("subagent.completed", toolCallId="call_1").result("There is an a.").answer("Done.")
    messages, transcript = read(events)
    assert [(m.kind.word, m.sidechain) for m in messages] == [
        ("prompt", False), ("tool_call", False), ("delegation", True), ("tool_call", True),
        ("tool_result", True), ("answer", True), ("answer", True), ("tool_result", False),
        ("answer", False),
    ]  # fmt: skip
    assert not transcript.unknown


def test_texts_the_program_writes_in_the_users_place(read):
    events = Events().prompt("go").prompt("skill body", source="skill-pdf")
    events.prompt("from the main agent", source="agent-1")
    events.add("system.notification", content="agent ended", kind={"type": "agent_completed"})
    events.add("skill.invoked", name="pdf", path="/x", content="how to read a pdf")
    messages, _ = read(events)
    assert [m.kind.word for m in messages] == [
        "prompt", "injected", "delegation", "injected", "injected"
    ]  # fmt: skip


def test_pictures(copilot, state):
    content, pasted = png(40, 30, 4000), png(20, 10)
    events = Events().prompt(
        "look",
        attachments=[
            {"type": "file", "path": "/x/notes.md", "displayName": "notes.md"},
            {"type": "directory", "path": "/x"},
            {"type": "blob", "data": coded(pasted), "mimeType": "image/png",
             "displayName": "pasted.png"},
        ],
    )  # fmt: skip
    events.call("view", {"path": "/x/a.png"})
    events.add("session.binary_asset", assetId="sha256:1", type="image", mimeType="image/png",
               byteLength=len(content), data=coded(content),
               description="Image file at path /x/a.png")  # fmt: skip
    shown = [{"type": "image", "assetId": "sha256:1", "mimeType": "image/png"},
             {"type": "image", "assetId": "sha256:unknown", "mimeType": "image/png"}]  # fmt: skip
    events.result("Viewed image", result={"binaryResultsForLlm": shown})
    source = source_of(copilot, events.write(state))
    messages = list(copilot.open(source))
    notes, blob = messages[0].materials
    assert (notes.name, notes.kind, notes.bytes, notes.locator) == ("notes.md", "text", -1, "")
    assert (blob.name, blob.width, blob.height, blob.bytes) == ("pasted.png", 20, 10, len(pasted))
    assert copilot.material(source, blob.locator) == pasted
    known, unknown = messages[-1].materials
    assert (known.name, known.mime, known.bytes) == ("a.png", "image/png", len(content))
    assert (known.width, known.height) == (40, 30)
    assert copilot.material(source, known.locator) == content
    assert unknown.bytes == -1
    with pytest.raises(SourceError):
        copilot.material(source, unknown.locator)


def test_a_picture_alone_is_a_prompt(read):
    blob = {"type": "blob", "data": coded(png()), "mimeType": "image/png"}
    messages, _ = read(Events().prompt("", attachments=[blob]).prompt(""))
    assert told(messages) == [("prompt", "")]


@pytest.mark.contract("S3-51")
def test_thinking_and_system_prompts_are_never_shown(read):
    events = Events().add("system.message", role="system", content="zebra").prompt("go")
    events.add("assistant.reasoning", reasoningId="r", content="zebra")
    events.answer("Gone.", reasoningText="zebra", reasoningOpaque="zebra")
    messages, _ = read(events)
    assert told(messages) == [("prompt", "go"), ("answer", "Gone.")]
    assert not any("zebra" in m.text or "zebra" in m.rest for m in messages)


def test_what_the_program_reports(read):
    events = Events().add("session.error", errorType="mcp", message="no server").prompt("go")
    events.add("session.info", infoType="folder_trust", message="trusted")
    events.add("session.truncation", tokensRemovedDuringTruncation=1234)
    events.add("session.compaction_start").add(
        "session.compaction_complete", success=True, summaryContent="They went."
    )
    events.add("abort", reason="user_initiated").add("session.hologram", x=1)
    events.add("permission.requested", requestId="1").add("hook.start", hookType="preToolUse")
    messages, transcript = read(events)
    assert told(messages) == [
        ("notice", "no server"),
        ("prompt", "go"),
        ("notice", "context cut by 1234 tokens"),
        ("summary", "They went."),
        ("notice", "turn aborted: user_initiated"),
    ]
    assert [m.failed for m in messages] == [True, False, False, False, False]
    assert dict(transcript.unknown) == {"session.hologram": 1}


def test_a_turn_that_was_stopped_is_told_once(read):
    events = Events().prompt("go").add("abort", reason="x").add("abort", reason="x")
    events.prompt("again").add("abort", reason="x")
    messages, _ = read(events)
    assert [m.kind.word for m in messages] == ["prompt", "notice", "prompt", "notice"]


def test_a_model_named_only_where_a_tool_ended(read):
    events = Events().prompt("go").begins("bash", {"command": "ls"}, "a")
    events.add("tool.execution_complete", toolCallId="a", model="gpt-y", success=True)
    assert read(events)[1].facts.models == ["gpt-y"]


def test_hooks_are_noise_whatever_they_hold(read):
    payload = {"toolResult": {"textResultForLlm": "zebra" * 1000}}
    events = Events().prompt("go").add("hook.start", hookType="postToolUse", input=payload)
    events.add("hook.end", hookType="postToolUse", success=True).answer("Gone.")
    messages, transcript = read(events)
    assert len(messages) == 2
    assert not transcript.unknown


def test_a_session_nobody_used_has_no_messages(read):
    events = Events().add("session.error", message="no server").add("session.shutdown")
    messages, transcript = read(events)
    assert messages == []
    assert transcript.checkpoint is not None
    assert transcript.checkpoint.position == 0


def test_facts(read, state):
    events = Events().prompt("go").answer("Gone.", outputTokens=7)
    events.add("session.usage_record", usage={"inputTokens": 100, "outputTokens": 7})
    events.add("session.resume", context={"cwd": "/home/a/other", "branch": "next"})
    metrics = {"gpt-x": {"usage": {"inputTokens": 500, "outputTokens": 40}}, "odd": 5,
               "gpt-y": {"usage": {"inputTokens": 50, "outputTokens": 4}}}  # fmt: skip
    events.add("session.shutdown", shutdownType="routine", modelMetrics=metrics)
    path = events.write(state)
    (path.parent / "workspace.yaml").write_text(
        f"id: {SESSION}\ncwd: /elsewhere\nbranch: other\nname: 'It''s done'\nsummary: a\n"
    )
    _, transcript = read(path)
    facts = transcript.facts
    assert facts.native_id == SESSION
    assert (facts.cwd, facts.last_cwd, facts.branch) == ("/home/a/app", "/home/a/other", "next")
    assert (facts.title, facts.version) == ("It's done", "1.0.102")
    assert facts.models == ["gpt-x", "gpt-y"]
    assert (facts.tokens_in, facts.tokens_out) == (550, 44)
    assert (facts.started_ms, facts.ended_ms) == (START, START + 2000)


def test_workspace_fills_what_the_events_do_not_say(read, state):
    path = Events(start=False).prompt("go").write(state)
    (path.parent / "workspace.yaml").write_text("cwd: /x\nbranch: main\nsummary: A summary\n")
    facts = read(path)[1].facts
    assert (facts.cwd, facts.branch, facts.title) == ("/x", "main", "A summary")


def test_yaml():
    text = (
        '# comment\nid: abc\r\nname: a: b # not a comment\nquoted: "x\\n\\u00e9"\n'
        "single: 'it''s'\nempty:\nnothing: null\nblock: |-\n  one\n  two\nnested:\n  a: 1\n"
        '- item\nbroken "quote: "x\nlast: 你好'
    )
    assert parse(text) == {
        "id": "abc", "name": "a: b # not a comment", "quoted": "x\né", "single": "it's",
        "empty": "", "nothing": "", "block": "one two", "nested": "", "last": "你好",
    }  # fmt: skip


def test_records_have_ids_that_copies_share(read):
    request = {"toolCallId": "c", "name": "bash", "arguments": {"command": "ls"}}
    messages, _ = read(Events().prompt("go").answer("Looking.", request))
    assert len({m.record for m in messages}) == 3
    assert all(len(m.record) >= 36 for m in messages)
    short = {"type": "user.message", "id": "e1", "data": {"content": "x"}, "parentId": None}
    events = Events()
    events.lines.append(json.dumps(short).encode() + b"\n")
    messages, _ = read(events)
    assert messages[0].record == ""


def test_odd_values_cost_only_themselves(read, state):
    events = Events().prompt("one")
    events.add("assistant.message", content=5, toolRequests=[7, {"toolCallId": 5, "name": "x"}])
    events.add("assistant.message", content="kept", toolRequests="none", model=7)
    events.add("tool.execution_complete", toolCallId="a", success="yes", result={"content": 7})
    events.add("user.message", content=["a list"], attachments="x")
    events.add("session.shutdown", modelMetrics=5)
    events.lines += [b"not json\n", b"7\n", b'{"data": {}}\n', b'{"type": 5, "data": {}}\n']
    events.lines.append(b'{"type":"user.message","data":5,"id":"x","timestamp":7}\n')
    messages, transcript = read(events)
    texts = [m.text for m in messages]
    assert texts[0] == "one"
    assert "kept" in texts
    assert "a list" in texts
    assert transcript.unparsed == 4


ACTIONS = st.lists(
    st.sampled_from(
        ["prompt", "answer", "call", "lonely result", "noise", "asset", "agent", "usage"]
    ),
    max_size=12,
)


def play(actions: list[str]) -> Events:
    events = Events()
    for number, action in enumerate(actions):
        call = f"call_{number}"
        match action:
            case "prompt":
                events.prompt(f"prompt {number} 再来")
            case "answer":
                events.answer(f"answer {number}")
            case "call":
                events.call("bash", {"command": "ls"}, call).result("a", call)
            case "lonely result":
                shown = [{"type": "image", "assetId": "sha256:1"}]
                events.result("a", result={"binaryResultsForLlm": shown})
            case "noise":
                events.add("hook.start", input={}).add("session.error", message="no")
            case "asset":
                events.add("session.binary_asset", assetId="sha256:1", data=coded(png()))
            case "agent":
                events.agent = "" if events.agent else "agent"
            case _:
                events.add("session.usage_record", usage={"inputTokens": 5, "outputTokens": 2})
    return events


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("steps") / "session-state"


@given(actions=ACTIONS, shares=st.lists(st.floats(0, 1), max_size=6))
def test_steps_equal_one_read(folder, actions, shares):
    events = play(actions)
    path = events.write(folder)
    copilot = Copilot()
    source = source_of(copilot, path)
    cuts = [int(share * len(events.bytes())) for share in shares]
    assert in_steps(copilot, source, path, events.bytes(), cuts) == whole(copilot, source)


def test_times_of_events_without_one(read):
    events = Events().prompt("one")
    bad = {"type": "user.message", "id": "x", "data": {"content": "two"}, "timestamp": "soon"}
    events.lines.append(json.dumps(bad).encode() + b"\n")
    messages, _ = read(events)
    assert messages[1].time_ms == messages[0].time_ms == clock.from_iso("2026-06-08T08:00:01Z")


def test_the_model_chosen_speaks_where_an_answer_names_none(read):
    events = Events().add("session.model_change", newModel="auto").prompt("go")
    events.add("assistant.message", content="who knows", toolRequests=[])
    events.add("session.model_change", newModel="gpt-z", previousModel="auto")
    call = {"toolCallId": "c1", "name": "bash", "arguments": {"command": "ls"}}
    events.add("assistant.message", content="me", toolRequests=[call])
    messages, transcript = read(events)
    assert [m.model for m in messages] == ["", "", "gpt-z", "gpt-z"]
    assert transcript.facts.models == ["gpt-z"]


def test_a_command_the_person_ran_is_a_call(read):
    """The program begins it with another event than the agent's calls."""
    events = Events().add(
        "tool.user_requested", toolCallId="u1", toolName="bash", arguments={"command": "git log"}
    )
    events.add("tool.execution_complete", toolCallId="u1", success=True, result={"content": "abc"})
    messages, _ = read(events)
    assert [(m.kind, m.tool, m.text) for m in messages] == [
        (Kind.TOOL_CALL, "bash", "git log"),
        (Kind.TOOL_RESULT, "bash", "abc"),
    ]


def test_a_prompt_for_later_is_typed_once_however_often_it_is_sent(read):
    events = Events().add("session.schedule_created", id=1, intervalMs=60_000, prompt="check CI")
    for _ in range(3):
        events.prompt("[Scheduled prompt #1]\ncheck CI", source="schedule-1")
    events.add("session.schedule_cancelled", id=1)
    messages, transcript = read(events)
    assert [m.text for m in messages if m.kind is Kind.PROMPT] == ["check CI"]
    assert len(messages) == 4
    assert not transcript.unknown


def test_a_run_the_program_detaches_belongs_to_the_session_it_goes_on_with(read):
    events = Events(start=False).add(
        "session.start", sessionId=SESSION, producer="copilot-agent",
        detachedFromSpawningParentSessionId="13ed9ab3-0000-4000-8000-00000000000a",
    ).prompt("consolidate")  # fmt: skip
    messages, transcript = read(events)
    assert [(m.kind, m.text) for m in messages] == [(Kind.DELEGATION, "consolidate")]
    assert transcript.facts.kind is SessionKind.SUBAGENT
    assert transcript.facts.parent == "13ed9ab3-0000-4000-8000-00000000000a"


def test_attachments_without_bytes_are_words(read):
    selection = {"type": "selection", "filePath": "/a.py", "displayName": "a.py", "text": "x = 1"}
    issue = {"type": "github_reference", "number": 7, "title": "It breaks", "url": "https://g/7"}
    messages, _ = read(Events().prompt("fix", attachments=[selection, issue]))
    assert [(m.kind, m.text, m.rest) for m in messages] == [
        (Kind.PROMPT, "fix", ""),
        (Kind.INJECTED, "/a.py", "x = 1"),
        (Kind.INJECTED, "https://g/7", "It breaks"),
    ]
    assert messages[0].materials == ()


def test_a_compaction_counts_its_summary_once(read):
    events = Events().prompt("go").add("session.compaction_start")
    for kind in ("turn_started", "model_call_success", "response", "messages_snapshot"):
        events.add(f"model.{kind}", kind=kind, messages=[{"content": "zqtwice"}])
    events.add("model.message", kind="message", message={"content": "so far"})
    events.add("session.compaction_complete", success=True, summaryContent="so far")
    messages, transcript = read(events)
    assert told(messages) == [("prompt", "go"), ("summary", "so far")]
    assert not transcript.unknown
