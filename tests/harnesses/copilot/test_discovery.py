"""Where sessions of Copilot CLI lie, and how they are resumed."""

from __future__ import annotations

import os

from recall_tui.harnesses.copilot import Copilot
from tests.harnesses.copilot.build import SESSION, Events

OTHER = "13ed9ab3-0000-4000-8000-000000000002"


def found(copilot: Copilot, root: object) -> list[str]:
    return sorted(s.native_id for s in copilot.discover(str(root), []))


def test_roots(copilot):
    assert copilot.roots({}, "/home/a") == ["/home/a/.copilot/session-state"]
    env = {"COPILOT_HOME": "/x", "XDG_STATE_HOME": "/y", "XDG_CONFIG_HOME": ""}
    assert copilot.roots(env, "/home/a") == ["/x/session-state", "/y/.copilot/session-state"]


def test_any_folder_is_a_root(copilot, home, state):
    path = Events().prompt("go").write(state)
    for root in (home, home / ".copilot", state, path.parent, path):
        (source,) = copilot.discover(str(root), [])
        assert source.path == str(path)
        assert source.native_id == SESSION
        assert source.root == str(root)
        assert source.size == path.stat().st_size


def test_early_sessions_are_flat_files(copilot, home, state):
    (state / f"{OTHER}.jsonl").write_bytes(Events().prompt("go").bytes())
    Events().prompt("go").write(state)
    assert found(copilot, home) == found(copilot, state) == [SESSION, OTHER]
    assert found(copilot, state / f"{OTHER}.jsonl") == [OTHER]


def test_only_sessions_of_the_programs_home(copilot, home, state):
    Events().prompt("go").write(state)
    (home / ".copilot" / "session-store.db").touch()
    Events().prompt("copy").write(home / ".copilot" / "pkg" / "session-state", OTHER)
    assert found(copilot, home / ".copilot") == [SESSION]


def test_a_folder_without_events_was_never_used(copilot, home, state):
    (state / SESSION / "checkpoints").mkdir(parents=True)
    (state / SESSION / "workspace.yaml").write_text("id: x\n")
    (state / OTHER / "events.jsonl").mkdir(parents=True)
    gaps: list = []
    assert list(copilot.discover(str(state), gaps)) == []
    assert list(copilot.discover(str(home), gaps)) == []
    assert list(copilot.discover(str(home / "nowhere"), gaps)) == []
    assert gaps == []


def test_events_of_another_program_are_none(copilot, home):
    folder = home / "gptme" / "logs" / "a-b-c"
    folder.mkdir(parents=True)
    (folder / "events.jsonl").write_text('{"type": "message", "role": "user"}\n')
    assert found(copilot, home) == []
    (folder / "events.jsonl").write_bytes(Events().prompt("go").bytes())
    assert found(copilot, home) == ["a-b-c"]


def test_a_file_is_known_by_its_content(copilot):
    started = Events().bytes()
    later = Events(start=False).prompt("go").bytes()
    assert copilot.recognise("/x/a.jsonl", started)
    assert copilot.recognise("/x/a.jsonl", b"\0\0" + later)
    assert not copilot.recognise("/x/a.jsonl", b'{"type":"session.start","data":{}}\n')
    assert not copilot.recognise("/x/a.jsonl", b'{"type":"user","uuid":"x"}\n')
    assert not copilot.recognise("/x/a.jsonl", b"")


def test_a_file_under_another_name(copilot, tmp_path):
    path = tmp_path / "export.txt"
    path.write_bytes(Events().prompt("go").bytes())
    assert found(copilot, path) == [SESSION]


class Resumable:
    """The part of a session that `resume` needs."""

    def __init__(self, cwd: str, last_cwd: str = "") -> None:
        self.native_id, self.path, self.cwd, self.last_cwd = SESSION, "/x", cwd, last_cwd


def test_resume(copilot, home):
    command = copilot.resume(Resumable("/nowhere", str(home)))
    assert command.argv == ("copilot", f"--resume={SESSION}")
    assert (command.cwd, command.warning) == (str(home), "")
    gone = copilot.resume(Resumable(os.path.join(str(home), "gone")))
    assert gone.cwd == ""
    assert "is gone" in gone.warning


def test_a_new_title_beside_the_events_is_a_change(copilot, home):
    folder = home / ".copilot" / "session-state" / SESSION
    folder.mkdir(parents=True)
    (folder / "events.jsonl").write_bytes(Events().prompt("go").bytes())
    os.utime(folder / "events.jsonl", ns=(10**18, 10**18))
    (before,) = copilot.discover(str(home), [])
    (folder / "workspace.yaml").write_text("name: Renamed\n")
    for root in (home, home / ".copilot", home / ".copilot" / "session-state"):
        (after,) = copilot.discover(str(root), [])
        assert after.mtime_ns > before.mtime_ns == 10**18
        assert after.size == before.size
