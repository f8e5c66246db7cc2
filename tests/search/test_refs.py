"""What becomes of a reference."""

from __future__ import annotations

import pytest

from recall_tui.errors import BadReferenceError
from recall_tui.model import Reference
from recall_tui.search.refs import State, find, resolve
from tests.search.corpora import MemoryCorpus, Said, Talk

NAME = "0592ab8e-0970-4a6c-aaaa-678ae291dd17"


def held(*texts, name=NAME):
    return MemoryCorpus([Talk(name, [Said(text, n + 1) for n, text in enumerate(texts)])])


def reference(corpus, position, row=0):
    return corpus.messages(row, position, position + 1)[0].reference


@pytest.mark.contract("X-2")
def test_a_reference_survives_growth():
    cited = reference(held("one", "two"), 1)
    found = resolve(cited, [held("one", "two", "three")])
    assert (found.state, found.message.text, found.reference) == (State.SAME, "two", cited)
    assert resolve(str(cited), [held("one", "two")]).state is State.SAME


@pytest.mark.contract("X-2")
def test_a_changed_message_is_said_to_be_changed():
    cited = reference(held("one", "two"), 1)
    found = resolve(cited, [held("one", "other")])
    assert (found.state, found.message.text, found.moved_to) == (State.CHANGED, "other", -1)


def test_content_that_moved_is_offered_where_it_is():
    cited = reference(held("one", "two", "three"), 2)
    found = resolve(cited, [held("zero", "one", "two", "three")])
    assert (found.state, found.message.text, found.moved_to) == (State.CHANGED, "two", 3)
    beyond = resolve(reference(held("one", "two"), 1), [held("two")])
    assert (beyond.state, beyond.message, beyond.moved_to) == (State.CHANGED, None, 0)


def test_content_that_stands_twice_elsewhere_is_not_guessed():
    cited = reference(held("one", "two"), 1)
    assert resolve(cited, [held("two", "x", "two")]).moved_to == -1


def test_a_message_that_is_no_longer_there_is_gone():
    cited = reference(held("one", "two"), 1)
    assert resolve(cited, [held("one")]).state is State.GONE
    assert resolve(f"claude:{NAME}#99", [held("one")]).state is State.GONE


@pytest.mark.parametrize(
    "typed",
    [
        f"claude:{NAME}", NAME, NAME[:8], f"claude:{NAME[:12]}", f"`claude:{NAME}`",
        f"  ({NAME}), ", f"/history/{NAME}.jsonl",
    ],
)  # fmt: skip
def test_a_session_is_found_by_what_people_paste(typed):
    found = resolve(typed, [held("one", "two")])
    assert (found.state, found.reference) == (State.SESSION, Reference("claude", NAME))
    assert str(found.reference) == f"claude:{NAME}"


def test_a_position_follows_any_of_them():
    corpus = held("one", "two")
    for name in (NAME, NAME[:8], f"/history/{NAME}.jsonl"):
        found = resolve(f"{name}#1", [corpus])
        assert (found.state, found.message.text) == (State.SAME, "two")


def test_two_sessions_of_a_prefix_are_named():
    corpus = MemoryCorpus(
        [Talk("samestart-1", [Said("a", 1)]), Talk("samestart-2", [Said("b", 1)])]
    )
    with pytest.raises(BadReferenceError, match=r"names 2 sessions.*samestart-1.*samestart-2"):
        resolve("samestart", [corpus])
    # The cited content says which one was meant.
    cited = reference(corpus, 0, row=1)
    found = resolve(f"samestart#0~{cited.digest:04x}", [corpus])
    assert found.session.name == "samestart-2"


def test_a_key_that_is_another_now_is_found_by_its_native_id():
    talk = Talk(f"{NAME}@ab12", [Said("one", 1)])
    corpus = MemoryCorpus([talk])
    corpus.rows[0] = corpus.rows[0]._replace(native_id=NAME)
    assert resolve(f"claude:{NAME}#0", [corpus]).session.key == f"claude:{NAME}@ab12"
    with pytest.raises(BadReferenceError):
        resolve(f"codex:{NAME}#0", [corpus])


@pytest.mark.parametrize("typed", ["", " ", "#3", "short", "claude:unknown-session#1", "c:\\x\\y"])
def test_what_names_nothing_says_so(typed):
    with pytest.raises(BadReferenceError):
        resolve(typed, [held("one")])


def test_a_session_in_two_corpora_comes_once_from_the_first():
    first, second = held("one"), held("one")
    assert find(NAME, [first, second]) == [(first, first.rows[0])]
