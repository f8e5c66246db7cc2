"""What lifts one session above another that holds the same words."""

from __future__ import annotations

import pytest

from recall_tui.search.recall import dates
from recall_tui.search.recall.terms import split
from tests.search.recall.asking import ask, sessions, talk


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("What did Caroline paint?", ["Caroline"]),
        ("Paris or Rome, which was cheaper", ["Rome"]),
        ("Where Is The Parser", []),
        ("PARSER BROKEN", []),
        ("warum hat der Parser die Datei nicht gelesen", []),
        ("what's Anna's plan", ["Anna"]),
    ],
)
def test_a_capital_makes_a_name_unless_it_only_begins_a_sentence(sentence, names):
    assert [term.spelling for term in split(sentence) if term.name] == names


def test_a_session_that_never_says_the_name_comes_after_one_that_does():
    answer = ask(
        talk("other", "Joanna paints the lake, a lake of paint"),
        talk("named", "Caroline was there", "there was a lake, and she would paint it"),
        sentence="what lake did Caroline paint",
    )
    assert sessions(answer)[0] == "named"


def test_what_the_named_speaker_says_counts_more():
    def log(name, first, second):
        return talk(name, f"{first}: I bought a guitar", f"{second}: what a nice day it was")

    answer = ask(
        log("his", "Dave", "Anna"),
        log("hers", "Anna", "Dave"),
        sentence="what did Anna buy, a guitar",
    )
    assert sessions(answer)[0] == "hers"


def test_a_question_for_a_time_prefers_a_stretch_that_tells_one():
    answer = ask(
        talk("plain", "the camping trip was lovely indeed"),
        talk("told", "the camping trip was lovely yesterday"),
        sentence="when was the camping trip",
    )
    assert sessions(answer)[0] == "told"


@pytest.mark.parametrize(
    "sentence", ["When did it fail?", "what year was it", "how long did it take"]
)
def test_a_sentence_that_asks_for_a_time(sentence):
    assert dates.asked(sentence)


@pytest.mark.parametrize("sentence", ["whenever it fails", "what fails on Monday", "which parser"])
def test_a_sentence_that_does_not(sentence):
    assert not dates.asked(sentence)
