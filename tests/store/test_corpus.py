"""The index as a corpus: filters, order, what is read for an answer and what is not."""

from __future__ import annotations

import re
import sqlite3
import threading
from contextlib import closing

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recall_tui.errors import StoreError
from recall_tui.model import Declined, Filter, Kind, Role
from recall_tui.search.ports import Corpus
from recall_tui.store import choice
from recall_tui.store.connect import open_reader
from recall_tui.store.corpus import StoreCorpus, _prepare
from recall_tui.store.skeleton import Skeleton
from tests.store.toy import line

T = 1_700_000_000_000


def meta(**facts) -> str:
    import json

    return json.dumps({"meta": facts}) + "\n"


@pytest.fixture
def filled(desk):
    desk.write(
        "one.jsonl",
        meta(cwd="/home/dev/100%_App", branch="Feature/ÄPFEL", models=["gpt-5"], title="First"),
        line(text="ask", t=T),
        line("tool_call", "ls", t=T + 1, tool="Bash", call="c1", rest="more"),
        line("tool_result", "out", t=T + 2, call="c1", failed=True),
        line("answer", "done", t=T + 3),
    )
    desk.write("two.jsonl", meta(cwd="/srv/other"), line(text="later", t=T + 1000))
    desk.write("three.jsonl", line(text="no time"))
    desk.write("m/sub/agent-0001.jsonl", meta(kind="subagent"), line("delegation", "do", t=T + 500))
    desk.sync()
    return desk


def names(desk, **fields) -> list[str]:
    return [s.name for s in desk.corpus.sessions(Filter(**fields))]


def test_it_is_a_corpus(filled):
    corpus: Corpus = filled.corpus
    assert corpus.name == "index"
    assert isinstance(corpus.candidates([b"x"], Filter()), Declined)


@pytest.mark.parametrize("only", [False, True], ids=["everything", "below its root"])
def test_places_are_those_of_the_sessions(filled, only):
    for name in "ba":  # as old as another
        filled.write(f"{name}.jsonl", line(text=name, t=T + 1000))
    filled.sync()
    roots = (str(filled.source),) if only else ()
    with closing(StoreCorpus(filled.index, roots)) as corpus:
        for fields in ({}, {"mains_only": True}, {"since_ms": T + 500}, {"sessions": ("toy:a",)}):
            sessions = corpus.sessions(Filter(**fields))
            places = [(s.ended_ms, s.key, s.parent) for s in sessions]
            assert corpus.listed(Filter(**fields)) == places
            assert places == sorted(places, key=lambda place: (-place[0], place[1]))


def test_a_list_asks_as_much_of_many_sessions_as_of_few(filled):
    def asked() -> int:
        questions: list[str] = []
        with closing(StoreCorpus(filled.index, (str(filled.source),))) as corpus:
            with corpus._readers.lease() as connection:
                connection.set_trace_callback(questions.append)
            corpus.sessions(Filter())
        return len(questions)

    few = asked()
    for number in range(20):
        filled.write(f"more-{number}.jsonl", line(text="more", t=T))
    filled.sync()
    assert asked() == few


def test_sessions_newest_first(filled):
    assert names(filled) == ["two", "agent-0001", "one", "three"]
    session = filled.session("one")
    assert (session.title, session.cwd, session.last_cwd) == (
        "First", "/home/dev/100%_App", "/home/dev/100%_App",
    )  # fmt: skip
    assert (session.prompts, session.tool_calls, session.errors, session.messages) == (1, 1, 1, 4)
    assert session.models == ("gpt-5",)
    assert session.root == str(filled.source)


@pytest.mark.contract("S3-23")
def test_text_filters_are_literal_and_ignore_case(filled):
    assert names(filled, cwd="100%_app") == ["one"]
    assert names(filled, cwd="100_") == []
    assert names(filled, cwd="%") == ["one"]
    assert names(filled, branch="äpfel") == ["one"]
    assert names(filled, model="GPT") == ["one"]
    assert names(filled, harnesses=("box",)) == []
    assert names(filled, harnesses=("toy", "box"), cwd="srv") == ["two"]
    assert names(filled, mains_only=True) == ["two", "one", "three"]


def test_bounds_are_inclusive_and_the_unknown_time_passes(filled):
    assert names(filled, since_ms=T + 1000) == ["two", "three"]
    assert names(filled, since_ms=T + 1001) == ["three"]
    assert names(filled, until_ms=T) == ["one", "three"]
    assert names(filled, until_ms=T - 1) == ["three"]


