"""A new index beside the old one, exchanged in one step; migrations; versions."""

from __future__ import annotations

import os
import sqlite3
import threading
from contextlib import closing

import pytest

from recall_tui.errors import StoreError
from recall_tui.model import Filter, Presence
from recall_tui.store import database, edition, ingest, migrations, rebuild, schema
from recall_tui.store.connect import open_writer
from recall_tui.store.corpus import StoreCorpus
from recall_tui.store.kept import Kept
from recall_tui.store.migrations import bring_up_to_date
from recall_tui.store.sync.pending import pending
from recall_tui.store.user import Tombstones, mark_of
from recall_tui.text import batch
from tests.store.conftest import content
from tests.store.test_sync import counts
from tests.store.toy import line

T = 1_700_000_000_000


def execute(desk, statement: str) -> None:
    with closing(sqlite3.connect(desk.index)) as connection:
        connection.execute(statement)
        connection.commit()


def test_a_rebuild_gives_the_same_and_keeps_keys(desk):
    desk.write("x/a.jsonl", line(text="one", t=T))
    desk.sync()
    desk.write("y/a.jsonl", line(text="two", t=T))
    desk.sync()
    keys = {s.path: s.key for s in desk.corpus.sessions(Filter())}
    before, version = content(desk.index), desk.corpus.version()
    # Written later, so read first now: it would take the plain key if nothing held it.
    assert counts(desk.sync(rebuild=True)) == {"parsed": 2}
    assert content(desk.index) == before
    assert {s.path: s.key for s in desk.corpus.sessions(Filter())} == keys
    assert desk.corpus.version() > version
    assert not os.path.exists(desk.index + rebuild.BUILDING)


def test_who_reads_while_the_indices_are_exchanged_is_given_nothing_else(desk):
    for number in range(4):
        desk.write(f"{number}.jsonl", line(text=f"text {number}", t=T + number))
        desk.sync()
    os.unlink(desk.source / "1.jsonl")
    desk.touch(desk.source / "0.jsonl")  # read first by the rebuild: ids would change places
    sessions = {s.id: s.native_id for s in desk.corpus.sessions(Filter())}
    blocks = list(desk.corpus.blocks(Filter()))
    desk.sync(rebuild=True)
    assert {s.id: s.native_id for s in desk.corpus.sessions(Filter())} == sessions
    for block in blocks:
        with pytest.raises(StoreError, match="rewritten"):
            block.text_of(0)
    desk.write("new.jsonl", line(text="new", t=T))
    desk.sync()
    (new,) = desk.corpus.find("new")
    assert new.id not in sessions


def test_what_the_sources_no_longer_tell_comes_along(desk):
    secretless = line("tool_result", "Out " * 4000, t=T + 1, call="c", failed=True)
    gone = desk.write("a.jsonl", line(text="gone", t=T, id="r"), secretless)
    failing = desk.write("b.jsonl", line(text="good", t=T))
    desk.write("c.jsonl", line("tool_call", "ls", rest="rest", t=T))
    desk.sync()
    messages = {s.key: desk.corpus.messages(s.id) for s in desk.corpus.sessions(Filter())}
    gone.unlink()
    failing.write_bytes(b"\x00junk\x01" * 100)
    desk.sync()
    desk.sync(rebuild=True)
    after = {s.key: desk.corpus.messages(s.id) for s in desk.corpus.sessions(Filter())}
    assert after == messages
    assert desk.session("a").presence is Presence.GONE
    assert desk.session("a").errors == 1
    assert desk.sql("SELECT state FROM source ORDER BY path") == [("gone",), ("failed",), ("ok",)]


def test_sources_of_other_places_come_along(desk, tmp_path):
    from recall_tui.store.sync.discover import Place
    from recall_tui.store.sync.run import sync
    from tests.store.toy import Toy

    other = tmp_path / "other"
    other.mkdir()
    (other / "o.jsonl").write_text(line(text="elsewhere", t=T))
    desk.write("a.jsonl", line(text="here", t=T))
    desk.sync()
    sync(desk.index, [Place(Toy(), str(other))])
    assert desk.names() == ["a", "o"]
    desk.sync(rebuild=True)
    assert desk.texts("o") == ["elsewhere"]
    progress = sync(desk.index, [Place(Toy(), str(other))])
    assert counts(progress) == {"unchanged": 1}


