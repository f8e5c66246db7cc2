"""S0: what a person's search shares with the agents' path."""

from __future__ import annotations

import base64
import os
import re
import sqlite3
import stat
import time
from contextlib import closing
from datetime import UTC

import pytest

from recall_tui.errors import BadReferenceError
from recall_tui.mcp_server import results
from recall_tui.model import Filter, Kind
from recall_tui.search.grep import grep
from recall_tui.search.recall import recall
from recall_tui.search.recall.request import MaterialRequest, Reason, RecallRequest, RefusedError
from recall_tui.search.results import GrepQuery
from tests.conftest import REPOSITORY
from tests.contracts.conftest import FINDING, Own, session_id
from tests.harnesses.claude.build import image, png, text, thinking
from tests.search.corpora import MemoryCorpus, Said, Talk, drained, never, rows
from tests.workspace.build import Workspace
from tests.workspace.reading import opened

PICTURE = png(8, 9)


# ---------------------------------------------------------------- eligible sessions


@pytest.mark.contract("S0-24")
def test_the_only_hit_of_a_thousand_sessions_is_in_the_oldest() -> None:
    talks = [Talk(f"s{n:04}", [Said("nothing here", 2_000 - n)]) for n in range(1_000)]
    talks[-1].said.append(Said("needle", 1))
    hits, last = drained(grep([MemoryCorpus(talks)], GrepQuery("needle"), never))
    assert rows(hits) == [("claude:s0999", 1, 1)]
    assert last.reach.sessions_searched == 1_000


@pytest.mark.contract("S0-24")
def test_sessions_that_ended_together_are_listed_by_id(machine) -> None:
    for name in ("b", "c", "a"):
        machine.talk(name, "token budget")
    with machine.history() as history:
        listed = [session.key for session in history.sessions()]
    assert len(listed) == 3
    assert listed == sorted(listed)


@pytest.mark.contract("S0-26")
def test_a_session_that_does_not_exist_is_an_answer_about_none(machine) -> None:
    machine.talk("one", "token budget")
    for find in FINDING:
        ran = machine.recall(find, "budget", "--session", "claude:nobody", "--json")
        assert ran.code == 1
        assert not ran.json.get("hits", ran.json.get("passages"))
        assert ran.json["reach"]["sessions_searched"] == 0
        assert ran.json["reach"]["complete"] is True


# ---------------------------------------------------------------- what is searchable


@pytest.mark.contract("S0-29")
def test_reasoning_is_no_answer_and_a_call_is_its_projection(machine) -> None:
    lines = Own()
    lines.user("zqprompt")
    lines.assistant(thinking("zqreason"), text("zqanswer"))
    lines.call("t1", "Write", file_path="/w/zqpath.py", content="zqbody")
    machine.talk("one", lines)
    with machine.history() as history:
        (session,) = history.sessions()
        messages = history.messages(session)
    seen = [m.text if m.horizon < 0 else m.text[: m.horizon] for m in messages]
    assert re.findall(r"zq\w+", " ".join(seen)) == [
        "zqprompt", "zqanswer", "zqpath",
    ]  # fmt: skip
    assert machine.recall("grep", "zqreason").code == 1


@pytest.mark.contract("S0-33")
def test_a_call_without_arguments_is_no_hit_and_no_fault(machine) -> None:
    lines = Own()
    lines.user("go")
    lines.call("t1", "Noop")
    machine.talk("one", lines)
    found = machine.recall("grep", "-E", ".", "--json").json
    assert [hit["kind"] for hit in found["hits"]] == ["prompt"]
    assert found["gaps"] == []


@pytest.mark.contract("S3-53")
def test_what_is_read_back_was_redacted_before_it_was_stored(machine) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    machine.talk("one", f"use {secret} now")
    with machine.history() as history:
        (session,) = history.sessions()
        (message,) = history.messages(session)
        assert secret not in message.text
        assert message.text.startswith("use ") and message.text.endswith(" now")


# ---------------------------------------------------------------- verified, weighed, accounted for