def test_naming_sessions(filled):
    assert names(filled, sessions=("toy:one",)) == ["one"]
    assert names(filled, sessions=("one", "two")) == ["two", "one"]
    assert names(filled, sessions=("agent-00",)) == ["agent-0001"]
    assert names(filled, sessions=("agent-0",)) == []  # too short to be a prefix
    assert names(filled, sessions=("nobody",)) == []
    assert [s.name for s in filled.corpus.find("toy:agent-000")] == ["agent-0001"]
    assert filled.corpus.find(str(filled.source / "two.jsonl"))[0].name == "two"
    assert filled.corpus.find("") == []


def test_roots_are_folders_not_prefixes_of_names(filled):
    assert names(filled, roots=(str(filled.source / "m"),)) == ["agent-0001"]
    assert names(filled, roots=(str(filled.source) + "/",)) == [
        "two", "agent-0001", "one", "three",
    ]  # fmt: skip
    assert names(filled, roots=(str(filled.source / "one"),)) == []
    assert names(filled, roots=(str(filled.source / "one.jsonl"),)) == ["one"]


def test_blocks_fall_in_time_and_skip_what_cannot_match(filled):
    corpus = filled.corpus
    blocks = list(corpus.blocks(Filter()))
    assert [b.last_ms for b in blocks] == sorted((b.last_ms for b in blocks), reverse=True)
    assert len(blocks) == 5
    assert len(list(corpus.blocks(Filter(roles=(Role.USER,))))) == 4
    assert len(list(corpus.blocks(Filter(kinds=(Kind.TOOL_RESULT,))))) == 1
    assert len(list(corpus.blocks(Filter(since_ms=T + 4)))) == 2
    assert len(list(corpus.blocks(Filter(until_ms=T - 1)))) == 1
    assert len(list(corpus.blocks(Filter(cwd="100%", sessions=("one",))))) == 2
    assert list(corpus.blocks(Filter(cwd="100%", sessions=("two",)))) == []


def test_a_child_may_read_half_of_many_blocks_while_nothing_is_open(filled, monkeypatch):
    corpus = filled.corpus
    assert not corpus.divisible(Filter()), "five are not many"
    monkeypatch.setattr("recall_tui.store.corpus.DIVISIBLE", 4)
    assert corpus.divisible(Filter())
    assert not corpus.divisible(Filter(cwd="100%"))
    scan = corpus.blocks(Filter())
    first = next(scan)
    assert not corpus.divisible(Filter())
    assert first.fold
    scan.close()
    assert corpus.divisible(Filter())


def test_messages_without_a_time_are_as_old_as_their_session_is_now(desk):
    desk.write("a.jsonl", meta(ended_ms=T), line(text="no time"), line("tool_result", "none"))
    desk.sync()
    after = Filter(since_ms=T + 1)
    assert list(desk.corpus.blocks(after)) == []
    desk.append("a.jsonl", line(text="timed", t=T + 50))
    desk.sync()
    assert {b.last_ms for b in desk.corpus.blocks(after)} == {T + 50}
    assert len(list(desk.corpus.blocks(after))) == 2


def test_a_block_gives_text_and_facts(filled):
    for block in filled.corpus.blocks(Filter(sessions=("one",), roles=(Role.TOOL,))):
        for index, kind in enumerate(block.meta.kinds):
            if kind == Kind.TOOL_CALL:
                assert block.text_of(index) == "ls\nmore"
                assert block.fold_of(index) == b"ls\nmore"
                assert block.attributes_of(index)["tool"] == "Bash"


def test_a_dropped_iterator_gives_its_connection_back(filled):
    corpus = filled.corpus
    blocks = corpus.blocks(Filter())
    next(blocks)
    del blocks
    filled.append("one.jsonl", line(text="again", t=T + 5000))
    filled.sync()
    assert next(corpus.blocks(Filter())).last_ms == T + 5000
    assert len(corpus._readers._idle) <= 2


def test_a_scan_sees_one_state_while_the_writer_goes_on(filled):
    corpus = filled.corpus
    expected = [(b.id, b.fold) for b in corpus.blocks(Filter())]
    scan = ((b.id, b.fold) for b in corpus.blocks(Filter()))
    seen = [next(scan)]
    filled.append("one.jsonl", line(text="again", t=T + 5000))
    filled.write("four.jsonl", line(text="new", t=T + 6000))
    filled.sync()
    seen += scan
    assert seen == expected
    assert len(list(corpus.blocks(Filter()))) == len(expected) + 1


def test_messages_by_position(filled):
    row = filled.session("one").id
    corpus = filled.corpus
    messages = corpus.messages(row)
    assert [m.position for m in messages] == [0, 1, 2, 3]
    assert [m.kind for m in messages] == [
        Kind.PROMPT, Kind.TOOL_CALL, Kind.TOOL_RESULT, Kind.ANSWER,
    ]  # fmt: skip
    call = messages[1]
    assert (call.tool, call.call, call.text, call.horizon) == ("Bash", "c1", "ls\nmore", 2)
    assert corpus.messages(row, 1, 3) == messages[1:3]
    assert corpus.messages(row, 3) == messages[3:]
    assert corpus.messages(row, 9) == []
    assert messages[0].reference.key == "toy:one"


