"""`recall skill`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.fake import BUDGET
from tests.playbooks.build import KEY, answer, edit, past, prompt
from tests.playbooks.build import run as ran_command


@pytest.fixture
def story():
    return past(
        prompt("fix the tide in TIDE-142"), *edit("/home/ann/src/recall/a.py"),
        *ran_command("pytest -q"), answer("Done."), title="Fix the tide",
    )[0]  # fmt: skip


@pytest.mark.contract("S3-6")
def test_it_is_shown_and_not_written(run, story, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run("skill", KEY, history=story)
    assert ran.code == 0 and ran.out.startswith("---\nname: fix-the-tide\n")
    assert "-o DIR writes it" in ran.err
    assert list(tmp_path.iterdir()) == []


def test_it_is_written_after_a_question(run, story, tmp_path: Path, monkeypatch) -> None:
    target = tmp_path / "skills" / "fix-the-tide"
    ran = run("skill", KEY, "-o", str(tmp_path / "skills"), history=story)
    assert ran.code == 2 and "name: fix-the-tide" in ran.out and not target.exists()
    monkeypatch.setattr("recall_tui.cli.asking.at_terminal", lambda: True)
    for answer_, written in ((False, False), (True, True)):
        monkeypatch.setattr("click.confirm", lambda *_, answer_=answer_, **__: answer_)
        assert run("skill", KEY, "-o", str(tmp_path / "skills"), history=story).code == 0
        assert target.exists() is written
    assert run("skill", KEY, "-o", str(tmp_path / "skills"), "--yes", history=story).code == 3
    assert (
        run("skill", KEY, "-o", f"{tmp_path}/skills", "--yes", "--force", history=story).code == 0
    )


@pytest.mark.contract("S3-7")
def test_verify(run, story, tmp_path: Path) -> None:
    run("skill", KEY, "-o", str(tmp_path), "--name", "one", "--yes", history=story)
    ran = run("skill", "--verify", str(tmp_path / "one"), history=story)
    assert ran.code == 0 and "4 same" in ran.err
    ran = run("skill", "--verify", str(tmp_path / "one"), "--json")
    assert ran.code == 1 and ran.json["gone"] == 4
    assert run("skill", "--verify", str(tmp_path)).code == 2
    (tmp_path / "one" / "provenance.json").write_text("[" * 100_000, "utf-8")
    assert run("skill", "--verify", str(tmp_path / "one")).code == 2


def test_json(run, story, tmp_path: Path) -> None:
    answer = run("skill", KEY, "--json", history=story).json
    assert answer["provenance"]["schema"] == "recall.skill-provenance.v1"
    assert (answer["steps"], answer["written"]) == (1, "")
    answer = run("skill", KEY, "--json", "-o", str(tmp_path), "--yes", history=story).json
    assert json.loads(Path(answer["written"], "provenance.json").read_text("utf-8"))


def test_wrong_calls_and_a_session_without_work(run) -> None:
    assert run("skill").code == 2
    assert run("skill", BUDGET, "--verify", "x").code == 2
    assert run("skill", "unknown-session").code == 1
    ran = run("skill", BUDGET)
    assert ran.code == 1 and "no command or edit that worked" in ran.err
