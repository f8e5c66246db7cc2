"""Who said what, and that it is shown once."""

from __future__ import annotations

import pytest

from recall_tui.harnesses.base import StaleCheckpoint
from recall_tui.model import Kind, SessionKind
from tests.harnesses.codex.build import PARENT, Rollout, data_url, png
from tests.harnesses.codex.conftest import told
from tests.harnesses.steps import source_of

ENVIRONMENT = "<environment_context>\n  <cwd>/home/a/app</cwd>\n</environment_context>"


def test_a_text_that_is_item_and_event_is_one_message(read):
    rollout = Rollout().prompt("fix the parser").answer("It is fixed now.")
    messages, _ = read(rollout)
    assert told(messages) == [("prompt", "fix the parser"), ("answer", "It is fixed now.")]


def test_a_text_that_is_said_in_three_ways_is_one_message(read):
    rollout = Rollout().prompt("fix the parser")
    rollout.completed("UserMessage", content=[{"type": "text", "text": "fix the parser"}])
    rollout.event("agent_message", message="It is fixed now.")
    rollout.completed("AgentMessage", content=[{"type": "Text", "text": "It is fixed now."}])
    rollout.tokens(1, 1).reasoning("hm").said("assistant", "It is fixed now.")
    messages, _ = read(rollout)
    assert told(messages) == [("prompt", "fix the parser"), ("answer", "It is fixed now.")]


def test_what_is_said_again_is_shown_again(read):
    rollout = Rollout()
    for _ in range(6):
        rollout.prompt("continue").answer("Done.")
    messages, _ = read(rollout)
    assert told(messages) == [("prompt", "continue"), ("answer", "Done.")] * 6


def test_events_may_come_before_their_items(read):
    rollout = Rollout().event("user_message", message="List the files").turn()
    rollout.said("user", "List the files")
    rollout.said("assistant", "There are two.").event("agent_message", message="There are two.")
    messages, _ = read(rollout)
    assert told(messages) == [("prompt", "List the files"), ("answer", "There are two.")]


def test_an_answer_whose_event_lost_its_citations_is_one_message(read):
    text = "The parser is in src/parse.py and reads one line at a time."
    rollout = Rollout().prompt("where?").event("agent_message", message=text)
    rollout.said("assistant", f"{text}\n<oai-mem-citation>x</oai-mem-citation>")
    messages, _ = read(rollout)
    assert told(messages)[1:] == [("answer", text)]


def test_a_user_item_without_an_event_is_injected_where_prompts_have_events(read):
    rollout = Rollout().prompt("one").answer("yes").said("user", "Note from a hook")
    rollout.answer("thanks").prompt("two")
    messages, _ = read(rollout)
    assert [m.kind for m in messages] == [
        Kind.PROMPT, Kind.ANSWER, Kind.INJECTED, Kind.ANSWER, Kind.PROMPT
    ]  # fmt: skip


def test_a_user_item_is_a_prompt_where_no_events_exist(read):
    rollout = Rollout().said("user", ENVIRONMENT).said("user", "one").said("assistant", "yes")
    rollout.said("user", "two").said("assistant", "no")
    messages, _ = read(rollout)
    assert told(messages)[1:] == [
        ("prompt", "one"), ("answer", "yes"), ("prompt", "two"), ("answer", "no")
    ]  # fmt: skip
    assert messages[0].kind is Kind.INJECTED


def test_a_prompt_has_the_time_of_its_own_line(read):
    rollout = Rollout().said("user", "one")
    rollout.time_ms += 60_000
    rollout.said("assistant", "yes")
    messages, _ = read(rollout)
    assert messages[1].time_ms - messages[0].time_ms == 61_000


def test_prompts_of_the_newest_version_are_known_by_their_parts(read):
    rollout = Rollout(cli_version="0.171.0")
    kinds = {"content_item_kinds": ["environments.environment_context"]}
    rollout.said("user", ENVIRONMENT, internal_chat_message_metadata_passthrough=kinds)
    rollout.newest_prompt("please run uname").newest_answer("It printed Linux.")
    messages, _ = read(rollout)
    assert told(messages)[1:] == [
        ("prompt", "please run uname"), ("answer", "It printed Linux.")
    ]  # fmt: skip


