"""Explicit terms: the predicate, BM25, selection, to the letter of S0."""

from __future__ import annotations

from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_tui.model import SEARCHABLE, Filter, GapKind, Kind, SessionKind
from recall_tui.search.grep import grep
from recall_tui.search.recall import messages
from recall_tui.search.recall.envelope import Tier
from recall_tui.search.recall.hits import name_of
from recall_tui.search.recall.marker import NOTICE
from recall_tui.search.recall.request import Reason, RecallRequest, RefusedError
from recall_tui.search.recall.scan import Scan
from recall_tui.search.recall.terms import literal
from recall_tui.search.results import Case, GrepQuery
from tests.search.corpora import Said, Talk, drained, never
from tests.search.recall.asking import DAY_MS, anchors, ask, corpus, sessions, talk


def verified(held, term: str, chosen: Filter | None = None) -> set[tuple[str, int]]:
    """The messages recall's scan verifies for a term, as (session key, position)."""
    chosen = chosen or Filter()
    rows = {s.id: s for s in held.sessions(chosen)}
    request = RecallRequest(terms=(term,), chosen=chosen)
    scan = Scan([held], request, [literal(term)], {})
    assert scan.run(never)
    found = scan.found
    places = {name_of(0, b): b for b in held.blocks(chosen)}
    messages = set()
    for at, seen in enumerate(found.blocks):
        meta = places[seen.name].meta
        for index in found.table(at):
            messages.add((rows[seen.session].key, meta.positions[index]))
    return messages


WORDS = st.sampled_from(
    ["Token", "budget", "STRASSE", "straße", "Σίσυφος", "ΣΊΣΥΦΟΣ", "修复登录超时", "100%", "a_b",
     "error", "e\u0301cole", "école", "İstanbul", '"quoted"', "back\\slash", "🙂"]
)  # fmt: skip
TEXTS = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)
KINDS = st.sampled_from([Kind.PROMPT, Kind.ANSWER, Kind.TOOL_CALL, Kind.TOOL_RESULT, Kind.NOTICE])
TALKS = st.lists(st.lists(st.builds(Said, TEXTS, st.integers(1, 9), KINDS), max_size=5), max_size=4)


@pytest.mark.contract("S0-36", "S0-38", "S0-127")
@given(TALKS, WORDS, st.integers(0, 3), st.integers(1, 6))
@settings(max_examples=2 * settings.default.max_examples)
def test_recall_verifies_what_grep_finds(talks, word, start, length):
    term = word[start : start + length].strip()
    if not term:
        return
    held = corpus(*(Talk(f"t{n}", said) for n, said in enumerate(talks)))
    chosen = Filter(kinds=tuple(SEARCHABLE))
    hits, _ = drained(
        grep([held], GrepQuery(term, case=Case.IGNORE, chosen=chosen, limit=99), never)
    )
    assert verified(held, term) == {(hit.session.key, hit.position) for hit in hits}


@pytest.mark.contract("S0-30")
def test_what_lies_beyond_the_horizon_of_tool_output_is_counted_not_found():
    long = Said("x" * 10_300 + " needle", kind=Kind.TOOL_RESULT)
    answer = ask(talk("a", "go", long), terms=("needle",))
    assert answer.passages == ()
    beyond = [g for g in answer.reach.gaps if g.kind is GapKind.HORIZON]
    assert [g.count for g in beyond] == [1]


@pytest.mark.contract("S0-28")
@pytest.mark.parametrize("kind", [Kind.INJECTED, Kind.NOTICE, Kind.SUMMARY])
def test_what_the_program_wrote_is_no_evidence(kind):
    assert ask(talk("a", "hello", Said("needle", kind=kind)), terms=("needle",)).passages == ()


