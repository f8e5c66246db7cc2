"""Files beyond reason are read without being held."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from recall_tui.errors import SourceError
from recall_tui.harnesses import registry, streams
from recall_tui.harnesses.base import Source, StaleCheckpoint

if TYPE_CHECKING:
    from pathlib import Path

SAID = (
    b'{"type":"user","uuid":"%d","parentUuid":null,"isSidechain":false,"sessionId":"s","timestamp":'
    b'"2026-01-01T00:00:00Z","message":{"role":"user","content":"hello %d"}}\n'
)


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "LONGEST", 4096)
    monkeypatch.setattr(streams, "HELD", 0)
    monkeypatch.setattr("recall_tui.harnesses.claude.rewinds.LONGEST", 4096)
    monkeypatch.setattr("recall_tui.harnesses.claude.rewinds._CHUNK", 1024)
    monkeypatch.setattr(streams, "LARGEST", 8192)


def test_lines_come_as_they_are_but_for_one_that_is_too_long(tmp_path: Path) -> None:
    path = tmp_path / "a"
    parts = [b"one\n", b"x" * 10_000 + b"\n", b"y" * 4096, b"y\n", b"two\n", b"z" * 9000]
    path.write_bytes(b"".join(parts))
    with streams.open_lines(str(path)) as stream:
        lines = list(stream)
    assert [len(line) for line in lines] == [4, 10_001, 4098, 4, 9000]
    assert [bytes(line) for line in lines] == [b"one\n", b"{\n", b"{\n", b"two\n", b"{"]


@pytest.mark.parametrize("hole", [b"\0", b"x"])
def test_a_line_beyond_reason_costs_only_itself(tmp_path: Path, hole: bytes) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(SAID % (1, 1) + hole * 20_000 + b"\n" + SAID % (2, 2))
    transcript = registry.get("claude").open(
        Source("claude", str(path), "", "s", path.stat().st_size, 0, 0, str(tmp_path))
    )
    assert [message.text for message in transcript] == ["hello 1", "hello 2"]
    assert transcript.unparsed == 1
    assert transcript.checkpoint is not None
    assert transcript.checkpoint.offset == path.stat().st_size


@pytest.mark.parametrize("harness", ["claude", "codex", "pi", "copilot"])
def test_a_hole_of_any_size_is_a_torn_line(tmp_path: Path, harness: str) -> None:
    path = tmp_path / "rollout-2026-02-03T11-00-00-11111111-2222-3333-4444-555555555555.jsonl"
    path.touch()
    os.truncate(path, 1 << 20)
    source = Source(harness, str(path), "", "s", 1 << 20, 0, 0, str(tmp_path))
    transcript = registry.get(harness).open(source)
    assert list(transcript) == []
    assert transcript.torn
    assert transcript.unparsed == 0


@pytest.mark.parametrize("harness", ["gemini", "opencode", "codex"])
def test_a_document_beyond_reason_is_not_held(tmp_path: Path, harness: str) -> None:
    path = tmp_path / "rollout-x.json"
    path.touch()
    os.truncate(path, 1 << 20)
    source = Source(harness, str(path), "", "s", 1 << 20, 0, 0, str(tmp_path))
    with pytest.raises(SourceError, match="not read"):
        list(registry.get(harness).open(source))


def test_a_short_file_is_read_at_once_and_a_long_one_bit_by_bit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(SAID % (1, 1))
    size = path.stat().st_size
    source = Source("claude", str(path), "", "s", size, 0, 0, str(tmp_path))
    for held, data in ((size, path.read_bytes()), (size - 1, None)):
        monkeypatch.setattr(streams, "HELD", held)
        transcript = registry.get("claude").open(source)
        assert [message.text for message in transcript] == ["hello 1"]
        assert transcript.data == data
    with pytest.raises(StaleCheckpoint):
        streams.open_lines(str(path), size + 1)
