"""Typed filters, there and back."""

from __future__ import annotations

import re
from datetime import UTC, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_tui.clock import to_iso
from recall_tui.errors import QueryError
from recall_tui.model import Filter, Kind, Role
from recall_tui.search.filters import build, parse

NOW = 1_790_000_000_000
DAY = 86_400_000


def read(line):
    return parse(line, UTC, NOW)


def test_filters_are_taken_out_and_the_text_stays():
    chosen, text = read("harness:codex context window since:7d role:user")
    assert text == "context window"
    assert chosen == Filter(harnesses=("codex",), since_ms=NOW - 7 * DAY, roles=(Role.USER,))


@pytest.mark.parametrize(
    "text",
    [
        "std::vector", "TypeError: x", "http://a.b/c", "12:30", "C:\\temp", "node:fs",
        '"name": "foo"', "  two  spaces ", "rule:x", "a:b", "é:x", "Role:user", "x role:", "is",
    ],
)  # fmt: skip
def test_what_is_no_filter_is_text_to_the_letter(text):
    assert read(text) == (Filter(), text.replace("x role:", "x"))


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("is:main  foo", "foo"),
        ("foo is:main bar", "foo bar"),
        ("a  b is:main  c  d", "a  b c  d"),
        ("is:main", ""),
        ('is:main text:"role:user"', "role:user"),
        ('foo is:main text:" x"', "foo x"),
        ('text:"say \\"hi\\""', 'say "hi"'),
        ("text:role:user", "role:user"),
    ],
)
def test_one_space_remains_where_a_filter_stood(line, text):
    assert read(line)[1] == text


def test_quotes_hold_a_value_together():
    chosen, text = read('cwd:"my app" branch:feat/x model:opus x')
    assert (chosen.cwd, chosen.branch, chosen.model, text) == ("my app", "feat/x", "opus", "x")


def test_values_add_up():
    chosen, _ = read("role:user,assistant role:user kind:tool_call session:abc,def is:main is:copy")
    assert chosen == Filter(
        roles=(Role.USER, Role.ASSISTANT),
        kinds=(Kind.TOOL_CALL,),
        sessions=("abc", "def"),
        mains_only=True,
        include_copies=True,
    )


def test_a_bare_day_means_the_whole_day_in_the_zone():
    chosen, _ = parse("since:2026-03-01 until:2026-03-01", timezone(timedelta(hours=9)), NOW)
    assert chosen.until_ms - chosen.since_ms == DAY - 1
    assert chosen.since_ms == 1_772_290_800_000


@pytest.mark.parametrize(
    ("line", "message", "hint"),
    [
        ("foo sicne:7d", "unknown filter 'sicne' at column 5", "did you mean since:?"),
        ("harnes:codex", "unknown filter 'harnes' at column 1", "text:harnes:codex"),
        ("role:usr", "role:usr", "did you mean user?"),
        ("kind:answr", "kind:answr", "did you mean answer?"),
        ("harness:cdex", "harness:cdex", "did you mean codex?"),
        ("harness:xyzzy", "harness:xyzzy", "known: claude"),
        ("is:lost", "is:lost", "known: main, copy"),
        ("since:soon", "not a time", "7d"),
        ("since:2026-03-02 until:2026-03-01", "since is after until", "swap"),
    ],
)
def test_a_mistake_is_named_with_what_was_meant(line, message, hint):
    with pytest.raises(QueryError) as raised:
        read(line)
    assert message in raised.value.message
    assert hint in raised.value.hint


def test_options_come_through_the_same_door():
    assert build([("harness", "pi"), ("harness", "claude"), ("source", "/a")], UTC) == Filter(
        harnesses=("pi", "claude"), roots=("/a",)
    )
    with pytest.raises(QueryError, match="unknown filter"):
        build([("colour", "red")], UTC)


names = st.text(st.characters(blacklist_categories=["Cs", "Cc"]), min_size=1, max_size=12)
ids = st.text("abcdef0123456789-", min_size=1, max_size=12)


def written(chosen, zone):
    """The filter as a person would type it."""
    words = [
        ("harness", chosen.harnesses),
        ("since", [] if chosen.since_ms is None else [to_iso(chosen.since_ms, zone)]),
        ("until", [] if chosen.until_ms is None else [to_iso(chosen.until_ms, zone)]),
        ("role", [role.value for role in chosen.roles]),
        ("kind", [kind.word for kind in chosen.kinds]),
        ("cwd", [chosen.cwd] if chosen.cwd else []),
        ("branch", [chosen.branch] if chosen.branch else []),
        ("model", [chosen.model] if chosen.model else []),
        ("session", chosen.sessions),
        ("source", chosen.roots),
        ("is", ["main"] * chosen.mains_only + ["copy"] * chosen.include_copies),
    ]
    return " ".join(f"{name}:{quoted(value)}" for name, values in words for value in values)


def quoted(value):
    if re.fullmatch(r'[^\s"\\,]+', value):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


@given(
    st.builds(
        Filter,
        harnesses=st.lists(st.sampled_from(["claude", "codex", "pi"]), unique=True).map(tuple),
        cwd=names | st.just(""),
        branch=names | st.just(""),
        model=names | st.just(""),
        since_ms=st.none() | st.integers(1, NOW),
        until_ms=st.none() | st.integers(NOW, 2 * NOW),
        roles=st.lists(st.sampled_from(Role), unique=True).map(tuple),
        kinds=st.lists(st.sampled_from(Kind), unique=True).map(tuple),
        sessions=st.lists(ids, unique=True, max_size=3).map(tuple),
        roots=st.lists(names, max_size=2).map(tuple),
        mains_only=st.booleans(),
        include_copies=st.booleans(),
    ),
    st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=45))]),
    st.sampled_from(["", "context window"]),
)
def test_a_filter_written_and_read_again_is_the_same(chosen, zone, text):
    line = f"{written(chosen, zone)} {text}".strip()
    assert parse(line, zone, NOW) == (chosen, text)
