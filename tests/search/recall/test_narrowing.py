"""Recall asks a corpus which sessions may hold a term, reads those, and counts all of them."""

from __future__ import annotations

import pytest

from recall_tui.model import Candidates, Declined, Filter, GapKind, Kind
from recall_tui.search.recall import recall
from recall_tui.search.recall.request import RecallRequest
from tests.search.corpora import MemoryCorpus, Said, never
from tests.search.recall.asking import UTC, sessions, talk


class Naming(MemoryCorpus):
    """A corpus that names the sessions it is told to, and notes what is asked and read."""

    def __init__(self, *talks, names=None, counts=True):
        super().__init__(list(talks))
        self.names = names
        self.counts = counts
        self.asked = []
        self.read = []

    def candidates(self, terms, chosen):
        self.asked.append(list(terms))
        if self.names is None:
            return Declined("for the test")
        return Candidates(frozenset(r.id for r in self.rows if r.native_id in self.names))

    def coverage(self, chosen):
        held = super().coverage(chosen)
        return held if self.counts else held._replace(searchable=None)

    def blocks(self, chosen):
        for block in super().blocks(chosen):
            self.read.append(self.rows[block.session].native_id)
            yield block


TALKS = (
    talk("a", "alpha beta", Said("noted alpha", kind=Kind.NOTICE), day=3),
    talk("b", "nothing", Said("injected", kind=Kind.INJECTED), day=2),
    talk("c", "alpha", day=1),
)


def answer(corpus, **options):
    request = RecallRequest(**({"terms": ("Alpha",)} | options))
    return recall([corpus], request, never, UTC)


def ranks(envelope):
    return [(p.session.native_id, p.sequence, p.score) for p in envelope.passages]


@pytest.mark.contract("S0-41", "S0-45", "S0-71", "S0-123", "X-6")
def test_only_named_sessions_are_read_and_the_answer_is_the_same():
    full, short = Naming(*TALKS), Naming(*TALKS, names={"a", "c"})
    whole, narrow = answer(full), answer(short)
    assert short.asked == full.asked == [[b"alpha"]]
    assert set(full.read) == {"a", "b", "c"}
    assert set(short.read) == {"a", "c"}
    assert ranks(whole) == ranks(narrow) and sessions(narrow) == ["c", "a"]
    assert (whole.searched_every_session, narrow.searched_every_session) == (True, False)
    assert narrow.reach.sessions_searched == whole.reach.sessions_searched == 3


@pytest.mark.contract("S0-66", "S0-71")
def test_what_cannot_be_found_is_not_counted_among_what_could():
    """Notices and injected texts raise no score by their number."""
    quiet = [talk("a", "alpha beta", day=3), talk("b", "nothing", day=2), talk("c", "alpha", day=1)]
    scores = {p.session.native_id: p.score for p in answer(Naming(*TALKS)).passages}
    assert scores == {p.session.native_id: p.score for p in answer(Naming(*quiet)).passages}


@pytest.mark.contract("S0-60")
def test_sessions_that_nobody_asked_for_are_not_read():
    corpus = Naming(*TALKS, names={"a", "b", "c"})
    found = answer(corpus, chosen=Filter(sessions=("claude:c",)))
    assert sessions(found) == ["c"]
    assert set(corpus.read) == {"c"}


@pytest.mark.contract("S0-61")
def test_a_corpus_that_names_but_cannot_count_is_read_whole():
    corpus = Naming(*TALKS, names={"a"}, counts=False)
    found = answer(corpus)
    assert set(corpus.read) == {"a", "b", "c"}
    assert sessions(found) == ["c", "a"]
    assert found.searched_every_session


@pytest.mark.contract("S0-62")
def test_a_count_that_is_lost_after_the_narrowed_scan_makes_it_a_full_one():
    class Losing(Naming):
        def blocks(self, chosen):
            self.counts = False
            return super().blocks(chosen)

    corpus = Losing(*TALKS, names={"a"})
    found = answer(corpus)
    assert set(corpus.read) == {"a", "b", "c"}
    assert sessions(found) == ["c", "a"]
    assert found.searched_every_session


@pytest.mark.contract("S0-48", "S0-52", "S0-58")
def test_a_term_that_cannot_be_narrowed_is_looked_for_everywhere():
    class Strict(Naming):
        def candidates(self, terms, chosen):
            raise ValueError("not folded")

    corpus = Strict(*TALKS)
    assert sessions(answer(corpus)) == ["c", "a"]
    assert set(corpus.read) == {"a", "b", "c"}


def test_a_sentence_is_measured_against_whole_sessions_and_reads_them_all():
    corpus = Naming(*TALKS, names={"a"})
    found = answer(corpus, terms=(), sentence="alpha")
    assert corpus.asked == [] and set(corpus.read) == {"a", "b", "c"}
    assert found.searched_every_session


@pytest.mark.contract("S0-119")
def test_that_no_fact_matched_is_said_once():
    class Layer:
        def facts(self, terms, scope=""):
            return []

        def gaps(self, *, matched):
            from recall_tui.model import Gap

            return [] if matched else [Gap(GapKind.NO_FACTS, 1, "no fact of 3 matched")]

    for layers in ((), (Layer(),)):
        found = recall([Naming(*TALKS)], RecallRequest(terms=("alpha",)), never, UTC, layers)
        said = [g.detail for g in found.reach.gaps if g.kind is GapKind.NO_FACTS]
        assert len(said) == 1
