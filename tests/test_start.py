"""What a command costs before and after its work, in counts: a clock is no evidence in CI."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid

import pytest

from recall_tui.clock import to_iso
from tests.conftest import REPOSITORY

COUNT = """
import json, sqlite3, sys
from re import _compiler
counts = {"patterns": 0, "connections": 0, "rows": 0}
def counting(name, function):
    def counted(*given, **named):
        counts[name] += 1
        return function(*given, **named)
    return counted
_compiler.compile = counting("patterns", _compiler.compile)
class Connection(sqlite3.Connection):
    def execute(self, *given):
        self.row_factory = row
        return super().execute(*given)
def row(_, values):
    counts["rows"] += 1
    return values
real = sqlite3.connect
sqlite3.connect = counting("connections", lambda *a, **k: real(*a, factory=Connection, **k))
from recall_tui.__main__ import main
main()
counts["modules"] = list(sys.modules)
print(json.dumps(counts), file=sys.stderr)
"""
SESSIONS = 300
T = 1_700_000_000_000


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Return a function that runs a command on an index in step, and tells what it counted."""
    folder = tmp_path_factory.mktemp("start")
    sessions = folder / "projects" / "-x"
    sessions.mkdir(parents=True)
    for number in range(SESSIONS):
        name = str(uuid.UUID(int=number, version=4))
        at = to_iso(T + number * 60_000)
        record = {
            "type": "user", "uuid": name, "sessionId": name, "timestamp": at,
            "cwd": "/x", "message": {"role": "user", "content": "needle — → 漢字, naïve"},
        }  # fmt: skip
        (sessions / f"{name}.jsonl").write_text(json.dumps(record) + "\n")
    env = {**os.environ, "RECALL_HOME": str(folder / "recall"), "RECALL_BACKGROUND": "0"}

    def counted(*words: str) -> dict:
        source = ["--source", f"claude={folder / 'projects'}"]
        done = subprocess.run(
            [sys.executable, "-c", COUNT, *source, *words],
            capture_output=True, text=True, env=env, cwd=REPOSITORY, check=True,
        )  # fmt: skip
        return json.loads(done.stderr.splitlines()[-1])

    counted("index")
    return counted


@pytest.mark.parametrize(
    ("words", "modules", "patterns", "connections", "rows"),
    [
        (["grep", "--no-total", "--limit", "9", "needle"], 72, 3, 2, 90),
        (["index"], 67, 2, 2, 60),
        (["sessions", "--limit", "5"], 66, 2, 1, SESSIONS + 60),  # a page is chosen among all
    ],
)
def test_an_index_in_step_costs_a_command_little(run, words, modules, patterns, connections, rows):
    counts = run(*words)
    loaded = set(counts["modules"])
    ours = sorted(name for name in loaded if name.startswith("recall_tui"))
    assert len(ours) <= modules, ours  # each takes half a million instructions and its own
    assert counts["patterns"] <= patterns  # up to 2 ms each
    assert counts["connections"] <= connections  # each reads the schema
    assert counts["rows"] <= rows  # not one for each file
    dear = {"dataclasses", "rich", "msgspec", "subprocess", "pathlib", "tempfile", "hashlib"}
    assert not loaded & dear
    assert not {"recall_tui.cli.wire", "recall_tui.store.writer", "recall_tui.tui"} & loaded
