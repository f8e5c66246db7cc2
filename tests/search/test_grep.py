"""grep: order, pages, streaming, counts, gaps."""

from __future__ import annotations

import os
from array import array
from contextlib import nullcontext
from itertools import count
from types import SimpleNamespace

import pytest

from recall_tui.errors import QueryError
from recall_tui.model import Filter, GapKind, Kind, Material, Role
from recall_tui.search import grep as module
from recall_tui.search.grep import grep, positions
from recall_tui.search.page import Page, Place
from recall_tui.search.predicate import Tally
from recall_tui.search.results import Case, GrepQuery
from recall_tui.store.block import Block, Meta
from tests.search.corpora import MemoryCorpus, Said, Talk, drained, never, paged, rows

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2


def ask(talks, pattern, **options):
    """Hits and last update of a search over some talks."""
    corpus = MemoryCorpus(talks)
    return drained(grep([corpus], GrepQuery(pattern, **options), never))


def found(talks, pattern, **options):
    return rows(ask(talks, pattern, **options)[0])


def one(*texts, **options):
    """One session whose messages were said a second apart."""
    said = [Said(text, 1000 * (at + 1)) for at, text in enumerate(texts)]
    return [Talk("a", said, **options)]


# ---------------------------------------------------------------- the predicate


@pytest.mark.contract("S0-40")
def test_wildcards_of_sql_are_letters():
    assert found(one("at 100%", "at 1000", "a_b", "axb"), "100%") == [("claude:a", 0, 1)]
    assert found(one("at 100%", "at 1000", "a_b", "axb"), "a_b") == [("claude:a", 2, 1)]


@pytest.mark.contract("S0-43")
def test_two_chinese_characters_are_found_inside_a_sentence():
    assert found(one("模型的上下文窗口有多大？"), "窗口") == [("claude:a", 0, 1)]


@pytest.mark.contract("S0-36", "S0-37")
@pytest.mark.parametrize("options", [{}, {"case": Case.EXACT}, {"regex": True}, {"word": True}])
def test_what_a_redaction_shows_is_no_text(options):
    talks = one(f"my token {SECRET} is old")
    for term in ("redacted", "github", SECRET[:4], SECRET[-4:], SECRET, "…"):
        assert found(talks, term, **options) == []
    hits, _ = ask(talks, "token", **options)
    assert SECRET not in hits[0].text
    assert "[redacted:" in hits[0].text


def test_a_message_found_by_the_name_of_what_hangs_on_it_shows_that_name():
    held = (Material("1", "tide chart.png", "image", "image/png", 9),)
    talks = [Talk("a", [Said("", 1000, materials=held), Said("see above", 2000, materials=held)])]
    hits, last = ask(talks, "chart")
    assert (last.total, last.occurrences) == (2, 2)
    for hit in hits:
        ((start, end),) = hit.spans
        assert (hit.text[start:end], hit.occurrences) == ("chart", 1)
        assert hit.text.endswith("tide chart.png")


def test_smart_case_minds_capitals_only_when_there_are_some():
    talks = one("Error", "error", "ERROR")
    assert len(found(talks, "error")) == 3
    assert found(talks, "Error") == [("claude:a", 0, 1)]
    assert len(found(talks, "Error", case=Case.IGNORE)) == 3
    assert found(talks, "error", case=Case.EXACT) == [("claude:a", 1, 1)]
    assert len(found(talks, r"e\Sror", regex=True)) == 3
    assert found(talks, r"E\Sror", regex=True) == [("claude:a", 0, 1)]


def test_a_whole_word_touches_no_other():
    talks = one(
        "the cat sat", "concat", "cat_food", "cat", "(cat)", "Katzecat", "猫cat", f"{SECRET} cat"
    )
    for case in (Case.IGNORE, Case.EXACT):
        assert sorted(p for _, p, _ in found(talks, "cat", word=True, case=case)) == [0, 3, 4, 7]
    assert found(one("हिन्दी"), "हिन्द", word=True) == []


