"""What a sync would have to read, said without writing."""

from __future__ import annotations

import os

from recall_tui.model import Filter, GapKind
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


def test_a_place_that_could_not_be_looked_at_is_looked_at_again(desk, monkeypatch):
    """Its files are as they were when it opens again: what was noted of it must go."""
    desk.write("a.jsonl", line(text="one", t=T))
    desk.write("x/b.jsonl", line(text="two", t=T))
    desk.sync()
    scan, closed = os.scandir, str(desk.source / "x")

    def refusing(path):
        if path == closed:
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    with monkeypatch.context() as patched:
        patched.setattr(os, "scandir", refusing)
        found = pending(desk.index, desk.places, Kept())
        assert (found.marks, len(found.gaps)) == (2, 2)  # both harnesses of the tests look there
        desk.sync()
        assert len(desk.corpus.gaps(Filter())) == 2
        found = pending(desk.index, desk.places, Kept())
        assert (found.marks, found.gaps) == (0, [])
    assert pending(desk.index, desk.places, Kept()).marks == 2
    desk.sync()
    assert desk.corpus.gaps(Filter()) == []
    assert pending(desk.index, desk.places, Kept()).marks == 0


def test_what_is_missing_elsewhere_makes_no_other_answer_partial(desk, monkeypatch):
    desk.write("x/a.jsonl", line(text="one", t=T))
    desk.write("y/b.jsonl", line(text="two", t=T), "junk\n")
    scan, closed = os.scandir, str(desk.source / "z")
    (desk.source / "z").mkdir()

    def refusing(path):
        if path == closed:
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", refusing)
    desk.sync()

    def kinds(**chosen):
        return [gap.kind for gap in desk.corpus.gaps(Filter(**chosen))]

    unreadable, unparsed = GapKind.UNREADABLE, GapKind.UNPARSED
    root = str(desk.source)
    assert kinds(harnesses=("toy",)) == [unreadable, unparsed]
    assert kinds(roots=(root,)) == [unreadable, unreadable, unparsed]
    assert kinds(roots=(f"{root}/z/deep",)) == [unreadable, unreadable]
    assert kinds(roots=(f"{root}/x",)) == []
    assert kinds(sessions=(desk.session("a").key,)) == []
    assert kinds(sessions=(desk.session("b").key,)) == [unparsed]
    assert kinds(sessions=("nobody",)) == [unreadable, unreadable, unparsed]
