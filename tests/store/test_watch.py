"""A change on disk is searchable a moment later, and an idle watch does nothing."""

from __future__ import annotations

import shutil
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from recall_tui.model import Filter, Presence
from recall_tui.store import watch as watching
from recall_tui.store.forget import forget
from recall_tui.store.kept import Kept
from recall_tui.store.lock import WriterLock
from recall_tui.store.sync.run import sync_paths
from recall_tui.store.user import UserStore
from recall_tui.store.watch import watch
from tests.store.test_sync import counts
from tests.store.toy import line

T = 1_700_000_000_000


class Watcher:
    def __init__(self, desk, **options):
        self.desk = desk
        self.stopped = threading.Event()
        self.reports = []
        self.thread = threading.Thread(
            target=watch,
            args=(desk.index, desk.places),
            kwargs={
                "on_progress": lambda p: self.reports.append(counts(p)),
                "stop": self.stopped.is_set,
                **options,
            },
        )

    def __enter__(self):
        self.thread.start()
        self.until(lambda: self.reports)
        time.sleep(0.15)  # the listening begins just after the first sync
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.thread.join(5)
        assert not self.thread.is_alive()

    def until(self, test, seconds=8.0):
        give_up = time.monotonic() + seconds
        while time.monotonic() < give_up:
            try:
                if test():
                    return
            except Exception:  # the index may not be there yet
                pass
            time.sleep(0.01)
        raise AssertionError(f"never came true; reports: {self.reports}")


@pytest.mark.contract("X-10")
def test_what_is_forgotten_meanwhile_stays_so_when_it_grows(desk):
    user = UserStore(str(Path(desk.index).parent / "user.db"))
    path = desk.write("a.jsonl", line(text="one", t=T))
    desk.write("b.jsonl", line(text="stays", t=T))
    with closing(user), Watcher(desk, kept=lambda: Kept(user.tombstones())) as watcher:
        assert desk.names() == ["a", "b"]
        forget(desk.index, user, ["toy:a"])
        assert desk.names() == ["b"]
        with open(path, "a") as stream:
            stream.write(line(text="two", t=T))
        with open(desk.source / "b.jsonl", "a") as stream:
            stream.write(line(text="three", t=T))
        watcher.until(lambda: desk.texts("b") == ["stays", "three"])
        assert desk.names() == ["b"]


@pytest.mark.parametrize("poll", [False, True])
def test_append_new_vanish_and_return(desk, poll):
    path = desk.write("a.jsonl", line(text="one", t=T))
    with Watcher(desk, poll=poll) as watcher:
        assert desk.texts("a") == ["one"]
        with open(path, "a") as stream:
            stream.write(line(text="two", t=T))
        watcher.until(lambda: desk.texts("a") == ["one", "two"])
        desk.write("b.jsonl", line(text="new", t=T))
        watcher.until(lambda: desk.names() == ["a", "b"])
        away = shutil.move(path, desk.source.parent / "away")
        watcher.until(lambda: desk.session("a").presence is Presence.GONE)
        shutil.move(away, path)
        watcher.until(lambda: desk.session("a").presence is Presence.PRESENT)


def test_an_index_removed_by_hand_is_made_anew_as_a_whole(desk):
    path = desk.write("a.jsonl", line(text="one", t=T))
    desk.write("b.jsonl", line(text="never changes", t=T))
    with Watcher(desk) as watcher:
        for end in ("", "-wal", "-shm"):
            Path(desk.index + end).unlink(missing_ok=True)
        with open(path, "a") as stream:
            stream.write(line(text="two", t=T))
        watcher.until(lambda: desk.texts("a") == ["one", "two"])
        assert desk.names() == ["a", "b"], "what did not change is in it, too"


def test_an_append_is_found_at_once(desk):
    path = desk.write("a.jsonl", line(text="one", t=T))
    with Watcher(desk) as watcher:
        for n in range(20):  # a busy machine may miss the budget now and then, not always
            start = time.monotonic()
            with open(path, "a") as stream:
                stream.write(line(text=f"more {n}", t=T))
            watcher.until(lambda n=n: len(desk.texts("a")) == n + 2)
            if time.monotonic() - start < 0.3:
                break
        else:
            raise AssertionError("never within 300 ms")


