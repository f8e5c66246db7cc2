"""Relations: recorded links only, and what is missing of them."""

from __future__ import annotations

import pytest

from recall_tui.model import SessionKind
from recall_tui.playbooks.relations import family
from tests.cli.fake import MINUTE, NOON
from tests.playbooks.build import prompt, several

A, B, C, D = (f"claude:0000000{n}-0000-4000-8000-000000000000" for n in range(4))


def tree(**of_a):
    return several(
        (A, of_a, [prompt("a")]),
        (B, {"parent": A, "kind": SessionKind.SUBAGENT, "at": NOON + 2 * MINUTE}, [prompt("b")]),
        (C, {"parent": A, "kind": SessionKind.FORK, "at": NOON + MINUTE}, [prompt("c")]),
        (D, {"parent": B}, [prompt("d")]),
    )


@pytest.mark.contract("S3-73")
@pytest.mark.parametrize("asked", [A, B, C, D])
def test_the_whole_family_from_any_member(asked: str) -> None:
    past = tree()
    found = family(past, past.find(asked)[0])
    assert [(m.session.key, m.depth, m.link) for m in found.members] == [
        (A, 0, ""), (C, 1, "fork"), (B, 1, "subagent"), (D, 2, "copy"),
    ]  # fmt: skip
    assert found.complete and found.asked.key == asked


@pytest.mark.contract("S3-73")
def test_a_missing_link_makes_it_incomplete() -> None:
    past = tree(kind=SessionKind.SUBAGENT)
    assert (
        "is a subagent, and the session it comes from is not here"
        in (family(past, past.find(D)[0]).missing[0])
    )
    past = tree(parent="claude:gone")
    found = family(past, past.find(B)[0])
    assert found.missing == (f"{A} belongs to claude:gone, which is not here",)
    assert len(found.members) == 4


def test_a_circle_ends() -> None:
    past = several((A, {"parent": B}, [prompt("a")]), (B, {"parent": A}, [prompt("b")]))
    assert len(family(past, past.find(A)[0]).members) == 2
