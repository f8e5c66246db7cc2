"""The nouns: references round-trip, filters admit what they say, stored numbers stay."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_tui.errors import BadReferenceError
from recall_tui.model import Filter, Flag, Gap, GapKind, Kind, Message, Reference, Role

harnesses = st.from_regex(r"[a-z][a-z0-9_-]{0,12}", fullmatch=True)
names = st.text(
    st.characters(exclude_characters="#\n", exclude_categories=("Cc", "Cs", "Zs", "Zl", "Zp")),
    min_size=1,
    max_size=40,
)


@given(harnesses, names, st.integers(-1, 10**9 - 1), st.integers(0, 0xFFFF), st.booleans())
def test_a_reference_reads_back_as_itself(harness, name, position, digest, pinned):
    reference = Reference(harness, name, position, digest if pinned and position >= 0 else -1)
    assert Reference.parse(str(reference)) == reference
    assert reference.key == f"{harness}:{name}"


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("claude:4f2a#12~0a3f", Reference("claude", "4f2a", 12, 0x0A3F)),
        ("claude:4f2a#12", Reference("claude", "4f2a", 12)),
        ("  codex:2026/11/30/rollout:1\n", Reference("codex", "2026/11/30/rollout:1")),
        ("claude:x#0~0000", Reference("claude", "x", 0, 0)),
    ],
)
def test_the_forms_of_a_reference(text, reference):
    assert Reference.parse(text) == reference


@pytest.mark.parametrize(
    "text",
    ["", "claude", "claude:", ":x", "Claude:x", "claude:x#", "claude:x#y", "claude:x#1~abc",
     "claude:x#1~ABCD", "claude:x#-1", "claude:x#" + "9" * 5000, "claude:x#١", "claude:a\nb"],
)  # fmt: skip
def test_what_is_no_reference_says_what_one_looks_like(text):
    with pytest.raises(BadReferenceError) as caught:
        Reference.parse(text)
    assert "harness:session#position~digest" in f"{caught.value} {vars(caught.value)}"


def test_a_message_names_itself_by_its_session():
    message = Message("claude:a:b", 7, Kind.ANSWER, 0, "text", 0xBEEF)
    assert str(message.reference) == "claude:a:b#7~beef"
    assert message.role is Role.ASSISTANT


def test_stored_numbers_never_change():
    assert {kind.name: int(kind) for kind in Kind} == {
        "PROMPT": 1, "INJECTED": 2, "DELEGATION": 3, "ANSWER": 4, "TOOL_CALL": 5,
        "TOOL_RESULT": 6, "SUMMARY": 7, "NOTICE": 8,
    }  # fmt: skip
    assert {flag.name: int(flag) for flag in Flag} == {
        "ABANDONED": 1, "SIDECHAIN": 2, "FAILED": 4, "MATERIAL": 8, "WITHIN": 16,
    }  # fmt: skip


def test_only_a_person_speaks_as_user():
    assert [kind for kind in Kind if kind.role is Role.USER] == [Kind.PROMPT]
    assert {kind.role for kind in Kind} == set(Role)


def test_a_filter_admits_what_both_of_its_fields_admit():
    assert Filter().kinds_admitted == frozenset(Kind)
    tools = Filter(roles=(Role.TOOL,))
    assert tools.kinds_admitted == {Kind.TOOL_CALL, Kind.TOOL_RESULT}
    assert Filter(roles=(Role.TOOL,), kinds=(Kind.ANSWER, Kind.TOOL_CALL)).kinds_admitted == {
        Kind.TOOL_CALL
    }


def test_a_gap_knows_whether_the_search_was_partial():
    partial = {kind for kind in GapKind if Gap(kind, 1, "x").partial}
    assert GapKind.TIMED_OUT in partial
    assert GapKind.NO_SOURCES in partial
    assert GapKind.FILTERED not in partial
    assert GapKind.NO_MATCH not in partial


def test_the_nouns_need_the_standard_library_only():
    program = (
        "import sys, recall_tui.model, recall_tui.clock, recall_tui.errors;"
        "print([m for m in ('rich', 'textual', 'msgspec', 'regex', 'stringzilla', 'click')"
        " if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "[]", done.stderr
