"""`recall index`."""

from __future__ import annotations

import io
import json

import pytest

from recall_tui.cli.progress import Bar, bar_words
from recall_tui.cli.screen import Screen
from recall_tui.errors import StoreBusyError, StoreError
from recall_tui.model import Gap, GapKind
from recall_tui.store.sync.progress import SyncProgress
from tests.cli.fake import FakeHistory, empty, filled


@pytest.mark.contract("S3-50")
def test_one_line_says_what_was_done(run, fake) -> None:
    ran = run("index")
    assert ran.code == 0
    assert ran.out == (
        "3 sessions, 12 messages · 4 files: 1 read, 1 grown, 2 unchanged · 1.2 MB in 500ms\n"
    )
    assert fake.synced == [{"rebuild": False, "verify": False}]
    assert fake.closed


def test_json_has_every_promised_field(run) -> None:
    answer = run("index", "--json").json
    assert answer == {
        "schema_version": 1, "sessions": 3, "messages": 12,
        "files": {"seen": 4, "parsed": 1, "appended": 1, "unchanged": 2, "failed": 0, "gone": 0},
        "bytes": 1_200_000, "seconds": 0.5, "gaps": [],
    }  # fmt: skip


@pytest.mark.contract("S3-41")
def test_it_rebuilds_only_when_asked(run, fake) -> None:
    run("index", "--rebuild")
    run("index", "--verify")
    assert fake.synced == [
        {"rebuild": True, "verify": False}, {"rebuild": False, "verify": True}
    ]  # fmt: skip


def test_a_part_that_could_not_be_read_shows_in_the_exit_code(run) -> None:
    gap = Gap(GapKind.UNREADABLE, 1, "cannot read /x", "check its permissions", "/x")
    ran = run("index", history=filled([gap]))
    assert ran.code == 3
    assert "cannot read /x → check its permissions" in ran.err
    torn = Gap(GapKind.TORN, 1, "the last line is incomplete")
    assert run("index", history=filled([torn])).code == 0


def test_quiet_says_only_what_is_wrong(run) -> None:
    assert run("index", "-q").out == ""
    torn = Gap(GapKind.TORN, 1, "the last line is incomplete")
    assert run("index", "-q", history=filled([torn])).err == ""
    gap = Gap(GapKind.UNREADABLE, 1, "cannot read /x", "check", "/x")
    assert "cannot read" in run("index", "-q", history=filled([gap])).err


def test_no_history_is_explained(run) -> None:
    history = empty()
    history.state = SyncProgress(done=True)
    ran = run("index", history=history)
    assert ran.code == 3
    assert "Looked for" in ran.err


def test_another_writer_is_named(run) -> None:
    class Busy(FakeHistory):
        def sync(self, *_, **__):
            raise StoreBusyError("another process is writing the index: recall (pid 41)", "wait")

    ran = run("index", history=Busy({}))
    assert ran.code == 3
    assert "pid 41" in ran.err


def test_watch_prints_passes_as_json_lines(run, fake) -> None:
    fake.passes = [
        SyncProgress(sessions=1, bytes_done=5, bytes_total=10),
        SyncProgress(sessions=2, bytes_done=10, bytes_total=10, done=True),
    ]
    ran = run("index", "--watch", "--json")
    lines = [json.loads(line) for line in ran.out.splitlines()]
    assert [line["done"] for line in lines] == [False, True]
    assert (lines[0]["bytes_done"], lines[0]["bytes_total"]) == (5, 10)
    assert "2 sessions" in run("index", "--watch").out
    assert run("index", "--watch", "--quiet").out == ""


def test_watch_waits_out_an_index_that_cannot_be_written_for_a_moment(run, monkeypatch) -> None:
    class Full(FakeHistory):
        answers = ("pass", "full", "full", "pass", "full", "pass", "end")

        def watch(self, on_progress, stop) -> None:
            for at, answer in enumerate(self.answers):
                if answer == "full":
                    self.answers = self.answers[at + 1 :]
                    raise StoreError("index.db: disk I/O error", "check the disk")
                if answer == "pass":
                    on_progress(SyncProgress(sessions=1, done=True))

    monkeypatch.setattr("recall_tui.cli.index.AGAIN_S", 0.0)
    ran = run("index", "--watch", history=Full({}))
    assert ran.code == 0
    assert ran.err.count("disk I/O error") == 2  # once each time it happens, not at each attempt
    assert ran.out.count("1 session") == 3
    assert run("index", "--watch", "--json", history=Full({})).code == 3

    never = Full({})
    never.answers = ("full", "pass")
    assert run("index", "--watch", history=never).code == 3


def test_watch_takes_no_rebuild(run) -> None:
    assert run("index", "--watch", "--rebuild").code == 2


def test_progress_words() -> None:
    state = SyncProgress(
        messages=1500, bytes_done=650_000_000, bytes_total=2_600_000_000, seconds=4
    )
    assert bar_words(state) == (
        "━━━━━─────────────── 650 MB of 2.6 GB · 1,500 messages · 162 MB/s · 12s left"
    )
    assert "0 B" in bar_words(SyncProgress())


class Terminal(Screen):
    terminal, width = True, 40


def test_the_bar_is_drawn_in_place_and_removed() -> None:
    stream = io.StringIO()
    with Bar(Terminal(stream)) as bar:
        bar.show(SyncProgress(bytes_done=1, bytes_total=2))
        bar.show(SyncProgress(bytes_done=2, bytes_total=2))
    assert stream.getvalue().count("━") == 10
    assert "\n" not in stream.getvalue()
    assert stream.getvalue().endswith("\r\x1b[2K")


def test_no_bar_without_a_terminal() -> None:
    stream = io.StringIO()
    for bar in (Bar(Screen(stream)), Bar(Terminal(stream), silent=True)):
        with bar:
            bar.show(SyncProgress(bytes_done=1, bytes_total=2))
    assert stream.getvalue() == ""
