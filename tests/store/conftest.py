"""A folder of toy sessions, an index beside it, and ways to look at what the index holds."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from recall_tui.model import Filter
from recall_tui.store import connect
from recall_tui.store.block import Meta
from recall_tui.store.corpus import StoreCorpus
from recall_tui.store.expand import Facts, expand
from recall_tui.store.sync.discover import Place
from recall_tui.store.sync.run import EVERYTHING, sync
from tests.store.toy import Box, Toy


class Desk:
    """One index over one folder of sources."""

    def __init__(self, folder: Path) -> None:
        self.source = folder / "source"
        self.source.mkdir()
        self.index = str(folder / "data" / "index.db")
        self.places = [Place(Toy(), str(self.source)), Place(Box(), str(self.source))]
        self._corpora: list[StoreCorpus] = []
        self._clock = 1_700_000_000

    def close(self) -> None:
        for corpus in self._corpora:
            corpus.close()

    def write(self, name: str, *lines: str, mode: str = "w") -> Path:
        """Write a source; every write has a later modification time than the one before."""
        path = self.source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, mode, encoding="utf-8") as stream:
            stream.write("".join(lines))
        self.touch(path)
        return path

    def append(self, name: str, *lines: str) -> Path:
        return self.write(name, *lines, mode="a")

    def touch(self, path: Path) -> None:
        self._clock += 1
        os.utime(path, (self._clock, self._clock))

    def sync(self, kept=EVERYTHING, **options):
        return sync(self.index, self.places, kept, **options)

    @property
    def corpus(self) -> StoreCorpus:
        if not self._corpora:
            self._corpora.append(StoreCorpus(self.index))
        return self._corpora[0]

    def session(self, name: str):
        """The one session of a name."""
        (found,) = self.corpus.find(name)
        return found

    def texts(self, name: str) -> list[str]:
        return [m.text for m in self.corpus.messages(self.session(name).id)]

    def names(self) -> list[str]:
        """Names of the listed sessions, sorted."""
        return sorted(s.name for s in self.corpus.sessions(Filter()))

    def sql(self, query: str, *values):
        with closing(sqlite3.connect(self.index)) as connection:
            return connection.execute(query, values).fetchall()


@pytest.fixture(autouse=True)
def _lazy_disk(request, monkeypatch):
    """Do not wait for the disk: a killed process loses nothing by that, only a power cut does."""
    if not request.module.__name__.endswith("test_connect"):
        lazy = [p.replace("synchronous=NORMAL", "synchronous=OFF") for p in connect._WRITER]
        monkeypatch.setattr(connect, "_WRITER", tuple(lazy))


@pytest.fixture
def desk(tmp_path: Path):
    made = Desk(tmp_path)
    yield made
    made.close()


_OWN = {
    "id",
    "key",
    "parent",
    "original",
    "copied",
    "searchable_copied",
    "folded",
    "children",
    "presence",
    "gone_ms",
}
"""Columns of a session that depend on the history of the index, not on the source alone."""


def content(index: str) -> dict:
    """Everything an index holds of the present sources, in a form that two indices share."""
    found = {}
    with closing(sqlite3.connect(index)) as connection:
        connection.row_factory = sqlite3.Row
        rows = connection.execute("SELECT * FROM session WHERE presence='present'").fetchall()
        for row in rows:
            facts = {name: row[name] for name in dict(row) if name not in _OWN}
            found[row["path"], row["part"]] = (facts, messages(connection, row["id"]))
    return found


def messages(connection: sqlite3.Connection, session: int) -> list[tuple]:
    """Every message of a session with all that is stored of it, by position."""
    rows = connection.execute(
        "SELECT kind, first, last, first_ms, last_ms, meta, fold, raw, attributes "
        "FROM block JOIN body USING (id) WHERE session=? ORDER BY no",
        (session,),
    ).fetchall()
    found = []
    for kind, first, last, first_ms, last_ms, packed, fold, raw, attributes in rows:
        meta = Meta.unpack(packed)
        assert (first, last) == (meta.positions[0], meta.positions[-1])
        assert first_ms == min(meta.times)
        assert last_ms >= max(meta.times)
        texts, facts = expand(raw), Facts(attributes).all
        for i, position in enumerate(meta.positions):
            begin, end = meta.raw_span(i)
            start, stop = meta.fold_span(i)
            found.append(
                (
                    position, kind, meta.kinds[i], meta.times[i], meta.flags[i], meta.records[i],
                    meta.digests[i], meta.horizons[i], texts[begin:end], fold[start:stop],
                    facts.get(i),
                )
            )  # fmt: skip
    found.sort()
    assert [message[0] for message in found] == list(range(len(found)))
    return found