def test_a_prompt_of_the_newest_version_may_be_known_only_by_its_completion(read):
    rollout = Rollout().said("user", "please run uname")
    rollout.completed("UserMessage", content=[{"type": "text", "text": "please run uname"}])
    rollout.said("user", "something a hook put here").newest_answer("It printed Linux.")
    messages, _ = read(rollout)
    assert [m.kind for m in messages] == [Kind.PROMPT, Kind.INJECTED, Kind.ANSWER]


@pytest.mark.parametrize(
    "text",
    [
        ENVIRONMENT,
        "# AGENTS.md instructions for /home/a\n\n<INSTRUCTIONS>\nbe brief\n</INSTRUCTIONS>",
        "<user_instructions>\nbe brief\n</user_instructions>",
        "<subagent_notification>\n{}\n</subagent_notification>",
        "<turn_aborted>\nThe user interrupted\n</turn_aborted>",
        "<skill>\n<name>x</name>\n</skill>",
        "<some_new_instructions>\ntext\n</some_new_instructions>",
    ],
)
def test_texts_the_program_is_known_to_inject(read, text):
    rollout = Rollout().said("user", text).said("user", "hello there").said("assistant", "hi")
    messages, _ = read(rollout)
    assert [m.kind for m in messages] == [Kind.INJECTED, Kind.PROMPT, Kind.ANSWER]


def test_markup_a_person_pastes_is_a_prompt(read):
    rollout = Rollout().said("user", "<div>\n<p>why is this red?</p>\n</div>")
    rollout.said("assistant", "no")
    messages, _ = read(rollout)
    assert messages[0].kind is Kind.PROMPT


def test_what_an_ide_puts_around_a_prompt_is_apart(read):
    around = "# Context from my IDE setup:\n\n## Open tabs:\n- a.py"
    text = f"{around}\n\n## My request for Codex:\nfix it\n"
    messages, _ = read(Rollout().prompt(text).answer("Sure, it is fixed."))
    assert told(messages)[:2] == [
        ("injected", around),
        ("prompt", "fix it"),
    ]
    empty = "# Context from my IDE setup:\n\n## My request for Codex:\nfix it\n"
    messages, _ = read(Rollout().prompt(empty).answer("Sure, it is fixed."))
    assert told(messages)[0] == ("prompt", "fix it")


def test_a_command_the_person_ran(read):
    text = (
        "<user_shell_command>\n<command>\ngit status\n</command>\n<result>\nExit code: 1\n"
        "Duration: 0.0156 seconds\nOutput:\nnot clean\n</result>\n</user_shell_command>"
    )
    messages, _ = read(Rollout().prompt("look").answer("Yes, I am looking.").prompt(text))
    assert [(m.kind.word, m.tool, m.text, m.failed) for m in messages[2:]] == [
        ("tool_call", "!", "git status", False),
        ("tool_result", "!", "Exit code: 1\nnot clean", True),
    ]


def test_a_picture_alone_is_a_prompt(read):
    picture = {"type": "input_image", "image_url": data_url(png(32, 16))}
    rollout = Rollout().said("user", "<image name=[Image #1]>", picture, "</image>")
    rollout.event("user_message", message="", images=[], local_images=["/tmp/shot.png"])
    rollout.answer("A red square, as far as I see.")
    messages, _ = read(rollout)
    assert [m.kind for m in messages] == [Kind.PROMPT, Kind.ANSWER]
    assert messages[0].text == ""
    (material,) = messages[0].materials
    assert (material.kind, material.width, material.height) == ("image", 32, 16)


def test_pictures_of_a_file_without_items_are_names(read):
    rollout = Rollout().event("user_message", message="see", local_images=["/tmp/shot.png"])
    rollout.event("agent_message", message="A red square, as far as I see.")
    messages, _ = read(rollout)
    (material,) = messages[0].materials
    assert (material.name, material.mime, material.bytes) == ("shot.png", "image/png", -1)
    assert material.locator == ""


def test_a_file_without_items_is_read_from_its_events(read):
    rollout = Rollout().event("user_message", message="run it")
    rollout.event("agent_message", message="I am running it.")
    rollout.event(
        "exec_command_end", call_id="c1", command=["bash", "-lc", "make"], exit_code=2,
        aggregated_output="no rule", duration={"secs": 1, "nanos": 500_000_000},
    )  # fmt: skip
    messages, transcript = read(rollout)
    assert told(messages) == [
        ("prompt", "run it"),
        ("answer", "I am running it."),
        ("tool_call", "make"),
        ("tool_result", "no rule"),
    ]
    assert messages[3].failed
    assert messages[3].duration_ms == 1500
    assert not transcript.unknown