def test_a_whole_word_may_begin_inside_one_that_was_none():
    for case in (Case.IGNORE, Case.EXACT):
        assert found(one("xa a a"), "a a", word=True, case=case) == [("claude:a", 0, 1)]


def test_lines_and_messages_end_a_match():
    talks = one("first\nlast", "lost")
    assert found(talks, "^last$", regex=True) == [("claude:a", 0, 1)]
    assert found(talks, r"last.*lost", regex=True) == []
    assert found(talks, r"(?s)last.*lost", regex=True) == []
    assert found(talks, "t\nl") == [("claude:a", 0, 1)]


def test_a_match_ends_at_a_redaction_and_its_line_goes_on():
    talks = one(f"key {SECRET} rest")
    assert found(talks, r"key.*rest", regex=True) == []
    assert found(talks, r"^ rest", regex=True) == []
    assert found(talks, r"(?<=\W) rest", regex=True) == [("claude:a", 0, 1)]


@pytest.mark.parametrize("pattern", ["", "("])
def test_a_pattern_that_asks_nothing_is_refused_at_once(pattern):
    with pytest.raises(QueryError):
        grep([], GrepQuery(pattern, regex=True), never)


# ---------------------------------------------------------------- order and pages


def test_the_newest_comes_first_and_a_message_without_a_time_counts_as_the_last():
    talks = [
        Talk("b", [Said("x", 5), Said("x", 9)]),
        Talk("a", [Said("x", 9), Said("x")], ended_ms=9),
        Talk("c", [Said("x"), Said("x")], ended_ms=7),
    ]
    expected = ["a#1", "a#0", "b#1", "c#1", "c#0", "b#0"]
    assert [f"{k[-1]}#{p}" for k, p, _ in found(talks, "x")] == expected


def test_pages_put_end_to_end_are_the_whole():
    talks = [Talk(f"s{n}", [Said("x", (n * 7 + m) % 11) for m in range(9)]) for n in range(6)]
    whole = found(talks, "x", limit=1000)
    corpus = MemoryCorpus(talks)
    for limit in (1, 2, 7, 53, 54, 55):
        assert rows(paged(grep, [corpus], GrepQuery("x"), limit)) == whole


def test_a_cursor_keeps_its_place_when_messages_arrive():
    talks = [Talk("a", [Said("x", n + 1) for n in range(6)]), Talk("b", [Said("x", 3)])]
    query = GrepQuery("x", limit=3)
    first, last = drained(grep([MemoryCorpus(talks)], query, never))
    talks[0].said.append(Said("x", 99))
    talks.append(Talk("c", [Said("x", 100)]))
    rest, _ = drained(
        grep([MemoryCorpus(talks)], query._replace(cursor=last.next, limit=99), never)
    )
    assert rows(first) == [("claude:a", p, 1) for p in (5, 4, 3)]
    assert rows(rest) == [
        ("claude:a", 2, 1), ("claude:b", 0, 1), ("claude:a", 1, 1), ("claude:a", 0, 1),
    ]  # fmt: skip


def test_a_cursor_holds_no_text_and_survives_any_key():
    place = Place(-12, "claude:a:b\udcff", -3)
    assert Place.at_cursor(place.cursor()) == place


@pytest.mark.parametrize("cursor", ["x", "zz", "MQ", "é", "MTox", "YToxOms"])
def test_a_foreign_cursor_is_refused(cursor):
    with pytest.raises(QueryError, match="not a cursor"):
        grep([], GrepQuery("x", cursor=cursor), never)


@pytest.mark.contract("X-5")
@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused(limit):
    with pytest.raises(QueryError, match="at least 1"):
        grep([], GrepQuery("x", limit=limit), never)


