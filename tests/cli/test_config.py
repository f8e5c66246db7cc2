"""`recall config`."""

from __future__ import annotations

import os
from pathlib import Path


def test_show_says_value_and_origin(run, home: Path) -> None:
    (home / "recall").mkdir()
    file = home / "recall" / "config.toml"
    file.write_text('theme = "nord"\nexclude = ["/a", "/b"]\n', "utf-8")
    rows = [line.split("\t") for line in run("config", "show").out.splitlines()]
    assert ["theme", "nord", str(file)] in rows
    assert ["exclude", "/a, /b", str(file)] in rows
    assert ["keep_gone", "yes", "default"] in rows
    answer = run("config", "show", "--json").json
    assert answer["file"] == str(file)
    by_name = {one["name"]: one for one in answer["settings"]}
    assert by_name["exclude"]["value"] == ["/a", "/b"]
    assert by_name["zone"] == {
        "name": "zone", "value": "local", "origin": "default",
        "help": "Zone of the times shown: local, UTC or a name (Europe/Berlin).",
    }  # fmt: skip


def test_path_creates_nothing(run, home: Path) -> None:
    answer = run("config", "path", "--json").json
    assert answer["index"] == {"path": str(home / "recall" / "index.db"), "exists": False}
    assert f"config\t{home}/recall/config.toml" in run("config", "path").out
    assert not os.path.exists(home / "recall")


def test_the_demo_is_nothing_to_pause(run, home: Path) -> None:
    """It would stop the person's own history, and the demo would still be read."""
    for command in ("pause", "unpause"):
        ran = run("--demo", command)
        assert (ran.code, ran.out) == (2, "") and "the demo cannot be paused" in ran.err
    assert not any(path.name == "privacy.json" for path in home.rglob("*"))
