"""Facts: found by the keys the app gave them, in their scope, and never an error."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from recall_tui.model import Fact
from recall_tui.workspace import Files
from recall_tui.workspace.memory import Memory, normalized
from tests.workspace.build import START, TOKEN, MemoryStore


@pytest.fixture
def store(tmp_path) -> Iterator[MemoryStore]:
    made = MemoryStore(tmp_path)
    yield made
    made.done()


def memory(tmp_path) -> Memory:
    return Memory(Files(str(tmp_path / "runtime.sqlite"), str(tmp_path / "memory.sqlite")))


def contents(tmp_path, *terms: str, scope: str = "") -> list[str]:
    return [fact.content for fact in memory(tmp_path).facts(terms, scope)]


@pytest.mark.contract("S0-115", "S0-116", "S0-118")
def test_a_fact_is_found_by_a_key_or_its_beginning(tmp_path, store) -> None:
    store.item("1", "Deploys go out on Tuesdays", ["deploy day", "release"], kind="preference")
    assert memory(tmp_path).facts(["release"]) == [
        Fact("Deploys go out on Tuesdays", "preference", START)
    ]
    assert contents(tmp_path, "deploy") == contents(tmp_path, "Deploy  DAY ") != []
    for word in ("day", "ploy", "tuesdays", "releases", "%", ""):
        assert contents(tmp_path, word) == []


@pytest.mark.contract("S0-118")
def test_only_active_facts_of_the_scope_are_seen(tmp_path, store) -> None:
    store.item("global", "global", ["key"])
    store.item("here", "here", ["key"], scope="/work/app")
    store.item("there", "there", ["key"], scope="/work/other")
    store.item("archived", "archived", ["key"], state="archived")
    assert sorted(contents(tmp_path, "key", scope="/work/app")) == ["global", "here"]
    assert contents(tmp_path, "key") == ["global"]


@pytest.mark.contract("S0-116")
def test_the_order_and_the_limit(tmp_path, store) -> None:
    for number in range(12):
        store.item(f"i{number:02}", f"fact {number}", ["alpha"], updated=START + number // 2)
    store.item("both", "both", ["alpha", "beta"], updated=START - 5)
    assert contents(tmp_path, "alpha", "beta") == [
        "both", "fact 10", "fact 11", "fact 8", "fact 9", "fact 6", "fact 7", "fact 4", "fact 5",
        "fact 2",
    ]  # fmt: skip
    # One term that leads to a fact by two keys is one term.
    store.item("twice", "twice", ["alpha", "alpha two"], updated=START - 9)
    assert contents(tmp_path, "alpha", "beta")[0] == "both"


def test_terms_are_normalised_as_the_app_does() -> None:
    assert normalized("  Café\u0301  AU\n lait ") == "café\u0301 au lait"
    assert normalized("e\u0301TÉ") == "été"
    assert normalized("x" * 300) == "x" * 256
    assert normalized(" \t ") == ""


def test_many_terms_are_cut(tmp_path, store) -> None:
    store.item("1", "first", ["term 0"])
    store.item("2", "last", ["other"])
    assert contents(tmp_path, *(f"term {n}" for n in range(40)), "other") == ["first"]


@pytest.mark.contract("S0-116")
def test_a_fact_holds_no_secret_and_no_escape(tmp_path, store) -> None:
    secret = TOKEN
    store.item("1", f"use \x1b[31m{secret} there", ["token"])
    (fact,) = memory(tmp_path).facts(["token"])
    assert secret not in fact.content and "\x1b" not in fact.content
    assert "[redacted:" in fact.content


@pytest.mark.contract("S0-117")
@pytest.mark.parametrize("damage", ["newer", "no table", "no database", "other columns"])
def test_a_failing_store_gives_no_facts_and_a_gap(tmp_path, damage: str) -> None:
    store = MemoryStore(tmp_path, version=6 if damage == "newer" else 5)
    store.item("1", "fact", ["key"])
    if damage == "no table":
        store.db.execute("DROP TABLE memory_item_keys")
    if damage == "other columns":
        store.db.execute("ALTER TABLE memory_items RENAME COLUMN lifecycle_state TO state")
    store.done()
    if damage == "no database":
        (tmp_path / "memory.sqlite").write_bytes(b"nothing of the kind" * 500)
    assert contents(tmp_path, "key") == []
    for matched in (True, False):
        (gap,) = memory(tmp_path).gaps(matched=matched)
        assert gap.kind == "unreadable" and "facts cannot be read" in gap.detail


@pytest.mark.contract("S0-119")
def test_no_match_says_how_much_there_is(tmp_path, store) -> None:
    store.item("1", "fact", ["key"])
    store.item("2", "put away", ["key"], state="archived")
    (gap,) = memory(tmp_path).gaps(matched=False)
    assert gap.kind == "no_facts" and not gap.partial
    assert "holds 1 from 2 sessions" in gap.detail
    assert memory(tmp_path).gaps(matched=True) == []


def test_a_workspace_without_memory_has_no_facts(tmp_path) -> None:
    assert contents(tmp_path, "key") == []
    assert [gap.kind for gap in memory(tmp_path).gaps(matched=False)] == ["no_facts"]
    assert not (tmp_path / "memory.sqlite").exists()
