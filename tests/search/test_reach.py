"""Reach in numbers, words and exit codes."""

from __future__ import annotations

import pytest

from recall_tui.errors import ExitCode
from recall_tui.model import Filter, Gap, GapKind, Reach
from recall_tui.search.reach import exit_code, reached
from tests.search.corpora import MemoryCorpus, Said, Talk

PARTIAL = Gap(GapKind.UNREADABLE, 1, "cannot read /x", "check its permissions")
NOTE = Gap(GapKind.GONE, 3, "sources are gone")


@pytest.mark.contract("X-1")
@pytest.mark.parametrize(
    ("gaps", "found", "code"),
    [
        ([], True, ExitCode.FOUND),
        ([PARTIAL], True, ExitCode.FOUND),
        ([], False, ExitCode.NOTHING),
        ([NOTE], False, ExitCode.NOTHING),
        ([NOTE, PARTIAL], False, ExitCode.PARTIAL),
    ],
)
def test_emptiness_is_told_from_not_having_looked(gaps, found, code):
    assert exit_code(Reach(gaps=gaps), found=found) is code


def test_corpora_add_up_and_equal_gaps_are_joined():
    class Missing(MemoryCorpus):
        def gaps(self, chosen):
            return [PARTIAL]

    corpora = [
        Missing([Talk("a", [Said("x", 5), Said("x", 9)], copied=1)]),
        Missing([Talk("b", [Said("x", 7)])]),
    ]
    reach = reached(corpora, Filter())
    assert (reach.sessions_searched, reach.sessions_total, reach.messages_searched) == (2, 2, 2)
    assert (reach.oldest_ms, reach.newest_ms) == (5, 9)
    assert [gap.count for gap in reach.gaps] == [2]
    assert not reach.complete