@pytest.mark.contract("S3-51")
def test_thinking_is_never_shown(read):
    rollout = Rollout().prompt("go").reasoning("zebra").answer("Gone, as you asked.")
    rollout.completed("Reasoning", summary_text=["zebra"], raw_content=["zebra"])
    rollout.event("agent_reasoning_raw_content", text="zebra")
    messages, transcript = read(rollout)
    assert len(messages) == 2
    assert not any("zebra" in m.text or "zebra" in m.rest for m in messages)
    assert not transcript.unknown


def test_a_session_nobody_used_has_no_messages(read):
    rollout = Rollout().said("developer", "<permissions instructions>x").said("user", ENVIRONMENT)
    messages, transcript = read(rollout)
    assert messages == []
    assert transcript.checkpoint is not None
    assert transcript.checkpoint.position == 0
    rollout.prompt("hello").answer("Hello to you as well.")
    messages, _ = read(rollout)
    assert [m.kind for m in messages] == [
        Kind.INJECTED, Kind.INJECTED, Kind.PROMPT, Kind.ANSWER
    ]  # fmt: skip


def test_a_compaction_is_a_summary_and_its_history_is_not_shown_again(read):
    rollout = Rollout().prompt("start").answer("I have started, see above.")
    history = [{"type": "message", "role": "user", "content": [{"text": "start"}]}]
    summary = "They have started, and the parser is next."
    rollout.line("compacted", {"message": summary, "replacement_history": history})
    rollout.event("context_compacted")
    again = f"Another language model started to solve this problem and said: {summary}"
    rollout.said("user", again).prompt("go on").answer("I am going on as you asked.")
    messages, _ = read(rollout)
    assert told(messages)[2:] == [
        ("summary", summary), ("prompt", "go on"), ("answer", "I am going on as you asked.")
    ]  # fmt: skip


def test_an_encrypted_compaction_is_silent(read):
    rollout = Rollout().prompt("start").line("compacted", {"message": "", "window_number": 2})
    messages, _ = read(rollout)
    assert told(messages) == [("prompt", "start")]


def test_interruptions_and_errors_are_notices(read):
    rollout = Rollout().prompt("start").event("error", message="usage limit", codex_error_info=None)
    rollout.event("task_complete", error={"message": "usage limit"}, last_agent_message=None)
    rollout.prompt("again").event("turn_aborted", reason="interrupted", duration_ms=1200)
    messages, transcript = read(rollout)
    assert told(messages) == [
        ("prompt", "start"),
        ("notice", "usage limit"),
        ("prompt", "again"),
        ("notice", "turn aborted: interrupted"),
    ]
    assert [m.failed for m in messages] == [False, True, False, False]
    assert messages[3].duration_ms == 1200
    assert not transcript.unknown


def test_turns_that_were_rolled_back_are_abandoned(read):
    rollout = Rollout()
    for number in range(4):
        rollout.prompt(f"prompt {number}").answer(f"This is answer number {number}.")
    rollout.event("thread_rolled_back", num_turns=1).event("thread_rolled_back", num_turns=1)
    rollout.prompt("prompt 4").answer("This is answer number 4.")
    rollout.event("thread_rolled_back", num_turns=2)
    rollout.prompt("prompt 5").answer("This is answer number 5.")
    messages, _ = read(rollout)
    kept = [m.text for m in messages if not m.abandoned]
    assert kept == [
        "prompt 0", "This is answer number 0.", "prompt 5", "This is answer number 5."
    ]  # fmt: skip
    assert len(messages) == 12


def test_a_rollback_of_more_turns_than_there_are_abandons_all(read):
    rollout = Rollout().prompt("one").answer("That was the first one.")
    rollout.event("thread_rolled_back", num_turns=9).prompt("two")
    messages, _ = read(rollout)
    assert [m.abandoned for m in messages] == [True, True, False]


def test_a_rollback_behind_a_checkpoint_makes_it_stale(codex, day):
    rollout = Rollout().prompt("one").answer("That was the first one.")
    source = source_of(codex, rollout.write(day))
    transcript = codex.open(source)
    assert len(list(transcript)) == 2
    rollout.call("exec_command", {"cmd": 'echo "thread_rolled_back"'})
    rollout.write(day)
    transcript = codex.open(source, transcript.checkpoint)
    assert len(list(transcript)) == 1
    rollout.event("thread_rolled_back", num_turns=1).write(day)
    with pytest.raises(StaleCheckpoint):
        list(codex.open(source, transcript.checkpoint))


