"""Replies, tools, branches, copies, facts: one pass over a session."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from recall_tui import clock
from recall_tui.model import Kind, SessionKind
from tests.harnesses.claude.build import SESSION, START, Lines, text, thinking

if TYPE_CHECKING:
    from pathlib import Path

    from recall_tui.harnesses.base import Parsed


def shown(messages: list[Parsed]) -> list[tuple[Kind, str]]:
    return [(message.kind, message.text) for message in messages]


# ---------------------------------------------------------------- replies and tools


@pytest.mark.contract("S3-51")
def test_prompts_answers_calls_and_results_are_read_and_thinking_never(read: Any) -> None:
    lines = Lines()
    lines.user("fix the zqprompt")
    lines.assistant(thinking("zqsecret plan"), reply="msg_1")
    lines.assistant(text("zqanswer"), reply="msg_1")
    lines.assistant(
        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "zqcommand"}},
        reply="msg_1",
    )
    lines.result("t1", "zqoutput")
    lines.assistant({"type": "redacted_thinking", "data": "zqsecret"}, reply="msg_2")
    transcript = read(lines)
    assert shown(transcript.messages) == [
        (Kind.PROMPT, "fix the zqprompt"),
        (Kind.ANSWER, "zqanswer"),
        (Kind.TOOL_CALL, "zqcommand"),
        (Kind.TOOL_RESULT, "zqoutput"),
    ]
    assert "zqsecret" not in repr(transcript.messages)
    assert "zqsecret" not in repr(transcript.checkpoint)


def test_a_reply_over_four_lines_with_results_between_is_one_answer_and_paired_calls(
    read: Any,
) -> None:
    lines = Lines()
    lines.user("go")
    lines.assistant(thinking("hm"), reply="m", usage={"input_tokens": 100, "output_tokens": 1})
    lines.assistant(text("both"), reply="m", usage={"input_tokens": 100, "output_tokens": 5})
    for number in (1, 2):
        lines.assistant(
            {"type": "tool_use", "id": f"t{number}", "name": "Read", "input": {"file_path": "/a"}},
            reply="m",
            usage={"input_tokens": 100, "output_tokens": 5 + number},
        )
        lines.result(f"t{number}", f"content {number}", parent=lines.last)
    transcript = read(lines)
    kinds = [message.kind for message in transcript.messages]
    assert kinds.count(Kind.ANSWER) == 1
    calls = [m for m in transcript.messages if m.kind is Kind.TOOL_CALL]
    results = [m for m in transcript.messages if m.kind is Kind.TOOL_RESULT]
    assert [m.call for m in calls] == [m.call for m in results] == ["t1", "t2"]
    assert [m.tool for m in results] == ["Read", "Read"]
    assert (transcript.facts.tokens_in, transcript.facts.tokens_out) == (100, 7)


def test_parallel_results_are_kept_though_they_are_leaves_of_the_tree(read: Any) -> None:
    lines = Lines()
    lines.user("go")
    first = lines.call("t1", command="a")
    second = lines.call("t2", command="b")
    lines.result("t1", "one", parent=first)
    lines.result("t2", "two", parent=second)
    messages = read(lines).messages
    assert [m.text for m in messages[3:]] == ["one", "two"]
    assert not any(m.abandoned for m in messages)


def test_old_records_with_several_blocks_give_several_messages(read: Any) -> None:
    lines = Lines("2.0.10")
    uuid = lines.assistant(
        text("I look"),
        {"type": "tool_use", "id": "t1", "name": "Grep", "input": {"pattern": "x", "path": "/s"}},
        {"type": "tool_use", "id": "t2", "name": "Glob", "input": {"pattern": "*.py"}},
    )
    both = lines.user(
        [
            {"type": "tool_result", "tool_use_id": "t1", "content": "a"},
            {"type": "tool_result", "tool_use_id": "t2", "content": "b", "is_error": True},
            text("[Request interrupted by user for tool use]"),
        ]
    )
    messages = read(lines).messages
    assert [m.record for m in messages] == [
        uuid, f"{uuid}/1", f"{uuid}/2", both, f"{both}/1", f"{both}/2",
    ]  # fmt: skip
    assert [m.failed for m in messages] == [False, False, False, False, True, False]
    assert messages[1].text == "/s\nx"
    assert messages[-1].kind is Kind.NOTICE


@pytest.mark.parametrize(
    ("content", "twin", "expected"),
    [
        pytest.param("plain", {"stdout": "other"}, "plain", id="the block counts"),
        pytest.param([text("one"), text("two")], None, "one\ntwo", id="text blocks"),
        pytest.param(
            [{"type": "tool_reference", "tool_name": "WebFetch"}], None, "WebFetch", id="leaves"
        ),
        pytest.param(
            [{"type": "new", "deep": [{"key": "a", "n": 1}], "b": "c"}], None, "a\nc", id="unknown"
        ),
        pytest.param({"type": "odd", "text": "object"}, None, "object", id="an object"),
        pytest.param("", {"stdout": "out", "stderr": "err", "interrupted": False}, "out\nerr",
                     id="an empty block"),
        pytest.param("", {"stdout": "", "returnCodeInterpretation": "No matches"}, "No matches",
                     id="only the twin speaks"),
        pytest.param("", "Error: it failed", "Error: it failed", id="twin is a text"),
        pytest.param("", ["a", {"type": "text", "text": "b"}], "a\nb", id="twin is a list"),
        pytest.param(None, None, "", id="nothing"),
        pytest.param(
            "file\n\n<system-reminder>\nmalware?\n</system-reminder>\n", None, "file\n",
            id="reminder behind a result",
        ),
        pytest.param(
            "     1→<system-reminder>x</system-reminder>", None,
            "     1→<system-reminder>x</system-reminder>", id="a file about reminders",
        ),
    ],
)  # fmt: skip
def test_the_text_of_a_result(read: Any, content: Any, twin: Any, expected: str) -> None:
    lines = Lines()
    lines.call("t1", command="x")
    lines.result("t1", content, twin)
    assert read(lines).messages[1].text == expected


def test_what_else_a_result_says(read: Any) -> None:
    lines = Lines()
    lines.call("t1", "WebFetch", url="https://host/page?key=1", prompt="read")
    lines.result("t1", "page", {"durationMs": 1234, "code": 200})
    lines.call("t2", "Task", description="d", prompt="p")
    lines.result("t2", [text("report")], {"totalDurationMs": 5678.0, "agentId": "a1"})
    lines.call("t3", command="false")
    lines.result("t3", "Exit code 1", "Error: Exit code 1", is_error=True)
    call, page, _, report, _, failed = read(lines).messages
    assert (call.text, call.rest) == ("https://host/page", "https://host/page?key=1\nread")
    assert [page.duration_ms, report.duration_ms, failed.duration_ms] == [1234, 5678, 0]
    assert [page.failed, failed.failed] == [False, True]
    assert call.model == "claude-x-1"


PREVIEW = (
    "<persisted-output>\nOutput too large (35.8KB). Full output saved to: "
    "{path}\n\nPreview (first 2KB):\nhead\n...\n</persisted-output>"
)


@pytest.mark.parametrize(
    "where", ["/home/b/.claude/projects/-x/s/tool-results/{}", r"C:\Users\b\tool-results\{}"]
)
def test_an_output_saved_elsewhere_is_found_by_name_beside_the_session(
    read: Any, place: Path, where: str
) -> None:
    folder = place.with_suffix("") / "tool-results"
    folder.mkdir(parents=True)
    (folder / "toolu_9.txt").write_bytes(b"whole\r\noutput \xff\n" * 3000)
    lines = Lines()
    lines.call("toolu_9", command="seq")
    lines.result("toolu_9", PREVIEW.format(path=where.format("toolu_9.txt")))
    (_, result) = read(lines).messages
    assert result.text == "whole\r\noutput \ufffd\n" * 3000
    agent = Lines(isSidechain=True)
    agent.result("toolu_9", PREVIEW.format(path=where.format("toolu_9.txt")))
    inside = place.with_suffix("") / "subagents" / "agent-a1.jsonl"
    assert read(agent, inside).messages[0].text == result.text


@pytest.mark.contract("X-9")
@pytest.mark.parametrize("path", ["/etc/../secret.txt", "/etc/secret.txt", "/x/", "link.txt"])
def test_no_path_a_transcript_names_is_opened(
    read: Any, place: Path, tmp_path: Path, path: str
) -> None:
    folder = place.with_suffix("") / "tool-results"
    folder.mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("zqsecret")
    (folder.parent / "secret.txt").write_text("zqsecret")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    lines = Lines()
    lines.result("t1", PREVIEW.format(path=path), {"filenames": ["a" * 300, "b"]})
    (result,) = read(lines).messages
    assert "zqsecret" not in result.text
    assert result.text == "a" * 300 + "\nb"


def test_a_preview_stays_when_nothing_else_is_there(read: Any) -> None:
    lines = Lines()
    lines.result("t1", PREVIEW.format(path="/gone/t1.txt"))
    assert "head" in read(lines).messages[0].text


def test_errors_of_the_program_are_notices(read: Any) -> None:
    lines = Lines()
    lines.assistant(
        text("API Error: 529"), model="<synthetic>", isApiErrorMessage=True, error="rate_limit"
    )
    lines.assistant(text("No response requested."), model="<synthetic>")
    lines.system("api_error", error={"error": {"error": {"message": "Overloaded"}}, "headers": {}})
    lines.system("api_error", error={"formatted": "529 Overloaded", "message": "m"})
    lines.system("api_error", error={"status": 529})
    lines.system("informational", content="Update available")
    transcript = read(lines)
    assert [(m.kind, m.text, m.failed) for m in transcript.messages] == [
        (Kind.NOTICE, "API Error: 529", True),
        (Kind.NOTICE, "No response requested.", False),
        (Kind.NOTICE, "Overloaded", True),
        (Kind.NOTICE, "529 Overloaded", True),
        (Kind.NOTICE, "Update available", False),
    ]
    assert transcript.facts.models == []


def test_attachments_that_hold_content(read: Any) -> None:
    lines = Lines()
    lines.attachment("edited_text_file", filename="/a.py", snippet="1\tx = 1")
    body = {"type": "text", "file": {"filePath": "/b.py", "content": "y = 2", "numLines": 1}}
    lines.attachment("file", filename="/b.py", content=body)
    lines.attachment("hook_blocking_error", blockingError={"blockingError": "no!", "command": "c"})
    lines.attachment("directory", path="/src", content="a.py")
    pages = {"contents": [{"uri": "docs://1", "text": "page"}, {"blob": "AAAA"}]}
    lines.attachment("mcp_resource", server="docs", uri="docs://1", content=pages)
    lines.attachment("hook_stopped_continuation", message="stop here", hookName="Stop")
    lines.attachment("teammate_mailbox", messages=[{"from": "scout", "text": "found it"}])
    edited, attached, blocked, listed, resource, stopped, mail = read(lines).messages
    assert (edited.kind, edited.text, edited.rest) == (Kind.INJECTED, "/a.py", "1\tx = 1")
    assert (attached.text, attached.rest) == ("/b.py", "y = 2")
    assert (blocked.kind, blocked.text, blocked.failed) == (Kind.NOTICE, "no!\nc", True)
    assert (listed.kind, listed.text, listed.rest) == (Kind.INJECTED, "/src", "a.py")
    assert (resource.text, resource.rest) == ("docs://1", "page")
    assert (stopped.kind, stopped.text) == (Kind.NOTICE, "stop here")
    assert (mail.kind, mail.text) == (Kind.INJECTED, "scout\nfound it")


def test_unknown_kinds_are_counted_and_known_noise_is_silent(read: Any) -> None:
    lines = Lines()
    lines.raw({"type": "brand-new", "text": "x"})
    lines.raw({"no": "type"})
    lines.attachment("brand_new", content="x")
    lines.system("brand_new", content="x")
    lines.user([{"type": "brand_new"}])
    lines.assistant({"type": "brand_new"})
    for silent in ("task_reminder", "prompt_snapshot", "hook_success", "token_usage"):
        lines.attachment(silent, content="zqnoise")
    for silent in ("turn_duration", "stop_hook_summary", "compact_boundary", "memory_saved"):
        lines.system(silent, content="zqnoise")
    lines.add("progress", data={"type": "bash_progress", "output": "zqnoise"})
    blob = {"hash": "h", "message": {"role": "user", "content": "zqnoise"}}
    for silent in ("api-request-blob", "content-replacement", "fork-context-ref", "tag"):
        lines.raw({"type": silent, "sessionId": SESSION} | blob)
        lines.raw({"sessionId": SESSION, "type": silent} | blob)
    transcript = read(lines)
    assert transcript.messages == []
    assert transcript.unparsed == 0
    assert dict(transcript.unknown) == {
        "brand-new": 1,
        "record without a type": 1,
        "attachment/brand_new": 1,
        "system/brand_new": 1,
        "user/brand_new": 1,
        "assistant/brand_new": 1,
    }


def test_a_record_behind_a_silent_one_on_its_line_is_read(read: Any, place: Path) -> None:
    lines = Lines()
    lines.user("go")
    lines.lines[0] = b'{"type":"last-prompt","sessionId":"s"}' + lines.lines[0]
    assert shown(read(lines).messages) == [(Kind.PROMPT, "go")]


def test_a_session_of_bookkeeping_is_empty(read: Any) -> None:
    lines = Lines()
    lines.raw({"type": "ai-title", "aiTitle": "A title", "sessionId": SESSION})
    lines.raw({"type": "file-history-snapshot", "messageId": "m", "snapshot": {}})
    transcript = read(lines)
    assert transcript.messages == []
    assert transcript.facts.title == "A title"


ODD = (
    "origin toolUseResult attachment isMeta cwd version timestamp uuid parentUuid gitBranch "
    "entrypoint promptSource usage"
)


@pytest.mark.parametrize("field", ODD.split())
@pytest.mark.parametrize("value", [5, "text", ["list"], {"an": "object"}, None, True])
def test_a_field_of_another_type_loses_only_itself(read: Any, field: str, value: Any) -> None:
    lines = Lines()
    lines.user("before")
    lines.user("the prompt", **{field: value})
    lines.assistant(text("after"), **({"usage": value} if field == "usage" else {}))
    transcript = read(lines)
    assert transcript.unparsed == 0
    texts = [message.text for message in transcript.messages]
    assert texts == ["before", "the prompt", "after"]


@pytest.mark.parametrize("value", [5, "text", ["list"], {}, None])
def test_a_message_of_another_type_is_counted(read: Any, value: Any) -> None:
    lines = Lines()
    lines.add("user", message=value)
    lines.add("assistant", message=value)
    lines.user("after")
    transcript = read(lines)
    assert shown(transcript.messages) == [(Kind.PROMPT, "after")]
    assert transcript.unparsed + transcript.unknown.total() > 0


def test_message_content_of_odd_shapes(read: Any) -> None:
    lines = Lines()
    lines.user(["bare", text("block"), 5, None])
    lines.user({"type": "text", "text": "an object"})
    lines.user([{"type": "text", "text": None}, text("kept")])
    assert [m.text for m in read(lines).messages] == ["bare\nblock", "an object", "kept"]


# ---------------------------------------------------------------- branches and copies


def test_what_hangs_under_all_but_the_last_of_sibling_prompts_is_abandoned(read: Any) -> None:
    lines = Lines()
    lines.user("start")
    fork = lines.assistant(text("ready"))
    lines.user("first try")
    lines.call("t1", command="x")
    lines.result("t1", "out")
    lines.user("second try", fork)
    lines.assistant(text("second answer"))
    lines.user("third try", fork)
    lines.assistant(text("third answer"))
    messages = read(lines).messages
    assert [m.text for m in messages if m.abandoned] == [
        "first try",
        "x",
        "out",
        "second try",
        "second answer",
    ]


def test_children_that_are_no_prompts_of_a_person_are_no_rewind(read: Any) -> None:
    lines = Lines()
    parent = lines.user("start")
    lines.user("skill body", parent, isMeta=True)
    lines.user("[Request interrupted by user]", parent)
    lines.user("delegated", parent, isSidechain=True)
    lines.attachment("file", filename="/a")
    lines.user("the prompt", parent)
    lines.user("resumed with a new root", None)
    lines.user("resumed again", None)
    assert not any(message.abandoned for message in read(lines).messages)


def test_history_a_resume_wrote_again_is_dropped(read: Any) -> None:
    lines = Lines("2.0.29")
    lines.user("same words")
    lines.assistant(text("answer"), reply="msg_a")
    lines.assistant({"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}, reply="msg_a")
    lines.result("t1", "out")
    lines.user("same words")
    lines.assistant(text("again"), reply="msg_b")
    expected = [(m.kind, m.text) for m in read(lines).messages]
    copied_at = lines.time_ms + 60_000

    def copy(add: Any, *args: Any, **fields: Any) -> None:
        lines.time_ms = copied_at - 1000
        add(*args, **fields)

    copy(lines.user, "same words")
    copy(lines.assistant, text("answer"), reply="msg_a")
    copy(
        lines.assistant,
        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {}},
        reply="msg_a",
    )
    copy(lines.result, "t1", "out")
    copy(lines.user, "same words")
    copy(lines.assistant, text("again"), reply="msg_b")
    lines.time_ms += 5000
    lines.user("same words")
    lines.assistant(text("new answer"), reply="msg_c")
    transcript = read(lines)
    assert shown(transcript.messages) == [
        *expected,
        (Kind.PROMPT, "same words"),
        (Kind.ANSWER, "new answer"),
    ]
    assert transcript.facts.tokens_out == 6


def test_a_model_that_reuses_one_reply_id_loses_nothing(read: Any) -> None:
    lines = Lines("2.0.29")
    for number in range(40):
        lines.user(f"prompt {number}")
        lines.assistant(text(f"answer {number}"), reply=f"msg_{number % 20}")
    assert len(read(lines).messages) == 80


def test_a_resume_of_the_first_versions_is_known_as_a_copy(read: Any, place: Path) -> None:
    """1.0 writes the history again into a new file, with new record ids and one time."""

    def session(path: Path, first: int, *more: str) -> list[tuple[str, str]]:
        lines = Lines("1.0.60")
        lines.lines = [b"\n"] * first  # other record ids
        lines.user("go")
        call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}
        lines.assistant(text("I look"), call, reply="msg_a")
        lines.user([{"type": "tool_result", "tool_use_id": "t1", "content": "a.py"}])
        lines.user("<command-name>/cost</command-name>")
        for number, words in enumerate(more):
            lines.user(words)
            lines.assistant(text("yes"), reply=f"msg_{number}")
        return [(m.text, m.record) for m in read(lines, path).messages]

    first = session(place, 0, "more")
    other = place.with_name("99999999-2222-4333-8444-555555555555.jsonl")
    copy = session(other, 40, "more", "resumed")
    assert copy[: len(first)] == first
    assert all(record for _, record in first)


def test_a_fork_repeats_its_records_names(read: Any, place: Path) -> None:
    lines = Lines()
    lines.user("one")
    lines.assistant(text("two"), text("three"))
    original = [message.record for message in read(lines).messages]
    fork = Lines(session="99999999-2222-4333-8444-555555555555")
    fork.lines = [line.replace(SESSION.encode(), b"99999999-x") for line in lines.lines]
    fork.user("new", uuid="fresh")
    path = place.with_name("99999999-2222-4333-8444-555555555555.jsonl")
    assert [message.record for message in read(fork, path).messages] == [*original, "fresh"]
    assert all(original)


# ---------------------------------------------------------------- facts


def test_facts_of_a_session(read: Any) -> None:
    lines = Lines("2.1.100")
    lines.user("one")
    lines.assistant(
        text("a"),
        usage={
            "input_tokens": 1,
            "cache_creation_input_tokens": 10,
            "cache_read_input_tokens": 100,
            "output_tokens": 7,
        },
    )
    lines.common |= {"cwd": "/home/a/other", "gitBranch": "feature/x", "version": "2.1.101"}
    lines.assistant(text("b"), model="claude-y-2", usage={"input_tokens": 2, "output_tokens": 3})
    lines.common |= {"gitBranch": "HEAD"}
    lines.user("two")
    lines.raw({"type": "cost-state", "totalCostUSD": 0.5})
    lines.raw({"type": "cost-state", "totalCostUSD": 0.75})
    facts = read(lines).facts
    assert (facts.native_id, facts.parent, facts.kind) == (SESSION, "", SessionKind.MAIN)
    assert (facts.cwd, facts.last_cwd) == ("/home/a/my.app", "/home/a/other")
    assert facts.branch == "feature/x"
    assert facts.models == ["claude-x-1", "claude-y-2"]
    assert (facts.started_ms, facts.ended_ms) == (START + 1000, START + 4000)
    assert facts.version == "2.1.101"
    assert (facts.tokens_in, facts.tokens_out, facts.cost_usd) == (113, 10, 0.75)


def test_times_are_the_records_and_order_is_the_files(read: Any) -> None:
    lines = Lines()
    lines.user("later")
    lines.time_ms -= 3_600_000
    lines.user("earlier")
    lines.user("no time", timestamp="not a time")
    transcript = read(lines)
    assert [m.time_ms for m in transcript.messages] == [START + 1000, START - 3_598_000, 0]
    assert transcript.facts.started_ms == START - 3_598_000
    assert transcript.facts.ended_ms == START + 1000


@pytest.mark.parametrize(
    ("stamp", "expected"),
    [
        ("2026-05-04T08:00:00.963Z", "2026-05-04T08:00:00.963Z"),
        ("2026-05-04T08:00:00Z", "2026-05-04T08:00:00Z"),
        ("2026-05-04T10:00:00.5+02:00", "2026-05-04T08:00:00.5Z"),
        ("2026-05-04T08:00:00.123", "2026-05-04T08:00:00.123Z"),
    ],
)
def test_time_stamps(read: Any, stamp: str, expected: str) -> None:
    lines = Lines()
    lines.user("x", timestamp=stamp)
    assert read(lines).messages[0].time_ms == clock.from_iso(expected)


def test_a_relocated_session_is_resumed_where_it_is_now(read: Any) -> None:
    lines = Lines()
    lines.user("x")
    lines.raw({"type": "relocated", "relocatedCwd": "/home/a/tree"})
    before = read(lines).facts
    assert before.last_cwd == "/home/a/tree"
    lines.user("back where it began")
    assert read(lines).facts.last_cwd == before.cwd


def test_titles_in_their_order(read: Any, place: Path) -> None:
    lines = Lines()
    leaf = lines.user("x")
    assert read(lines).facts.title == ""
    lines.raw({"type": "summary", "summary": "Of another file", "leafUuid": "elsewhere"})
    assert read(lines).facts.title == ""
    lines.raw({"type": "summary", "summary": "Of this file", "leafUuid": leaf})
    assert read(lines).facts.title == "Of this file"
    lines.raw({"type": "ai-title", "aiTitle": "Generated"})
    lines.raw({"type": "ai-title", "aiTitle": "Generated again"})
    lines.raw({"type": "ai-title", "aiTitle": ""})
    assert read(lines).facts.title == "Generated again"
    entries = [{"sessionId": SESSION, "summary": "Indexed"}, {"sessionId": "x", "summary": "No"}]
    index = place.with_name("sessions-index.json")
    index.write_text(json.dumps({"version": 1, "entries": entries}))
    assert read(lines).facts.title == "Indexed"
    lines.raw({"type": "custom-title", "customTitle": "Renamed"})
    lines.raw({"type": "custom-title", "customTitle": "Renamed again"})
    lines.raw({"type": "agent-name", "agentName": "not a title"})
    assert read(lines).facts.title == "Renamed again"
    index.write_text("{broken")
    assert read(lines).facts.title == "Renamed again"


def test_a_summary_before_its_leaf_is_the_title(read: Any) -> None:
    lines = Lines()
    lines.raw({"type": "summary", "summary": "Of this file", "leafUuid": "the-leaf"})
    lines.user("x", uuid="the-leaf")
    assert read(lines).facts.title == "Of this file"


def test_the_state_stays_small_in_a_long_session(read: Any) -> None:
    for version in ("2.0.29", "2.1.101"):
        lines = Lines(version)
        for number in range(6000):
            lines.user(f"prompt {number}")
            lines.call(f"toolu_{number}", command="x")
            lines.queue("enqueue", f"never repeated {number}")
        carry = read(lines).checkpoint.carry
        assert len(carry) < 400_000
