"""`recall related` and `recall relations`."""

from __future__ import annotations

import pytest

from tests.cli.fake import BUDGET, CHINESE, HELPER


@pytest.mark.contract("S3-39")
def test_rows_begin_with_path_overlap_folder_branch(run) -> None:
    ran = run("related", "--cwd", "/home/ann/src/recall")
    assert ran.code == 0
    head, *rows = [line.split("\t") for line in ran.out.splitlines()]
    assert head == ["path", "overlap", "cwd", "branch", "key"]
    assert {row[4] for row in rows} == {BUDGET, HELPER, CHINESE}, "one went on here"
    assert rows[1][1:4] == ["1", "/home/ann/src/recall", "main"]
    assert "compared with /home/ann/src/recall" in ran.err
    mains = run("related", "--cwd", "/home/ann/src/recall", "--mains-only").out
    assert BUDGET in mains and HELPER not in mains


@pytest.mark.contract("S3-39")
def test_the_current_folder_is_the_default(run, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run("related", "--json")
    assert ran.code == 1
    assert ran.json["compared"]["folders"] == [str(tmp_path)]


def test_with_a_session_or_a_branch(run) -> None:
    answer = run("related", BUDGET, "--json").json
    assert [one["key"] for one in answer["related"]] == [CHINESE, HELPER]
    assert answer["related"][0]["same_project"] and "reach" in answer
    answer = run("related", BUDGET, "--branch", "功能", "--json").json
    assert [one["overlap"] for one in answer["related"]] == [2, 1]
    assert run("related", "unknown-session").code == 1


@pytest.mark.contract("S3-73")
def test_the_family(run, fake) -> None:
    ran = run("relations", HELPER)
    assert ran.code == 0
    assert ran.out.index(BUDGET) < ran.out.index(HELPER) and "subagent" in ran.out
    answer = run("relations", BUDGET, "--json").json
    assert [(one["key"], one["link"]) for one in answer["sessions"]] == [
        (BUDGET, ""), (HELPER, "subagent"),
    ]  # fmt: skip
    fake.held = {s: m for s, m in fake.held.items() if s.key != BUDGET}
    ran = run("relations", HELPER)
    assert ran.code == 3 and f"{HELPER} belongs to {BUDGET}, which is not here" in ran.err
