"""`recall handoff`."""

from __future__ import annotations

import stat
from pathlib import Path

from tests.cli.fake import BUDGET


def test_the_page_is_data_and_the_rest_words(run) -> None:
    ran = run("handoff", BUDGET)
    assert ran.code == 0
    assert ran.out.startswith("# Hand-off: Fix the token budget\n")
    assert "-o FILE writes it" in ran.err


def test_it_is_written_private_and_the_command_names_it(run, tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    ran = run("handoff", BUDGET, "--to", "codex", "-o", str(file))
    assert ran.code == 0 and ran.out == ""
    assert f"codex 'Read {file}. It quotes" in ran.err
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert run("handoff", BUDGET, "-o", str(file)).code == 3
    assert run("handoff", BUDGET, "-o", str(file), "--force").code == 0


def test_json_and_wrong_calls(run) -> None:
    answer = run("handoff", BUDGET, "--to", "claude", "--json").json
    assert answer["command"]["argv"][0] == "claude"
    assert answer["references"][0].startswith(BUDGET)
    assert run("handoff", BUDGET, "--to", "nobody").code == 2
    assert run("handoff", BUDGET, "--budget", "10").code == 2
    assert run("handoff", "unknown-session").code == 1
