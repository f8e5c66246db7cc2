"""Fields that change their type, and JSON that is not quite."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_tui.harnesses import fields

ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


@given(ANY)
def test_accessors_always_return_their_type(value: object) -> None:
    assert isinstance(fields.text(value), str)
    assert isinstance(fields.mapping(value), dict)
    assert isinstance(fields.items(value), list)
    assert isinstance(fields.number(value), float)
    assert fields.count(value) >= 0
    assert fields.time_ms(value) >= 0


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1_790_000_000, 1_790_000_000_000),
        (1_790_000_000_123, 1_790_000_000_123),
        (1_790_000_000_123_456, 1_790_000_000_123),
        ("2026-09-21T14:13:20.123Z", 1_790_000_000_123),
        ("yesterday", 0),
        (True, 0),
        (-5, 0),
        (float("inf"), 0),
        (10**400, 0),
    ],
)
def test_times_of_every_unit(value: object, expected: int) -> None:
    assert fields.time_ms(value) == expected


@given(ANY)
def test_sound_json_decodes_as_it_is(value: object) -> None:
    text = json.dumps(value)
    if "NaN" in text or "Infinity" in text:
        return
    assert fields.decode(text.encode()) == json.loads(text)


def test_damaged_json_is_mended_or_refused() -> None:
    assert fields.decode(b'\xef\xbb\xbf\0 {"a": "\\ud83d"}\r\n') == {"a": "\ufffd"}
    assert fields.decode(b'["\\ud83d\\ude00", "\\ud83d"]') == ["\U0001f600", "\ufffd"]
    assert fields.decode(b'["\xff"]') == ["\ufffd"]
    for broken in (b"", b"{", b"[" * 100_000, b"nope"):
        with pytest.raises(ValueError):
            fields.decode(broken)
