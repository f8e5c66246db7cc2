"""Anchors: one pass finds what a pass each finds."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_tui.text import anchors
from recall_tui.text.anchors import SHORT, Anchors, Sought

ONE_PASS = pytest.mark.skipif(
    find_spec("hyperscan") is None, reason="no hyperscan for this platform: a pass for each literal"
)
SOUGHT = [
    Sought(b"key", b"=:"),
    Sought(b"_v1_"),
    Sought(b"gh", b"po"),
    Sought(b"\xe5\xaf\x86"),
    Sought(b"]-", b"\\]"),
    Sought(b"pass", b"e=", (b"ed", b"es")),
]
PIECES = [
    b"key=", b"_v1", b"_", b"gh", b"ghp", b"\xff", b"\xe5\xaf\x86", b"]-", b"\\",
    b"pass", b"e", b"d", b"s", b"=",
]  # fmt: skip


def certain(places, text):
    """Those of places whose literal is followed as it must be."""
    found = []
    for index, at in places:
        literal, following, unlike = SOUGHT[index]
        behind = text[at + len(literal) : at + len(literal) + 2]
        if any(pair[:1] == behind[:1] for pair in unlike):
            if len(behind) == 2 and behind not in unlike:
                found.append((index, at))
        elif not following or (behind and behind[0] in following):
            found.append((index, at))
    return found


def by_hand(text):
    """Every place, found without any of the code under test."""
    found = [
        (index, at)
        for index, (literal, *_) in enumerate(SOUGHT)
        for at in range(len(text))
        if text.startswith(literal, at)
    ]
    return certain(found, text)


@ONE_PASS
@given(st.lists(st.sampled_from(PIECES), max_size=60))
def test_one_pass_finds_what_a_pass_each_finds(pieces):
    text = b"".join(pieces)
    padding = b"." * SHORT
    sought = Anchors(SOUGHT)
    assert certain(sought.places(text), text) == by_hand(text)
    assert list(sought.places(text + padding)) == by_hand(text + padding)


@ONE_PASS
@given(st.lists(st.sampled_from(PIECES), min_size=20, max_size=60), st.integers(1, 40))
def test_what_crosses_a_window_is_found_once(pieces, window):
    text = b"".join(pieces) + b"." * SHORT
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(anchors, "WINDOW", window)
        assert sorted(Anchors(SOUGHT).places(text)) == by_hand(text)


def test_without_hyperscan_the_same_is_found(monkeypatch):
    monkeypatch.setitem(sys.modules, "hyperscan", None)
    text = b"key=1 _v1_v1_ ghp" + b"." * SHORT
    assert certain(Anchors(SOUGHT).places(text), text) == by_hand(text)


def test_threads_share_one_table():
    texts = [b"ghp key=" * n + b"." * SHORT for n in range(200)]
    sought = Anchors(SOUGHT)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda text: list(sought.places(text)), texts))
    assert found == [by_hand(text) for text in texts]