def test_a_page_holds_no_more_than_it_may_hand_out():
    page = Page(3, None)
    for n in range(1000):
        page.offer(Match(Place(-n, "k", 0)))
        assert len(page._waiting) <= 3
    assert [-m.place.age for m in page.take_final(None)] == [999, 998, 997]
    assert page.more


class Match:
    def __init__(self, place):
        self.place = place


# ---------------------------------------------------------------- streaming


def test_hits_are_handed_out_as_soon_as_nothing_newer_can_follow():
    talks = [Talk(f"s{n}", [Said("x", 100 - n)]) for n in range(50)]
    corpus = MemoryCorpus(talks, block_size=1)
    updates = grep([corpus], GrepQuery("x", limit=5), never)
    update = next(updates)
    assert rows(update.hits) == [("claude:s0", 0, 1)]
    assert corpus.yielded == 2
    assert not update.done
    updates.close()


def test_a_block_that_may_hold_one_as_new_holds_a_hit_back():
    talks = [Talk("b", [Said("x", 9)]), Talk("a", [Said("x", 9)])]
    updates = list(grep([MemoryCorpus(talks, block_size=1)], GrepQuery("x"), never))
    assert [rows(update.hits) for update in updates] == [
        [("claude:a", 0, 1), ("claude:b", 0, 1)],
    ]


def test_a_corpus_that_promised_too_much_loses_nothing():
    """A file's time may lie: its messages then count as no newer than the file."""

    class Lying(MemoryCorpus):
        def blocks(self, chosen):
            for number, built in enumerate(b for blocks in self.built for b in blocks):
                yield Block(number, number, built.kind, 50 - number, built.meta, built.fold,
                            lambda b=built: b.raw)  # fmt: skip

    talks = [Talk(f"s{n}", [Said("x", 90 + n)]) for n in range(5)]
    corpus = Lying(talks, block_size=9)
    hits, last = drained(grep([corpus], GrepQuery("x"), never))
    assert [h.session.name for h in hits] == ["s0", "s1", "s2", "s3", "s4"]
    assert [h.time_ms for h in hits] == [90, 91, 92, 93, 94]
    assert rows(paged(grep, [corpus], GrepQuery("x"), 2)) == rows(hits)
    assert last.total == 5


def test_a_waiting_block_gives_its_fold_back():
    seen = []

    class Watched(MemoryCorpus):
        def blocks(self, chosen):
            for block in super().blocks(chosen):
                seen.append(block)
                yield block

    talks = [Talk("a", [Said("x", 5), Said("x", 1)]), Talk("b", [Said("y", 9)])]
    drained(grep([Watched(talks, block_size=1)], GrepQuery("x"), never))
    assert [len(block.fold) for block in seen] == [1, 0, 0]


def test_counting_only_shows_nothing():
    hits, last = ask(one("x x", "x", "y"), "x", count_only=True)
    assert (hits, last.total, last.occurrences, last.sessions, last.next) == ([], 2, 3, 1, "")


# ---------------------------------------------------------------- filters


@pytest.mark.contract("S3-18")
def test_both_time_bounds_are_inclusive():
    talks = [Talk("a", [Said("x", n) for n in range(1, 6)])]
    chosen = Filter(since_ms=2, until_ms=4)
    assert [p for _, p, _ in found(talks, "x", chosen=chosen)] == [3, 2, 1]


def test_kinds_and_roles_choose_messages():
    kinds = [Kind.PROMPT, Kind.ANSWER, Kind.TOOL_CALL, Kind.TOOL_RESULT]
    talks = [Talk("a", [Said("x", n + 1, kind) for n, kind in enumerate(kinds)])]
    assert [p for _, p, _ in found(talks, "x", chosen=Filter(roles=(Role.TOOL,)))] == [3, 2]
    assert [p for _, p, _ in found(talks, "x", chosen=Filter(kinds=(Kind.ANSWER,)))] == [1]
    hits, last = ask(talks, "x", chosen=Filter(roles=(Role.USER,)))
    assert (len(hits), last.total, last.occurrences) == (1, 1, 1)


