"""Time: epoch milliseconds inside, ISO 8601 with a zone outside."""

from __future__ import annotations

import re
import time
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Final

from recall_tui.errors import QueryError

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def now_ms() -> int:
    """Return the wall clock in epoch milliseconds."""
    return time.time_ns() // 1_000_000


def from_number(value: float) -> int:
    """Turn a number of unknown unit into epoch ms: s below 1e11, ms below 1e14, else µs.

    The thresholds are formats.md rule 8: seconds reach 1e11 in the year 5138. A number beyond the
    year 10000 in µs is no time.
    """
    if not 0 < value < 2.5e17:
        return 0
    if value < 1e11:
        return int(value * 1000)
    if value < 1e14:
        return int(value)
    return int(value / 1000)


def from_iso(text: str, zone: tzinfo = UTC) -> int:
    """Read an ISO 8601 time; without an offset it is in `zone`. Returns 0 when it is none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return 0
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=zone)
    try:
        return _epoch_ms(moment)
    except OverflowError:
        return 0


def _epoch_ms(moment: datetime) -> int:
    """Return the epoch ms of an aware moment, by whole numbers: a float loses one in 0.6 %."""
    since = moment - _EPOCH
    return (since.days * 86400 + since.seconds) * 1000 + since.microseconds // 1000


def to_iso(time_ms: int, zone: tzinfo = UTC) -> str:
    """Write a time with its zone, to the millisecond; empty for 0 and for years no calendar has."""
    if not time_ms:
        return ""
    try:
        moment = datetime.fromtimestamp(time_ms // 1000, zone)  # a float loses a millisecond
    except (OverflowError, OSError, ValueError):
        return ""
    moment = moment.replace(microsecond=time_ms % 1000 * 1000)
    text = moment.isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


class _LocalZone(tzinfo):
    """The zone of this machine with its summer time: each moment has the offset of its own day.

    `datetime.astimezone()` alone yields today's offset, an hour wrong for half the year.
    """

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        """Return the offset at a local time."""
        return moment.replace(tzinfo=None).astimezone().utcoffset() if moment else None

    def dst(self, _: datetime | None) -> None:
        """Not known apart from the offset."""
        return

    def tzname(self, moment: datetime | None) -> str | None:
        """Return the zone's name at a local time."""
        return moment.replace(tzinfo=None).astimezone().tzname() if moment else None

    def fromutc(self, moment: datetime) -> datetime:
        """Return the local time of a UTC time, in the second fold when the hour comes twice."""
        known = moment.replace(tzinfo=UTC).astimezone()
        local = known.replace(tzinfo=self)
        return local if local.utcoffset() == known.utcoffset() else local.replace(fold=1)


def local_zone() -> tzinfo:
    """Return the zone of this machine (honours TZ), summer time included."""
    return _LocalZone()


_UNITS: Final = {"m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_AGE: Final = r"([0-9]{1,6})([mhdw])\Z"


def parse_bound(text: str, *, end: bool, zone: tzinfo, now: int | None = None) -> int:
    """Read a `--since` or `--until` value.

    Accepts ISO times, bare dates (that whole day in `zone`, both ends inclusive, Q27),
    `today`, `yesterday`, and ages such as `30m`, `12h`, `7d`, `2w`.

    Args:
        text: What the person typed.
        end: True for the upper bound: a bare date then means its last millisecond.
        zone: The zone a value without an offset is in.
        now: The present in epoch ms, for tests.

    Raises:
        QueryError: The value has no such shape.
    """
    value = text.strip().lower()
    present = now_ms() if now is None else now
    age = re.match(_AGE, value)
    if age is not None:
        return present - int(age[1]) * _UNITS[age[2]] * 1000
    today = datetime.fromtimestamp(present / 1000, zone).date()
    words = {"today": today, "yesterday": today - timedelta(days=1)}
    try:
        day = words.get(value) or (date.fromisoformat(value) if len(value) <= 10 else None)
        if day is not None:
            start = datetime(day.year, day.month, day.day, tzinfo=zone)
            if not end:
                return _epoch_ms(start)
            after = day + timedelta(days=1)
            return _epoch_ms(datetime(after.year, after.month, after.day, tzinfo=zone)) - 1
        moment = datetime.fromisoformat(text.strip())
    except (ValueError, OverflowError) as error:
        raise QueryError(
            f"not a time: {text!r}", "use 2026-11-30, 2026-11-30T14:00+01:00, 7d, today"
        ) from error
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=zone)
    return _epoch_ms(moment)