def test_the_old_index_answers_until_the_exchange(desk):
    for n in range(10):
        desk.write(f"s{n}.jsonl", line(text=f"old {n}", t=T + n))
    desk.sync()
    seen = []

    def look(progress):
        seen.append(len(desk.names()))

    blocks = desk.corpus.blocks(Filter())
    next(blocks)
    desk.sync(rebuild=True, on_progress=look)
    assert set(seen) == {10}
    # A scan that began before the exchange ends on the index it began on.
    assert len(list(blocks)) == 9
    assert desk.names() == [f"s{n}" for n in range(10)]


def test_readers_in_other_threads_never_see_half(desk):
    for n in range(10):
        desk.write(f"s{n}.jsonl", line(text=f"text {n}", t=T + n))
    desk.sync()
    wrong, done = [], threading.Event()

    def read():
        corpus = StoreCorpus(desk.index)
        while not done.is_set():
            found = len(corpus.sessions(Filter()))
            if found != 10:
                wrong.append(found)
        corpus.close()

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(4):
        desk.sync(rebuild=True)
    done.set()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_stopped_rebuild_changes_nothing(desk):
    for n in range(5):
        desk.write(f"s{n}.jsonl", line(text=f"text {n}", t=T + n))
    desk.sync()
    before = desk.sql("SELECT id, key FROM session")
    assert not desk.sync(rebuild=True, stop=lambda: True).done
    assert desk.sql("SELECT id, key FROM session") == before
    assert not os.path.exists(desk.index + rebuild.BUILDING)


def test_a_broken_index_is_rebuilt_when_asked(desk):
    desk.write("a.jsonl", line(text="one", t=T))
    desk.sync()
    desk.close()
    desk._corpora.clear()
    for suffix in ("-wal", "-shm"):
        if os.path.exists(desk.index + suffix):
            os.unlink(desk.index + suffix)
    with open(desk.index, "r+b") as stream:
        stream.write(b"junk" * 5000)
    with pytest.raises(StoreError, match="rebuild"):
        desk.sync()
    assert desk.sync(rebuild=True).parsed == 1
    assert desk.texts("a") == ["one"]


@pytest.mark.contract("X-4")
def test_the_index_can_be_thrown_away(desk):
    desk.write("a.jsonl", line(text="one", t=T), line("tool_result", "x" * 30_000, t=T + 1))
    desk.write("m/sub/b.jsonl", line("delegation", "do", t=T))
    desk.sync()
    before = content(desk.index)
    desk.close()
    desk._corpora.clear()
    for name in os.listdir(os.path.dirname(desk.index)):
        os.unlink(os.path.join(os.path.dirname(desk.index), name))
    desk.sync()
    assert content(desk.index) == before


def test_a_full_disk_ends_in_words_and_loses_nothing(desk, monkeypatch):
    desk.write("a.jsonl", line(text="one", t=T))
    desk.sync()
    opened = open_writer

    def small(path):
        connection = opened(path)
        connection.execute("PRAGMA max_page_count=40")
        return connection

    monkeypatch.setattr(database, "open_writer", small)
    desk.write("b.jsonl", *(line("answer", "x" * 100_000, t=T + n) for n in range(30)))
    with pytest.raises(StoreError, match="full") as raised:
        desk.sync()
    assert "space" in raised.value.hint
    monkeypatch.undo()
    assert desk.texts("a") == ["one"]
    assert desk.sync().parsed == 1
    assert len(desk.texts("b")) == 30


def test_no_index_at_all_can_be_rebuilt(desk):
    desk.write("a.jsonl", line(text="one", t=T))
    assert desk.sync(rebuild=True).done
    assert desk.texts("a") == ["one"]


