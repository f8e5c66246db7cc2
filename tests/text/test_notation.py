"""Facts as a person reads them."""

from __future__ import annotations

from datetime import UTC

import pytest

from recall_tui.config import zone
from recall_tui.model import Kind
from recall_tui.text import notation
from recall_tui.text.cells import cell_width

NOW = 1_796_040_000_000


@pytest.mark.parametrize(
    ("ago_s", "short", "words"),
    [
        (0, "now", "just now"),
        (59, "now", "just now"),
        (60, "1m", "1 minute ago"),
        (7_200, "2h", "2 hours ago"),
        (13 * 86_400, "13d", "13 days ago"),
        (14 * 86_400, "2w", "2 weeks ago"),
        (364 * 86_400, "52w", "52 weeks ago"),
        (800 * 86_400, "2y", "2 years ago"),
        (-5, "now", "just now"),
    ],
)
def test_ages(ago_s: int, short: str, words: str) -> None:
    then = NOW - ago_s * 1000
    assert notation.age(then, NOW) == short
    assert notation.age_words(then, NOW) == words


def test_an_unknown_time_is_said_to_be_unknown() -> None:
    assert notation.age(0, NOW) == ""
    assert notation.age_words(0, NOW) == "at an unknown time"
    assert (notation.day(0, UTC), notation.moment(0, UTC)) == ("", "")
    assert notation.clock(0, UTC) == " " * 5


def test_moments_carry_their_zone() -> None:
    assert notation.moment(NOW, UTC) == "2026-11-30 12:00 UTC"
    assert notation.moment(NOW, zone("Europe/Berlin")) == "2026-11-30 13:00 +01:00"
    assert notation.moment(NOW, zone("Asia/Kolkata")).endswith("17:30 +05:30")
    assert notation.day(NOW, zone("Pacific/Auckland")) == "2026-12-01"


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 KB"), (31_000, "31 KB"), (999_600, "1.0 MB"),
     (2_810_000_000, "2.8 GB"), (5_000_000_000_000, "5000 GB")],
)  # fmt: skip
def test_sizes(count: int, text: str) -> None:
    assert notation.size(count) == text


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [(0, ""), (0.4, "0ms"), (40, "40ms"), (999.6, "1s"), (1200, "1.2s"), (3000, "3s"),
     (59_960, "1m"), (125 * 60_000, "2h05m")],
)  # fmt: skip
def test_durations(milliseconds: float, text: str) -> None:
    assert notation.duration(milliseconds) == text


def test_counts_and_paths() -> None:
    assert notation.counted(1, "hit") == "1 hit"
    assert notation.counted(2143, "session") == "2,143 sessions"
    assert notation.counted(2, "subagent or fork", "subagents and forks") == "2 subagents and forks"
    assert notation.short_path("/home/ann/src", "/home/ann") == "~/src"
    assert notation.short_path("/home/anna/src", "/home/ann") == "/home/anna/src"
    assert notation.short_path("/home/ann", "/home/ann") == "~"


def test_every_kind_has_a_speaker_that_fits() -> None:
    assert set(notation.SPEAKERS) == set(Kind)
    assert all(cell_width(word) <= 8 for word in notation.SPEAKERS.values())