def test_a_copied_message_counts_once_unless_copies_are_asked_for():
    talks = [
        Talk("a", [Said("x", 1), Said("x", 2)]),
        Talk("b", [Said("x", 1), Said("x", 3)], copied=1),
    ]
    assert found(talks, "x") == [("claude:b", 1, 1), ("claude:a", 1, 1), ("claude:a", 0, 1)]
    assert len(found(talks, "x", chosen=Filter(include_copies=True))) == 4


@pytest.mark.contract("S3-23")
def test_filter_values_are_literal():
    talks = [
        Talk("a", [Said("x", 1)], cwd="/w/100%_done"),
        Talk("b", [Said("x", 2)], cwd="/w/other"),
    ]
    assert found(talks, "x", chosen=Filter(cwd="0%_D")) == [("claude:a", 0, 1)]
    assert found(talks, "x", chosen=Filter(cwd="_")) == [("claude:a", 0, 1)]


# ---------------------------------------------------------------- reach


def test_reach_says_what_was_searched_and_what_a_filter_left_out():
    talks = [Talk("a", [Said("x", 1000)]), Talk("b", [Said("y", 9000)], cwd="/other")]
    _, last = ask(talks, "x", chosen=Filter(cwd="/work", since_ms=5))
    reach = last.reach
    assert (reach.sessions_searched, reach.sessions_total, reach.messages_searched) == (1, 2, 1)
    assert (reach.oldest_ms, reach.newest_ms, reach.since_ms) == (1000, 1000, 5)
    assert reach.path == "index"
    assert reach.complete
    assert [(g.kind, g.count, g.detail) for g in reach.gaps] == [
        (GapKind.FILTERED, 1, "1 session left out by cwd, since"),
    ]


def test_two_kinds_of_corpora_are_a_mixed_path():
    corpora = [MemoryCorpus(one("x")), MemoryCorpus([], name="cold")]
    assert drained(grep(corpora, GrepQuery("x"), never))[1].reach.path == "mixed"


@pytest.mark.contract("S0-25", "X-1")
def test_a_stopped_search_says_how_far_it_came():
    talks = [Talk(f"s{n}", [Said("x", 86_400_000 * (9 - n))]) for n in range(9)]
    asked = iter([False, False, True])
    corpus = MemoryCorpus(talks, block_size=1)
    hits, last = drained(grep([corpus], GrepQuery("x"), lambda: next(asked)))
    assert rows(hits) == [("claude:s0", 0, 1)]
    assert last.total == 2
    assert not last.reach.complete
    (gap,) = last.reach.gaps
    assert (gap.kind, gap.detail) == (
        GapKind.CANCELLED, "the search was stopped, down to 1970-01-08T00:00:00.000Z",
    )  # fmt: skip


@pytest.mark.contract("X-1")
def test_a_pattern_that_takes_too_long_is_a_gap_and_ends():
    bomb = "a" * 60 + "!bd"
    talks = [Talk(f"s{n}", [Said(bomb, n + 1), Said("fine", n + 1)]) for n in range(40)]
    query = GrepQuery(r"(?:a|aa)+[bc]d|fine", regex=True, timeout_s=0.02)
    hits, last = drained(grep([MemoryCorpus(talks)], query, never))
    assert not last.reach.complete
    (gap,) = last.reach.gaps
    assert gap.kind is GapKind.TIMED_OUT
    assert last.total == len(hits)
    assert gap.count >= 40
    assert last.total < 40  # it was given up after a few blocks