@pytest.mark.contract("S3-42")
def test_new_rules_build_anew_beside_and_old_text_obeys_them(desk, monkeypatch):
    gone = desk.write("a.jsonl", line(text="the code is 4711", t=T))
    desk.write("b.jsonl", line(text="another 4711", t=T))
    desk.sync()
    gone.unlink()
    desk.sync()
    key = desk.session("a").key

    def stricter(text):
        return text.replace("4711", "\ufdd0pin:\ufdd1")

    monkeypatch.setattr(edition, "TEXT_RULES", "other")
    monkeypatch.setattr(ingest, "mark", stricter)
    monkeypatch.setattr(batch, "mark", stricter)
    monkeypatch.setattr(batch, "secret_starts", lambda raw, low, beyond: [raw.index(b"4711")])
    progress = desk.sync()
    assert counts(progress) == {"parsed": 1}
    assert desk.session("a").key == key
    assert desk.texts("a") == ["the code is \ufdd0pin:\ufdd1"]
    assert desk.texts("b") == ["another \ufdd0pin:\ufdd1"]
    assert [b.fold for b in desk.corpus.blocks(Filter(sessions=("a",)))] == [b"the code is \xfe"]
    assert counts(desk.sync()) == {"unchanged": 1}


@pytest.mark.contract("S3-42")
def test_a_newer_index_is_refused_by_all(desk):
    desk.write("a.jsonl", line(text="one", t=T))
    desk.sync()
    execute(desk, f"PRAGMA user_version={schema.VERSION + 1}")
    with pytest.raises(StoreError, match=f"version {schema.VERSION + 1}"):
        desk.sync()
    with pytest.raises(StoreError, match="update"):
        StoreCorpus(desk.index).sessions(Filter())
    execute(desk, f"PRAGMA user_version={schema.VERSION}")
    assert desk.texts("a") == ["one"]


def test_a_database_of_somebody_else_is_left_alone(desk):
    os.makedirs(os.path.dirname(desk.index))
    execute(desk, "CREATE TABLE theirs (x)")
    with pytest.raises(StoreError, match="another database"):
        desk.sync()
    assert desk.sql("SELECT name FROM sqlite_schema") == [("theirs",)]


def test_steps_run_in_order_each_once(tmp_path, monkeypatch):
    path = str(tmp_path / "index.db")
    monkeypatch.setattr(schema, "VERSION", 1)
    with closing(open_writer(path)) as connection:
        bring_up_to_date(connection, "rules", ())
    order = []

    def first(connection):
        """Adds a column."""
        order.append("first")
        connection.execute("ALTER TABLE session ADD COLUMN colour TEXT")

    def second(connection):
        """Fails once."""
        order.append("second")
        if len(order) == 2:
            raise sqlite3.OperationalError("disk full")

    monkeypatch.setattr(schema, "VERSION", 3)
    with closing(open_writer(path)) as connection:
        with pytest.raises(sqlite3.OperationalError):
            bring_up_to_date(connection, "rules", (first, second))
        # One transaction: the first step's work is undone as well.
        assert schema.version(connection) == 1
        bring_up_to_date(connection, "rules", (first, second))
        assert schema.version(connection) == 3
        bring_up_to_date(connection, "rules", (first, second))
    assert order == ["first", "second", "first", "second"]


def made_by(desk, version: int) -> None:
    """Take out of an index what versions after this one brought; what it counted is the test's."""
    if version < 6:
        for trigger in ("added", "changed", "removed"):
            execute(desk, f"DROP TRIGGER source_{trigger}")
        for table in ("stamps", "unpacked"):
            execute(desk, f"DROP TABLE {table}")
    if version < 5:
        execute(desk, "ALTER TABLE session DROP COLUMN stated")
    if version < 4:
        execute(desk, "DROP TABLE summary")
    if version < 3:
        for index in ("session_counts", "source_lacking"):
            execute(desk, f"DROP INDEX {index}")
    if version < 2:
        for column in ("searchable", "searchable_copied"):
            execute(desk, f"ALTER TABLE session DROP COLUMN {column}")
    execute(desk, f"PRAGMA user_version={version}")