def test_a_skeleton_agrees_with_the_messages(filled):
    row = filled.session("one").id
    messages = filled.corpus.messages(row)
    for bones in (filled.corpus.skeleton(row), Skeleton.of_messages(messages)):
        assert len(bones) == len(messages)
        assert list(bones.kinds) == [m.kind for m in messages]
        assert list(bones.flags) == [m.flags for m in messages]
        assert list(bones.times) == [m.time_ms for m in messages]
        assert list(bones.sizes) == [len(m.text.encode()) for m in messages]


def test_only_the_bodies_touched_are_unpacked(filled, monkeypatch):
    from recall_tui.store import corpus as module

    unpacked = []
    expand = module.expand
    monkeypatch.setattr(module, "expand", lambda raw: unpacked.append(1) or expand(raw))
    filled.corpus.messages(filled.session("one").id, 2, 3)
    # Position 2 is the tool result; the talk block spans 0..3 and has to be looked into.
    assert len(unpacked) <= 2
    list(filled.corpus.blocks(Filter()))
    filled.corpus.skeleton(filled.session("one").id)
    assert len(unpacked) <= 2


def test_coverage_and_versions(filled):
    cover = filled.corpus.coverage(Filter())
    assert (cover.sources, cover.sessions, cover.messages) == (4, 4, 7)
    assert (cover.oldest_ms, cover.newest_ms) == (T, T + 1000)
    assert filled.corpus.coverage(Filter(cwd="srv")).messages == 1
    assert filled.corpus.synced_ms() > 0
    version = filled.corpus.version()
    filled.append("one.jsonl", line(text="again", t=T + 5000))
    filled.sync()
    assert filled.corpus.version() > version


def test_gaps_of_a_root_or_harness_only(filled):
    filled.append("m/sub/agent-0001.jsonl", "{broken\n")
    filled.sync()
    corpus = filled.corpus
    assert len(corpus.gaps(Filter())) == 1
    assert len(corpus.gaps(Filter(roots=(str(filled.source / "m"),)))) == 1
    assert corpus.gaps(Filter(roots=(str(filled.source / "one.jsonl"),))) == []
    assert corpus.gaps(Filter(harnesses=("box",))) == []


def test_a_session_that_is_gone_is_an_error_in_words(filled):
    with pytest.raises(StoreError, match="no longer"):
        filled.corpus.session(9999)
    assert filled.corpus.session(filled.session("one").id).name == "one"


def test_a_block_kept_beyond_its_scan_still_reads_unless_rewritten(filled):
    corpus = filled.corpus
    kept = {b.session: b for b in corpus.blocks(Filter(roles=(Role.USER,)))}
    two, one = filled.session("two").id, filled.session("one").id
    assert kept[two].text_of(0) == "later"
    filled.append("one.jsonl", line(text="again", t=T + 5000))
    filled.sync()
    with pytest.raises(StoreError, match="rewritten"):
        kept[one].text_of(0)


def test_no_index_is_an_error_that_names_it(tmp_path):
    corpus = StoreCorpus(str(tmp_path / "none.db"))
    with pytest.raises(StoreError, match=r"none\.db"):
        corpus.sessions(Filter())


def test_junk_is_an_error_with_a_way_out(tmp_path):
    path = tmp_path / "index.db"
    path.write_bytes(b"not a database" * 1000)
    with pytest.raises(StoreError, match="rebuild"):
        StoreCorpus(str(path)).sessions(Filter())


def test_many_threads_read_at_once(filled):
    corpus, found = filled.corpus, []

    def read():
        for _ in range(20):
            found.append(len([b.text_of(0) for b in corpus.blocks(Filter())]))
            corpus.sessions(Filter())

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [5] * 80


# ---------------------------------------------------------------- the plans behind the questions


def plan(desk, query: str, values=()) -> str:
    connection = open_reader(desk.index)
    _prepare(connection)
    rows = connection.execute(f"EXPLAIN QUERY PLAN {query}", values).fetchall()
    connection.close()
    return "\n".join(row[3] for row in rows)


@pytest.mark.parametrize(
    "chosen",
    [
        Filter(),
        Filter(include_copies=True),
        Filter(since_ms=T, until_ms=T + 5),
        Filter(roles=(Role.USER,)),
        Filter(cwd="x", branch="y"),
        Filter(harnesses=("toy",), roots=("/a", "/b"), mains_only=True),
    ],
)
def test_choosing_blocks_never_touches_a_block(filled, chosen):
    steps = plan(filled, *choice.blocks(chosen, None)).splitlines()
    (way,) = [step for step in steps if " block " in step]
    assert "USING COVERING INDEX block_" in way
    if not chosen.cwd and not chosen.roots:
        assert "block_time" in way
        assert "USE TEMP B-TREE FOR ORDER BY" not in steps


