"""From records to messages, in both stores: what is text, what is not, in which order."""

from __future__ import annotations

import pytest

from recall_tui.model import Flag, Kind
from tests.workspace.build import CHUNK, START, TOKEN, Workspace
from tests.workspace.reading import ALL, matching, opened, rows, said, texts

BOTH = pytest.mark.parametrize("ledger", [True, False], ids=["ledger", "legacy"])


def one(tmp_path, fill, *, ledger: bool = True, **header):
    """The corpus and the messages of a workspace of one session."""
    workspace = Workspace(tmp_path)
    fill(workspace, workspace.session("a", ledger=ledger, **header))
    corpus = opened(workspace.done())
    return corpus, said(corpus, "a")


@BOTH
@pytest.mark.contract("S0-28", "S0-29", "S0-35")
def test_four_types_are_messages_and_thinking_is_none(tmp_path, ledger: bool) -> None:
    def fill(workspace, made):
        workspace.user(made, "typed", displayText="shown")
        workspace.assistant(made, "answer", thinking="secret thoughts")
        call = workspace.call(made, "Bash", {"command": "ls"}, intent="Look around")
        workspace.result(made, call, {"kind": "text", "text": "a.txt"}, failed=True)
        if ledger:
            workspace.event(made, None, role="system", kind="completed", status="completed")
            workspace.event(made, {"kind": "error", "message": "overloaded"}, role="system")
            workspace.event(made, {"kind": "text", "text": "of the host"}, role="system")
        else:
            for kind in ("permission_decision", "token_usage", "turn_state", "system_note"):
                workspace.row(made, kind, {"text": f"a {kind}"})

    corpus, found = one(tmp_path, fill, ledger=ledger)
    assert [(m.position, m.kind, m.text) for m in found] == [
        (0, Kind.PROMPT, "shown"),
        (1, Kind.ANSWER, "answer"),
        (2, Kind.TOOL_CALL, "Look around\nls"),
        (3, Kind.TOOL_RESULT, "a.txt"),
    ]
    assert found[2].call == found[3].call != ""
    assert found[2].tool == "Bash"
    assert found[3].flags & Flag.FAILED
    assert found[0].time_ms == START + 1000
    for word in ("secret thoughts", "overloaded", "of the host", "permission", "typed"):
        assert matching(corpus, word) == []


@BOTH
@pytest.mark.contract("S0-29", "S0-33")
def test_a_call_shows_its_intent_else_the_small_projection(tmp_path, ledger: bool) -> None:
    def fill(workspace, made):
        arguments = {"content": "whole body", "path": "src/a.py", "timeout": 5}
        workspace.call(made, "Write", arguments)
        workspace.call(made, "Write", arguments, intent="Write the parser")
        workspace.call(made, "Nap", {})

    _, found = one(tmp_path, fill, ledger=ledger)
    seen = [m.text[: m.horizon] if m.horizon >= 0 else m.text for m in found]
    assert seen == ["src/a.py", "Write the parser", ""]
    assert found[0].text == "src/a.py\nwhole body"
    assert found[1].text == "Write the parser\nsrc/a.py\nwhole body"


@BOTH
@pytest.mark.contract("S0-30")
def test_a_result_is_its_string_leaves_in_order(tmp_path, ledger: bool) -> None:
    content = {
        "kind": "json",
        "value": {"name": "first", "n": 5, "ok": True, "inner": [{"kind": "second"}, "third"]},
        "note": "fourth",
    }

    def fill(workspace, made):
        workspace.result(made, "c", content)
        workspace.result(made, "c", "x" * 20_000 + "tail")

    corpus, found = one(tmp_path, fill, ledger=ledger)
    assert found[0].text == "first\nsecond\nthird\nfourth"
    assert matching(corpus, "json") == matching(corpus, "value") == matching(corpus, "true") == []
    assert found[1].horizon == 10 * 1024
    assert found[1].text.endswith("tail")  # a person sees all of it


@BOTH
@pytest.mark.contract("S0-34")
@pytest.mark.parametrize(
    "marker",
    ["[output truncated: 12000 of 40000 bytes]", "… [1,204 more lines truncated]",
     "<truncated 300 characters>", "[truncated]"],
)  # fmt: skip
def test_what_the_host_wrote_is_no_text(tmp_path, ledger: bool, marker: str) -> None:
    def fill(workspace, made):
        workspace.result(made, "c", {"kind": "text", "text": f"head{marker}tail"})
        workspace.user(made, "the word truncated, as somebody said it")

    corpus, found = one(tmp_path, fill, ledger=ledger)
    assert found[0].text.split() == ["head", "tail"]
    assert matching(corpus, "truncated") == [("a", 1)]
    assert matching(corpus, "headtail") == []


@pytest.mark.contract("S0-36", "S0-37")
def test_a_secret_never_matches_and_its_mark_is_not_said(tmp_path) -> None:
    secret = TOKEN

    def fill(workspace, made):
        workspace.user(made, f"the key is {secret} ok")

    corpus, found = one(tmp_path, fill)
    assert secret not in found[0].text
    for word in (secret, secret[:12], "redacted", "github"):
        assert rows(corpus, word.lower().encode()) == []
    assert matching(corpus, "the key is") == [("a", 0)]


def test_who_stands_in_the_users_place(tmp_path) -> None:
    def fill(workspace, made):
        workspace.event(made, {"kind": "text", "text": "typed"}, role="user")
        workspace.event(made, {"kind": "text", "text": "put"}, role="user", author="host")

    _, found = one(tmp_path, fill)
    assert [m.kind for m in found] == [Kind.PROMPT, Kind.INJECTED]


# ---------------------------------------------------------------- the ledger's order


