"""Naming the sessions that may hold a term: what is declined, what is always named."""

from __future__ import annotations

import json
import sqlite3

import pytest

from recall_tui.model import Candidates, Declined, Filter
from recall_tui.search.workspace import WorkspaceCorpus
from recall_tui.text.fold import fold
from recall_tui.workspace import database, narrow
from tests.workspace.build import CHUNK, Workspace, attachment
from tests.workspace.reading import ALL, matching, narrowed, opened, rows, term, texts
from tests.workspace.test_parity import TAME, WILD


def named(corpus: WorkspaceCorpus, *words: str) -> set[str] | str:
    """Native ids of the candidates, or why there are none."""
    found = corpus.candidates([term(word) for word in words], ALL)
    if isinstance(found, Declined):
        return found.reason
    return {corpus.session(row).native_id for row in found.sessions}


@pytest.fixture
def two(tmp_path):
    """One session in each store, and one in each that says nothing of interest."""
    workspace = Workspace(tmp_path)
    for ledger in (True, False):
        name = "ledger" if ledger else "legacy"
        made = workspace.session(name, ledger=ledger)
        workspace.user(made, "how large is the Context Window of 模型?")
        call = workspace.call(made, "Bash", {"command": "rg -n window"})
        workspace.result(made, call, {"kind": "text", "text": "100% of src/limits.py"})
        workspace.user(workspace.session(f"{name}-other", ledger=ledger), "something else")
    return opened(workspace.done())


@pytest.mark.contract("S0-45", "S0-47", "S0-49", "S0-51")
@pytest.mark.parametrize("word", ["context window", "模型", "rg -n", "100%", "limits.py"])
def test_both_stores_name_their_sessions(two, word: str) -> None:
    assert named(two, word) == {"ledger", "legacy"}
    assert {name for name, _ in matching(two, word)} == {"ledger", "legacy"}


@pytest.mark.contract("S0-40", "S0-49")
def test_several_terms_are_alternatives_and_wildcards_are_themselves(two) -> None:
    assert named(two, "nowhere", "else") == {"ledger-other", "legacy-other"}
    assert named(two, "100_") == set()
    assert named(two, "c%t") == set()


@pytest.mark.contract("S0-43")
def test_two_characters_inside_a_run_of_chinese(tmp_path) -> None:
    workspace = Workspace(tmp_path)
    workspace.user(workspace.session("a"), "浮窗现在只显示一个")
    workspace.user(workspace.session("b"), "没有这个")
    corpus = opened(workspace.done())
    assert named(corpus, "显示") == {"a"}
    assert matching(corpus, "显示") == [("a", 0)]


@pytest.mark.parametrize("ledger", [True, False])
def test_every_part_of_every_text_names_its_session(tmp_path, ledger: bool) -> None:
    """One session a text, so that nothing else in it makes it a candidate."""
    pieces = [*TAME, *WILD, 'C:\\\\server "quoted"', "\\u0041 typed", "a/b\\/c"]
    workspace = Workspace(tmp_path)
    for number, piece in enumerate(pieces):
        workspace.assistant(workspace.session(f"s{number}", ledger=ledger), f"x{piece}y")
    corpus = opened(workspace.done())
    tried = 0
    for block in list(corpus.blocks(ALL)):
        line = block.fold.replace(b"\xfe", b"\n").decode()
        for start in range(len(line)):
            word = line[start : start + 3]
            if fold(word) == word:
                found = corpus.candidates([word.encode()], ALL)
                assert isinstance(found, Declined) or block.session in found.sessions, word
                tried += isinstance(found, Candidates)
    assert tried > 200


def test_words_of_a_list_are_not_joined_inside_a_line(tmp_path) -> None:
    """Joined words would match a term that is stored nowhere."""
    workspace = Workspace(tmp_path)
    made = workspace.session("a")
    workspace.call(made, "Bash", {"command": ["rg", "-n", "window"]})
    corpus = opened(workspace.done())
    assert rows(corpus, b"rg -n") == narrowed(corpus, b"rg -n") == []
    assert matching(corpus, "window") == [("a", 0)]