def test_choosing_blocks_of_a_session_uses_its_index(filled):
    text = plan(filled, *choice.blocks(Filter(), [1]))
    assert "COVERING INDEX block_" in text


def test_other_hot_questions_use_their_index(filled):
    from recall_tui.store import corpus, writer
    from recall_tui.store.sync import plan as planning

    expected = {
        corpus._META: "INTEGER PRIMARY KEY",
        corpus._BODY: "INTEGER PRIMARY KEY",
        "SELECT meta FROM block WHERE session=? ORDER BY no": "INDEX block_session (session=?)",
        corpus._MESSAGES: "block_session (session=?)",
        writer._TAIL: "block_session (session=?)",
        planning._NAMESAKES: "source_native (native_id=? AND harness=?)",
        planning._ROWS_BELOW: "MULTI-INDEX OR",
    }
    for query, index in expected.items():
        values = [1] * query.count("?")
        text = plan(filled, query, values)
        assert index in text, text
    for condition, values in choice.naming("toy:agent-0001"):
        assert "SCAN" not in plan(filled, f"SELECT id FROM session WHERE {condition}", values)
    where, _ = choice.sessions(Filter(), None)
    sessions = f"SELECT id FROM session WHERE {where} ORDER BY ended_ms DESC, id DESC"
    assert "TEMP B-TREE" not in plan(filled, sessions)


@pytest.mark.parametrize("given", [{}, {"since_ms": T}, {"roots": ()}])
def test_the_reach_of_an_answer_is_told_by_indices(filled, given):
    chosen = Filter(**(given | {"roots": (str(filled.source),)} if "roots" in given else given))
    asked: list[str] = []
    with filled.corpus._readers.lease() as connection:  # the next lease is of the same connection
        connection.set_trace_callback(asked.append)
    filled.corpus.coverage(chosen)
    filled.corpus.gaps(chosen)
    steps = "\n".join(plan(filled, query) for query in asked if " FROM " in query).split("\n")
    reading = [step for step in steps if re.search(r"(SCAN|SEARCH) (session|source)\b", step)]
    assert reading
    assert [step for step in reading if "INDEX" not in step] == []


def test_roots_that_leave_nothing_out_are_no_filter(filled):
    root = str(filled.source)
    with closing(open_reader(filled.index)) as connection:

        def roots(*asked):
            return choice.unrooted(connection, Filter(roots=asked)).roots

        (first, last) = connection.execute("SELECT min(path), max(path) FROM source").fetchone()
        assert roots(root) == roots("/else", root + "/") == roots("/") == ()
        assert roots(first) == (first,) != (last,)
        assert roots(root[:-1]) == (root[:-1],)
        assert roots("/else") == ("/else",)


# ---------------------------------------------------------------- SQL says what the model says


@settings(suppress_health_check=list(HealthCheck))
@given(
    st.builds(
        lambda **fields: Filter(**fields),  # noqa: PLW0108 - else every field is drawn
        harnesses=st.sampled_from([(), ("toy",), ("box",)]),
        cwd=st.sampled_from(["", "100%", "SRV", "_", "nope"]),
        branch=st.sampled_from(["", "äp", "x"]),
        since_ms=st.sampled_from([None, T, T + 3, T + 501, T + 2000]),
        until_ms=st.sampled_from([None, T - 1, T, T + 499, T + 2000]),
        roles=st.sampled_from([(), (Role.USER,), (Role.TOOL,), (Role.USER, Role.TOOL)]),
        mains_only=st.booleans(),
    )
)
def test_no_admitted_message_is_missing_from_the_blocks(filled, chosen):
    corpus = filled.corpus
    everything = []
    for session in corpus.sessions(Filter()):
        admitted = (
            (not chosen.harnesses or session.harness in chosen.harnesses)
            and chosen.cwd.casefold() in session.cwd.casefold()
            and chosen.branch.casefold() in session.branch.casefold()
            and (not chosen.mains_only or session.kind != "subagent")
        )
        if not admitted:
            continue
        for message in corpus.messages(session.id):
            low = (
                chosen.since_ms is None or not message.time_ms or message.time_ms >= chosen.since_ms
            )
            high = chosen.until_ms is None or message.time_ms <= chosen.until_ms
            known_low = message.time_ms or chosen.since_ms is None
            if low and high and known_low and chosen.admits_kind(message.kind):
                everything.append((session.id, message.position))
    held = {(b.session, p) for b in corpus.blocks(chosen) for p in b.meta.positions}
    assert set(everything) <= held


def test_readers_cannot_write(filled):
    with filled.corpus._readers.lease() as connection, pytest.raises(sqlite3.OperationalError):
        connection.execute("DELETE FROM session")
