"""Time: what a bound means in three zones, and that nothing a source says can crash us."""

from __future__ import annotations

import math
import time
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_tui import clock
from recall_tui.errors import QueryError

ZONES = {"UTC": 0, "Asia/Tokyo": 9, "America/New_York": -5}
"""Hours from UTC on a winter day."""


@pytest.fixture(params=ZONES)
def zone_name(request, monkeypatch):
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


def ms(text):
    return int(datetime.fromisoformat(text).timestamp() * 1000)


def test_a_bare_date_is_that_whole_day_in_the_zone_of_this_machine(zone_name):
    zone = clock.local_zone()
    first = clock.parse_bound("2026-01-15", end=False, zone=zone)
    last = clock.parse_bound("2026-01-15", end=True, zone=zone)
    assert first == ms("2026-01-15T00:00:00+00:00") - ZONES[zone_name] * 3_600_000
    assert last == first + 86_400_000 - 1
    # A moment late that evening is inside, the next midnight is not.
    evening = ms("2026-01-15T23:59:59.999+00:00") - ZONES[zone_name] * 3_600_000
    assert evening <= last < evening + 1


def test_a_bare_date_in_the_other_half_of_the_year_has_the_offset_of_that_day(monkeypatch):
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        zone = clock.local_zone()
        summer = clock.parse_bound("2026-07-01", end=False, zone=zone)
        winter = clock.parse_bound("2026-01-15", end=False, zone=zone)
        assert clock.to_iso(summer, UTC) == "2026-07-01T04:00:00.000Z"
        assert clock.to_iso(winter, UTC) == "2026-01-15T05:00:00.000Z"
        assert clock.to_iso(summer, zone) == "2026-07-01T00:00:00.000-04:00"
        # The day the clocks go back has 25 hours.
        first = clock.parse_bound("2026-11-01", end=False, zone=zone)
        last = clock.parse_bound("2026-11-01", end=True, zone=zone)
        assert last + 1 - first == 25 * 3_600_000
    finally:
        monkeypatch.setenv("TZ", "UTC")
        time.tzset()


@pytest.mark.parametrize("name", ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe"])
def test_the_local_zone_agrees_with_the_zone_database_every_quarter_hour(name, monkeypatch):
    monkeypatch.setenv("TZ", name)
    time.tzset()
    try:
        local, known = clock.local_zone(), ZoneInfo(name)
        for day in ("2026-03-29", "2026-10-25", "2026-11-01", "2026-04-05", "2026-06-30"):
            start = ms(f"{day}T00:00:00+00:00") - 12 * 3_600_000
            for quarter in range(192):
                moment = start + quarter * 900_000
                assert clock.to_iso(moment, local) == clock.to_iso(moment, known)
    finally:
        monkeypatch.setenv("TZ", "UTC")
        time.tzset()


@pytest.mark.contract("S3-18")
def test_both_ends_are_inclusive():
    day = "2026-11-30"
    first = clock.parse_bound(day, end=False, zone=UTC)
    last = clock.parse_bound(day, end=True, zone=UTC)
    assert clock.to_iso(first) == "2026-11-30T00:00:00.000Z"
    assert clock.to_iso(last) == "2026-11-30T23:59:59.999Z"


NOW = 1_764_500_000_000  # 2025-11-30T10:53:20Z


@pytest.mark.parametrize(
    ("text", "end", "iso"),
    [
        ("today", False, "2025-11-30T00:00:00.000Z"),
        ("today", True, "2025-11-30T23:59:59.999Z"),
        (" Yesterday ", False, "2025-11-29T00:00:00.000Z"),
        ("30m", False, "2025-11-30T10:23:20.000Z"),
        ("12H", False, "2025-11-29T22:53:20.000Z"),
        ("7d", True, "2025-11-23T10:53:20.000Z"),
        ("2w", False, "2025-11-16T10:53:20.000Z"),
        ("2025-11-30T14:00", True, "2025-11-30T14:00:00.000Z"),
        ("2025-11-30T14:00+09:00", False, "2025-11-30T05:00:00.000Z"),
        ("2025-11-30T14:00:00.250Z", False, "2025-11-30T14:00:00.250Z"),
    ],
)
def test_the_forms_of_a_bound(text, end, iso):
    assert clock.to_iso(clock.parse_bound(text, end=end, zone=UTC, now=NOW)) == iso


@pytest.mark.parametrize(
    "text", ["", "soon", "-5d", "²d", "٣d", "9" * 5000 + "d", "2026-13-01", "2026-02-30", "7", "d"]
)
def test_what_is_no_time_says_which_forms_there_are(text):
    with pytest.raises(QueryError):
        clock.parse_bound(text, end=False, zone=UTC)


@given(st.text(max_size=30), st.booleans())
def test_no_bound_crashes(text, end):
    try:
        bound = clock.parse_bound(text, end=end, zone=timezone(timedelta(hours=9)))
    except QueryError:
        return
    assert abs(bound) < 2**53


@given(st.integers(1, 253_402_300_799_999))
def test_a_time_reads_back_as_itself(time_ms):
    for zone in (UTC, timezone(timedelta(hours=5, minutes=45))):
        if time_ms < 253_402_214_400_000:
            assert clock.from_iso(clock.to_iso(time_ms, zone)) == time_ms


@given(st.one_of(st.integers(), st.floats()))
def test_a_number_of_any_size_is_a_time_or_none(value):
    known = clock.from_number(value)
    assert isinstance(known, int)
    assert known >= 0
    assert isinstance(clock.to_iso(known), str)


def test_seconds_milliseconds_and_microseconds_mean_the_same():
    assert clock.from_number(1_764_500_000) == NOW
    assert clock.from_number(1_764_500_000.25) == NOW + 250
    assert clock.from_number(NOW) == NOW
    assert clock.from_number(NOW * 1000) == NOW
    assert clock.from_number(10**30) == clock.from_number(float("nan")) == 0
    assert clock.from_number(math.nan) == clock.from_number(-1) == clock.from_number(math.inf) == 0


@given(st.text(max_size=40))
def test_no_text_of_a_source_crashes_the_reader_of_times(text):
    assert isinstance(clock.from_iso(text), int)


def test_a_time_without_a_zone_is_utc_not_local(zone_name):
    assert clock.from_iso("2026-01-15T10:00:00") == ms("2026-01-15T10:00:00+00:00")
    assert clock.from_iso("2026-13-15T10:00:00") == 0
