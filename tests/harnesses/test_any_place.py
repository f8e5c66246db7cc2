"""What holds for every harness: any folder will do, and nothing in it can stop discovery."""

from __future__ import annotations

import os
import shutil
import signal
import socket
from typing import TYPE_CHECKING

import pytest

from recall_tui import demo
from recall_tui.harnesses import registry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HARNESSES = ("claude", "codex", "pi", "opencode", "gemini", "copilot")
NAMES = (
    "a.jsonl", "agent-a1.jsonl", "11111111-2222-3333-4444-555555555555.jsonl",
    "rollout-2026-02-03T11-00-00-11111111-2222-3333-4444-555555555555.jsonl",
    "2026-05-12T01-02-27-657Z_019e.jsonl", "session-2026-11-30T17-05-417c17c0.json",
    "session-2026-11-30T17-05-417c17c0.jsonl", "ses_one.jsonl", "ses_one.json", "opencode.db",
    "events.jsonl",
)  # fmt: skip
PLACES = (".", "projects/slug", "sessions/2026/02/03", "chats", "session/global", "session-state/x")


@pytest.fixture(autouse=True)
def _ends() -> Iterator[None]:
    """Fail instead of waiting for a pipe."""

    def late(*_: object) -> None:
        raise AssertionError("it waits")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def discovered(harness: str, root: Path) -> list[str]:
    return sorted(s.path for s in registry.get(harness).discover(str(root), []) if not s.part)


@pytest.mark.parametrize("harness", ["claude", "codex", "pi", "gemini", "copilot"])
def test_a_session_under_another_name_is_known_by_its_content(harness: str, tmp_path: Path) -> None:
    demo.build(tmp_path / "home", 1_790_000_000_000)
    before = discovered(harness, tmp_path / "home")
    flat = tmp_path / "flat" / "deep" / "er"
    flat.mkdir(parents=True)
    for number, path in enumerate(before):
        shutil.copyfile(path, flat / f"copy {number}{os.path.splitext(path)[1]}")
    assert before
    assert len(discovered(harness, tmp_path / "flat")) == len(before)


@pytest.mark.parametrize("harness", HARNESSES)
def test_what_is_no_file_is_passed_over_at_once(
    harness: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in PLACES:
        folder = tmp_path / "pipes" / place
        folder.mkdir(parents=True, exist_ok=True)
        for name in NAMES:
            os.mkfifo(folder / name)
        folder = tmp_path / "devices" / place
        folder.mkdir(parents=True, exist_ok=True)
        for name in NAMES:
            (folder / name).symlink_to("/dev/zero")
        folder = tmp_path / "loops" / place
        folder.mkdir(parents=True, exist_ok=True)
        for name in NAMES:
            (folder / name).symlink_to(folder / name)
        folder = tmp_path / "folders" / place
        for name in NAMES:
            (folder / name).mkdir(parents=True)
    short = tmp_path / "s"
    short.mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(short)  # a socket has a short path
        server.bind("a.jsonl")
    assert discovered(harness, tmp_path) == []


@pytest.mark.parametrize("harness", HARNESSES)
def test_a_pipe_that_is_named_itself_is_no_session(harness: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.jsonl")
    assert discovered(harness, tmp_path / "a.jsonl") == []