def test_events_come_in_the_order_of_their_ordinals(tmp_path) -> None:
    workspace = Workspace(tmp_path)
    made = workspace.session("a")
    for number in range(5):
        workspace.user(made, f"said {number}")
    workspace.event(made, {"kind": "text", "text": "no ordinal"}, role="user", ordinal=False)
    workspace.db.execute("UPDATE runtime_session_event_ordinals SET ordinal = 100 - ordinal")
    corpus = opened(workspace.done())
    assert texts(corpus, "a") == [*(f"said {n}" for n in (4, 3, 2, 1, 0)), "no ordinal"]


def test_a_workspace_without_ordinals_is_read_as_committed(tmp_path) -> None:
    workspace = Workspace(tmp_path)
    made = workspace.session("a")
    for number in range(3):
        workspace.user(made, f"said {number}")
    workspace.db.execute("DROP TABLE runtime_session_event_ordinals")
    assert texts(opened(workspace.done()), "a") == ["said 0", "said 1", "said 2"]


@pytest.mark.contract("S0-50")
def test_a_stream_still_arriving_is_shown_as_if_settled(tmp_path) -> None:
    def fill(workspace, made):
        workspace.user(made, "go on")
        workspace.stream(made, ["the con", "text w", "indow"])
        workspace.stream(made, ["private thoughts"], kind="thinking")

    corpus, found = one(tmp_path, fill)
    assert [m.text for m in found] == ["go on", "the context window"]
    assert found[1].kind is Kind.ANSWER
    assert matching(corpus, "context window") == [("a", 1)]
    assert matching(corpus, "thoughts") == []


def test_a_stream_that_has_settled_is_not_shown_twice(tmp_path) -> None:
    def fill(workspace, made):
        workspace.stream(made, ["the con", "text"])
        workspace.assistant(made, "the context window is large")
        workspace.event(made, {"kind": "text", "text": "skipped"}, role="model", partial=True)

    _, found = one(tmp_path, fill)
    assert [m.text for m in found] == ["the context window is large"]


def test_runs_inside_runs_are_left_out(tmp_path) -> None:
    def fill(workspace, made):
        workspace.run(made, made.run, None)
        workspace.run(made, "inner", made.run)
        workspace.user(made, "outer")
        workspace.event(made, {"kind": "text", "text": "in table"}, role="model", run="inner")
        workspace.event(
            made, {"kind": "text", "text": "in payload"}, role="model", run="other",
            parentRunId=made.run,
        )  # fmt: skip
        workspace.assistant(made, "done")

    corpus, found = one(tmp_path, fill)
    assert [m.text for m in found] == ["outer", "done"]
    assert matching(corpus, "in table") == []
    assert corpus.sessions(ALL)[0].messages == 3  # a lineage only payloads tell is not counted out


@pytest.mark.contract("S0-54")
def test_a_long_record_is_joined_and_checked(tmp_path) -> None:
    workspace = Workspace(tmp_path)
    made = workspace.session("a", ledger=False)
    long = "模型" * CHUNK
    workspace.assistant(made, long)
    workspace.assistant(made, "x" * CHUNK)
    workspace.assistant(made, "short")
    # Same size, other bytes: the hash says so.
    workspace.db.execute(
        """UPDATE session_message_chunks SET data = CAST(replace(CAST(data AS TEXT), 'xx', 'yy')
        AS BLOB) WHERE sequence = 1 AND chunk_index = 0"""
    )
    corpus = opened(workspace.done())
    assert texts(corpus, "a") == [long, "", "short"]
    assert [(g.kind, g.count) for g in corpus.gaps(ALL)] == [("unparsed", 1)]


def test_damaged_records_are_counted_and_the_rest_is_read(tmp_path) -> None:
    workspace = Workspace(tmp_path)
    made = workspace.session("a")
    content = {"kind": "text", "text": "x"}
    for payload in (
        "{",
        "[1]",
        "null",
        '{"content":5}',
        '{"role":"user","content":{"kind":"text"}}',
    ):
        workspace.event(made, content, role="user", payload=payload)
    workspace.event(made, {"kind": "hologram"}, role="model", kind="hologram")
    workspace.user(made, "fine")
    corpus = opened(workspace.done())
    assert texts(corpus, "a") == ["", "fine"]
    gaps = {gap.kind: gap for gap in corpus.gaps(ALL)}
    assert gaps["unparsed"].count == 3
    assert "hologram" in gaps["unknown_records"].detail


# ---------------------------------------------------------------- archived tool results


@BOTH
@pytest.mark.contract("S0-31")
def test_an_archived_result_is_read_from_its_artifact(tmp_path, ledger: bool) -> None:
    def fill(workspace, made):
        workspace.user(made, "run it")
        workspace.archived(made, "c1", {"kind": "terminal", "output": "the archived needle"})
        workspace.archived(made, "c2", "not there", write=False)
        workspace.archived(made, "c3", "original", body=b"something else")

    corpus, found = one(tmp_path, fill, ledger=ledger)
    assert [m.text for m in found] == ["run it", "the archived needle", "", ""]
    assert matching(corpus, "archived needle") == [("a", 1)]
    for word in ("something else", "original", "tool-result-archive", "not_loaded", "budget"):
        assert matching(corpus, word) == []
    kinds = {gap.kind: gap.count for gap in corpus.gaps(ALL)}
    assert kinds == {"gone": 1, "broken_material": 1}


def test_an_archived_body_never_leaves_the_workspace(tmp_path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("outside needle")
    workspace = Workspace(tmp_path / "home")
    made = workspace.session("a")
    workspace.archived(made, "c", "outside needle", body=b"", write=False)
    workspace.db.execute("UPDATE artifact_records SET relative_path = '../../outside.txt'")
    corpus = opened(workspace.done())
    assert texts(corpus, "a") == [""]
    assert rows(corpus, b"outside") == []