@pytest.mark.contract("S0-40", "S3-22")
@pytest.mark.parametrize("term", ["100%", "a_b", "'; DROP TABLE", '"x" OR', "NEAR(", "\\", "*"])
def test_signs_are_literal(term):
    answer = ask(talk("a", f"here is {term} indeed"), talk("b", "1000 axb words"), terms=(term,))
    assert sessions(answer) == ["a"]


@pytest.mark.contract("S0-43")
def test_two_characters_inside_a_run_without_spaces():
    assert sessions(ask(talk("a", "我们昨天修复了登录超时"), terms=("登录",))) == ["a"]


@pytest.mark.contract("S0-37")
def test_the_word_for_a_redaction_is_not_found_where_only_a_secret_stood():
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    talks = (talk("a", f"token {secret} leaked"), talk("b", "the word redacted itself"))
    assert sessions(ask(*talks, terms=("redacted",))) == ["b"]
    assert ask(*talks, terms=("ghp_",)).passages == ()
    assert ask(*talks, terms=("P6q7R8",)).passages == ()


# ---------------------------------------------------------------- scores


@pytest.mark.contract("S0-65", "S0-66", "S0-67", "S0-68", "S0-69", "S0-70", "S0-73", "S0-74")
def test_scores_are_plain_bm25():
    texts = ["alpha alpha beta", "alpha", "beta gamma delta epsilon", "nothing here at all"]
    talks = [talk(f"s{n}", text, day=n) for n, text in enumerate(texts)]
    talks.append(talk("tool", "say", Said("alpha alpha beta", kind=Kind.TOOL_RESULT), day=9))
    answer = ask(*talks, terms=("alpha", "beta"), limit=25)
    population = 6
    lengths = {"s0": 16, "s1": 5, "s2": 24, "tool": 16}
    counts = {"s0": (2, 1), "s1": (1, 0), "s2": (0, 1), "tool": (2, 1)}
    mean = sum(lengths.values()) / 4
    expected = {}
    for name, held in counts.items():
        score = 0.0
        for count, frequency in zip(held, (3, 3), strict=True):
            idf = log((population - frequency + 0.5) / (frequency + 0.5) + 1)
            norm = 1.2 * (1 - 0.75 + 0.75 * lengths[name] / mean)
            score += idf * count * 2.2 / (count + norm)
        expected[name] = score * (0.5 if name == "tool" else 1)
    scores = {p.session.native_id: p.score for p in answer.passages}
    assert scores == pytest.approx(expected, abs=1e-6)


@pytest.mark.contract("S0-68", "S0-75")
def test_a_term_that_every_message_holds_still_weighs():
    answer = ask(talk("a", "alpha"), talk("b", "alpha"), terms=("alpha",))
    assert all(p.score > 0 for p in answer.passages)


@pytest.mark.contract("S0-74")
def test_equal_scores_newest_first_then_by_id():
    talks = [talk("b", "alpha"), talk("a", "alpha"), talk("c", "alpha", day=1)]
    assert sessions(ask(*talks, terms=("alpha",))) == ["c", "a", "b"]


@pytest.mark.contract("S3-14", "S3-25")
def test_a_phrase_or_identifier_outranks_any_bag_of_words():
    words = talk("bag", "token budget " * 30 + "token_budget_x is not here: token, budget")
    exact = talk("exact", "a long text about other things " * 40 + " max_token_budget")
    answer = ask(words, exact, terms=("max_token_budget", "token", "budget"))
    assert sessions(answer)[0] == "exact"
    assert answer.passages[0].why.tier is Tier.EXACT


@pytest.mark.contract("S3-25")
def test_all_words_outrank_some_words():
    some = talk("some", "alpha alpha alpha alpha")
    both = talk("both", "alpha " + "filler " * 80 + "beta")
    answer = ask(some, both, terms=("alpha", "beta"))
    assert [p.why.tier for p in answer.passages] == [Tier.ALL, Tier.SOME]


# ---------------------------------------------------------------- selection