def test_a_review_is_asked_by_the_program(read):
    rollout = Rollout().prompt("start").answer("I have started, see above.")
    rollout.event("entered_review_mode", target={"type": "uncommittedChanges"},
                  user_facing_hint="current changes")  # fmt: skip
    for _ in range(4):
        rollout.event("user_message", message="Review the current code changes.")
    review = {
        "overall_explanation": "The change is sound in all but one place.",
        "findings": [{"title": "Off by one", "body": "The last line is lost."}],
    }
    rollout.event("exited_review_mode", review_output=review)
    rollout.prompt("fix that")
    messages, transcript = read(rollout)
    assert told(messages)[2:] == [
        ("notice", "review: current changes"),
        ("injected", "Review the current code changes."),
        (
            "answer",
            "The change is sound in all but one place.\nOff by one\nThe last line is lost.",
        ),
        ("prompt", "fix that"),
    ]
    assert not transcript.unknown


def test_a_review_alone_is_named_and_says_once_what_it_found(read):
    """`codex review`, 0.65 to 0.125: two questions, three times the answer, no prompt."""
    rollout = Rollout().event("entered_review_mode", user_facing_hint="current changes")
    rollout.event("user_message", message="Review this.").event(
        "user_message", message="Review this."
    )
    rollout.event("exited_review_mode", review_output={"overall_explanation": "Sound."})
    rollout.said("assistant", "Sound.").event("agent_message", message="Sound.")
    messages, transcript = read(rollout)
    assert told(messages) == [
        ("notice", "review: current changes"), ("injected", "Review this."), ("answer", "Sound."),
    ]  # fmt: skip
    assert transcript.facts.title == "review: current changes"


def test_a_review_as_completed_items_is_one(read):
    """0.171, and what it migrates."""
    rollout = Rollout().completed("EnteredReviewMode", user_facing_hint="current changes")
    rollout.completed("UserMessage", content=[{"type": "text", "text": "Review this."}])
    findings = [{"title": "Off by one", "body": "The last line is lost."}]
    review = {"overall_explanation": "Nearly sound.", "findings": findings}
    rollout.completed("ExitedReviewMode", review_output=review).newest_answer("Nearly sound.")
    messages, transcript = read(rollout.newest_prompt("fix that"))
    assert told(messages) == [
        ("notice", "review: current changes"),
        ("injected", "Review this."),
        ("answer", "Nearly sound.\nOff by one\nThe last line is lost."),
        ("prompt", "fix that"),
    ]
    assert not transcript.unknown


def test_review_instructions_are_typed(read):
    rollout = Rollout().event(
        "entered_review_mode", target={"type": "custom", "instructions": "look at the locks"}
    )
    rollout.event("user_message", message="look at the locks")
    messages, _ = read(rollout)
    assert told(messages) == [("prompt", "look at the locks")]


def test_a_subagent_is_given_tasks(read):
    spawn = {"thread_spawn": {"parent_thread_id": PARENT, "depth": 1}}
    rollout = Rollout(source={"subagent": spawn}, session_id=PARENT)
    rollout.prompt("explore the parser").answer("It reads one line at a time.")
    messages, transcript = read(rollout)
    assert [m.kind for m in messages] == [Kind.DELEGATION, Kind.ANSWER]
    assert transcript.facts.kind is SessionKind.SUBAGENT
    assert transcript.facts.parent == PARENT
    assert transcript.facts.native_id == rollout.session


def test_messages_between_agents(read):
    rollout = Rollout().prompt("start")
    content = [
        {"type": "input_text", "text": "the child is done"},
        {"type": "encrypted_content", "encrypted_content": "x"},
    ]
    rollout.item("agent_message", author="child", recipient="root", content=content)
    messages, _ = read(rollout)
    assert told(messages)[1:] == [("injected", "the child is done")]


def test_a_command_the_person_ran_is_theirs_in_the_newest_version_as_well(read):
    words = "<user_shell_command>\n<command>\nls\n</command>\n<result>\na.py\n</result>\n"
    kinds = {"content_item_kinds": ["shell.user_command"]}
    rollout = Rollout().newest_prompt("go")
    rollout.said("user", words, internal_chat_message_metadata_passthrough=kinds)
    messages, _ = read(rollout)
    assert told(messages) == [("prompt", "go"), ("tool_call", "ls"), ("tool_result", "a.py")]
