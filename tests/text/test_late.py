"""A pattern nobody asks is never compiled; one that is asked is compiled once."""

from __future__ import annotations

import re

import pytest

from recall_tui.text import late as module
from recall_tui.text.late import late


def test_its_first_use_compiles_it_and_later_ones_do_not(monkeypatch):
    compiled = []
    monkeypatch.setattr(
        module.re, "compile", lambda *given: compiled.append(given) or re._compile(*given)
    )
    word = late(r"b+", re.IGNORECASE)
    assert compiled == []
    assert [word.search(text) is not None for text in ("aBb", "x", "b")] == [True, False, True]
    assert len(compiled) == 1
    assert late(rb"\d").sub(b"#", b"a1") == b"a#"


def test_a_wrong_pattern_fails_when_it_is_used():
    with pytest.raises(re.error):
        late("(").match("x")