@pytest.mark.contract("S0-32")
def test_an_attachment_is_found_by_its_name_on_both_paths(tmp_path) -> None:
    workspace = Workspace(tmp_path)
    made = workspace.session("a")
    workspace.user(made, "你看看", attachments=[attachment("Quarter plan.png", "a", "file-1")])
    corpus = opened(workspace.done())
    assert matching(corpus, "quarter plan") == [("a", 0)]
    (message,) = corpus.messages(corpus.sessions(ALL)[0].id)
    assert message.text == "你看看"
    assert [one.name for one in message.materials] == ["Quarter plan.png"]


# ---------------------------------------------------------------- declining


@pytest.mark.contract("S0-52", "S0-53")
@pytest.mark.parametrize("word", ['say "so', "C:\\temp", "two\nlines", "a\tb", "\x1b[31m"])
def test_a_term_that_is_stored_escaped_is_declined(two, word: str) -> None:
    assert "escaped" in named(two, word)


@pytest.mark.contract("S0-53")
@pytest.mark.parametrize("word", ["it's", "a/b", "\x7f", "<tag>", "空 格"])
def test_other_characters_are_not(two, word: str) -> None:
    assert named(two, word) == set()


@pytest.mark.contract("S0-48")
@pytest.mark.parametrize("table", ["runtime_events", "session_messages"])
def test_an_absent_store_declines_the_whole(tmp_path, table: str) -> None:
    workspace = Workspace(tmp_path)
    for ledger in (True, False):
        workspace.user(workspace.session(f"{ledger}", ledger=ledger), "window")
    workspace.db.execute(f"DROP TABLE {table}")
    corpus = opened(workspace.done())
    assert table in named(corpus, "window")
    assert len(rows(corpus, b"window")) == 1  # what is there is still read


@pytest.mark.contract("S0-54", "S0-55")
@pytest.mark.parametrize("damage", [
    "DELETE FROM session_message_chunks WHERE chunk_index = 1",
    "UPDATE session_message_payloads SET record_bytes = record_bytes + 1",
    "DELETE FROM session_message_chunks",
])  # fmt: skip
def test_an_incomplete_chunk_set_declines_the_whole(tmp_path, damage: str) -> None:
    workspace = Workspace(tmp_path)
    made = workspace.session("a", ledger=False)
    workspace.assistant(made, "x" * (2 * CHUNK) + "needle")
    workspace.user(workspace.session("b"), "needle")
    workspace.db.execute(damage)
    corpus = opened(workspace.done())
    assert "not complete" in named(corpus, "needle")
    # The damaged record keeps its place, without text, and is counted.
    assert [key for key, *_ in rows(corpus, b"needle")] == ["maka:b"]
    assert [gap.count for gap in corpus.gaps(ALL) if gap.kind == "unparsed"] == [1]
    assert corpus.find("maka:a")[0].messages == 1


@pytest.mark.contract("S0-58")
@pytest.mark.parametrize("word", [b"Window", "É".encode(), "e\u0301".encode(), b"", b"\xff"])
def test_a_term_that_is_not_folded_is_an_error(two, word: bytes) -> None:
    with pytest.raises(ValueError, match="a term must be"):
        two.candidates([word], ALL)


# ---------------------------------------------------------------- always named


@pytest.mark.contract("S0-50")
def test_a_session_mid_stream_is_always_named(tmp_path) -> None:
    workspace = Workspace(tmp_path)
    made = workspace.session("a")
    workspace.user(made, "go on")
    workspace.stream(made, ["the con", "text win", "dow is"])
    workspace.user(workspace.session("b"), "nothing")
    corpus = opened(workspace.done())
    assert named(corpus, "context window") == {"a"}
    assert matching(corpus, "context window") == [("a", 1)]
    assert named(corpus, "nothing at all") == {"a"}