@pytest.mark.contract("X-1")
def test_a_pattern_that_is_slow_everywhere_ends_though_no_block_runs_out_of_time(monkeypatch):
    seconds = count()
    clock = SimpleNamespace(monotonic=lambda: next(seconds))
    monkeypatch.setattr("recall_tui.search.predicate.time", clock)
    talks = [Talk(f"s{n}", [Said("fine", n + 1)]) for n in range(40)]
    _, last = drained(grep([MemoryCorpus(talks)], GrepQuery("f.ne", regex=True), never))
    (gap,) = last.reach.gaps
    assert (gap.kind, gap.count) == (GapKind.TIMED_OUT, 40 - last.total)
    assert 0 < last.total < 40


def test_no_corpus_at_all_finds_nothing():
    hits, last = drained(grep([], GrepQuery("x"), never))
    assert (hits, last.total, last.reach.path) == ([], 0, "index")


# ---------------------------------------------------------------- hits


def test_a_hit_names_its_message_and_its_tool():
    talks = [Talk("a", [Said("", 1), Said("ls -la x", 2, Kind.TOOL_CALL, "Bash")])]
    (hit,), _ = ask(talks, "x")
    assert (hit.position, hit.kind, hit.tool, hit.time_ms) == (1, Kind.TOOL_CALL, "Bash", 2)
    assert str(hit.reference) == f"claude:a#1~{hit.digest:04x}"
    assert hit.text[slice(*hit.spans[0])] == "x"


def test_find_inside_a_session():
    talks = [
        Talk("a", [Said("X", 5), Said("y", 4), Said("x", 3)], copied=1),
        Talk("ab", [Said("x", 9)]),
    ]
    corpus = MemoryCorpus(talks)
    inside = positions(corpus, corpus.rows[0], GrepQuery("x"))
    assert inside == [0, 2]
    assert positions(corpus, corpus.rows[0], GrepQuery("X")) == [0]


def test_an_empty_meta_says_only_that_nothing_newer_follows():
    class Marked(MemoryCorpus):
        def blocks(self, chosen):
            for block in super().blocks(chosen):
                yield Block(0, 99, 0, block.last_ms, Meta(), b"", bytes)
                yield block

    talks = [Talk("a", [Said("x", 5)]), Talk("b", [Said("x", 3)])]
    for options in ({}, {"regex": True}, {"case": Case.EXACT}):
        corpus = Marked(talks, block_size=1)
        hits, last = drained(
            grep(
                [corpus],
                GrepQuery(options and ".*x" if "regex" in options else "x", **options),
                never,
            )
        )
        assert rows(hits) == [("claude:a", 0, 1), ("claude:b", 0, 1)]
        assert last.sessions == 2


def test_without_totals_the_search_ends_with_the_page_and_the_pages_are_the_whole():
    talks = [Talk(f"s{n}", [Said("x", 100 * n + 1), Said("x", 100 * n + 2)]) for n in range(9)]
    whole = found(talks, "x", limit=100)
    pages, cursor, ends = [], "", []
    while True:
        hits, last = ask(talks, "x", limit=5, cursor=cursor, totals=False)
        pages += rows(hits)
        ends.append(last.exact)
        cursor = last.next
        if not cursor:
            break
    assert pages == whole
    assert ends == [False, False, False, True]


# ------------------------------------------------------------ counted ahead, in a child


def crowd(count: int = 60) -> list[Talk]:
    """Sessions of two blocks; every fifth speaks of a whale, all of water."""
    return [
        Talk(f"s{n}", [Said(f"water {'Whale' if n % 5 == 0 else ''}", 100 + n), Said("Water", n)],
             copied=n % 7 == 0)
        for n in range(count)
    ]  # fmt: skip


def told(corpus: MemoryCorpus, query: GrepQuery) -> tuple:
    hits, last = drained(grep([corpus], query, never))
    return rows(hits), last.total, last.occurrences, last.sessions, last.next, last.exact


