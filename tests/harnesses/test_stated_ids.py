"""What was forgotten is known again whatever its file is called: every program states an id."""

from __future__ import annotations

import os
import shutil

import pytest

from recall_tui import demo
from recall_tui.harnesses import registry

OTHER = "11111111-2222-4333-8444-555555555555"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    demo.build(folder, 1_764_500_000_000)
    return folder


def places(home):
    for root in demo.roots(home):
        harness, _, path = root.partition("=")
        yield registry.get(harness), path


def stated(harness, source) -> str:
    transcript = harness.open(source)
    assert [*transcript]
    return transcript.facts.native_id if source.part else transcript.facts.stated_id


@pytest.mark.contract("X-10")
def test_a_session_states_its_id_under_another_name(home, tmp_path) -> None:
    told = {}
    for harness, root in places(home):
        if harness.id == "opencode":
            continue  # rows of a database: the name is the id
        for number, source in enumerate(harness.discover(root, [])):
            whole = os.path.basename(source.path) == "events.jsonl"
            suffix = os.path.splitext(source.path)[1]
            place = tmp_path / harness.id / str(number) / "session-state" / OTHER
            place.mkdir(parents=True)
            copy = place / ("events.jsonl" if whole else f"copy{suffix}")
            shutil.copy(source.path, copy)
            [found] = harness.discover(str(copy.parent.parent), [])
            told[source.native_id] = stated(harness, found), source.parent or source.native_id
    assert len({harness.id for harness, _ in places(home)}) == 6 and len(told) >= 8
    assert {name: one for name, (one, other) in told.items() if one != other} == {}