@pytest.mark.contract("S0-54")
@pytest.mark.parametrize("shift", range(4))
def test_a_character_split_by_a_chunk_border_survives(tmp_path, shift: int) -> None:
    workspace = Workspace(tmp_path)
    made = workspace.session("a", ledger=False)
    workspace.assistant(made, "x" * shift + "模型" * (CHUNK // 2))
    borders = workspace.db.execute(
        "SELECT substr(data, 1, 1) FROM session_message_chunks WHERE chunk_index > 0"
    ).fetchall()
    corpus = opened(workspace.done())
    assert shift == 0 or any(0x80 <= first[0] < 0xC0 for (first,) in borders)
    assert matching(corpus, "型模型模") == [("a", 0)]
    assert "\ufffd" not in corpus.messages(1)[0].text


@pytest.mark.contract("S0-56", "S0-57")
@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ('{"text":"plain ASCII, Upper too"}', False),
        ('{"text":"模型的上下文窗口"}', False),
        ('{"text":"tiếng việt"}', False),
        ('{"text":"TIẾNG VIỆT"}', True),
        ('{"text":"Ελλάς"}', True),  # the final sigma folds to another
        ('{"text":"ελλα"}', False),
        ('{"text":"straße"}', True),
        ('{"text":"ﬁn"}', True),
        ('{"text":"e\u0301"}', True),
        ('{"text":"İ"}', True),
        ('{"text":"H\u0331"}', True),  # does not combine; in lower case it does
        ('{"text":"\\u0041"}', True),
        ('{"text":"C:\\\\users"}', False),  # an escaped backslash, then a letter
        ('{"text":"a\\\\\\u0041"}', True),
        ('{"text":"\\u001b[31m"}', True),
        ('{"text":"a\\bc"}', True),
        ('{"text":"a\\/b"}', True),
        ('{"text":"a\\n\\t\\r\\"b"}', False),
        ('{"text":"a\u202eb"}', True),
        ('{"text":"a\u0085b"}', True),
        ('{"text":"a\x7fb"}', True),
    ],
)
def test_which_records_are_unstable(record: str, expected: bool) -> None:
    assert narrow.unstable(record.encode()) is expected


@pytest.mark.contract("S0-56")
def test_an_unstable_record_is_always_named(tmp_path) -> None:
    workspace = Workspace(tmp_path)
    workspace.user(workspace.session("upper"), "CỬA SỔ NGỮ CẢNH")
    workspace.user(workspace.session("lower"), "cửa sổ ngữ cảnh")
    workspace.user(workspace.session("other"), "không có gì")
    corpus = opened(workspace.done())
    assert named(corpus, "ngữ cảnh") == {"upper", "lower"}
    assert named(corpus, "nowhere") == {"upper"}
    assert matching(corpus, "Ngữ Cảnh") == [("lower", 0), ("upper", 0)]


def test_bad_utf8_is_read_and_what_replaces_it_is_declined(tmp_path) -> None:
    workspace = Workspace(tmp_path)
    workspace.user(workspace.session("a"), "bad XY bytes 模型")
    workspace.db.execute(
        """UPDATE runtime_events SET payload_json =
        CAST(replace(CAST(payload_json AS BLOB), 'XY', x'e441b8ad') AS TEXT)"""
    )
    corpus = opened(workspace.done())
    assert texts(corpus, "a") == ["bad \ufffdA\ufffd\ufffd bytes 模型"]
    assert matching(corpus, "模型") == matching(corpus, "bytes") == [("a", 0)]
    assert "replacement" in named(corpus, "\ufffda")
    assert narrow.unstable(b'{"text":"\xff"}')
    assert not narrow.unstable(None)


@pytest.mark.contract("S0-44")
def test_folding_is_not_a_homomorphism_and_misses_are_the_same_on_both_paths(tmp_path) -> None:
    workspace = Workspace(tmp_path)
    workspace.user(workspace.session("a"), "ΟΔΟΣ ΟΔΟΣΑ İstanbul cafe\u0301")
    corpus = opened(workspace.done())
    assert matching(corpus, "οδος") == matching(corpus, "ΟΔΟΣ") == [("a", 0)]
    assert matching(corpus, "cafe") == []  # the text has é, which the term alone has not
    assert matching(corpus, "café") == [("a", 0)]
    assert matching(corpus, "i\u0307stanbul") == [("a", 0)]