def test_a_new_folder_is_found_soon(desk, monkeypatch):
    monkeypatch.setattr(watching, "SOON_S", 0.1)
    desk.write("a.jsonl", line(text="one", t=T))
    made = desk.source.parent / "made" / "deep"
    made.mkdir(parents=True)
    (made / "b.jsonl").write_text(line(text="two", t=T))
    with Watcher(desk) as watcher:
        shutil.move(made.parent, desk.source / "moved in")
        watcher.until(lambda: desk.names() == ["a", "b"])
        shutil.rmtree(desk.source / "moved in")
        watcher.until(lambda: desk.session("b").presence is Presence.GONE)


def test_a_root_that_appears_later_is_picked_up(desk, monkeypatch):
    desk.source.rmdir()
    with Watcher(desk, rescan_s=0.2) as watcher:
        desk.source.mkdir()
        desk.write("a.jsonl", line(text="one", t=T))
        watcher.until(lambda: desk.names() == ["a"])


def test_idle_is_idle(desk):
    desk.write("a.jsonl", line(text="one", t=T))
    with Watcher(desk) as watcher:
        before, used = len(watcher.reports), time.process_time()
        time.sleep(1.0)
        assert len(watcher.reports) == before
        assert time.process_time() - used < 0.2


def test_it_waits_for_another_writer(desk):
    path = desk.write("a.jsonl", line(text="one", t=T))
    with Watcher(desk) as watcher:
        with WriterLock(desk.index + ".lock", wait_s=2):
            with open(path, "a") as stream:
                stream.write(line(text="two", t=T))
            time.sleep(0.2)
            assert desk.texts("a") == ["one"]
        watcher.until(lambda: desk.texts("a") == ["one", "two"])


def test_listening_refused_means_polling(desk, monkeypatch):
    import watchfiles

    listen = watchfiles.watch

    def refuse(*roots, force_polling, **options):
        if not force_polling:
            raise OSError(28, "No space left on device")  # the limit of inotify watches
        return listen(*roots, force_polling=True, **options)

    monkeypatch.setattr(watchfiles, "watch", refuse)
    path = desk.write("a.jsonl", line(text="one", t=T))
    with Watcher(desk) as watcher:
        with open(path, "a") as stream:
            stream.write(line(text="two", t=T))
        watcher.until(lambda: desk.texts("a") == ["one", "two"])


def test_some_paths_only(desk):
    a = desk.write("x/a.jsonl", line(text="one", t=T))
    desk.write("x/b.jsonl", line(text="two", t=T))
    desk.sync()
    desk.append("x/a.jsonl", line(text="more", t=T))
    desk.append("x/b.jsonl", line(text="unseen", t=T))
    progress = sync_paths(desk.index, desk.places, [str(a), "/elsewhere/c.jsonl"])
    assert counts(progress) == {"appended": 1}
    assert desk.texts("b") == ["two"]
    shutil.rmtree(desk.source / "x")
    assert counts(sync_paths(desk.index, desk.places, [str(desk.source / "x")])) == {"gone": 2}
    assert [s.root for s in desk.corpus.sessions(Filter())] == [str(desk.source)] * 2


def test_a_journal_beside_a_database_means_the_database(desk):
    import json

    path = desk.source / "all.box"
    path.write_text(json.dumps({"one": {"at": 1, "rows": [{"kind": "prompt", "text": "a"}]}}))
    progress = sync_paths(desk.index, desk.places, [f"{path}-wal", f"{path}-shm"])
    assert counts(progress) == {"parsed": 1}
    path.write_text(json.dumps({"two": {"at": 1, "rows": [{"kind": "prompt", "text": "b"}]}}))
    progress = sync_paths(desk.index, desk.places, [f"{path}-wal"])
    assert counts(progress) == {"parsed": 1, "gone": 1}


def test_a_file_beside_a_session_leads_to_it(desk, monkeypatch):
    """As Copilot's `workspace.yaml`, which holds the title of `events.jsonl`."""
    from tests.store.toy import Toy

    plain = Toy.discover

    def with_titles(self, root, gaps):
        if root.endswith(".title"):
            root = root.removesuffix(".title") + ".jsonl"
        yield from plain(self, root, gaps)

    monkeypatch.setattr(Toy, "discover", with_titles)
    desk.write("a.jsonl", line(text="one", t=T))
    desk.sync()
    desk.write("a.title", "new title")
    desk.append("a.jsonl", line(text="two", t=T))
    assert counts(sync_paths(desk.index, desk.places, [str(desk.source / "a.title")])) == {
        "appended": 1
    }