@pytest.mark.contract("S0-42")
def test_what_sql_names_too_much_is_no_hit_and_no_raw_text_comes_out(machine, tmp_path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    workspace = Workspace(tmp_path / "app")
    for ledger in (True, False):
        held = workspace.session(f"ledger-{ledger}", ledger=ledger)
        workspace.user(held, f"deploy with {secret}")
        workspace.call(held, "Bash", {"command": "make"})
    workspace.done()
    corpus = opened(tmp_path / "app")
    source = ["--source", f"maka={tmp_path / 'app'}"]
    part = secret[5:25]  # stands in the stored records, and in nothing that may be shown
    assert len(corpus.candidates([part.lower().encode()], Filter()).sessions) == 2
    for find in (["grep"], ["search", "--term"]):
        assert machine.recall(*find, part, *source).code == 1
    ran = machine.recall("search", "--term", "deploy", "--json", *source)
    assert len(ran.json["passages"]) == 2
    assert secret[8:30] not in ran.out


@pytest.mark.contract("S0-72", "S0-73")
def test_what_was_said_outranks_the_same_words_in_tool_output() -> None:
    kinds = (Kind.TOOL_RESULT, Kind.PROMPT, Kind.TOOL_CALL)
    talks = [
        Talk(kind.word, [Said("the token budget", 9 if kind is Kind.TOOL_RESULT else 5, kind)])
        for kind in kinds
    ]
    answer = recall([MemoryCorpus(talks)], RecallRequest(terms=("budget",)), never, UTC)
    scores = {passage.session.native_id: passage.score for passage in answer.passages}
    assert list(scores)[-1] == "tool_result"
    assert scores["tool_result"] == pytest.approx(scores["prompt"] / 2)
    assert scores["tool_call"] == scores["prompt"]


@pytest.mark.contract("S0-123")
def test_the_answer_says_that_every_session_was_read(machine) -> None:
    machine.talk("one", "token budget")
    machine.talk("two", "nothing of the kind")
    answer = machine.recall("search", "budget", "--json").json
    assert answer["searched_every_session"] is True
    assert answer["reach"]["sessions_searched"] == answer["reach"]["sessions_total"] == 2


# ---------------------------------------------------------------- materials


@pytest.mark.contract("S0-112")
def test_only_what_recall_could_show_is_fetched_and_only_what_can_be_handed_over(machine) -> None:
    archive = base64.b64encode(b"PK\x03\x04 an archive").decode()
    lines = Own("one")
    source = {"type": "base64", "media_type": "application/zip", "data": archive}
    lines.user([text("see the archive"), {"type": "document", "source": source}])
    lines.user([text("see the picture"), image(PICTURE)])
    machine.talk("one", lines)
    with machine.history() as history:
        (session,) = history.sessions()
        first, second = history.messages(session)
        anchors = (
            "claude:nobody#0~0000", "no reference", f"{session.key}#99", session.key,
            str(second.reference._replace(digest=second.reference.digest ^ 1)),
        )  # fmt: skip
        for anchor in anchors:
            with pytest.raises(RefusedError) as refused:
                history.fetch(MaterialRequest(anchor, second.materials[0].id))
            assert refused.value.reason is Reason.NOT_FOUND, anchor
        picture = history.fetch(MaterialRequest(str(second.reference), second.materials[0].id))
        assert picture.data.startswith(b"\x89PNG")
        other = history.fetch(MaterialRequest(str(first.reference), first.materials[0].id))
        with pytest.raises(RefusedError) as refused:
            results.material(other)
        assert refused.value.reason is Reason.INVALID_QUERY


@pytest.mark.contract("S0-106", "X-9")
def test_an_id_counts_only_through_the_message_that_holds_it(machine) -> None:
    lines = Own()
    lines.user([text("see this"), image(PICTURE)])
    lines.user("and nothing here")
    path = machine.talk("one", lines)
    with machine.history() as history:
        (session,) = history.sessions()
        first, second = history.messages(session)
        (material,) = first.materials
        assert history.material(first.reference, material.id)[:4] == b"\x89PNG"
        moved = first.reference._replace(digest=first.digest ^ 1)
        for reference, name in (
            (second.reference, material.id),
            (moved, material.id),
            (first.reference, str(path)),
            (first.reference, "/etc/passwd"),
            (first.reference, material.locator + "0"),
        ):
            with pytest.raises(BadReferenceError):
                history.material(reference, name)


@pytest.mark.contract("S0-105")
def test_bytes_reach_a_file_only_if_a_new_one_was_named(machine, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = Own("one")
    lines.user([text("the login page is blank"), image(PICTURE)])
    machine.talk("one", lines)
    before = machine.files()
    answer = machine.recall("search", "login page", "--json").json
    (held,) = answer["materials"]
    assert not {"data", "path", "locator", "address"} & set(held)
    named = ["material", held["message_id"], held["material_id"]]
    assert machine.recall(*named).code == 0
    assert os.listdir(tmp_path) == []
    assert machine.files() == before
    new, link = tmp_path / "new.png", tmp_path / "link.png"
    assert machine.recall(*named, "-o", str(new)).code == 0
    assert new.read_bytes()[:4] == b"\x89PNG"
    assert stat.S_IMODE(new.stat().st_mode) == 0o600
    new.write_bytes(b"mine")
    link.symlink_to(tmp_path / "nowhere.png")
    for taken in (new, link):
        assert machine.recall(*named, "-o", str(taken)).code == 2
    assert new.read_bytes() == b"mine"
    assert not (tmp_path / "nowhere.png").exists()


@pytest.mark.contract("S0-93")
def test_titles_texts_and_file_names_of_an_answer_are_redacted(machine) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    document = {"type": "text", "media_type": "text/plain", "data": "x"}
    lines = Own("one")
    lines.user([text(f"deploy with {secret}"), {"type": "document", "source": document,
                                                "title": f"{secret}.txt"}])  # fmt: skip
    lines.raw({"type": "summary", "summary": f"Deploy {secret}", "leafUuid": lines.last})
    machine.talk("one", lines)
    answer = machine.recall("search", "deploy", "--json")
    (passage,) = answer.json["passages"]
    (held,) = answer.json["materials"]
    for shown in (passage["title"], passage["messages"][0]["text"], held["name"]):
        assert "[redacted:github-pat" in shown
    assert secret[8:30] not in answer.out


@pytest.mark.contract("S0-114")
def test_a_picture_without_a_telling_name_hangs_on_what_was_said(machine) -> None:
    lines = Own()
    lines.user([text("the login page is blank"), image(PICTURE)])
    machine.talk("one", lines)
    ref = machine.recall("grep", "login page", "--json").json["hits"][0]["ref"]
    answer = machine.recall("show", ref, "--json").json
    (material,) = answer["messages"][answer["position"]]["materials"]
    assert (material["width"], material["height"]) == (8, 9)


@pytest.mark.contract("S0-95", "S0-108", "S0-120")
def test_a_prompt_that_is_a_picture_alone_stands_in_the_passage_with_its_metadata(machine) -> None:
    lines = Own()
    lines.user([image(PICTURE)])
    lines.assistant(text("a gnu stands on the hill"))
    machine.talk("one", lines)
    answer = machine.recall("search", "--term", "gnu", "--json").json
    prompt, reply = answer["passages"][0]["messages"]
    assert reply["is_anchor"] and (prompt["role"], prompt["text"]) == ("user", "")
    (material,) = prompt["materials"]
    assert answer["materials"] == [{"message_id": prompt["message_id"], **material}]
    assert set(material) == {
        "material_id", "name", "kind", "mimeType", "bytes", "width", "height", "estimated_tokens",
    }  # fmt: skip
    assert (material["kind"], material["mimeType"]) == ("image", "image/png")
    assert not any("/" in str(value) for key, value in material.items() if key != "mimeType")


@pytest.mark.contract("S0-27", "S0-103")
def test_the_turn_a_command_is_run_from_is_no_evidence(machine, monkeypatch) -> None:
    lines = Own("one")
    lines.user("the gnu lives here")
    lines.assistant(text("it does"))
    lines.user("where did we see the gnu?")
    machine.talk("one", lines)
    machine.talk("two", "a gnu elsewhere")

    def found() -> set[tuple[str, int]]:
        answer = machine.recall("search", "gnu", "--json").json
        return {(p["session_id"][7:11], p["sequence"]) for p in answer["passages"]}

    everything = found()
    one, two = (session_id(name)[:4] for name in ("one", "two"))
    assert everything == {(one, 0), (one, 2), (two, 0)}
    running = machine.recall("grep", "where did", "--json").json["hits"][0]["ref"]
    assert machine.recall("more", running).code == 0
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", session_id("one"))
    assert found() == everything - {(one, 2)}
    assert machine.recall("more", running).code == machine.recall("more", "claude:no#1").code == 3
    monkeypatch.setenv("CODEX_THREAD_ID", "x")  # two programs, and none says that it runs this
    assert found() == everything
    monkeypatch.setenv("CLAUDECODE", "1")
    assert found() == everything - {(one, 2)}


# ---------------------------------------------------------------- a person's search


@pytest.mark.contract("S0-125")
def test_grep_keeps_no_quota_and_no_cap() -> None:
    talks = [
        Talk("busy", [Said("x x", n + 1) for n in range(700)]),
        Talk("quiet", [Said("x", 9_000)]),
    ]
    hits, last = drained(grep([MemoryCorpus(talks)], GrepQuery("x", limit=10_000), never))
    assert (len(hits), last.total, last.occurrences, last.sessions) == (701, 701, 1_401, 2)
    times = [hit.time_ms for hit in hits]
    assert times == sorted(times, reverse=True)


@pytest.mark.contract("S0-130")
def test_a_scan_is_the_search_no_full_text_table_and_no_like(machine) -> None:
    machine.talk("one", "token budget")
    machine.recall("index")
    with closing(sqlite3.connect(machine.data / "index.db")) as connection:
        made = connection.execute("SELECT sql FROM sqlite_schema").fetchall()
    assert made
    assert not [sql for (sql,) in made if sql and re.search(r"\b(fts\d|virtual|vector)", sql, re.I)]
    for room in ("store", "search", "workspace"):
        for path in (REPOSITORY / "recall_tui" / room).rglob("*.py"):
            assert not re.search(r"\b(LIKE|GLOB|MATCH)\b", path.read_text("utf-8")), path


LINE = "a line of ordinary transcript about the parser; "


def scanned_s(talks: list[Talk], least_bytes: int) -> float:
    """Return the processor time of a complete scan of that much text, the least of three."""
    corpus = MemoryCorpus(talks)
    assert sum(len(built.fold) for held in corpus.built for built in held) > least_bytes
    spent = []
    for _ in range(3):
        before = time.process_time()
        _, last = drained(grep([corpus], GrepQuery("nowhere to be found"), never))
        spent.append(time.process_time() - before)
    assert last.total == 0
    return min(spent)


@pytest.mark.contract("S0-132")
def test_a_complete_scan_of_two_megabytes_takes_little() -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    talks = [Talk(f"s{n}", [Said(f"{LINE * 190}{secret}", n + 1)]) for n in range(200)]
    assert scanned_s(talks, 1_780_000) < 0.2  # 22 ms on the machine of the specification; 4 here


@pytest.mark.contract("S0-131")
def test_a_complete_scan_takes_less_than_would_bring_an_index_back() -> None:
    talks = [Talk(f"s{n}", [Said(LINE * 5_500, n + 1)]) for n in range(100)]
    assert scanned_s(talks, 25_000_000) < 0.3  # some 10 ms here


@pytest.mark.contract("S0-64")
def test_the_superseded_speed_claim_is_nowhere() -> None:
    pages = [REPOSITORY / "README.md", *(REPOSITORY / "docs").rglob("*.md")]
    assert len(pages) > 3
    for page in pages:
        assert not re.search(r"10\s*(?:-|–|to)\s*16\s*(?:x|×|times)", page.read_text("utf-8")), page
