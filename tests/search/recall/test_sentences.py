"""Sentences: how they are split, which forms count, what days do, how sessions rank."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from recall_tui.model import GapKind, Kind
from recall_tui.search.recall import dates
from recall_tui.search.recall.envelope import Tier
from recall_tui.search.recall.terms import split
from recall_tui.search.recall.why import line
from recall_tui.search.recall.words import Word, one_edit
from tests.search.corpora import Said
from tests.search.recall.asking import anchors, ask, sessions, talk


def sorts(sentence: str) -> dict[str, str]:
    return {term.spelling: term.sort for term in split(sentence) if term.telling}


def test_words_identifiers_and_quotes():
    found = sorts('Why does store/corpus.py raise StoreError in "the first page" of _prepare?')
    assert found["store/corpus.py"] == found["StoreError"] == found["_prepare"] == "identifier"
    assert found["the first page"] == "phrase"
    assert found["raise"] == "word"
    assert "Why" not in found and "does" not in found


@pytest.mark.contract("S3-24", "S3-30")
@pytest.mark.parametrize(
    "name",
    ["src/app/main.py", "https://example.org/a?b=1", "std::vector", "max_token_budget", "E1234",
     "3fa9c2d", "ce76e78a-1741-53b8-8f47-da3dc42cecd3", "os.path.join", "TypeError", "--no-total",
     "TIDE-42"],
)  # fmt: skip
def test_identifiers_are_exact_evidence(name):
    assert sorts(f"where was {name} mentioned")[name] == "identifier"
    answer = ask(
        talk("exact", "filler " * 50, Said(f"see {name} there", kind=Kind.TOOL_RESULT)),
        talk("words", "where it was mentioned, mentioned, mentioned"),
        sentence=f"where was {name} mentioned",
    )
    assert sessions(answer)[0] == "exact" and answer.passages[0].why.tier is Tier.EXACT


def test_names_that_look_like_identifiers_are_words():
    assert sorts("did McGee buy an iPhone")["McGee"] == "word"


@pytest.mark.contract("S3-21")
@pytest.mark.parametrize("sentence", ["what is it to be", "a b c", "and or the", "de la", "?!"])
def test_nothing_but_common_words_finds_nothing_and_says_so(sentence):
    answer = ask(talk("a", f"{sentence} what is it to be a b c"), sentence=sentence)
    assert answer.passages == ()
    assert any(g.kind is GapKind.NO_MATCH and "everywhere" in g.detail for g in answer.reach.gaps)


def test_a_word_outranks_words_like_it_and_why_tells_them_apart():
    found = ask(
        talk("like", "job timeouts: timeout timeouts timeout timeouts"),
        talk("said", "raise TimeoutError " + "and so on " * 60),
        sentence="timeouterror",
    )
    assert sessions(found) == ["said", "like"]
    lines = [line(passage.why) for passage in found.passages]
    assert lines[0].startswith("timeouterror · ")
    assert lines[1].startswith("words like timeouterror · ")


def test_one_odd_word_does_not_empty_the_answer():
    answer = ask(talk("a", "the retry backoff has jitter"), sentence="xylophonic retry backoff")
    assert sessions(answer) == ["a"]
    assert answer.unmatched == ("xylophonic",)
    assert answer.passages[0].why.missing == ("xylophonic",)
    assert "not: xylophonic" in line(answer.passages[0].why)


@pytest.mark.parametrize(
    ("asked", "said"),
    [("running", "it runs"), ("went", "we go"), ("children", "a child"), ("happy", "happily"),
     ("configuration", "the config file"), ("painter", "she painted"), ("healthier", "my health"),
     ("schlüssel", "zwei schlüsselwörter")],
)  # fmt: skip
def test_forms_of_a_word(asked, said):
    assert sessions(ask(talk("a", said), talk("b", "unrelated"), sentence=asked)) == ["a"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [("art", "start of a part"), ("test", "the latest testimony"), ("run", "brunch")],
)
def test_other_words_are_no_forms(asked, said):
    assert ask(talk("a", said), sentence=asked).passages == ()


def test_a_misspelt_word_is_guessed_when_it_is_nowhere():
    assert sessions(ask(talk("a", "the fundraiser"), sentence="funraiser")) == ["a"]
    talks = (talk("a", "migration"), talk("b", "migratoin"))
    assert sessions(ask(*talks, sentence="migratoin"))[0] == "b"


@pytest.mark.parametrize(
    ("left", "right", "one"),
    [("abc", "abc", False), ("abc", "abd", True), ("abc", "ab", True), ("abc", "acb", True),
     ("abc", "ade", False), ("abc", "abcde", False), ("", "a", True), ("abcd", "badc", False)],
)  # fmt: skip
def test_one_edit(left, right, one):
    assert one_edit(left, right) is one and one_edit(right, left) is one


@pytest.mark.parametrize("word", ["running", "happy", "try", "use", "went", "конфигурация", "ab"])
def test_a_word_is_found_by_one_of_its_needles(word):
    made = Word(word)
    assert any(word.encode().startswith(needle) for needle in made.needles)
    assert made.weight(word.encode()) == 1.0


@pytest.mark.parametrize(
    ("asked", "said"),
    [("error", "errors"), ("errors", "error"), ("errors", "err"), ("messages", "msg"),
     ("dirs", "folders"), ("directories", "dir"), ("children", "kids"), ("kid", "child"),
     ("dependencies", "deps"), ("running", "ran"), ("ran", "runs"), ("writing", "wrote")],
)  # fmt: skip
def test_names_of_one_thing_and_irregular_forms_are_forms_in_any_number(asked, said):
    word = Word(asked)
    assert word.weight(said.encode()) == 1.0
    assert any(said.encode().startswith(needle) for needle in word.needles)


@pytest.mark.parametrize(("asked", "said"), [("author", "auth"), ("bounds", "bind")])
def test_what_only_looks_like_one_is_none(asked, said):
    assert Word(asked).weight(said.encode()) < 1.0


def test_chinese_questions():
    talks = (talk("a", "昨天我们修复了登录超时的错误"), talk("b", "今天天气很好"))
    assert sessions(ask(*talks, sentence="怎么修复登录超时的问题"))[0] == "a"
    assert sessions(ask(*talks, sentence="登录错误"))[0] == "a"


def test_a_chinese_word_is_not_parted_at_a_particle_inside_of_it():
    assert sorts("用户会话的请求失败") == {"用户会话": "run", "请求失败": "run"}
    assert sorts("怎么使用这个功能") == {"使用": "run", "功能": "run"}
    assert sorts("使用中")["使用中"] == "run"


@pytest.mark.parametrize(
    "name", ["C++", "C#", ".env", "127.0.0.1:8000", "10.4.2", ".gitignore", "1.2.3.4"]
)
def test_short_names_and_numbers_with_points_are_identifiers(name):
    assert sorts(f"what about {name} then")[name] == "identifier"
    talks = (talk("a", f"use {name}."), talk("b", "c env 127 0 1 8000 10 4 2 gitignore 1 2 3 4"))
    assert sessions(ask(*talks, sentence=f"{name}?"))[0] == "a"


@pytest.mark.parametrize("opening", ["Can you remember", "Remind me", "Did we discuss"])
def test_how_a_question_is_opened_weighs_little(opening):
    words = {t.spelling.lower(): t for t in split(f"{opening} why payments were late")}
    light = {"remember", "remind", "discuss"} & words.keys()
    assert light and all(words[word].weight < words["payments"].weight for word in light)


def test_negations_are_no_words():
    assert sorts("why don't tests pass, doesn’t it") == sorts("why tests pass")


def test_a_word_of_a_phrase_that_stands_there_is_not_missing():
    answer = ask(talk("a", r"import os\ndef main():\n    pass"), sentence="def main")
    why = answer.passages[0].why
    assert why.tier is Tier.EXACT and why.missing == ()


@pytest.mark.parametrize("sentence", ["🎉", "=>", "→", "≠ ∅", "🎉🎉"])
def test_symbols_alone_are_looked_for_as_they_stand(sentence):
    answer = ask(talk("a", f"well {sentence} done"), talk("b", "done"), sentence=sentence)
    assert sessions(answer) == ["a"]
    assert answer.passages[0].why.tier is Tier.EXACT


def test_stop_words_are_those_of_the_language_asked_in():
    assert "son" in sorts("when was her son injured at soccer")
    assert "son" not in sorts("quand est ce que son chat est dans la maison")


# ---------------------------------------------------------------- days

NOW = int(datetime(2026, 11, 30, 12, tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(
    ("sentence", "spans"),
    [
        ("on 7 July, 2023", ["2023-07-07"]),
        ("May 8", ["--05-08"]),
        ("8th of May 2024", ["2024-05-08"]),
        ("in October 2023", ["2023-10"]),
        ("2026-11-29", ["2026-11-29"]),
        ("am 3. März 2025", ["2025-03-03"]),
        ("2025年3月4日", ["2025-03-04"]),
        ("during 2022", ["2022"]),
        ("yesterday", ["2026-11-29"]),
        ("two weeks ago", ["2026-11-13/2026-11-19"]),
        ("last Tuesday", ["2026-11-24"]),
        ("on Monday", ["2026-11-30"]),
        ("last Monday", ["2026-11-23"]),
        ("letzten Freitag", ["2026-11-27"]),
        ("lundi dernier", ["2026-11-23"]),
        ("上周三的会话", ["2026-11-25"]),
        ("火曜日のバグ", ["2026-11-24"]),
        ("the day before yesterday", ["2026-11-28"]),
        ("last night", ["2026-11-29"]),
        ("vor 3 Tagen", ["2026-11-27"]),
        ("hace dos semanas", ["2026-11-13/2026-11-19"]),
        ("il y a 2 jours", ["2026-11-28"]),
        ("3天前", ["2026-11-27"]),
        ("la semana pasada", ["2026-11-17/2026-11-25"]),
        ("blue monday", []),
        ("the sun sat", []),
        ("三天后", []),
        ("it may work", []),
        ("march on", []),
        ("version 2.10", []),
        ("on 99 July", ["--07"]),
    ],
)
def test_days_in_words(sentence, spans):
    found, _ = dates.take(sentence, NOW)
    assert [str(span) for span in found] == spans


def test_a_day_is_taken_out_of_the_words():
    _, rest = dates.take("what did we ship on 7 July, 2023 to the server", NOW)
    assert "July" not in rest and "2023" not in rest and "server" in rest


def test_a_named_day_pulls_its_session_up_but_filters_nothing():
    day = datetime.fromtimestamp(1_700_000_000, UTC).strftime("%d %B %Y")
    talks = (talk("that", "deploy the server"), talk("other", "deploy the server", day=200))
    assert sessions(ask(*talks, sentence="deploy the server"))[0] == "other"
    answer = ask(*talks, sentence=f"deploy the server on {day}")
    assert sessions(answer) == ["that", "other"] and answer.dates
    assert "in the time asked for" in line(answer.passages[0].why)
    assert "not of the time asked for" in line(answer.passages[1].why)


def test_only_a_day():
    day = datetime.fromtimestamp(1_700_000_000, UTC).strftime("%Y-%m-%d")
    talks = (
        talk("that", "hello", "and more"),
        talk("next day", "good morning", day=1),
        talk("far", "hello again", day=90),
    )
    for sentence in (
        f"on {day}",
        f"what happened on {day}",
        f"which session did we have on {day}?",
    ):
        answer = ask(*talks, sentence=sentence)
        assert answer.dates == (day,)
        assert anchors(answer) == [("that", 0), ("next day", 0)]
        assert [line(found.why) for found in answer.passages] == [
            "in the time asked for", "near the time asked for",
        ]  # fmt: skip
    worked = ask(*talks, sentence=f"what did I work on, {day}").passages[0]
    assert line(worked.why) == "not: work · in the time asked for"
    assert ask(*talks, sentence=f"a quantum computer on {day}").passages == ()


@pytest.mark.contract("S0-27")
def test_only_a_day_does_not_find_the_question_itself():
    day = datetime.fromtimestamp(1_700_000_000, UTC).strftime("%Y-%m-%d")
    asking = talk("asking", f"what did we do on {day}?")
    answer = ask(
        asking, talk("that", "hello"), sentence=f"on {day}", current_session="claude:asking"
    )
    assert sessions(answer) == ["that"]


@pytest.mark.contract("S0-27")
def test_the_running_turn_is_that_of_the_file_a_thread_goes_on_in():
    """Codex begins another where turns are taken back, and names its thread all the same."""
    first = talk("019a-thread", "where is the parser", "the parser of before")
    further = talk("019a-thread_019b", "hello", "which parser do I mean", day=1)
    answer = ask(first, further, sentence="parser", current_session="claude:019a-thread")
    assert sessions(answer) == ["019a-thread"]


def test_the_prompt_of_a_day_stands_for_it():
    first = Said("an early prompt", 1_700_000_000_000 - 86_400_000 * 3)
    then = Said("a prompt of the day", 1_700_000_000_000)
    day = datetime.fromtimestamp(1_700_000_000, UTC).strftime("%Y-%m-%d")
    assert anchors(ask(talk("long", first, then, "the end"), sentence=f"on {day}")) == [("long", 1)]


# ---------------------------------------------------------------- sessions


def test_question_and_answer_count_together():
    apart = talk("apart", "retry", *(["filler"] * 9), "jitter")
    near = talk("near", "what about retry", Said("it needs jitter", kind=Kind.ANSWER))
    assert sessions(ask(apart, near, sentence="retry jitter"))[0] == "near"


def test_words_side_by_side_count():
    beside = talk("beside", "the token budget is small today")
    spread = talk("spread", "budget matters are one thing and quite another is a token")
    answer = ask(beside, spread, sentence="small token budgets")
    assert sessions(answer)[0] == "beside"
    assert "words side by side" in line(answer.passages[0].why)


@pytest.mark.contract("S3-13", "S3-31")
def test_why_says_what_matched_where_and_what_did_not():
    said = Said("retry retry retry", kind=Kind.TOOL_RESULT)
    why = ask(talk("a", "go on", said), sentence="retry with jitter").passages[0].why
    assert why.fields == ("tool output",) and why.missing == ("jitter",) and why.weight == 0.5
    assert line(why) == "1 of 2 words: retry · not: jitter · in tool output ×3 · weighed ½"


@pytest.mark.contract("S3-13")
def test_what_the_title_says_is_not_missing():
    session = talk("Flaky tests: port already in use", "the port is taken")  # its name is its title
    why = ask(session, sentence="flaky test, port taken, prefix").passages[0].why
    assert why.missing == ("prefix",) and "title" in why.fields
    assert line(why) == (
        "4 of 5 words: flaky, test, port, taken · not: prefix · you said it, in the title ×4"
        " · words side by side"
    )
    why = ask(session, terms=("flaky", "port", "ort al")).passages[0].why
    assert [hit.spelling for hit in why.terms] == ["port"] and why.missing == ()
