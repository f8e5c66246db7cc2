"""Looking for a secret: the sources are read, the places come out, the value nowhere."""

from __future__ import annotations

import io
import json
import sys

import pytest

from recall_tui.search.raw import Wanted
from tests.contracts.conftest import Own, machine, session_id  # noqa: F401 - a fixture
from tests.harnesses.claude.build import text, thinking
from tests.workspace.build import Workspace

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2


@pytest.fixture
def planted(machine):  # noqa: F811
    lines = Own("one")
    lines.user(f"use {SECRET} now")
    lines.assistant(thinking("nothing"), text("zqanswer"))
    lines.call("t1", "Bash", command=f"export T={SECRET}")
    lines.assistant(thinking(f"the token is {SECRET}"), text("done"))
    machine.talk("one", lines)
    machine.talk("two", "nothing of the kind")
    return machine


@pytest.mark.contract("X-3")
def test_the_places_come_out_and_the_value_nowhere(planted):
    assert planted.recall("index").code == 0
    before = {path: path.read_bytes() for path in planted.data.rglob("*") if path.is_file()}
    files = planted.files()
    ran = planted.recall("grep", "--raw", SECRET, "--json")
    assert ran.code == 0
    (source,) = ran.json["sources"]
    assert source["path"].endswith(f"{session_id('one')}.jsonl")
    assert source["lines"] == [1, 3, 4]  # what was thought is in no message
    places = [message["reference"].partition("~")[0] for message in source["messages"]]
    assert places == [f"claude:{session_id('one')}#0", f"claude:{session_id('one')}#2"]
    assert [message["kind"] for message in source["messages"]] == ["prompt", "tool_call"]
    for words in ([], ["--count"], ["--paths"], ["-i"], ["--role", "user"]):
        told = planted.recall("grep", "--raw", SECRET, *words)
        assert told.code == 0
        assert SECRET[4:16] not in told.out + told.err
    assert SECRET[4:16] not in ran.out + ran.err
    # The references are those of the index, and nothing was stored or touched.
    with planted.history() as history:
        for message in source["messages"]:
            assert history.resolve(message["reference"]).state == "same"
    after = {path: path.read_bytes() for path in planted.data.rglob("*") if path.is_file()}
    assert {p.name for p in after} == {p.name for p in before}
    assert not any(SECRET[4:16].encode() in data for data in after.values())
    assert planted.files() == files


def test_nothing_found_and_nothing_there_differ(planted):
    assert planted.recall("grep", "--raw", "zqnowhere").code == 1
    assert planted.recall("grep", "--raw", "zqnowhere", "--exit-zero").code == 0
    assert planted.recall("grep", "--raw", SECRET, "--harness", "codex").code == 1
    assert (
        planted.recall("grep", "--raw", SECRET, "--until", "2020-01-01", "--json").json["sources"][
            0
        ]["messages"]
        == []
    )


def test_a_pattern_and_a_value_from_stdin(planted, monkeypatch):
    assert planted.recall("grep", "--raw", "-E", "ghp_[A-Za-z0-9]{36}").code == 0
    monkeypatch.setattr(sys, "stdin", io.StringIO(SECRET + "\n"))
    assert planted.recall("grep", "--raw", "-").code == 0
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n"))
    assert planted.recall("grep", "--raw", "-").code == 2


@pytest.mark.parametrize(
    "words", [["-w"], ["-C", "2"], ["--cursor", "x"], ["--cwd", "x"], ["--session", "x"]]
)
def test_what_does_not_fit_is_refused_without_a_word_of_the_value(planted, words):
    ran = planted.recall("grep", "--raw", SECRET, *words)
    assert ran.code == 2 and SECRET[4:16] not in ran.err
    ran = planted.recall("grep", "--raw", "-E", f"({SECRET}")
    assert ran.code == 2 and SECRET[4:16] not in ran.err


def test_what_a_person_excluded_is_not_read_and_said(planted, monkeypatch):
    monkeypatch.setenv("RECALL_EXCLUDE", str(planted.projects))
    ran = planted.recall("grep", "--raw", SECRET, "--json")
    assert ran.code == 1
    assert [gap["kind"] for gap in ran.json["gaps"]] == ["excluded"]


def test_a_workspace_is_read_in_place(machine, tmp_path):  # noqa: F811
    workspace = Workspace(tmp_path / "app")
    for ledger in (True, False):
        held = workspace.session(f"s-{ledger}", ledger=ledger)
        workspace.user(held, "hello")
        workspace.archived(held, "c", {"output": f"found {SECRET}"})
    workspace.done()
    ran = machine.recall("grep", "--raw", SECRET, "--json", "--source", f"maka={tmp_path / 'app'}")
    assert sorted(s["session"] for s in ran.json["sources"]) == ["maka:s-False", "maka:s-True"]
    assert all(len(s["messages"]) == 1 for s in ran.json["sources"])
    assert SECRET[4:16] not in ran.out


def test_a_value_is_found_however_json_spells_it():
    for value in ('a"b\\c', "tab\there", "grün", SECRET, "a&b"):
        wanted = Wanted(value)
        for line in (json.dumps({"x": value}), json.dumps({"x": value}, ensure_ascii=False)):
            assert wanted.in_bytes(line.encode())
            assert wanted.may_be_in(line.encode())
    assert not Wanted(SECRET).may_be_in(b'{"x": "nothing"}')
    hidden = "".join(f"\\u{ord(c):04x}" if n % 3 else c for n, c in enumerate(SECRET))
    assert Wanted(SECRET).may_be_in(hidden.encode())
    assert not Wanted("a.c").in_text("abc") and Wanted("a.c", regex=True).in_text("abc")
    assert Wanted("ABC", ignore_case=True).in_bytes(b"xabcx")


def test_who_greps_for_a_credential_is_told_where_to_look(planted):
    ran = planted.recall("grep", SECRET)
    assert ran.code == 1 and "--raw" in ran.err and SECRET[4:16] not in ran.err
    assert "--raw" not in planted.recall("grep", "zqnowhere").err


def test_of_no_other_word_it_is_told_that_it_was_thought(machine):  # noqa: F811
    lines = Own("one")
    lines.user("hello")
    lines.assistant(thinking("zqthought alone"), text("zqsaid"))
    machine.talk("one", lines)
    for words in (["zqthought"], ["-E", "zqth[a-z]+"], ["-i", "ZQTHOUGHT"]):
        assert machine.recall("grep", "--raw", *words).code == 1
    ran = machine.recall("grep", "--raw", "zqsaid", "--json")
    assert ran.json["sources"][0]["lines"] == [] and ran.json["total"] == 1
