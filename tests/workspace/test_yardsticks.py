"""What narrowing gains, as counts and ratios (S0-63)."""

from __future__ import annotations

import pytest

from tests.workspace.build import big
from tests.workspace.yardsticks import ABSENT, MARKER, measure, table


@pytest.mark.contract("S0-63")
def test_few_matching_sessions_are_read_alone(tmp_path) -> None:
    folder = big(tmp_path, sessions=60, turns=4, matching=3, legacy=20)
    assert measure(folder, "", MARKER, 1).named == 3
    assert measure(folder, "", ABSENT, 1)[4:] == (0, 0)
    assert measure(folder, "", "cache", 1).named == 60


@pytest.mark.slow
@pytest.mark.contract("S0-63")
def test_narrowing_pays_where_few_match_and_costs_little_where_most_do(tmp_path) -> None:
    few, none, most, everywhere = table(tmp_path, large=False)
    assert few.named == few.hits == 3
    assert most.named == 5
    assert few.ratio > 2 and none.ratio > 2
    assert most.narrowed_ms < 2 * most.full_ms
    assert everywhere.narrowed_ms < 2 * everywhere.full_ms
