"""The facts of a block: one by one as all at once."""

from __future__ import annotations

import json

import zstandard
from hypothesis import given
from hypothesis import strategies as st

from recall_tui.store.expand import _FEW, Facts

TEXTS = st.text(st.sampled_from('"1234:{}\\,é'), max_size=12)
FACTS = st.fixed_dictionaries(
    {}, optional={"tool": TEXTS, "ms": st.integers(1, 9), "materials": st.lists(st.lists(TEXTS))}
).filter(bool)


@given(st.dictionaries(st.integers(0, 50), FACTS), st.integers(0, _FEW))
def test_facts_found_one_by_one_are_those_decoded(facts, before):
    """Also where a text looks like the key of another message."""
    held = Facts(zstandard.compress(json.dumps(facts, separators=(",", ":")).encode()))
    for _ in range(before):
        held.get(0, {})
    assert {index: held.get(index, None) for index in range(51)} == {
        index: facts.get(index) for index in range(51)
    }
    assert held.all == facts


def test_a_block_without_facts_has_none():
    assert Facts(b"").get(0, {}) == Facts(b"").all == {}
