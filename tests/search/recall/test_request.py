"""Admission: what may be asked, and that nothing is touched before it is known to be allowed."""

from __future__ import annotations

import json

import pytest

from recall_tui.model import Filter
from recall_tui.privacy import FILE
from recall_tui.search.recall import recall
from recall_tui.search.recall.privacy import require_open
from recall_tui.search.recall.request import (
    MoreRequest,
    Reason,
    RecallRequest,
    RefusedError,
    checked,
    checked_more,
    more_from_tool,
    recall_from_tool,
)

GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def refusal(call, *arguments) -> RefusedError:
    with pytest.raises(RefusedError) as caught:
        call(*arguments)
    return caught.value


@pytest.mark.contract("S0-9", "S0-10")
@pytest.mark.parametrize(
    "terms", [[], ["a"] * 9, [1], ["ok", ""], ["  "], ["x" * 501], "word", None, {"a": 1}]
)
def test_terms_that_are_no_list_of_1_to_8_short_texts(terms):
    assert refusal(recall_from_tool, {"terms": terms}).reason is Reason.INVALID_QUERY


@pytest.mark.contract("S0-9", "S0-10")
def test_bounds_of_terms_are_inclusive():
    terms = [f"t{n}" for n in range(7)] + [" " + "é" * 500 + " "]
    assert len(recall_from_tool({"terms": terms}).terms) == 8


@pytest.mark.contract("S0-11")
def test_terms_that_fold_alike_count_once_as_first_spelt():
    request = recall_from_tool({"terms": ["Straße", " STRASSE", "other", "Other"]})
    assert request.terms == ("Straße", "other")


@pytest.mark.contract("S0-14", "X-5")
@pytest.mark.parametrize("limit", [0, -1, 26, 1.5, "3", True, None])
def test_a_limit_is_a_whole_number_from_1_to_25(limit):
    assert refusal(recall_from_tool, {"terms": ["a"], "limit": limit}).reason == "invalid_query"


@pytest.mark.contract("S0-14")
def test_the_limit_is_8_by_default_and_at_most_25():
    assert recall_from_tool({"terms": ["a"]}).limit == 8
    assert recall_from_tool({"terms": ["a"], "limit": 25}).limit == 25


@pytest.mark.contract("S0-15")
@pytest.mark.parametrize(
    "bounds",
    [{"since": -1}, {"until": float("inf")}, {"since": float("nan")}, {"since": "2026"},
     {"since": True}, {"since": 5, "until": 4}],
)  # fmt: skip
def test_times_are_finite_milliseconds_in_order(bounds):
    assert refusal(recall_from_tool, {"terms": ["a"], **bounds}).reason == "invalid_query"


@pytest.mark.contract("S0-16")
@pytest.mark.parametrize("identifier", ["", "   ", "x" * 257, 7])
def test_ids_have_1_to_256_characters(identifier):
    assert refusal(recall_from_tool, {"terms": ["a"], "session_id": identifier})
    both = {"session_id": identifier, "anchor_message_id": "claude:a#1"}
    assert refusal(more_from_tool, both).reason is Reason.INVALID_QUERY


@pytest.mark.contract("S0-17")
def test_a_question_is_validated_and_dropped():
    assert recall_from_tool({"terms": ["a"], "question": "q" * 500}).question == ""
    assert refusal(recall_from_tool, {"terms": ["a"], "question": "q" * 501})
    assert refusal(recall_from_tool, {"terms": ["a"], "question": 5})


@pytest.mark.contract("S0-6", "S0-18")
@pytest.mark.parametrize("parameters", [None, [], "terms", {"terms": ["a"], "path": "/etc"}])
def test_parameters_are_a_strict_object(parameters):
    assert refusal(recall_from_tool, parameters).reason is Reason.INVALID_QUERY


@pytest.mark.contract("S0-101")
@pytest.mark.parametrize("bound", [-1, 9, 1.0, "2", False])
def test_more_takes_0_to_8_neighbours(bound):
    given = {"session_id": "claude:a", "anchor_message_id": "claude:a#1", "before": bound}
    assert refusal(more_from_tool, given).reason is Reason.INVALID_QUERY


@pytest.mark.contract("S0-101")
def test_more_takes_8_by_default():
    made = more_from_tool({"session_id": "claude:a", "anchor_message_id": "claude:a#1"})
    assert (made.before, made.after) == (8, 8)
    assert checked_more(MoreRequest("claude:a#1", 0, 0)).before == 0


def test_an_anchor_of_another_session_is_not_found():
    given = {"session_id": "claude:a", "anchor_message_id": "claude:b#1"}
    assert refusal(more_from_tool, given).reason is Reason.NOT_FOUND


def test_terms_and_a_sentence_exclude_each_other():
    assert refusal(checked, RecallRequest())
    assert refusal(checked, RecallRequest(terms=("a",), sentence="b"))


class Untouchable:
    """A corpus that must not be touched."""

    name = "index"

    def __getattr__(self, name):
        raise AssertionError(f"{name} was asked for")


@pytest.mark.contract("S0-12", "S0-13", "X-3")
@pytest.mark.parametrize(
    "request_",
    [
        RecallRequest(terms=("fine", GITHUB)),
        RecallRequest(sentence=f"who used {GITHUB} last week"),
        RecallRequest(terms=("fine",), question=GITHUB),
        RecallRequest(sentence="AKIA" + "Z7QPLM4TXWV2KD3S"),
    ],
)
def test_a_credential_is_refused_before_anything_is_touched(request_):
    def stop():
        raise AssertionError("asked to stop: something had begun")

    error = refusal(recall, [Untouchable()], request_, stop, None, [Untouchable()])
    assert error.reason is Reason.INVALID_QUERY
    assert GITHUB not in str(error) and "Z7QPLM4" not in str(error)


def test_a_commit_id_is_no_credential():
    commit = "3fa9c2d1e8b74650a1b2c3d4e5f60718293a4b5c"
    assert checked(RecallRequest(terms=(commit,))).terms == (commit,)


@pytest.mark.contract("S0-19")
@pytest.mark.parametrize(
    "state", ['{"paused": true}', "", "{", "[]", "null", '{"paused": 0}', '{"paused": "false"}']
)
def test_paused_or_unreadable_means_no_answer(tmp_path, state):
    (tmp_path / FILE).write_text(state)
    assert refusal(require_open, str(tmp_path)).reason is Reason.INCOGNITO_ACTIVE


@pytest.mark.contract("S0-19")
def test_a_state_that_cannot_be_opened_means_no_answer(tmp_path):
    (tmp_path / FILE).mkdir()
    assert refusal(require_open, str(tmp_path)).reason is Reason.INCOGNITO_ACTIVE


def test_not_paused(tmp_path):
    require_open(str(tmp_path))
    (tmp_path / FILE).write_text(json.dumps({"paused": False}))
    require_open(str(tmp_path))


def test_bounds_in_the_wrong_order():
    assert refusal(checked, RecallRequest(terms=("a",), chosen=Filter(since_ms=2, until_ms=1)))


@pytest.mark.contract("S0-17")
def test_a_question_may_be_empty_and_is_a_text():
    for question in ("", "  ", None, "x" * 500):
        assert recall_from_tool({"terms": ["a"], "question": question}).terms == ("a",)
    for question in ("x" * 501, 5, ["x"], GITHUB):
        error = refusal(recall_from_tool, {"terms": ["a"], "question": question})
        assert error.reason is Reason.INVALID_QUERY
