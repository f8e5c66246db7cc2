"""The scan: what is put off is looked for again, so that it changes no answer."""

from __future__ import annotations

import os
import random

import pytest

from recall_tui.model import Filter, Kind
from recall_tui.search.recall import policy, recall
from recall_tui.search.recall.half import Half
from recall_tui.search.recall.request import RecallRequest
from recall_tui.search.recall.scan import Scan
from recall_tui.search.recall.terms import literal, split
from tests.search.corpora import Said, never, store_corpus, write_sources
from tests.search.recall.asking import UTC, ask, corpus, sessions, talk


def many(count: int = 120):
    """Sessions of which every one speaks of errors, and each tenth of a zebra as well."""
    draw = random.Random(1)
    talks = []
    for number in range(count):
        rare = " the zebra" if number % 10 == 0 else ""
        said = [f"an error {'error ' * draw.randrange(4)}{draw.random()}", f"it{rare} was error"]
        talks.append(talk(f"t{number}", *said, day=number))
    return talks


def scanned(talks, sentence: str, enough: int):
    scan = Scan([corpus(*talks)], RecallRequest(sentence=sentence), split(sentence), {}, enough)
    assert scan.run(never)
    return scan


@pytest.fixture
def early(monkeypatch):
    """Small corpora are scanned as large ones are."""
    monkeypatch.setattr(policy, "FIRST_LOOK", 32)
    monkeypatch.setattr(policy, "SPARE", 4)


def test_a_common_word_is_put_off_once_enough_sessions_hold_a_rarer_one():
    found = scanned(many(), "error zebra", 4).found
    tallies = {t.spelling: tally for t, tally in zip(found.terms, found.tallies, strict=True)}
    assert all(tallies["error"].put_off)
    assert not any(tallies["zebra"].put_off)
    assert tallies["zebra"].messages == 12
    assert tallies["error"].messages == pytest.approx(240, rel=0.3)


def test_nothing_is_put_off_while_too_few_sessions_hold_a_rarer_word():
    found = scanned(many(), "error zebra", 100).found
    assert not any(any(tally.put_off) for tally in found.tallies)
    assert found.matches == 240


def test_the_rarest_word_is_never_put_off_in_talk_nor_what_was_never_found():
    found = scanned(many(), "error zebra nowhere", 4).found
    tallies = {t.spelling: tally for t, tally in zip(found.terms, found.tallies, strict=True)}
    assert not any(tallies["zebra"].put_off)
    assert not any(tallies["nowhere"].put_off)
    assert tallies["nowhere"].messages == 0


def test_words_are_put_off_once_enough_sessions_hold_all_of_them(monkeypatch):
    """Whatever they score: those who lack the rarest are of a lower tier."""
    monkeypatch.setattr(policy, "PROSPECT", 1e9)
    found = scanned(many(), "error zebra", 4).found
    tallies = {t.spelling: tally for t, tally in zip(found.terms, found.tallies, strict=True)}
    assert all(tallies["error"].put_off)
    assert not any(tallies["zebra"].put_off)


def test_what_was_put_off_is_complete_where_it_is_looked_for_again():
    talks = many()
    part, whole = scanned(talks, "error zebra", 4), scanned(talks, "error zebra", 0)
    known = {seen.name: at for at, seen in enumerate(part.found.blocks)}
    blocks = {block.session: block for block in corpus(*talks).blocks(Filter())}
    for at, seen in enumerate(whole.found.blocks):
        place = known.get(seen.name, -1)
        table = part.found.table(place) if place >= 0 else {}
        part.again(0, blocks[seen.session], table)
        assert table == whole.found.table(at)


@pytest.mark.usefixtures("early")
def test_the_answer_is_the_same_as_of_a_complete_scan(monkeypatch):
    talks = many()
    quick = ask(*talks, sentence="error zebra", limit=8)
    monkeypatch.setattr(policy, "FIRST_LOOK", 1 << 40)
    complete = ask(*talks, sentence="error zebra", limit=8)
    assert sessions(quick) == sessions(complete)
    assert (quick.estimated, complete.estimated) == (True, False), "and says what it counted"


@pytest.mark.contract("S0-67")
def test_explicit_terms_are_counted_to_the_last_message():
    talks = many()
    scan = Scan([corpus(*talks)], RecallRequest(terms=("error", "zebra")),
                [literal("error"), literal("zebra")], {})  # fmt: skip
    assert scan.run(never)
    assert [tally.messages for tally in scan.found.tallies] == [240, 12]
    assert not scan.found.estimated


def test_a_term_that_crosses_the_horizon_is_beyond_it():
    long = Said("x" * (10 * 1024 - 3) + " needle", kind=Kind.TOOL_RESULT)
    scan = Scan([corpus(talk("a", "go", long))], RecallRequest(terms=("needle",)),
                [literal("needle")], {})  # fmt: skip
    assert scan.run(never)
    assert scan.found.tallies[0].beyond == 1
    assert scan.found.matches == 0


# ------------------------------------------------------------ two halves, two processes


def answered(talks, sentence, *, divided):
    held = corpus(*talks)
    held.divided = divided
    envelope = recall([held], RecallRequest(sentence=sentence), never, UTC)
    return envelope._replace(reach=None)


@pytest.mark.usefixtures("early", "forking")
@pytest.mark.parametrize("sentence", ["error zebra", "eror zebra", "error zebr nowhere", "absent"])
def test_a_child_changes_no_answer(sentence):
    talks = many()
    alone = answered(talks, sentence, divided=False)
    assert answered(talks, sentence, divided=True) == alone
    assert alone.passages or sentence == "absent"


@pytest.mark.usefixtures("early", "forking")
@pytest.mark.parametrize("asked", [{"sentence": "error zebra"}, {"terms": ("error", "zebra")}])
def test_a_child_reads_an_index_by_connections_of_its_own(asked, tmp_path, monkeypatch):
    folder = tmp_path / "toy"
    folder.mkdir()
    write_sources(folder, many(40))
    with store_corpus(folder) as index:
        alone = recall([index], RecallRequest(**asked), never, UTC)
        monkeypatch.setattr("recall_tui.store.corpus.DIVISIBLE", 8)
        together = recall([index], RecallRequest(**asked), never, UTC)
    assert together.passages == alone.passages
    assert together.verified == alone.verified


@pytest.mark.usefixtures("early", "forking")
def test_what_a_dead_child_leaves_is_done_here(monkeypatch):
    def die(self):
        os._exit(1)

    monkeypatch.setattr(Half, "give", die)
    talks = many()
    assert answered(talks, "error zebra", divided=True) == answered(
        talks, "error zebra", divided=False
    )


def test_a_guess_is_what_somebody_said_unless_only_tools_are_asked():
    """A word that is nowhere costs a look at the talk, not a second one at everything."""
    talks = [talk("a", "go", Said("the zebra", kind=Kind.TOOL_RESULT))]
    assert ask(*talks, sentence="zebrra").unmatched == ("zebrra",)
    output = Filter(kinds=(Kind.TOOL_RESULT,))
    assert sessions(ask(*talks, sentence="zebrra", chosen=output)) == ["a"]
    assert sessions(ask(*talks, talk("b", "a zebra"), sentence="zebrra")) == ["b", "a"]
