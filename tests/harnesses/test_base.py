"""Walking folders, string leaves, and the projection of a tool call's arguments."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_tui.harnesses.arguments import PROJECTED, leaves, project
from recall_tui.harnesses.base import Facts
from recall_tui.harnesses.files import fetch_first_bytes, file_source, first_bytes, walk
from recall_tui.model import GapKind

if TYPE_CHECKING:
    from pathlib import Path

    from recall_tui.model import Gap


def walked(root: Path, gaps: list[Gap] | None = None) -> set[str]:
    """Relative paths of all files."""
    held: list[Gap] = [] if gaps is None else gaps
    paths = [
        os.path.relpath(entry.path, root)
        for _, entries in walk(str(root), held)
        for entry in entries
    ]
    assert len(paths) == len(set(paths))
    return set(paths)


def test_walk_finds_files_at_any_depth(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "deep.jsonl").touch()
    (tmp_path / "top.jsonl").touch()
    assert walked(tmp_path) == {"top.jsonl", "a/b/deep.jsonl"}


def test_walk_passes_over_a_folder_named_like_a_session(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").mkdir()
    (tmp_path / "x.jsonl" / "inside.jsonl").touch()
    assert walked(tmp_path) == {"x.jsonl/inside.jsonl"}


def test_walk_ends_at_a_loop_of_links(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "one").touch()
    (tmp_path / "a" / "b" / "two").touch()
    (tmp_path / "a" / "b" / "up").symlink_to(tmp_path / "a")
    (tmp_path / "self").symlink_to("self")
    assert walked(tmp_path) == {"a/one", "a/b/two", "self"}


def test_walk_names_what_is_linked_twice_by_its_real_path(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "file").touch()
    (tmp_path / "aa").symlink_to("real")
    (tmp_path / "zz").symlink_to("real")
    assert walked(tmp_path) == {"real/file"}


def test_walk_follows_a_link_out_of_the_root_once(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").touch()
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "one").symlink_to(tmp_path / "outside")
    (tmp_path / "root" / "two").symlink_to(tmp_path / "outside")
    assert len(walked(tmp_path / "root")) == 1


def test_walk_does_not_climb_to_a_folder_that_holds_the_root(tmp_path: Path) -> None:
    (tmp_path / "above").touch()
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "file").touch()
    (tmp_path / "root" / "up").symlink_to(tmp_path)
    assert walked(tmp_path / "root") == {"file"}


def test_walk_follows_a_link_to_a_folder_whose_name_begins_like_the_roots(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "roo").mkdir()
    (tmp_path / "roo" / "file").touch()
    (tmp_path / "root" / "link").symlink_to(tmp_path / "roo")
    assert walked(tmp_path / "root") == {"link/file"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_walk_counts_a_folder_it_may_not_read(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open" / "file").touch()
    (tmp_path / "shut").mkdir(mode=0o000)
    gaps: list[Gap] = []
    assert walked(tmp_path, gaps) == {"open/file"}
    assert [(gap.kind, gap.where) for gap in gaps] == [(GapKind.UNREADABLE, str(tmp_path / "shut"))]


def test_walk_counts_a_folder_the_system_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shut").mkdir()
    (tmp_path / "file").touch()
    scandir = os.scandir

    def refuse(path: str) -> object:
        if path.endswith("shut"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    gaps: list[Gap] = []
    assert walked(tmp_path, gaps) == {"file"}
    assert [(gap.kind, gap.where) for gap in gaps] == [(GapKind.UNREADABLE, str(tmp_path / "shut"))]


def test_walk_of_one_file_yields_it_alone(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    (tmp_path / "b").touch()
    ((folder, entries),) = walk(str(tmp_path / "a"), [])
    assert folder == str(tmp_path)
    assert [entry.name for entry in entries] == ["a"]


def test_walk_of_nothing_is_empty_and_no_gap(tmp_path: Path) -> None:
    gaps: list[Gap] = []
    assert walked(tmp_path / "missing", gaps) == set()
    assert gaps == []


def test_a_pipe_is_no_source(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "file.jsonl").write_bytes(b"12345")
    sources = {
        entry.name: file_source("x", entry, "id", "root", "parent")
        for _, entries in walk(str(tmp_path), [])
        for entry in entries
    }
    assert sources["pipe.jsonl"] is None
    source = sources["file.jsonl"]
    assert source is not None
    assert (source.size, source.root, source.parent, source.part) == (5, "root", "parent", "")


@pytest.mark.contract("S0-30")
def test_leaves_are_strings_in_document_order_without_keys() -> None:
    value = {"b": ["one", {"key": "two", "n": 3, "t": True}], "a": "three", "none": None, "": ""}
    assert list(leaves(value)) == ["one", "two", "three"]
    assert list(leaves({"type": "text", "text": "a"}, frozenset({"type"}))) == ["a"]
    assert list(leaves("x")) == ["x"]
    assert list(leaves(7)) == []


def test_a_value_that_its_name_makes_a_secret_keeps_the_name() -> None:
    digits = "0f3a9c17" * 4
    field = {"name": "API token", "type": "textbox", "value": "s3cret-Pw1"}
    value = {"env": {"API_KEY": digits, "SHA": digits}, "fields": [field], "key": "plain words"}
    kept = [f'"API_KEY":"{digits}"', digits, "API token", "textbox", '"API token":"s3cret-Pw1"']
    assert list(leaves(value)) == [*kept, "plain words"]
    assert project({"password": "hunter2x", "path": "a"}) == ("a", '"password":"hunter2x"')
    assert project({"name": "DB_PASSWORD", "value": "hunter2x"})[1] == '"DB_PASSWORD":"hunter2x"'
    argv = ["-y", "server", "--api-key", digits, "--sha", digits, "--verbose"]
    told = ["-y", "server", "--api-key", f'"--api-key":"{digits}"', "--sha", digits, "--verbose"]
    assert list(leaves({"args": argv})) == told and list(leaves([])) == []
    assert project({"command": "npx", "args": argv})[1] == "\n".join(told)
    ordinary = {"token": "str", "password": "", "api_key": "your-key-here", "max_tokens": "4096"}
    assert list(leaves(ordinary)) == ["str", "your-key-here", "4096"]


def test_leaves_of_a_deep_value_need_no_recursion() -> None:
    value: object = "deep"
    for _ in range(50_000):
        value = [value]
    assert list(leaves(value)) == ["deep"]


@pytest.mark.contract("S0-29")
def test_projection_comes_first_and_the_rest_follows() -> None:
    arguments = {
        "old_string": "before",
        "file_path": "/src/a.py",
        "command": "ls -l",
        "timeout": 5,
        "edits": [{"new": "after"}],
    }
    assert project(arguments) == ("ls -l\n/src/a.py", "before\nafter")


def test_a_command_of_words_is_one_line_and_paths_are_lines() -> None:
    assert project({"command": ["bash", "-lc", "ls"]})[0] == "bash -lc ls"
    assert project({"paths": ["a", "b"]})[0] == "a\nb"
    assert project({"command": ["mixed", 1]}) == ("", "mixed")


def test_a_url_is_projected_without_its_query_and_lies_whole_beyond_the_horizon() -> None:
    whole = "https://host/x?token=t#f"
    assert project({"url": whole}) == ("https://host/x", whole)


def test_arguments_that_are_no_object_lie_beyond_the_horizon() -> None:
    assert project("*** Begin Patch") == ("", "*** Begin Patch")
    assert project(["a", ["b"]]) == ("", "a\nb")
    assert project(None) == ("", "")


def test_another_order_projects_other_keys() -> None:
    assert project({"b": "2", "a": "1", "command": "c"}, ("a", "b")) == ("1\n2", "c")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*PROJECTED, "other", "x"]), json_values, max_size=5))
def test_projection_and_rest_hold_every_string_leaf(arguments: dict[str, object]) -> None:
    text, rest = project(arguments)
    kept = sorted("".join((text + rest).split()))
    whole = "".join("".join(leaves(arguments)).split())
    if not any("?" in leaf for leaf in leaves(arguments)):
        assert kept == sorted(whole)


def test_facts_widen_and_keep_the_first_and_the_latest() -> None:
    facts = Facts()
    for time_ms, cwd, model in ((5, "/a", "m"), (3, "/b", "n"), (9, "", "m"), (0, "/c", "")):
        facts.saw_time(time_ms)
        facts.saw_cwd(cwd)
        facts.saw_model(model)
    assert (facts.started_ms, facts.ended_ms) == (3, 9)
    assert (facts.cwd, facts.last_cwd) == ("/a", "/c")
    assert facts.models == ["m", "n"]


def test_first_bytes_are_fetched_of_what_can_be_read_and_the_rest_is_passed_over(tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_bytes(b"x" * 10)
    os.mkfifo(tmp_path / "pipe")
    fetch_first_bytes([str(tmp_path / "none"), str(tmp_path), str(tmp_path / "pipe"), str(file)])
    assert first_bytes(str(file), 4) == b"xxxx"
