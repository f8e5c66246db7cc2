"""Where Recall keeps its own files."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from recall_tui import paths
from recall_tui.errors import ConfigError, StoreError
from recall_tui.paths import PROGRAM, absolute, full, here, locate, private_folder
from recall_tui.tui.launch import index_command


def test_recall_home_moves_everything(tmp_path: Path) -> None:
    found = locate({"RECALL_HOME": str(tmp_path)})
    assert found.config_file == str(tmp_path / "config.toml")
    assert found.index_file == str(tmp_path / "index.db")
    assert found.user_file == str(tmp_path / "user.db")
    assert found.logs == str(tmp_path / "logs")
    assert os.listdir(tmp_path) == []


def test_recall_home_may_be_relative_or_under_home(home: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert locate({"RECALL_HOME": "here"}).data == str(tmp_path / "here")
    assert locate({"RECALL_HOME": "~/there"}).data == str(home / "there")


def test_recall_home_that_is_a_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x", "utf-8")
    with pytest.raises(ConfigError, match="RECALL_HOME is not a folder"):
        locate({"RECALL_HOME": str(file)})


def test_without_recall_home_the_platform_decides(home: Path) -> None:
    found = locate({})
    for folder in found:
        assert folder.startswith(str(home))
        assert "recall-tui" in folder
    assert found.config != found.data


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the platform is asked itself")
@pytest.mark.parametrize(
    "env",
    [
        {},
        {"HOME": "/h/"},
        {"HOME": "/"},
        {"XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d/", "XDG_STATE_HOME": "/s"},
        {"XDG_CONFIG_HOME": "", "XDG_DATA_HOME": " "},
        {"XDG_DATA_HOME": "relative"},
        {"XDG_STATE_HOME": "~/state"},
    ],
)
def test_linux_is_known_without_asking_for_the_platform(env, monkeypatch) -> None:
    for variable in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in env.items():
        monkeypatch.setenv(variable, value)
    usual = paths._of_linux()
    assert locate({}) == paths._of_the_platform()
    assert (usual is None) == any(value and not os.path.isabs(value) for value in env.values())


def test_private_folder_is_the_owners_alone(tmp_path: Path) -> None:
    made = private_folder(str(tmp_path / "a" / "b"))
    assert stat.S_IMODE(os.stat(made).st_mode) == 0o700
    assert private_folder(made) == made


def test_private_folder_keeps_the_mode_of_an_existing_one(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o755)
    shared.chmod(0o755)
    private_folder(str(shared))
    assert stat.S_IMODE(shared.stat().st_mode) == 0o755


def test_private_folder_in_the_way_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", "utf-8")
    with pytest.raises(StoreError, match="cannot create the folder"):
        private_folder(str(tmp_path / "file" / "below"))


def test_what_we_start_runs_nothing_of_the_folder_a_person_is_in(tmp_path) -> None:
    """A search starts the index on its own, wherever one stands: in a project just cloned, say."""
    for name in ("json", "click", "sqlite3", "recall_tui", "watchfiles", "msgspec", "os"):
        (tmp_path / f"{name}.py").write_text("open('ran', 'w')\nraise SystemExit(9)\n")
    env = {**os.environ, "HOME": str(tmp_path / "home"), "RECALL_HOME": str(tmp_path / "recall")}
    command = [*PROGRAM, "--demo", "index", "--quiet"]
    done = subprocess.run(
        command, check=False, cwd=tmp_path, env=env, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert not (tmp_path / "ran").exists()
    assert index_command((), demo=False)[: len(PROGRAM)] == PROGRAM


def test_as_a_module_it_runs_nothing_of_the_folder_either(tmp_path) -> None:
    for name in ("json", "click", "sqlite3", "watchfiles", "msgspec"):
        (tmp_path / f"{name}.py").write_text("open('ran', 'w')\nraise SystemExit(9)\n")
    env = {**os.environ, "HOME": str(tmp_path / "home"), "RECALL_HOME": str(tmp_path / "recall")}
    command = [sys.executable, "-m", "recall_tui", "--demo", "grep", "tide"]
    done = subprocess.run(command, check=False, cwd=tmp_path, env=env, capture_output=True)
    assert done.returncode == 0
    assert not (tmp_path / "ran").exists()


def test_a_folder_that_is_gone_is_no_fault(tmp_path: Path, monkeypatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    assert full("x/../y") == str(gone / "y")
    gone.rmdir()
    assert (here(), absolute("x"), absolute("/a/./b")) == ("", "", "/a/b")
    assert full("~/x") == os.path.expanduser("~/x")
    with pytest.raises(ConfigError, match="current folder is gone"):
        full("x")
