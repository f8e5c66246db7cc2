"""What a sync would have to read, said without writing."""

from __future__ import annotations

import os

from recall_tui.store.kept import Kept
from recall_tui.store.sync.pending import pending
from tests.store.toy import line

T = 1_700_000_000_000


def test_it_says_what_a_sync_would_read_and_writes_nothing(desk):
    desk.write("a.jsonl", line(text="one", t=T))
    desk.write("b.jsonl", line(text="two", t=T))
    found = pending(desk.index, desk.places, Kept(left_out=("*/a.jsonl",)))
    assert [s.native_id for s in found.sources] == ["b"]
    assert found.bytes == os.path.getsize(desk.source / "b.jsonl")
    assert not os.path.exists(desk.index)
    desk.sync()
    assert pending(desk.index, desk.places, Kept()).sources == []
    desk.append("b.jsonl", line(text="three", t=T))
    (desk.source / "a.jsonl").unlink()
    desk.write("c.jsonl", line(text="new", t=T))
    found = pending(desk.index, desk.places, Kept())
    assert [s.native_id for s in found.sources] == ["c", "b"]
    assert found.stale == {desk.session("b").id}
    assert found.bytes == len(line(text="three", t=T)) + len(line(text="new", t=T))
    assert found.marks == 1
    assert desk.texts("b") == ["two"]
