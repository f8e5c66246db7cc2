"""Our named tuples behave like the standard library's."""

from __future__ import annotations

import copy
import subprocess
import sys
import typing

import pytest

from recall_tui import named
from tests.conftest import REPOSITORY


class Ours(named.NamedTuple):
    """A point."""

    x: int
    y: Absent = 2  # noqa: F821 - an annotation is only a name
    z: str = "z"

    @property
    def sum(self) -> int:
        return self.x + self.y

    def __str__(self) -> str:
        return f"<{self.x}>"


class Theirs(typing.NamedTuple):
    x: int
    y: int = 2
    z: str = "z"


class Heir(Ours):
    """Inherits the fields."""

    more: int = 5


@pytest.mark.parametrize(
    ("values", "by_name"),
    [((1,), {}), ((1, 3), {}), ((1,), {"z": "q"}), ((), {"x": 4, "y": 5}), ((1, 2, 3), {})],
)
def test_they_are_made_alike(values, by_name):
    ours, theirs = Ours(*values, **by_name), Theirs(*values, **by_name)
    assert ours == theirs == tuple(theirs)
    assert (ours.x, ours.y, ours.z) == tuple(ours)
    assert repr(ours) == repr(theirs).replace("Theirs", "Ours")
    assert hash(ours) == hash(theirs)
    assert ours._asdict() == theirs._asdict()
    assert ours._replace(y=9) == theirs._replace(y=9)
    assert type(ours._replace(y=9)) is Ours
    again = copy.copy(ours)  # as a worker process gets it
    assert (again, type(again)) == (ours, Ours)


@pytest.mark.parametrize("made", [Ours, Theirs])
def test_what_cannot_be_is_refused_alike(made):
    for values, by_name in (((), {}), ((1, 2, 3, 4), {}), ((1,), {"w": 1}), ((1,), {"x": 1})):
        with pytest.raises(TypeError):
            made(*values, **by_name)
    one = made(1)
    with pytest.raises(AttributeError):
        one.x = 2
    with pytest.raises(AttributeError):
        one.other = 2
    with pytest.raises((TypeError, ValueError)):
        one._replace(w=1)
    with pytest.raises(TypeError):
        made._make([1])
    assert made._make([1, 2, 3]) == (1, 2, 3)
    assert made._fields == made.__match_args__ == ("x", "y", "z")
    assert made._field_defaults == {"y": 2, "z": "z"}
    match one:
        case Ours(x, y) | Theirs(x, y):
            assert (x, y) == (1, 2)
        case _:
            pytest.fail("it has no places")


def test_a_body_may_hold_more():
    assert (Ours(1).sum, str(Ours(1)), Ours.__doc__) == (3, "<1>", "A point.")
    heir = Heir(1)
    assert (heir, heir.more, type(heir), type(heir._replace(x=2))) == ((1, 2, "z"), 5, Heir, Heir)
    assert type(Ours(1)) is Ours


def test_a_default_stays_behind():
    with pytest.raises(TypeError):
        type(named.NamedTuple)(
            "Bad", (named.NamedTuple,), {"__annotations__": {"a": 1, "b": 1}, "a": 1}
        )


def test_no_module_of_ours_makes_the_dear_ones():
    found = subprocess.run(
        ["grep", "-rnE", "^from typing import .*NamedTuple|typing.NamedTuple\\(", "recall_tui"],
        capture_output=True, text=True, cwd=REPOSITORY, check=False,
    )  # fmt: skip
    assert found.stdout == ""
    code = "import recall_tui.named, sys; print('typing' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=REPOSITORY, check=True
    )
    assert (done.stdout.strip() == "False") == (sys.version_info < (3, 14))