def many(name: str, count: int, day: int = 0) -> Talk:
    """A session of `count` turns that all hold the word."""
    return talk(name, *(f"alpha number {n}" for n in range(count)), day=day)


@pytest.mark.contract("S0-76", "S0-77", "S0-81", "S0-82")
def test_a_session_takes_at_most_a_third_while_others_wait():
    answer = ask(many("a", 29, 3), many("b", 4, 2), many("c", 1, 1), terms=("alpha",), limit=5)
    taken = [p.session.native_id for p in answer.passages]
    assert set(taken) == {"a", "b", "c"} and len(taken) == 5
    six = ask(many("a", 29, 3), many("b", 29, 2), many("c", 29, 1), terms=("alpha",), limit=6)
    assert sorted(p.session.native_id for p in six.passages) == ["a", "a", "b", "b", "c", "c"]


@pytest.mark.contract("S0-80")
def test_one_session_alone_fills_the_whole_limit():
    assert len(ask(many("a", 20), terms=("alpha",), limit=9).passages) == 9


@pytest.mark.contract("S0-79")
def test_after_filling_the_order_is_by_score_again():
    answer = ask(many("a", 20), talk("b", "alpha " + "filler " * 50), terms=("alpha",), limit=8)
    scores = [p.score for p in answer.passages]
    assert scores == sorted(scores, reverse=True) and "b" in sessions(answer)


@pytest.mark.contract("S0-78")
def test_hits_of_one_turn_become_one_passage():
    said = [
        Said("alpha?"),
        Said("alpha!", kind=Kind.ANSWER),
        Said("run alpha", kind=Kind.TOOL_CALL),
    ]
    answer = ask(talk("a", *said, Said("alpha again")), terms=("alpha",), limit=9)
    assert sorted(p.turn for p in answer.passages) == [0, 3]


@pytest.mark.contract("S0-99")
def test_hits_without_a_turn_stand_alone():
    answer = ask(talk("a", "alpha", "alpha", kind=Kind.ANSWER), terms=("alpha",), limit=9)
    assert sorted(anchors(answer)) == [("a", 0), ("a", 1)]


@pytest.mark.contract("S0-26")
def test_an_unknown_session_gives_an_empty_answer():
    answer = ask(talk("a", "alpha"), terms=("alpha",), chosen=Filter(sessions=("claude:zz",)))
    assert answer.passages == () and answer.reach.sessions_searched == 0


@pytest.mark.contract("S0-15")
def test_bounds_are_inclusive():
    held = talk("a", "alpha one", "alpha two", "alpha three")
    times = [s.time_ms for s in held.said]
    chosen = Filter(since_ms=times[1], until_ms=times[1])
    assert anchors(ask(held, terms=("alpha",), chosen=chosen)) == [("a", 1)]


@pytest.mark.contract("S0-27")
def test_the_running_turn_neither_matches_nor_appears():
    held = talk("a", "alpha before", "alpha now", Said("alpha answer", kind=Kind.ANSWER))
    answer = ask(held, talk("b", "alpha"), terms=("alpha",), current_session="claude:a")
    assert sorted(anchors(answer)) == [("a", 0), ("b", 0)]
    assert {p.is_current for p in answer.passages if p.session.native_id == "a"} == {True}


@pytest.mark.contract("S0-20")
def test_a_caller_that_stops_gets_no_partial_answer():
    with pytest.raises(RefusedError) as caught:
        ask(talk("a", "alpha"), terms=("alpha",), stop=lambda: True)
    assert caught.value.reason is Reason.ABORTED


