"""Permanent: every corpus answers as a naive scan does, row for row and count for count."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_tui.model import Filter, Kind
from recall_tui.search import predicate
from recall_tui.search.grep import grep, positions
from recall_tui.search.predicate import compile_query, tallied
from recall_tui.search.results import Case, GrepQuery
from recall_tui.store import block
from tests.search.corpora import (
    MemoryCorpus,
    Said,
    Talk,
    cold_corpus,
    drained,
    naive_grep,
    never,
    paged,
    readable,
    rows,
    store_corpus,
    write_sources,
)

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2  # a dummy of the shape that is redacted

FRAGMENTS = [
    "context window", "TimeoutError", 'say "no"', "C:\\temp\\x", "\n", "\t", " ", "  ",
    "100%", "a_b", "naïve", "nai\u0308ve", "Straße", "STRASSE", "ẞ", "İstanbul", "ıI", "ΣΑΣ σας ς",
    "J\u030c", "ǰ", "e\u0301\u0323", "한국어", "\u1112\u1161\u11ab", "上下文窗口", "上下", "窓",
    "👩‍👩‍👧", "🇺🇳", "❤️",
    "हिन्दी", "العربية", "ﬁne", "K", "ſ", "x\u0345", "def f_timeout(", "error: not found",
    "\x1b[31mred\x1b[0m", "\x00", "\ufdd0", "\ufffd", SECRET, "token=" + SECRET + ";", "redacted",
]  # fmt: skip

texts = st.lists(
    st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=4), st.sampled_from("aAbB eE\u0301ß")),
    max_size=7,
).map("".join)

said = st.builds(
    Said,
    text=texts,
    time_ms=st.one_of(st.just(0), st.integers(1, 30)),
    kind=st.sampled_from([Kind.PROMPT, Kind.ANSWER, Kind.TOOL_CALL, Kind.TOOL_RESULT]),
)


@st.composite
def histories(draw):
    talks = draw(st.lists(st.builds(Talk, name=st.just(""), said=st.lists(said, max_size=8)),
                          min_size=1, max_size=4))  # fmt: skip
    for number, talk in enumerate(talks):
        talk.name = f"session-{number}"
        talk.ended_ms = draw(st.integers(1, 30))
        talk.copied = draw(st.integers(0, 2))
    return talks


@st.composite
def questions(draw, talks):
    """A term cut out of what was said, sometimes changed in case, sometimes foreign."""
    whole = [s.text for talk in talks for s in talk.said if s.text] or ["nothing"]
    text = draw(st.sampled_from(whole))
    start = draw(st.integers(0, len(text) - 1))
    term = text[start : start + draw(st.integers(1, 8))]
    change = draw(st.sampled_from([str, str.upper, str.lower, str.title, str.swapcase]))
    return draw(st.one_of(st.just(change(term)), texts.filter(bool)))


filters = st.builds(
    lambda **fields: Filter(**fields),  # noqa: PLW0108 - else every field is drawn
    since_ms=st.one_of(st.none(), st.integers(1, 30)),
    until_ms=st.one_of(st.none(), st.integers(1, 30)),
    kinds=st.sampled_from([(), (Kind.PROMPT,), (Kind.TOOL_RESULT, Kind.ANSWER)]),
    include_copies=st.booleans(),
)

REGEXES = [
    r"\w+", r"e+", r"[Ee]rror", r"not (?:found|here)|context", r"^\S+", r"\S+$", r".*", r"", "$^",
    r"(?i)STRASSE", r"i", r"I\w", r"İ", r"\bσ", r"(?<=\s)\w", r"a.b", r"[^a]", r"\W\n?", "J.", "j",
    r"window|窗口", r"(con)(text) ", r"(?:ab?)+", r"t{1,2}", r"(?:nope)?x", r"\ufdd0.", r"redacted",
    r"[^x]+", r"token=.*", r"\p{Lu}+", r"(?=con)c", r"(?<!con)text", r"é", "e\u0301",
    r"\x41", "ghp",
]  # fmt: skip


def compare(corpora, talks, query):
    expected = naive_grep(talks, query)
    whole = query._replace(limit=10_000)
    hits, last = drained(grep(corpora, whole, never))
    assert rows(hits) == expected
    assert last.total == len(expected)
    assert last.occurrences == sum(count for _, _, count in expected)
    assert last.sessions == len({key for key, _, _ in expected})
    assert last.next == ""
    assert rows(paged(grep, corpora, query, limit=2)) == expected
    counted, last = drained(grep(corpora, whole._replace(count_only=True), never))
    assert counted == []
    assert (last.total, last.occurrences) == (len(expected), sum(c for _, _, c in expected))
    return hits


@pytest.mark.contract("S0-36", "S0-37", "S0-40", "S0-43", "S0-44")
@given(data=st.data())
def test_a_literal_is_found_where_a_naive_scan_finds_it(data):
    talks = data.draw(histories())
    query = GrepQuery(
        data.draw(questions(talks)),
        case=data.draw(st.sampled_from(Case)),
        word=data.draw(st.booleans()),
        chosen=data.draw(filters),
    )
    corpus = MemoryCorpus(talks, block_size=data.draw(st.integers(1, 4)))
    compare([corpus], talks, query)


@pytest.mark.contract("S0-36", "S0-37", "S0-41")
@given(data=st.data())
def test_a_regular_expression_is_found_where_a_naive_scan_finds_it(data):
    talks = data.draw(histories())
    query = GrepQuery(
        data.draw(st.sampled_from(REGEXES).filter(bool)),
        regex=True,
        case=data.draw(st.sampled_from([Case.EXACT, Case.IGNORE])),
        word=data.draw(st.booleans()),
        chosen=data.draw(filters),
    )
    corpus = MemoryCorpus(talks, block_size=data.draw(st.integers(1, 4)))
    compare([corpus], talks, query)


@given(data=st.data())
def test_what_is_counted_is_what_is_found(data):
    talks = data.draw(histories())
    word = data.draw(st.booleans())
    query = GrepQuery(data.draw(questions(talks)), case=data.draw(st.sampled_from(Case)), word=word)
    for held in MemoryCorpus(talks, block_size=data.draw(st.integers(1, 4))).blocks(Filter()):
        found = compile_query(query).search(held)
        assert compile_query(query).tally(held) == tallied(found)


@given(data=st.data())
def test_several_corpora_answer_as_one(data):
    talks = data.draw(histories())
    query = GrepQuery(data.draw(questions(talks)), case=Case.IGNORE, chosen=data.draw(filters))
    cut = data.draw(st.integers(0, len(talks)))
    compare([MemoryCorpus(talks[:cut]), MemoryCorpus(talks[cut:], block_size=1)], talks, query)


@pytest.mark.contract("S0-41", "S0-129")
@settings(max_examples=settings.default.max_examples // 2)
@given(data=st.data())
def test_the_index_and_the_cold_path_answer_as_a_naive_scan(data):
    talks = data.draw(histories())
    for talk in talks:
        talk.harness, talk.copied = "toy", 0
    queries = [
        GrepQuery(
            data.draw(questions(talks)),
            case=data.draw(st.sampled_from(Case)),
            word=data.draw(st.booleans()),
            chosen=data.draw(filters),
        ),
        GrepQuery(data.draw(st.sampled_from(REGEXES).filter(bool)), regex=True, case=Case.IGNORE),
    ]
    small = patch.object(block, "TARGET_BYTES", data.draw(st.integers(1, 200)))
    cut, late_ms = data.draw(st.integers(0, len(talks))), data.draw(st.integers(0, 20))
    with small, TemporaryDirectory() as name:
        parts = [Path(name) / part for part in ("one", "two", "all")]
        for folder, held in zip(parts, (talks[:cut], talks[cut:], talks), strict=True):
            folder.mkdir()
            write_sources(folder, held, late_ms=late_ms)
        with store_corpus(parts[2]) as stored, store_corpus(parts[0]) as half:
            for query in queries:
                indexed = compare([stored], talks, query)
                cold = compare([cold_corpus(parts[2])], talks, query)
                assert [listed(hit) for hit in indexed] == [listed(hit) for hit in cold]
                compare([cold_corpus(parts[1]), half], talks, query)


def listed(hit):
    """Everything a hit says, but for the row id of its session."""
    return hit._replace(session=hit.session._replace(id=0))


@given(data=st.data())
def test_find_inside_agrees_with_grep(data):
    talks = data.draw(histories())
    query = GrepQuery(data.draw(questions(talks)), case=data.draw(st.sampled_from(Case)))
    corpus = MemoryCorpus(talks)
    everything = query._replace(chosen=Filter(include_copies=True), limit=10_000)
    hits, _ = drained(grep([corpus], everything, never))
    for session in corpus.rows:
        expected = sorted(h.position for h in hits if h.session.id == session.id)
        assert positions(corpus, session, query) == expected


@given(data=st.data())
def test_an_excerpt_is_text_of_the_message_and_its_spans_are_matches(data):
    talks = data.draw(histories())
    query = GrepQuery(data.draw(questions(talks)), case=data.draw(st.sampled_from(Case)))
    said = {f"claude:{talk.name}": talk.said for talk in talks}
    finder = predicate.compile_query(query)
    for hit in drained(grep([MemoryCorpus(talks)], query._replace(limit=10_000), never))[0]:
        text = readable(said[hit.session.key][hit.position].text)
        assert hit.text in text
        assert hit.cut == (hit.text != text)
        assert hit.spans
        assert all(a < b <= c < d for (a, b), (c, d) in zip(hit.spans, hit.spans[1:], strict=False))
        for start, end in hit.spans:
            assert finder.count(hit.text[start:end]) >= (0 if query.word else 1)


@pytest.mark.parametrize("regex", [False, True])
def test_occurrences_do_not_overlap(regex):
    talks = [Talk("a", [Said("naïve aaa aaaa", 3), Said("aa\naa", 2), Said("none", 1)])]
    query = GrepQuery("aa", regex=regex, case=Case.IGNORE)
    hits, last = drained(grep([MemoryCorpus(talks)], query, never))
    assert rows(hits) == [("claude:a", 0, 3), ("claude:a", 1, 2)]
    assert last.occurrences == 5


@pytest.mark.parametrize("term", ["\ufdd0", "\ufdd1", "\x00", "\ud800", "\udcff", "\xff", "\xfe"])
@pytest.mark.parametrize("case", Case)
def test_no_term_reaches_a_separator_or_a_mark(term, case):
    talks = [Talk("a", [Said(f"key {SECRET} end", 1), Said("two", 2)])]
    for query in (GrepQuery(term, case=case), GrepQuery(term, case=case, regex=True)):
        assert drained(grep([MemoryCorpus(talks)], query, never))[0] == []