QUERIES = [
    GrepQuery("whale"), GrepQuery("water", limit=5), GrepQuery("water", count_only=True),
    GrepQuery("water", limit=5, totals=False), GrepQuery("Whale", case=Case.EXACT, limit=500),
    GrepQuery("water", limit=45, totals=False), GrepQuery("whale", totals=False),
    GrepQuery("w.{3}e", regex=True, limit=7), GrepQuery("nowhere"), GrepQuery("water", word=True),
    GrepQuery("water", chosen=Filter(since_ms=40, until_ms=130), count_only=True),
    GrepQuery("water", chosen=Filter(include_copies=True), count_only=True),
]  # fmt: skip


@pytest.mark.usefixtures("forking")
@pytest.mark.parametrize("query", QUERIES)
def test_a_child_that_counts_ahead_changes_nothing(query):
    alone, together = MemoryCorpus(crowd(), block_size=1), MemoryCorpus(crowd(), block_size=1)
    together.divided = True
    assert told(together, query) == told(alone, query)


@pytest.mark.usefixtures("forking")
@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("item", [None, 3])
def test_counts_of_a_child_that_died_or_saw_another_state_are_not_used(query, item, monkeypatch):
    def counted(blocks, count, stop):
        batch = array("q", next(genuine(blocks, count, stop)))
        yield batch[:4].tobytes()
        if item is not None:
            for at in range(5, len(batch), 4):
                batch[at] += item  # the id of the block
            yield batch[4:].tobytes()
        os._exit(1)

    genuine = module.counted
    monkeypatch.setattr(module, "counted", counted)
    alone, together = MemoryCorpus(crowd(), block_size=1), MemoryCorpus(crowd(), block_size=1)
    together.divided = True
    assert told(together, query) == told(alone, query)


@pytest.mark.usefixtures("forking")
def test_a_page_that_is_full_soon_starts_no_child(monkeypatch):
    started = []

    def divided(*given):
        started.append(given)
        return nullcontext()

    monkeypatch.setattr(module, "divided", divided)
    corpus = MemoryCorpus(crowd(), block_size=1)
    soon = GrepQuery("water", limit=5, totals=False)
    late = soon._replace(limit=45)
    hits, last = drained(grep([corpus], soon, never))
    assert (len(hits), last.exact, started) == (5, False, [])
    hits, last = drained(grep([corpus], late, never))
    assert (len(hits), last.exact, len(started)) == (45, False, 1)
    assert last.next
    assert hits == drained(grep([corpus], late._replace(totals=True), never))[0]


@pytest.mark.usefixtures("forking")
def test_a_state_that_changes_while_a_child_is_started_shows_no_hit_twice(monkeypatch):
    corpus = MemoryCorpus(crowd(), block_size=1)
    query = GrepQuery("water", limit=45, totals=False)
    expected, _ = drained(grep([corpus], query, never))

    def divided(*_):
        newer = Talk("newest", [Said("more water", 10_000)])
        corpus.__init__([*crowd(), newer], block_size=1)
        return nullcontext()

    monkeypatch.setattr(module, "divided", divided)
    hits, last = drained(grep([corpus], query, never))
    assert [hit.reference for hit in hits] == [hit.reference for hit in expected]
    assert last.next


@pytest.mark.usefixtures("forking")
def test_what_a_child_says_is_believed(monkeypatch):
    here = os.getpid()
    monkeypatch.setattr(
        module._Scan, "_tally", lambda *_: Tally(0, 0) if os.getpid() == here else Tally(7, 9)
    )
    corpus = MemoryCorpus(crowd(), block_size=1)
    corpus.divided = True
    *_, last = grep([corpus], GrepQuery("water", count_only=True), never)
    assert (last.total, last.occurrences) == (7 * 52, 9 * 52)


@pytest.mark.usefixtures("forking")
def test_a_child_does_not_outlive_its_search():
    corpus = MemoryCorpus(crowd(), block_size=1)
    corpus.divided = True
    updates = grep([corpus], GrepQuery("water", limit=5), never)
    assert next(updates).hits
    updates.close()
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
