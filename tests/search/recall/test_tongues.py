"""Questions in any language, and whatever is pasted as one: an odd word empties no answer."""

from __future__ import annotations

from time import process_time

import pytest

from recall_tui.search.recall import policy
from recall_tui.search.recall.envelope import Tier
from recall_tui.search.recall.terms import split
from recall_tui.search.recall.words import Word
from tests.search.recall.asking import ask, sessions, talk


def spellings(sentence: str, *sorts: str) -> list[str]:
    return [term.spelling for term in split(sentence) if not sorts or term.sort in sorts]


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("parser error", "这个parser有error吗"),  # no blanks around a Latin word
        ("timeout", "timeout이 발생했다"),
        ("연결 오류", "연결을 다시 했지만 오류가 났다"),  # particles
        ("연결이 끊어졌나요", "연결은 괜찮다"),
        ("ошибка подключения", "были ошибки при подключении"),  # other endings
        ("การเชื่อมต่อ", "เขาแก้การเชื่อมต่อแล้ว"),  # no blanks between words
        ("การเชื่อมต่อหมดเวลา", "การเชื่อมต่อ"),
        ("शब्दकोश", "यह शब्दकोश है"),  # marks inside a word
        ("ｅｒｒｏｒ", "an error"),
    ],
)
def test_a_word_is_found_as_its_language_writes_it(sentence, said):
    other = talk("other", "nothing of this kind")
    assert sessions(ask(talk("said", said), other, sentence=sentence)) == ["said"]


def test_a_word_is_not_found_inside_another_of_its_own_script():
    assert sessions(ask(talk("a", "재연결 deparser"), sentence="연결 parser")) == []


@pytest.mark.parametrize("quoted", ["“a pool”", "‘a pool’", "'a pool'", "‹a pool›", "『a pool』"])
def test_quotes_of_every_kind_make_a_phrase(quoted):
    assert spellings(f"why is {quoted} full", "phrase")[0] == "a pool"


@pytest.mark.parametrize(
    "sentence", ["don’t the kids’ toys fit", "rock 'n' roll at the dogs' bowl"]
)
def test_an_apostrophe_is_no_quote(sentence):
    assert spellings(sentence, "phrase") == [sentence]


def test_an_identifier_that_is_nowhere_finds_what_its_words_find():
    answer = ask(
        talk("words", "the user is looked up by name"),
        talk("other", "no such thing"),
        sentence="getUserByName",
    )
    assert sessions(answer) == ["words"]
    assert answer.passages[0].why.missing == ("getUserByName",)


def test_a_word_that_is_said_weighs_as_a_word_though_an_identifier_holds_it():
    weights = {term.spelling: term.weight for term in split("why is getUserName slow for a user")}
    assert weights["user"] == weights["slow"] == 1.0 and weights["Name"] < 0.5


def test_no_form_of_a_word_is_found_twice():
    for word in ("photo", "break", "mother", "config", "try"):
        needles = Word(word).needles
        assert not any(a != b and a.startswith(b) for a in needles for b in needles)


def test_the_parts_of_an_id_or_address_are_no_words():
    asked = "fault at 0x7ffde3a1b2c0 in 7f3c2a9e-1111-4222-8333-944455566677"
    assert spellings(asked, "word") == ["fault"]


def test_the_time_of_a_line_of_a_log_is_a_day():
    answer = ask(talk("a", "pool exhausted"), sentence="2024-05-01T12:33:11.123Z pool exhausted")
    assert (answer.dates, answer.terms) == (("2024-05-01",), ("pool", "exhausted"))


def test_a_pasted_trace_keeps_words_beside_its_paths():
    lines = [f'File "/srv/app/part_{n}.py", line {n}, in call_{n}' for n in range(20)]
    trace = "\n".join([*lines, "TimeoutError: connection pool exhausted"])
    terms = split(trace)
    assert len(terms) == policy.MAX_WORDS
    assert sum(term.exact for term in terms) == policy.MAX_EXACT
    (found,) = ask(talk("a", "the connection was exhausted"), sentence=trace).passages
    assert found.why.tier is Tier.SOME


@pytest.mark.parametrize("long", ["a-", "_", "0", "漢"])
def test_what_no_blank_parts_is_split_in_time_that_grows_with_its_length(long):
    started = process_time()
    split(long * (policy.MAX_SENTENCE_CHARS // len(long)))
    assert process_time() - started < 4  # it took twenty seconds; a slow machine needs one
