"""Calls and their outputs, told from the messages around them."""

from __future__ import annotations

from datetime import UTC

from recall_tui.model import Flag, Kind, Message
from recall_tui.tui.document import PAGE_MESSAGES, grow_session, open_session
from recall_tui.tui.frame import Frame
from recall_tui.tui.pairs import Outcome, pairs_of, read_paired
from tests.tui.fake import NOW, FakeHistory, Talk


def said(*parts: tuple[Kind, str] | tuple[Kind, str, int]) -> list[Message]:
    return [
        Message("claude:x", at, kind, 0, f"{kind.word} {at}", 0, *more, call=call)
        for at, (kind, call, *more) in enumerate(parts)
    ]


CALL, OUT, PROMPT, ANSWER = Kind.TOOL_CALL, Kind.TOOL_RESULT, Kind.PROMPT, Kind.ANSWER


def test_an_id_that_is_used_again_means_the_last_call_with_it() -> None:
    pairs = pairs_of(
        said((CALL, "bash:0"), (OUT, "bash:0", int(Flag.FAILED)), (CALL, "bash:0"), (OUT, "bash:0"))
    )
    assert pairs.outcomes == {0: Outcome(failed=True), 2: Outcome()}


def test_calls_side_by_side_end_in_any_order() -> None:
    messages = said((CALL, "a"), (CALL, "b"), (OUT, "b"), (OUT, "a"), (CALL, "c"), (OUT, "c"))
    pairs = pairs_of(messages)
    apart = [message.position for message in messages if pairs.apart(message)]
    assert apart == [3], "that of b stands right below it"
    assert set(pairs.outcomes) == {0, 1, 4}


def test_without_ids_only_a_lone_call_is_paired() -> None:
    pairs = pairs_of(said((CALL, ""), (OUT, ""), (CALL, ""), (CALL, ""), (OUT, ""), (OUT, "")))
    assert set(pairs.outcomes) == {0}, "of two that wait nobody can tell"
    pairs = pairs_of(said((CALL, ""), (ANSWER, ""), (CALL, ""), (OUT, "")))
    assert set(pairs.outcomes) == {2}, "what was said in between ended the waiting"


def test_a_call_has_no_result_only_when_the_session_went_on() -> None:
    assert pairs_of(said((CALL, "a"))).outcomes == {}, "it may be running"
    assert pairs_of(said((CALL, "a"), (PROMPT, ""))).outcomes == {0: Outcome(missing=True)}
    into = said((CALL, "a"), (PROMPT, "", int(Flag.WITHIN)))
    assert pairs_of(into).outcomes == {}, "said into the running turn"


def test_a_half_that_stands_far_away_is_looked_for() -> None:
    talk = Talk("claude", "many at once", "app", NOW)
    for n in range(40):
        talk.say(CALL, f"run {n}", tool="Bash", call=f"c{n}")
    for n in range(40):
        talk.say(OUT, f"out {n}", tool="Bash", call=f"c{n}")
    history = FakeHistory([talk])
    (session,) = history.sessions()
    reads = []
    real = history.messages
    history.messages = lambda *args: (reads.append(args[1:]), real(*args))[1]  # type: ignore[method-assign]
    shown, pairs = read_paired(history, session, 0, 32)  # type: ignore[arg-type]
    assert len(shown) == 32 and set(pairs.outcomes) >= set(range(32)) and len(reads) == 2
    shown, pairs = read_paired(history, session, 64, 80)  # type: ignore[arg-type]
    assert {pairs.calls[m.position].position for m in shown} == set(range(24, 40))


def test_a_call_of_an_earlier_page_gets_the_outcome_that_came_since() -> None:
    talk = Talk("claude", "grows", "app", NOW)
    for n in range(PAGE_MESSAGES - 1):
        talk.you(f"prompt {n}")
    talk.say(CALL, "make", tool="Bash", call="c").agent("meanwhile")
    before = FakeHistory([talk])
    frame = Frame(width=90, zone=UTC)
    opened = open_session(before, before.sessions()[0], frame, at=-1, query=None)  # type: ignore[arg-type]
    after = FakeHistory([talk.say(OUT, "made", tool="Bash", call="c")])
    grown = grow_session(after, opened, after.sessions()[0], None)  # type: ignore[arg-type]
    assert grown is not None
    assert "✓" in grown.pages[0].lines[-1][-1].text
