"""Times, sources: what the shared options mean."""

from __future__ import annotations

import time
from datetime import UTC
from pathlib import Path

import pytest

from recall_tui.cli.options import Asked
from recall_tui.config import zone
from recall_tui.errors import QueryError

NOTHING = Asked(None, None, "", "", (), (), (), mains_only=False)


def bounds(since: str | None, until: str | None, name: str) -> tuple[int | None, int | None]:
    chosen = NOTHING._replace(since=since, until=until).filter(zone(name))
    return chosen.since_ms, chosen.until_ms


@pytest.mark.contract("S3-18")
def test_a_bare_date_is_that_whole_day_in_the_zone() -> None:
    day = 86_400_000
    low, high = bounds("2026-11-28", "2026-11-28", "UTC")
    assert (low, high) == (1_795_824_000_000, 1_795_824_000_000 + day - 1)
    low, high = bounds("2026-11-28", "2026-11-28", "Asia/Tokyo")
    assert (low, high) == (1_795_824_000_000 - 9 * 3_600_000, low + day - 1)
    assert bounds("2026-11-28T00:00+01:00", None, "Asia/Tokyo")[0] == 1_795_824_000_000 - 3_600_000


@pytest.mark.parametrize("tz", ["UTC", "Asia/Tokyo", "America/Los_Angeles"])
@pytest.mark.contract("S3-18")
def test_text_means_local_days_and_json_means_utc(run, fake, monkeypatch, tz: str) -> None:
    monkeypatch.setenv("TZ", tz)
    time.tzset()
    try:
        run("grep", "x", "--since", "2026-11-28")
        run("grep", "x", "--since", "2026-11-28", "--json")
    finally:
        monkeypatch.setenv("TZ", "UTC")
        time.tzset()
    local, machine = (q.chosen.since_ms for q in fake.asked if hasattr(q, "pattern"))
    assert machine == 1_795_824_000_000
    hours = {"UTC": 0, "Asia/Tokyo": -9, "America/Los_Angeles": 8}[tz]
    assert local - machine == hours * 3_600_000


def test_the_bounds_are_echoed_with_their_zone(run) -> None:
    ran = run("grep", "context", "--since", "2026-11-28", "--until", "2026-11-28")
    assert "since 2026-11-28 00:00 UTC · until 2026-11-28 23:59 UTC" in ran.err
    reach = run("grep", "context", "--until", "2026-11-29", "--json").json["reach"]
    assert (reach["until"], reach["zone"]) == ("2026-11-29T23:59:59.999Z", "UTC")


def test_bounds_that_exclude_everything_are_refused() -> None:
    with pytest.raises(QueryError, match="is after --until"):
        bounds("2026-11-29", "2026-11-28", "UTC")


def test_a_reference_names_its_session() -> None:
    chosen = NOTHING._replace(session=("claude:x#3~1234",)).filter(UTC)
    assert chosen.sessions == ("claude:x",)


def test_a_wrong_setting_stops_every_command(run, home: Path) -> None:
    (home / "recall").mkdir()
    (home / "recall" / "config.toml").write_text("zon = 'UTC'\n", "utf-8")
    for words in (["grep", "x"], ["sessions"], ["config", "show"]):
        ran = run(*words)
        assert ran.code == 2
        assert "did you mean 'zone'" in ran.err
