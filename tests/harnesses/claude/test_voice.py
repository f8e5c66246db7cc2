"""What in the user's place a person typed, and what not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from recall_tui.model import Kind, SessionKind
from tests.harnesses.claude.build import SESSION, Lines, image, png, text

if TYPE_CHECKING:
    from pathlib import Path

    from recall_tui.harnesses.base import Parsed, Transcript


def said(transcript: Transcript) -> list[tuple[Kind, str]]:
    return [(message.kind, message.text) for message in transcript.messages]  # type: ignore[attr-defined]


REMINDER = "<system-reminder>\nAs you answer, use this context.\n</system-reminder>"
NOTE = "<task-notification>\n<task-id>a1</task-id>\n</task-notification>"


@pytest.mark.parametrize(
    ("content", "fields", "expected"),
    [
        pytest.param("fix it", {}, [(Kind.PROMPT, "fix it")], id="typed"),
        pytest.param([text("one"), text("two")], {}, [(Kind.PROMPT, "one\ntwo")], id="blocks"),
        pytest.param(f"{REMINDER}\n\nfix it", {}, [(Kind.PROMPT, "fix it")], id="reminder before"),
        pytest.param(f"fix\n{REMINDER}\nit", {}, [(Kind.PROMPT, "fix\nit")], id="reminder inside"),
        pytest.param([text("go"), text(REMINDER)], {}, [(Kind.PROMPT, "go")], id="reminder block"),
        pytest.param(REMINDER, {}, [], id="only a reminder"),
        pytest.param(
            f"before {REMINDER} behind", {}, [(Kind.PROMPT, "before behind")], id="between words"
        ),
        pytest.param(
            "why does <system-reminder> appear?",
            {},
            [(Kind.PROMPT, "why does <system-reminder> appear?")],
            id="a person names the tag",
        ),
        pytest.param(
            [text("<ide_selection>line 5</ide_selection>"), text("explain")],
            {},
            [(Kind.INJECTED, "line 5"), (Kind.PROMPT, "explain")],
            id="editor selection",
        ),
        pytest.param(
            "<ide_opened_file>The user opened /a.py</ide_opened_file>",
            {},
            [(Kind.INJECTED, "The user opened /a.py")],
            id="only the editor",
        ),
        pytest.param("skill body", {"isMeta": True}, [(Kind.INJECTED, "skill body")], id="meta"),
        pytest.param(NOTE, {}, [(Kind.INJECTED, NOTE)], id="notification"),
        pytest.param(
            "go", {"turnOrigin": "task_notification"}, [(Kind.INJECTED, "go")], id="turn origin"
        ),
        pytest.param("go", {"turnOrigin": "sdk"}, [(Kind.PROMPT, "go")], id="command line"),
        pytest.param("go", {"turnOrigin": "human"}, [(Kind.PROMPT, "go")], id="terminal"),
        pytest.param("go", {"origin": {"kind": "peer"}}, [(Kind.INJECTED, "go")], id="origin"),
        pytest.param(
            "go",
            {"origin": {"kind": "human"}, "promptSource": "sdk"},
            [(Kind.PROMPT, "go")],
            id="human through a program",
        ),
        pytest.param("go", {"turnOrigin": "unknown"}, [(Kind.PROMPT, "go")], id="nobody knows"),
        pytest.param(
            "go",
            {"turnOrigin": "human", "origin": {"kind": "peer"}},
            [(Kind.INJECTED, "go")],
            id="another's word in a person's turn",
        ),
        *(
            pytest.param("go", {mark: value}, [(Kind.INJECTED, "go")], id=mark)
            for mark, value in (
                ("textNotTyped", True),
                ("handedOff", True),
                ("scheduledTaskId", "cron-1"),
            )
        ),
        *(
            pytest.param(said, {}, [(Kind.INJECTED, said)], id=said)
            for said in (
                '<agent-message from="scout">done</agent-message>',
                '<cross-session-message from="a">hello</cross-session-message>',
                '<channel source="chat">hello</channel>',
                "<tick>08:00</tick>",
            )
        ),
        pytest.param("go", {"promptSource": "system"}, [(Kind.INJECTED, "go")], id="source"),
        pytest.param("go", {"promptSource": "queued"}, [(Kind.PROMPT, "go")], id="queued"),
        pytest.param(
            "[Request interrupted by user for tool use]",
            {},
            [(Kind.NOTICE, "[Request interrupted by user for tool use]")],
            id="interrupted",
        ),
        pytest.param(
            "<bash-input>git status</bash-input>", {}, [(Kind.TOOL_CALL, "git status")], id="shell"
        ),
        pytest.param(
            "<bash-stdout>clean</bash-stdout><bash-stderr>warn</bash-stderr>",
            {},
            [(Kind.TOOL_RESULT, "clean\nwarn")],
            id="shell output",
        ),
        pytest.param(
            "<local-command-stdout>Set model</local-command-stdout>",
            {},
            [(Kind.NOTICE, "Set model")],
            id="command output",
        ),
        pytest.param(
            "<local-command-stdout>(no content)</local-command-stdout>", {}, [], id="none"
        ),
        pytest.param("<local-command-stdout></local-command-stdout>", {}, [], id="empty output"),
        pytest.param(
            "<command-message>review is running…</command-message>\n"
            "<command-name>/review</command-name>\n<command-args>the parser</command-args>",
            {},
            [(Kind.PROMPT, "/review the parser")],
            id="custom command",
        ),
        pytest.param(
            '<command-message>The "pdf" skill is running</command-message>\n'
            "<command-name>pdf</command-name>",
            {},
            [(Kind.NOTICE, "pdf")],
            id="a skill the agent called",
        ),
        pytest.param(
            "This session is being continued from a previous conversation that ran out of context.",
            {"isCompactSummary": True, "isVisibleInTranscriptOnly": True},
            [
                (
                    Kind.SUMMARY,
                    "This session is being continued from a previous conversation that ran out of"
                    " context.",
                )
            ],
            id="compaction",
        ),
        pytest.param("Caveat: The messages below were generated by the user", {}, [], id="caveat"),
        pytest.param("한국어 프롬프트", {}, [(Kind.PROMPT, "한국어 프롬프트")], id="Korean"),
        pytest.param("  \n ", {}, [], id="blank"),
    ],
)
def test_who_speaks(
    read: Any, content: Any, fields: dict[str, Any], expected: list[tuple[Kind, str]]
) -> None:
    lines = Lines()
    lines.user(content, **fields)
    assert said(read(lines)) == expected


@pytest.mark.parametrize(("code", "failed"), [("1", True), ("0", False)])
def test_the_exit_code_of_a_shell_command_is_its_outcome_and_no_text(
    read: Any, code: str, failed: bool
) -> None:
    lines = Lines()
    lines.user(
        "<bash-stdout>out</bash-stdout><bash-stderr></bash-stderr>"
        f"<bash-exit-code>{code}</bash-exit-code>"
    )
    (output,) = read(lines).messages
    assert (output.text, output.failed) == ("out", failed)


def test_the_programs_own_commands_are_notices_and_a_later_custom_one_is_a_prompt(
    read: Any,
) -> None:
    lines = Lines()
    lines.user("Caveat: The messages below were generated by the user", isMeta=True)
    lines.user("<command-name>/model</command-name>\n<command-message>model</command-message>")
    lines.user("<local-command-stdout>Set model to x</local-command-stdout>")
    lines.user("<command-name>/init</command-name>\n<command-args></command-args>")
    lines.user("Please analyse this codebase", isMeta=True)
    lines.system("local_command", content="<command-name>/cost</command-name>")
    lines.system("local_command", content="<local-command-stdout>$1</local-command-stdout>")
    assert said(read(lines)) == [
        (Kind.NOTICE, "/model"),
        (Kind.NOTICE, "Set model to x"),
        (Kind.PROMPT, "/init"),
        (Kind.INJECTED, "Please analyse this codebase"),
        (Kind.NOTICE, "/cost"),
        (Kind.NOTICE, "$1"),
    ]


def test_a_picture_alone_is_a_prompt(read: Any) -> None:
    lines = Lines()
    lines.user([image(png(64, 48))])
    (message,) = read(lines).messages
    assert message.kind is Kind.PROMPT
    assert message.text == ""
    assert len(message.materials) == 1


# ---------------------------------------------------------------- typed while the agent works


def test_a_queued_prompt_that_a_record_repeats_is_shown_once(read: Any) -> None:
    lines = Lines()
    lines.queue("enqueue", "do this")
    lines.queue("dequeue")
    lines.user("do this")
    lines.queue("enqueue", "and that")
    lines.queue("remove")
    lines.attachment("queued_command", prompt="and that", commandMode="prompt")
    assert said(read(lines)) == [(Kind.PROMPT, "do this"), (Kind.PROMPT, "and that")]


def test_queued_prompts_joined_into_one_record_are_shown_once(read: Any) -> None:
    lines = Lines()
    for part in ("first", "second\nof two lines", "third"):
        lines.queue("enqueue", part)
    lines.user("first\nsecond\nof two lines\nthird")
    assert [kind for kind, _ in said(read(lines))] == [Kind.PROMPT]


def test_a_prompt_that_only_contains_a_queued_one_does_not_repeat_it(read: Any) -> None:
    lines = Lines()
    lines.queue("enqueue", "yes")
    lines.user("yesterday it worked")
    assert (Kind.PROMPT, "yes") in said(read(lines))


def test_a_prompt_only_in_the_queue_stands_where_the_next_one_begins(read: Any) -> None:
    lines = Lines()
    lines.user("start")
    lines.queue("enqueue", "lost in the queue")
    lines.queue("dequeue")
    lines.assistant(text("working"))
    lines.user("next")
    lines.assistant(text("done"))
    transcript = read(lines)
    assert said(transcript) == [
        (Kind.PROMPT, "start"),
        (Kind.ANSWER, "working"),
        (Kind.PROMPT, "lost in the queue"),
        (Kind.PROMPT, "next"),
        (Kind.ANSWER, "done"),
    ]
    assert transcript.messages[2].time_ms == lines.time_ms - 4000
    assert transcript.messages[2].record == ""


def test_a_prompt_is_waited_for_while_the_programs_queue_holds_it(read: Any) -> None:
    lines = Lines()
    lines.queue("enqueue", "first")
    lines.queue("enqueue", "second")
    lines.queue("dequeue")
    lines.user("first, but edited")
    lines.queue("dequeue")
    lines.user("second")
    assert [words for _, words in said(read(lines))] == ["first, but edited", "second", "first"]


def test_a_prompt_no_operation_takes_out_is_given_up_after_three_others(read: Any) -> None:
    lines = Lines()
    lines.queue("enqueue", "lost")
    for number in range(4):
        lines.user(f"prompt {number}")
    assert [words for _, words in said(read(lines))] == [
        "prompt 0",
        "prompt 1",
        "lost",
        "prompt 2",
        "prompt 3",
    ]


def test_a_prompt_left_in_the_queue_stands_at_the_end_and_may_still_be_repeated(
    read: Any, place: Path
) -> None:
    lines = Lines()
    lines.user("start")
    lines.queue("enqueue", "waiting")
    first = read(lines)
    assert said(first) == [(Kind.PROMPT, "start"), (Kind.PROMPT, "waiting")]
    assert first.checkpoint.position == 1


def test_notifications_in_the_queue_are_no_prompts(read: Any) -> None:
    lines = Lines()
    lines.queue("enqueue", NOTE)
    lines.queue("enqueue", "/compact")
    assert said(read(lines)) == [(Kind.INJECTED, NOTE), (Kind.NOTICE, "/compact")]


def test_a_queued_command_runs_as_a_command(read: Any) -> None:
    lines = Lines()
    lines.queue("enqueue", "/fast on")
    lines.user("Caveat: The messages below were generated by the user", isMeta=True)
    lines.user("<command-name>/fast</command-name>\n<command-args>on</command-args>")
    assert said(read(lines)) == [(Kind.NOTICE, "/fast on")]


def test_a_long_queued_prompt_is_whole_when_nothing_repeats_it(read: Any) -> None:
    long = "line of a pasted log\n" * 5000 + "end"
    lines = Lines()
    lines.queue("enqueue", long)
    transcript = read(lines)
    assert said(transcript) == [(Kind.PROMPT, long)]
    assert len(transcript.checkpoint.carry) < 10_000


def test_a_fork_writes_its_first_prompts_queue_record_before_the_old_records(read: Any) -> None:
    lines = Lines()
    lines.time_ms += 3_600_000
    lines.queue("enqueue", "forked prompt")
    lines.queue("dequeue")
    lines.time_ms -= 3_600_000
    lines.user("old prompt")
    lines.user("another old prompt")
    lines.time_ms += 3_600_000
    lines.user("forked prompt")
    assert [words for _, words in said(read(lines))] == [
        "old prompt",
        "another old prompt",
        "forked prompt",
    ]


@pytest.mark.parametrize(
    ("sent", "kind"),
    [
        ({"prompt": "go", "commandMode": "prompt"}, Kind.PROMPT),
        ({"prompt": [text("go")], "commandMode": "prompt"}, Kind.PROMPT),
        ({"prompt": "go", "commandMode": "prompt", "origin": {"kind": "human"}}, Kind.PROMPT),
        ({"prompt": "go", "commandMode": "task-notification"}, Kind.INJECTED),
        ({"prompt": "go", "commandMode": "orphaned-permission"}, Kind.INJECTED),
        ({"prompt": "go", "commandMode": "prompt", "origin": {"kind": "peer"}}, Kind.INJECTED),
        ({"prompt": "go", "commandMode": "prompt", "isMeta": True}, Kind.INJECTED),
        ({"prompt": "go", "commandMode": "bash"}, Kind.TOOL_CALL),
    ],
)
def test_who_queued_a_command(read: Any, sent: dict[str, Any], kind: Kind) -> None:
    lines = Lines()
    lines.attachment("queued_command", **sent)
    assert said(read(lines)) == [(kind, "go")]


def test_a_queued_picture_is_a_prompt_with_its_picture(read: Any, claude: Any) -> None:
    lines = Lines()
    lines.attachment("queued_command", prompt=[image(png(8, 8))], commandMode="prompt")
    (message,) = read(lines).messages
    assert message.kind is Kind.PROMPT
    assert (message.materials[0].width, message.materials[0].bytes) == (8, 200)


# ---------------------------------------------------------------- subagents


def subagent(task: str) -> Lines:
    lines = Lines(isSidechain=True, agentId="a1")
    lines.user(task)
    lines.assistant(text("report"), model="claude-small")
    return lines


def test_a_subagents_task_is_a_delegation(read: Any, place: Path) -> None:
    path = place.parent / SESSION / "subagents" / "agent-a1.jsonl"
    transcript = read(subagent("find the parser"), path)
    assert said(transcript) == [(Kind.DELEGATION, "find the parser"), (Kind.ANSWER, "report")]
    assert not any(message.sidechain for message in transcript.messages)
    assert transcript.facts.kind is SessionKind.SUBAGENT
    assert transcript.facts.parent == SESSION
    assert transcript.facts.title == ""
    path.with_suffix(".meta.json").write_text('{"agentType":"Explore","description":"Find it"}')
    assert read(subagent("find the parser"), path).facts.title == "Find it"


def test_a_subagent_beside_the_sessions_names_its_parent_in_its_records(
    read: Any, place: Path
) -> None:
    transcript = read(subagent("find"), place.parent / "agent-0a1b2c3d.jsonl")
    assert transcript.facts.parent == SESSION
    assert transcript.facts.native_id == "agent-0a1b2c3d"
    assert transcript.facts.kind is SessionKind.SUBAGENT


@pytest.mark.parametrize("task", ["Warmup", "[SUGGESTION MODE: Suggest what the user might type]"])
def test_the_programs_own_subagents_are_no_session(read: Any, place: Path, task: str) -> None:
    transcript = read(subagent(task), place.parent / "agent-0a1b2c3d.jsonl")
    assert transcript.messages == []


def test_a_subagent_inside_its_parents_file_is_flagged(read: Any) -> None:
    lines = Lines("2.0.24")
    lines.user("look around")
    call = lines.call("toolu_1", "Task", description="Search", prompt="find it")
    lines.user("find it", None, isSidechain=True)
    lines.assistant(text("found"), isSidechain=True)
    lines.last = call
    lines.result("toolu_1", [text("found")])
    messages: list[Parsed] = read(lines).messages
    assert [(m.kind, m.text, m.sidechain) for m in messages] == [
        (Kind.PROMPT, "look around", False),
        (Kind.TOOL_CALL, "Search", False),
        (Kind.DELEGATION, "find it", True),
        (Kind.ANSWER, "found", True),
        (Kind.TOOL_RESULT, "found", False),
    ]
    assert messages[1].rest == "find it"


def test_a_warmup_inside_a_file_goes_with_all_that_hangs_under_it(read: Any) -> None:
    lines = Lines("2.0.24")
    lines.user("Warmup", None, isSidechain=True)
    lines.assistant(text("I am ready"), isSidechain=True)
    assert read(lines).messages == []
    lines.user("hello", None)
    assert said(read(lines)) == [(Kind.PROMPT, "hello")]


def test_a_person_may_type_warmup(read: Any) -> None:
    lines = Lines()
    lines.user("Warmup")
    assert said(read(lines)) == [(Kind.PROMPT, "Warmup")]


def test_a_session_is_automated_when_no_prompt_came_from_a_hand(read: Any) -> None:
    lines = Lines(entrypoint="sdk-cli")
    lines.user("nightly job", promptSource="sdk", turnOrigin="sdk")
    assert read(lines).facts.kind is SessionKind.AUTOMATED
    lines.user("typed later", entrypoint="cli", turnOrigin="human", origin={"kind": "human"})
    assert read(lines).facts.kind is SessionKind.MAIN
