"""Subagents in the session that started them: placed, folded, unfolded in place."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recall_tui.model import Kind, Session, SessionKind
from recall_tui.store.skeleton import Skeleton
from recall_tui.tui.subagents import SHOWN_MESSAGES, begun
from recall_tui.tui.subagents import placed as placed_in
from tests.tui.conftest import make
from tests.tui.driving import rested, transcript_of, until
from tests.tui.fake import HOUR, MINUTE, NOW, FakeHistory, Talk

WIDE = (120, 40)


def skeleton(*messages: tuple[Kind, int]) -> Skeleton:
    made = Skeleton()
    for kind, time_ms in messages:
        made.kinds.append(kind)
        made.times.append(time_ms)
        made.flags.append(0)
        made.sizes.append(10)
    return made


def child(key: str, started_ms: int, kind: SessionKind = SessionKind.SUBAGENT) -> Session:
    whole = FakeHistory().sessions()[0]
    return whole._replace(key=key, started_ms=started_ms, kind=kind)


def placed(
    children: list[Session],
    held: Skeleton,
    named: dict[str, list[int]] | None = None,
    recorded: dict[str, int] | None = None,
) -> dict[int, list[str]]:
    found = begun(children, held, recorded or {}, named or {})
    return {at: [one.key for one in ones] for at, ones in found.items()}


def test_a_call_that_names_one_started_it_however_long_before() -> None:
    held = skeleton((Kind.TOOL_CALL, 1000), (Kind.TOOL_CALL, 9000), (Kind.TOOL_CALL, 60_000))
    both = [child("a", 9053), child("b", 9056)]
    assert placed(both, held) == {1: ["a", "b"]}
    assert placed(both, held, {"a": [0], "b": [1]}) == {0: ["a"], 1: ["b"]}
    assert placed(both, held, {"a": [2], "b": [0, 1]}) == {1: ["a", "b"]}, "not one after it"


def test_each_stands_at_the_last_call_before_it() -> None:
    held = skeleton(
        (Kind.PROMPT, 0), (Kind.TOOL_CALL, 1000), (Kind.TOOL_RESULT, 60_000),
        (Kind.TOOL_CALL, 61_000),
    )  # fmt: skip
    first, second = child("a", 1050), child("b", 61_050)
    assert placed([first, second], held) == {1: ["a"], 3: ["b"]}
    assert placed([child("early", 900)], held) == {1: ["early"]}, "two files, two clocks"
    assert placed([child("no", 900)], skeleton((Kind.PROMPT, 0))) == {}


def test_calls_made_at_once_get_one_each() -> None:
    held = skeleton(*[(Kind.TOOL_CALL, 1000)] * 3, (Kind.TOOL_RESULT, 9000))
    started = [child("a", 1003), child("b", 1036), child("c", 1040)]
    assert placed(started, held) == {0: ["a"], 1: ["b"], 2: ["c"]}
    one = skeleton((Kind.TOOL_CALL, 1000))
    assert placed(started, one) == {0: ["a", "b", "c"]}, "a workflow starts several"


def test_the_call_on_record_started_it_whatever_its_name_and_its_time_say() -> None:
    held = skeleton(*[(Kind.TOOL_CALL, time) for time in (1000, 2000, 3000)])
    both = [child("a", 3003), child("b", 3004)]
    assert placed(both, held, {"a": [2], "b": [2]}, {"a": 0}) == {0: ["a"], 2: ["b"]}
    assert placed(both, held, {}, {"b": 2}) == {1: ["a"], 2: ["b"]}, "that call is taken"


@given(st.lists(st.integers(0, 10_000), max_size=12), st.lists(st.integers(0, 10_000), max_size=12))
def test_none_is_lost_and_none_is_there_twice(calls: list[int], starts: list[int]) -> None:
    held = skeleton(*((Kind.TOOL_CALL, time) for time in sorted(calls)))
    children = [child(str(n), time) for n, time in enumerate(sorted(starts))]
    found = [key for ones in placed(children, held).values() for key in ones]
    assert len(found) == len(set(found))
    near = [one for one in children if calls and min(calls) <= one.started_ms + 2000]
    assert sorted(found) == sorted(one.key for one in near)


def family(messages: int) -> FakeHistory:
    parent = Talk("claude", "parent", "app", NOW - MINUTE)
    parent.you("find the datetimes")
    parent.call("Agent", "Find naive datetimes", "three places")
    parent.agent("There are three.")
    history = FakeHistory([parent])
    main = history.sessions()[0]
    aside = Talk("claude", "Find naive datetimes", "app", NOW, kind=SessionKind.SUBAGENT)
    aside.parent = main.key
    for number in range(messages):
        aside.agent(f"place {number}")
    history.add(aside, 1)
    made = next(s for s in history._sessions if s.kind is SessionKind.SUBAGENT)
    history._sessions.remove(made)
    start = history.skeleton(main).times[1] + 5
    made = made._replace(started_ms=start, ended_ms=start + HOUR)
    main = main._replace(children=1)
    history._sessions[:] = [main]
    history.children = lambda session: [made] if session.key == main.key else []  # type: ignore[method-assign]
    return history


async def test_it_unfolds_and_folds_in_place_and_survives_a_resize() -> None:
    async with make(family(5)).run_test(size=WIDE) as pilot:
        await rested(pilot)
        await pilot.press("enter", "g", "down")
        transcript = transcript_of(pilot)

        def text() -> str:
            return "\n".join(line.text for line in transcript._pages[0].lines[1])

        assert "▸ subagent Find naive datetimes" in text()
        assert "place 1" not in text()
        await pilot.press("enter")
        await until(pilot, lambda: "place 4" in text())
        assert "▾ subagent" in text() and "more message" not in text()
        height = transcript._opening.heights[1]  # type: ignore[union-attr]
        assert height == len(transcript._pages[0].lines[1])
        await pilot.press("plus")
        assert "place 4" in text(), "another level of output does not fold it"
        await pilot.resize_terminal(110, 40)
        await rested(pilot)
        await until(pilot, lambda: "place 4" in text())
        await pilot.press("enter")
        await until(pilot, lambda: "place 1" not in text())


async def test_find_looks_into_subagents_and_says_where_hits_are() -> None:
    async with make(family(5)).run_test(size=WIDE) as pilot:
        await rested(pilot)
        await pilot.press("enter", "g", "slash", *"place 3")
        transcript = transcript_of(pilot)

        def lines() -> list[str]:
            page = transcript._pages.get(0)
            return [line.text for line in page.lines[1]] if page else []

        await until(pilot, lambda: any("1 hit inside" in line for line in lines()))
        assert transcript.hits == [1] and transcript.cursor == 1, "the call of the subagent"
        await pilot.press("escape", "enter")
        await until(pilot, lambda: any("place 3" in line for line in lines()))
        page = transcript._pages[0]
        assert ("place 3", "match") in [piece for line in page.lines[1] for piece in line.pieces]
        await pilot.press("a")
        await until(pilot, lambda: pilot.app.screen is not pilot.app.screen_stack[0])
        await pilot.press("enter")
        await until(
            pilot, lambda: transcript.session is not None and transcript.session.parent != ""
        )
        assert transcript.hits == [3], "what is looked for goes along"


async def test_a_long_one_says_how_to_read_the_rest() -> None:
    async with make(family(SHOWN_MESSAGES + 7)).run_test(size=WIDE) as pilot:
        await rested(pilot)
        await pilot.press("enter", "g", "down", "enter")
        transcript = transcript_of(pilot)
        await until(pilot, lambda: "… 7 more messages: a opens it by itself"
                    in transcript._pages[0].lines[1][-1].text)  # fmt: skip


def test_the_call_that_came_back_with_its_id_is_on_record() -> None:
    parent = Talk("claude", "parent", "app", NOW - MINUTE)
    parent.you("ask two agents the same thing")
    for number in range(2):
        parent.say(Kind.TOOL_CALL, "Look around", tool="Agent", call=f"call {number}")
    for number in (1, 0):
        text = f"nothing found\nagentId: a{number}c0ffee (for resuming)"
        parent.say(Kind.TOOL_RESULT, text, tool="Agent", call=f"call {number}")
    history = FakeHistory([parent])
    (main,) = history.sessions()
    main = main._replace(children=3)
    family = [
        main._replace(key=name, native_id=f"{main.native_id}/agent-{name}", title="Look around",
                      kind=kind, started_ms=main.ended_ms)
        for name, kind in (("a0c0ffee", SessionKind.SUBAGENT), ("a1c0ffee", SessionKind.SUBAGENT),
                           ("a1c0ffe", SessionKind.FORK))
    ]  # fmt: skip
    history.children = lambda _: family  # type: ignore[method-assign]
    found = placed_in(history, main, history.skeleton(main))
    assert {at: [one.key for one in ones] for at, ones in found.items()} == {
        1: ["a0c0ffee"], 2: ["a1c0ffee"],
    }  # fmt: skip
