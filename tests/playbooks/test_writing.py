"""Files are private, whole or not there, never over something, never through a link."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from recall_tui.errors import HandoffError
from recall_tui.playbooks.writing import write_file, write_package


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.fixture(autouse=True)
def _open_umask():
    before = os.umask(0)
    yield
    os.umask(before)


def test_a_file_is_private_and_whole(tmp_path: Path) -> None:
    assert write_file(str(tmp_path / "a.md"), ["é", "\udcff\n"]) == str(tmp_path / "a.md")
    assert (tmp_path / "a.md").read_text("utf-8") == "é?\n"
    assert mode(tmp_path / "a.md") == 0o600
    assert [p.name for p in tmp_path.iterdir()] == ["a.md"]


def test_nothing_is_overwritten_without_force(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("mine", "utf-8")
    with pytest.raises(HandoffError, match="is there already"):
        write_file(str(tmp_path / "a.md"), ["theirs"])
    assert (tmp_path / "a.md").read_text("utf-8") == "mine"
    write_file(str(tmp_path / "a.md"), ["theirs"], force=True)
    assert (tmp_path / "a.md").read_text("utf-8") == "theirs"


@pytest.mark.parametrize("force", [False, True])
def test_a_link_is_not_followed(tmp_path: Path, force: bool) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine", "utf-8")
    for target in (victim, tmp_path / "nowhere"):
        link = tmp_path / f"link-{target.name}"
        link.symlink_to(target)
        with pytest.raises(HandoffError):
            write_file(str(link), ["theirs"], force=force)
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "package").symlink_to(real)
    with pytest.raises(HandoffError):
        write_package(str(tmp_path / "package"), {"SKILL.md": "x"}, force=force)
    assert victim.read_text("utf-8") == "mine"
    assert not (tmp_path / "nowhere").exists() and list(real.iterdir()) == []


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    def pieces():
        yield "half"
        raise OSError("the disk is full")

    with pytest.raises(HandoffError, match="the disk is full"):
        write_file(str(tmp_path / "a.md"), pieces())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", ["gone/a.md", "a\0b", "."])
def test_places_that_cannot_be_written(tmp_path: Path, path: str) -> None:
    with pytest.raises(HandoffError):
        write_file(str(tmp_path / path), ["x"])


def test_a_package_is_a_private_folder(tmp_path: Path) -> None:
    folder = tmp_path / "skills" / "one"
    write_package(str(folder), {"SKILL.md": "a", "provenance.json": "{}"})
    assert mode(folder) == mode(folder.parent) == 0o700
    assert mode(folder / "SKILL.md") == 0o600
    with pytest.raises(HandoffError, match="is there already"):
        write_package(str(folder), {"SKILL.md": "b"})
    (folder / "mine.md").write_text("kept", "utf-8")
    write_package(str(folder), {"SKILL.md": "b"}, force=True)
    assert (folder / "SKILL.md").read_text("utf-8") == "b"
    assert (folder / "mine.md").read_text("utf-8") == "kept"
