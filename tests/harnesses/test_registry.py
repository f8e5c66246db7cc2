"""A third party adds a harness by an entry point, found without the cost of looking for it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from recall_tui.errors import ConfigError
from recall_tui.harnesses import registry


@pytest.fixture(autouse=True)
def _fresh() -> None:
    for cached in (registry._extra, registry.get, registry.faults):
        cached.cache_clear()
    sys.modules.pop("other_agent", None)


def package(folder: Path, line: str) -> None:
    info = folder / "other_agent-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other-agent\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[recall_tui.harnesses]\n{line}\n")
    (folder / "other_agent.py").write_text(
        "from recall_tui.harnesses.pi import Pi\n"
        "class Other(Pi):\n    id = 'other'\n    name = 'Other'\n    mark = 'OT'\n"
        "class Half:\n    id = 'other'\n    roots = discover = recognise = open = None\n"
        "class Broken(Other):\n    def __init__(self):\n        1 / 0\n"
    )


def test_an_entry_point_adds_a_harness(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package(tmp_path, "other = other_agent:Other")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert registry.ids()[-1] == "other"
    assert registry.get("other").mark == "OT"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("other = other_agent:Missing", "no attribute 'Missing'"),
        ("other = nowhere_agent:Other", "No module named"),
        ("other = other_agent:Broken", "ZeroDivisionError"),
        ("other = other_agent:Half", "no name, mark, material, resume"),
        ("another = other_agent:Other", "it calls itself 'other'"),
    ],
)
def test_a_harness_that_cannot_be_loaded_stops_nothing(
    line: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package(tmp_path, line)
    monkeypatch.syspath_prepend(str(tmp_path))
    name = line.partition(" ")[0]
    assert {h.id for h in registry.all_harnesses()} == set(registry.BUILT_IN)
    assert name in registry.faults()
    with pytest.raises(ConfigError, match=why):
        registry.get(name)


def test_a_built_in_id_is_not_taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package(tmp_path, "claude = other_agent:Other")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert registry.get("claude").name == "Claude Code"


def test_an_unknown_id_lists_the_known() -> None:
    with pytest.raises(ConfigError, match="known: claude, codex"):
        registry.get("nobody")


def test_metadata_is_not_read_when_no_package_adds_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    assert registry._extra() == {}
