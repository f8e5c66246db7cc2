"""`recall forget`."""

from __future__ import annotations

from pathlib import Path

from tests.cli.fake import BUDGET, HELPER, FakeHistory


def test_without_yes_it_only_shows_what_would_go(run, fake) -> None:
    ran = run("forget", "8d7c5cf2")
    assert ran.code == 0
    assert "would go: 2 sessions with 7 messages" in ran.out
    assert BUDGET in ran.out and HELPER in ran.out
    assert "--yes" in ran.err
    assert fake.forgotten == []


def test_with_yes_the_family_goes(run, fake) -> None:
    ran = run("forget", BUDGET, "--yes")
    assert "forgotten: 2 sessions" in ran.out
    assert "another process still reads" in ran.err
    assert fake.forgotten == [BUDGET, HELPER]


def test_the_agents_files_are_named_and_stay(run, fake, tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_text("{}", "utf-8")
    moved = FakeHistory({s._replace(path=str(file)): m for s, m in fake.held.items()})
    ran = run("forget", BUDGET, "--yes", history=moved)
    assert f"    {file}" in ran.out
    assert file.exists()
    answer = run("forget", BUDGET, "--json", history=moved).json
    assert (answer["forgotten"], answer["files_kept"]) == (False, [str(file)])


def test_an_unknown_key(run) -> None:
    assert run("forget", "nowhere", "--yes").code == 1