def test_scoring_ends_early_only_where_nothing_better_can_come(monkeypatch):
    words = ["alpha", "alpha beta", "beta beta", "alpha alpha beta gamma " * 9, "gamma"]
    talks = [talk(f"s{n}", words[n * 7 % 5], f"x {n * n % 97} alpha" * (n % 3)) for n in range(90)]
    blocks: list[int] = []
    best = messages._Scoring._best
    monkeypatch.setattr(
        messages._Scoring, "_best", lambda self, at: blocks.append(at) or best(self, at)
    )
    answers, scored = [], []
    for step in (1, 1000):
        blocks.clear()
        monkeypatch.setattr(messages, "_STEP", step)
        answer = ask(*talks, terms=("alpha", "beta"))
        answers.append(
            [(*at, p.score) for p, at in zip(answer.passages, anchors(answer), strict=True)]
        )
        scored.append(len(blocks))
    assert answers[0] == answers[1]
    assert scored[0] < scored[1]


@pytest.mark.contract("S0-24")
def test_a_thousand_sessions_the_oldest_alone_holds_it():
    talks = [talk(f"s{n}", "nothing of the kind", day=n + 1) for n in range(1000)]
    answer = ask(*talks, talk("old", "the needle"), terms=("needle",))
    assert sessions(answer) == ["old"]


def test_a_subagent_is_ranked_under_its_main_session():
    main, other = talk("main", "alpha"), talk("other", "alpha")
    subs = [talk(f"sub{n}", f"alpha {n}", kind=Kind.DELEGATION) for n in range(5)]
    held = corpus(main, other, *subs)
    for row in range(2, 7):
        held.rows[row] = held.rows[row]._replace(kind=SessionKind.SUBAGENT, parent="claude:main")
    from tests.search.recall.asking import UTC, recall

    folded = recall([held], RecallRequest(terms=("alpha",), limit=3), never, UTC)
    assert {p.family for p in folded.passages} >= {"claude:main", "claude:other"}
    request = RecallRequest(terms=("alpha",), limit=25, expand=True)
    expanded = recall([held], request, never, UTC)
    assert len({p.family for p in expanded.passages}) == 7
    assert any("subagent" in p.why.session_kind for p in expanded.passages)


@pytest.mark.contract("S3-57")
def test_an_answer_of_recall_does_not_outrank_its_source():
    source = talk("source", "the answer is alpha beta")
    quoting = talk("quoting", "look", Said(f"{NOTICE}\nalpha beta " * 9, kind=Kind.TOOL_RESULT))
    asking = talk("asking", "go", Said("recall search 'alpha beta'", kind=Kind.TOOL_CALL))
    call = Said("alpha beta", kind=Kind.TOOL_CALL, tool="mcp__recall__Recall")
    through = talk("mcp", "go", call, Said(f"{NOTICE} alpha", kind=Kind.TOOL_RESULT))
    answer = ask(source, quoting, asking, through, terms=("alpha", "beta"))
    assert sessions(answer) == ["source"]
    assert sessions(ask(source, quoting, asking, through, sentence="alpha beta")) == ["source"]


@pytest.mark.contract("S0-121", "S0-122", "S0-124")
def test_gaps_name_terms_without_a_match_as_they_were_spelt():
    answer = ask(talk("a", "ALPHA beta", day=-30), terms=("Alpha", "Missing"))
    assert answer.unmatched == ("Missing",)
    named = [g for g in answer.reach.gaps if g.kind is GapKind.NO_MATCH]
    assert "Missing" in named[0].detail and "Alpha" not in named[0].detail
    assert any(g.kind is GapKind.NO_FACTS for g in answer.reach.gaps)
    assert answer.reach.sessions_searched == 1 and answer.reach.oldest_ms > DAY_MS


@pytest.mark.contract("S0-122")
def test_a_whole_question_as_a_term_is_told_to_be_split():
    def advice(*terms, **options):
        gaps = ask(talk("a", "the port is taken"), terms=terms, **options).reach.gaps
        return next(gap.action for gap in gaps if gap.kind is GapKind.NO_MATCH)

    assert "one literal text" in advice("port", "why is the port taken already")
    assert "another word" in advice("port", "EADDRINUSE")
    assert "another word" in advice(sentence="what about the absent thing")
