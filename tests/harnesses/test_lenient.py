"""One odd field costs only itself; a session nobody used yields nothing."""

from __future__ import annotations

import msgspec
import pytest

from recall_tui.harnesses.base import Parsed
from recall_tui.harnesses.lenient import decode
from recall_tui.harnesses.opening import Opening
from recall_tui.model import Kind


class Inner(msgspec.Struct):
    a: int = 0
    b: str | None = None


class Outer(msgspec.Struct):
    name: str = "none"
    inner: Inner | None = None
    many: list[Inner] | None = None
    text: str | None = None


def test_known_types_are_decoded_as_they_are():
    data = b'{"name": "x", "inner": {"a": 1}, "many": [{"b": "y"}], "text": "t"}'
    assert decode(data, Outer) == Outer("x", Inner(1), [Inner(0, "y")], "t")


def test_an_odd_field_keeps_its_default_at_any_depth():
    data = b'{"name": 5, "inner": {"a": "no", "b": "yes"}, "many": [7, {"a": [], "b": "z"}]}'
    assert decode(data, Outer) == Outer("none", Inner(0, "yes"), [Inner(0, "z")])
    assert decode(b'{"inner": 5, "many": 5}', Outer) == Outer()
    assert decode(b'{"many": {"a": 3}}', Outer).many == [Inner(3)]


def test_a_field_may_be_rescued():
    rescue = {"text": lambda raw: f"was {msgspec.json.decode(raw)}"}
    assert decode(b'{"text": 7}', Outer, rescue).text == "was 7"
    assert decode(b'{"text": "7"}', Outer, rescue).text == "7"


@pytest.mark.parametrize("data", [b"[]", b"5", b"null", b'"x"', b"{", b""])
def test_what_is_no_object_is_refused(data):
    with pytest.raises(msgspec.MsgspecError):
        decode(data, Outer)


def test_an_opening_ends_when_somebody_speaks():
    opening = Opening()
    injected, notice = Parsed(Kind.INJECTED, "a"), Parsed(Kind.NOTICE, "b")
    assert opening.until_somebody_speaks([injected]) == []
    assert opening.until_somebody_speaks([notice]) == []
    prompt = Parsed(Kind.PROMPT, "c")
    assert opening.until_somebody_speaks([prompt]) == [injected, notice, prompt]
    assert opening.until_somebody_speaks([prompt]) == [prompt]