def test_an_index_of_version_1_learns_what_recall_can_find(desk):
    prompt, notice = line(text="one", t=T, id="a"), line("notice", "two", t=T, id="b")
    desk.write("a.jsonl", prompt, notice, line("answer", "three", t=T, id="c"))
    desk.sync()
    desk.write("b.jsonl", prompt, notice, line("answer", "other", t=T, id="d"))
    desk.sync()
    counted = desk.sql("SELECT searchable, searchable_copied FROM session ORDER BY id")
    assert counted == [(2, 0), (2, 1)]
    made_by(desk, 1)
    corpus = StoreCorpus(desk.index)
    assert corpus.coverage(Filter()).searchable is None  # nobody counted: still readable
    assert corpus.coverage(Filter()).messages == 4
    corpus.close()
    with closing(open_writer(desk.index)) as connection:
        bring_up_to_date(connection, edition.TEXT_RULES)
    assert desk.sql("SELECT searchable, searchable_copied FROM session ORDER BY id") == counted
    made = desk.sql(
        "SELECT name FROM sqlite_schema WHERE name IN ('session_counts','source_lacking')"
    )
    assert len(made) == 2


def test_an_index_of_version_3_learns_which_copies_begin_with_a_summary(desk):
    summary = line("summary", "what was said", t=T + 1, id="s")
    desk.write("main.jsonl", line(text="one", t=T, id="a"), summary)
    desk.write("copy.jsonl", summary, line(text="two", t=T + 2, id="b"))
    desk.sync()
    told = desk.sql("SELECT key, copied, parent FROM session ORDER BY key")
    assert [count for _, count, _ in told] == [1, 0]
    noted = desk.sql("SELECT * FROM summary ORDER BY block")
    execute(desk, "UPDATE session SET original=0, copied=0, parent=''")
    made_by(desk, 3)
    assert desk.corpus.coverage(Filter()).messages == 4  # still readable
    with closing(open_writer(desk.index)) as connection:
        bring_up_to_date(connection, edition.TEXT_RULES)
    assert desk.sql("SELECT key, copied, parent FROM session ORDER BY key") == told
    assert desk.sql("SELECT * FROM summary ORDER BY block") == noted


def test_an_index_of_version_4_is_compared_and_learns_which_ids_records_state(desk):
    desk.write("other.jsonl", '{"meta": {"stated_id": "a"}}\n', line(text="one", t=T))
    desk.sync()
    noted = desk.sql("SELECT stated FROM session")
    made_by(desk, 4)
    desk.append("other.jsonl", line(text="two", t=T))
    forgotten = Kept(Tombstones([(mark_of("toy", "x"), b"", 1)]))
    assert len(pending(desk.index, desk.places, forgotten).sources) == 1
    desk.sync(forgotten)
    assert noted == [(mark_of("toy", "a"),)] == desk.sql("SELECT stated FROM session")


def test_an_index_of_version_5_packs_how_its_files_looked(desk):
    for name in ("a.jsonl", "b.jsonl"):
        desk.write(name, line(text="one", t=T))
    desk.sync()
    packed = desk.sql("SELECT * FROM stamps")
    made_by(desk, 5)
    assert desk.corpus.coverage(Filter()).sessions == 2  # still readable
    assert desk.sync().unchanged == 2
    assert packed == desk.sql("SELECT * FROM stamps")
    assert len(packed) == 1


def test_the_steps_lead_to_this_version():
    assert len(migrations.STEPS) == schema.VERSION - 1
    assert schema.OLDEST_READABLE <= schema.VERSION


def test_a_rebuild_that_cannot_begin_leaves_nothing(desk, monkeypatch):
    desk.write("a.jsonl", line(text="one", t=T))
    desk.sync()

    def full(path: str) -> None:
        with open(path, "w") as file:
            file.write("half")
        raise StoreError("the disk is full")

    monkeypatch.setattr(rebuild, "Writer", full)
    with pytest.raises(StoreError):
        desk.sync(rebuild=True)
    assert not os.path.exists(desk.index + rebuild.BUILDING)


def test_half_an_index_of_a_killed_rebuild_is_swept_away(desk):
    desk.write("a.jsonl", line(text="one", t=T))
    desk.sync()
    begun = [rebuild.BUILDING, rebuild.BUILDING + ".begun", ".begun"]
    left = [desk.index + name + end for name in begun for end in ("", "-wal", "-shm")]
    for path in left:
        with open(path, "w") as file:
            file.write("half")
    desk.write("b.jsonl", line(text="two", t=T))
    desk.sync()
    assert not any(map(os.path.exists, left))
