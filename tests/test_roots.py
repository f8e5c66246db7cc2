"""Which places are read, and what is said about one that is not there."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from recall_tui.errors import ConfigError
from recall_tui.harnesses import registry
from recall_tui.roots import named, nearby
from recall_tui.scope import scope_of


def test_a_named_source_is_made_absolute(tmp_path: Path, home: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").mkdir()
    (home / "there").mkdir()
    ((harness, root),) = named(["codex=here"])
    assert (harness.id, root) == ("codex", str(tmp_path / "here"))
    assert named(["claude=~/there"])[0].root == str(home / "there")


def test_a_missing_source_says_what_is_near(tmp_path: Path) -> None:
    (tmp_path / "sessions").mkdir()
    with pytest.raises(ConfigError) as caught:
        named([f"claude={tmp_path}/sesions"])
    assert caught.value.message == f"no such file or folder: {tmp_path}/sesions"
    assert caught.value.hint == f"{tmp_path} holds sessions"


def test_an_unknown_harness_lists_the_known(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        named([f"claud={tmp_path}"])
    assert "unknown harness 'claud'" in caught.value.message
    assert "claude, codex, pi" in caught.value.hint


@pytest.mark.parametrize("source", ["", "claude="])
def test_a_source_without_a_path_is_not_the_current_folder(source: str) -> None:
    with pytest.raises(ConfigError, match="without a path"):
        named([source])


def test_nearby_climbs_to_what_exists(tmp_path: Path) -> None:
    assert nearby(str(tmp_path / "a" / "b" / "c")) == f"{tmp_path} holds nothing"
    for number in range(9):
        (tmp_path / f"f{number}").touch()
    assert nearby(str(tmp_path / "zzz")).endswith("f0, f1, f2, f3, f4, ...")


def test_nearby_of_an_unreadable_folder(tmp_path: Path, monkeypatch) -> None:
    def refused(_: str) -> list[str]:
        raise PermissionError

    monkeypatch.setattr(os, "listdir", refused)
    assert "cannot be read" in nearby(str(tmp_path / "x"))


def test_a_harness_that_fails_on_a_file_is_named_and_stops_no_other(
    tmp_path: Path, monkeypatch
) -> None:
    class Broken:
        id = "broken"

        def recognise(self, path: str, head: bytes) -> bool:
            raise KeyError(path)

    class Known(Broken):
        id = "known"

        def recognise(self, path: str, head: bytes) -> bool:
            return head == b"known"

    monkeypatch.setattr(registry, "all_harnesses", lambda: [Broken(), Known()])
    (tmp_path / "one").write_bytes(b"known")
    (tmp_path / "two").write_bytes(b"other")
    assert [place.harness.id for place in named([str(tmp_path / "one")])] == ["known"]
    with pytest.raises(ConfigError, match="harness 'broken' failed on it: KeyError"):
        named([str(tmp_path / "two")])


@pytest.mark.skipif(sys.platform != "linux", reason="other systems allow no such names")
@pytest.mark.parametrize("variable", ["HOME", "RECALL_HOME", "--source"])
def test_a_folder_whose_name_is_no_utf8_is_refused_in_words(tmp_path: Path, variable: str) -> None:
    bad = os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff")
    os.mkdir(bad)
    env = {"HOME": str(tmp_path), "RECALL_HOME": str(tmp_path / "r"), variable: bad}
    with pytest.raises(ConfigError, match=r"bad\\xff.*: the name is not valid UTF-8"):
        scope_of([f"claude={bad}"] if variable == "--source" else [], env)
