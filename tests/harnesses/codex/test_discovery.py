"""Where rollouts lie, and which files are none."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from recall_tui.harnesses.codex import Codex, rollout_id
from tests.harnesses.codex.build import NAME, PARENT, SESSION, Rollout


def found(codex: Codex, root: object) -> list[str]:
    return sorted(os.path.relpath(s.path, str(root)) for s in codex.discover(str(root), []))


def test_roots(codex, home):
    assert codex.roots({}, "/home/a") == [
        "/home/a/.codex/sessions", "/home/a/.codex/archived_sessions"
    ]  # fmt: skip
    assert codex.roots({"CODEX_HOME": "/x"}, "/home/a") == ["/x/sessions", "/x/archived_sessions"]


def test_any_folder_is_a_root(codex, home, day):
    path = Rollout().prompt("one").write(day)
    base = home / ".codex"
    for root in (home, base, base / "sessions", day, path):
        (source,) = codex.discover(str(root), [])
        assert source.path == str(path)
        assert source.native_id == SESSION
        assert source.root == str(root)
        assert source.size == path.stat().st_size


def test_only_sessions_of_the_programs_home(codex, home, day):
    Rollout().prompt("one").write(day)
    base = home / ".codex"
    (base / "config.toml").touch()
    (base / "history.jsonl").write_text('{"session_id": "x", "ts": 1, "text": "hi"}\n')
    Rollout().prompt("copy").write(base / "worktrees" / "a" / "fixtures", NAME)
    Rollout().prompt("old").write(base / "archived_sessions")
    assert found(codex, base) == [
        f"archived_sessions/{NAME}", f"sessions/2026/02/03/{NAME}"
    ]  # fmt: skip


def test_live_archived_and_packed_copies_have_one_id(codex, home, day):
    rollout = Rollout().prompt("one")
    rollout.write(day)
    rollout.write(home / ".codex" / "archived_sessions")
    rollout.write(home / ".codex" / "archived_sessions", f"{NAME}.zst")
    sources = list(codex.discover(str(home), []))
    assert len(sources) == 3
    assert {s.native_id for s in sources} == {SESSION}


def test_ids_of_names():
    assert rollout_id(NAME) == SESSION
    assert rollout_id(f"{NAME}.zst") == SESSION
    assert rollout_id(f"rollout-2025-08-23-{PARENT}.json") == PARENT
    assert rollout_id("rollout-strange.jsonl") == "strange"


def test_what_is_no_session_is_passed_over(codex, day):
    (day / NAME).mkdir()
    (day / "notes.jsonl").write_text("{}\n")
    (day / "rollout-x.txt").write_text("{}\n")
    os.mkfifo(day / "rollout-2026-02-03T11-00-00-pipe.jsonl")
    assert found(codex, day) == []


def test_a_missing_root_is_empty_and_a_forbidden_one_a_gap(codex, home, monkeypatch):
    gaps: list = []
    assert list(codex.discover(str(home / "nowhere"), gaps)) == []
    assert gaps == []

    def refuse(path: str) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert list(codex.discover(str(home), gaps)) == []
    assert [gap.kind.value for gap in gaps] == ["unreadable"]


def test_a_file_is_known_by_its_content(codex, day, home):
    gen3 = Rollout().prompt("one").bytes()
    cases = {
        "envelope": (gen3, True),
        "ordinal": (b'{"timestamp":"2026","ordinal":0,"type":"session_meta","payload":{}}', True),
        "other order": (b'{"payload":{"id":"x"},"timestamp":"2","type":"session_meta"}\n', True),
        "bare": (b'{"id":"x","timestamp":"2025-08-26T20:06:08Z","instructions":null}\n', True),
        "nul in front": (b"\0\0\n" + gen3, True),
        "index": (b'{"id":"x","thread_name":"a","updated_at":"b"}\n', False),
        "history": (b'{"session_id":"x","ts":1,"text":"a"}\n', False),
        "pi": (b'{"type":"session","version":3,"id":"x","timestamp":"y","cwd":"/"}\n', False),
        "claude": (b'{"type":"user","uuid":"x","message":{"role":"user"}}\n', False),
        "empty": (b"", False),
    }
    for name, (head, wanted) in cases.items():
        assert codex.recognise("/x/a.jsonl", head) is wanted, name
    whole = b'{\n  "session": {"timestamp": "t", "id": "x", "instructions": ""}, "items": []}'
    assert codex.recognise("/x/a.json", whole)
    assert codex.recognise("/x/rollout-a.jsonl.zst", b"\x28\xb5\x2f\xfd\0")
    assert not codex.recognise("/x/a.zst", b"\x28\xb5\x2f\xfd\0")
    renamed = day / "renamed.txt"
    renamed.write_bytes(gen3)
    (source,) = codex.discover(str(renamed), [])
    assert source.native_id == SESSION
    other = home / "other.jsonl"
    other.write_bytes(b"{}\n")
    assert list(codex.discover(str(other), [])) == []


def test_discovery_needs_no_decoder():
    code = (
        "import sys; from recall_tui.harnesses import registry\n"
        "for name in ('codex', 'copilot'):\n"
        "    list(registry.get(name).discover('/nowhere', []))\n"
        "print([m for m in ('msgspec', 'zstandard', 'sqlite3', 'json') if m in sys.modules])"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert out.strip() == "[]"


@pytest.mark.parametrize("locator", ["", "x/y", "0/payload.nothing", "99999/payload", "0/type"])
def test_a_material_that_is_not_there(codex, day, locator):
    from recall_tui.errors import SourceError

    (source,) = codex.discover(str(Rollout().prompt("one").write(day)), [])
    with pytest.raises(SourceError):
        codex.material(source, locator)
    os.remove(source.path)
    with pytest.raises(SourceError):
        codex.material(source, "0/payload.id")