def test_another_writers_escapes_are_found(tmp_path) -> None:
    """A JSON writer that escapes non-ASCII: the record is unstable, so nothing is missed."""
    workspace = Workspace(tmp_path)
    made = workspace.session("a")
    workspace.event(
        made, {"kind": "text", "text": ""}, role="user",
        payload=json.dumps({"role": "user", "content": {"kind": "text", "text": "模型"}}),
    )  # fmt: skip
    corpus = opened(workspace.done())
    assert matching(corpus, "模型") == [("a", 0)]


# ---------------------------------------------------------------- what is asked


class _Untouched:
    """A database nobody may touch."""

    def __getattr__(self, name: str):
        raise AssertionError(f"storage was touched: {name}")


@pytest.mark.contract("S0-59")
def test_no_sessions_are_answered_without_touching_storage(two, monkeypatch) -> None:
    assert narrow.in_ledger(_Untouched(), ["x"], []) == frozenset()
    assert narrow.in_legacy(_Untouched(), ["x"], []) == frozenset()
    two.sessions(ALL)
    monkeypatch.setattr(database.sqlite, "connect", _Untouched())
    nobody = Filter(sessions=("maka:nobody",))
    assert two.candidates([b"window"], nobody) == Candidates(frozenset())
    assert two.coverage(nobody).messages == 0
    assert list(two.blocks(nobody)) == []


@pytest.mark.contract("S0-60")
def test_sessions_that_were_not_asked_for_are_dropped(two, monkeypatch) -> None:
    monkeypatch.setattr(
        narrow, "candidates", lambda *_: frozenset({"ledger", "legacy-other", "stranger"})
    )
    assert named(two, "x") == {"ledger", "legacy-other"}
    found = two.candidates([b"x"], Filter(sessions=("maka:ledger",)))
    assert [two.session(row).native_id for row in found.sessions] == ["ledger"]


@pytest.mark.contract("S0-51")
def test_a_converted_session_is_not_looked_for_in_its_old_rows(tmp_path) -> None:
    """Rows left behind by a conversion: the ledger owns the session."""
    workspace = Workspace(tmp_path)
    made = workspace.session("a", ledger=True)
    workspace.user(made, "new words")
    workspace.row(made, "user", {"text": "old words"})
    old = workspace.session("b", ledger=False, transcriptLedgerVersion=2)
    workspace.row(old, "user", {"text": "old words"})
    corpus = opened(workspace.done())
    assert named(corpus, "old words") == {"b"}
    assert matching(corpus, "words") == [("a", 0), ("b", 0)]


@pytest.mark.contract("S0-3")
def test_nothing_is_registered_created_or_left_behind(tmp_path) -> None:
    workspace = Workspace(tmp_path, wal=True)
    workspace.user(workspace.session("a"), "window ÉTÉ")
    folder = workspace.done()
    before = {p.name: (p.stat().st_size, p.stat().st_mtime_ns) for p in folder.iterdir()}
    corpus = opened(folder)
    matching(corpus, "window")
    corpus.messages(1)
    assert {p.name: (p.stat().st_size, p.stat().st_mtime_ns) for p in folder.iterdir()} == before
    with sqlite3.connect(folder / "runtime.sqlite") as db, pytest.raises(sqlite3.OperationalError):
        db.execute("SELECT recall_fold_unstable('x')")
    db.close()


def test_a_writer_at_work_is_neither_blocked_nor_missed(tmp_path) -> None:
    workspace = Workspace(tmp_path, wal=True)
    made = workspace.session("a")
    workspace.user(made, "first")
    workspace.commit()
    corpus = opened(tmp_path)
    assert matching(corpus, "first") == [("a", 0)]
    reading = corpus.blocks(ALL)
    next(reading)
    workspace.user(made, "second")
    workspace.commit()
    reading.close()
    assert matching(corpus, "second") == [("a", 1)]
    workspace.done()
