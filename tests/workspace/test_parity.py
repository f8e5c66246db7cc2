"""Narrowed equals full, row for row: over random workspaces and terms in several scripts."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from recall_tui.model import Declined
from recall_tui.text.fold import fold
from tests.workspace.build import CHUNK, TOKEN, Workspace, attachment
from tests.workspace.reading import ALL, narrowed, opened, rows

TAME = (
    "cache", "Cache", "lock", "tiếng việt", "模型", "上下文窗口", "图片", "οδος", "été", "йога",
    "한국어", "ですが", "🙂", "👩\u200d💻", "100%", "a_b", "foobar", "zero", "done",
    "C:\\build\\unit", 'said "so"', "tab\there", "line\r\nend", "x/y", "a\u2028b", TOKEN,
    "redacted", "ẖ", "istanbul", "[truncated 5 bytes]", "\ue000",
)  # fmt: skip
"""Stored as it is searched: only these tell whether anything else is missed."""
WILD = (
    "TIẾNG VIỆT", "ΟΔΟΣ", "Straße", "İstanbul", "e\u0301te\u0301", "ÉTÉ", "ﬁn", "ｆｕｌｌ", "Ⅷ",
    "ǰ\u0323", "H\u0331", "И\u0306ога", "\u1112\u1161\u11ab", "か\u3099", "fo\x1b[31mobar",
    "ze\u202ero", "do\x7fne", "\x07bell", "\ufdd0mark\ufdd1", "\u0085next", "K", "ſharp",
    "\ud800lone", "µ", "Å", "Ω", "ŉ", "ΐ", "\u0345iota", "DZ ǲ", "\ufeffbom", "\u00ad", "I\u0307",
)  # fmt: skip


def session(text, most):
    """Whether a session lies in the ledger, and what happens in it."""
    arguments = text | st.dictionaries(
        st.sampled_from(["command", "path", "url", "content", "query"]),
        text | st.lists(text, max_size=3) | st.integers(), max_size=3,
    )  # fmt: skip
    content = st.recursive(
        text | st.integers() | st.booleans() | st.none(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["kind", "output", "text"]), inner, max_size=3)
        ),
        max_leaves=5,
    )
    acts = [
        *(st.tuples(st.just(kind), text) for kind in ("user", "assistant", "attached", "stream")),
        st.tuples(st.just("call"), arguments),
        *(st.tuples(st.just(kind), content) for kind in ("result", "archived")),
        st.tuples(st.just("long"), text),
    ]
    return st.tuples(st.booleans(), st.lists(st.one_of(acts), min_size=1, max_size=most))


tame = st.lists(st.sampled_from(TAME), min_size=1, max_size=3).map(" ".join)
wild = st.lists(
    st.sampled_from(TAME + WILD) | st.text(max_size=3), min_size=1, max_size=4
).map("".join)  # fmt: skip
SESSIONS = st.lists(session(tame, 2) | session(wild, 4), min_size=1, max_size=6)


def lines_of(corpus) -> list[str]:
    """Every line that can be matched, as it is compared."""
    folds = [block.fold for block in corpus.blocks(ALL)]
    joined = b"\n".join(folds).replace(b"\xff", b"\n").replace(b"\xfe", b"\n")
    return sorted(set(joined.decode().split("\n")), key=len)


def word_of(data, lines: list[str]) -> str:
    """A term: a part of a line, or something of the same alphabet."""
    if not data.draw(st.integers(0, 4)):
        return data.draw(wild)
    line = data.draw(st.sampled_from(lines))[-200:]
    start = data.draw(st.integers(0, max(0, len(line) - 1)))
    return line[start : start + data.draw(st.integers(1, 14))]


def make(folder: Path, sessions, *, escape: bool) -> None:
    """Write a workspace; `escape` makes every non-ASCII character a \\u escape in half of it."""
    workspace = Workspace(folder)
    for number, (ledger, acts) in enumerate(sessions):
        made = workspace.session(f"s{number}", ledger=ledger, ms=1_760_000_000_000 + number)
        for kind, what in acts:
            if kind == "user":
                workspace.user(made, what)
            elif kind == "assistant":
                workspace.assistant(made, what, thinking="thought")
            elif kind == "call":
                workspace.call(made, "Bash", what)
            elif kind == "result":
                workspace.result(made, "call", what)
            elif kind == "attached":
                file = attachment(what, made.id, "file-1")
                workspace.user(made, "look", attachments=[file])
            elif kind == "stream":
                half = len(what) // 2
                if ledger:
                    workspace.stream(made, [what[:half], what[half:]])
            elif kind == "long":  # the filler is odd, so that chunks split characters
                workspace.assistant(made, "é" * (CHUNK // 2 - 40) + what + "x" * 99)
            else:
                workspace.archived(made, "call", what)
    workspace.done()
    if escape:
        _escape_half(workspace.path)


def _escape_half(path: Path) -> None:
    """Rewrite every second inline record as another program's JSON writer would have."""
    with sqlite3.connect(path) as db:
        for table, column in (
            ("runtime_events", "payload_json"),
            ("session_messages", "record_json"),
        ):
            found = db.execute(f"SELECT rowid, {column} FROM {table} WHERE rowid % 2").fetchall()
            for row, record in found:
                db.execute(
                    f"UPDATE {table} SET {column}=? WHERE rowid=?",
                    (json.dumps(json.loads(record), ensure_ascii=True), row),
                )
    db.close()


@pytest.mark.contract("S0-41", "S0-45", "S0-46", "S0-47", "S0-129")
@settings(suppress_health_check=list(HealthCheck))
@given(data=st.data(), sessions=SESSIONS, escape=st.booleans())
def test_narrowed_equals_full_row_for_row(data, sessions, escape) -> None:
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder), sessions, escape=escape)
        corpus = opened(folder)
        lines = lines_of(corpus)
        words = [word_of(data, lines) for _ in range(5)]
        for word in words:
            needle = fold(word).encode("utf-8", "ignore")
            if not needle or fold(needle.decode()) != needle.decode():
                continue
            full = rows(corpus, needle)
            short = narrowed(corpus, needle)
            if short is None:
                event("declined")
                continue
            event(f"narrowed, {'some' if full else 'no'} rows")
            assert short == full
        several = [n for w in words if (n := fold(w).encode("utf-8", "ignore"))]
        several = [n for n in several if fold(n.decode()) == n.decode()]
        if several:
            named = corpus.candidates(several, ALL)
            if not isinstance(named, Declined):
                holding = {key for n in several for key, *_ in rows(corpus, n)}
                assert holding <= {corpus.session(row).key for row in named.sessions}
