"""`recall doctor` prints its checks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from recall_tui.cli.call import Call
from recall_tui.errors import ConfigError, StoreError


@pytest.mark.contract("S3-76")
def test_warnings_end_with_zero_and_nothing_is_created(run, fake, home: Path) -> None:
    ran = run("doctor")
    assert fake.caught_up == 0
    assert ran.code == 0
    for section in ("sources", "index", "machine", "terminal"):
        assert section in ran.out.splitlines()
    assert "· file           " in ran.out
    assert "→ recall index" in ran.out
    assert not os.path.exists(home / "recall")


def test_json(run) -> None:
    answer = run("doctor", "--json").json
    assert answer["ok"] is True
    names = {(check["section"], check["name"]) for check in answer["checks"]}
    assert {("index", "file"), ("machine", "sqlite"), ("machine", "scanner")} <= names
    assert {check["level"] for check in answer["checks"]} <= {"ok", "note", "warn", "fail"}


def test_the_history_is_opened_without_looking_at_the_sources(run, fake) -> None:
    opened = []

    def opener(_: Call, live: bool):
        opened.append(live)
        return fake

    run("doctor", call=Call(opener=opener))
    run("sessions", call=Call(opener=opener))
    assert opened == [True, False]


@pytest.mark.contract("S3-76")
def test_a_damaged_index_is_a_hard_failure_and_everything_else_is_still_said(run, home) -> None:
    (home / "recall").mkdir()
    (home / "recall" / "index.db").write_bytes(b"no database at all, but long enough" * 40)

    def refuses(*_):
        raise StoreError("index.db: file is not a database", "recall index --rebuild")

    ran = run("doctor", call=Call(opener=refuses))
    assert ran.code == 3
    assert "✗ file" in ran.out and "recall index --rebuild" in ran.out
    assert "sqlite" in ran.out


def test_a_wrong_setting_is_a_usage_error_and_the_rest_is_still_said(run, home: Path) -> None:
    def refuses(*_):
        raise ConfigError("config.toml: unknown key 'thme'", "did you mean 'theme'?")

    ran = run("doctor", call=Call(opener=refuses))
    assert ran.code == 2
    assert "unknown key 'thme'" in ran.err and "sqlite" in ran.out
